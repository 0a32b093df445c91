//! Finds problems that keep a hook from running without starting anything: file, entry, settings.

use serde_json::{Map, Value};
use tenter_hosts::install::{Install, Role, Shape};
use tenter_lint::Form;
use tenter_model::HostId;

use super::proof::Reason;
use crate::command::Ours;
use crate::edit::{self, FoundHook, Style};
use crate::survey::{Content, HookFile, HostState};
use crate::{Places, judged, void};

/// Mistakes that make the host drop the whole file.
pub(super) fn void(file: &HookFile, version: Option<&str>, places: &Places) -> Vec<Reason> {
    // Mistakes that remain without our entries are for their owner to fix.
    let style = Style::of(file.host, file.format);
    let is_ours = |found: &FoundHook| crate::command::ours(found).is_some();
    let rest = file.text().and_then(|text| edit::unwire(text, &style, &is_ours).ok());
    let content = rest.map(|rest| Content::Hooks { text: rest.text, hooks: Vec::new() });
    let others = content.map(|content| HookFile { content, ..file.clone() });
    let others = others.map(|file| void::findings(&file, version, places)).unwrap_or_default();
    void::findings(file, version, places)
        .into_iter()
        .map(|finding| {
            let place = format!("{}:{}", file.path.display(), finding.start.line);
            let text = format!("{place}: {}; {}", finding.message, finding.cost);
            let is_theirs = others.iter().any(|other| other.message == finding.message);
            Reason::red(
                text,
                match is_theirs || file.read_only {
                    true if finding.repair.is_some() => {
                        format!("tenter lint --fix {}", crate::command::word(&file.path))
                    }
                    true => format!("by hand: {}", finding.fix),
                    false => crate::command::install_again(file.host, file.scope),
                },
            )
        })
        .collect()
}

/// Lint rules whose findings make an entry dead or unreliable.
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

/// Minimum timeout of a gate in seconds: on a busy machine a hook may take long, and after the timeout most
/// hosts allow the call.
const SHORTEST: f64 = 10.0;

/// Problems of one of our entries.
pub(super) fn entry(
    file: &HookFile,
    found: &FoundHook,
    ours: Option<&Ours>,
    places: &Places,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let event = &found.event;
    let again = crate::command::install_again(file.host, file.scope);
    let alone = judged::file(file, &alone(file, found)).map(|it| it.written_in(Form::Json));
    for finding in judged::lint(alone.as_slice(), places) {
        if DEADLY.contains(&finding.rule.id) {
            let text = format!("{event}: {}; {}", finding.message, finding.cost);
            reasons.push(Reason::red(text, again.clone()));
        }
    }
    for key in ["async", "asyncRewake"] {
        let linted = reasons.iter().any(|reason| reason.text.contains("async"));
        if found.fields.get(key) == Some(&Value::Bool(true)) && is_gate(file.host, event) && !linted
        {
            let text = format!("{event}: a handler with `{key}` cannot stop anything");
            reasons.push(Reason::red(text, again.clone()));
        }
    }
    if let Some(only) = found.fields.get("if").and_then(Value::as_str) {
        let text = format!("{event}: runs for `{only}` only");
        reasons.push(Reason::red(text, again.clone()));
    }
    let given = tenter_hosts::host(file.host).install().seconds(&found.fields);
    if let Some(short) = given.filter(|it| *it > 0.0 && *it < SHORTEST && is_gate(file.host, event))
    {
        let text = format!("{event}: the host waits {short} s only, and then lets the call pass");
        reasons.push(Reason::red(text, again.clone()));
    }
    let kind = found.fields.get("type").filter(|kind| *kind != "command");
    if let Some(kind) = kind {
        let text = format!("{event}: a handler of type {kind} does not run our command");
        reasons.push(Reason::red(text, again.clone()));
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
                "calls that should ask pass"
            }
            _ => continue,
        };
        let text = format!("{event}: `{name} {}`: {open}", value.unwrap_or_default());
        reasons.push(Reason::red(text, again.clone()));
    }
    reasons
}

/// Events that are not installed although tool calls go through them, unless that was requested.
pub(super) fn gates(
    file: &HookFile,
    install: &Install,
    state: &HostState,
    entries: &[&FoundHook],
) -> Vec<Reason> {
    let wired = |event: &str| entries.iter().any(|found| found.event == event);
    let again = crate::command::install_again(file.host, file.scope);
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
        format!("`{event}` is not wired to tenter: tool calls are not checked"),
        again,
    )]
}

pub(super) fn is_gate(host: HostId, event: &str) -> bool {
    let wire = tenter_hosts::host(host).install().wire(event);
    wire.is_some_and(|wire| wire.role == Role::Gate)
}

/// A file with only this entry, in JSON, to lint the entry by itself.
fn alone(file: &HookFile, found: &FoundHook) -> String {
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

/// Whether tool calls are reported by this event.
pub(super) fn is_tool_event(host: HostId, event: &str) -> bool {
    let wire = tenter_hosts::host(host).install().wire(event);
    wire.is_some_and(|wire| wire.by_tool)
}
