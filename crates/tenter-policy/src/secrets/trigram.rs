//! The first pass over a text: finds candidate positions by trigrams.
//!
//! Every form contains three consecutive bytes that are rare elsewhere. A compile-time table has a bit for
//! each such trigram; the pass costs a few instructions per byte and no set-up. Bytes are mapped to 32
//! classes first, ignoring case and the value of digits.

use super::anchors::{ANCHORS, Anchor, RANKS, ROWS, STARTS, WEIGHT, WINDOW, class_of};

/// Candidate trigrams: bits of the third class, by the first and second.
pub(super) type Rows = [[u32; 32]; 32];

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
static CLASS: [u8; 256] = byte_table!(class_of);

fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(31)
}

/// The next position at or after `from` where a marked trigram ends: the index of its third byte.
pub(super) fn next(rows: &Rows, bytes: &[u8], from: usize) -> Option<usize> {
    // The row of the last byte, and the marks after the last two.
    let mut line = rows.last()?;
    let mut row = 0;
    for byte in bytes.get(from.saturating_sub(2)..from)? {
        row = if from < 2 { 0 } else { column(line, class(*byte)) };
        line = of_class(rows, class(*byte));
    }
    let mut marked = |byte: u8| {
        let class = class(byte);
        let hit = row.wrapping_shr(u32::from(class)) & 1 != 0;
        row = column(line, class);
        line = of_class(rows, class);
        hit
    };
    let mut at = from;
    let (fours, rest) = bytes.get(from..)?.as_chunks::<4>();
    // Unrolled four times, since the loop itself would cost as much as the lookup.
    for [first, second, third, fourth] in fours {
        if marked(*first) {
            return Some(at);
        }
        if marked(*second) {
            return Some(at.wrapping_add(1));
        }
        if marked(*third) {
            return Some(at.wrapping_add(2));
        }
        if marked(*fourth) {
            return Some(at.wrapping_add(3));
        }
        at = at.wrapping_add(4);
    }
    rest.iter().position(|byte| marked(*byte)).map(|index| at.wrapping_add(index))
}

fn of_class(rows: &Rows, class: u8) -> &[u32; 32] {
    rows.get(usize::from(class & 31)).unwrap_or(&[0; 32])
}

fn column(line: &[u32; 32], class: u8) -> u32 {
    line.get(usize::from(class & 31)).copied().unwrap_or(0)
}

/// The code of the three bytes that end at `third`.
pub(super) fn code_at(bytes: &[u8], third: usize) -> u16 {
    let three = third.checked_sub(2).and_then(|start| bytes.get(start..=third));
    three.map_or(0, code)
}

/// The code of three bytes.
fn code(three: &[u8]) -> u16 {
    three.iter().fold(0, |code, byte| code << 5 | u16::from(class(*byte)))
}

/// The class in the lowest bits of a code.
fn low(code: u16) -> u8 {
    u8::try_from(code & 31).unwrap_or(31)
}

/// The anchors of a trigram.
fn anchors_of(code: u16) -> &'static [Anchor] {
    let pair = usize::from(code >> 5);
    let row = column(of_class(&ROWS, low(code >> 10)), low(code >> 5));
    let bit = 1_u32.wrapping_shl(u32::from(code));
    if row & bit == 0 {
        return &[];
    }
    // Trigrams are sorted by code: count those before this one.
    let before = (row & bit.wrapping_sub(1)).count_ones() as usize;
    let rank = RANKS.get(pair).copied().map_or(0, usize::from).wrapping_add(before);
    let start = STARTS.get(rank).copied().map_or(0, usize::from);
    let end = STARTS.get(rank.wrapping_add(1)).copied().map_or(0, usize::from);
    ANCHORS.get(start..end).unwrap_or_default()
}

/// Calls `look` with the index and start of each form possible at this trigram; returns the first result.
pub(super) fn forms<T>(
    bytes: &[u8],
    third: usize,
    mut look: impl FnMut(usize, usize) -> Option<T>,
) -> Option<T> {
    for anchor in anchors_of(code_at(bytes, third)) {
        let start = third.wrapping_sub(2).wrapping_sub(usize::from(anchor.at));
        let Some(first) = bytes.get(start) else { continue };
        if anchor.first == first.to_ascii_lowercase() || anchor.first == 0 {
            let found = look(usize::from(anchor.target), start);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Position and code of the rarest trigram of a text.
pub(super) fn rarest_of(value: &[u8]) -> Option<(usize, u16)> {
    let weight = |byte: &u8| WEIGHT.get(usize::from(class(*byte))).copied().unwrap_or(0);
    let (at, _) = value
        .windows(3)
        .take(WINDOW)
        .map(|three| three.iter().map(weight).fold(1_u32, u32::saturating_mul))
        .enumerate()
        .min_by_key(|(_, weight)| *weight)?;
    Some((at, code(value.get(at..at.checked_add(3)?)?)))
}

/// Marks a trigram.
pub(super) fn mark(rows: &mut Rows, code: u16) {
    let line = rows.get_mut(usize::from(code >> 10));
    if let Some(row) = line.and_then(|line| line.get_mut(usize::from(code >> 5 & 31))) {
        *row |= 1 << (code & 31);
    }
}
