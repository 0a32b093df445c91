//! Transcripts of Qwen Code, as recorded with 0.24.4.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sessions::{Known, Sessions, Trace, Transcript, is_jsonl, text};

pub(super) const SESSIONS: Sessions = Sessions {
    traces: &[Trace { folder: "projects", levels: 3, is: is_jsonl }],
    of_project: Some(of_project),
    certain: true,
    // Hooks get an id of their own beside the one in the transcript.
    transcript: Some(Transcript { calls, known: Known::BySession, has_tokens: false }),
};

fn of_project(project: &Path) -> PathBuf {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = project.to_string_lossy().chars().map(plain).collect();
    Path::new("projects").join(name).join("chats")
}

fn calls(line: &Value) -> Vec<(String, String)> {
    let parts = line.pointer("/message/parts").and_then(Value::as_array);
    let calls = parts.into_iter().flatten().filter_map(|part| part.get("functionCall"));
    calls.map(|call| (text(call, "/id"), text(call, "/name"))).collect()
}
