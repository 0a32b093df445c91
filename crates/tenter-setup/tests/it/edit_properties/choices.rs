//! Draws choices from a byte string.

use std::fmt::Write as _;

#[derive(Clone, Debug)]
pub(crate) struct Choices {
    bytes: Vec<u8>,
    at: usize,
    /// Number of comments so far: each contains its number.
    notes: usize,
}

impl Choices {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), at: 0, notes: 0 }
    }

    /// A number below `count`; always 0 when the bytes are used up.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        usize::from(byte) % count
    }

    /// True once in `count` times; never when the bytes are used up.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(crate) fn one_of<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.below(these.len())]
    }

    /// A unique comment text.
    pub(crate) fn note(&mut self) -> String {
        self.notes += 1;
        let mut note = self.one_of(&[" a, b", " \"q", " {[", "", " }],"]).to_owned();
        write!(note, " {}", self.notes).unwrap();
        note
    }
}
