//! Builtins that change the shell itself or run something in it.

use std::rc::Rc;

use super::Machine;
use super::scope::environment;
use crate::analysis::Reason;
use crate::effect::{Certainty, Effect, Kind};
use crate::expand::{Positional, Variable};
use crate::flow::{Flow, Source, Stream};
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

impl Machine<'_> {
    /// Runs a builtin; none if `name` is not one that is known here.
    pub(super) fn builtin(&mut self, name: &str, argv: &[Field], stdin: &Stream) -> Option<Stream> {
        let arguments = argv.get(1..).unwrap_or_default();
        let span = super::span_of(argv);
        if is_plain(name, self.dialect) {
            self.record(name, argv);
        }
        match name {
            ":" | "true" => self.status = Some(true),
            "false" => self.status = Some(false),
            "cd" | "chdir" => self.change_directory(arguments),
            "pushd" => {
                self.shell.stack.push(self.shell.cwd.clone());
                self.change_directory(arguments);
            }
            "popd" => {
                let back = self.shell.stack.pop().flatten();
                self.shell.previous = std::mem::replace(&mut self.shell.cwd, back);
            }
            "pwd" => {
                return Some(match self.shell.cwd.as_deref() {
                    Some(cwd) => Stream::known(format!("{cwd}\n")),
                    None => Stream::default(),
                });
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                return Some(self.declare(name, argv, arguments, span));
            }
            "set" if self.dialect == Dialect::Fish => self.fish_set(arguments),
            "set" => return Some(self.set_builtin(argv, arguments, span)),
            "unset" => self.unset(arguments),
            "shift" => self.shift(arguments),
            "read" | "mapfile" | "readarray" => self.read_builtin(name, arguments, stdin),
            "eval" => return Some(self.eval(arguments, stdin, span)),
            "source" | "." => return Some(self.source(argv, arguments, stdin, span)),
            "exec" => return Some(self.exec(arguments, stdin)),
            "command" | "builtin" => {
                return Some(self.command_builtin(name, arguments, stdin, span));
            }
            "trap" => self.trap(arguments),
            "alias" => self.alias(arguments),
            "hash" => self.hash(arguments),
            "unalias" => self.shell.aliases.clear(),
            "exit" | "return" | "break" | "continue" | "wait" | "jobs" | "fg" | "bg" | "disown"
            | "shopt" | "umask" | "ulimit" | "times" | "enable" | "type" | "getopts"
            | "complete" | "compopt" | "bind" | "suspend" | "logout" | "caller" | "dirs" => {
                return Some(Stream::default());
            }
            "let" => {
                for field in arguments {
                    if let Some((name, _)) = field.prefix().split_once(['=', '+', '-', '*']) {
                        self.shell.set(name, Variable::Unknown);
                    }
                }
            }
            "test" | "[" => {
                self.status = None;
                return Some(Stream::empty());
            }
            "history" => {
                let index = self.record(name, argv);
                if arguments.iter().any(|field| field.prefix().starts_with("-c") || field.is("-d"))
                {
                    let target = Target::name("shell history");
                    self.effect(Kind::Delete, "shell-history", target, span).command = Some(index);
                }
                return Some(Stream::from(Source::Program("history".into())));
            }
            _ => return None,
        }
        // `read` fails at the end of its input.
        if !matches!(name, ":" | "true" | "false" | "read" | "mapfile" | "readarray") {
            self.status = Some(true);
        }
        Some(Stream::empty())
    }

    pub(super) fn change_directory(&mut self, arguments: &[Field]) {
        let target = arguments.iter().find(|field| {
            let text = field.prefix();
            !(text.starts_with('-') && text.len() > 1)
        });
        let next: Option<Rc<str>> = match target {
            None => self.world.home.map(Rc::from),
            Some(field) if field.is("-") => self.shell.previous.clone(),
            Some(field) => self.path(field).exact().map(Rc::from),
        };
        self.shell.previous = std::mem::replace(&mut self.shell.cwd, next);
        self.status = Some(true);
    }

    fn declare(&mut self, name: &str, argv: &[Field], arguments: &[Field], span: Span) -> Stream {
        self.status = Some(true);
        let prints =
            arguments.iter().all(|field| field.is("-p") || field.is("-x") || field.is("-px"));
        let index = self.record(name, argv);
        if prints && name != "local" {
            let effect =
                self.effect(Kind::EnvironmentDump, "print-environment", Target::None, span);
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
                // Another name for a variable, which may be set later: not followed.
                Some(_) if letters.contains('n') => self.shell.set(key, Variable::Unknown),
                Some(value) => self.shell.set(key, Variable::Scalar(change_case(value, &letters))),
                None => {}
            }
            let exported = name == "export" || letters.contains('x');
            self.shell.mark(key, exported, name == "readonly" || letters.contains('r'));
        }
        Stream::empty()
    }

    fn fish_set(&mut self, arguments: &[Field]) {
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

    fn set_builtin(&mut self, argv: &[Field], arguments: &[Field], span: Span) -> Stream {
        let index = self.record("set", argv);
        self.status = Some(true);
        if arguments.is_empty() {
            let effect =
                self.effect(Kind::EnvironmentDump, "print-environment", Target::None, span);
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

    fn unset(&mut self, arguments: &[Field]) {
        let functions = arguments.iter().any(|field| field.is("-f"));
        let variables = arguments.iter().any(|field| field.is("-v") || field.is("-n"));
        for field in arguments {
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

    fn shift(&mut self, arguments: &[Field]) {
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
    fn read_builtin(&mut self, name: &str, arguments: &[Field], stdin: &Stream) {
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
                Some(b'd' | b'n' | b'N' | b'u') => plain = false,
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
        let known =
            stdin.text.as_deref().filter(|_| plain && !array).and_then(|text| text.lines().next());
        let count = names.len();
        let mut words = known.map(str::trim_start);
        for (index, name) in names.iter().enumerate() {
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

    /// The words of `eval` joined by blanks are code for this shell.
    fn eval(&mut self, arguments: &[Field], stdin: &Stream, span: Span) -> Stream {
        let skip = usize::from(arguments.first().is_some_and(|field| field.is("--")));
        let arguments = arguments.get(skip..).unwrap_or_default();
        let code = match arguments {
            [] => return Stream::empty(),
            [one] => one.clone(),
            many => {
                let mut joined = Field { span, ..Field::default() };
                for (index, field) in many.iter().enumerate() {
                    if index > 0 {
                        joined.push_text(" ", None);
                    }
                    joined.flow.join(&field.flow);
                    for part in &field.parts {
                        joined.push(part.clone());
                    }
                }
                joined
            }
        };
        self.enter("eval", span);
        let out = self.code_here(&code, stdin);
        self.leave_via();
        out
    }

    /// A file is read into this shell.
    fn source(
        &mut self,
        argv: &[Field],
        arguments: &[Field],
        stdin: &Stream,
        span: Span,
    ) -> Stream {
        let Some(file) = arguments.first() else {
            return Stream::empty();
        };
        let path = self.path(file);
        let from_stdin = file.is("/dev/stdin") || file.is("-") || file.is("/dev/fd/0");
        let content = if from_stdin { Some(stdin.clone()) } else { self.written(&path).cloned() };
        let Some(content) = content else {
            let index = self.record("source", argv);
            if path.exact().is_none_or(|path| path.starts_with("/proc/")) {
                self.unverified(Reason::DynamicCode, file.span);
                self.dynamic(file, "dynamic-code", file.span).command = Some(index);
            }
            // What an existing script sets cannot be told.
            self.shell.doubt_variables();
            return Stream::default();
        };
        let index = self.record("source", argv);
        self.code_from_stream(
            "source",
            Language::Shell(self.dialect),
            &content,
            span,
            Some(index),
            true,
        )
    }

    fn exec(&mut self, arguments: &[Field], stdin: &Stream) -> Stream {
        let mut rest = arguments;
        while let [first, tail @ ..] = rest {
            match first.exact() {
                Some("-a") => rest = tail.get(1..).unwrap_or_default(),
                Some("-c" | "-l" | "-cl" | "-lc" | "--") => rest = tail,
                _ => break,
            }
        }
        if rest.is_empty() {
            return Stream::empty();
        }
        self.run_via("exec", rest, stdin.clone())
    }

    /// `command rm` and `builtin cd`; `command -v` only looks.
    fn command_builtin(
        &mut self,
        name: &str,
        arguments: &[Field],
        stdin: &Stream,
        span: Span,
    ) -> Stream {
        let mut rest = arguments;
        while let [first, tail @ ..] = rest {
            match first.prefix().strip_prefix('-') {
                Some(letters) if letters.contains(['v', 'V']) => {
                    return if letters.contains('V') { Stream::default() } else { located(tail) };
                }
                Some(_) if name == "command" => rest = tail,
                _ => break,
            }
        }
        if rest.is_empty() {
            return Stream::empty();
        }
        self.enter(name, span);
        let functions = std::mem::take(&mut self.shell.functions);
        let out = self.execute(rest, stdin.clone());
        self.shell.functions = functions;
        self.leave_via();
        out
    }

    /// The code of a trap runs later, in this shell.
    fn trap(&mut self, arguments: &[Field]) {
        let operands: Vec<&Field> = arguments
            .iter()
            .filter(|field| !matches!(field.exact(), Some("--" | "-l" | "-p")))
            .collect();
        let [code, _, ..] = operands.as_slice() else {
            return;
        };
        if code.is("-") || code.is("") {
            return;
        }
        let code = (*code).clone();
        self.enter("trap", code.span);
        self.possibly(|machine| machine.code_here(&code, &Stream::default()));
        self.leave_via();
    }

    fn alias(&mut self, arguments: &[Field]) {
        for field in arguments {
            if let Some((name, _)) = field.prefix().split_once('=')
                && let Some(value) = field.without_prefix(name.len() + 1)
            {
                self.shell.aliases.retain(|(known, _)| &**known != name);
                self.shell.aliases.push((name.into(), value));
            }
        }
    }

    /// `hash -p PATH NAME`: the name stands for the path, unless `PATH` changes.
    fn hash(&mut self, arguments: &[Field]) {
        let [option, path, names @ ..] = arguments else {
            return;
        };
        if option.is("-p") {
            for name in names {
                self.shell.aliases.push((name.shown().as_str().into(), path.clone()));
            }
        }
    }

    /// An effect whose substance cannot be known.
    pub(super) fn dynamic(
        &mut self,
        field: &Field,
        action: &'static str,
        span: Span,
    ) -> &mut Effect {
        let effect = self.effect(Kind::Execute, action, Target::Name(field.shown()), span);
        effect.certainty = Certainty::Unknown;
        let sources: Flow = field.sources();
        effect.sources = sources;
        effect
    }
}

/// What `command -v NAME` and `which NAME` print: a path to a program of that name.
pub(crate) fn located(names: &[Field]) -> Stream {
    let [name] = names else {
        return Stream::default();
    };
    let mut path = Field::unknown("$(which)", name.span);
    path.push_text("/", None);
    for part in &name.parts {
        path.push(part.clone());
    }
    path.push_text("\n", None);
    Stream { partial: Some(Rc::new(path)), ..Stream::default() }
}

/// Builtins that are listed as programs in the place they stand; the others run something else or
/// are listed with what they print.
fn is_plain(name: &str, dialect: Dialect) -> bool {
    matches!(
        name,
        "cd" | "chdir"
            | "pushd"
            | "popd"
            | "pwd"
            | "unset"
            | "shift"
            | "read"
            | "mapfile"
            | "readarray"
            | "trap"
            | "alias"
            | "unalias"
            | "exit"
            | "return"
            | "break"
            | "continue"
            | "wait"
            | "jobs"
            | "fg"
            | "bg"
            | "disown"
            | "shopt"
            | "umask"
            | "ulimit"
            | "times"
            | "hash"
            | "enable"
            | "type"
            | "getopts"
            | "complete"
            | "compopt"
            | "bind"
            | "suspend"
            | "logout"
            | "caller"
            | "dirs"
            | "let"
            | "test"
            | "["
            | "true"
            | "false"
            | ":"
    ) || (name == "set" && dialect == Dialect::Fish)
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
