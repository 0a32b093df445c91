//! `general-and-special`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::Findings;

check! {
    /// A general event and the special one that sees the same calls are both wired.
    ///
    /// Cursor fires `preToolUse` and then `beforeShellExecution` for one command. Both are judged, alike; the
    /// second costs a process and tells nothing new. `tenter install` wires one of the two.
    CHECK {
        id: "general-and-special",
        summary: "two events that see the same calls are both wired",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files() {
        let install = tenter_hosts::host(file.host).install();
        let wired: Vec<_> =
            exam.wired.iter().filter(|wired| wired.file.host == file.host).collect();
        let mut pairs = Vec::new();
        let mut line = 0;
        for special in wired.iter().filter(|wired| wired.file.path == file.path) {
            let twin = install.wire(&special.found.event).and_then(|wire| wire.twin);
            let Some(twin) = twin else { continue };
            let general =
                wired.iter().any(|it| it.found.event == twin && it.found.matcher.is_none());
            if general {
                line = if pairs.is_empty() { special.found.line } else { line };
                pairs.push(format!("`{}` beside `{twin}`", special.found.event));
            }
        }
        if !pairs.is_empty() {
            out.push(
                CHECK
                    .found(format!("wired to the same calls: {}", pairs.join(", ")))
                    .in_file(file, line)
                    .means("each such call is judged twice, and costs two processes")
                    .fix(install_command(file.host, file.scope)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn the_usual_events_see_each_call_once() {
        for host in HostId::ALL {
            assert!(Scene::wired(host).found(&CHECK).is_empty(), "{host}");
        }
        let scene = Scene::wired(HostId::Cursor);
        scene.change(HostId::Cursor, Scope::User, "\"stop\"", "\"beforeShellExecution\"");
        let found = scene.found(&CHECK);
        assert!(
            found[0].message.ends_with("`beforeShellExecution` beside `preToolUse`"),
            "{found:?}"
        );
    }
}
