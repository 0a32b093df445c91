//! Builtins that change the shell itself or run something in it.

use std::rc::Rc;

use super::Machine;
use super::scope::SCAN;
use crate::act::Act;
use crate::analysis::Reason;
use crate::effect::{Certainty, Effect, Kind};
use crate::expand::{Positional, Scope, Variable};
use crate::flow::{Flow, Source, Stream};
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::{Language, PathKind, Use};

/// Maximum number of traps followed.
const MAX_TRAPS: usize = 8;
/// Maximum length of a folder's path.
const MAX_PATH: usize = 4096;

/// `test` and `[`: true for a non-empty word; two known words are compared.
fn tested(arguments: &[Field]) -> Option<bool> {
    let words = match arguments {
        [words @ .., end] if end.is("]") => words,
        words => words,
    };
    match words {
        [word] => word.exact().map(|text| !text.is_empty()),
        [left, sign, right] => compared(left.exact()?, sign.exact()?, right.exact()?),
        _ => None,
    }
}

fn compared(left: &str, sign: &str, right: &str) -> Option<bool> {
    let order = || Some(left.parse::<i64>().ok()?.cmp(&right.parse().ok()?));
    Some(match sign {
        "=" | "==" => left == right,
        "!=" => left != right,
        "-eq" => order()?.is_eq(),
        "-ne" => order()?.is_ne(),
        "-lt" => order()?.is_lt(),
        "-le" => order()?.is_le(),
        "-gt" => order()?.is_gt(),
        "-ge" => order()?.is_ge(),
        _ => return None,
    })
}

impl Machine<'_> {
    fn history(&mut self, argv: &[Field], arguments: &[Field], span: Span) -> Stream {
        let index = self.record("history", argv);
        if arguments.iter().any(|field| field.prefix().starts_with("-c") || field.is("-d")) {
            let target = Target::name("shell history");
            self.effect(Kind::Delete, Act::ShellHistory, target, span).command = Some(index);
        }
        Stream::from(Source::Program("history".into()))
    }

    /// Runs a builtin; none if `name` is not one that is known here.
    pub(super) fn builtin(&mut self, name: &str, argv: &[Field], stdin: &Stream) -> Option<Stream> {
        let arguments = argv.get(1..).unwrap_or_default();
        let span = super::span_of(argv);
        if is_plain(name, self.dialect) {
            self.record(name, argv);
        }
        if takes_names(name) {
            self.subscripts(arguments);
        }
        match name {
            ":" | "true" => self.status = Some(true),
            "false" => self.status = Some(false),
            "cd" | "chdir" => self.change_directory(arguments),
            "pushd" => {
                // Alone it swaps the two at the top.
                let back = if arguments.is_empty() { self.shell.stack.pop() } else { None };
                self.shell.stack.push(self.shell.cwd.clone());
                match back {
                    Some(back) => self.shell.cwd = back,
                    None => self.change_directory(arguments),
                }
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
            "type" => return Some(self.type_builtin(arguments)),
            "exit" | "return" | "break" | "continue" | "wait" | "jobs" | "fg" | "bg" | "disown"
            | "shopt" | "umask" | "ulimit" | "times" | "enable" | "getopts" | "complete"
            | "compopt" | "bind" | "suspend" | "logout" | "caller" | "dirs" => {
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
                self.status = tested(arguments);
                return Some(Stream::empty());
            }
            "history" => return Some(self.history(argv, arguments, span)),
            _ => return None,
        }
        // `read` fails at the end of its input.
        if !matches!(name, ":" | "true" | "false" | "read" | "mapfile" | "readarray") {
            self.status = Some(true);
        }
        Some(Stream::empty())
    }

    /// A name with a subscript is evaluated, with the substitutions in it: `test -v 'a[$(rm x)]'`.
    fn subscripts(&mut self, arguments: &[Field]) {
        for field in arguments {
            let Some(text) = field
                .exact()
                .filter(|text| text.contains('[') && (text.contains("$(") || text.contains('`')))
            else {
                continue;
            };
            let code = Field::text(format!(": \"{text}\""), field.span);
            self.possibly(|machine| machine.code_here(&code, &Stream::default()));
        }
    }

    pub(super) fn change_directory(&mut self, arguments: &[Field]) {
        // `cd /d D:\x` of cmd.exe: a Unix shell takes no two folders.
        if self.second && arguments.len() > 1 && arguments.first().is_some_and(|it| it.is("/d")) {
            return;
        }
        let target = arguments.iter().find(|field| {
            let text = field.prefix();
            !(text.starts_with('-') && text.len() > 1)
        });
        let next: Option<Rc<str>> = match target {
            None => self.home(None).map(Rc::from),
            Some(field) if field.is("-") => self.shell.previous.clone(),
            // With `CDPATH` a name may be found elsewhere.
            Some(field)
                if self.shell.slot("CDPATH").is_some()
                    && !field.prefix().starts_with(['/', '.']) =>
            {
                None
            }
            Some(field) => {
                self.budget.spend(self.shell.cwd.as_deref().map_or(0, str::len) / 8);
                let path = self.path(field);
                path.folder().filter(|path| path.len() <= MAX_PATH).map(|path| Rc::from(&*path))
            }
        };
        self.budget.spend(next.as_deref().map_or(0, str::len) / 16);
        // `cd "${0%/*}"` of a script that was named without a folder fails, and the script goes on.
        if self.running_script().is_some()
            && next.as_deref().and_then(|it| self.world.facts.kind(it)) == Some(PathKind::File)
        {
            return;
        }
        self.shell.previous = std::mem::replace(&mut self.shell.cwd, next);
        self.status = Some(true);
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
        let skip = usize::from(arguments.first().is_some_and(|field| field.is("--")));
        let arguments = arguments.get(skip..).unwrap_or_default();
        let Some(file) = arguments.first() else {
            // fish reads its input.
            let index = self.record("source", argv);
            let language = Language::Shell(self.dialect);
            return self.code_from_stream("source", language, stdin, span, Some(index), true);
        };
        let path = self.path(file);
        let from_stdin = file.is("/dev/stdin") || file.is("-") || file.is("/dev/fd/0");
        let mut content = if from_stdin {
            Some(stdin.clone())
        } else {
            self.written(&path).cloned().or_else(|| self.connected(file))
        };
        if content.is_none()
            && let Some(code) = self.on_disk(&path, Use::Script, file.span)
        {
            if self.of_session() {
                content = Some(code);
            } else {
                // Settings made by a file of the project are not followed.
                let language = Language::Shell(self.dialect);
                self.run_stream("source", language, &code, file.span, None);
                self.close_script();
            }
        }
        let Some(content) = content else {
            let index = self.record("source", argv);
            let known =
                path.exact().map_or_else(|| is_named(file), |path| !path.starts_with("/proc/"));
            if !known {
                self.unverified(Reason::DynamicCode, file.span);
                self.dynamic(file, Act::DynamicCode, file.span).command = Some(index);
            }
            // Settings made by an existing script are unknown.
            self.shell.doubt_variables();
            return Stream::default();
        };
        let index = self.record("source", argv);
        let given = arguments.get(1..).filter(|given| !given.is_empty());
        let before = given.map(|given| {
            std::mem::replace(&mut self.shell.positional, Positional::Known(given.to_vec()))
        });
        let language = Language::Shell(self.dialect);
        let out = self.code_from_stream("source", language, &content, span, Some(index), true);
        if let Some(before) = before {
            self.shell.positional = before;
        }
        out
    }

    fn exec(&mut self, arguments: &[Field], stdin: &Stream) -> Stream {
        let mut rest = arguments;
        while let [first, tail @ ..] = rest {
            match first.exact() {
                Some("--") => {
                    rest = tail;
                    break;
                }
                Some(options) if options.len() > 1 && options.starts_with('-') => {
                    // `-a` takes the rest of the word or the next one.
                    let takes_next =
                        options.split_once('a').is_some_and(|(_, name)| name.is_empty());
                    rest = if takes_next { tail.get(1..).unwrap_or_default() } else { tail };
                }
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
                    self.looked_up(tail, stdin);
                    // It may be there or not.
                    self.status = None;
                    return if letters.contains('V') { Stream::default() } else { located(tail) };
                }
                Some(letters) if name == "command" || letters == "-" => rest = tail,
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

    /// `command -v` takes names. Arguments behind one are a command that someone expects to run.
    fn looked_up(&mut self, words: &[Field], stdin: &Stream) {
        let words = match words {
            [first, rest @ ..] if first.is("--") => rest,
            _ => words,
        };
        let argued = words.iter().skip(1).any(|word| word.prefix().starts_with(['-', '/', '~']));
        if argued {
            self.possibly(|machine| machine.execute(words, stdin.clone()));
        }
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
        // Again at the end, when its functions and variables may be others.
        if self.shell.traps.len() < MAX_TRAPS {
            let entry = (code, self.origin);
            self.shell.traps.push(entry);
        }
    }

    fn alias(&mut self, arguments: &[Field]) {
        for field in arguments {
            if let Some((name, _)) = field.prefix().split_once('=')
                && let Some(value) = field.without_prefix(name.len() + 1)
            {
                if !self.afford(self.shell.aliases.len() / SCAN, field.span) {
                    return;
                }
                // Runs when the name is typed later.
                self.hidden_code("alias", &value);
                self.shell.aliases.retain(|(known, _)| &**known != name);
                self.shell.aliases.push((name.into(), value));
            }
        }
    }

    /// Says what a name stands for; on Windows it prints files, and no name starts with a dot.
    fn type_builtin(&mut self, arguments: &[Field]) -> Stream {
        if let [option, names @ ..] = arguments
            && (option.is("-P") || option.is("-p"))
        {
            self.status = None;
            return located(names);
        }
        let mut shown = Stream::default();
        for file in arguments {
            let text = file.prefix();
            if text.starts_with('.') && !text.starts_with("./") && !text.starts_with("..") {
                let path = self.path(file);
                shown.flow.join(&self.content(&path).flow);
                self.effect(Kind::Read, Act::Print, Target::Path(path), file.span);
            }
        }
        shown
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

    /// Reports an effect of unknown code.
    pub(super) fn dynamic(&mut self, field: &Field, action: Act, span: Span) -> &mut Effect {
        let effect = self.effect(Kind::Execute, action, Target::Name(field.shown()), span);
        effect.certainty = Certainty::Unknown;
        let sources: Flow = field.sources();
        effect.sources = sources;
        effect
    }
}

/// `"$DIR/lib.sh"`: which folder is not known, but it is a file of that name in one.
fn is_named(file: &Field) -> bool {
    let flow = file.sources();
    let plain = |source: &Source| matches!(source, Source::Variable(_) | Source::Program(_));
    let named = file.suffix().rsplit_once('/').is_some_and(|(_, name)| name.len() > 1);
    let special = ["/proc", "/dev"].iter().any(|folder| file.prefix().starts_with(folder));
    named && !special && flow.sources().iter().all(plain)
}

/// Output of `command -v NAME` and `which NAME`: a path to a program of that name.
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

/// Builtins listed like ordinary programs; the others run something else or are listed with their output.
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

/// Builtins whose arguments are names of variables.
fn takes_names(name: &str) -> bool {
    matches!(
        name,
        "test"
            | "["
            | "let"
            | "read"
            | "declare"
            | "typeset"
            | "local"
            | "export"
            | "readonly"
            | "getopts"
    )
}
