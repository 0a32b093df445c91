//! Telling patterns from text in a field whose quotes are already gone.

use crate::value::{Field, Part};

/// A stretch of a field before its patterns are told apart.
#[derive(Debug)]
pub(super) enum Piece {
    Quoted(String, Option<u32>),
    Active {
        text: String,
        at: Option<u32>,
        /// Stands in the command, rather than in the value of a variable.
        written: bool,
    },
    Other(Part),
}

#[derive(Debug)]
enum Unit {
    Char { ch: char, kind: Kind, at: Option<u32> },
    Other(Part),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Quoted,
    Written,
    Value,
}

/// Whether unquoted text can begin a pattern.
pub(super) fn may_be_pattern(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'(' | b'\\'))
}

/// Adds the pieces to the field. In a pattern a backslash that came out of a variable quotes; in a
/// file name it also stays.
pub(super) fn resolve(pieces: Vec<Piece>, pattern: bool, field: &mut Field) {
    let mut units = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Quoted(text, at) => add(&mut units, &text, at, Kind::Quoted),
            Piece::Active { text, at, written } => {
                let kind = if written { Kind::Written } else { Kind::Value };
                add(&mut units, &text, at, kind);
            }
            Piece::Other(part) => units.push(Unit::Other(part)),
        }
    }
    // Every bracket may have to look for its end. All of them together look no further than this.
    let fuel = units.len().saturating_mul(8);
    Resolver { units: &units, pattern, fuel }.run(field);
}

fn add(units: &mut Vec<Unit>, text: &str, at: Option<u32>, kind: Kind) {
    units.extend(text.char_indices().map(|(offset, ch)| Unit::Char {
        ch,
        kind,
        at: at.map(|at| at.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX))),
    }));
}

struct Resolver<'a> {
    units: &'a [Unit],
    pattern: bool,
    fuel: usize,
}

impl Resolver<'_> {
    fn run(mut self, field: &mut Field) {
        let mut at = 0;
        let mut buffer = [0; 4];
        while let Some(unit) = self.units.get(at) {
            match unit {
                Unit::Other(part) => field.push(part.clone()),
                Unit::Char { ch: '\\', kind: Kind::Value, at: place } => {
                    if !self.pattern || self.char(at + 1).is_none() {
                        field.push_text("\\", *place);
                    }
                    if let Some(next) = self.char(at + 1) {
                        field.push_text(next.encode_utf8(&mut buffer), None);
                        at += 1;
                    }
                }
                Unit::Char { ch, kind, at: place } => {
                    if *kind != Kind::Quoted
                        && let Some(end) = self.pattern_end(at)
                    {
                        field.parts.push(Part::Glob(self.written(at, end)));
                        at = end;
                        continue;
                    }
                    field.push_text(ch.encode_utf8(&mut buffer), *place);
                }
            }
            at += 1;
        }
    }

    fn char(&self, at: usize) -> Option<char> {
        match self.units.get(at) {
            Some(Unit::Char { ch, .. }) => Some(*ch),
            _ => None,
        }
    }

    fn active(&self, at: usize) -> Option<char> {
        match self.units.get(at) {
            Some(Unit::Char { ch, kind, .. }) if *kind != Kind::Quoted => Some(*ch),
            _ => None,
        }
    }

    /// The end of the pattern that begins here, if one does.
    fn pattern_end(&mut self, at: usize) -> Option<usize> {
        let ch = self.active(at)?;
        let written =
            matches!(self.units.get(at + 1), Some(Unit::Char { kind: Kind::Written, .. }));
        if matches!(ch, '*' | '?' | '+' | '@' | '!')
            && written
            && self.active(at + 1) == Some('(')
            && let Some(end) = self.group_end(at + 2)
        {
            return Some(end);
        }
        match ch {
            '*' | '?' => Some(at + 1),
            '[' => self.bracket_end(at + 1),
            _ => None,
        }
    }

    fn bracket_end(&mut self, start: usize) -> Option<usize> {
        let mut at = start;
        if matches!(self.active(at), Some('!' | '^')) {
            at += 1;
        }
        let first = at;
        loop {
            self.fuel = self.fuel.checked_sub(1)?;
            let ch = self.char(at)?;
            match self.active(at) {
                Some(']') if at > first => return Some(at + 1),
                Some('/') if !self.pattern => return None,
                Some('[') if matches!(self.char(at + 1), Some(':' | '.' | '=')) => {
                    at = self.class_end(at + 2).unwrap_or(at + 1);
                    continue;
                }
                Some('\\') => at += 1,
                _ if ch == '/' && !self.pattern => return None,
                _ => {}
            }
            at += 1;
        }
    }

    /// After `[:`: the end of `name:]`.
    fn class_end(&self, start: usize) -> Option<usize> {
        let mark = self.char(start - 1)?;
        let mut at = start;
        while self.char(at)?.is_ascii_lowercase() {
            at += 1;
        }
        (self.char(at) == Some(mark) && self.char(at + 1) == Some(']')).then_some(at + 2)
    }

    fn group_end(&mut self, start: usize) -> Option<usize> {
        let mut depth = 1_usize;
        let mut at = start;
        loop {
            self.fuel = self.fuel.checked_sub(1)?;
            self.char(at)?;
            match self.active(at) {
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    /// The pattern as text; what was quoted in it has a backslash where it would count.
    fn written(&self, start: usize, end: usize) -> String {
        let mut text = String::new();
        for unit in self.units.get(start..end).unwrap_or_default() {
            if let Unit::Char { ch, kind, .. } = unit {
                let counts = matches!(
                    ch,
                    '*' | '?' | '[' | ']' | '(' | ')' | '|' | '\\' | '-' | '!' | '^' | ':'
                );
                if *kind == Kind::Quoted && counts {
                    text.push('\\');
                }
                text.push(*ch);
            }
        }
        text
    }
}
