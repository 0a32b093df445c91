//! With which words a phrase can begin: tables made of the phrases when compiling, so that most words
//! of a text are passed over by their first two letters.

use super::phrases::PHRASES;

pub(super) const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Words with which phrases begin, and which phrases those are, one bit each.
type Starts = [(u64, u32); 96];

static STARTS: Starts = starts();

/// The first two letters of all of them: most words are passed over by these alone.
static PAIRS: [u32; 26] = pairs();

/// The first eight letters of a word in one number.
#[expect(clippy::indexing_slicing, reason = "the index is below the length")]
const fn packed(bytes: &[u8], from: usize) -> u64 {
    let mut number = 0;
    let mut at = from;
    while at < bytes.len() && at < from + 8 && is_part(bytes[at]) {
        number = number << 8 | bytes[at].to_ascii_lowercase() as u64;
        at += 1;
    }
    number
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn starts() -> Starts {
    let mut table: Starts = [(u64::MAX, 0); 96];
    let mut count = 0;
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut at = 0;
        while at < phrase.len() && phrase[at] != b' ' {
            if at == 0 || phrase[at - 1] == b'|' {
                let number = packed(phrase, at);
                // Kept sorted.
                let mut place = 0;
                while place < count && table[place].0 < number {
                    place += 1;
                }
                if table[place].0 != number {
                    let mut last = count;
                    while last > place {
                        table[last] = table[last - 1];
                        last -= 1;
                    }
                    table[place] = (number, 0);
                    count += 1;
                }
                table[place].1 |= 1 << index;
            }
            at += 1;
        }
        index += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn pairs() -> [u32; 26] {
    let mut table = [0_u32; 26];
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut at = 0;
        while at + 1 < phrase.len() && phrase[at] != b' ' {
            if at == 0 || phrase[at - 1] == b'|' {
                table[(phrase[at] - b'a') as usize] |= 1 << (phrase[at + 1] - b'a');
            }
            at += 1;
        }
        index += 1;
    }
    table
}

pub(super) fn may_start(first: u8, second: u8) -> bool {
    let first = (first | 0x20).wrapping_sub(b'a');
    let second = (second | 0x20).wrapping_sub(b'a');
    PAIRS
        .get(usize::from(first))
        .is_some_and(|seconds| seconds.wrapping_shr(second.into()) & 1 == 1)
}

/// What a byte is to the search: nothing, part of a word, or the opening of a tag.
static CLASSES: [u8; 256] = classes();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'<' | b'[' => 2,
            _ => is_part(byte) as u8,
        };
        if byte == 255 {
            return table;
        }
        byte += 1;
    }
}

pub(super) fn kind(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The phrases that begin with the word that starts here, one bit each.
pub(super) fn starting(word: &[u8]) -> u32 {
    let number = packed(word, 0);
    let place = STARTS.binary_search_by_key(&number, |(known, _)| *known);
    place.ok().and_then(|place| STARTS.get(place)).map_or(0, |(_, phrases)| *phrases)
}
