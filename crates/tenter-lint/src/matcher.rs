//! Interpretation of matchers, per host.

use std::ops::Range;

use regress::Regex;
use tenter_model::HostId;

use crate::vocabulary::of;

/// Meaning of a matcher's text on a host.
#[derive(Debug)]
pub(crate) enum Meaning {
    All,
    /// Whole names, compared exactly.
    Exact(Vec<String>),
    /// A regular expression, searched anywhere in the subject.
    Pattern(Box<Regex>),
    /// Not a valid regular expression of this host's dialect, and why.
    Invalid(String),
    /// A pattern that is not evaluated: too costly, or of an unsupported dialect.
    Unjudged,
}

pub(crate) fn meaning(host: HostId, event: &str, text: &str) -> Meaning {
    if text.is_empty() || text == "*" {
        return Meaning::All;
    }
    if is_exact(host, event, text) {
        let names = text.split(of(host).separators).map(|name| name.trim().to_owned());
        return Meaning::Exact(names.collect());
    }
    if of(host).rust_patterns {
        if let Some(fault) = beyond_rust(text) {
            return Meaning::Invalid(fault.to_owned());
        }
        if only_in_rust(text) {
            return Meaning::Unjudged;
        }
    }
    if is_costly(text) {
        return Meaning::Unjudged;
    }
    match Regex::new(text) {
        Ok(pattern) => Meaning::Pattern(Box::new(pattern)),
        Err(_) if text.starts_with(['*', '+', '?']) => {
            Meaning::Invalid("there is nothing to repeat at its start".to_owned())
        }
        Err(error) => Meaning::Invalid(error.text.to_lowercase()),
    }
}

impl Meaning {
    /// Whether a subject passes; a pattern that is not evaluated may match.
    pub(crate) fn admits(&self, subject: &str) -> bool {
        match self {
            Self::All | Self::Unjudged => true,
            Self::Exact(names) => names.iter().any(|name| name == subject),
            Self::Pattern(pattern) => pattern.find(subject).is_some(),
            Self::Invalid(_) => false,
        }
    }
}

/// Whether the host compares names instead of searching for a pattern.
pub(crate) fn is_exact(host: HostId, event: &str, text: &str) -> bool {
    (of(host).exact)(event, text)
}

/// The names in a matcher that consists of names only, such as `Bash|Write` or `^(Bash)$`, with their byte
/// ranges.
pub(crate) fn names(text: &str) -> Option<Vec<(&str, Range<usize>)>> {
    let inner = text.strip_prefix('^').unwrap_or(text);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let inner = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(inner);
    let start = text.find(inner)?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | ' ');
    let mut found = Vec::new();
    let mut at = start;
    for part in inner.split(['|', ',']) {
        let name = part.trim();
        if name.is_empty() || !name.chars().all(plain) {
            return None;
        }
        let from = at + part.len() - part.trim_start().len();
        found.push((name, from..from + name.len()));
        at += part.len() + 1;
    }
    Some(found)
}

/// JavaScript syntax in the pattern that Rust does not support.
fn beyond_rust(text: &str) -> Option<&'static str> {
    let mut previous = ' ';
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        let rest = text.get(at..).unwrap_or_default();
        if character == '\\' {
            match characters.next() {
                Some((_, '1'..='9')) => return Some("Rust patterns have no backreferences"),
                Some((_, 'k')) if rest.starts_with("\\k<") => {
                    return Some("Rust patterns have no backreferences");
                }
                _ => {}
            }
        } else if previous != '\\'
            && ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|mark| rest.starts_with(mark))
        {
            return Some("Rust patterns have no look-around");
        }
        previous = character;
    }
    None
}

/// Whether the pattern has Rust syntax that JavaScript lacks, so that our engine cannot evaluate it.
fn only_in_rust(text: &str) -> bool {
    let marks =
        ["(?i", "(?s", "(?m", "(?x", "(?u", "(?U", "(?-", "(?P", "\\A", "\\z", "[[:", "\\x{"];
    marks.iter().any(|mark| text.contains(mark)) || text.contains("\\p") || text.contains("\\P")
}

/// Whether a backtracking engine could take long or recurse deeply.
fn is_costly(text: &str) -> bool {
    const LONGEST: usize = 2_000;
    const DEEPEST: usize = 50;
    if text.len() > LONGEST {
        return true;
    }
    let is_quantifier = |c: char| matches!(c, '*' | '+' | '{');
    // For each open group, whether it contains a quantifier.
    let mut groups = Vec::new();
    let mut characters = text.chars().peekable();
    let mut repeats = 0;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '(' => groups.push(false),
            ')' => {
                let inner = groups.pop().unwrap_or(false);
                let repeated = characters.peek().copied().is_some_and(is_quantifier);
                if inner && repeated {
                    return true;
                }
                if let Some(outer) = groups.last_mut() {
                    *outer |= inner;
                }
            }
            character if is_quantifier(character) => {
                repeats += 1;
                if let Some(group) = groups.last_mut() {
                    *group = true;
                }
            }
            _ => {}
        }
        if groups.len() > DEEPEST {
            return true;
        }
    }
    // Several unbounded repetitions in a row are only polynomial, but names are short and few real matchers
    // have more than this.
    repeats > 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use HostId::{Claude, Codex, Cursor, Gemini};

    fn admits(host: HostId, text: &str, subject: &str) -> bool {
        meaning(host, tools(host), text).admits(subject)
    }

    fn is_invalid(host: HostId, text: &str) -> bool {
        matches!(meaning(host, tools(host), text), Meaning::Invalid(_))
    }

    /// The event whose matchers name tools.
    fn tools(host: HostId) -> &'static str {
        tenter_hosts::host(host).trial().shell_event
    }

    #[test]
    fn each_host_reads_the_same_text_its_own_way() {
        assert!(admits(Cursor, "Shel", "Shell"), "Cursor searches");
        assert!(!admits(Claude, "Edi", "Edit"), "Claude Code compares plain names");
        assert!(admits(Claude, "Edit*", "NotebookEdit"), "anything else is a pattern");
        assert!(admits(Claude, "Edit, Write", "Write"), "a comma separates there");
        assert!(!admits(Claude, "mcp__memory", "mcp__memory__store"));
        assert!(admits(Claude, "mcp__memory__.*", "mcp__memory__store"));
        assert!(!admits(Codex, "mcp__memory", "mcp__memory__store"));
        assert!(admits(Codex, "mcp__my-db", "mcp__my-db__query"), "a hyphen makes it a pattern");
        assert!(admits(Gemini, "read", "read_many_files"), "Gemini CLI searches in tools");
        let starts = |text| meaning(Gemini, "SessionStart", text).admits("startup");
        assert!(starts("startup") && !starts("start") && !starts("startup|resume"));
        for host in HostId::ALL {
            assert!(admits(host, "", "x") && admits(host, "*", "x"));
        }
    }

    #[test]
    fn patterns_that_no_dialect_has_are_invalid() {
        for host in HostId::ALL {
            assert!(is_invalid(host, "*.ts") && is_invalid(host, "(Bash"), "{host}");
        }
        assert!(is_invalid(Cursor, "(?i)shell"), "JavaScript has no inline flags");
        assert!(!is_invalid(Codex, "(?i)bash"));
        assert!(is_invalid(Codex, "^(?!Bash)") && !is_invalid(Claude, "^(?!Bash)"));
        assert!(is_invalid(Codex, "(a)\\1") && !is_invalid(Codex, "\\\\d"));
        for lenient in ["a{", "]", "}", "\\_", "[\\w-.]", "curl|wget|nc ", "rm\\s+-rf"] {
            assert!(!is_invalid(Cursor, lenient), "{lenient}: JavaScript takes it");
        }
    }

    #[test]
    fn costly_patterns_are_left_alone() {
        for text in ["(\\w+)+!", "((a*)b)*", &"(".repeat(5_000), &"a*".repeat(50)] {
            assert!(matches!(meaning(Cursor, "preToolUse", text), Meaning::Unjudged), "{text}");
        }
        assert!(matches!(meaning(Cursor, "preToolUse", "(a|b)*c+"), Meaning::Pattern(_)));
    }

    #[test]
    fn plain_names_are_found_with_their_place() {
        assert_eq!(names("Bash|Write"), Some(vec![("Bash", 0..4), ("Write", 5..10)]));
        assert_eq!(names("^(Bash)$"), Some(vec![("Bash", 2..6)]));
        assert_eq!(names("Edit, Write"), Some(vec![("Edit", 0..4), ("Write", 6..11)]));
        assert_eq!(names("mcp__.*"), None);
        assert_eq!(names("Bash||"), None);
    }
}
