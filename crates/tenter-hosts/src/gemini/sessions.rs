//! Transcripts of Gemini CLI, as recorded with 0.61.0.

use serde_json::Value;

use crate::sessions::{Known, Sessions, Trace, Transcript, is_jsonl, text};

pub(super) const SESSIONS: Sessions = Sessions {
    traces: &[Trace {
        folder: "tmp",
        levels: 3,
        is: |name| name.starts_with("session-") && is_jsonl(name),
    }],
    of_project: None,
    certain: true,
    // Hooks get no id of a call.
    transcript: Some(Transcript { calls, known: Known::BySession, has_tokens: false }),
};

fn calls(line: &Value) -> Vec<(String, String)> {
    let calls = line.get("toolCalls").and_then(Value::as_array);
    calls.into_iter().flatten().map(|call| (text(call, "/id"), text(call, "/name"))).collect()
}
