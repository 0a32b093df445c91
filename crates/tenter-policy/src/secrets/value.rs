//! What a value looks like: random, like a password, or like words.

/// How much of a long value is looked at.
const LOOK: usize = 512;

/// For each letter, the letters that often follow it in English and in code.
const FOLLOWS: [u32; 26] = [
    20_887_886, 1_460_497, 1_723_797, 1_460_505, 11_516_287, 1_067_313, 1_466_768, 672_017,
    45_021_311, 0, 262_416, 18_630_937, 1_364_243, 3_960_189, 8_322_414, 2_017_553, 1_048_576,
    18_773_341, 18_661_781, 18_762_133, 964_887, 273, 24_849, 557_072, 294_912, 16,
];

/// Counts over a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    pub(super) len: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digit: usize,
    /// What passwords have and names do not.
    pub(super) symbol: usize,
    pub(super) space: usize,
    /// Bytes that are not printable ASCII.
    pub(super) foreign: usize,
    pub(super) distinct: u32,
    /// Letters in runs that read like words.
    pub(super) wordy: usize,
    /// Digits that a letter follows.
    pub(super) inner: usize,
    /// Pieces between `-`, `_`, `.`, `/` and the like, and the longest and shortest of them.
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
            self.common = self.common.saturating_add(1);
        }
        self.len = self.len.saturating_add(1);
        self.last = Some(letter);
    }

    /// How many letters of a word this run has; the run begins anew.
    fn end(&mut self) -> usize {
        let pairs = self.len.saturating_sub(1);
        let word = self.len >= 3 && self.common.saturating_mul(10) >= pairs.saturating_mul(6);
        let len = if word { self.len } else { 0 };
        *self = Self::default();
        len
    }
}

fn follows(first: u8, second: u8) -> bool {
    let row = FOLLOWS.get(usize::from(first.wrapping_sub(b'a'))).copied().unwrap_or(0);
    row.wrapping_shr(u32::from(second.wrapping_sub(b'a'))) & 1 == 1
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
            let joint = matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'=' | b'+' | b',');
            let camel = byte.is_ascii_uppercase() && before.is_ascii_lowercase();
            if !byte.is_ascii_alphabetic() || camel {
                traits.wordy = traits.wordy.saturating_add(run.end());
            }
            if byte.is_ascii_alphabetic() {
                run.push(byte);
                if before.is_ascii_digit() {
                    traits.inner = traits.inner.saturating_add(1);
                }
            }
            traits.count(byte, joint);
            if joint {
                traits.piece(piece);
                piece = 0;
            } else {
                piece = piece.saturating_add(1);
            }
            before = byte;
        }
        traits.wordy = traits.wordy.saturating_add(run.end());
        traits.piece(piece);
        traits.distinct = seen.count_ones();
        traits
    }

    fn count(&mut self, byte: u8, joint: bool) {
        let counter = match byte {
            b'a'..=b'z' => &mut self.lower,
            b'A'..=b'Z' => &mut self.upper,
            b'0'..=b'9' => &mut self.digit,
            b' ' | b'\t' => &mut self.space,
            b'!'..=b'~' if !joint => &mut self.symbol,
            b'!'..=b'~' => return,
            _ => &mut self.foreign,
        };
        *counter = counter.saturating_add(1);
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

    /// How many of lower case, upper case, digits and symbols it has.
    pub(super) fn kinds(&self) -> usize {
        [self.lower, self.upper, self.digit, self.symbol].iter().filter(|count| **count > 0).count()
    }

    /// Mostly words, as names and phrases are.
    pub(super) fn reads(&self) -> bool {
        self.wordy.saturating_mul(2) >= self.alnum()
    }

    /// At least this long and without a pattern, as keys are.
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
        if self.digit == 0 && self.wordy.saturating_mul(3) >= self.letters() {
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

    /// What a person who was told to choose a good password would type.
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
