//! `entry-old`

use tenter_hosts::install::EntryOptions;

use crate::command;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, Wired, install_command};
use crate::doctor::finding::Findings;

check! {
    /// An entry of ours is not as this version would write it.
    ///
    /// It was written by an older version, or changed by hand. It works; `tenter install` brings it up to
    /// date. On Codex the new entry must be approved again.
    CHECK {
        id: "entry-old",
        summary: "an entry of ours that this version would write otherwise",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files() {
        let ours = exam.wired.iter().filter(|wired| wired.file.path == file.path);
        let old: Vec<&Wired<'_>> = ours.filter(|wired| !is_current(exam, wired)).collect();
        let Some(first) = old.first() else { continue };
        let events: Vec<&str> = old.iter().map(|wired| wired.found.event.as_str()).collect();
        out.push(
            CHECK
                .found(format!("would be written otherwise now: {}", events.join(", ")))
                .in_file(file, first.found.line)
                .means("an older version wrote it, or somebody changed it")
                .fix(install_command(file.host, file.scope)),
        );
    }
}

/// Whether an entry has the keys that would be written for its program and options.
fn is_current(exam: &Exam<'_>, wired: &Wired<'_>) -> bool {
    let install = tenter_hosts::host(wired.file.host).install();
    let Some(wire) = install.wire(&wired.found.event) else { return true };
    let version = exam.survey.host(wired.file.host).and_then(|it| it.here.version.as_deref());
    let ours = &wired.ours;
    let line = command::line(&ours.program, ours.host, &ours.options, exam.places.system);
    let same = |fail_closed| {
        let keys = (install.handler)(&EntryOptions { wire, command: &line, version, fail_closed });
        let fields = &wired.found.fields;
        let count = fields.as_object().map_or(0, serde_json::Map::len);
        keys.len() == count && keys.iter().all(|(key, value)| fields.get(key) == Some(value))
    };
    same(false) || same(true)
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn what_install_writes_is_current() {
        for host in HostId::ALL {
            assert!(Scene::wired(host).found(&CHECK).is_empty(), "{host}");
        }
    }

    #[test]
    fn another_timeout_is_not_and_is_said_once() {
        let scene = Scene::wired(HostId::Cursor);
        for _ in 0..2 {
            scene.change(HostId::Cursor, Scope::User, "\"timeout\": 30", "\"timeout\": 10");
        }
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1);
        assert!(found[0].message.ends_with("preToolUse, beforeMCPExecution"), "{found:?}");
    }
}
