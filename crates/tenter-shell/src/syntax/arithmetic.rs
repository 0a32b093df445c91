//! Arithmetic, and how `((` is told from two subshells.

use super::ast::Word;
use super::cursor::Parser;
use super::text::{ARITHMETIC, CLAUSE};

impl Parser<'_, '_> {
    /// The expression between the parentheses at `outer` and `inner` and those that close them, if
    /// they close side by side; otherwise they are not arithmetic, and nothing is read.
    pub(super) fn arithmetic(&mut self, outer: usize, inner: usize) -> Option<Word> {
        // Charge first, since backtracking is free.
        if !self.charge(1) {
            return None;
        }
        let known = self.pairs.binary_search_by_key(&outer, |&(at, _)| at);
        let known = known.ok().and_then(|found| self.pairs.get(found)).map(|&(_, twice)| twice);
        let twice = known.or_else(|| self.scan_pairs(outer, inner));
        if twice == Some(false) || (twice.is_none() && self.unclosed == Some(self.bytes.len())) {
            return None;
        }
        self.try_arithmetic(outer, inner)
    }

    /// Reads on as if it were arithmetic, and takes it back if it was not. No pair is tried twice
    /// in vain, so that a text is read at most once more for each level of nesting.
    fn try_arithmetic(&mut self, outer: usize, inner: usize) -> Option<Word> {
        let before = self.mark();
        self.pos = inner + 1;
        if self.enter() {
            let word = self.enclosed_word(&ARITHMETIC);
            self.leave();
            if self.eat(b')') && self.eat_joined(b')') {
                return Some(word);
            }
        }
        if self.at_end() {
            // The shell gives up on this. What is inside is read for what it may be, but nothing
            // in it is tried again.
            self.unclosed = Some(self.bytes.len());
        }
        self.take_back(&before, inner);
        match self.pairs.binary_search_by_key(&outer, |&(at, _)| at) {
            // They do close side by side, but what is inside nests too deep.
            Ok(found) => {
                if let Some((_, twice)) = self.pairs.get_mut(found) {
                    *twice = false;
                }
            }
            Err(place) => self.pairs.insert(place, (outer, false)),
        }
        None
    }

    pub(super) fn arithmetic_clause(&mut self) -> Word {
        self.enclosed_word(&CLAUSE)
    }

    /// Whether the parentheses close side by side, where that can be told by counting; one look
    /// answers it for all the pairs inside.
    fn scan_pairs(&mut self, outer: usize, inner: usize) -> Option<bool> {
        // Earlier pairs are not needed any more.
        if self.pairs.last().is_some_and(|&(last, _)| last < outer) {
            self.pairs.clear();
        }
        let mut scan = Scan { bytes: self.bytes, pos: inner, open: Vec::new(), pairs: Vec::new() };
        let twice = scan.run();
        let (end, found) = (scan.pos, scan.pairs);
        self.charge(end.saturating_sub(inner) + self.pairs.len());
        if let Some(twice) = twice {
            self.pairs.push((outer, twice));
            self.pairs.extend(found);
            self.pairs.sort_unstable();
            self.pairs.dedup_by_key(|&mut (at, _)| at);
        }
        twice
    }
}

/// Counts parentheses.
struct Scan<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// Open parentheses: their place, and where the one right inside them closed.
    open: Vec<(usize, Option<usize>)>,
    pairs: Vec<(usize, bool)>,
}

impl Scan<'_> {
    /// From the inner parenthesis to where it closes. None when there are quotes, comments or
    /// commands on the way, in which a parenthesis may mean something else.
    fn run(&mut self) -> Option<bool> {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'(' => self.open.push((self.pos, None)),
                b')' if self.close() => {
                    self.pos += 1;
                    return Some(self.bytes.get(self.pos) == Some(&b')'));
                }
                b'\\' | b'\'' | b'"' | b'`' | b'#' => return None,
                b'$' if self.bytes.get(self.pos + 1) == Some(&b'(')
                    && self.bytes.get(self.pos + 2) != Some(&b'(') =>
                {
                    return None;
                }
                _ => {}
            }
            self.pos += 1;
        }
        for (at, _) in std::mem::take(&mut self.open) {
            if self.bytes.get(at + 1) == Some(&b'(') {
                self.pairs.push((at, false));
            }
        }
        Some(false)
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
}
