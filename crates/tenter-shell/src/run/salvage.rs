//! Recovers commands from text with syntax errors.
//!
//! A shell rejects such text, or runs the part before the error; which one depends on shell and line. So the
//! rest is split roughly, ignoring quotes, and every piece is judged as a possible command.

use super::Machine;
use super::span_of;
use crate::act::Act;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::span::Span;
use crate::target::Target;
use crate::value::{Field, Part};

/// Maximum number of pieces.
const MAX_PIECES: usize = 256;

impl Machine<'_> {
    /// Judges `text` from byte `start` on.
    pub(super) fn salvage(&mut self, text: &str, start: usize) {
        // The word with the error in it belongs to a command that began earlier.
        let begin = text
            .get(..start)
            .and_then(|before| before.rfind([';', '|', '&', '\n', '(', '`']))
            .map_or(0, |at| at + 1);
        let Some(rest) = text.get(begin..) else {
            return;
        };
        let certainty = self.certainty;
        self.certainty = certainty.min(Certainty::Possible);
        if let Some(name) = doubles_itself(text) {
            let span = self.origin.map(Span::new(0, text.len()));
            self.effect(Kind::Process, Act::ForkBomb, Target::name(name), span);
        }
        let before = self.fork();
        let mut at = begin;
        for piece in rest.split([';', '|', '&', '\n', '(', ')', '`', '{', '}']).take(MAX_PIECES) {
            let argv = self.words(piece, at);
            at += piece.len() + 1;
            if argv.is_empty() || !self.afford(8 + piece.len() / 8, span_of(&argv)) {
                continue;
            }
            self.execute_at(&argv, Stream::default(), span_of(&argv));
        }
        self.shell = before;
        self.certainty = certainty;
    }

    /// Blank-separated words without their quotes.
    fn words(&self, piece: &str, at: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut offset = 0;
        for word in piece.split([' ', '\t', '\r', '\n']) {
            let start = at + offset;
            offset += word.len() + 1;
            let bare: String =
                word.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\')).collect();
            if bare.is_empty() || (fields.is_empty() && is_noise(&bare)) {
                continue;
            }
            let mut field = Field {
                span: self.origin.map(Span::new(start, start + word.len())),
                ..Field::default()
            };
            for (index, text) in bare.split('*').enumerate() {
                if index > 0 {
                    field.push(Part::Glob("*".to_owned()));
                }
                field.push_text(text, None);
            }
            fields.push(field);
        }
        fields
    }
}

/// `:(){:|:&};:` without blanks, which one shell takes and another does not: the function that
/// starts itself twice.
fn doubles_itself(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (before, body) = bare.split_once("(){")?;
    let name = before.rsplit([';', '&', '|', '\'', '"']).next().filter(|name| !name.is_empty())?;
    body.contains(&format!("{name}|{name}&")).then(|| name.to_owned())
}

/// Reserved words and assignments that stand before a command.
fn is_noise(word: &str) -> bool {
    matches!(
        word,
        "if" | "then"
            | "else"
            | "elif"
            | "fi"
            | "do"
            | "done"
            | "while"
            | "until"
            | "!"
            | "$"
            | "time"
    ) || word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
    })
}
