//! Transcripts of Codex.

use serde_json::Value;

use crate::sessions::{Known, Sessions, Trace, Transcript, is_jsonl, text};

pub(super) const SESSIONS: Sessions = Sessions {
    traces: &[Trace {
        folder: "sessions",
        levels: 4,
        is: |name| name.starts_with("rollout-") && is_jsonl(name),
    }],
    of_project: None,
    certain: true,
    // In code mode hooks get other call ids than the transcript.
    transcript: Some(Transcript { calls, known: Known::BySession, has_tokens: true }),
};

fn calls(line: &Value) -> Vec<(String, String)> {
    let kinds = ["function_call", "custom_tool_call", "local_shell_call"];
    let is_call = kinds.contains(&text(line, "/payload/type").as_str());
    let one = is_call.then(|| (text(line, "/payload/call_id"), text(line, "/payload/name")));
    one.into_iter().collect()
}
