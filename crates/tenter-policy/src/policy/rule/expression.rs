//! Regular expressions.

use std::ops::Range;

use regex_lite::{Regex, RegexBuilder};

#[derive(Debug)]
pub(super) struct Expression(Regex);

impl Expression {
    /// Compiles an expression, or says what is wrong with it. A project may bring one along, so what
    /// it can cost is bounded.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        const SIZE: usize = 64 * 1024;
        let built = RegexBuilder::new(text).size_limit(SIZE).nest_limit(50).build();
        built.map(Self).map_err(|error| error.to_string())
    }

    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.0.find(text).map(|found| found.range())
    }
}
