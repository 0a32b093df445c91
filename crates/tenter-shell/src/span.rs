//! Positions in the command's text.

/// A byte range of the original command. Computed text (a decoded string, the value of a variable) has the
/// span of the words that computed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Moves it behind text that is put before the command. An empty span stays empty.
    pub(crate) fn shift(&mut self, by: u32) {
        if !self.is_empty() {
            self.start = self.start.saturating_add(by);
            self.end = self.end.saturating_add(by);
        }
    }

    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Maps spans of a piece of code to the original command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The code is a verbatim part of the command that starts at this byte.
    Verbatim(u32),
    /// The code was computed; all of it is said by this span.
    Computed(Span),
}

impl Origin {
    pub fn map(self, span: Span) -> Span {
        match self {
            Self::Verbatim(base) => {
                Span { start: span.start.saturating_add(base), end: span.end.saturating_add(base) }
            }
            Self::Computed(whole) => whole,
        }
    }
}
