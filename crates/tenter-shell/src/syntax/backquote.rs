//! Backquotes: their text is unescaped before it is read.

use super::ast::{Script, WordPart};
use super::cursor::Parser;

impl Parser<'_, '_> {
    /// `` `...` ``. Inside double quotes `\"` is unescaped too.
    pub(super) fn backquotes(&mut self, parts: &mut Vec<WordPart>, quoted: bool) {
        let start = self.pos;
        let rest = self.bytes.get(start + 1..).unwrap_or_default();
        let mut len = 0;
        let mut escapes = false;
        let closed = loop {
            match rest.get(len) {
                None => break false,
                Some(b'`') => break true,
                Some(b'\\') => {
                    escapes = true;
                    len += 2;
                }
                Some(_) => len += 1,
            }
        };
        let end = start + 1 + len.min(rest.len());
        if !self.charge(end - start) || !self.enter() {
            self.pos = end + usize::from(closed);
            return;
        }
        self.pos = start + 1;
        let script = if escapes {
            self.pos = end + usize::from(closed);
            self.unescaped_script(start, end, quoted)
        } else {
            self.verbatim_script(end)
        };
        self.leave();
        self.pos = end + usize::from(closed);
        if !closed {
            self.error("`` ` `` is not closed", start);
        }
        parts.push(WordPart::Command { script, span: self.span(start) });
    }

    /// Reads the commands between the cursor and `end` where they stand.
    fn verbatim_script(&mut self, end: usize) -> Script {
        let whole = self.limit(end);
        let around = std::mem::replace(&mut self.open, 0);
        let substituted = std::mem::replace(&mut self.substituted, false);
        let waiting = self.heredocs.suspend();
        let script = self.script();
        self.heredocs.drop_waiting();
        self.heredocs.resume(waiting);
        self.substituted = substituted;
        self.open = around;
        self.unlimit(whole);
        script
    }

    /// Reads what the text between the backquotes comes to. It stands nowhere, so that every span
    /// in it is that of the whole.
    fn unescaped_script(&mut self, start: usize, end: usize, quoted: bool) -> Script {
        let span = self.span(start);
        let text = unescape(self.slice(start + 1, end), quoted);
        let mut inner = Parser::new(&text, self.dialect, self.budget);
        inner.computed = Some(span);
        inner.depth = self.depth;
        let parsed = inner.finish();
        self.errors.extend(parsed.errors);
        parsed.script
    }
}

fn unescape(text: &str, quoted: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut letters = after.chars();
        match letters.next() {
            Some(letter @ ('`' | '\\' | '$')) => out.push(letter),
            Some('"') if quoted => out.push('"'),
            Some(letter) => out.extend(['\\', letter]),
            None => out.push('\\'),
        }
        rest = letters.as_str();
    }
    out.push_str(rest);
    out
}
