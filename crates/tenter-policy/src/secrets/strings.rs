//! Many short strings in one array.
//!
//! A table of `&str` contains addresses, which the loader of a position-independent program must relocate at
//! every start. This one has none.

/// `N` texts of `B` bytes in all.
pub(super) struct Strings<const N: usize, const B: usize> {
    bytes: [u8; B],
    ends: [u16; N],
}

impl<const N: usize, const B: usize> Strings<N, B> {
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
    #[expect(clippy::cast_possible_truncation, reason = "checked when compiling")]
    pub(super) const fn new(texts: &[&str; N]) -> Self {
        assert!(B <= u16::MAX as usize, "the texts are too long together");
        let mut strings = Self { bytes: [0; B], ends: [0; N] };
        let mut len = 0;
        let mut text = 0;
        while text < N {
            let source = texts[text].as_bytes();
            let mut at = 0;
            while at < source.len() {
                strings.bytes[len] = source[at];
                len += 1;
                at += 1;
            }
            strings.ends[text] = len as u16;
            text += 1;
        }
        strings
    }

    /// The string at this index, or an empty one.
    pub(super) fn get(&self, index: usize) -> &str {
        str::from_utf8(self.bytes(index)).unwrap_or_default()
    }

    /// The same, as bytes.
    pub(super) fn bytes(&self, index: usize) -> &[u8] {
        let end = |at: usize| self.ends.get(at).copied().map_or(0, usize::from);
        let start = index.checked_sub(1).map_or(0, end);
        self.bytes.get(start..end(index)).unwrap_or_default()
    }
}

/// Total length of these strings.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
pub(super) const fn size(texts: &[&str]) -> usize {
    let mut size = 0;
    let mut at = 0;
    while at < texts.len() {
        size += texts[at].len();
        at += 1;
    }
    size
}
