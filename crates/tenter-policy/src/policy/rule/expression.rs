//! Regular expressions.
//!
//! Without the `string` feature of `regex-lite` there are none: a policy that holds one says so.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct Expression(());

impl Expression {
    /// Compiles an expression, or says what is wrong with it.
    pub(super) fn new(_text: &str) -> Result<Self, String> {
        Err("this build has no regular expressions".to_owned())
    }

    pub(super) fn find(&self, _text: &str) -> Option<Range<usize>> {
        let Self(()) = self;
        None
    }
}
