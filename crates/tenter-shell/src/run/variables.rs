//! Builtins that set variables: `export` and its kin, `set`, `unset`, `shift`, `read`.

use super::Machine;
use super::scope::{SCAN, environment};
use crate::act::Act;
use crate::effect::Kind;
use crate::expand::{Positional, Variable};
use crate::flow::Stream;
use crate::span::Span;
use crate::target::Target;
use crate::value::{Field, Part};

impl Machine<'_> {
    pub(super) fn declare(
        &mut self,
        name: &str,
        argv: &[Field],
        arguments: &[Field],
        span: Span,
    ) -> Stream {
        self.status = Some(true);
        let prints =
            arguments.iter().all(|field| field.is("-p") || field.is("-x") || field.is("-px"));
        let index = self.record(name, argv);
        if prints && name != "local" {
            let effect =
                self.effect(Kind::EnvironmentDump, Act::PrintEnvironment, Target::None, span);
            effect.command = Some(index);
            return environment();
        }
        let mut letters = String::new();
        for field in arguments {
            let text = field.prefix();
            if text.starts_with('-') || text.starts_with('+') {
                letters.push_str(text);
                continue;
            }
            // Local variables are searched again when the function ends.
            let scans = if self.locals.is_empty() { 1 } else { 4 };
            if !self.afford(scans * (self.shell.variables.len() / SCAN), span) {
                break;
            }
            let (key, value) = match text.split_once('=') {
                Some((key, _)) => (key, field.without_prefix(key.len() + 1)),
                None => (text, None),
            };
            let (key, appends) = match key.strip_suffix('+') {
                Some(key) => (key, true),
                None => (key, false),
            };
            if name == "local"
                || ((name == "declare" || name == "typeset") && !self.locals.is_empty())
            {
                let before = self.shell.slot(key).cloned();
                if let Some(scope) = self.locals.last_mut()
                    && !scope.iter().any(|(known, _)| &**known == key)
                {
                    scope.push((key.into(), before));
                }
            }
            match value {
                Some(value) if appends => match self.value_of(key) {
                    Some(Variable::Scalar(mut old)) => {
                        for part in value.parts {
                            old.push(part);
                        }
                        self.shell.set(key, Variable::Scalar(old));
                    }
                    _ => self.shell.set(key, Variable::Unknown),
                },
                Some(value) if letters.contains('n') => match value.exact() {
                    Some(variable) => self.shell.refer(key, variable),
                    None => self.shell.set(key, Variable::Unknown),
                },
                Some(value) => self.shell.set(key, Variable::Scalar(change_case(value, &letters))),
                None => {}
            }
            if letters.contains('f') {
                for (known, function) in &mut self.shell.functions {
                    function.exported |= &**known == key && name == "export";
                }
                continue;
            }
            self.hidden_prompt(key);
            let exported = name == "export" || letters.contains('x');
            self.shell.mark(key, exported, name == "readonly" || letters.contains('r'));
        }
        Stream::empty()
    }

    pub(super) fn fish_set(&mut self, arguments: &[Field]) {
        let mut operands =
            arguments.iter().filter(|field| !field.prefix().starts_with('-')).cloned();
        let Some(name) = operands.next() else {
            return;
        };
        let values: Vec<Field> = operands.collect();
        let value = match values.as_slice() {
            [one] => Variable::Scalar(one.clone()),
            _ => Variable::Array(
                values
                    .into_iter()
                    .enumerate()
                    .map(|(key, value)| (key.to_string(), value))
                    .collect(),
            ),
        };
        self.shell.set(&name.shown(), value);
    }

    pub(super) fn set_builtin(
        &mut self,
        argv: &[Field],
        arguments: &[Field],
        span: Span,
    ) -> Stream {
        let index = self.record("set", argv);
        self.status = Some(true);
        if arguments.is_empty() {
            let effect =
                self.effect(Kind::EnvironmentDump, Act::PrintEnvironment, Target::None, span);
            effect.command = Some(index);
            return environment();
        }
        let mut rest = arguments.iter().enumerate();
        while let Some((at, field)) = rest.next() {
            let text = field.prefix();
            if field.is("--") {
                let items = arguments.get(at + 1..).unwrap_or_default().to_vec();
                self.set_positional(items);
                return Stream::empty();
            }
            let letters = match text.strip_prefix('-') {
                Some(letters) => {
                    if letters.contains('f') {
                        self.shell.globs = false;
                    }
                    self.shell.exports |= letters.contains('a');
                    letters
                }
                None => match text.strip_prefix('+') {
                    Some(letters) => {
                        if letters.contains('f') {
                            self.shell.globs = true;
                        }
                        letters
                    }
                    None => {
                        let items = arguments.get(at..).unwrap_or_default().to_vec();
                        self.set_positional(items);
                        return Stream::empty();
                    }
                },
            };
            if letters.ends_with('o') {
                rest.next();
            }
        }
        Stream::empty()
    }

    pub(super) fn unset(&mut self, arguments: &[Field]) {
        let functions = arguments.iter().any(|field| field.is("-f"));
        let variables = arguments.iter().any(|field| field.is("-v") || field.is("-n"));
        for field in arguments {
            let names = self.shell.variables.len() + self.shell.functions.len();
            if !self.afford(names / SCAN, field.span) {
                return;
            }
            let name = field.shown();
            if !variables {
                self.shell.functions.retain(|(known, _)| **known != *name);
            }
            if !functions {
                self.shell.set(&name, Variable::Unset);
            }
        }
    }

    fn set_positional(&mut self, items: Vec<Field>) {
        let splits = |part: &Part| matches!(part, Part::Unknown(unknown) if unknown.splits);
        let unknown = items.iter().any(|field| field.parts.iter().any(splits));
        self.shell.positional =
            if unknown { Positional::Unknown } else { Positional::Known(items) };
    }

    pub(super) fn shift(&mut self, arguments: &[Field]) {
        let count = match arguments.first() {
            None => Some(1),
            Some(field) => field.exact().and_then(|text| text.parse::<usize>().ok()),
        };
        match (&mut self.shell.positional, count) {
            (Positional::Known(items), Some(count)) => {
                items.drain(..count.min(items.len()));
            }
            (positional, _) => *positional = Positional::Unknown,
        }
    }

    /// `read` takes the first line of what it is given.
    pub(super) fn read_builtin(&mut self, name: &str, arguments: &[Field], stdin: &Stream) {
        let mut names = Vec::new();
        let mut array = name != "read";
        let mut plain = true;
        // `mapfile -C CODE` runs the code for every so many lines.
        let mut callback: Option<Field> = None;
        let valued = if array { "dnOsuCc" } else { "adinNptu" };
        let mut rest = arguments.iter();
        while let Some(field) = rest.next() {
            let Some(letters) = field.prefix().strip_prefix('-').filter(|text| !text.is_empty())
            else {
                names.push(field.shown());
                continue;
            };
            let Some(at) = letters.find(|letter| valued.contains(letter)) else {
                continue;
            };
            // The value is what is left of the word, or the next one.
            let value = match field.without_prefix(at + 2) {
                Some(joined) if !joined.parts.is_empty() => Some(joined),
                _ => rest.next().cloned(),
            };
            match letters.as_bytes().get(at) {
                Some(b'a') => {
                    array = true;
                    names.extend(value.map(|name| name.shown()));
                }
                Some(b'C') => callback = value,
                Some(b'd' | b'n' | b'N' | b'u' | b'O' | b's') => plain = false,
                _ => {}
            }
        }
        if let Some(code) = callback {
            self.enter("mapfile", code.span);
            self.possibly(|machine| machine.code_here(&code, &Stream::default()));
            self.leave_via();
        }
        if names.is_empty() {
            names.push(if array { "MAPFILE".to_owned() } else { "REPLY".to_owned() });
        }
        let span = arguments.first().map(|field| field.span).unwrap_or_default();
        let raw = arguments
            .iter()
            .any(|field| field.prefix().starts_with('-') && field.prefix().contains('r'));
        let split_by_blanks = self.shell.slot("IFS").is_none();
        if array && plain && split_by_blanks && stdin.text.is_some() {
            self.read_array(name == "read", &names, stdin, span);
            return;
        }
        let known = stdin
            .text
            .as_deref()
            .filter(|_| plain && !array && split_by_blanks)
            .and_then(|text| text.lines().next())
            .filter(|line| raw || !line.contains('\\'));
        self.lines_read += 1;
        let count = names.len();
        let mut words = known.map(str::trim_start);
        for (index, name) in names.iter().enumerate() {
            if !self.afford(2 + self.shell.variables.len() / SCAN, span) {
                return;
            }
            let value = match &mut words {
                Some(line) => {
                    let (word, after) = if index + 1 == count {
                        (line.trim_end(), "")
                    } else {
                        line.split_once([' ', '\t']).unwrap_or((line, ""))
                    };
                    let field = Field { flow: stdin.flow.clone(), ..Field::text(word, span) };
                    *line = after.trim_start();
                    field
                }
                None => {
                    let known = stdin.partial.as_deref().map(first_line).unwrap_or_default();
                    let unknown = Field::unknown(&format!("${name}"), span);
                    let parts = if known.is_empty() || index > 0 { unknown.parts } else { known };
                    Field { parts, flow: stdin.flow.clone(), span }
                }
            };
            self.shell.set(name, Variable::Scalar(value));
        }
        self.status = None;
    }

    /// `mapfile` makes an item of each line, `read -a` of each word of the first.
    fn read_array(&mut self, of_words: bool, names: &[String], stdin: &Stream, span: Span) {
        let text = stdin.text.as_deref().unwrap_or_default();
        let items: Vec<&str> = if of_words {
            text.lines().next().unwrap_or_default().split_ascii_whitespace().collect()
        } else {
            text.lines().collect()
        };
        if !self.afford(2 + 2 * items.len() + text.len() / SCAN, span) {
            return;
        }
        let field = |text: &&str| Field { flow: stdin.flow.clone(), ..Field::text(*text, span) };
        let items = items.iter().enumerate().map(|(at, text)| (at.to_string(), field(text)));
        if let Some(name) = names.first() {
            self.shell.set(name, Variable::Array(items.collect()));
        }
        self.status = None;
    }
}

/// `declare -l` and `-u` change what is assigned.
fn change_case(mut value: Field, letters: &str) -> Field {
    for part in &mut value.parts {
        let Part::Text { text, at } = part else {
            continue;
        };
        if letters.contains('l') {
            *text = text.to_lowercase();
        } else if letters.contains('u') {
            *text = text.to_uppercase();
        } else {
            return value;
        }
        *at = None;
    }
    value
}

/// The first line of a text that is partly known.
fn first_line(field: &Field) -> Vec<Part> {
    let mut parts = Vec::new();
    for part in &field.parts {
        match part {
            Part::Text { text, .. } => match text.split_once('\n') {
                Some((line, _)) => {
                    if !line.is_empty() {
                        parts.push(Part::Text { text: line.to_owned(), at: None });
                    }
                    return parts;
                }
                None => parts.push(part.clone()),
            },
            other => parts.push(other.clone()),
        }
    }
    parts
}
