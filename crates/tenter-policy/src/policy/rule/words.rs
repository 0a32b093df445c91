//! Text search of rules in prompts, commands and contents.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::expression::Expression;

/// A search term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// Substring, case-insensitive; stored in lower case.
    Holds(String),
    /// A regular expression, and a literal that every match contains.
    Matches { regex: String, literal: String },
}

/// Maximum length of a text searched completely with a regular expression; longer ones only near the literal.
const WHOLE: usize = 64 * 1024;
/// Number of bytes searched on either side of a literal.
const NEAR: usize = 4 * 1024;
/// Maximum number of literal occurrences examined.
const PLACES: usize = 64;
/// Number of bytes searched of a long text when there is no literal.
const START: usize = 256 * 1024;

impl Word {
    pub(crate) fn holds(text: &str) -> Self {
        Self::Holds(text.to_ascii_lowercase())
    }

    /// Compiles the expression once, to check it.
    pub(crate) fn matches(regex: &str) -> Result<Self, String> {
        Expression::new(regex)?;
        Ok(Self::Matches { regex: regex.to_owned(), literal: literal(regex) })
    }

    /// Position of the first match; `lower` is the text in lower case.
    pub(crate) fn find(&self, text: &str, lower: &str) -> Option<Range<usize>> {
        match self {
            // Testing for presence is much cheaper than locating.
            Self::Holds(word) if !lower.contains(word.as_str()) => None,
            Self::Holds(word) => lower.find(word).map(|at| at..at + word.len()),
            Self::Matches { literal, .. } if !text.contains(literal.as_str()) => None,
            Self::Matches { regex, literal } => {
                // Compiled only here, since most texts do not contain the literal.
                let first = text.find(literal)?;
                let regex = Expression::new(regex).ok()?;
                search(&regex, text, literal, first)
            }
        }
    }
}

fn search(regex: &Expression, text: &str, literal: &str, first: usize) -> Option<Range<usize>> {
    if text.len() <= WHOLE {
        return regex.find(text);
    }
    if literal.is_empty() {
        let start = text.get(..text.floor_char_boundary(START)).unwrap_or(text);
        return regex.find(start);
    }
    let mut at = first;
    for _ in 0..PLACES {
        let from = text.floor_char_boundary(at.saturating_sub(NEAR));
        let to = text.ceil_char_boundary(at.saturating_add(NEAR).min(text.len()));
        let found = text.get(from..to).and_then(|part| regex.find(part));
        if let Some(found) = found {
            return Some(from + found.start..from + found.end);
        }
        // Continue after the searched part.
        let rest = text.get(to..)?;
        at = to + rest.find(literal)?;
    }
    None
}

/// The longest literal that every match of the expression contains; empty if unknown.
fn literal(regex: &str) -> String {
    // Flags and top-level alternatives change the meaning of letters; such expressions are rare.
    if regex.contains("(?") || alternatives(regex) {
        return String::new();
    }
    let mut best = String::new();
    let mut run = String::new();
    let mut depth = 0_usize;
    let mut letters = regex.chars().peekable();
    while let Some(letter) = letters.next() {
        let plain = match letter {
            '\\' => match letters.next() {
                Some(escaped) if !escaped.is_alphanumeric() => Some(escaped),
                Some('x' | 'u' | 'U' | 'p' | 'P') => return String::new(),
                _ => None,
            },
            '[' => {
                skip_class(&mut letters);
                None
            }
            '(' => {
                depth += 1;
                None
            }
            ')' => {
                depth = depth.saturating_sub(1);
                None
            }
            '.' | '^' | '$' | '|' | '*' | '+' | '?' | '{' | '}' => None,
            other => Some(other),
        };
        let repeated = matches!(letters.peek(), Some('*' | '?' | '{'));
        match plain {
            Some(letter) if depth == 0 && !repeated => run.push(letter),
            _ => end(&mut run, &mut best),
        }
        if letter == '{' {
            for skipped in letters.by_ref() {
                if skipped == '}' {
                    break;
                }
            }
        }
        if letters.peek() == Some(&'+') {
            end(&mut run, &mut best);
        }
    }
    end(&mut run, &mut best);
    best
}

fn end(run: &mut String, best: &mut String) {
    if run.len() > best.len() {
        std::mem::swap(run, best);
    }
    run.clear();
}

/// Whether a `|` occurs outside groups.
fn alternatives(regex: &str) -> bool {
    let mut depth = 0_usize;
    let mut letters = regex.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '[' => skip_class(&mut letters),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn skip_class(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if letters.peek() == Some(&'^') {
        letters.next();
    }
    // A leading bracket is a member.
    if letters.peek() == Some(&']') {
        letters.next();
    }
    let mut inner = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '[' => inner += 1,
            ']' if inner == 0 => return,
            ']' => inner -= 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_of_an_expression_is_one_it_cannot_be_without() {
        let cases = [
            ("DROP\\s+TABLE", "TABLE"),
            ("curl .*evil", "curl "),
            ("ab?cd", "cd"),
            ("ab*", "a"),
            ("ab+cd", "ab"),
            ("a{2}bc", "bc"),
            ("x|y", ""),
            ("(x|y)zz", "zz"),
            ("(abc)?d", "d"),
            ("[abc]def", "def"),
            ("[]a]def", "def"),
            ("[^]|]def", "def"),
            ("(?i)drop", ""),
            ("a\\.b\\x41", ""),
            ("prod\\.example\\.com$", "prod.example.com"),
            ("", ""),
        ];
        for (regex, expected) in cases {
            assert_eq!(literal(regex), expected, "{regex}");
        }
    }

    #[test]
    fn a_long_text_is_searched_near_the_literal() {
        let word = Word::matches("key=[0-9]+;").unwrap();
        let mut text = "key=x;\n".repeat(60_000);
        assert_eq!(word.find(&text, &text), None);
        let before = text.len();
        text.push_str(&"z".repeat(90_000));
        text.push_str("key=42;");
        assert_eq!(word.find(&text, &text), None, "too many places before it");
        let tail = text.split_off(before);
        let found = word.find(&tail, &tail).unwrap();
        assert_eq!(tail.get(found), Some("key=42;"));
    }
}
