//! Lower bound for a hook that reads its payload: parses the fields a Cursor hook judges by into a typed
//! value and prints the neutral answer.
//!
//! Parsed as a careful author would: one buffer, text borrowed from it where the JSON has no escapes, unknown
//! fields skipped. Text with escapes is decoded, since a hook that inspects a command or a file must see its
//! real text.

use std::borrow::Cow;
use std::io::{self, Read, Write};

use serde::Deserialize;

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    hook_event_name: Cow<'a, str>,
    #[serde(borrow, default)]
    conversation_id: Cow<'a, str>,
    #[serde(borrow, default)]
    generation_id: Cow<'a, str>,
    #[serde(borrow, default)]
    cursor_version: Cow<'a, str>,
    #[serde(borrow, default)]
    workspace_roots: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    command: Cow<'a, str>,
    #[serde(borrow, default)]
    cwd: Cow<'a, str>,
    #[serde(borrow, default)]
    file_path: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Cow<'a, str>,
}

fn main() -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let payload: Payload<'_> = serde_json::from_slice(&bytes)?;
    // The answer depends on every field, so that the compiler cannot skip parsing one.
    let answer: &[u8] = if is_empty(&payload) { b"{}\n" } else { b"{\"permission\":\"allow\"}\n" };
    io::stdout().lock().write_all(answer)
}

fn is_empty(payload: &Payload<'_>) -> bool {
    payload.hook_event_name.is_empty()
        && payload.conversation_id.is_empty()
        && payload.generation_id.is_empty()
        && payload.cursor_version.is_empty()
        && payload.workspace_roots.iter().all(|root| root.is_empty())
        && payload.command.is_empty()
        && payload.cwd.is_empty()
        && payload.file_path.is_empty()
        && payload.content.is_empty()
}
