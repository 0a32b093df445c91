//! What keeps a hook from running before anything is run: the file, the entry, a switch.

use serde_json::{Map, Value};
use tenter_hosts::install::{Install, Role, Shape};
use tenter_lint::Form;
use tenter_model::HostId;

use super::proof::Reason;
use crate::command::Ours;
use crate::edit::Found;
use crate::survey::{HookFile, HostState};
use crate::{Places, judged, void};

/// Mistakes in a file for which its host drops all of it.
pub(super) fn void(file: &HookFile, version: Option<&str>, places: &Places) -> Vec<Reason> {
    void::findings(file, version, places)
        .into_iter()
        .map(|finding| {
            let place = format!("{}:{}", file.path.display(), finding.start.line);
            let text = format!("{place}: {}; {}", finding.message, finding.cost);
            Reason::red(text, finding.fix)
        })
        .collect()
}

/// Rules of the linter for which a single entry is dead, or not ours to rely on.
const DEADLY: &[&str] = &[
    "async-cannot-block",
    "if-never-runs",
    "matcher-invalid",
    "matcher-never-matches",
    "missing-command",
    "timeout-in-milliseconds",
    "timeout-unusable",
    "type-missing",
    "type-not-supported",
    "wrong-type",
];

/// What is wrong with one entry of ours.
pub(super) fn entry(
    file: &HookFile,
    found: &Found,
    ours: Option<&Ours>,
    places: &Places,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let event = &found.event;
    let again = format!("tenter install --hosts {} --scope {}", file.host, file.scope);
    let alone = judged::file(file, &alone(file, found)).map(|it| it.written_in(Form::Json));
    for finding in judged::lint(alone.as_slice(), places) {
        if DEADLY.contains(&finding.rule.id) {
            let text = format!("{event}: {}; {}", finding.message, finding.cost);
            reasons.push(Reason::red(text, finding.fix));
        }
    }
    for key in ["async", "asyncRewake"] {
        let linted = reasons.iter().any(|reason| reason.text.contains("async"));
        if found.fields.get(key) == Some(&Value::Bool(true)) && is_gate(file.host, event) && !linted
        {
            let text = format!("{event}: a handler with `{key}` cannot stop anything");
            reasons.push(Reason::red(text, format!("take `{key}` out of it")));
        }
    }
    if let Some(only) = found.fields.get("if").and_then(Value::as_str) {
        let text = format!("{event}: runs for `{only}` only");
        reasons.push(Reason::amber(text, "take `if` out of it"));
    }
    let Some(ours) = ours else { return reasons };
    if ours.host != file.host {
        let text = format!("{event}: it is wired as {}, in a file of {}", ours.host, file.host);
        reasons.push(Reason::red(text, again.clone()));
    }
    let mut options = ours.options.iter();
    while let Some(option) = options.next() {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option.as_str(), options.as_slice().first().map(String::as_str)),
        };
        let open = match (name, value) {
            ("--on-failure", Some("open")) => "a failure of the hook lets the call pass",
            ("--cursor-ask" | "--claude-ask" | "--codex-ask", Some("allow")) => {
                "what should be asked passes"
            }
            _ => continue,
        };
        let text = format!("{event}: `{name} {}`: {open}", value.unwrap_or_default());
        reasons.push(Reason::red(text, again.clone()));
    }
    reasons
}

/// What is not wired although calls go that way, where nobody can have meant it.
pub(super) fn gates(
    file: &HookFile,
    install: &Install,
    state: &HostState,
    entries: &[&Found],
) -> Vec<Reason> {
    let wired = |event: &str| entries.iter().any(|found| found.event == event);
    let again = format!("tenter install --hosts {} --scope {}", file.host, file.scope);
    let version = state.here.version.as_deref();
    let is_tool_gate = |wire: &&tenter_hosts::install::Wire| {
        wire.role == Role::Gate && (wire.by_tool || wire.twin.is_some())
    };
    let mut all = install.wires.iter().chain(install.others).filter(is_tool_gate);
    if all.any(|wire| wired(wire.event)) {
        return Vec::new();
    }
    let main =
        install.wires.iter().filter(is_tool_gate).find(|wire| (install.knows)(wire, version));
    let event = main.map_or("no event of tools", |wire| wire.event);
    vec![Reason::red(
        format!("`{event}` is not wired to tenter: calls of tools pass unseen"),
        again,
    )]
}

pub(super) fn is_gate(host: HostId, event: &str) -> bool {
    let wire = tenter_hosts::host(host).install().wire(event);
    wire.is_some_and(|wire| wire.role == Role::Gate)
}

/// A file with nothing but this entry in it, in JSON, for a judgement of the entry alone.
fn alone(file: &HookFile, found: &Found) -> String {
    let install = tenter_hosts::host(file.host).install();
    let mut handler = found.fields.as_object().cloned().unwrap_or_default();
    let matcher = found.matcher.as_ref().map(|text| Value::from(text.as_str()));
    let entry = match install.shape {
        Shape::Entries => {
            handler.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher)));
            handler
        }
        Shape::Groups => {
            let mut group = Map::new();
            group.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher)));
            group.insert("hooks".to_owned(), Value::Array(vec![Value::Object(handler)]));
            group
        }
    };
    let mut events = Map::new();
    events.insert(found.event.clone(), Value::Array(vec![Value::Object(entry)]));
    let mut top = Map::new();
    for (key, json) in install.required {
        top.insert((*key).to_owned(), serde_json::from_str(json).unwrap_or_default());
    }
    top.insert("hooks".to_owned(), Value::Object(events));
    Value::Object(top).to_string()
}

/// Whether calls of tools come through this event, one by one or all.
pub(super) fn is_tool_event(host: HostId, event: &str) -> bool {
    let wire = tenter_hosts::host(host).install().wire(event);
    wire.is_some_and(|wire| wire.by_tool)
}
