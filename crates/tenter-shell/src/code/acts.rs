//! Effects of library functions on files, processes and the environment.
//!
//! Actions: `remove`, `remove-empty-directory`, `write-file`, `append-file`, `truncate`,
//! `read-file`, `move`, `copy`, `link`, `make-directory`, `mode`, `world-writable`, `setuid`,
//! `owner`, `kill`, `fork-bomb` (a process copies itself in a loop), `set-user` (rights of another
//! user are taken), `print-environment`.

use super::expr::missing;
use super::fold;
use super::library::Op;
use super::scan::Scan;
use super::value::{Arguments, Thing, Value};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::span::Span;
use crate::target::Target;
use crate::tools::tar::Extraction;
use crate::value::{Field, Part, Unknown};
use crate::world::PathKind;

/// A file being written: reported once its content is known.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) file: Field,
    pub(super) kind: Kind,
    pub(super) content: Stream,
    pub(super) said: bool,
    /// Not a file but the standard input of this command.
    pub(super) command: bool,
}

impl Scan<'_, '_, '_, '_> {
    pub(super) fn perform(&mut self, op: Op, arguments: &Arguments) -> Value {
        if let Some(value) = fold::function(op, arguments) {
            return value;
        }
        match op {
            Op::Shell(output) => self.shell(arguments, output),
            Op::Program(output) => self.program_call(arguments, output),
            Op::ExecV(_) | Op::ExecL(_) | Op::Words => self.exec(op, arguments),
            Op::Eval | Op::EvalLast | Op::RunFile | Op::Deserialise => self.evaluate(op, arguments),
            Op::Import | Op::Attribute | Op::Apply | Op::Thread | Op::Send => {
                self.indirect(op, arguments)
            }
            Op::Get(_)
            | Op::Post(_)
            | Op::Fetch
            | Op::Download
            | Op::Connect
            | Op::Socket
            | Op::Client
            | Op::Lookup
            | Op::CurlOption
            | Op::Upload
            | Op::Mail => self.network(op, arguments),
            Op::Show => {
                let address = arguments
                    .get(0)
                    .is_some_and(|it| is_address(it.field(arguments.span).prefix()));
                let value = if address {
                    self.network(Op::Get(0), arguments)
                } else {
                    self.read(arguments)
                };
                let span = arguments.span;
                self.print(&Arguments { list: vec![value], named: Vec::new(), span }, false);
                self.nothing()
            }
            Op::Print | Op::Echo | Op::Stdin | Op::Environment | Op::AllEnvironment => {
                self.surroundings(op, arguments)
            }
            Op::Chdir
            | Op::Cwd
            | Op::Home
            | Op::Temporary
            | Op::TemporaryAt
            | Op::Join
            | Op::Expand
            | Op::Glob
            | Op::Entries
            | Op::Walk => self.path_function(op, arguments),
            Op::Kill(_) | Op::Fork | Op::Duplicate | Op::SetUser => self.process(op, arguments),
            Op::Own(own) => own(self, arguments),
            _ => self.file(op, arguments),
        }
    }

    fn file(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let first = arguments.get(0).map(|value| value.fields(span)).unwrap_or_default();
        match op {
            Op::Delete => self.delete(Act::Remove, &first, false, false),
            Op::DeleteAll => {
                let all = Value::List(arguments.list.clone()).fields(span);
                self.delete(Act::Remove, &all, false, false);
            }
            Op::DeleteDirectory => self.delete(Act::RemoveEmptyDirectory, &first, false, false),
            Op::DeleteTree | Op::DeleteTrees => {
                let force = arguments.is_set("ignore_errors") || arguments.is_set("force");
                let all = || Value::List(arguments.list.clone()).fields(span);
                let trees = if matches!(op, Op::DeleteTrees) { all() } else { first };
                self.delete(Act::Remove, &trees, true, force);
            }
            Op::Remove | Op::RemoveNamed => {
                let recursive = arguments.is_set("recursive")
                    || arguments
                        .get(1)
                        .and_then(Value::exact)
                        .is_some_and(|flags| flags.contains('r'));
                let known = first.iter().filter(|field| !field.parts.is_empty());
                let known: Vec<Field> = match op {
                    Op::Remove => known.cloned().collect(),
                    // In R this name removes variables.
                    _ => known
                        .filter(|field| !field.prefix().is_empty())
                        .map(|field| self.expanded(field))
                        .collect(),
                };
                self.delete(Act::Remove, &known, recursive, arguments.is_set("force"));
            }
            Op::Write | Op::Append => self.write_file(op, arguments, &first),
            Op::Open => return self.open(arguments),
            Op::Read => return self.read(arguments),
            Op::Move | Op::CopyFile | Op::CopyTree => self.transfer(op, arguments),
            Op::Unpack | Op::UnpackAll => self.unpack(op, arguments),
            Op::Mode(at) | Op::Owner(at) => self.rights(op, usize::from(at), arguments),
            Op::Truncate => {
                for field in &first {
                    self.call.write(Kind::Overwrite, Act::Truncate, field, Stream::default());
                }
            }
            Op::MakeDirectory => {
                for field in &first {
                    self.call.on_path(Kind::Write, Act::MakeDirectory, field);
                }
            }
            Op::Link => {
                let place = arguments.get(1).map(|value| value.field(span));
                let place = place.unwrap_or_else(|| missing(arguments));
                let content = first.first().map_or_else(Stream::default, |source| {
                    let path = self.call.machine.path(source);
                    self.call.machine.content(&path)
                });
                self.call.write(Kind::Write, Act::Link, &place, content);
            }
            _ => {}
        }
        Value::unknown("…", span)
    }

    /// R knows the tilde in every path.
    fn expanded(&self, field: &Field) -> Field {
        match (self.call.machine.world.home, field.exact().and_then(|text| text.strip_prefix('~')))
        {
            (Some(home), Some(rest)) if rest.is_empty() || rest.starts_with('/') => {
                Field::text(format!("{home}{rest}"), field.span)
            }
            _ => field.clone(),
        }
    }

    fn delete(&mut self, action: Act, fields: &[Field], recursive: bool, force: bool) {
        // What the path starts with must be known, or be a variable of the environment.
        let known = |field: &&Field| {
            let names = |part: &Part| matches!(part, Part::Unknown(it) if it.name.starts_with('$'));
            !self.language.syntax.known_trees
                || !field.prefix().is_empty()
                || field.parts.first().is_some_and(names)
        };
        for field in fields.iter().filter(known) {
            let effect = self.call.on_path(Kind::Delete, action, field);
            effect.recursive = recursive;
            effect.force = force;
        }
    }

    fn write_file(&mut self, op: Op, arguments: &Arguments, files: &[Field]) {
        let span = arguments.span;
        let content = arguments.get(1).map_or_else(Stream::default, |value| value.stream(span));
        let flags = arguments.option("flag").or(arguments.option("flags")).and_then(Value::exact);
        let append = matches!(op, Op::Append)
            || flags.is_some_and(|flags| flags.contains('a'))
            || arguments
                .get(2)
                .is_some_and(|flags| matches!(flags, Value::Name(name) if name.contains("APPEND")));
        for field in files {
            if append {
                self.call.write(Kind::Append, Act::AppendFile, field, content.clone());
            } else {
                self.call.write(Kind::Overwrite, Act::WriteFile, field, content.clone());
            }
        }
    }

    /// Adds content to an open file.
    pub(super) fn write_more(&mut self, file: &Value, arguments: &Arguments) {
        let span = arguments.span;
        let index = file.number().and_then(|index| usize::try_from(index).ok());
        let Some(writing) = index.and_then(|index| self.writing.get_mut(index)) else {
            return;
        };
        for value in &arguments.list {
            let more = value.stream(span);
            writing.content.flow.join(&more.flow);
            writing.content.text = match (writing.content.text.take(), more.text) {
                (Some(before), Some(more))
                    if before.len() + more.len() < crate::budget::MAX_VALUE =>
                {
                    Some(before + &more)
                }
                _ => None,
            };
        }
        if writing.said {
            writing.said = false;
            writing.kind = Kind::Append;
        }
    }

    /// Reports the writes so far: before running something that may use them, and at the end.
    pub(super) fn flush(&mut self) {
        for writing in &mut self.writing {
            if writing.said {
                continue;
            }
            writing.said = true;
            if writing.command {
                let span = writing.file.span;
                let words =
                    [Field::text("sh", span), Field::text("-c", span), writing.file.clone()];
                self.call.run_with(&words, writing.content.clone());
                continue;
            }
            let action =
                if writing.kind == Kind::Append { Act::AppendFile } else { Act::WriteFile };
            self.call.write(writing.kind, action, &writing.file, writing.content.clone());
        }
    }

    pub(super) fn read(&mut self, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let Some(value) = arguments.get(0) else {
            return Value::unknown("…", span);
        };
        if matches!(value, Value::Number(0)) {
            return Value::from_stream(self.call.stdin.clone(), span);
        }
        let fields = value.fields(span);
        let mut all = Stream::default();
        for field in &fields {
            let content = self.call.read(Act::ReadFile, field);
            self.found.reads.join(&content.flow);
            all.flow.join(&content.flow);
            if fields.len() == 1 {
                all.text = content.text;
            }
        }
        Value::from_stream(all, span)
    }

    fn transfer(&mut self, op: Op, arguments: &Arguments) {
        let span = arguments.span;
        let from = arguments.get(0).map(|value| value.fields(span)).unwrap_or_default();
        let to = arguments.get(1).map_or_else(|| missing(arguments), |value| value.field(span));
        for source in &from {
            if is_address(source.prefix()) {
                self.network(Op::Download, arguments);
                continue;
            }
            let moves = matches!(op, Op::Move);
            let content = if moves {
                let path = self.call.machine.path(source);
                let content = self.call.machine.content(&path);
                self.call.effect_at(Kind::Move, Act::Move, Target::Path(path), source.span);
                content
            } else {
                self.call.read(Act::Copy, source)
            };
            let action = if moves { Act::Move } else { Act::Copy };
            let path = self.call.machine.path(source);
            let kind = path.exact().and_then(|path| self.call.machine.world.facts.kind(path));
            let tree = match op {
                Op::CopyTree => kind != Some(PathKind::File),
                _ => kind == Some(PathKind::Directory),
            };
            self.call.write(Kind::Write, action, &to, content).recursive = tree;
        }
    }

    /// Files come out of an archive.
    fn unpack(&mut self, op: Op, arguments: &Arguments) {
        let span = arguments.span;
        let from_file = matches!(op, Op::Unpack);
        let at = usize::from(from_file);
        let named = arguments.option("path").or(arguments.option("extract_dir"));
        let directory = arguments.get(at).or(named).map(|value| value.field(span));
        let directory = directory.unwrap_or_else(|| Field::text(".", span));
        let archive = arguments.get(0).filter(|_| from_file).map(|value| value.field(span));
        let content = match archive {
            Some(archive) => Stream::unknown(self.call.read(Act::Extract, &archive).flow),
            None => Stream::default(),
        };
        Extraction { directory, content, force: true, anywhere: false }.write(self.call, &[]);
    }

    fn rights(&mut self, op: Op, at: usize, arguments: &Arguments) {
        let span = arguments.span;
        let (kind, action) = match op {
            Op::Mode(_) => {
                let mode = arguments.get(usize::from(at == 0)).and_then(Value::number);
                (Kind::Permission, mode_action(mode.unwrap_or(0o600)))
            }
            _ => (Kind::Owner, Act::Owner),
        };
        let most = if at == 0 { 1 } else { usize::MAX };
        let values = arguments.list.iter().skip(at).take(most);
        let fields = Value::List(values.cloned().collect()).fields(span);
        for field in &fields {
            self.call.on_path(kind, action, field);
        }
    }

    fn process(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        match op {
            Op::Kill(at) => {
                let at = usize::from(at);
                let name = arguments.get(at).map(|value| value.field(span));
                // `/run/sshd.pid` holds another process's id.
                let unknown = |name: &Field| {
                    let read = |source: &Source| matches!(source, Source::File(_));
                    name.prefix().is_empty() && !name.sources().sources().iter().any(read)
                };
                let own = name.as_ref().is_none_or(unknown)
                    && self.found.spawned
                    && !self.lists_processes();
                let own = own || name.as_ref().is_some_and(|name| name.shown() == "process.pid");
                let target = match name {
                    Some(_) if own => Target::name("$!"),
                    Some(name) => Target::Name(name.shown()),
                    None => Target::None,
                };
                // Signal 0 only tests.
                if arguments.get(1 - at).and_then(Value::number) != Some(0) {
                    self.call.effect_at(Kind::Process, Act::Kill, target, span);
                }
            }
            Op::Fork if self.has_loop() => {
                self.call.effect_at(Kind::Process, Act::ForkBomb, Target::None, span);
            }
            Op::Duplicate => self.found.shell = true,
            Op::SetUser => {
                let user = arguments
                    .get(0)
                    .map_or(Target::None, |value| Target::Name(value.field(span).shown()));
                self.call.effect_at(Kind::Privilege, Act::SetUser, user, span);
            }
            _ => {}
        }
        Value::unknown("…", span)
    }

    fn surroundings(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        match op {
            Op::Print | Op::Echo
                if matches!(arguments.get(0), Some(Value::Object(Thing::Writer, _))) =>
            {
                if let Some(Value::Object(_, file)) = arguments.get(0).cloned() {
                    let list = arguments.list.get(1..).unwrap_or_default().to_vec();
                    self.write_more(&file, &Arguments { list, named: Vec::new(), span });
                }
                self.nothing()
            }
            Op::Print | Op::Echo => {
                self.print(arguments, matches!(op, Op::Print));
                self.nothing()
            }
            Op::Stdin => Value::from_stream(self.call.stdin.clone(), span),
            Op::Environment if !arguments.list.is_empty() => {
                match arguments.get(0).and_then(Value::exact) {
                    Some(name) => {
                        let name = name.to_owned();
                        self.environment(&name, span)
                    }
                    None => Value::unknown("…", span),
                }
            }
            _ => Value::unknown_from(crate::flow::Flow::of(Source::Environment), span),
        }
    }

    /// Reports output.
    pub(super) fn print(&mut self, arguments: &Arguments, newline: bool) {
        let mut text = Some(String::new());
        for (index, value) in arguments.list.iter().enumerate() {
            let stream = match value {
                Value::List(_) | Value::Map(_) | Value::Object(..) => Stream::unknown(value.flow()),
                other => other.stream(arguments.span),
            };
            self.dumped(&stream, arguments.span);
            self.out.flow.join(&stream.flow);
            let space = if index > 0 && newline { " " } else { "" };
            text = match (text, stream.text) {
                (Some(text), Some(more)) => Some(text + space + &more),
                _ => None,
            };
        }
        let end = arguments.option("end").and_then(Value::exact).unwrap_or(if newline {
            "\n"
        } else {
            ""
        });
        let text = text.map(|text| text + end);
        self.printed(text);
    }

    pub(super) fn printed(&mut self, text: Option<String>) {
        self.out.text = match (self.out.text.take(), text) {
            (Some(before), Some(more)) if before.len() + more.len() < crate::budget::MAX_VALUE => {
                Some(before + &more)
            }
            _ => None,
        };
    }

    fn dumped(&mut self, stream: &Stream, span: Span) {
        if stream.flow.sources().contains(&Source::Environment) {
            self.call.effect_at(Kind::EnvironmentDump, Act::PrintEnvironment, Target::None, span);
        }
    }

    fn path_function(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let first = arguments.get(0).cloned();
        match op {
            Op::Chdir => {
                if let Some(value) = first {
                    let path = self.call.machine.path(&value.field(span));
                    self.call.machine.shell.cwd = path.exact().map(Into::into);
                }
                self.nothing()
            }
            Op::Cwd => match self.call.machine.shell.cwd.clone() {
                Some(cwd) => Value::text(&*cwd, span),
                None => Value::unknown("$PWD", span),
            },
            Op::Home => self.environment("HOME", span),
            Op::Temporary | Op::TemporaryAt => {
                let elsewhere = arguments.named.iter().any(|(name, _)| name == "dir");
                let mut path = match first {
                    // The start of the path, folder and all.
                    Some(start) if matches!(op, Op::TemporaryAt) => start.field(span),
                    None if !elsewhere => Field::text("/tmp/tmp", span),
                    _ => return Value::unknown("…", span),
                };
                let name = "$(mktemp)".into();
                path.push(Part::Unknown(Unknown { name, splits: false }));
                Value::Text(path)
            }
            Op::Expand => match first {
                Some(value) => self.expand_home(value, span),
                None => self.nothing(),
            },
            Op::Join => {
                let mut parts = arguments.list.iter().cloned();
                let Some(first) = parts.next() else {
                    return Value::text(".", span);
                };
                parts.fold(first, |path, part| fold::path_join(path, part, span))
            }
            Op::Glob => match first {
                Some(value) => super::member::matches(&value, span),
                None => self.nothing(),
            },
            Op::Walk => {
                let unknown = || Value::unknown("…", span);
                // The folder itself and all that are below it.
                let all = super::member::pattern(&Value::text("**", span), span);
                let root = fold::path_join(first.unwrap_or_else(unknown), all, span);
                Value::List(vec![Value::List(vec![root, unknown(), unknown()])])
            }
            _ => Value::List(vec![Value::unknown("…", span)]),
        }
    }

    fn expand_home(&mut self, value: Value, span: Span) -> Value {
        let field = value.field(span);
        let Some(rest) = field
            .after("~")
            .filter(|rest| matches!(rest.prefix().bytes().next(), None | Some(b'/')))
        else {
            return value;
        };
        let home = self.environment("HOME", span);
        home.concat(Value::Text(rest), span)
    }
}

fn mode_action(mode: i64) -> Act {
    if mode & 0o6000 != 0 {
        Act::Setuid
    } else if mode & 0o002 != 0 {
        Act::WorldWritable
    } else if mode.trailing_zeros() >= 9 {
        Act::RemoveAccess
    } else {
        Act::Mode
    }
}

pub(super) fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://", "ws://", "wss://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}
