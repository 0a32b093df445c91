//! Adds up the signals of an injection attempt.

/// Family of phrases; each counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Earlier instructions no longer apply.
    Override,
    /// The model gets a new role.
    Persona,
    /// The user must not know.
    Secrecy,
    /// Addresses models.
    Address,
    /// Asks for the prompt.
    Prompt,
    /// Asks to read or send something.
    Send,
    /// Asks to do something.
    Act,
    /// Chat template tags.
    Tag,
}

const FAMILIES: usize = 8;

/// Threshold of the sum.
const ENOUGH: u32 = 9;
/// Additional threshold for texts about such attacks and for instruction files.
const MORE: u32 = 5;

#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    weights: [u8; FAMILIES],
    /// In a comment or a hidden element.
    concealed: bool,
    /// Byte offset and weight of the strongest signal.
    at: Option<(usize, u8)>,
    phrases: usize,
}

/// Maximum number of phrases examined.
const MOST: usize = 200;

impl Signals {
    /// Adds a phrase at this byte range.
    pub(super) fn add(&mut self, family: Family, weight: u8, bytes: &[u8], at: usize, end: usize) {
        self.phrases += 1;
        if self.phrases > MOST {
            return;
        }
        let quoted = is_quoted(bytes, at, end);
        let begins = begins_sentence(bytes, at);
        let weight = match (quoted, begins || family == Family::Tag) {
            (true, _) => weight.min(6) / 3,
            (false, true) => weight,
            (false, false) => weight.div_ceil(2),
        };
        if !quoted && is_concealed(bytes, at) {
            self.concealed = true;
        }
        if let Some(known) = self.weights.get_mut(family as usize) {
            *known = weight.max(*known);
        }
        if self.at.is_none_or(|(_, known)| weight > known) {
            self.at = Some((at, weight));
        }
    }

    fn weight(&self, family: Family) -> u32 {
        self.weights.get(family as usize).copied().unwrap_or_default().into()
    }

    /// The position of the strongest signal, if the sum reaches the threshold; `careful` raises it.
    pub(super) fn enough(&self, careful: bool) -> Option<usize> {
        let sum: u32 = self.weights.iter().map(|weight| u32::from(*weight)).sum();
        // Requests to act are common; they count only beside another family.
        let others = sum - self.weight(Family::Act);
        let sum = sum + if self.concealed && others > 0 { 3 } else { 0 };
        let wanted = if careful { ENOUGH + MORE } else { ENOUGH };
        let (at, _) = self.at?;
        (sum >= wanted && others >= 4).then_some(at)
    }

    /// Description for a message.
    pub(super) fn told(&self) -> String {
        let parts = [
            (Family::Override, "ignore its instructions"),
            (Family::Persona, "take another role"),
            (Family::Prompt, "reveal its prompt"),
            (Family::Send, "read or send private data"),
            (Family::Secrecy, "hide it from the user"),
            (Family::Tag, "treat it as a system message"),
            (Family::Act, "run a command"),
            (Family::Address, "obey it"),
        ];
        let said: Vec<&str> = parts
            .iter()
            .filter(|(family, _)| self.weight(*family) >= 2)
            .map(|(_, said)| *said)
            .take(3)
            .collect();
        said.join(", ")
    }
}

fn is_quote(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`'))
        || ["\u{201c}", "\u{2018}", "\u{ab}"].iter().any(|quote| bytes.ends_with(quote.as_bytes()))
}

/// Whether the phrase is in quotes that end soon after it.
fn is_quoted(bytes: &[u8], at: usize, end: usize) -> bool {
    let from = at.saturating_sub(32);
    let line = bytes.get(from..at).unwrap_or_default();
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let opened = (1..=line.len()).rev().any(|length| line.get(..length).is_some_and(is_quote));
    if !opened {
        return false;
    }
    let after = bytes.get(end..bytes.len().min(end + 60)).unwrap_or_default();
    let after = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    after.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'`'))
        || ["\u{201d}", "\u{2019}", "\u{bb}"]
            .iter()
            .any(|quote| after.windows(quote.len()).any(|window| window == quote.as_bytes()))
}

/// Whether a sentence or line begins here.
fn begins_sentence(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(24)..at).unwrap_or_default();
    let mut blanks = 0;
    for byte in before.iter().rev() {
        match byte {
            b' ' | b'\t' if blanks < 12 => blanks += 1,
            b'\n' | b'.' | b'!' | b'?' | b':' | b';' | b'#' | b'*' | b'-' | b'>' | b'/' | b'('
            | b'[' | b'|' | b'"' | b'=' | b',' => return true,
            _ => {
                // Politeness may precede it.
                let text = before.get(..before.len() - blanks).unwrap_or_default();
                return [
                    "please",
                    "must",
                    "now",
                    "then",
                    "and",
                    "first",
                    "important",
                    "instead",
                    "should",
                    "you",
                    "your",
                ]
                .iter()
                .any(|word| {
                    let start = text.len().checked_sub(word.len());
                    start
                        .and_then(|start| text.get(start..))
                        .is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
                });
            }
        }
    }
    true
}

/// Whether it is in an HTML comment, or after a hiding style.
fn is_concealed(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(400)..at).unwrap_or_default();
    let last = |mark: &[u8]| {
        before.windows(mark.len()).rposition(|window| window.eq_ignore_ascii_case(mark))
    };
    let opened = last(b"<!--");
    let comment = opened.is_some() && opened > last(b"-->");
    comment
        || [
            b"display:none".as_slice(),
            b"display: none",
            b"visibility:hidden",
            b"visibility: hidden",
            b"font-size:0",
            b"font-size: 0",
            b"opacity:0;",
            b"opacity: 0;",
            b"color:transparent",
        ]
        .iter()
        .any(|style| last(style).is_some())
}
