//! Bounded regular expressions.

use std::ops::Range;

use regex_lite::{Regex, RegexBuilder};

#[derive(Debug)]
pub(crate) struct Expression(Regex);

impl Expression {
    /// Compiles an expression; the error is a message. A project may supply it, so its cost is limited.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        const SIZE: usize = 64 * 1024;
        let built = RegexBuilder::new(text).size_limit(SIZE).nest_limit(50).build();
        built.map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.0.find(text).map(|found| found.range())
    }

    /// All non-overlapping matches.
    pub(crate) fn all(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.0.find_iter(text).map(|found| found.range())
    }
}
