//! Arithmetic, and how `((` is told from two subshells.

use super::ast::Word;
use super::cursor::Parser;
use super::text::{ARITHMETIC, CLAUSE};

impl Parser<'_, '_> {
    /// The expression behind `((`, and the parentheses that end it.
    pub(super) fn arithmetic_until_double(&mut self, start: usize) -> Word {
        if !self.enter() {
            return Word::default();
        }
        let word = self.enclosed_word(&ARITHMETIC);
        self.leave();
        if !(self.eat(b')') && self.eat_joined(b')')) {
            self.error("`((` is not closed", start);
        }
        word
    }

    pub(super) fn arithmetic_clause(&mut self) -> Word {
        self.enclosed_word(&CLAUSE)
    }

    /// Whether the parentheses at `outer` and `inner` close side by side, as those of arithmetic
    /// do. One look answers it for all the pairs inside.
    pub(super) fn closes_twice(&mut self, outer: usize, inner: usize) -> bool {
        if inner != outer + 1 {
            return self.scan_pairs(outer, inner);
        }
        match self.pairs.binary_search_by_key(&outer, |&(at, _)| at) {
            Ok(found) => self.pairs.get(found).is_some_and(|&(_, twice)| twice),
            Err(_) => self.scan_pairs(outer, inner),
        }
    }

    fn scan_pairs(&mut self, outer: usize, inner: usize) -> bool {
        // Nobody asks again about what was passed. Pairs that lie ahead are there when an earlier
        // look took this one for quoted text.
        if self.pairs.last().is_some_and(|&(last, _)| last < outer) {
            self.pairs.clear();
        }
        let pairs = std::mem::take(&mut self.pairs);
        let ahead = pairs.len();
        let mut scan = Scan { bytes: self.bytes, pos: inner, open: Vec::new(), pairs };
        let twice = scan.run();
        let end = scan.pos;
        self.pairs = scan.pairs;
        self.pairs.push((outer, twice));
        self.pairs.sort_unstable();
        self.pairs.dedup_by_key(|&mut (at, _)| at);
        self.charge(end.saturating_sub(inner) + ahead) && twice
    }
}

/// Finds out which parentheses close side by side. It knows quotes, but nothing deeper: what it
/// gets wrong is an error when the text is read.
struct Scan<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// Open parentheses: their place, and where the one right inside them closed.
    open: Vec<(usize, Option<usize>)>,
    pairs: Vec<(usize, bool)>,
}

impl Scan<'_> {
    /// From the inner parenthesis to where it closes.
    fn run(&mut self) -> bool {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'(' => self.open.push((self.pos, None)),
                b')' if self.close() => {
                    self.pos += 1;
                    let next = self.after_continuations();
                    return self.bytes.get(next) == Some(&b')');
                }
                b'\\' => self.pos += 1,
                b'\'' => self.skip_to(b'\''),
                b'"' => self.skip_to(b'"'),
                _ => {}
            }
            self.pos += 1;
        }
        for (at, _) in std::mem::take(&mut self.open) {
            if self.bytes.get(at + 1) == Some(&b'(') {
                self.pairs.push((at, false));
            }
        }
        false
    }

    /// Closes the innermost parenthesis; true when it was the first.
    fn close(&mut self) -> bool {
        let Some((at, inner)) = self.open.pop() else {
            return true;
        };
        if self.bytes.get(at + 1) == Some(&b'(') {
            self.pairs.push((at, inner.is_some_and(|inner| inner + 1 == self.pos)));
        }
        if let Some((around, inner)) = self.open.last_mut()
            && *around + 1 == at
        {
            *inner = Some(self.pos);
        }
        self.open.is_empty()
    }

    /// To the closing quote.
    fn skip_to(&mut self, quote: u8) {
        self.pos += 1;
        while let Some(&byte) = self.bytes.get(self.pos) {
            if byte == quote {
                return;
            }
            self.pos += 1 + usize::from(byte == b'\\' && quote == b'"');
        }
    }

    fn after_continuations(&self) -> usize {
        let mut pos = self.pos;
        while self.bytes.get(pos) == Some(&b'\\') && self.bytes.get(pos + 1) == Some(&b'\n') {
            pos += 2;
        }
        pos
    }
}
