//! JSON Schemas of the unified documents.
//!
//! Unknown fields are forbidden in the event, so that a field missing here fails the test that validates
//! every fixture.

use serde_json::{Map, Value, json};

use crate::action::{FileOp, Tool};
use crate::event::{EventKind, Surface};
use crate::host::HostId;
use crate::verdict::Decision;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Schema of the event a handler reads on stdin.
pub fn event() -> Value {
    let mut properties = common();
    properties.extend(tool_fields());
    properties.extend(other_fields());
    let rules: Vec<Value> = EventKind::ALL.into_iter().filter_map(required_for).collect();
    json!({
        "$schema": DIALECT,
        "title": "Tenterhook unified event",
        "description": "One hook call of any host. Fields a host does not send are absent.",
        "type": "object",
        "properties": properties,
        "required": ["event", "host", "native_event", "agent", "workspace_roots", "_native"],
        "allOf": rules,
        "additionalProperties": false,
    })
}

/// Schema of the response a handler may print on stdout.
pub fn response() -> Value {
    let mut decisions: Vec<Value> =
        Decision::ALL.into_iter().map(|decision| decision.as_str().into()).collect();
    decisions.push(Value::Null);
    let text =
        |description: &str| json!({ "type": ["string", "null"], "description": description });
    json!({
        "$schema": DIALECT,
        "title": "Tenterhook unified response",
        "description": "What a handler wants to happen. Nothing printed, or an empty object, is no opinion.",
        "type": "object",
        "properties": {
            "decision": {
                "enum": decisions,
                "description": "At Stop, deny means: go on, and do what `reason` says.",
            },
            "reason": text("Why, for the model."),
            "user_message": text("What to tell the human."),
            "modified_input": {
                "type": ["object", "null"],
                "description": "Changes to `tool_input`. Keys not mentioned keep their value; null removes a key.",
            },
            "additional_context": text("Something the model should know."),
        },
        "additionalProperties": true,
    })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "number", "description": description })
}

fn fields<const N: usize>(list: [(&str, Value); N]) -> Map<String, Value> {
    list.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn common() -> Map<String, Value> {
    let kinds: Vec<&str> = EventKind::ALL.into_iter().map(EventKind::as_str).collect();
    let hosts: Vec<&str> = HostId::ALL.into_iter().map(HostId::as_str).collect();
    let surfaces: Vec<&str> = Surface::ALL.into_iter().map(Surface::as_str).collect();
    fields([
        ("event", json!({ "enum": kinds, "description": "The unified kind of event." })),
        ("host", json!({ "enum": hosts, "description": "The host that called." })),
        ("native_event", text("The host's own name for the event; empty if it sent none.")),
        ("host_version", text("The host's version, where it says.")),
        ("surface", json!({ "enum": surfaces, "description": "Where the agent runs." })),
        ("session_id", text("The conversation.")),
        ("turn_id", text("What one user prompt set off.")),
        ("call_id", text("The host's id of the tool call.")),
        (
            "agent",
            json!({
                "type": "object",
                "description": "The subagent that acts; empty for the main agent.",
                "properties": fields([
                    ("id", text("The subagent's id.")),
                    ("type", text("The kind of subagent.")),
                    ("parent", text("The conversation that started it.")),
                ]),
                "additionalProperties": false,
            }),
        ),
        (
            "cwd",
            text("The working directory; on Cursor the first workspace root if it sends none."),
        ),
        (
            "workspace_roots",
            json!({ "type": "array", "items": { "type": "string" }, "description": "The open folders." }),
        ),
        ("model", text("The model in use.")),
        ("transcript_path", text("The host's transcript of the session.")),
        ("permission_mode", text("The host's permission mode, in its own words.")),
        (
            "call_fingerprint",
            json!({
                "type": "string",
                "pattern": "^[0-9a-f]{32}$",
                "description": "The same for every event about one tool call.",
            }),
        ),
        ("_native", json!({ "type": "object", "description": "The payload as the host sent it." })),
    ])
}

fn tool_fields() -> Map<String, Value> {
    let operations: Vec<&str> = FileOp::ALL.into_iter().map(FileOp::as_str).collect();
    fields([
        (
            "tool",
            json!({
                "type": "string",
                "description": "The unified tool, or the host's name for one that has none.",
                "examples": Tool::NAMES,
            }),
        ),
        (
            "tool_input",
            json!({
                "type": "object",
                "description": "Bash: command, cwd. Read, Write, Edit, Delete: file_path, content, edits. \
                                Edit by patch: patch, changes. Search: pattern, path. Fetch: url. Task: \
                                prompt, agent_type. MCP: the tool's arguments. Further keys are the host's.",
            }),
        ),
        ("native_tool", text("The host's own name for the tool.")),
        (
            "files",
            json!({
                "type": "array",
                "description": "Every file the call names, also those inside a patch.",
                "items": {
                    "type": "object",
                    "properties": fields([
                        ("path", text("As the host wrote it; may be relative to cwd.")),
                        ("op", json!({ "enum": operations })),
                        ("moved_to", text("The new path, if the file is moved.")),
                    ]),
                    "required": ["path", "op"],
                    "additionalProperties": false,
                },
            }),
        ),
        (
            "mcp",
            json!({
                "type": "object",
                "description": "Which tool of which MCP server.",
                "properties": fields([
                    ("id", text("server/tool; the server is ? when the host does not name it.")),
                    ("server", text("The server's name.")),
                    ("tool", text("The tool's name on that server.")),
                    ("plugin", text("The plugin that brought the server.")),
                    ("url", text("Where the server is reached.")),
                    ("command", text("How the server is started.")),
                ]),
                "required": ["id", "tool"],
                "additionalProperties": false,
            }),
        ),
        ("sandbox", flag("True when the command runs in the host's sandbox.")),
        ("tool_response", json!({ "description": "What the tool gave back." })),
        ("exit_code", number("The exit code of a shell command, where the host says.")),
        ("error", text("Why the tool failed.")),
        ("failure_type", text("error, timeout or permission_denied.")),
        ("is_interrupt", flag("True when the user interrupted it.")),
        ("duration_ms", number("How long it took; may be fractional.")),
    ])
}

fn other_fields() -> Map<String, Value> {
    fields([
        ("source", text("How the session began: startup, resume, clear, compact, ...")),
        ("end_reason", text("Why the session ended.")),
        ("prompt", text("What the user submitted.")),
        (
            "attachments",
            json!({
                "type": "array",
                "description": "Files and rules attached to the prompt.",
                "items": {
                    "type": "object",
                    "properties": fields([
                        ("type", text("file or rule.")),
                        ("file_path", text("The attached file.")),
                    ]),
                    "required": ["file_path"],
                    "additionalProperties": false,
                },
            }),
        ),
        ("task", text("What a subagent was asked to do.")),
        ("status", text("completed, aborted or error, where the host says.")),
        ("loop_count", number("How many times a hook has already made the agent go on.")),
        ("stop_hook_active", flag("True when the agent runs because a hook made it go on.")),
        ("last_assistant_message", text("The agent's last words.")),
        ("trigger", text("auto or manual.")),
        ("summary", text("What a compaction left.")),
        ("text", text("The agent's response or thought.")),
        ("message", text("The notification.")),
        ("notification_type", text("The kind of notification.")),
    ])
}

/// Required fields of events of one kind.
fn required_for(kind: EventKind) -> Option<Value> {
    let required: &[&str] = match kind {
        EventKind::UserPromptSubmit => &["prompt", "attachments"],
        EventKind::PreToolUse
        | EventKind::PermissionRequest
        | EventKind::PostToolUse
        | EventKind::PostToolUseFailure => &["tool", "tool_input", "call_fingerprint"],
        EventKind::AgentResponse | EventKind::AgentThought => &["text"],
        _ => return None,
    };
    Some(json!({
        "if": { "properties": { "event": { "const": kind.as_str() } } },
        "then": { "required": required },
    }))
}
