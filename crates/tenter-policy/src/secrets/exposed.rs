//! Removes a text's secrets from messages about it.

use std::borrow::Cow;

use tenter_model::Event;

use super::hide::hidden;
use super::{Known, scan};

/// Minimum length; shorter ones may be part of any word.
const SHORTEST: usize = 4;

/// Maximum number of files of a call examined.
const FILES: usize = 64;
/// Maximum length of a quoted input field.
const LONGEST: usize = 4 * 1024;
/// Maximum length of quotable text; less than that is read of a command.
const MOST: usize = 256 * 1024;

/// The parts of a call that messages may quote: its command, folder, input, and names of targets.
pub fn quotable(event: &Event<'_>, command: Option<&str>) -> String {
    let command = command.unwrap_or_default();
    let mut text = command.get(..command.floor_char_boundary(MOST)).unwrap_or_default().to_owned();
    let mut add = |part: &str| {
        if text.len() < MOST {
            text.push('\n');
            text.push_str(part.get(..part.floor_char_boundary(MOST)).unwrap_or_default());
        }
    };
    add(event.cwd.as_deref().unwrap_or_default());
    let Some(call) = event.tool_call() else { return text };
    call.files().take(FILES).for_each(|file| add(file.path));
    if let Some(mcp) = call.mcp() {
        add(mcp.server.as_deref().unwrap_or_default());
        add(&mcp.tool);
    }
    for (_, value) in call.input.iter().filter(|(_, value)| value.get().len() <= LONGEST) {
        add(value.get());
    }
    text
}

/// The secrets of one text. A word is often a secret only by its context (`PGPASSWORD=`), so a message that
/// repeats the word alone looks harmless.
#[derive(Clone, Debug, Default)]
pub struct Exposed<'t>(Vec<(&'t str, &'static str)>);

impl<'t> Exposed<'t> {
    pub fn of(text: &'t str, known: &Known<'_>) -> Self {
        let mut leaks = hidden(text, known);
        // Scan it separately: redaction may remove more than the secret.
        leaks.extend(scan(text, known, usize::MAX));
        let secret = |start: usize, end: usize| text.get(start..end).unwrap_or_default();
        let mut all: Vec<(&str, &'static str)> = leaks
            .iter()
            .map(|leak| (secret(leak.start, leak.end), leak.rule))
            .filter(|(secret, _)| secret.len() >= SHORTEST)
            .collect();
        // Longer ones first, or the rest of the longer one would remain.
        all.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        Self(all)
    }

    /// Another text with each secret replaced by its rule's id.
    pub fn hide<'x>(&self, text: &'x str) -> Cow<'x, str> {
        let mut clean = Cow::Borrowed(text);
        for (secret, rule) in &self.0 {
            if clean.contains(secret) {
                clean = Cow::Owned(clean.replace(secret, &format!("[{rule}]")));
            }
        }
        clean
    }
}
