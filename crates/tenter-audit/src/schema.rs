//! JSON Schema of a record.
//!
//! Unknown fields are forbidden, so that a field missing here fails the test that validates the record of
//! every fixture.

use serde_json::{Map, Value, json};
use tenter_model::RecordLevel;

/// Schema of one line of the spool.
pub fn record() -> Value {
    let mut properties = about_event();
    properties.extend(about_call());
    properties.extend(about_answer());
    properties.extend(about_chain());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tenterhook record",
        "description": "One hook call, as one line of the spool. Fields that do not apply are absent.",
        "type": "object",
        "properties": properties,
        "required": ["v", "at", "level", "prev", "seq", "hash"],
        "additionalProperties": false,
        "$defs": { "kept": kept(), "action": action() },
    })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn kept_as(description: &str) -> Value {
    json!({ "$ref": "#/$defs/kept", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Schema of a kept text: complete, or truncated with its length.
fn kept() -> Value {
    json!({
        "oneOf": [
            { "type": "string" },
            {
                "type": "object",
                "properties": {
                    "text": text("The beginning; absent where the level leaves it out."),
                    "bytes": number("The length of the whole."),
                },
                "required": ["bytes"],
                "additionalProperties": false,
            },
        ],
    })
}

fn action() -> Value {
    let change = json!({
        "type": "object",
        "properties": {
            "old": kept_as("What is replaced."),
            "new": kept_as("What takes its place."),
            "all": { "const": true },
        },
        "required": ["old", "new"],
        "additionalProperties": false,
    });
    let verbs =
        ["shell", "read", "write", "edit", "delete", "search", "fetch", "mcp", "task", "other"];
    json!({
        "type": "object",
        "properties": {
            "do": { "enum": verbs },
            "command": { "$ref": "#/$defs/kept" },
            "cwd": { "type": "string" },
            "path": { "type": "string" },
            "content": { "$ref": "#/$defs/kept" },
            "edits": { "type": "array", "items": change },
            "more": number("How many further edits are not in the list."),
            "moved_to": { "type": "string" },
            "pattern": { "$ref": "#/$defs/kept" },
            "url": { "$ref": "#/$defs/kept" },
            "server": { "type": "string" },
            "tool": { "type": "string" },
            "input": { "$ref": "#/$defs/kept" },
            "agent_type": { "type": "string" },
            "prompt": { "$ref": "#/$defs/kept" },
            "name": { "type": "string" },
        },
        "required": ["do"],
        "additionalProperties": false,
    })
}

fn about_event() -> Map<String, Value> {
    let agent = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "type": { "type": "string" },
            "parent": { "type": "string" },
        },
        "additionalProperties": false,
        "description": "Which agent acted; absent for the main one.",
    });
    fields([
        ("v", json!({ "const": crate::record::VERSION })),
        ("at", number("Milliseconds since 1970.")),
        (
            "kind",
            json!({
                "enum": ["closed", "checkpoint", "unfinished"],
                "description": "Absent for a call: the end of a file, records cleared away, or a call that died.",
            }),
        ),
        ("level", json!({ "enum": RecordLevel::ALL.map(RecordLevel::as_str) })),
        ("host", text("The host that sent the payload.")),
        ("wired_as", text("The host on the command line, where it is another.")),
        ("host_version", text("As the payload says it.")),
        ("event", text("The unified name of the event.")),
        ("native_event", text("The host's name of the event.")),
        ("surface", text("ide, cli, headless, cloud or tab.")),
        ("session_id", text("The session, by the host's own id.")),
        ("turn_id", text("The turn, by the host's own id.")),
        ("call_id", text("The call of a tool, by the host's own id.")),
        ("fingerprint", text("Joins events about one call that has no id.")),
        ("agent", agent),
        ("cwd", text("The working folder.")),
        ("workspace_roots", texts("The folders that are open.")),
        ("model", text("As the host names it.")),
        ("transcript_path", text("The host's own record of the session.")),
        ("permission_mode", text("As the host names it.")),
        ("user", text("sha256: and 16 digits, or the address where the policy says to keep it.")),
    ])
}

fn about_call() -> Map<String, Value> {
    let usage = json!({
        "type": "object",
        "properties": {
            "input": number("Tokens."),
            "output": number("Tokens."),
            "cache_read": number("Tokens."),
            "cache_write": number("Tokens."),
        },
        "required": ["input", "output", "cache_read", "cache_write"],
        "additionalProperties": false,
    });
    fields([
        ("tool", text("The unified name of the tool.")),
        ("native_tool", text("The host's name of the tool, where it is another.")),
        ("actions", json!({ "type": "array", "items": { "$ref": "#/$defs/action" } })),
        ("more_actions", number("How many further actions are not in the list.")),
        ("prompt", kept_as("What the person wrote.")),
        ("attachments", texts("Files attached to the prompt.")),
        ("more_attachments", number("How many further files are not in the list.")),
        ("text", kept_as("What an agent said or was told, a notification, a summary.")),
        ("output", kept_as("What the tool answered, as JSON.")),
        ("error", kept_as("Why the tool failed.")),
        ("exit_code", json!({ "type": "number" })),
        ("duration_ms", json!({ "type": "number" })),
        ("detail", text("One word: source, reason of an end, status, trigger, kind of failure.")),
        ("loop_count", json!({ "type": "number" })),
        ("usage", usage),
    ])
}

fn about_answer() -> Map<String, Value> {
    let verdict = json!({
        "type": "object",
        "properties": {
            "decision": { "enum": ["allow", "deny", "ask"] },
            "reason": { "$ref": "#/$defs/kept" },
            "user_message": { "$ref": "#/$defs/kept" },
            "additional_context": { "$ref": "#/$defs/kept" },
            "modified_input": {
                "type": "array",
                "items": {
                    "type": "array",
                    "prefixItems": [{ "type": "string" }, { "$ref": "#/$defs/kept" }],
                    "minItems": 2,
                    "maxItems": 2,
                },
                "description": "Changes of the input: key, and value as JSON.",
            },
        },
        "additionalProperties": false,
        "description": "What the policy and its handlers say, before the host gets it.",
    });
    let finding = json!({
        "type": "object",
        "properties": {
            "rule": text("guard/check, or the id of a rule."),
            "level": { "enum": ["off", "log", "ask", "deny"] },
            "subject": text("The path, host, branch, package or tool it is about."),
            "what": text("What would happen, as the end of a sentence."),
            "span": { "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 },
            "instead": text("The safe alternative."),
            "excepted": text("Why the policy lets it pass all the same."),
        },
        "required": ["rule", "level"],
        "additionalProperties": false,
    });
    let phases = ["policy", "read", "judge", "handlers", "answer", "total"];
    let times: Map<String, Value> =
        phases.iter().map(|phase| ((*phase).to_owned(), number("Microseconds."))).collect();
    fields([
        (
            "decision",
            json!({
                "enum": ["allow", "deny", "ask"],
                "description": "What the host was told; absent if it was left to the host.",
            }),
        ),
        ("enforcement", json!({ "enum": ["hard", "prompt", "advisory", "none"] })),
        ("verdict", verdict),
        ("findings", json!({ "type": "array", "items": finding })),
        ("code", text("With this code a human can allow the call once.")),
        ("allowed_once", json!({ "const": true })),
        ("again", json!({ "const": true, "description": "A second copy of a call." })),
        ("losses", texts("What the host could not take as it was meant.")),
        ("notes", texts("What was overlooked or went wrong.")),
        ("canary", json!({ "const": true, "description": "Made by tenter prove." })),
        ("policy", text("Tells policies apart; recommended where there is no file.")),
        ("us", json!({ "type": "object", "properties": times, "additionalProperties": false })),
    ])
}

fn about_chain() -> Map<String, Value> {
    let checkpoint = json!({
        "type": "object",
        "properties": {
            "through": number("The last record that was cleared away."),
            "hash": text("Its hash."),
            "records": number("How many."),
            "from": number("The time of the first."),
            "to": number("The time of the last."),
        },
        "additionalProperties": false,
    });
    let hash = json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" });
    fields([
        ("checkpoint", checkpoint),
        ("lost", number("How many calls before this one left no record.")),
        (
            "gap",
            json!({
                "type": "object",
                "properties": { "torn": number("The length of a torn line before this one.") },
                "additionalProperties": false,
            }),
        ),
        ("closed", json!({ "const": true })),
        (
            "side",
            number("The file beside the chain that it was in first, because the spool was locked."),
        ),
        ("prev", hash.clone()),
        ("seq", number("The number of the record.")),
        ("hash", hash),
    ])
}
