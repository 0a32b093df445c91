//! Brace expansion. It comes before everything else and sees only text that stands in the word
//! unquoted; the rules, also the odd ones, are those of bash.

use crate::budget::MAX_FIELDS;
use crate::syntax::ast::WordPart;

/// A part of one of the words that braces make.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    Literal(String, Option<u32>),
    Part(&'a WordPart),
}

/// The words that the braces make.
#[derive(Debug)]
pub(super) struct Expanded<'a> {
    pub(super) words: Vec<Vec<Piece<'a>>>,
    /// There were too many, or it was too hard to tell.
    pub(super) cut: bool,
}

/// Characters in all the words together.
const MAX_UNITS: usize = 1 << 18;
/// Braces inside braces.
const MAX_DEPTH: usize = 24;

/// The words a word becomes, or none when there is no brace in it that counts.
pub(super) fn expand(parts: &[WordPart]) -> Option<Expanded<'_>> {
    let literals = || {
        parts.iter().filter_map(|part| match part {
            WordPart::Literal(text) => Some(text.text.as_str()),
            _ => None,
        })
    };
    let has = |mark: &str| literals().any(|text| text.contains(mark));
    if !has("{") || !has("}") || !(has(",") || has("..")) {
        return None;
    }
    let units = units(parts);
    let mut braces = Braces { fuel: units.len() * 16 + 256, units, parts, cut: false };
    let mut lists = braces.range(0, braces.units.len(), 0);
    let most = (MAX_UNITS / braces.units.len().max(1)).max(1);
    if lists.len() > most {
        braces.cut = true;
        lists.truncate(most);
    }
    let words = lists.iter().map(|list| braces.pieces(list)).collect();
    Some(Expanded { words, cut: braces.cut })
}

#[derive(Clone, Copy, Debug)]
enum Unit {
    Char(char, Option<u32>),
    Part(usize),
}

#[derive(Clone, Debug)]
enum Slice {
    Units(usize, usize),
    Made(String),
}

fn units(parts: &[WordPart]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if let WordPart::Literal(text) = part {
            units.extend(text.text.char_indices().map(|(offset, ch)| {
                let offset = u32::try_from(offset).unwrap_or(u32::MAX);
                Unit::Char(ch, text.at.map(|at| at.saturating_add(offset)))
            }));
        } else {
            units.push(Unit::Part(index));
        }
    }
    units
}

struct Braces<'a> {
    units: Vec<Unit>,
    parts: &'a [WordPart],
    /// An open brace that never ends makes the search start again after it; this bounds all of it.
    fuel: usize,
    cut: bool,
}

impl<'a> Braces<'a> {
    fn char(&self, at: usize, end: usize) -> Option<char> {
        match self.units.get(at) {
            Some(Unit::Char(ch, _)) if at < end => Some(*ch),
            _ => None,
        }
    }

    fn range(&mut self, start: usize, end: usize, depth: usize) -> Vec<Vec<Slice>> {
        let mut words = vec![Vec::new()];
        let mut rest = start;
        while rest < end {
            let Some((open, close)) = self.first_brace(rest, end).filter(|_| depth < MAX_DEPTH)
            else {
                self.cut |= depth >= MAX_DEPTH;
                append(&mut words, &Slice::Units(rest, end));
                break;
            };
            if rest < open {
                append(&mut words, &Slice::Units(rest, open));
            }
            let choices = if self.has_comma(open + 1, close) {
                self.choices(open + 1, close, depth)
            } else {
                self.sequence(open + 1, close)
                    .unwrap_or_else(|| vec![vec![Slice::Units(open, close + 1)]])
            };
            rest = close + 1;
            self.multiply(&mut words, choices);
            if self.cut {
                append(&mut words, &Slice::Units(rest, end));
                break;
            }
        }
        words
    }

    /// The first open brace that has an end, and its end.
    fn first_brace(&mut self, start: usize, end: usize) -> Option<(usize, usize)> {
        let mut from = start;
        loop {
            let open = self.find('{', start, from, end)?;
            if let Some(close) = self.find('}', open + 1, open + 1, end) {
                return Some((open, close));
            }
            from = open + 1;
        }
    }

    /// The next `wanted` at this level of braces. A closing brace counts only after a comma or
    /// `..`, and an opening one not in a leading `{}`.
    fn find(&mut self, wanted: char, start: usize, from: usize, end: usize) -> Option<usize> {
        let mut level = 0_usize;
        let mut counts = wanted != '}';
        let mut at = from;
        while at < end {
            let Some(fuel) = self.fuel.checked_sub(1) else {
                self.cut = true;
                return None;
            };
            self.fuel = fuel;
            let ch = self.char(at, end);
            if ch == Some(wanted) && level == 0 && counts {
                let leading = ch == Some('{') && at == start && self.char(at + 1, end) == Some('}');
                if !leading {
                    return Some(at);
                }
                at += 1;
                continue;
            }
            match ch {
                Some('{') => level += 1,
                Some('}') => level = level.saturating_sub(1),
                Some(',') if level == 0 => counts = true,
                Some('.') if level == 0 && self.char(at + 1, end) == Some('.') => {
                    counts |= at + 2 < end && self.char(at + 2, end) != Some('}');
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Any comma will do here, also a quoted one.
    fn has_comma(&self, start: usize, end: usize) -> bool {
        self.units.get(start..end).unwrap_or_default().iter().any(|unit| match unit {
            Unit::Char(ch, _) => *ch == ',',
            Unit::Part(index) => match self.parts.get(*index) {
                Some(part) => quoted_comma(part),
                None => false,
            },
        })
    }

    fn choices(&mut self, start: usize, end: usize, depth: usize) -> Vec<Vec<Slice>> {
        let mut all = Vec::new();
        let mut from = start;
        loop {
            let comma = self.find(',', from, from, end);
            let stop = comma.unwrap_or(end);
            all.extend(self.range(from, stop, depth + 1));
            if all.len() > MAX_FIELDS {
                self.cut = true;
                all.truncate(MAX_FIELDS);
            }
            match comma {
                Some(comma) if !self.cut => from = comma + 1,
                _ => return all,
            }
        }
    }

    fn sequence(&mut self, start: usize, end: usize) -> Option<Vec<Vec<Slice>>> {
        let mut text = String::new();
        // Longer than two numbers and a step can be.
        if end - start > 80 {
            return None;
        }
        for at in start..end {
            text.push(self.char(at, end)?);
        }
        let (left, rest) = text.split_once("..")?;
        let (right, step) = match rest.split_once("..") {
            Some((right, step)) => (right, step.parse::<i64>().ok()?),
            None => (rest, 1),
        };
        let letter = |text: &str| match text.as_bytes() {
            [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
            _ => None,
        };
        let letters = letter(left).zip(letter(right));
        let (first, last) = match letters {
            Some(pair) => pair,
            None => (number(left)?, number(right)?),
        };
        let has_zero = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.len() > 1 && digits.starts_with('0')
        };
        let width = if has_zero(left) || has_zero(right) { left.len().max(right.len()) } else { 0 };
        let count = first.abs_diff(last) / step.unsigned_abs().max(1);
        self.cut |= count >= MAX_FIELDS as u64;
        let step = i64::try_from(step.unsigned_abs().max(1)).unwrap_or(i64::MAX);
        let mut words = Vec::new();
        let mut value = first;
        for _ in 0..=count.min(MAX_FIELDS as u64 - 1) {
            words.push(vec![Slice::Made(match letters {
                Some(_) => letter_of(value),
                None => padded(value, width),
            })]);
            value =
                if first <= last { value.saturating_add(step) } else { value.saturating_sub(step) };
        }
        Some(words)
    }

    fn multiply(&mut self, words: &mut Vec<Vec<Slice>>, mut choices: Vec<Vec<Slice>>) {
        if let [only] = choices.as_slice() {
            for word in words.iter_mut() {
                word.extend_from_slice(only);
            }
            return;
        }
        if words.len().saturating_mul(choices.len()) > MAX_FIELDS {
            self.cut = true;
        }
        if matches!(words.as_slice(), [word] if word.is_empty()) {
            std::mem::swap(words, &mut choices);
        } else {
            let joined =
                |word: &Vec<Slice>, choice: &Vec<Slice>| [word.as_slice(), choice].concat();
            *words = words
                .iter()
                .flat_map(|word| choices.iter().map(move |choice| joined(word, choice)))
                .take(MAX_FIELDS)
                .collect();
        }
    }

    fn pieces(&self, slices: &[Slice]) -> Vec<Piece<'a>> {
        let mut pieces: Vec<Piece<'a>> = Vec::new();
        for slice in slices {
            match slice {
                Slice::Made(text) => add(&mut pieces, text, None),
                Slice::Units(start, end) => {
                    for unit in self.units.get(*start..*end).unwrap_or_default() {
                        match unit {
                            Unit::Char(ch, at) => {
                                add(&mut pieces, ch.encode_utf8(&mut [0; 4]), *at);
                            }
                            Unit::Part(index) => {
                                pieces.extend(self.parts.get(*index).map(Piece::Part));
                            }
                        }
                    }
                }
            }
        }
        pieces
    }
}

fn append(words: &mut [Vec<Slice>], slice: &Slice) {
    for word in words {
        word.push(slice.clone());
    }
}

fn add(pieces: &mut Vec<Piece<'_>>, more: &str, place: Option<u32>) {
    if let Some(Piece::Literal(text, at)) = pieces.last_mut() {
        let end = at.map(|at| at as usize + text.len());
        if end.is_none() || end != place.map(|place| place as usize) {
            *at = None;
        }
        text.push_str(more);
    } else if !more.is_empty() {
        pieces.push(Piece::Literal(more.to_owned(), place));
    }
}

fn quoted_comma(part: &WordPart) -> bool {
    match part {
        WordPart::Quoted(text) => text.text.contains(','),
        WordPart::DoubleQuoted(parts) => parts.iter().any(quoted_comma),
        _ => false,
    }
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A backslash that a sequence makes quotes nothing and is gone.
fn letter_of(value: i64) -> String {
    let ch = u8::try_from(value).map_or('?', char::from);
    if ch == '\\' { String::new() } else { ch.to_string() }
}

/// The number with zeros after its sign until it is `width` wide.
pub(crate) fn padded(value: i64, width: usize) -> String {
    let digits = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    let missing = width.saturating_sub(digits.len() + sign.len());
    [sign, &"0".repeat(missing), &digits].concat()
}
