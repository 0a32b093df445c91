//! Transcripts of Claude Code.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sessions::{Known, Sessions, Trace, Transcript, is_jsonl, text};

pub(super) const SESSIONS: Sessions = Sessions {
    traces: &[Trace { folder: "projects", levels: 2, is: is_jsonl }],
    of_project: Some(of_project),
    certain: true,
    transcript: Some(Transcript { calls, known: Known::ByCall, has_tokens: true }),
};

fn of_project(project: &Path) -> PathBuf {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = project.to_string_lossy().chars().map(plain).collect();
    Path::new("projects").join(name)
}

fn calls(line: &Value) -> Vec<(String, String)> {
    let content = line.pointer("/message/content").and_then(Value::as_array);
    let uses = content.into_iter().flatten().filter(|part| text(part, "/type") == "tool_use");
    uses.map(|part| (text(part, "/id"), text(part, "/name"))).collect()
}
