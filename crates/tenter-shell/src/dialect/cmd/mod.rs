//! cmd.exe, partially parsed: lines, separators, `^`, `%VAR%`, `if` and `for`, and its own commands.

mod commands;
mod words;

use super::{MAX_DEPTH, path_field};
use crate::act::Act;
use crate::call::Call;
use crate::code::Code;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::span::Origin;
use crate::target::Target;
use crate::value::{Field, Part};

/// Maximum number of loop rounds followed.
const MAX_ROUNDS: usize = 8;

/// Judges a cmd.exe script and returns its output.
pub(crate) fn judge(call: &mut Call<'_, '_>, code: Code<'_>) -> Stream {
    if !call.machine.budget.spend(code.text.len()) {
        call.unverified(crate::Reason::TooMuchWork, code.span(0, code.text.len()));
        return Stream::default();
    }
    let index = call.index;
    let stdin = call.stdin.clone();
    let mut shell = Shell { call, code, at: 0, depth: 0, variables: Vec::new() };
    let out = shell.script(false, &stdin);
    call.index = index;
    out
}

struct Shell<'s, 'a, 'c, 'w> {
    call: &'a mut Call<'c, 'w>,
    code: Code<'s>,
    at: usize,
    depth: usize,
    variables: Vec<(String, Field)>,
}

impl<'s> Shell<'s, '_, '_, '_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.code.text.as_bytes().get(self.at.saturating_add(ahead)).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'s str {
        self.code.text.get(self.at..).unwrap_or_default()
    }

    fn ended(&self) -> bool {
        self.at >= self.code.text.len()
    }

    fn too_deep(&mut self) {
        let span = self.code.span(self.at, self.code.text.len());
        self.call.unverified(crate::Reason::TooDeep, span);
        self.at = self.code.text.len();
    }

    fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'^' if matches!(self.byte(1), b'\n' | b'\r') => self.at += 2,
                _ => return,
            }
        }
    }

    /// Commands up to the end, or to the parenthesis that closes a group.
    fn script(&mut self, group: bool, stdin: &Stream) -> Stream {
        let mut all = Stream::empty();
        if self.depth >= MAX_DEPTH {
            self.too_deep();
            return all;
        }
        self.depth += 1;
        let mut input = stdin.clone();
        while !self.ended() && !self.call.machine.budget.is_spent() {
            self.blanks();
            let before = self.at;
            match self.byte(0) {
                b')' if group => {
                    self.at += 1;
                    break;
                }
                b'\n' | b'&' | b';' | b'|' => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let out = self.command(&input);
            self.blanks();
            if self.byte(0) == b'|' && self.byte(1) != b'|' {
                input = out;
            } else {
                input = Stream::default();
                all.flow.join(&out.flow);
                all.text = match (all.text.take(), out.text) {
                    (Some(before), Some(more)) => Some(before + &more),
                    _ => None,
                };
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.depth -= 1;
        all
    }

    fn command(&mut self, stdin: &Stream) -> Stream {
        while self.byte(0) == b'@' {
            self.at += 1;
        }
        if self.byte(0) == b'(' {
            self.at += 1;
            return self.script(true, stdin);
        }
        let start = self.at;
        // Words of the language are short; a longer one is not looked through.
        let ends = |byte: &u8| b" \t\n\r(&|)".contains(byte);
        let length = self.rest().bytes().take(8).position(|byte| ends(&byte)).unwrap_or(8);
        let word = self.rest().get(..length).or(self.rest().get(..4)).unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "rem" => {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                return Stream::empty();
            }
            "if" => {
                self.at += word.len();
                return self.branch(stdin);
            }
            "else" => {
                self.at += word.len();
                self.blanks();
                return self.possibly(stdin);
            }
            "for" => {
                self.at += word.len();
                return self.for_loop(stdin);
            }
            _ if word.starts_with(':') => {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                return Stream::empty();
            }
            _ => {}
        }
        let (words, outputs, stdin) = self.words(stdin);
        let out = self.run(&words, &stdin, start);
        for (file, append) in &outputs {
            self.write(file, *append, out.clone());
        }
        if outputs.is_empty() { out } else { Stream::empty() }
    }

    fn write(&mut self, file: &Field, append: bool, content: Stream) {
        if file.exact().is_some_and(|name| name.eq_ignore_ascii_case("nul"))
            || file.prefix().starts_with('&')
        {
            return;
        }
        let kind = if append { Kind::Append } else { Kind::Overwrite };
        self.call.write(kind, Act::Redirect, &path_field(file), content);
    }

    /// `if [/i] [not] exist x command`
    fn branch(&mut self, stdin: &Stream) -> Stream {
        let head = self.at;
        loop {
            self.blanks();
            let start = self.at;
            self.word();
            let raw = self.code.text.get(start..self.at).unwrap_or_default();
            let lower = raw.to_ascii_lowercase();
            match lower.as_str() {
                "/i" | "not" => {}
                "exist" | "defined" | "errorlevel" => {
                    self.blanks();
                    self.word();
                    break;
                }
                _ if lower.contains("==") && !lower.ends_with("==") => break,
                _ => {
                    // `a == b`, `a equ b`
                    self.blanks();
                    if !lower.contains("==") {
                        self.word();
                        self.blanks();
                    }
                    self.word();
                    break;
                }
            }
            if self.ended() {
                return Stream::default();
            }
        }
        if self.code.origin == Origin::Verbatim(0) {
            let span = self.code.span(head, self.at);
            self.call.machine.settle(span);
        }
        self.blanks();
        self.possibly(stdin)
    }

    fn possibly(&mut self, stdin: &Stream) -> Stream {
        if self.depth >= MAX_DEPTH {
            self.too_deep();
            return Stream::default();
        }
        self.depth += 1;
        let before = std::mem::replace(&mut self.call.machine.certainty, Certainty::Possible);
        let mut out = self.command(stdin);
        self.call.machine.certainty = before.min(self.call.machine.certainty.max(before));
        self.depth -= 1;
        out.text = None;
        out
    }

    /// `for [/f "options"] %i in (set) do command`
    fn for_loop(&mut self, stdin: &Stream) -> Stream {
        let mut kind = String::new();
        let mut root = None;
        let mut name = String::new();
        while !self.ended() {
            self.blanks();
            if self.byte(0) == b'(' {
                break;
            }
            if self.byte(0) == b'%' {
                while self.byte(0) == b'%' {
                    self.at += 1;
                }
                name = self.rest().get(..1).unwrap_or_default().to_owned();
                self.at += name.len();
                continue;
            }
            let before = self.at;
            let word = self.word();
            if word.prefix().starts_with('/') {
                kind = word.shown().to_ascii_lowercase();
            } else if kind == "/r" && name.is_empty() {
                root = Some(word);
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.at += 1;
        let inner = self.rest();
        let end = inner.find(')').unwrap_or(inner.len());
        let set = inner.get(..end).unwrap_or_default();
        let endless = kind == "/l" && (set.trim().is_empty() || steps_by_nothing(set));
        let mut values = self.set_of(&kind, self.at + end);
        if kind == "/r" {
            values = values.iter().map(|value| below(root.as_ref(), value)).collect();
        }
        self.at = (self.at + 1).min(self.code.text.len());
        self.blanks();
        if self.rest().get(..2).is_some_and(|word| word.eq_ignore_ascii_case("do")) {
            self.at += 2;
        }
        self.blanks();
        let starts = self.rest().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("start"));
        if endless && starts {
            self.call.effect(Kind::Process, Act::ForkBomb, Target::None);
        }
        let start = self.at;
        let mut out = Stream::default();
        for value in values {
            self.variables.retain(|(known, _)| *known != name);
            self.variables.push((name.clone(), value));
            self.at = start;
            if self.depth < MAX_DEPTH {
                self.depth += 1;
                out.flow.join(&self.command(stdin).flow);
                self.depth -= 1;
            }
        }
        out
    }

    /// The set of a loop; leaves the cursor at the parenthesis.
    fn set_of(&mut self, kind: &str, end: usize) -> Vec<Field> {
        let start = self.at;
        let unknown = Field::unknown("…", self.code.span(start, end));
        if kind == "/f" {
            let text = self.code.text.get(start..end).unwrap_or_default().trim();
            let mut value = unknown;
            if let Some(code) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
                let at = start
                    + self.code.text.get(start..end).and_then(|set| set.find(code)).unwrap_or(0);
                let code = self.code.field(code, at, at + code.len());
                let out = self.call.run_code(crate::world::Language::Cmd, &code);
                value.flow = out.flow;
            }
            self.at = end;
            return vec![value];
        }
        let mut values = Vec::new();
        while self.at < end && values.len() < MAX_ROUNDS {
            self.blanks();
            let before = self.at;
            if self.at >= end || self.byte(0) == b')' {
                break;
            }
            values.push(self.word());
            if self.at == before {
                self.at += 1;
            }
        }
        let cut = self.at < end;
        self.at = end;
        if values.is_empty() || kind == "/l" || cut && values.len() >= MAX_ROUNDS {
            values.push(unknown);
        }
        values
    }
}

/// A name anywhere under a directory.
fn below(root: Option<&Field>, name: &Field) -> Field {
    let mut field = root.cloned().unwrap_or_else(|| Field::text(".", name.span));
    let slash = if field.suffix().ends_with(['\\', '/']) { "" } else { "/" };
    field.push_text(slash, None);
    field.parts.push(Part::Glob("**".to_owned()));
    field.push_text("/", None);
    name.parts.iter().for_each(|part| field.push(part.clone()));
    field
}

/// `(0,0,1)`: the second number is the step.
fn steps_by_nothing(set: &str) -> bool {
    set.split(',').nth(1).is_some_and(|step| step.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;
    use crate::world::Language;

    #[test]
    fn commands_of_cmd() {
        check(
            Language::Cmd,
            &[
                (
                    "del /f /s /q C:\\x\\*",
                    "$ del /f /s /q C:\\x\\* | delete remove C:/x/* possible -r -f",
                ),
                ("DEL/F/Q x", "$ DEL /F/Q x | delete remove /shop/x certain -f"),
                ("rd /s /q build", "$ rd /s /q build | delete remove /shop/build certain -r -f"),
                ("rmdir x", "$ rmdir x | delete remove-empty-directory /shop/x certain"),
                (
                    "del x & rd /s /q y && echo done || del z",
                    "$ del x | $ rd /s /q y | $ del z | delete remove /shop/x certain | delete remove /shop/y certain -r -f | delete remove /shop/z certain",
                ),
                ("d^el /q \"a b\"", "$ del /q a b | delete remove /shop/a b certain -f"),
                (
                    "set \"X=C:\\y\"\ndel !X!\\z & echo !Y!",
                    "$ del C:\\y\\z | delete remove C:/y/z certain",
                ),
                (
                    "set X=del& cmd /c \"%X% z\"",
                    "$ cmd /c del z | $ del z | delete remove /shop/z certain",
                ),
                ("set X=C:\\y\ndel %X%\\z", "$ del C:\\y\\z | delete remove C:/y/z certain"),
                (
                    "del %TEMP%\\*",
                    "$ del C:/Users/me/AppData/Local/Temp\\* | delete remove C:/Users/me/AppData/Local/Temp/* possible",
                ),
                ("if exist x del x", "$ del x | delete remove /shop/x possible"),
                (
                    "if not \"%1\"==\"\" (del a) else (del b)",
                    "$ del a | $ del b | delete remove /shop/a possible | delete remove /shop/b possible",
                ),
                (
                    "for %i in (a b) do del %i",
                    "$ del a | $ del b | delete remove /shop/a certain | delete remove /shop/b certain",
                ),
                (
                    "for /r C:\\x %%f in (*.log) do del /q \"%%f\"",
                    "$ del /q C:\\x/**/*.log | delete remove C:/x/**/*.log possible -f",
                ),
                (
                    "for /f \"tokens=1\" %i in ('dir /b') do rd /s /q %i",
                    "$ dir /b | $ rd /s /q … | delete remove … possible -r -f",
                ),
                (
                    "type C:\\k > y & copy a b & move c d",
                    "$ type C:\\k | $ copy a b | $ move c d | read read-file C:/k certain | overwrite redirect /shop/y certain <[File(\"C:/k\")] | read copy /shop/a certain | write copy /shop/b certain <[File(\"/shop/a\")] | move move /shop/c certain | write move /shop/d certain <[File(\"/shop/c\")]",
                ),
                (
                    "echo del x > y.bat & call y.bat",
                    "$ y.bat | $ del x | overwrite redirect /shop/y.bat certain | delete remove /shop/x certain",
                ),
                (
                    "start \"\" /b cmd /c del x",
                    "$ cmd /c del x | $ del x | delete remove /shop/x certain",
                ),
                (
                    "powershell -Command \"Remove-Item -Recurse x\"",
                    "$ powershell -Command Remove-Item -Recurse x | $ Remove-Item -Recurse x | delete remove /shop/x certain -r",
                ),
                ("cd /d D:\\y & del x", "$ cd /d D:\\y | $ del x | delete remove D:/y/x certain"),
                (
                    "shutdown /s /t 0 & format d: /q",
                    "$ shutdown /s /t 0 | $ format d: /q | system power-off  certain | device format d: certain",
                ),
                ("rem del x\n:: del y\n@echo off\necho del z", ""),
                ("dir 2>nul | find \"x\"", "$ dir | $ find x"),
                ("set", "environment-dump print-environment  certain"),
            ],
        );
    }
}
