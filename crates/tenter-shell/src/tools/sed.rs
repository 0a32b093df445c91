//! `sed`: its output, in-place edits, and script commands that read and write files and run programs.
//!
//! Actions: `print` (content is shown or passed on), `edit-in-place`, `script` (the script is read
//! from a file), `save` (lines go to a file: `w`). What `e` runs speaks for itself.

use super::files::{append, filtered, input, inputs, only_shows, put, reshaped};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::code::Code;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::options::Spec;
use crate::syntax::Dialect;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[("sed", sed), ("gsed", sed)];

const SPEC: Spec = Spec::new(
    "e:f:l:i::",
    "expression= file= in-place=? line-length= quiet silent debug follow-symlinks posix \
     regexp-extended separate sandbox unbuffered null-data zero-terminated help version",
);

const SHELL: Language = Language::Shell(Dialect::Posix);

fn sed(call: &mut Call<'_, '_>) {
    let options = call.options(&SPEC);
    if only_shows(&options) {
        return;
    }
    let in_place = options.has(&["i", "in-place"]);
    let mut operands = options.operands.as_slice();
    // BSD wants a suffix after `-i`, often an empty one.
    if let [first, rest @ ..] = operands
        && in_place
        && first.is("")
    {
        operands = rest;
    }
    let given = options.has(&["e", "expression", "f", "file"]);
    let (script, files) = match operands.split_first() {
        Some((script, files)) if !given => (Some(*script), files),
        _ => (None, operands),
    };
    let mut content = inputs(call, Act::Print, files, false);
    let text = filtered(call, files, &content).text;
    let sandbox = options.has(&["sandbox"]);
    for field in script.into_iter().chain(options.values(&["e", "expression"])) {
        content.flow.join(&field.flow);
        if !sandbox {
            follow(call, field, &mut content);
        }
    }
    for file in options.values(&["f", "file"]) {
        let code = input(call, Act::Script, file);
        if let Some(text) = code.text
            && !sandbox
        {
            follow(call, &Field::text(text, file.span), &mut content);
        }
    }
    let result = Stream { text, flow: content.flow, partial: None };
    if in_place {
        call.stdout = Stream::empty();
        for file in files {
            put(call, Kind::Overwrite, Act::EditInPlace, file, result.clone());
        }
    } else {
        call.stdout = result;
    }
}

/// Reports effects of a script's commands besides editing.
fn follow(call: &mut Call<'_, '_>, script: &Field, content: &mut Stream) {
    let Some(text) = script.exact() else {
        return;
    };
    let code = Code { text, origin: script.origin() };
    for does in (Script { text, at: 0 }) {
        match does {
            Does::Read(start, end) => {
                let file = argument(&code, start, end);
                let more = input(call, Act::Print, &file);
                append(content, &more);
            }
            Does::Write(start, end) => {
                let file = argument(&code, start, end);
                put(call, Kind::Overwrite, Act::Save, &file, reshaped(content));
            }
            Does::Run(start, end) => {
                let more = call.run_code(SHELL, &argument(&code, start, end));
                append(content, &more);
            }
            // The line, or what is left of it, is the command.
            Does::RunLine(start, end) => {
                let line = reshaped(content);
                let more = call.run_stream(SHELL, &line, code.span(start, end));
                append(content, &more);
            }
            Does::RunReplaced(start, end) => {
                let line = reshaped(content);
                call.run_stream(SHELL, &line, code.span(start, end));
                let certain = call.machine.certainty;
                call.machine.certainty = certain.min(Certainty::Possible);
                let more = call.run_code(SHELL, &argument(&code, start, end));
                call.machine.certainty = certain;
                append(content, &more);
            }
        }
    }
}

fn argument(code: &Code<'_>, start: usize, end: usize) -> Field {
    code.field(code.text.get(start..end).unwrap_or_default(), start, end)
}

/// A command that reaches outside, with the bytes that say what it reads, writes or runs.
#[derive(Debug, PartialEq, Eq)]
enum Does {
    Read(usize, usize),
    Write(usize, usize),
    Run(usize, usize),
    RunLine(usize, usize),
    RunReplaced(usize, usize),
}

/// Goes through the commands of a script; stops at the first thing it cannot read, as `sed` does.
struct Script<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Script<'_> {
    type Item = Does;

    fn next(&mut self) -> Option<Does> {
        loop {
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'{' | b'}'));
            self.address()?;
            let start = self.at;
            let command = self.byte()?;
            self.at += 1;
            match command {
                b'#' | b':' if self.line_end() => {}
                b'a' | b'i' | b'c' => self.text_lines(),
                b'b' | b't' | b'T' => self.skip(|byte| !matches!(byte, b'\n' | b';')),
                b'{' | b'}' => {}
                b'r' | b'R' => return self.name().map(|(start, end)| Does::Read(start, end)),
                b'w' | b'W' => return self.name().map(|(start, end)| Does::Write(start, end)),
                b'e' => {
                    return Some(match self.name() {
                        Some((start, end)) => Does::Run(start, end),
                        None => Does::RunLine(start, self.at),
                    });
                }
                b's' => {
                    let (runs, writes) = self.substitution()?;
                    // Both at once is not used; what runs matters more.
                    if let Some(does) = runs.or(writes) {
                        return Some(does);
                    }
                }
                b'y' => {
                    let mark = self.byte()?;
                    self.at += 1;
                    self.until(mark, false)?;
                    self.until(mark, false)?;
                }
                b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'l' | b'L' | b'n' | b'N'
                | b'p' | b'P' | b'q' | b'Q' | b'x' | b'z' | b'F' | b'v' => {
                    self.skip(|byte| !matches!(byte, b'\n' | b';' | b'}'));
                }
                _ => return None,
            }
        }
    }
}

impl Script<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn line_end(&mut self) -> bool {
        self.skip(|byte| byte != b'\n');
        true
    }

    /// `1`, `$`, `/re/I`, `\,re,`, with ranges and `!`.
    fn address(&mut self) -> Option<()> {
        loop {
            match self.byte()? {
                b'0'..=b'9' | b'$' | b',' | b'~' | b'+' | b'!' | b' ' | b'\t' => self.at += 1,
                b'/' => {
                    self.at += 1;
                    self.until(b'/', true)?;
                    self.skip(|byte| matches!(byte, b'I' | b'M'));
                }
                b'\\' => {
                    self.at += 1;
                    let mark = self.byte()?;
                    self.at += 1;
                    self.until(mark, true)?;
                    self.skip(|byte| matches!(byte, b'I' | b'M'));
                }
                _ => return Some(()),
            }
        }
    }

    /// Goes behind the next mark; where it starts and ends before the mark.
    fn until(&mut self, mark: u8, pattern: bool) -> Option<(usize, usize)> {
        let start = self.at;
        loop {
            let byte = self.byte()?;
            self.at += 1;
            if byte == mark {
                return Some((start, self.at - 1));
            }
            if byte == b'\\' {
                self.byte()?;
                self.at += 1;
            } else if pattern && byte == b'[' {
                self.class()?;
            }
        }
    }

    /// Goes behind the bracket that ends a class. A bracket right after `[` or `[^` is one of the
    /// letters, and named classes have brackets of their own.
    fn class(&mut self) -> Option<()> {
        if self.byte() == Some(b'^') {
            self.at += 1;
        }
        if self.byte() == Some(b']') {
            self.at += 1;
        }
        loop {
            let byte = self.byte()?;
            self.at += 1;
            match (byte, self.byte()) {
                (b']', _) => return Some(()),
                (b'[', Some(kind @ (b':' | b'.' | b'='))) => {
                    self.at += 1;
                    while (self.byte()?, self.text.as_bytes().get(self.at + 1))
                        != (kind, Some(&b']'))
                    {
                        self.at += 1;
                    }
                    self.at += 2;
                }
                _ => {}
            }
        }
    }

    /// The rest of the line, without blanks before it.
    fn name(&mut self) -> Option<(usize, usize)> {
        self.skip(|byte| matches!(byte, b' ' | b'\t'));
        let start = self.at;
        self.line_end();
        (start < self.at).then_some((start, self.at))
    }

    /// Text to the end of a line that does not end in a backslash.
    fn text_lines(&mut self) {
        while let Some(byte) = self.byte() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                _ => {}
            }
        }
    }

    /// The effects of `s`; `None` if it is incomplete.
    fn substitution(&mut self) -> Option<(Option<Does>, Option<Does>)> {
        let mark = self.byte()?;
        self.at += 1;
        self.until(mark, true)?;
        let (start, end) = self.until(mark, false)?;
        let mut runs = None;
        loop {
            match self.byte() {
                Some(b'e') => runs = Some(Does::RunReplaced(start, end)),
                Some(b'w') => {
                    self.at += 1;
                    let writes = self.name().map(|(start, end)| Does::Write(start, end));
                    return Some((runs, writes));
                }
                Some(b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9') => {}
                _ => return Some((runs, None)),
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::effects;

    #[test]
    fn files_are_read_or_edited_in_place() {
        for (argv, expected) in [
            (["sed", "-n", "1p", "a"].as_slice(), ["read print /shop/a certain"].as_slice()),
            (&["sed", "s/rm -rf/x/g", "a"], &["read print /shop/a certain"]),
            (
                &["sed", "-i", "s/a/b/", "a"],
                &[
                    "read print /shop/a certain",
                    "overwrite edit-in-place /shop/a certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["sed", "-i.bak", "-e", "s/a/b/", "a"],
                &[
                    "read print /shop/a certain",
                    "overwrite edit-in-place /shop/a certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["sed", "-i", "", "s/a/b/", "a"],
                &[
                    "read print /shop/a certain",
                    "overwrite edit-in-place /shop/a certain <[File(\"/shop/a\")]",
                ],
            ),
            (&["sed", "w out"], &["overwrite save /shop/out certain"]),
            (&["sed", "s/a/b/gw out"], &["overwrite save /shop/out certain"]),
            (&["sed", "--sandbox", "w out"], &[]),
            (&["sed", "r /etc/passwd"], &["read print /etc/passwd certain"]),
            (&["sed", "--version"], &[]),
        ] {
            assert_eq!(effects(argv), expected, "{argv:?}");
        }
    }

    fn does(text: &str) -> Vec<String> {
        Script { text, at: 0 }
            .map(|does| {
                let (name, start, end) = match does {
                    Does::Read(start, end) => ("read", start, end),
                    Does::Write(start, end) => ("write", start, end),
                    Does::Run(start, end) => ("run", start, end),
                    Does::RunLine(start, end) => ("line", start, end),
                    Does::RunReplaced(start, end) => ("replaced", start, end),
                };
                format!("{name} {}", text.get(start..end).unwrap_or("?"))
            })
            .collect()
    }

    #[test]
    fn commands_that_reach_outside_are_found() {
        for (script, expected) in [
            ("1e rm -rf x", ["run rm -rf x"].as_slice()),
            ("e", &["line e"]),
            ("$!{s/^/x/;e ls\n}", &["run ls"]),
            ("s/.*/rm x/e", &["replaced rm x"]),
            ("s|a|b|ge;p", &["replaced b"]),
            ("/[/]e/w out", &["write out"]),
            ("\\,a/e,r f", &["read f"]),
            ("1,5d;w a\nw b", &["write a", "write b"]),
            ("/[]/]/p;e x", &["run x"]),
            ("s/[[:space:]/]/b/;w x", &["write x"]),
            ("y/abc/e w/;w z", &["write z"]),
        ] {
            assert_eq!(does(script), expected, "{script}");
        }
    }

    #[test]
    fn text_that_only_looks_like_commands_is_not_found() {
        for script in
            ["s/e x/w y/", "a e rm x", "i\\\nw out", "# e x", ":e\nbe", "/e x/d", "s/a\\/e/b/"]
        {
            assert!(does(script).is_empty(), "{script}");
        }
    }
}
