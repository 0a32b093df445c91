//! The first pass over a text: where is a second look worth it?
//!
//! Every form we know has three bytes in a row that are rare elsewhere. A table, built when
//! compiling, has a bit for each such three; the pass costs a few instructions per byte and no
//! set-up. Bytes are folded to 32 classes first, so that case and the digit do not matter.

use super::rules::{FORMS, SHAPES};
use super::shape::{self, Piece};

/// Which places to look at: a bit for the third class, by the first two.
pub(super) type Rows = [u32; 1024];

/// How many bytes of a form are looked at for the three that are rarest.
const WINDOW: usize = 96;

/// One form that may be present where its three bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    trigram: u16,
    /// Index of the form.
    pub(super) target: u16,
    /// How far the three bytes are from the beginning of the form.
    pub(super) at: u8,
}

static CLASS: [u8; 256] = classes();
/// More anchors than there are.
const MOST: usize = 1200;
const BUILT: ([Anchor; MOST], usize) = build();
const SIZE: usize = BUILT.1;
static ANCHORS: [Anchor; SIZE] = anchors();
pub(super) static ROWS: Rows = rows();
/// The first anchor of each pair of classes.
static FIRST: [u16; 1025] = first();

/// How often a class is met in ordinary text, about, in thousandths.
const WEIGHT: [u32; 32] = [
    60, 12, 30, 32, 90, 18, 15, 25, 55, 2, 6, 35, 22, 55, 55, 22, 2, 50, 55, 65, 25, 8, 10, 5, 12,
    2, 40, 30, 15, 10, 12, 220,
];

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' => 26,
        b'_' | b'-' => 27,
        b'.' => 28,
        b':' => 29,
        b'/' | b'~' => 30,
        _ => 31,
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        table[byte as usize] = class_of(byte);
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(31)
}

/// The places of a form whose distance from its beginning is fixed.
struct Places {
    /// The classes of the bytes that may be at each place.
    sets: [u32; WINDOW],
    /// How often such a byte is met.
    weights: [u64; WINDOW],
    len: usize,
}

impl Places {
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
    const fn push(&mut self, set: u32, count: usize) {
        let mut weight = 0;
        let mut class = 0;
        while class < 32 {
            if set >> class & 1 == 1 {
                weight += WEIGHT[class] as u64;
            }
            class += 1;
        }
        let mut added = 0;
        while added < count && self.len < WINDOW {
            self.sets[self.len] = set;
            self.weights[self.len] = weight;
            self.len += 1;
            added += 1;
        }
    }

    const fn of(form: &str) -> Self {
        let mut places = Self { sets: [0; WINDOW], weights: [0; WINDOW], len: 0 };
        let mut rest = form.as_bytes();
        while let Some((piece, after)) = shape::piece(rest) {
            rest = after;
            match piece {
                Piece::Mark => {}
                Piece::Literal(byte) => places.push(1 << class_of(byte), 1),
                Piece::Run(run) => {
                    let mut set = 0;
                    let mut byte: u8 = b'%';
                    while byte < 128 {
                        if run.holds(byte) {
                            set |= 1 << class_of(byte);
                        }
                        byte += 1;
                    }
                    places.push(set, run.min);
                    if run.max != run.min {
                        return places;
                    }
                }
            }
        }
        places
    }

    /// Where the three places in a row are that are met least.
    #[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
    const fn rarest(&self) -> usize {
        assert!(self.len >= 3, "a form needs three fixed places");
        let mut best = 0;
        let mut lowest = u64::MAX;
        let mut at = 0;
        while at + 2 < self.len {
            let weight = self.weights[at] * self.weights[at + 1] * self.weights[at + 2];
            if weight < lowest {
                lowest = weight;
                best = at;
            }
            at += 1;
        }
        best
    }
}

/// Every anchor, and how many there are; sorted by trigram, and of one trigram by form.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::cast_possible_truncation, reason = "small numbers, checked when compiling")]
const fn build() -> ([Anchor; MOST], usize) {
    let mut table = [Anchor { trigram: 0, target: 0, at: 0 }; MOST];
    let mut count = 0;
    let mut target = 0;
    while target < FORMS {
        let places = Places::of(SHAPES[target]);
        let at = places.rarest();
        let mut code: u32 = 0;
        while code < 1 << 15 {
            if places.sets[at] >> (code >> 10) & 1 == 0 {
                code += 1 << 10;
                continue;
            }
            if places.sets[at + 1] >> (code >> 5 & 31) & 1 == 0 {
                code += 1 << 5;
                continue;
            }
            if places.sets[at + 2] >> (code & 31) & 1 == 1 {
                // The one before is moved up until its place is found.
                let mut place = count;
                while place > 0 && table[place - 1].trigram > code as u16 {
                    table[place] = table[place - 1];
                    place -= 1;
                }
                table[place] = Anchor { trigram: code as u16, target: target as u16, at: at as u8 };
                count += 1;
            }
            code += 1;
        }
        target += 1;
    }
    (table, count)
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn anchors() -> [Anchor; SIZE] {
    let mut table = [Anchor { trigram: 0, target: 0, at: 0 }; SIZE];
    let mut at = 0;
    while at < SIZE {
        table[at] = BUILT.0[at];
        at += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn rows() -> Rows {
    let mut rows = [0; 1024];
    let mut at = 0;
    while at < SIZE {
        let code = ANCHORS[at].trigram;
        rows[(code >> 5) as usize] |= 1 << (code & 31);
        at += 1;
    }
    rows
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::cast_possible_truncation, reason = "there are far fewer than 65536 anchors")]
const fn first() -> [u16; 1025] {
    let mut first = [0; 1025];
    let mut pair = 0;
    let mut at = 0;
    while pair < 1025 {
        while at < SIZE && ((ANCHORS[at].trigram >> 5) as usize) < pair {
            at += 1;
        }
        first[pair] = at as u16;
        pair += 1;
    }
    first
}

/// The next place at or after `from` where three marked bytes end: the index of the third.
pub(super) fn next(rows: &Rows, bytes: &[u8], from: usize) -> Option<usize> {
    let (mut before, mut row) = state(rows, bytes, from);
    let rest = bytes.get(from..)?;
    for (index, byte) in rest.iter().enumerate() {
        let class = class(*byte);
        if row.wrapping_shr(u32::from(class)) & 1 != 0 {
            return Some(from.wrapping_add(index));
        }
        let pair = (usize::from(before) << 5 | usize::from(class)) & 1023;
        row = rows.get(pair).copied().unwrap_or(0);
        before = class;
    }
    None
}

/// What the pass remembers of the two bytes before a place.
fn state(rows: &Rows, bytes: &[u8], from: usize) -> (u8, u32) {
    let behind = |by: usize| from.checked_sub(by).and_then(|at| bytes.get(at)).copied();
    let before = behind(1).map_or(31, class);
    match behind(2) {
        Some(byte) => {
            let pair = (usize::from(class(byte)) << 5 | usize::from(before)) & 1023;
            (before, rows.get(pair).copied().unwrap_or(0))
        }
        None => (before, 0),
    }
}

/// The code of the three bytes that end at `third`.
pub(super) fn code(bytes: &[u8], third: usize) -> Option<u16> {
    let three = bytes.get(third.checked_sub(2)?..third.checked_add(1)?)?;
    Some(three.iter().fold(0, |code, byte| code << 5 | u16::from(class(*byte))))
}

/// The forms that may be where these three bytes are.
pub(super) fn forms(code: u16) -> impl Iterator<Item = &'static Anchor> {
    let pair = usize::from(code >> 5);
    let start = FIRST.get(pair).copied().map_or(0, usize::from);
    let end = FIRST.get(pair.wrapping_add(1)).copied().map_or(0, usize::from);
    ANCHORS.get(start..end).unwrap_or_default().iter().filter(move |a| a.trigram == code)
}

/// Where the rarest three bytes of a text of its own are, and their code.
pub(super) fn rarest_of(value: &[u8]) -> Option<(usize, u16)> {
    let weight = |byte: &u8| WEIGHT.get(usize::from(class(*byte))).copied().unwrap_or(0);
    let (at, _) = value
        .windows(3)
        .take(WINDOW)
        .map(|three| three.iter().map(weight).fold(1_u32, u32::saturating_mul))
        .enumerate()
        .min_by_key(|(_, weight)| *weight)?;
    Some((at, code(value, at.checked_add(2)?)?))
}

/// Adds a place to look at.
pub(super) fn mark(rows: &mut Rows, code: u16) {
    if let Some(row) = rows.get_mut(usize::from(code >> 5)) {
        *row |= 1 << (code & 31);
    }
}
