//! `fires-twice`

use std::collections::{BTreeMap, BTreeSet};

use tenter_model::HostId;

use crate::finding::Findings;
use crate::matcher::meaning;
use crate::model::{FileModel, Handler, at};
use crate::rule::{Check, rule};
use crate::vocabulary::{event_names, named_on};
use crate::{Layer, Severity};

rule! {
    /// One script that Cursor runs twice for one thing.
    ///
    /// Cursor runs the matching hooks of every layer, and by default also those in Claude Code's
    /// settings. Beside that, its general and its special events fire both for one call:
    /// `preToolUse` and then `beforeShellExecution`. The script answers twice, and logs and counts
    /// twice.
    ///
    /// Bad:
    /// ```text
    /// .cursor/hooks.json      "preToolUse": [{ "command": "./guard.sh" }]
    /// .claude/settings.json   "PreToolUse": [{ "hooks": [{ "type": "command", "command": "./guard.sh" }] }]
    /// ```
    /// Good:
    /// ```text
    /// .claude/settings.json   "PreToolUse": [{ "hooks": [{ "type": "command", "command": "./guard.sh" }] }]
    /// ```
    RULE {
        id: "fires-twice",
        summary: "Cursor runs one script twice for one thing",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::Set(check),
    }
}

/// A command on this many events is a recorder that distinguishes them itself.
const RECORDER: usize = 8;

type ByEvent<'m> = BTreeMap<(&'m str, &'m str), Vec<&'m Handler<'m>>>;

fn check(models: &[FileModel<'_>], index: usize, out: &mut Findings<'_>) {
    let Some(model) = models.get(index) else { return };
    check_read_too(models, model, out);
    let earlier = models.get(..index).unwrap_or_default();
    check_layers(earlier, model, out);
    check_repeats(model, out);
    check_special(model, out);
}

/// The handlers of a file by `reader`'s name of their event, and by the command's identity.
fn by_event<'m>(model: &'m FileModel<'m>, reader: HostId) -> ByEvent<'m> {
    let mut found = ByEvent::new();
    for handler in &model.handlers {
        let own = || event_names(reader).find(|name| *name == handler.event);
        let event = if model.host() == reader {
            own()
        } else {
            named_on(reader, model.host(), handler.event)
        };
        if let (Some(event), true) = (event, handler.command().is_some()) {
            found.entry((event, &handler.launch.identity)).or_default().push(handler);
        }
    }
    found
}

/// Checks against files of other hosts that this one runs too.
fn check_read_too(models: &[FileModel<'_>], model: &FileModel<'_>, out: &mut Findings<'_>) {
    let is_read = |other: &&FileModel<'_>| {
        model.install().also_reads.contains(&other.host())
            && matches!(other.file.layer, Layer::Project | Layer::Local | Layer::User)
    };
    for other in models.iter().filter(is_read).filter(|other| meet(model, other)) {
        report(model, other, out);
    }
}

/// Checks against other layers of the same host.
fn check_layers(earlier: &[FileModel<'_>], model: &FileModel<'_>, out: &mut Findings<'_>) {
    let native = |other: &&FileModel<'_>| other.host() == model.host();
    for other in earlier.iter().filter(native).filter(|other| meet(model, other)) {
        if other.file.path != model.file.path && other.file.layer != model.file.layer {
            report(model, other, out);
        }
    }
}

/// False for files of two different projects, which are never active together.
fn meet(one: &FileModel<'_>, other: &FileModel<'_>) -> bool {
    let of_project = |model: &FileModel<'_>| {
        matches!(model.file.layer, Layer::Project | Layer::Local)
            .then(|| model.file.root().map(std::path::Path::to_owned))
            .flatten()
    };
    match (of_project(one), of_project(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

fn report(model: &FileModel<'_>, other: &FileModel<'_>, out: &mut Findings<'_>) {
    let others = by_event(other, model.host());
    for handler in &model.handlers {
        let Some(command) = handler.command() else { continue };
        let twins = others.get(&(handler.event, handler.launch.identity.as_str()));
        let twin =
            twins.into_iter().flatten().find(|twin| overlap(model, handler, twin, other.host()));
        let Some(twin) = twin else { continue };
        let file = other.file.path.display();
        let host = model.host().title();
        let message = format!("`{}` in {file} starts the same, and {host} runs both", twin.event);
        let draft = out.add(&RULE, at(command), message);
        if other.host() == model.host() {
            draft.fix("keep one of them");
        } else {
            draft.fix(format!("keep one of them, or switch {host}'s third-party imports off"));
        }
    }
}

/// Whether one call can pass both matchers.
fn overlap(
    model: &FileModel<'_>,
    own: &Handler<'_>,
    twin: &Handler<'_>,
    twin_host: HostId,
) -> bool {
    if own.matcher() == twin.matcher() {
        return true;
    }
    let own_meaning = meaning(model.host(), own.event, own.matcher());
    let twin_meaning = meaning(twin_host, twin.event, twin.matcher());
    let tools = model.lint().twice.map_or(&[][..], |twice| twice.tools);
    tools.iter().any(|names| {
        let own_name = names.first().copied().unwrap_or_default();
        own_meaning.admits(own_name) && names.iter().any(|name| twin_meaning.admits(name))
    })
}

/// The same entry twice in one list.
fn check_repeats(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let mut seen = BTreeSet::new();
    for handler in &model.handlers {
        let Some(command) = handler.command() else { continue };
        let key = (handler.event, command.value.trim(), handler.matcher());
        if !seen.insert(key) {
            let message = format!("`{}` has this very command already", handler.event);
            out.add(&RULE, at(command), message).fix("remove one of them");
        }
    }
}

fn check_special(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let mut events: BTreeMap<&str, usize> = BTreeMap::new();
    for handler in model.handlers.iter().filter(|handler| handler.command().is_some()) {
        *events.entry(handler.launch.identity.as_str()).or_default() += 1;
    }
    let Some(twice) = model.lint().twice else { return };
    let by_event = by_event(model, model.host());
    for handler in &model.handlers {
        let Some((_, tool)) = twice.special.iter().find(|(event, _)| *event == handler.event)
        else {
            continue;
        };
        let identity = handler.launch.identity.as_str();
        let general = by_event.get(&(twice.general, identity)).into_iter().flatten();
        let meets = |general: &&&Handler<'_>| {
            meaning(model.host(), twice.general, general.matcher()).admits(tool)
        };
        let recorder = events.get(identity).is_some_and(|count| *count > RECORDER);
        let Some(command) = handler.command().filter(|_| !recorder) else { continue };
        if general.into_iter().find(meets).is_some() {
            let general = twice.general;
            let message =
                format!("`{general}` starts the same, and fires before `{}`", handler.event);
            out.add(&RULE, at(command), message).severity(Severity::Note).fix(format!(
                "keep it on one of the two, or give `{general}` a matcher without this tool"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Machine, assert_ids, cursor, findings};
    use tenter_model::HostId;

    const SCRIPT: (&str, &str) = ("w/x.sh*", "#!/bin/sh\n");

    fn claude(event: &str, matcher: &str, command: &str) -> String {
        format!(
            "{{\"hooks\": {{\"{event}\": [{{\"matcher\": \"{matcher}\", \"hooks\": [{{\"type\": \"command\", \
             \"command\": \"{command}\"}}]}}]}}}}"
        )
    }

    fn places(cursor: &str, claude: &str) -> Vec<String> {
        let machine = Machine::new(&[SCRIPT]);
        let files = [("w/.cursor/hooks.json", cursor), ("w/.claude/settings.json", claude)];
        machine.places("fires-twice", &files)
    }

    #[test]
    fn cursor_runs_claudes_hooks_too() {
        let own = cursor("preToolUse", r#"{"command": "./x.sh"}"#);
        let command = "\\\"$CLAUDE_PROJECT_DIR\\\"/x.sh --quiet";
        assert_eq!(places(&own, &claude("PreToolUse", "Bash", command)), ["2:28"]);
        assert!(places(&own, &claude("Notification", "", command)).is_empty(), "never in Cursor");
        assert!(places(&own, &claude("PostToolUse", "", command)).is_empty(), "another event");
        assert!(places(&own, &claude("PreToolUse", "", "ls")).is_empty(), "another command");
    }

    #[test]
    fn matchers_that_never_meet_are_fine() {
        let own = cursor("preToolUse", r#"{"command": "./x.sh", "matcher": "Write"}"#);
        assert!(places(&own, &claude("PreToolUse", "Bash", "./x.sh")).is_empty());
        assert_eq!(places(&own, &claude("PreToolUse", "Edit", "./x.sh")), ["2:28"]);
    }

    #[test]
    fn all_layers_of_cursor_run() {
        let machine = Machine::new(&[]);
        let tenter = cursor("stop", r#"{"command": "sh -c 'exit 0'"}"#);
        let files =
            [("w/.cursor/hooks.json", tenter.as_str()), ("home/.cursor/hooks.json", &tenter)];
        let found = machine.lint(&files);
        assert_eq!(found.len(), 1);
        assert!(found[0].file.ends_with("home/.cursor/hooks.json"));
        let apart = [("w/.cursor/hooks.json", tenter.as_str()), ("v/.cursor/hooks.json", &tenter)];
        assert!(machine.lint(&apart).is_empty(), "two projects");
    }

    #[test]
    fn one_list_with_one_command_twice() {
        let twice = cursor("stop", r#"{"command": "ls"}, {"command": "ls"}"#);
        assert_ids(HostId::Cursor, &twice, &["fires-twice 2:41"]);
        let apart = cursor("stop", r#"{"command": "ls -a"}, {"command": "ls -b"}"#);
        assert_ids(HostId::Cursor, &apart, &[]);
    }

    #[test]
    fn general_and_special_events_both_fire() {
        let both = |matcher: &str| {
            format!(
                "{{\"version\": 1, \"hooks\": {{\"preToolUse\": [{{\"command\": \"ls\", \"matcher\": \
                 \"{matcher}\"}}],\n\"beforeShellExecution\": [{{\"command\": \"ls\"}}]}}}}"
            )
        };
        assert_ids(HostId::Cursor, &both(""), &["fires-twice 2:38"]);
        assert_ids(HostId::Cursor, &both("Shell"), &["fires-twice 2:38"]);
        assert_ids(HostId::Cursor, &both("Write"), &[]);
    }

    #[test]
    fn a_recorder_on_every_event_is_meant_so() {
        let events = [
            "preToolUse",
            "beforeShellExecution",
            "postToolUse",
            "stop",
            "sessionStart",
            "sessionEnd",
            "beforeReadFile",
            "afterFileEdit",
            "preCompact",
        ];
        let list: Vec<String> =
            events.iter().map(|name| format!("\"{name}\": [{{\"command\": \"ls\"}}]")).collect();
        let text = format!("{{\"version\": 1, \"hooks\": {{{}}}}}", list.join(", "));
        assert!(findings(HostId::Cursor, &text).is_empty());
    }
}
