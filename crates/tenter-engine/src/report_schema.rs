//! The JSON Schema of a [`Report`](crate::report::Report).

use serde_json::{Map, Value, json};

use crate::conclude::HookOutcome;
use crate::layer::LayerKind;
use crate::{AnswerField, CursorEvent};

/// Schema of the output of `tenter fire --json` and of `outcome` in `tenter serve`.
pub fn outcome() -> Value {
    let events: Vec<&str> = CursorEvent::ALL.iter().map(|event| event.name()).collect();
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let positions = json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } });
    let provenance: Map<String, Value> =
        AnswerField::ALL.iter().map(|one| (one.key().to_owned(), positions.clone())).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Outcome",
        "description": "What became of one event: what the agent has to do, and what every hook did.",
        "type": "object",
        "required": ["event", "answer", "blocked", "asks", "followup", "hooks", "provenance",
                     "warnings", "duration_ms"],
        "additionalProperties": false,
        "properties": {
            "event": { "enum": events },
            "answer": answer(),
            "blocked": { "type": "boolean", "description": "The action must not happen." },
            "asks": { "type": "boolean", "description": "The human is to be asked first." },
            "followup": {
                "type": ["string", "null"],
                "description": "What the agent goes on with, instead of stopping.",
            },
            "hooks": { "type": "array", "items": hook() },
            "provenance": {
                "type": "object",
                "additionalProperties": false,
                "description": "Which hooks each field of the answer came from.",
                "properties": provenance,
            },
            "warnings": texts,
            "diagnostics": { "type": "array", "items": diagnostic() },
            "duration_ms": { "type": "number" },
            "payload": { "type": "object", "description": "With --trace: what the hooks read." },
        },
    })
}

fn answer() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "additionalProperties": false,
        "description": "The merged answer in Cursor's words; fields that no hook gave are left out.",
        "properties": {
            "permission": { "enum": ["allow", "deny", "ask"] },
            "continue": { "type": "boolean" },
            "user_message": text,
            "agent_message": text,
            "updated_input": { "type": "object" },
            "updated_mcp_tool_output": { "type": "object" },
            "additional_context": text,
            "followup_message": text,
            "env": { "type": "object", "additionalProperties": text },
            "pluginPaths": { "type": "array", "items": text },
        },
    })
}

fn hook() -> Value {
    let outcomes = HookOutcome::ALL.map(HookOutcome::as_str);
    let layers = [[LayerKind::Guard].as_slice(), &LayerKind::ALL].concat();
    let layers: Vec<&str> = layers.into_iter().map(LayerKind::as_str).collect();
    let text = json!({ "type": "string" });
    let maybe = json!({ "type": ["string", "null"] });
    json!({
        "type": "object",
        "required": ["command", "prompt", "layer", "file", "line", "matcher", "matched", "ran",
                     "exit", "duration_ms", "outcome", "diagnosis", "warnings"],
        "additionalProperties": false,
        "properties": {
            "command": maybe,
            "prompt": maybe,
            "layer": { "enum": layers },
            "file": text,
            "line": { "type": "integer" },
            "matcher": maybe,
            "matched": { "type": "boolean" },
            "ran": { "type": "boolean" },
            "exit": { "type": ["integer", "null"] },
            "duration_ms": { "type": "number" },
            "outcome": { "enum": outcomes },
            "diagnosis": { "type": "string", "description": "Why, in words." },
            "warnings": { "type": "array", "items": text },
            "stdout": text,
            "stderr": text,
        },
    })
}

fn diagnostic() -> Value {
    let text = json!({ "type": "string" });
    let place = json!({ "type": ["integer", "null"] });
    json!({
        "type": "object",
        "required": ["severity", "file", "line", "column", "message", "help"],
        "additionalProperties": false,
        "properties": {
            "severity": { "enum": ["note", "warning", "error"] },
            "file": text,
            "line": place,
            "column": place,
            "message": text,
            "help": text,
        },
    })
}
