//! Word lists with fast lookup.

/// A sorted list of words, each folded to an integer.
pub(super) struct Words<const N: usize>([u64; N]);

impl<const N: usize> Words<N> {
    /// Builds the list from the words of a text.
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
    pub(super) const fn new(list: &str) -> Self {
        let mut words = [u64::MAX; N];
        let mut len = 0;
        let mut rest = list.as_bytes();
        while !rest.is_empty() {
            let (word, after) = split(rest);
            rest = after;
            let number = fold(word);
            let mut at = len;
            while at > 0 && words[at - 1] > number {
                words[at] = words[at - 1];
                at -= 1;
            }
            words[at] = number;
            len += 1;
        }
        assert!(len == N, "the list has another length");
        Self(words)
    }

    pub(super) fn has(&self, word: &[u8]) -> bool {
        self.0.binary_search(&fold(word)).is_ok()
    }
}

/// Number of words of a text.
pub(super) const fn count(list: &str) -> usize {
    let mut count = 0;
    let mut rest = list.as_bytes();
    while !rest.is_empty() {
        rest = split(rest).1;
        count += 1;
    }
    count
}

/// The first word, and the rest after the blank.
const fn split(list: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    let mut rest = list;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b' ' {
            break;
        }
        at += 1;
    }
    (list.split_at(at).0, rest)
}

/// Up to eight letters fit; the rest of a longer word is mixed in.
const fn fold(word: &[u8]) -> u64 {
    let mut number: u64 = 0;
    let mut rest = word;
    while let [byte, after @ ..] = rest {
        number = number.rotate_left(8) ^ *byte as u64;
        if rest.len() + 8 <= word.len() {
            number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        rest = after;
    }
    number
}
