//! `PowerShell`, partially parsed: statements, pipelines, strings, variables, parameters by prefix. Unknown
//! syntax is skipped.

mod administer;
mod choices;
mod cmdlets;
mod declare;
mod effects;
mod expression;
mod methods;
mod objects;
mod words;

#[cfg(test)]
mod tests;

use super::{MAX_DEPTH, append};
use crate::budget::MAX_VALUE;
use crate::call::Call;
use crate::code::{Code, decode};
use crate::effect::Certainty;
use crate::flow::{Flow, Stream};
use crate::value::Field;

/// Maximum number of list elements followed one by one.
const MAX_ROUNDS: usize = 24;

/// Data in a pipeline.
#[derive(Clone, Debug, Default)]
pub(super) struct Piped {
    pub stream: Stream,
    /// Files and directories as objects.
    pub paths: Vec<Field>,
}

impl Piped {
    fn text(text: impl Into<String>) -> Self {
        Self { stream: Stream::known(text), paths: Vec::new() }
    }

    fn unknown(flow: Flow) -> Self {
        Self { stream: Stream::unknown(flow), paths: Vec::new() }
    }

    fn field(&self, span: crate::span::Span) -> Field {
        if let [path] = self.paths.as_slice() {
            return path.clone();
        }
        let mut field = match &self.stream.text {
            Some(text) => Field::text(text.trim_end_matches('\n'), span),
            None => Field::unknown("…", span),
        };
        field.flow = self.stream.flow.clone();
        field
    }
}

/// Judges `PowerShell` code and returns its output.
pub(crate) fn judge(call: &mut Call<'_, '_>, code: Code<'_>) -> Stream {
    if !call.machine.budget.spend(code.text.len()) {
        call.unverified(crate::Reason::TooMuchWork, code.span(0, code.text.len()));
        return Stream::default();
    }
    let index = call.index;
    let stdin = Piped { stream: call.stdin.clone(), paths: Vec::new() };
    let (variables, tables) = (Vec::new(), Vec::new());
    let mut shell = Shell {
        call,
        code,
        at: 0,
        depth: 0,
        variables,
        input: stdin,
        table: None,
        tables,
        unsettled: 0,
    };
    let out = shell.script(None);
    call.index = index;
    out.stream
}

/// The text of `-EncodedCommand`.
pub(crate) fn encoded(text: &str) -> Option<String> {
    decode::base64(text).map(|bytes| decode::utf16(&bytes))
}

pub(super) struct Shell<'s, 'a, 'c, 'w> {
    pub call: &'a mut Call<'c, 'w>,
    pub code: Code<'s>,
    pub at: usize,
    depth: usize,
    /// Names in lower case, without the dollar.
    variables: Vec<(String, Piped)>,
    /// `$_` and `$input`
    pub input: Piped,
    /// The entries of the hashtable that was read last, and of those in variables.
    table: Option<Table>,
    tables: Vec<(String, Table)>,
    /// Statements so far that are not known to be only values.
    unsettled: usize,
}

/// Names in lower case, with their values.
pub(super) type Table = Vec<(String, Vec<Field>)>;

impl<'s> Shell<'s, '_, '_, '_> {
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.code.text.as_bytes().get(self.at.saturating_add(ahead)).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'s str {
        self.code.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn ended(&self) -> bool {
        self.at >= self.code.text.len()
    }

    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH || !self.call.machine.budget.spend(4) {
            let span = self.code.span(self.at, self.code.text.len());
            self.call.unverified(crate::Reason::TooDeep, span);
            self.at = self.code.text.len();
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn set(&mut self, name: &str, value: Piped) {
        let name = name.to_ascii_lowercase();
        self.variables.retain(|(known, _)| *known != name);
        if self.variables.len() < 64 {
            self.variables.push((name, value));
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Piped> {
        self.variables
            .iter()
            .rev()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Blanks, comments and lines that go on.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'`' if matches!(self.byte(1), b'\n' | b'\r') => self.at += 2,
                b'<' if self.byte(1) == b'#' => {
                    self.at += self.rest().find("#>").map_or(self.rest().len(), |end| end + 2);
                }
                b'#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    pub(super) fn blank_lines(&mut self) {
        loop {
            self.blanks();
            if matches!(self.byte(0), b'\n' | b';') && !self.ended() {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// Statements up to the closing bracket or the end.
    pub(super) fn script(&mut self, close: Option<u8>) -> Piped {
        let mut out = Piped { stream: Stream::empty(), paths: Vec::new() };
        if !self.enter() {
            return out;
        }
        let mut first = true;
        loop {
            self.blank_lines();
            if self.ended() {
                break;
            }
            let before = self.at;
            if close == Some(self.byte(0)) {
                self.at += 1;
                break;
            }
            let next = self.statement();
            if first {
                out = next;
                first = false;
            } else {
                out.stream.flow.join(&next.stream.flow);
                out.stream.text = match (out.stream.text.take(), next.stream.text) {
                    (Some(before), Some(more)) if before.len() + more.len() > MAX_VALUE => None,
                    (Some(before), Some(more)) if before.is_empty() || more.is_empty() => {
                        Some(before + &more)
                    }
                    (Some(before), Some(more)) => Some(before + "\n" + &more),
                    _ => None,
                };
                out.paths.extend(next.paths);
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.leave();
        out
    }

    /// The word at this place, in lower case, if it is only letters.
    pub(super) fn keyword(&self) -> String {
        let length = self.rest().bytes().take_while(u8::is_ascii_alphabetic).count();
        let after = self.byte(length);
        if length == 0
            || length > 10
            || !matches!(after, b' ' | b'\t' | b'\r' | b'\n' | b'(' | b'{' | 0)
        {
            return String::new();
        }
        self.rest().get(..length).unwrap_or_default().to_ascii_lowercase()
    }

    pub(super) fn statement(&mut self) -> Piped {
        let keyword = self.keyword();
        match keyword.as_str() {
            "if" => self.if_chain(),
            "class" | "enum" if self.declares(keyword.len()) => self.declaration(keyword.len()),
            "param" if self.byte_after(keyword.len()) == b'(' => {
                self.at += keyword.len();
                self.parameters()
            }
            "elseif" | "switch" | "catch" | "else" => {
                self.at += keyword.len();
                self.group_if_any();
                self.block_possibly(Certainty::Possible)
            }
            "while" | "until" | "try" | "finally" | "do" | "begin" | "process" | "end" => {
                self.at += keyword.len();
                self.group_if_any();
                self.block_possibly(Certainty::Certain)
            }
            "default"
                if self.rest().get(7..).is_some_and(|rest| rest.trim_start().starts_with('{')) =>
            {
                self.at += keyword.len();
                self.block_possibly(Certainty::Possible)
            }
            "foreach" | "for"
                if self
                    .rest()
                    .get(keyword.len()..)
                    .unwrap_or_default()
                    .trim_start()
                    .starts_with('(') =>
            {
                self.at += keyword.len();
                self.for_loop()
            }
            "function" | "filter" => {
                self.at += keyword.len();
                self.blanks();
                let _name = self.plain_word();
                self.blank_lines_only();
                if self.byte(0) == b'(' {
                    self.parameters();
                }
                self.block_possibly(Certainty::Possible)
            }
            "return" | "throw" | "in" => {
                self.at += keyword.len();
                self.pipeline()
            }
            _ => self.assignment_or_pipeline(),
        }
    }

    fn plain_word(&mut self) -> &'s str {
        let length = self
            .rest()
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-:".contains(byte))
            .count();
        let word = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        word
    }

    pub(super) fn group_if_any(&mut self) {
        self.blank_lines_only();
        // `switch -Regex (x)`, `catch [Type]`
        while matches!(self.byte(0), b'-' | b'[') {
            let length = self.rest().find([' ', '(', '{', '\n']).unwrap_or(self.rest().len());
            self.at += length.max(1);
            self.blank_lines_only();
        }
        if self.byte(0) == b'(' {
            self.at += 1;
            let _condition = self.script(Some(b')'));
        }
    }

    pub(super) fn blank_lines_only(&mut self) {
        loop {
            self.blanks();
            if self.byte(0) != b'\n' || self.ended() {
                return;
            }
            self.at += 1;
        }
    }

    fn block_possibly(&mut self, certainty: Certainty) -> Piped {
        self.blank_lines_only();
        if self.byte(0) != b'{' {
            return Piped::default();
        }
        self.at += 1;
        let before = self.call.machine.certainty;
        self.call.machine.certainty = before.min(certainty);
        let mut out = self.script(Some(b'}'));
        self.call.machine.certainty = before;
        out.stream.text = None;
        out
    }

    /// `foreach ($x in values) { ... }`
    fn for_loop(&mut self) -> Piped {
        self.blanks();
        self.at += 1;
        self.blanks();
        let back = self.at;
        let mut name = if self.byte(0) == b'$' {
            self.at += 1;
            self.plain_word()
        } else {
            ""
        };
        self.blanks();
        let keyword = self.keyword();
        if keyword == "in" {
            self.at += 2;
        } else {
            (self.at, name) = (back, "");
        }
        let values = self.script(Some(b')'));
        self.blank_lines_only();
        if self.byte(0) != b'{' {
            return Piped::default();
        }
        let start = self.at + 1;
        let rounds = if keyword == "in" { Self::rounds(&values) } else { vec![Piped::default()] };
        let mut out = Piped::default();
        for round in rounds {
            if !name.is_empty() {
                self.set(name, round);
            }
            self.at = start;
            let next = self.script(Some(b'}'));
            out.stream.flow.join(&next.stream.flow);
        }
        out
    }

    /// The values of a loop, one by one.
    fn rounds(values: &Piped) -> Vec<Piped> {
        if !values.paths.is_empty() && values.paths.len() <= MAX_ROUNDS {
            let one = |path: &Field| Piped { stream: Stream::default(), paths: vec![path.clone()] };
            return values.paths.iter().map(one).collect();
        }
        if values.stream.text.as_deref().is_some_and(|text| text.starts_with("[win32_")) {
            return vec![values.clone()];
        }
        vec![Piped::unknown(values.stream.flow.clone())]
    }

    /// Runs a script block for what comes through the pipe.
    pub(super) fn block_for(&mut self, start: usize, input: &Piped) -> Piped {
        let back = self.at;
        let outer = self.input.clone();
        let mut out = Piped::default();
        for round in Self::rounds(input) {
            self.input = round;
            self.at = start;
            let next = self.script(Some(b'}'));
            out.stream.flow.join(&next.stream.flow);
            out.paths.extend(next.paths);
        }
        self.input = outer;
        self.at = back;
        out
    }

    fn assignment_or_pipeline(&mut self) -> Piped {
        let start = self.at;
        // `[xml]$x = ...`
        while self.byte(0) == b'[' && self.byte(1).is_ascii_alphabetic() {
            self.attribute();
            self.blanks();
        }
        if self.byte(0) != b'$' {
            self.at = start;
            return self.pipeline();
        }
        self.at += 1;
        let name = self.plain_word().trim_end_matches('-');
        self.blanks();
        let joins = self.rest().starts_with("+=");
        let sets = self.byte(0) == b'=' && self.byte(1) != b'=';
        if name.is_empty() || !(joins || sets) {
            self.at = start;
            return self.pipeline();
        }
        self.at += if joins { 2 } else { 1 };
        if let Some(variable) =
            name.get(4..).filter(|_| name.to_ascii_lowercase().starts_with("env:"))
        {
            let span = self.span(start);
            self.setting(variable, span);
        }
        let unsettled = self.unsettled;
        let mut value = self.assigned();
        self.settle(start, unsettled);
        if let Some(table) = self.table.take().filter(|_| self.tables.len() < 16) {
            self.tables.push((name.to_ascii_lowercase(), table));
        }
        if let Some(name) =
            name.get(..4).filter(|it| it.eq_ignore_ascii_case("env:")).and(name.get(4..))
        {
            self.export(name, &value);
        }
        if joins && let Some(old) = self.get(name) {
            value.stream.flow.join(&old.stream.flow);
            value.stream.text = match (&old.stream.text, &value.stream.text) {
                (Some(old), Some(new)) if old.len() + new.len() <= MAX_VALUE => {
                    Some(format!("{old}{new}"))
                }
                _ => None,
            };
        }
        self.set(name, value);
        Piped { stream: Stream::empty(), paths: Vec::new() }
    }

    /// The right side of an assignment: a pipeline, or a statement with blocks.
    pub(super) fn assigned(&mut self) -> Piped {
        self.blank_lines_only();
        self.table = None;
        match self.keyword().as_str() {
            "if" | "switch" | "foreach" | "for" | "while" | "do" | "try" => self.statement(),
            _ => self.pipeline(),
        }
    }

    /// The entries of a hashtable in a variable.
    pub(super) fn table_of(&self, name: &str) -> Option<&Table> {
        let mut tables = self.tables.iter().rev();
        tables.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, table)| table)
    }

    /// Commands connected by bars.
    pub(super) fn pipeline(&mut self) -> Piped {
        if !self.enter() {
            return Piped::default();
        }
        let mut value = Piped { stream: Stream::empty(), paths: Vec::new() };
        let mut first = true;
        loop {
            self.blanks();
            value = self.element(value, first);
            first = false;
            self.blanks();
            if self.byte(0) == b'|' && self.byte(1) != b'|' {
                self.at += 1;
                self.blank_lines_only();
                continue;
            }
            break;
        }
        if self.rest().starts_with("&&") || self.rest().starts_with("||") {
            self.at += 2;
        } else if self.byte(0) == b'&' {
            self.at += 1;
        }
        self.leave();
        value
    }
}
