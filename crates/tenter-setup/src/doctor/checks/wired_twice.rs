//! `wired-twice`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, Wired};
use crate::doctor::finding::Findings;

check! {
    /// The same event of a host is wired twice.
    ///
    /// Each call costs two processes. The second copy of a call gets the answer of the first, so nothing is
    /// counted twice. Within one scope one of the two is a leftover: `tenter uninstall` takes both out. Claude
    /// Code runs a handler that stands in several of its files once.
    CHECK {
        id: "wired-twice",
        summary: "the same event of a host is wired twice",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let mut said: Vec<(&std::path::Path, &std::path::Path)> = Vec::new();
    for (at, later) in exam.wired.iter().enumerate() {
        let earlier = exam.wired.iter().take(at).find(|earlier| both_run(earlier, later));
        let Some(earlier) = earlier else { continue };
        let pair = (earlier.file.path.as_path(), later.file.path.as_path());
        if said.contains(&pair) {
            continue;
        }
        said.push(pair);
        let file = later.file;
        let event = &later.found.event;
        let message = if pair.0 == pair.1 {
            format!("`{event}` is wired on line {} already", earlier.found.line)
        } else {
            format!("`{event}` is wired in {} already", pair.0.display())
        };
        let same_scope = earlier.file.scope == file.scope;
        let host = file.host;
        out.push(
            CHECK
                .found(message)
                .severity(if same_scope { Severity::Warning } else { Severity::Note })
                .in_file(file, later.found.line)
                .means("every call starts us twice; the second copy gets the first one's answer")
                .fix(if same_scope {
                    let again = format!("--hosts {host} --scope {}", file.scope);
                    format!("tenter uninstall {again} && tenter install {again}")
                } else {
                    format!("to keep one: tenter uninstall --hosts {host} --scope {}", file.scope)
                }),
        );
    }
}

fn both_run(earlier: &Wired<'_>, later: &Wired<'_>) -> bool {
    let same = earlier.file.host == later.file.host
        && earlier.found.event == later.found.event
        && earlier.found.matcher == later.found.matcher;
    let once = tenter_hosts::host(later.file.host).install().runs_equals_once
        && earlier.file.path != later.file.path
        && earlier.found.fields == later.found.fields;
    same && !once
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn two_scopes_are_worth_a_note() {
        let scene = Scene::wired(HostId::Cursor);
        assert!(scene.found(&CHECK).is_empty());
        scene.wire(HostId::Cursor, Scope::Project, "bin/tenter");
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1, "one word for all events: {found:?}");
        assert_eq!(found[0].severity, Severity::Note);
        let claude = Scene::wired(HostId::Claude);
        claude.wire(HostId::Claude, Scope::Project, "bin/tenter");
        assert!(claude.found(&CHECK).is_empty(), "Claude Code runs it once");
    }

    #[test]
    fn one_list_with_us_twice_is_a_leftover() {
        let scene = Scene::wired(HostId::Cursor);
        let again = format!("\"stop\": [{{\"command\": \"{}\"}}, ", "/old/tenter hook cursor");
        scene.change(HostId::Cursor, Scope::User, "\"stop\": [", &again);
        let found = scene.found(&CHECK);
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].message.starts_with("`stop` is wired on line"), "{found:?}");
    }

    #[test]
    fn two_matchers_are_two_hooks() {
        let scene = Scene::wired(HostId::Cursor);
        let again =
            "\"preToolUse\": [{\"command\": \"/old/tenter hook cursor\", \"matcher\": \"Read\"}, ";
        scene.change(HostId::Cursor, Scope::User, "\"preToolUse\": [", again);
        assert!(scene.found(&CHECK).is_empty());
    }
}
