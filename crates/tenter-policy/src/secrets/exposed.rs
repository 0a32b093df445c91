//! The secrets of a text, to be kept out of what is said about it.

use std::borrow::Cow;

use tenter_model::Event;

use super::hide::hidden;
use super::{Known, scan};

/// A shorter one is no secret, and may be a part of any word.
const SHORTEST: usize = 4;

/// So many files of a call are looked at.
const FILES: usize = 64;
/// A field of the input that is longer is not repeated.
const LONGEST: usize = 4 * 1024;
/// Nothing behind this is repeated: of a command, less is read and kept.
const MOST: usize = 256 * 1024;

/// What of a call may be repeated in what is said of it: its command, its folder, its input, and the names of what
/// it is used on.
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

/// The secrets of one text. What makes a word a secret is often what stands before it (`PGPASSWORD=`), so a
/// text that repeats the word alone looks clean.
#[derive(Clone, Debug, Default)]
pub struct Exposed<'t>(Vec<(&'t str, &'static str)>);

impl<'t> Exposed<'t> {
    pub fn of(text: &'t str, known: &Known<'_>) -> Self {
        let mut leaks = hidden(text, known);
        // A secret alone, too: what is left out of a text may be more than the secret.
        leaks.extend(scan(text, known, usize::MAX));
        let secret = |start: usize, end: usize| text.get(start..end).unwrap_or_default();
        let mut all: Vec<(&str, &'static str)> = leaks
            .iter()
            .map(|leak| (secret(leak.start, leak.end), leak.rule))
            .filter(|(secret, _)| secret.len() >= SHORTEST)
            .collect();
        // Of two that begin alike the longer one goes first, or its end would stay.
        all.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        Self(all)
    }

    /// Another text with the id of its rule in the place of each.
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
