//! `unknown-event`

use tenter_model::HostId;

use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::{Event, FileModel, name_at};
use crate::names::{Meant, meant, plain};
use crate::rule::{Check, rule};
use crate::vocabulary::{event_names, is_event, of, translated};

rule! {
    /// An event that the host does not have.
    ///
    /// Names are exact: Cursor's are camelCase, Claude Code's and Codex's PascalCase, and each host
    /// has events that the others lack.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "PreToolUse": [{ "command": "./guard.sh" }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "preToolUse": [{ "command": "./guard.sh" }] } }
    /// ```
    RULE {
        id: "unknown-event",
        summary: "the host has no event of this name",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for event in model.events.iter().filter(|event| !event.known) {
        let meant = meaning(model.host(), event.name);
        let host = model.host().title();
        let guess = meant.map(|meant| format!("; did you mean `{}`?", meant.name));
        let message = format!("{host} has no event `{}`{}", event.name, guess.unwrap_or_default());
        let draft = out.add(&RULE, name_at(event.property), message);
        let Some(meant) = meant else {
            draft.fix(advice(model.host(), event.name));
            continue;
        };
        let taken = model.events.iter().any(|other| other.name == meant.name);
        if taken {
            draft.fix(format!("move its hooks to `{}`, which is there already", meant.name));
        } else {
            draft.fix(format!("rename it to `{}`", meant.name));
            if meant.certain && is_only_claim(model, event, meant.name) {
                let name = format!("\"{}\"", meant.name);
                draft.edits(vec![Edit::new(name_at(event.property), name)]);
            }
        }
    }
}

fn meaning(host: HostId, name: &str) -> Option<Meant<'static>> {
    if let Some(name) = translated(host, name) {
        return Some(Meant { name, certain: true });
    }
    if let Some(name) = event_names(host).find(|known| plain(known) == plain(name)) {
        return Some(Meant { name, certain: true });
    }
    // The name of another host's event was intended as such, not as the most similar name here.
    if HostId::ALL.into_iter().any(|other| is_event(other, name)) {
        return None;
    }
    meant(name, event_names(host))
}

/// Two misspellings of one event cannot both be renamed to it.
fn is_only_claim(model: &FileModel<'_>, event: &Event<'_>, name: &str) -> bool {
    let others = model.events.iter().filter(|other| !other.known && other.name != event.name);
    !others
        .into_iter()
        .any(|other| meaning(model.host(), other.name).is_some_and(|meant| meant.name == name))
}

/// Nearest equivalent on this host of another host's event.
fn advice(host: HostId, name: &str) -> String {
    let near = of(host).events_elsewhere.iter().find(|(other, _)| *other == name);
    match near {
        Some((_, near)) => format!("use {near}"),
        None => "remove it; `tenter matrix` lists the events of each host".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_ids, findings};
    use crate::{File, Layer, Options, fix};

    fn file(host: HostId, names: &[&str]) -> String {
        let events: Vec<String> = names.iter().map(|name| format!("\n\"{name}\": []")).collect();
        let version = if host == HostId::Cursor { "\"version\": 1, " } else { "" };
        format!("{{{version}\"hooks\": {{{}}}}}", events.join(","))
    }

    fn told(host: HostId, name: &str) -> (String, String) {
        let found = &findings(host, &file(host, &[name]))[0];
        (found.message.clone(), found.fix.clone())
    }

    #[test]
    fn names_are_exact() {
        assert_ids(HostId::Cursor, &file(HostId::Cursor, &["PreToolUse"]), &["unknown-event 2:1"]);
        assert_ids(HostId::Claude, &file(HostId::Claude, &["preToolUse"]), &["unknown-event 2:1"]);
        assert_ids(HostId::Codex, &file(HostId::Codex, &["Notification"]), &["unknown-event 2:1"]);
        assert_ids(HostId::Cursor, &file(HostId::Cursor, &["preToolUse", "workspaceOpen"]), &[]);
    }

    #[test]
    fn the_meaning_is_guessed_and_the_cost_is_the_hosts() {
        let (message, fix) = told(HostId::Cursor, "UserPromptSubmit");
        assert_eq!(
            message,
            "Cursor has no event `UserPromptSubmit`; did you mean `beforeSubmitPrompt`?"
        );
        assert_eq!(fix, "rename it to `beforeSubmitPrompt`");
        assert!(told(HostId::Claude, "beforeShellExecution").1.contains("matcher `Bash`"));
        assert!(told(HostId::Cursor, "onSave").1.contains("tenter matrix"));
        let found = findings(HostId::Cursor, &file(HostId::Cursor, &["stopp"]));
        assert!(found[0].cost.contains("discards the whole file"));
    }

    #[test]
    fn certain_names_are_mended_unless_taken() {
        let fixed = |names: &[&str]| {
            let text = file(HostId::Cursor, names);
            let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, &text);
            let fixed = fix(&[file], &Options::default()).files[0].text.clone();
            (fixed == text, fixed)
        };
        assert_eq!(fixed(&["beforeShellExec"]).1, file(HostId::Cursor, &["beforeShellExecution"]));
        assert_eq!(
            fixed(&["Stop", "BeforeReadFile"]).1,
            file(HostId::Cursor, &["stop", "beforeReadFile"])
        );
        assert!(fixed(&["Stop", "stop"]).0, "taken");
        assert!(fixed(&["Stop", "STOP"]).0, "claimed twice");
        assert!(fixed(&["afterEdit"]).0, "not certain");
    }
}
