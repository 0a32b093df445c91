//! `other-entry`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Findings, Repair};
use crate::doctor::lints::{Linted, Whose};

check! {
    /// A hook of another tool that cannot run.
    ///
    /// Its script, program or interpreter is not there, or the entry is one that the host cannot use. It
    /// fails at every call, and where it is told to fail closed, or a Python script is missing, it blocks
    /// every call. An entry whose program is gone is what an uninstalled tool has left: `--fix --yes` takes it
    /// out, when a human at a terminal says so.
    CHECK {
        id: "other-entry",
        summary: "a hook of another tool cannot run",
        severity: Severity::Warning,
        fixable: true,
        look,
    }
}

/// Rules whose findings mean that a hook does not run.
const DEAD: &[&str] = &[
    "script-missing",
    "program-missing",
    "script-not-executable",
    "interpreter-missing",
    "wrong-directory",
    "type-missing",
    "type-not-supported",
    "missing-command",
    "wrong-type",
    "matcher-never-matches",
    "matcher-invalid",
    "if-never-runs",
    "claude-group-in-cursor-file",
    "flat-entry-in-claude-file",
];

/// Rules whose findings mean that the tool was removed.
const GONE: &[&str] = &["script-missing", "program-missing"];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for Linted { file, finding, whose } in &exam.lints {
        let Whose::Others(found) = whose else { continue };
        if !DEAD.contains(&finding.rule.id) {
            continue;
        }
        let mut said = CHECK
            .found(format!("`{}`: {}", found.event, finding.message))
            .of(file.host, file.scope)
            .at_column(&file.path, finding.start.line, finding.start.column)
            .means(&finding.cost)
            .fix(match tenter_hosts::host(file.host).install().approved_by {
                // Codex approves a hook by its position in the list.
                Some(_) => {
                    let title = file.host.title();
                    format!("{}; {title} wants what stands behind it approved again", finding.fix)
                }
                None => finding.fix.clone(),
            });
        let command = found.command().filter(|_| GONE.contains(&finding.rule.id));
        if let Some(command) = command.filter(|_| !file.read_only) {
            said = said.repair(Repair::RemoveEntry {
                file: file.path.clone(),
                event: found.event.clone(),
                group: found.group,
                handler: found.handler,
                command: command.to_owned(),
            });
        }
        out.push(said);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    fn with_other(command: &str) -> Scene {
        let scene = Scene::wired(HostId::Cursor);
        scene.write("home/.cursor/there.sh*", "#!/bin/sh\n");
        scene.write("home/.cursor/odd.sh*", "#!/no/such/shell\n");
        let entry = format!("\"stop\": [{{\"command\": \"{command}\"}}, ");
        scene.change(HostId::Cursor, Scope::User, "\"stop\": [", &entry);
        scene
    }

    #[test]
    fn only_what_cannot_run_is_said_and_our_own_is_not() {
        assert!(with_other("./there.sh").found(&CHECK).is_empty());
        for (command, removable) in
            [("./gone.sh", true), ("/opt/gone/notify --now", true), ("./odd.sh", false)]
        {
            let found = with_other(command).found(&CHECK);
            assert_eq!(found.len(), 1, "{command}: {found:?}");
            assert_eq!(found[0].repair.is_some(), removable, "{command}");
            assert!(found[0].kills.is_empty(), "our guard still runs");
        }
        let scene = Scene::new();
        scene.wire(HostId::Cursor, Scope::User, "gone/tenter");
        assert!(scene.found(&CHECK).is_empty());
    }

    #[test]
    fn a_value_of_the_wrong_type_is_said() {
        let scene = Scene::wired(HostId::Claude);
        let entry = "\"Stop\": [{\"matcher\": 5, \"hooks\": [{\"type\": \"command\", \"command\": \"/bin/sh\"}]}, ";
        scene.change(HostId::Claude, Scope::User, "\"Stop\": [", entry);
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains("`matcher` must be a string"), "{}", found[0].message);
    }

    #[test]
    fn an_orphan_goes_only_when_somebody_says_so() {
        let scene = with_other("./gone.sh");
        let path = scene.file(HostId::Cursor, Scope::User);
        let before = std::fs::read_to_string(&path).unwrap();
        assert!(scene.mended().is_empty());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
        let mended = scene.mended_with_consent();
        assert!(mended.iter().all(|mended| mended.result.is_ok()), "{mended:?}");
        assert!(scene.found(&CHECK).is_empty());
        let after = std::fs::read_to_string(&path).unwrap();
        let ours = "{\"command\": \"./gone.sh\"}, ";
        assert_eq!(after, before.replace(ours, ""), "nothing else has changed");
    }
}
