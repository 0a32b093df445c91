//! Declarations and choices: parameters, classes, `if` with all its ways, variables of the environment.

use super::choices::choice;
use super::{Piped, Shell};
use crate::effect::Certainty;
use crate::flow::Stream;
use crate::span::Origin;

/// Maximum length of a declaration before its body, and of an attribute.
const MAX_HEAD: usize = 256;
const MAX_ATTRIBUTE: usize = 1024;

impl Shell<'_, '_, '_, '_> {
    /// The first byte after a word and blanks.
    pub(super) fn byte_after(&self, length: usize) -> u8 {
        let rest = self.rest().get(length..).unwrap_or_default().trim_start();
        rest.as_bytes().first().copied().unwrap_or(0)
    }

    /// Whether `class` or `enum` is followed by a name and a body.
    pub(super) fn declares(&self, keyword: usize) -> bool {
        let rest = self.rest().get(keyword..).unwrap_or_default();
        let rest = rest.get(..rest.floor_char_boundary(MAX_HEAD)).unwrap_or_default();
        let head = rest.split('{').next().unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_:,. \t\r\n[]".contains(&byte);
        head.len() < rest.len() && head.bytes().all(plain)
    }

    /// `class Name : Base { ... }`, `enum Name { ... }`: bodies of methods are code that may run.
    pub(super) fn declaration(&mut self, keyword: usize) -> Piped {
        let (declared, unsettled) = (self.at, self.unsettled);
        self.at += keyword;
        self.at += self.rest().find('{').map_or(self.rest().len(), |open| open + 1);
        if !self.enter() {
            return Piped::default();
        }
        let before = self.call.machine.certainty;
        self.call.machine.certainty = before.min(Certainty::Possible);
        loop {
            self.blank_lines();
            let start = self.at;
            match self.byte(0) {
                _ if self.ended() => break,
                b'}' => {
                    self.at += 1;
                    break;
                }
                b'{' => {
                    self.at += 1;
                    self.script(Some(b'}'));
                }
                b'[' => self.attribute(),
                b'(' => drop(self.parameters()),
                b'=' => {
                    self.at += 1;
                    self.blank_lines();
                    self.expression();
                }
                // `$Name`, `Name`, `static`, `:`
                _ => {
                    let name = self.rest().bytes().skip(1);
                    let name =
                        name.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
                    let first = self.rest().chars().next().map_or(1, char::len_utf8);
                    self.at += first + if first == 1 { name.count() } else { 0 };
                }
            }
            if self.at == start {
                self.at += 1;
            }
        }
        self.call.machine.certainty = before;
        self.leave();
        if unsettled == self.unsettled {
            self.settled(declared);
        }
        Piped { stream: Stream::empty(), paths: Vec::new() }
    }

    /// `[Parameter(Mandatory)]`, `[string[]]`: steps over it.
    pub(super) fn attribute(&mut self) {
        let mut depth = 0_usize;
        let end = self.at.saturating_add(MAX_ATTRIBUTE);
        while !self.ended() && self.at < end {
            match self.byte(0) {
                quote @ (b'\'' | b'"') => {
                    let end = self.rest().get(1..).and_then(|rest| rest.find(char::from(quote)));
                    self.at += end.map_or(0, |end| end + 1);
                }
                b'[' | b'(' | b'{' => depth += 1,
                b']' | b')' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// `([type]$Name = value, ...)`: whoever calls gives the values.
    pub(super) fn parameters(&mut self) -> Piped {
        self.blanks();
        if self.byte(0) != b'(' || !self.enter() {
            return Piped::default();
        }
        let (opened, unsettled) = (self.at, self.unsettled);
        self.at += 1;
        loop {
            self.blank_lines();
            let start = self.at;
            match self.byte(0) {
                _ if self.ended() => break,
                b')' => {
                    self.at += 1;
                    break;
                }
                b'[' => self.attribute(),
                b'$' => {
                    self.at += 1;
                    let name = self.name();
                    self.set(&name, Piped::default());
                }
                b'=' => {
                    self.at += 1;
                    self.blank_lines();
                    self.expression_without_commas();
                }
                _ => self.at += 1,
            }
            if self.at == start {
                self.at += 1;
            }
        }
        self.leave();
        if unsettled == self.unsettled {
            self.settled(opened);
        }
        Piped { stream: Stream::empty(), paths: Vec::new() }
    }

    fn name(&mut self) -> String {
        let name = self.rest().bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'_');
        let length = name.count();
        let name = self.rest().get(..length).unwrap_or_default().to_owned();
        self.at += length;
        name
    }

    /// `if (...) { ... } elseif (...) { ... } else { ... }`: its value is that of any of the blocks.
    pub(super) fn if_chain(&mut self) -> Piped {
        let start = self.at;
        self.at += 2;
        self.group_if_any();
        let mut ways = vec![self.block_value()];
        loop {
            let back = self.at;
            self.blank_lines_only();
            let keyword = self.keyword();
            match keyword.as_str() {
                "elseif" | "else" => {
                    self.at += keyword.len();
                    if keyword == "elseif" {
                        self.group_if_any();
                    }
                    ways.push(self.block_value());
                }
                _ => {
                    self.at = back;
                    break;
                }
            }
            if self.ended() {
                break;
            }
        }
        let span = self.span(start);
        choice(ways, span)
    }

    fn block_value(&mut self) -> Piped {
        self.blank_lines_only();
        if self.byte(0) != b'{' {
            return Piped::default();
        }
        self.at += 1;
        let before = self.call.machine.certainty;
        self.call.machine.certainty = before.min(Certainty::Possible);
        let out = self.script(Some(b'}'));
        self.call.machine.certainty = before;
        out
    }

    /// `$env:NAME = value`: programs that are started from here see it.
    pub(super) fn export(&mut self, name: &str, value: &Piped) {
        let field = value.field(self.span(self.at));
        self.call.machine.shell.export(name, field);
    }

    /// Notes that the statement from `start` is only a value, if it ends as one and nothing in it is a program
    /// that is not known.
    pub(super) fn settle(&mut self, start: usize, unsettled: usize) {
        self.blanks();
        let redirects = matches!(self.byte(usize::from(self.byte(0).is_ascii_digit())), b'>');
        if unsettled != self.unsettled || !(self.at_end() || redirects) {
            self.unsettled += 1;
            return;
        }
        self.settled(start);
    }

    pub(super) fn settled(&mut self, start: usize) {
        if self.code.origin == Origin::Verbatim(0) {
            let span = self.span(start);
            self.call.machine.settle(span);
        }
    }
}
