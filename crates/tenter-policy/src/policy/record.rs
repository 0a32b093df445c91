//! Settings of the record: the `[record]` table.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use tenter_model::{EmailMode, RecordLevel};

use super::rule::{Expression, Word};

/// Which records are flushed to disk before the answer. Ordered: later is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SyncMode {
    /// None: records survive the process, but not a power cut.
    #[default]
    Off,
    /// Records of calls that were stopped.
    Stops,
    All,
}

impl SyncMode {
    pub const ALL: [SyncMode; 3] = [SyncMode::Off, SyncMode::Stops, SyncMode::All];

    pub const fn as_str(self) -> &'static str {
        match self {
            SyncMode::Off => "off",
            SyncMode::Stops => "stops",
            SyncMode::All => "all",
        }
    }
}

/// The `[record]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordPolicy {
    pub level: RecordLevel,
    /// Redactions besides secrets.
    pub redact: Vec<Redaction>,
    pub email: EmailMode,
    /// Number of days records are kept; `None` means for ever.
    pub keep_days: Option<u32>,
    pub sync: SyncMode,
}

impl Default for RecordPolicy {
    fn default() -> Self {
        Self {
            level: RecordLevel::default(),
            redact: Vec::new(),
            email: EmailMode::default(),
            keep_days: Some(90),
            sync: SyncMode::default(),
        }
    }
}

/// Replacement of redacted text.
pub const REDACTED: &str = "[redacted]";

impl RecordPolicy {
    /// The text with [`REDACTED`] in place of all matches.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut found = Vec::new();
        for redaction in &self.redact {
            redaction.find(text, &mut found);
        }
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        // All are searched in the original text, so that no redaction hides another match.
        found.sort_unstable_by_key(|range| range.start);
        let mut clean = String::with_capacity(text.len());
        let mut at = 0;
        for range in found {
            if range.start >= at {
                clean.push_str(text.get(at..range.start).unwrap_or_default());
                clean.push_str(REDACTED);
            }
            at = at.max(range.end);
        }
        clean.push_str(text.get(at..).unwrap_or_default());
        Cow::Owned(clean)
    }

    /// Retention as written in a policy file.
    pub fn keep(&self) -> String {
        self.keep_days.map_or_else(|| FOREVER.to_owned(), |days| format!("{days}d"))
    }
}

/// The word for unlimited retention.
pub(super) const FOREVER: &str = "forever";

/// A regular expression whose matches are redacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Redaction {
    word: Word,
    #[serde(skip)]
    compiled: Lazy,
}

impl Redaction {
    /// Compiles the expression once, to check it.
    pub(super) fn new(regex: &str) -> Result<Self, String> {
        if Expression::new(regex)?.find("").is_some() {
            return Err("it also fits a text without any letters".to_owned());
        }
        Ok(Self { word: Word::matches(regex)?, compiled: Lazy::default() })
    }

    /// The expression as written.
    pub fn as_str(&self) -> &str {
        match &self.word {
            Word::Holds(text) | Word::Matches { regex: text, .. } => text,
        }
    }

    /// Adds all matches in the whole text, however long: a miss would be recorded.
    fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let Word::Matches { regex, literal } = &self.word else {
            return;
        };
        // Compiled only if the literal occurs, and then once for all texts of a call.
        if text.contains(literal.as_str())
            && let Some(expression) = self.compiled.0.get_or_init(|| Expression::new(regex).ok())
        {
            found.extend(expression.all(text).filter(|range| !range.is_empty()));
        }
    }
}

/// A lazily compiled expression.
#[derive(Debug, Default)]
struct Lazy(OnceLock<Option<Expression>>);

impl Clone for Lazy {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Lazy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(patterns: &[&str]) -> RecordPolicy {
        let redact = patterns.iter().map(|regex| Redaction::new(regex).unwrap()).collect();
        RecordPolicy { redact, ..RecordPolicy::default() }
    }

    #[test]
    fn every_match_of_every_pattern_is_taken_out() {
        let cases: [(&[&str], &str, &str); 8] = [
            (&["ACME-[0-9]{6}"], "see ACME-123456, ACME-654321", "see [redacted], [redacted]"),
            (&["ACME-[0-9]{6}"], "ACME-12345", "ACME-12345"),
            (&["(?i)kestrel"], "Kestrel KESTREL", "[redacted] [redacted]"),
            (&["a1", "b2"], "b2 a1 b2", "[redacted] [redacted] [redacted]"),
            // Overlapping matches of two patterns are redacted as a whole, in any order.
            (&["ID-[0-9]{3}", "ID-[0-9]{6}"], "ID-123456.", "[redacted]."),
            (&["34-xy", "ID-[0-9]+"], "ID-1234-xy.", "[redacted]."),
            (&["redacted"], "redacted", "[redacted]"),
            (&["\\bx?"], "ax x", "ax [redacted]"),
        ];
        for (patterns, text, expected) in cases {
            assert_eq!(record(patterns).redact(text), expected, "{patterns:?}");
        }
        let long = format!("{}ACME-000001", "\u{e9} ACME- ".repeat(100_000));
        assert!(record(&["ACME-[0-9]{6}"]).redact(&long).ends_with("ACME- [redacted]"));
    }

    #[test]
    fn nothing_is_compiled_before_the_literal_is_there() {
        let record = record(&["ACME-[0-9]{6}"]);
        assert!(matches!(record.redact("nothing to see"), Cow::Borrowed(_)));
        assert!(record.redact[0].compiled.0.get().is_none());
        assert!(matches!(record.redact("ACME-"), Cow::Borrowed(_)));
        assert!(record.redact[0].compiled.0.get().is_some());
    }

    #[test]
    fn a_pattern_that_fits_nothing_at_all_is_refused() {
        for regex in ["", "x*", "^", "(", "a|"] {
            assert!(Redaction::new(regex).is_err(), "{regex}");
        }
    }
}
