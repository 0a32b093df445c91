//! Code that runs something: shells, programs, other code.
//!
//! Actions: `network-shell` (a shell whose input and output are a connection), `fork-bomb` (code
//! starts itself in a loop), and those of code that is run (`dynamic-code`, `network-code`,
//! `decoded-code`, `file-code`).

use super::expr::missing;
use super::library::{Op, Output};
use super::scan::Scan;
use super::value::{Arguments, Value};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

const SHELL: Language = Language::Shell(Dialect::Bash);

/// Whether the code has an endless loop.
pub(super) fn is_endless(text: &str) -> bool {
    let loops = ["while(true)", "while (true)", "while(1)", "while (1)", "for(;;)", "for (;;)"];
    let others = ["while True", "while 1:", "while true do"];
    // A clock that strikes all the time.
    let strikes = text.contains("setInterval(")
        && [",0)", ", 0)", ",1)", ", 1)"].iter().any(|pause| text.contains(pause));
    strikes || loops.iter().chain(&others).any(|word| text.contains(word))
}

/// Whether code goes through the processes of the machine, and not only through its own.
fn lists_processes(code: &str) -> bool {
    ["process_iter", "pids(", "pgrep", "pidof", "/proc", "ps ", "\"ps\"", "'ps'", "tasklist"]
        .iter()
        .any(|word| code.contains(word))
}

/// Processes of its own kind, started over and over: `while True: Process(target=f).start()`.
fn multiplies(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    let pauses = ["accept", "break", "get(", "input(", "join(", "recv", "sleep(", "wait("];
    is_endless(text) && (has("Process(") || has("Thread(")) && !pauses.iter().any(|word| has(word))
}

/// Code that starts itself or others over and over and waits for none: `for(;;) fork(__filename)`.
fn floods(text: &str) -> bool {
    if !is_endless(text) {
        return false;
    }
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let itself =
        has(&["__filename", "process.argv[0]", "process.execPath", "sys.executable", "__file__"])
            && has(&["spawn(", "fork(", "Popen("]);
    let others = has(&["spawn(", ".exec(", "execFile(", "Popen(", "popen("])
        && !has(&["break", "wait", "sleep(", "Sync", "communicate", "return", "join(", "read"]);
    itself || others
}

impl Scan<'_, '_, '_, '_> {
    /// Whether the code contains a loop; computed once.
    pub(super) fn has_loop(&mut self) -> bool {
        let text = self.code.text;
        *self.found.loops.get_or_insert_with(|| {
            text.split(|letter: char| !letter.is_alphanumeric())
                .any(|word| matches!(word, "while" | "for" | "loop" | "redo"))
        })
    }

    pub(super) fn lists_processes(&mut self) -> bool {
        let text = self.code.text;
        *self.found.lists.get_or_insert_with(|| lists_processes(text))
    }

    fn multiplies(&mut self) -> bool {
        let text = self.code.text;
        *self.found.multiplies.get_or_insert_with(|| multiplies(text))
    }

    fn floods(&mut self) -> bool {
        let text = self.code.text;
        *self.found.floods.get_or_insert_with(|| floods(text))
    }

    /// Shell text, or a list of words.
    pub(super) fn shell(&mut self, arguments: &Arguments, output: Output) -> Value {
        let span = arguments.span;
        // Ruby may have the environment first; Bun and Deno have all in a map.
        let command = arguments
            .option("cmd")
            .or(arguments.option("args").filter(|_| arguments.list.is_empty()));
        let mut list: Vec<&Value> =
            arguments.list.iter().filter(|value| !matches!(value, Value::Map(_))).collect();
        if let Some(command) = command {
            list.insert(0, command);
        }
        let several = self.language.library.words_run && list.len() > 1;
        let Some(first) = list.first().map(|value| (*value).clone()) else {
            return Value::unknown("…", span);
        };
        let stream = self.in_place(arguments, |scan| {
            if several {
                let words = list.iter().flat_map(|value| value.fields(span)).collect::<Vec<_>>();
                return scan.run_words(&words, arguments);
            }
            scan.run_command(&first, arguments)
        });
        let captured = arguments.is_set("capture_output")
            || matches!(arguments.option("stdout"), Some(Value::Name(name)) if name.ends_with("PIPE"));
        self.output(stream, if captured { Output::Returned } else { output }, span)
    }

    fn output(&mut self, stream: Stream, output: Output, span: Span) -> Value {
        if output == Output::Returned {
            return Value::from_stream(stream, span);
        }
        self.out.flow.join(&stream.flow);
        self.printed(stream.text);
        Value::unknown("…", span)
    }

    /// With the directory and the variables that the options give.
    fn in_place(
        &mut self,
        arguments: &Arguments,
        step: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        self.flush();
        self.found.spawned = true;
        let outer = self.call.machine.assignments.clone();
        if let Some(Value::Map(variables)) = arguments.option("env") {
            let set =
                variables.iter().map(|(name, value)| (name.clone(), value.field(arguments.span)));
            self.call.machine.assignments.extend(set);
        }
        let stream = self.in_folder(arguments, step);
        self.call.machine.assignments = outer;
        stream
    }

    fn in_folder(
        &mut self,
        arguments: &Arguments,
        step: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let Some(place) = arguments.option("cwd").or(arguments.option("chdir")) else {
            return step(self);
        };
        let path = self.call.machine.path(&place.field(arguments.span));
        let cwd = path.exact().map(Into::into);
        let before = std::mem::replace(&mut self.call.machine.shell.cwd, cwd);
        let stream = step(self);
        self.call.machine.shell.cwd = before;
        stream
    }

    fn run_command(&mut self, command: &Value, arguments: &Arguments) -> Stream {
        let span = arguments.span;
        match command {
            Value::List(words) if !arguments.is_set("shell") => {
                let words = Value::List(words.clone()).fields(span);
                self.run_words(&words, arguments)
            }
            Value::List(words) => {
                let first =
                    words.first().map_or_else(|| missing(arguments), |word| word.field(span));
                self.run_shell(&first)
            }
            Value::Any(choices) => {
                let mut all = Stream::default();
                for choice in choices {
                    all.flow.join(&self.run_command(choice, arguments).flow);
                }
                all
            }
            other => {
                let field = other.field(span);
                self.run_shell(&field)
            }
        }
    }

    /// A program with its arguments.
    fn run_words(&mut self, words: &[Field], arguments: &Arguments) -> Stream {
        let Some(program) = words.first() else {
            return Stream::default();
        };
        if self.floods() {
            let span = arguments.span;
            self.call.effect_at(Kind::Process, Act::ForkBomb, Target::None, span);
        }
        self.notice_shell(
            program.exact().unwrap_or_default(),
            words.get(1).map(Field::shown).as_deref(),
        );
        if program.parts.iter().all(|part| matches!(part, Part::Unknown(_))) {
            // A compiled program runs what its settings name; it is no text from elsewhere.
            let flow = program.sources();
            let foreign = flow.decoded() || flow.from_network().is_some();
            if self.language.syntax.known_trees && !foreign {
                return Stream::default();
            }
            return self.call.run_code(SHELL, program);
        }
        match arguments.option("input") {
            Some(input) => {
                let input = input.stream(arguments.span);
                self.call.run_with(words, input)
            }
            None => self.call.run(words),
        }
    }

    /// Text that a shell runs.
    fn run_shell(&mut self, command: &Field) -> Stream {
        let text = command.prefix();
        let left = text.trim_end().ends_with('&') && is_endless(self.code.text);
        if left || self.floods() {
            self.call.effect_at(Kind::Process, Act::ForkBomb, Target::None, command.span);
        }
        if !text.is_empty() {
            let (program, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
            let first = rest.split_whitespace().next();
            let redirected = text.contains("<&") || text.contains(">&");
            self.notice_shell(program, if redirected { None } else { first });
        }
        self.call.run_code(SHELL, command)
    }

    /// A shell without a script: with a connection it is somebody else's.
    fn notice_shell(&mut self, program: &str, first: Option<&str>) {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let shell = matches!(
            name,
            "sh" | "bash"
                | "zsh"
                | "dash"
                | "ksh"
                | "ash"
                | "fish"
                | "cmd.exe"
                | "cmd"
                | "powershell"
                | "powershell.exe"
        );
        if shell && first.is_none_or(|first| first == "-i" || first == "-li") {
            self.found.shell = true;
        }
    }

    /// `spawn('rm', ['-rf', 'x'], {shell: true})`
    pub(super) fn program_call(&mut self, arguments: &Arguments, output: Output) -> Value {
        let span = arguments.span;
        let Some(program) = arguments.get(0).cloned() else {
            return Value::unknown("…", span);
        };
        if matches!(program, Value::Map(_) | Value::List(_)) {
            return self.shell(arguments, output);
        }
        let words = match arguments.get(1) {
            Some(Value::List(words)) => words.clone(),
            Some(Value::Text(field)) if field.exact().is_none() => vec![Value::Text(field.clone())],
            _ => match arguments.option("args") {
                Some(Value::List(words)) => words.clone(),
                _ => Vec::new(),
            },
        };
        let stream = if arguments.is_set("shell") {
            let mut list = vec![program];
            list.extend(words);
            let line = super::fold::join(&list, &Value::text(" ", span), span);
            self.in_place(arguments, |scan| scan.run_command(&line, arguments))
        } else {
            let mut fields = program.fields(span);
            fields.extend(Value::List(words).fields(span));
            self.in_place(arguments, |scan| scan.run_words(&fields, arguments))
        };
        let inherits = arguments.option("stdio").and_then(Value::exact) == Some("inherit");
        self.output(stream, if inherits { Output::Printed } else { output }, span)
    }

    /// The exec and spawn families of C.
    pub(super) fn exec(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let words: Vec<Field> = match op {
            Op::ExecV(at) => {
                let at = usize::from(at);
                let program =
                    arguments.get(at).map_or_else(|| missing(arguments), |value| value.field(span));
                let rest = arguments.get(at + 1).map(Value::items).unwrap_or_default();
                let rest = rest.iter().filter(|value| !is_end(value));
                let rest: Vec<Field> = rest.flat_map(|value| value.fields(span)).collect();
                std::iter::once(program).chain(rest.into_iter().skip(1)).collect()
            }
            Op::ExecL(at) => {
                let at = usize::from(at);
                let program =
                    arguments.get(at).map_or_else(|| missing(arguments), |value| value.field(span));
                let rest = arguments.list.iter().skip(at + 2).filter(|value| !is_end(value));
                let rest = rest.flat_map(|value| value.fields(span));
                std::iter::once(program).chain(rest).collect()
            }
            // Buffers and flags stand between the words in Lisp.
            _ => arguments
                .list
                .iter()
                .filter(|value| !matches!(value, Value::Name(_) | Value::Map(_)))
                .flat_map(|value| value.fields(span))
                .collect(),
        };
        let stream = self.in_place(arguments, |scan| scan.run_words(&words, arguments));
        self.output(stream, Output::Printed, span)
    }

    /// Text or data that becomes code.
    pub(super) fn evaluate(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let value = match op {
            Op::EvalLast => arguments.list.last(),
            _ => arguments.get(0),
        };
        let Some(value) = value.cloned() else {
            return Value::unknown("…", span);
        };
        self.flush();
        let stream = match op {
            Op::RunFile => self.run_file(&value, span),
            Op::Deserialise => {
                let flow = value.flow();
                if flow.decoded() || flow.from_network().is_some() {
                    self.call.run_stream(Language::Other, &Stream::unknown(flow.clone()), span);
                }
                return Value::unknown_from(flow, span);
            }
            _ if matches!(value, Value::Map(_) | Value::Object(..)) => {
                return Value::unknown_from(value.flow(), span);
            }
            _ => {
                let field = value.field(span);
                let flow = field.sources();
                let blind = field.parts.iter().all(|part| matches!(part, Part::Unknown(_)));
                if blind && !flow.is_empty() {
                    self.call.run_stream(self.language.language, &Stream::unknown(flow), field.span)
                } else {
                    self.call.run_code(self.language.language, &field)
                }
            }
        };
        self.output(stream, Output::Printed, span)
    }

    /// Another file of the same language: read if it was written just now.
    fn run_file(&mut self, file: &Value, span: Span) -> Stream {
        let field = file.field(span);
        if super::acts::is_address(field.prefix()) {
            let content = self.call.receive(Act::Http, &field);
            return self.call.run_stream(self.language.language, &content, span);
        }
        let flow = file.flow();
        if flow.from_network().is_some() {
            return self.call.run_stream(self.language.language, &Stream::unknown(flow), span);
        }
        let path = self.call.machine.path(&field);
        match self.call.machine.code_of(&path, crate::world::Use::Script, span) {
            Some(content) => self.call.run_stream(self.language.language, &content, span),
            None => Stream::default(),
        }
    }

    /// Functions and modules that are reached by name.
    pub(super) fn indirect(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        if matches!(op, Op::Thread) && self.multiplies() {
            self.call.effect_at(Kind::Process, Act::ForkBomb, Target::None, span);
        }
        let Some(first) = arguments.get(0).cloned() else {
            return match (op, arguments.option("target").cloned()) {
                (Op::Thread, Some(target)) => {
                    let list = match arguments.option("args") {
                        Some(Value::List(list)) => list.clone(),
                        Some(other) => vec![other.clone()],
                        None => Vec::new(),
                    };
                    self.invoke(target, &Arguments { list, named: Vec::new(), span })
                }
                _ => Value::unknown("…", span),
            };
        };
        let rest = arguments.list.get(1..).unwrap_or_default().to_vec();
        match op {
            Op::Import if super::acts::is_address(first.field(span).prefix()) => {
                let stream = self.run_file(&first, span);
                Value::from_stream(stream, span)
            }
            Op::Import => match first.exact() {
                Some(name) => Value::Name(self.language.plain(name).into()),
                None => Value::unknown_from(first.flow(), span),
            },
            Op::Attribute => match arguments.get(1).and_then(Value::exact) {
                Some(name) => {
                    let name = name.to_owned();
                    self.member(first, &name, span)
                }
                None => Value::unknown("…", span),
            },
            Op::Apply => {
                let second = arguments.get(1).cloned().unwrap_or_else(|| self.nothing());
                // `array_walk($values, $function)`
                let (first, values) = match (&first, &second) {
                    (Value::List(_), Value::Name(_) | Value::Text(_)) => (second, first),
                    _ => (first, second),
                };
                let function = named(first);
                if let (Value::Name(name), Value::List(list)) = (&function, &values)
                    && matches!(self.language.find(name), Some(Op::Chr))
                {
                    let list = list.clone();
                    return Value::List(
                        list.into_iter()
                            .map(|value| {
                                self.invoke(
                                    function.clone(),
                                    &Arguments { list: vec![value], named: Vec::new(), span },
                                )
                            })
                            .collect(),
                    );
                }
                let element = values.element(span);
                self.invoke(function, &Arguments { list: vec![element], named: Vec::new(), span })
            }
            Op::Thread => match arguments.get(1).or(arguments.option("target")).cloned() {
                Some(function) => {
                    let list = match arguments.option("args").or(arguments.get(2)) {
                        Some(Value::List(list)) => list.clone(),
                        _ => Vec::new(),
                    };
                    self.invoke(function, &Arguments { list, named: Vec::new(), span })
                }
                None => Value::unknown("…", span),
            },
            _ => {
                let list = match rest.as_slice() {
                    [Value::List(values)] => values.clone(),
                    _ => rest,
                };
                self.invoke(named(first), &Arguments { list, named: arguments.named.clone(), span })
            }
        }
    }
}

/// The end of a list of words in C.
fn is_end(value: &Value) -> bool {
    match value {
        Value::Name(name) => matches!(&**name, "NULL" | "nullptr" | "nil"),
        other => matches!(other, Value::Number(0)),
    }
}

/// A function given by its name.
fn named(value: Value) -> Value {
    match value.exact() {
        Some(name) => Value::Name(name.into()),
        None => value,
    }
}
