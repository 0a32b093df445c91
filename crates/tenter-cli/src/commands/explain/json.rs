//! The analysis as JSON, and its schema.

use serde_json::{Map, Value, json};
use tenter_policy::Policy;
use tenter_policy::scene::Scene;
use tenter_shell::{Effect, Field, Kind, Ran, Source, Span};

use crate::guard::Inquired;

use super::super::verdict::{self, OnHost, word};

pub(super) fn report(
    scene: &Scene<'_>,
    inquired: &Inquired,
    policy: &Policy,
    hosts: &[OnHost],
) -> Value {
    let analysis = &scene.analysis;
    let hosts: Map<String, Value> = hosts
        .iter()
        .map(|on| {
            let answer = json!({
                "decision": word(on.decision),
                "enforcement": on.enforcement.as_str(),
                "losses": on.losses,
            });
            (on.host.to_string(), answer)
        })
        .collect();
    json!({
        "command": scene.command,
        "cwd": scene.cwd,
        "verdict": verdict::json(inquired, policy),
        "hosts": hosts,
        "commands": analysis.commands.iter().map(ran).collect::<Vec<_>>(),
        "effects": analysis.effects.iter().map(effect).collect::<Vec<_>>(),
        "unverified": analysis.unverified.iter().map(|entry| json!({
            "reason": entry.reason.name(),
            "message": entry.reason.message(),
            "span": span(entry.span),
        })).collect::<Vec<_>>(),
        "oddities": analysis.oddities.iter().map(|oddity| json!({
            "name": oddity.name,
            "span": span(oddity.span),
        })).collect::<Vec<_>>(),
        "work": analysis.work,
    })
}

fn ran(ran: &Ran) -> Value {
    let assignments: Map<String, Value> = ran
        .assignments
        .iter()
        .map(|(name, value)| (name.clone(), Value::String(value.shown())))
        .collect();
    json!({
        "program": ran.program,
        "argv": ran.argv.iter().map(Field::shown).collect::<Vec<_>>(),
        "cwd": ran.cwd.as_deref(),
        "via": ran.via.iter().map(|via| &*via.name).collect::<Vec<_>>(),
        "assignments": assignments,
        "certainty": ran.certainty.name(),
        "span": span(ran.span),
    })
}

fn effect(effect: &Effect) -> Value {
    let mut object = json!({
        "kind": effect.kind.name(),
        "action": effect.action.name(),
        "target": effect.target.shown(),
        "certainty": effect.certainty.name(),
        "recursive": effect.recursive,
        "force": effect.force,
        "elsewhere": effect.elsewhere,
        "sources": effect.sources.sources().iter().map(source).collect::<Vec<_>>(),
        "span": span(effect.span),
        "command": effect.command,
    });
    if let Some(real) = effect.target.path().and_then(|path| path.real.as_deref())
        && let Value::Object(object) = &mut object
    {
        object.insert("real_path".to_owned(), Value::String(real.to_owned()));
    }
    object
}

/// Type and name of a source.
pub(super) fn source_name(source: &Source) -> (&'static str, Option<&str>) {
    match source {
        Source::Network(host) => ("network", Some(host)),
        Source::File(path) => ("file", Some(path)),
        Source::Environment => ("environment", None),
        Source::Variable(name) => ("variable", Some(name)),
        Source::Decoded => ("decoded", None),
        Source::Stdin => ("stdin", None),
        Source::Store(name) => ("store", Some(name)),
        Source::Program(name) => ("program", Some(name)),
    }
}

fn source(source: &Source) -> Value {
    let (kind, name) = source_name(source);
    json!({ "kind": kind, "name": name })
}

fn span(span: Span) -> Value {
    json!({ "start": span.start, "end": span.end })
}

/// Schema of `tenter explain --json`.
pub(crate) fn schema() -> Value {
    let text = json!({ "type": "string" });
    let maybe_text = json!({ "type": ["string", "null"] });
    let certainty = json!({ "enum": ["certain", "possible", "unknown"] });
    let span = json!({
        "type": "object",
        "description": "Bytes of the command.",
        "required": ["start", "end"],
        "additionalProperties": false,
        "properties": { "start": { "type": "integer" }, "end": { "type": "integer" } },
    });
    let commands = command_schema(&text, &certainty, &span);
    let effects = effect_schema(&text, &certainty, &span);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Explanation",
        "description": "What a command line would do, and what the policy says to it.",
        "type": "object",
        "required": ["command", "cwd", "verdict", "hosts", "commands", "effects", "unverified", "oddities", "work"],
        "additionalProperties": false,
        "properties": {
            "command": text,
            "cwd": maybe_text,
            "verdict": verdict::schema(),
            "hosts": { "type": "object", "description": "What each host would make of the verdict.", "additionalProperties": {
                "type": "object",
                "required": ["decision", "enforcement", "losses"],
                "additionalProperties": false,
                "properties": {
                    "decision": { "enum": ["allow", "ask", "deny", "none"] },
                    "enforcement": { "enum": ["hard", "prompt", "advisory", "none"] },
                    "losses": { "type": "array", "items": text },
                },
            } },
            "commands": { "type": "array", "items": commands },
            "effects": { "type": "array", "items": effects },
            "unverified": { "type": "array", "description": "Why the answer may not be whole.", "items": {
                "type": "object",
                "required": ["reason", "message", "span"],
                "additionalProperties": false,
                "properties": {
                    "reason": { "enum": ["syntax", "too-long", "too-deep", "too-much-work", "cut-short", "dynamic-program", "dynamic-code"] },
                    "message": text,
                    "span": span,
                },
            } },
            "oddities": { "type": "array", "description": "Characters that hide what the text says.", "items": {
                "type": "object",
                "required": ["name", "span"],
                "additionalProperties": false,
                "properties": { "name": text, "span": span },
            } },
            "work": { "type": "integer", "minimum": 0 },
        },
    })
}

fn command_schema(text: &Value, certainty: &Value, span: &Value) -> Value {
    json!({
        "type": "object",
        "required": ["program", "argv", "cwd", "via", "assignments", "certainty", "span"],
        "additionalProperties": false,
        "properties": {
            "program": { "type": "string", "description": "Its plain name: rm for /bin/rm." },
            "argv": { "type": "array", "items": text, "description": "As it would get them; what is not known stands by name." },
            "cwd": { "type": ["string", "null"], "description": "Null when it cannot be told." },
            "via": { "type": "array", "items": text, "description": "What it is wrapped in, from the outside." },
            "assignments": { "type": "object", "additionalProperties": text },
            "certainty": certainty,
            "span": span,
        },
    })
}

fn effect_schema(text: &Value, certainty: &Value, span: &Value) -> Value {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let maybe_text = json!({ "type": ["string", "null"] });
    json!({
        "type": "object",
        "required": ["kind", "action", "target", "certainty", "recursive", "force", "elsewhere", "sources", "span", "command"],
        "additionalProperties": false,
        "properties": {
            "kind": { "enum": kinds },
            "action": { "type": "string", "description": "The finer name inside the kind." },
            "target": text,
            "real_path": { "type": "string", "description": "Where links lead to, when that is elsewhere." },
            "certainty": certainty,
            "recursive": { "type": "boolean" },
            "force": { "type": "boolean" },
            "elsewhere": { "type": "boolean", "description": "On another machine or in a container." },
            "sources": { "type": "array", "description": "What flows into it.", "items": {
                "type": "object",
                "required": ["kind", "name"],
                "additionalProperties": false,
                "properties": {
                    "kind": { "enum": ["network", "file", "environment", "variable", "decoded", "stdin", "store", "program"] },
                    "name": maybe_text,
                },
            } },
            "span": span,
            "command": { "type": ["integer", "null"], "description": "Index in `commands`." },
        },
    })
}
