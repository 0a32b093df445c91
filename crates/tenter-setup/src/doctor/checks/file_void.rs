//! `file-void`

use crate::void;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::Findings;
use crate::doctor::lints::{Linted, Whose};

check! {
    /// A mistake for which the host drops the whole file.
    ///
    /// An unknown event (Cursor, Claude Code before 2.1.101), a key beside `hooks` or a value of the wrong type
    /// (Codex), a comment (Codex and Claude Code) takes every other hook of the file with it. Claude Code also loads
    /// nothing of a file in which a setting has the wrong type, or any hook at `PreToolUse` or `PermissionRequest` is
    /// malformed, whoever's it is; only at a terminal does it say so. In `[hooks]` of Codex's `config.toml` a mistake
    /// costs the whole configuration: Codex does not start. These are rules of `tenter lint`, whose page explains
    /// them and whose `--fix` mends some.
    CHECK {
        id: "file-void",
        summary: "a mistake for which the host drops the whole file",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for linted in &exam.lints {
        let Linted { file, finding, whose } = linted;
        let rule = finding.rule.id;
        let voids = voids(exam, linted);
        // Mistakes that concern no particular hook are reported here too.
        let of_file = matches!(whose, Whose::File) && finding.severity >= Severity::Warning;
        if !voids && (!of_file || ELSEWHERE.contains(&rule)) {
            continue;
        }
        let mut said = CHECK
            .found(&finding.message)
            .severity(if voids { Severity::Error } else { Severity::Warning })
            .of(file.host, file.scope)
            .at_column(&file.path, finding.start.line, finding.start.column)
            .means(&finding.cost)
            .fix(if finding.repair.is_some() {
                format!("tenter lint --fix {}", crate::command::word(&file.path))
            } else if matches!(whose, Whose::Ours) {
                install_command(file.host, file.scope)
            } else {
                format!("by hand: {}", finding.fix)
            });
        if voids {
            said = said.kills(file.host, file.scope);
        }
        out.push(said);
    }
}

/// Rules about files that have a check of their own.
const ELSEWHERE: &[&str] = &["hooks-disabled", "file-unreadable", "json-syntax", "fires-twice"];

/// Whether the host drops the whole file for it.
fn voids(exam: &Exam<'_>, linted: &Linted<'_>) -> bool {
    let host = linted.file.host;
    void::voids(host, exam.version(host), &linted.finding)
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use crate::doctor::{Finding, Severity};
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    fn with_unknown_event(host: HostId, version: &str) -> Vec<Finding> {
        let mut scene = Scene::wired(host);
        scene.version(host, version);
        assert!(scene.found(&CHECK).is_empty(), "{host}: fine before");
        scene.change(host, Scope::User, "\"hooks\": {\n", "\"hooks\": {\n\"beforeTeaTime\": [],\n");
        scene.found(&CHECK)
    }

    #[test]
    fn an_unknown_event_costs_what_it_costs_on_that_host_and_version() {
        let cursor = with_unknown_event(HostId::Cursor, "3.21.16");
        assert_eq!(cursor[0].kills, [(HostId::Cursor, Scope::User)]);
        assert_eq!(cursor[0].place.as_ref().unwrap().line, 2);
        let old = with_unknown_event(HostId::Claude, "2.1.90");
        assert_eq!(old[0].kills, [(HostId::Claude, Scope::User)]);
        for (host, version) in [(HostId::Claude, "2.1.325"), (HostId::Codex, "0.166.0")] {
            let found = with_unknown_event(host, version);
            assert!(found[0].kills.is_empty(), "{host} passes over it");
            assert_eq!(found[0].severity, Severity::Warning, "its own hooks never run");
        }
    }

    #[test]
    fn a_type_that_codex_does_not_know_costs_the_file_and_one_that_it_does_not() {
        for (kind, kills) in [("comand", 1), ("http", 1), ("prompt", 0)] {
            let scene = Scene::wired(HostId::Codex);
            let other = format!("\"Stop\": [{{\"hooks\": [{{\"type\": \"{kind}\"}}]}}, ");
            scene.change(HostId::Codex, Scope::User, "\"Stop\": [", &other);
            let found = scene.found(&CHECK);
            let killed: Vec<_> = found.iter().flat_map(|found| &found.kills).collect();
            assert_eq!(killed.len(), kills, "{kind}: {found:?}");
        }
        // An empty command is ignored, and the rest is read.
        let scene = Scene::wired(HostId::Codex);
        let other = "\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \" \"}]}, ";
        scene.change(HostId::Codex, Scope::User, "\"Stop\": [", other);
        assert!(scene.found(&CHECK).is_empty());
    }

    #[test]
    fn claude_loads_nothing_of_a_file_with_one_of_these_mistakes() {
        let put = |from: &str, to: &str| {
            let scene = Scene::wired(HostId::Claude);
            scene.change(HostId::Claude, Scope::User, from, to);
            scene.found(&CHECK)
        };
        for (from, to) in [
            ("{\"hooks\"", "{ // mine\n\"hooks\""),
            ("{\"hooks\"", "{\"permissions\": {\"allow\": \"Bash\"}, \"hooks\""),
            ("\"PreToolUse\": [", "\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\"}]}, "),
            ("\"PreToolUse\": [", "\"PreToolUse\": [{\"matcher\": 5, \"hooks\": []}, "),
        ] {
            let found = put(from, to);
            let killed: Vec<_> = found.iter().flat_map(|found| found.kills.clone()).collect();
            assert_eq!(killed, [(HostId::Claude, Scope::User)], "{to}: {found:?}");
        }
        // At other events Codex skips what it cannot read.
        let found = put("\"Stop\": [", "\"Stop\": [{\"hooks\": [{\"type\": \"command\"}]}, ");
        assert!(found.iter().all(|found| found.kills.is_empty()), "{found:?}");
    }

    #[test]
    fn a_mistake_in_the_configuration_of_codex_has_its_place() {
        let scene = Scene::wired(HostId::Codex);
        let text = "model = \"x\" # mine\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\n\
                    type = \"command\"\ncommand = \"true\"\ntimeout = \"5\"\n\n\
                    [[hooks.BeforeTeaTime]]\nhooks = []\n";
        scene.write("home/.codex/config.toml", text);
        let found = scene.found(&CHECK);
        let place = |found: &Finding| {
            let place = found.place.as_ref().unwrap();
            (place.line, place.column, found.kills.len())
        };
        assert_eq!(found.iter().map(place).collect::<Vec<_>>(), [(7, 11, 1), (9, 9, 0)]);
        assert!(found[0].meaning.contains("does not start"), "{}", found[0].meaning);
        assert!(found[0].repair.is_none() && !found[0].fix.contains("--fix"), "{}", found[0].fix);
    }

    #[test]
    fn codex_takes_no_key_beside_hooks() {
        let scene = Scene::wired(HostId::Codex);
        scene.change(HostId::Codex, Scope::User, "{\"hooks\"", "{\"version\": 1, \"hooks\"");
        let found = scene.found(&CHECK);
        assert_eq!(found[0].kills, [(HostId::Codex, Scope::User)]);
        assert!(found[0].fix.contains("tenter lint --fix"), "{}", found[0].fix);
    }
}
