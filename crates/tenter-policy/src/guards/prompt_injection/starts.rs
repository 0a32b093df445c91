//! Compile-time tables of the phrases: their first words and tokens. Most words of a text are rejected by
//! their first three letters.

use super::phrases::PHRASES;

pub(super) const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Alternatives for one word of a phrase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Byte range in the phrase's text.
    from: u16,
    to: u16,
    /// May be absent or repeated.
    pub optional: bool,
    /// First letters and lengths of the alternatives, as bits.
    firsts: u32,
    lengths: u32,
}

impl Token {
    /// Whether `found` is one of the alternatives.
    pub(super) fn fits(&self, phrase: &str, found: &[u8]) -> bool {
        let first = found.first().map_or(0, |byte| u32::from(*byte & 31));
        let length = u32::try_from(found.len().min(31)).unwrap_or(31);
        (self.firsts >> first) & (self.lengths >> length) & 1 == 1
            && phrase.get(self.from.into()..self.to.into()).is_some_and(|words| {
                words.split('|').any(|word| word.as_bytes().eq_ignore_ascii_case(found))
            })
    }
}

/// Total number of tokens of all phrases.
const COUNT: usize = count();
static TOKENS: [Token; COUNT] = tokens();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn count() -> usize {
    let mut count = 0;
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut at = 0;
        while at < phrase.len() {
            count += (phrase[at] == b' ') as usize;
            at += 1;
        }
        count += 1;
        index += 1;
    }
    count
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn tokens() -> [Token; COUNT] {
    let mut tokens = [Token { from: 0, to: 0, optional: false, firsts: 0, lengths: 0 }; COUNT];
    let mut place = 0;
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut at = 0;
        while at < phrase.len() {
            at = token(phrase, at, &mut tokens[place]) + 1;
            place += 1;
        }
        index += 1;
    }
    tokens
}

/// Parses the token that begins at `at`; returns its end.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::cast_possible_truncation, reason = "a phrase is some hundred bytes long")]
const fn token(phrase: &[u8], mut at: usize, token: &mut Token) -> usize {
    token.optional = phrase[at] == b'?';
    if token.optional {
        at += 1;
    }
    token.from = at as u16;
    let mut start = at;
    while at < phrase.len() && phrase[at] != b' ' {
        if phrase[at] == b'|' {
            start = at + 1;
        } else {
            if at == start {
                token.firsts |= 1 << (phrase[at] & 31);
            }
            if at + 1 == phrase.len() || phrase[at + 1] == b' ' || phrase[at + 1] == b'|' {
                token.lengths |= 1 << (at + 1 - start);
            }
        }
        at += 1;
    }
    token.to = at as u16;
    at
}

/// First letters of the phrases' first words: for each first two, the third ones as bits.
static LETTERS: [u32; 1024] = letters();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn letters() -> [u32; 1024] {
    let mut table = [0_u32; 1024];
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut at = 0;
        while phrase[at] != b' ' {
            if at == 0 || phrase[at - 1] == b'|' {
                let place = (phrase[at] & 31) as usize * 32 + (phrase[at + 1] & 31) as usize;
                let third = phrase[at + 2];
                // A word of two letters may be followed by anything.
                table[place] |= if is_part(third) { 1 << (third & 31) } else { u32::MAX };
            }
            at += 1;
        }
        index += 1;
    }
    table
}

/// Whether a phrase may begin with a word of these first letters.
pub(super) fn may_start(letters: &[u8]) -> bool {
    let [first, second, third, ..] = letters else { return false };
    let place = usize::from(first & 31) * 32 + usize::from(second & 31);
    LETTERS.get(place).is_some_and(|thirds| thirds >> (third & 31) & 1 == 1)
}

/// First words, and the phrases they start as bits.
type Starts = [(u64, u64); 128];

static STARTS: Starts = starts();

/// The first eight letters of a word in one integer.
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
    let mut table: Starts = [(u64::MAX, 0); 128];
    let mut count = 0;
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut at = 0;
        while phrase[at] != b' ' {
            if at == 0 || phrase[at - 1] == b'|' {
                let number = packed(phrase, at);
                // Insert sorted.
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

/// Index of each phrase's first token, and the end of the last.
static PLACES: [u16; PHRASES.len() + 1] = places();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn places() -> [u16; PHRASES.len() + 1] {
    let mut table = [0; PHRASES.len() + 1];
    let mut index = 0;
    while index < PHRASES.len() {
        let phrase = PHRASES[index].2.as_bytes();
        let mut count = 1;
        let mut at = 0;
        while at < phrase.len() {
            count += (phrase[at] == b' ') as u16;
            at += 1;
        }
        table[index + 1] = table[index] + count;
        index += 1;
    }
    table
}

/// The phrases that begin with this word, as bits.
pub(super) fn starting(word: &[u8]) -> u64 {
    let number = packed(word, 0);
    let place = STARTS.binary_search_by_key(&number, |(known, _)| *known);
    place.ok().and_then(|place| STARTS.get(place)).map_or(0, |(_, phrases)| *phrases)
}

/// The tokens of a phrase.
pub(super) fn tokens_of(phrase: usize) -> &'static [Token] {
    match PLACES.get(phrase..phrase + 2) {
        Some([from, to]) => TOKENS.get(usize::from(*from)..usize::from(*to)).unwrap_or_default(),
        _ => &[],
    }
}

/// Class of a byte for the search: none, part of a word, or start of a tag.
static KINDS: [u8; 256] = kinds();

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn kinds() -> [u8; 256] {
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
    KINDS.get(usize::from(byte)).copied().unwrap_or_default()
}
