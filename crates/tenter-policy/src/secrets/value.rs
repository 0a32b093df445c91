//! Classifies values: random, password-like, or words.

/// Maximum number of bytes examined of a value.
const LOOK: usize = 512;

/// For each letter, the letters that often follow it in English and in code.
const FOLLOWS: [u32; 26] = [
    20_887_886, 1_460_497, 1_723_797, 1_460_505, 11_516_287, 1_067_313, 1_466_768, 672_017,
    45_021_311, 0, 262_416, 18_630_937, 1_364_243, 3_960_189, 8_322_414, 2_017_553, 1_048_576,
    18_773_341, 18_661_781, 18_762_133, 964_887, 273, 24_849, 557_072, 294_912, 16,
];

pub(super) const LOWER: u8 = 1;
pub(super) const UPPER: u8 = 1 << 1;
pub(super) const DIGIT: u8 = 1 << 2;
/// Characters typical of passwords and not of names.
pub(super) const SYMBOL: u8 = 1 << 3;
/// Separators of words in names and paths.
pub(super) const JOINT: u8 = 1 << 4;
pub(super) const BLANK: u8 = 1 << 5;
/// Neither printable ASCII nor blank.
pub(super) const FOREIGN: u8 = 1 << 6;
/// Brackets, which are symbols too.
pub(super) const BRACKET: u8 = 1 << 7;

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
static KIND: [u8; 256] = byte_table!(kind_of);

const fn kind_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        b' ' | b'\t' => BLANK,
        b'-' | b'_' | b'.' | b'/' | b':' | b'=' | b'+' | b',' => JOINT,
        b'(' | b')' | b'[' | b']' | b'{' | b'}' => BRACKET | SYMBOL,
        b'!'..=b'~' => SYMBOL,
        _ => FOREIGN,
    }
}

fn kind(byte: u8) -> u8 {
    KIND.get(usize::from(byte)).copied().unwrap_or(FOREIGN)
}

/// The kinds of bytes in a text: a cheap first test.
pub(super) fn kinds(text: &[u8]) -> u8 {
    text.iter().take(LOOK).fold(0, |kinds, byte| kinds | kind(*byte))
}

/// Statistics of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    pub(super) len: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digit: usize,
    /// Number of characters typical of passwords.
    pub(super) symbol: usize,
    pub(super) space: usize,
    /// Bytes that are not printable ASCII.
    pub(super) foreign: usize,
    pub(super) distinct: u32,
    /// Number of letters in word-like runs.
    pub(super) wordy: usize,
    /// Number of digits followed by a letter.
    pub(super) inner: usize,
    /// Pieces between separators, and the longest and shortest of them.
    pub(super) pieces: usize,
    pub(super) longest: usize,
    pub(super) shortest: usize,
}

/// A run of letters that may be a word.
#[derive(Default)]
struct Run {
    len: usize,
    common: usize,
    last: Option<u8>,
}

impl Run {
    fn push(&mut self, letter: u8) {
        let letter = letter.to_ascii_lowercase();
        if self.last.is_some_and(|last| follows(last, letter)) {
            self.common = self.common.wrapping_add(1);
        }
        self.len = self.len.wrapping_add(1);
        self.last = Some(letter);
    }

    /// Returns the number of word-like letters of the run and resets it.
    fn end(&mut self) -> usize {
        let pairs = self.len.saturating_sub(1);
        let word = self.len >= 3 && self.common.saturating_mul(10) >= pairs.saturating_mul(6);
        let len = if word { self.len } else { 0 };
        *self = Self::default();
        len
    }
}

/// Whether these two lower-case letters often occur together.
#[expect(clippy::indexing_slicing, reason = "both are checked to be letters")]
pub(super) const fn follows(first: u8, second: u8) -> bool {
    first.is_ascii_lowercase()
        && second.is_ascii_lowercase()
        && FOLLOWS[(first - b'a') as usize] >> (second - b'a') & 1 == 1
}

impl Traits {
    pub(super) fn of(value: &[u8]) -> Self {
        let mut traits = Self { len: value.len(), ..Self::default() };
        let mut seen = 0_u128;
        let mut run = Run::default();
        let mut piece = 0_usize;
        let mut before = 0_u8;
        for byte in value.iter().take(LOOK).copied() {
            seen |= 1_u128.wrapping_shl(u32::from(byte & 127));
            let kind = kind(byte);
            let letter = kind & (LOWER | UPPER) != 0;
            if !letter || (kind == UPPER && before == LOWER) {
                traits.wordy = traits.wordy.wrapping_add(run.end());
            }
            if letter {
                run.push(byte);
                traits.inner = traits.inner.wrapping_add(usize::from(before == DIGIT));
            }
            traits.count(kind);
            if kind == JOINT {
                traits.piece(piece);
                piece = 0;
            } else {
                piece = piece.wrapping_add(1);
            }
            before = kind;
        }
        traits.wordy = traits.wordy.wrapping_add(run.end());
        traits.piece(piece);
        traits.distinct = seen.count_ones();
        traits
    }

    fn count(&mut self, kind: u8) {
        let counter = match kind {
            LOWER => &mut self.lower,
            UPPER => &mut self.upper,
            DIGIT => &mut self.digit,
            BLANK => &mut self.space,
            JOINT => return,
            FOREIGN => &mut self.foreign,
            _ => &mut self.symbol,
        };
        *counter = counter.wrapping_add(1);
    }

    fn piece(&mut self, len: usize) {
        if len == 0 {
            return;
        }
        self.shortest = if self.pieces == 0 { len } else { self.shortest.min(len) };
        self.longest = self.longest.max(len);
        self.pieces = self.pieces.saturating_add(1);
    }

    pub(super) fn letters(&self) -> usize {
        self.lower.saturating_add(self.upper)
    }

    fn alnum(&self) -> usize {
        self.letters().saturating_add(self.digit)
    }

    /// Number of kinds present: lower case, upper case, digits and symbols.
    pub(super) fn kinds(&self) -> usize {
        [self.lower, self.upper, self.digit, self.symbol].iter().filter(|count| **count > 0).count()
    }

    /// Whether it is mostly words, like names and phrases.
    pub(super) fn reads(&self) -> bool {
        self.wordy.saturating_mul(2) >= self.alnum()
    }

    /// Whether it has at least this length and no pattern, like keys.
    pub(super) fn random(&self, least: usize) -> bool {
        if self.len < least || self.space > 0 || self.foreign > 0 {
            return false;
        }
        let seen = self.len.min(LOOK);
        if self.alnum().saturating_mul(4) < seen.saturating_mul(3) || self.reads() {
            return false;
        }
        if self.letters() == 0 || (self.digit == 0 && (self.lower == 0 || self.upper == 0)) {
            let letters = self.digit == 0 && self.len >= 16 && self.pieces == 1;
            return letters && self.distinct >= 9 && self.wordy.saturating_mul(4) < self.letters();
        }
        if self.digit == 0 && self.wordy.saturating_mul(5) >= self.letters().saturating_mul(2) {
            return false;
        }
        let needed = match self.len {
            0..16 => 6,
            16..24 => 7,
            _ => 8,
        };
        // `k8s-prd-eu-1` is a name; `A1B2-C3D4-E5F6` is a key.
        let name = self.pieces >= 3 && self.longest < 8 && self.shortest != self.longest;
        self.distinct >= needed && !name && self.letters() >= 3
    }

    /// Whether it is one piece with inner digits and mixed case, unlike a name.
    pub(super) fn shuffled(&self) -> bool {
        let third = |count: usize| count.saturating_mul(3) >= self.letters();
        self.inner >= 1 && self.pieces == 1 && third(self.upper) && third(self.lower)
    }

    /// Whether it is more than words, for text that already has a token's form.
    pub(super) fn varied(&self) -> bool {
        let mixed = self.digit > 0 || (self.lower > 0 && self.upper > 0);
        // Words have no inner digits.
        let whole = self.digit >= 2 && self.inner >= 1 && self.pieces == 1 && self.len >= 20;
        whole || mixed && self.wordy.saturating_mul(10) < self.alnum().saturating_mul(8)
    }

    /// Whether it looks like a password typed by a person.
    pub(super) fn password(&self) -> bool {
        if self.len < 8 || self.len > 128 || self.space > 0 || self.foreign > 0 {
            return false;
        }
        match self.kinds() {
            0 | 1 => self.random(16),
            2 if self.symbol > 0 => self.letters() >= 4 && self.len >= 10 && self.distinct >= 6,
            2 => self.random(10) || (self.inner >= 2 && self.len >= 10),
            _ => self.letters() >= 3 && self.distinct >= 5,
        }
    }
}

/// Eight, four, four, four and twelve hexadecimal digits.
pub(super) fn uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

pub(super) fn hex(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_hexdigit)
}
