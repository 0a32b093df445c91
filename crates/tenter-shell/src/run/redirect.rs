//! Redirections: input of a command, and targets of its output.

use std::rc::Rc;

use super::state::{Descriptor, Sink};
use super::walk::plain;
use super::{Deferred, Machine};
use crate::act::Act;
use crate::effect::Kind;
use crate::expand::{self, Variable};
use crate::flow::{Flow, Source, Stream};
use crate::span::Span;
use crate::syntax::ast::{Command, Fd, Item, Pipeline, Redirect, RedirectKind, Script, Word};
use crate::target::{PathPart, PathTarget, Target};
use crate::tools::{self, Device};
use crate::value::Field;

/// Stream targets of one command.
#[derive(Debug, Default)]
pub(super) struct Io {
    pub stdin: Stream,
    /// Files opened for writing, in order.
    opened: Vec<Opened>,
    /// Targets of the descriptors; others are inherited.
    table: Vec<(u32, Dest)>,
}

#[derive(Debug)]
struct Opened {
    target: Field,
    append: bool,
    span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Dest {
    Inherited(u32),
    /// Index in `opened`.
    File(usize),
    /// A descriptor of the shell, opened by `exec`.
    Shell(u32),
    Closed,
}

impl Io {
    fn dest(&self, fd: u32) -> Dest {
        self.table
            .iter()
            .rev()
            .find(|(known, _)| *known == fd)
            .map_or(Dest::Inherited(fd), |(_, dest)| dest.clone())
    }
}

/// Whether this cannot be the number of a descriptor, nor `-`.
fn names_file(text: &str) -> bool {
    text.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'-')
}

impl Machine<'_> {
    /// Follows the redirections of one command, from left to right.
    pub(super) fn redirect(&mut self, redirects: &[Redirect], stdin: Stream) -> Io {
        // Commands without other input read from the `exec < file` of the shell.
        let stdin = match self.shell.descriptor(0) {
            Some(open) if stdin == Stream::default() => open.stream.clone(),
            _ => stdin,
        };
        let mut io = Io { stdin, ..Io::default() };
        for redirect in redirects {
            let span = self.origin.map(redirect.span);
            // Tables are searched for every one of them.
            if !self.afford(2 + (io.table.len() + self.shell.descriptors.len()) / 8, span) {
                break;
            }
            match &redirect.kind {
                RedirectKind::Read(word) => self.open_to_read(&mut io, redirect, word, span),
                RedirectKind::ReadWrite(word) => {
                    self.open_to_read(&mut io, redirect, word, span);
                    if !matches!(redirect.fd, Fd::Default | Fd::Number(0)) {
                        self.open_to_write(&mut io, redirect, word, true, span);
                    }
                }
                RedirectKind::Write { target, .. } => {
                    self.open_to_write(&mut io, redirect, target, false, span);
                }
                RedirectKind::Append(target) => {
                    self.open_to_write(&mut io, redirect, target, true, span);
                }
                RedirectKind::Both { target, append } => {
                    self.open_to_write(&mut io, redirect, target, *append, span);
                    let dest = io.dest(1);
                    io.table.push((2, dest));
                }
                // `>& file`: where `sh` is bash it is what it is there.
                RedirectKind::Duplicate { target, output: true }
                    if redirect.fd == Fd::Default && plain(target).is_some_and(names_file) =>
                {
                    self.open_to_write(&mut io, redirect, target, false, span);
                    let dest = io.dest(1);
                    io.table.push((2, dest));
                }
                RedirectKind::Duplicate { target, output } => {
                    self.duplicate(&mut io, redirect, target, *output);
                }
                RedirectKind::Heredoc { body, .. } => {
                    let body = expand::single(body, self);
                    self.feed(
                        &mut io,
                        redirect,
                        Stream::of_fields(std::slice::from_ref(&body), ""),
                    );
                }
                RedirectKind::HereString(word) => {
                    let text = expand::single(word, self);
                    self.feed(
                        &mut io,
                        redirect,
                        Stream::of_fields(std::slice::from_ref(&text), "\n"),
                    );
                }
            }
        }
        io
    }

    /// `exec` without a program: its redirections persist.
    pub(super) fn keep_open(&mut self, io: &Io, given: &Stream) {
        if io.stdin != *given {
            self.shell.open(Descriptor { number: 0, stream: io.stdin.clone(), sink: Sink::None });
        }
        let sink = match io.dest(1) {
            Dest::Inherited(_) => return,
            Dest::Closed => Sink::None,
            Dest::Shell(number) => {
                self.shell.descriptor(number).map_or(Sink::None, |open| open.sink.clone())
            }
            Dest::File(index) => match io.opened.get(index) {
                Some(open) => match socket(&open.target) {
                    Some(address) => Sink::Network(address),
                    None => Sink::File(open.target.clone()),
                },
                None => return,
            },
        };
        self.shell.sink(1, sink);
    }

    /// Whether a command with these redirections still prints to where the shell prints.
    pub(super) fn prints_elsewhere(io: &Io) -> bool {
        io.dest(1) != Dest::Inherited(1)
    }

    /// Input of a descriptor: standard input, or one kept for later.
    fn feed(&mut self, io: &mut Io, redirect: &Redirect, stream: Stream) {
        match &redirect.fd {
            Fd::Default | Fd::Number(0) => io.stdin = stream,
            Fd::Number(number) => {
                self.shell.open(Descriptor { number: *number, stream, sink: Sink::None });
            }
            Fd::Variable(name) => {
                let number = self.shell.free_descriptor();
                self.shell.open(Descriptor { number, stream, sink: Sink::None });
                let value = Field::text(number.to_string(), self.origin.map(redirect.span));
                self.shell.set(name, Variable::Scalar(value));
            }
        }
    }

    /// A redirection takes one word; what it splits into is an error in bash.
    fn target(&mut self, word: &Word) -> Field {
        let mut fields = expand::fields(word, self);
        if fields.len() == 1 {
            fields.pop().unwrap_or_default()
        } else {
            expand::single(word, self)
        }
    }

    fn open_to_read(&mut self, io: &mut Io, redirect: &Redirect, word: &Word, span: Span) {
        let field = self.target(word);
        let stream = self.read_from(&field, span);
        self.feed(io, redirect, stream);
        let number = match &redirect.fd {
            Fd::Number(number) => *number,
            _ => return,
        };
        if let Some(address) = socket(&field) {
            self.shell.sink(number, Sink::Network(address));
        }
    }

    /// Reads a file by redirection.
    fn read_from(&mut self, field: &Field, span: Span) -> Stream {
        if let Some(address) = socket(field) {
            self.effect(Kind::Receive, Act::Socket, Target::Host(address.clone()), span);
            return Stream::from(Source::Network(Rc::from(address.as_str())));
        }
        let path = self.path(field);
        if let Some(exact) = path.exact() {
            if is_stream_path(exact) {
                return self.written(&path).cloned().unwrap_or_default();
            }
            match tools::device(exact) {
                Device::Harmless if exact == "/dev/null" => return Stream::empty(),
                Device::Harmless => return Stream::default(),
                Device::Storage => {
                    self.effect(Kind::Read, Act::Device, Target::Path(path.clone()), span);
                    return Stream::from(Source::File(Rc::from(exact)));
                }
                Device::Other | Device::NotADevice => {}
            }
        }
        let content = self.content(&path);
        self.effect(Kind::Read, Act::Redirect, Target::Path(path), span);
        content
    }

    fn open_to_write(
        &mut self,
        io: &mut Io,
        redirect: &Redirect,
        word: &Word,
        append: bool,
        span: Span,
    ) {
        let target = self.target(word);
        let number = match &redirect.fd {
            Fd::Default => 1,
            Fd::Number(number) => *number,
            Fd::Variable(name) => {
                let number = self.shell.free_descriptor();
                let value = Field::text(number.to_string(), span);
                self.shell.set(name, Variable::Scalar(value));
                number
            }
        };
        let fd = if number > 2 {
            let sink = match socket(&target) {
                Some(address) => Sink::Network(address),
                None => Sink::File(target.clone()),
            };
            self.shell.sink(number, sink);
            number
        } else {
            number
        };
        // The shell refuses an empty name.
        if target.exact() == Some("") {
            io.table.push((fd, Dest::Closed));
            return;
        }
        io.opened.push(Opened { target, append, span });
        io.table.push((fd, Dest::File(io.opened.len() - 1)));
    }

    fn duplicate(&mut self, io: &mut Io, redirect: &Redirect, word: &Word, output: bool) {
        let target = expand::single(word, self);
        let fd = match (&redirect.fd, output) {
            (Fd::Number(number), _) => *number,
            (Fd::Default, true) => 1,
            (Fd::Default, false) => 0,
            // `{copy}>&$old`: a new one, whose number goes into the variable.
            (Fd::Variable(name), _) => {
                let number = self.shell.free_descriptor();
                let value = Field::text(number.to_string(), target.span);
                self.shell.set(name, Variable::Scalar(value));
                number
            }
        };
        let text = target.exact().unwrap_or_default();
        let number = text.trim_end_matches('-').parse::<u32>().ok();
        match number {
            // `0>&1` or `0<&1` after `>/dev/tcp/...`: it reads from where it writes to.
            Some(number) if fd == 0 => {
                let address = match io.dest(number) {
                    Dest::File(index) => io.opened.get(index).and_then(|open| socket(&open.target)),
                    _ => None,
                };
                if let Some(address) = address {
                    io.stdin = Stream::from(Source::Network(Rc::from(address.as_str())));
                } else if let Some(found) = self.shell.descriptor(number) {
                    io.stdin = found.stream.clone();
                }
            }
            Some(number) => {
                let dest = match self.shell.descriptor(number) {
                    Some(_) if number > 2 => Dest::Shell(number),
                    _ => io.dest(number),
                };
                if fd > 2
                    && let Some(found) = self.shell.descriptor(number).cloned()
                {
                    self.shell.open(Descriptor { number: fd, ..found });
                }
                io.table.push((fd, dest));
            }
            None if text == "-" => io.table.push((fd, Dest::Closed)),
            // `>&$x`: one of those that are open.
            None if !output && fd == 0 => {
                let mut stream = Stream::default();
                for open in &self.shell.descriptors {
                    stream.flow.join(&open.stream.flow);
                }
                io.stdin = stream;
            }
            None => {}
        }
    }

    /// Data from a path that is a connection.
    pub(super) fn connected(&mut self, file: &Field) -> Option<Stream> {
        socket(file).map(|_| self.read_from(file, file.span))
    }

    /// The two ends of a coprocess: what it prints can be read, what is written to it, it reads.
    pub(super) fn open_coprocess(
        &mut self,
        name: Option<&str>,
        body: &Command,
        out: &Stream,
        span: Span,
    ) {
        let stream = out.clone();
        let from = self.shell.free_descriptor();
        self.shell.open(Descriptor { number: from, stream, sink: Sink::None });
        let to = self.shell.free_descriptor();
        let path = format!("/dev/fd/{to}");
        self.shell.sink(to, Sink::File(Field::text(path.as_str(), span)));
        let pipeline = Pipeline {
            negated: false,
            timed: false,
            commands: vec![body.clone()],
            with_errors: Vec::new(),
            span: body.span,
        };
        let item = Item { first: pipeline, rest: Vec::new(), background: false };
        let script = Rc::new(Script { items: vec![item] });
        self.deferred.push(Deferred { path, script, origin: self.origin, span });
        let ends = [("0", from), ("1", to)]
            .map(|(key, number)| (key.to_owned(), Field::text(number.to_string(), span)));
        self.shell.set(name.unwrap_or("COPROC"), Variable::Array(ends.into()));
    }

    /// Passes a command's output to its targets; returns the rest for the pipe.
    pub(super) fn deliver(&mut self, io: &Io, out: Stream) -> Stream {
        let (stdout, stderr) = (io.dest(1), io.dest(2));
        for (index, opened) in io.opened.iter().enumerate() {
            let content = if stdout == Dest::File(index) {
                out.clone()
            } else if stderr == Dest::File(index) {
                Stream::default()
            } else {
                Stream::empty()
            };
            self.write_to(&opened.target, &content, opened.append, opened.span);
        }
        // `exec > file` holds for all that follow.
        let kept = self.shell.descriptor(1).is_some_and(|open| !matches!(open.sink, Sink::None));
        let stdout = if stdout == Dest::Inherited(1) && kept { Dest::Shell(1) } else { stdout };
        match stdout {
            Dest::Inherited(1) => out,
            Dest::Shell(1) if out.text.as_deref() == Some("") => out,
            // Swapped with standard error and back: still on its way.
            Dest::Inherited(_) | Dest::File(_) | Dest::Closed => {
                if matches!(stdout, Dest::Inherited(_)) {
                    Stream::unknown(out.flow)
                } else {
                    Stream::empty()
                }
            }
            Dest::Shell(number) => {
                let sink = self.shell.descriptor(number).map(|found| found.sink.clone());
                match sink {
                    Some(Sink::Network(address)) => {
                        let span = self.last_span();
                        self.effect(Kind::Send, Act::Socket, Target::Host(address), span).sources =
                            out.flow;
                    }
                    Some(Sink::File(target)) => {
                        self.write_to(&target, &out, true, target.span);
                        self.feed_reader(&target.shown(), &out);
                    }
                    Some(Sink::None) | None => {}
                }
                Stream::empty()
            }
        }
    }

    /// Lets `>(...)` read what the command wrote to it.
    pub(super) fn run_deferred(&mut self, from: usize, printed: &Flow) {
        while self.deferred.len() > from {
            let Some(deferred) = self.deferred.pop() else {
                return;
            };
            let path = PathTarget::absolute(&deferred.path);
            let stdin = match self.written(&path) {
                Some(content) => content.clone(),
                None => Stream::unknown(printed.clone()),
            };
            self.run_reader(&deferred, &stdin);
        }
    }

    /// `exec 3> >(...)` reads whenever something is written to it.
    pub(super) fn feed_reader(&mut self, path: &str, content: &Stream) {
        let Some(at) = self.deferred.iter().position(|deferred| deferred.path == path) else {
            return;
        };
        let deferred = self.deferred.remove(at);
        self.run_reader(&deferred, content);
        self.deferred.insert(at.min(self.deferred.len()), deferred);
    }

    fn run_reader(&mut self, deferred: &super::Deferred, stdin: &Stream) {
        let origin = std::mem::replace(&mut self.origin, deferred.origin);
        let before = self.fork();
        if self.afford(4, deferred.span) && self.enter_depth() {
            self.script(&deferred.script, stdin);
            self.depth -= 1;
        }
        self.shell = before;
        self.origin = origin;
    }

    fn write_to(&mut self, target: &Field, content: &Stream, append: bool, span: Span) {
        if let Some(address) = socket(target) {
            // Only opened; what is sent goes through its descriptor.
            if content.text.as_deref() == Some("") {
                return;
            }
            self.effect(Kind::Send, Act::Socket, Target::Host(address), span).sources =
                content.flow.clone();
            return;
        }
        let path = self.path(target);
        let exact = path.exact().map(str::to_owned);
        if let Some(exact) = &exact {
            let number = exact.strip_prefix("/dev/fd/");
            let number = number.or_else(|| exact.strip_prefix("/proc/self/fd/"));
            let open = number.and_then(|number| number.parse().ok());
            let connected = open.and_then(|number| self.shell.connection(number));
            if let Some(address) = connected.map(str::to_owned) {
                self.effect(Kind::Send, Act::Socket, Target::Host(address), span).sources =
                    content.flow.clone();
                return;
            }
            if is_stream_path(exact) {
                self.set_content(&path, content, append);
                return;
            }
            match tools::device(exact) {
                Device::Harmless => return,
                Device::Storage | Device::Other => {
                    let effect =
                        self.effect(Kind::Device, Act::WriteDevice, Target::Path(path), span);
                    effect.sources = content.flow.clone();
                    return;
                }
                Device::NotADevice => {}
            }
        } else if let Some(PathPart::Text(start)) = path.parts.first()
            && tools::device(start) == Device::Storage
        {
            // Which disk it is does not matter: `/dev/sd?`.
            let effect = self.effect(Kind::Device, Act::WriteDevice, Target::Path(path), span);
            effect.sources = content.flow.clone();
            return;
        }
        self.set_content(&path, content, append);
        let (kind, action) = if append {
            (Kind::Append, Act::Redirect)
        } else if content.text.as_deref() == Some("") {
            (Kind::Overwrite, Act::Truncate)
        } else {
            (Kind::Overwrite, Act::Redirect)
        };
        let kind = match exact.and_then(|path| self.world.facts.kind(&path)) {
            Some(crate::world::PathKind::Missing) => Kind::Write,
            _ => kind,
        };
        self.effect(kind, action, Target::Path(path), span).sources = content.flow.clone();
    }
}

/// `/dev/tcp/host/port` as bash opens it.
fn socket(field: &Field) -> Option<String> {
    let prefix = field.prefix();
    let rest = prefix.strip_prefix("/dev/tcp/").or_else(|| prefix.strip_prefix("/dev/udp/"))?;
    let _ = rest;
    let shown = field.shown();
    let address = shown.get("/dev/tcp/".len()..)?;
    Some(address.replacen('/', ":", 1))
}

/// Name of a process substitution, which is no file.
pub(super) fn is_stream_path(path: &str) -> bool {
    path.strip_prefix("/dev/fd/").is_some_and(|number| number.len() >= 2)
}
