//! The interface of tools and wrappers: the command to judge, and methods to report effects.

use std::rc::Rc;

use crate::act::Act;
use crate::effect::{Certainty, Effect, Kind};
use crate::flow::{Flow, Source, Stream};
use crate::options::{Options, Spec};
use crate::run::Machine;
use crate::span::Span;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

/// One program with its arguments, about to run.
pub(crate) struct Call<'c, 'w> {
    pub machine: &'c mut Machine<'w>,
    /// Plain name: `rm` for `/bin/rm`.
    pub name: &'c str,
    /// The program as written and its arguments.
    pub argv: &'c [Field],
    pub span: Span,
    /// Its standard input.
    pub stdin: Stream,
    /// Its output. By default unknown text derived from its input.
    pub stdout: Stream,
    pub(crate) index: Option<u32>,
    pub(crate) ran_other: bool,
}

/// Function that judges one program.
pub(crate) type Judge = fn(&mut Call<'_, '_>);

/// Programs handled by one file of `tools/` or `wrappers/`.
pub(crate) type Programs = &'static [(&'static str, Judge)];

impl<'c> Call<'c, '_> {
    /// The arguments without the program.
    pub(crate) fn arguments(&self) -> &'c [Field] {
        self.argv.get(1..).unwrap_or_default()
    }

    pub(crate) fn options(&self, spec: &Spec) -> Options<'c> {
        crate::options::parse(self.arguments(), spec)
    }

    /// Reports an effect with the span of the whole command. Its certainty is limited by the context (a
    /// branch makes it possible) and by what is known of the target.
    pub(crate) fn effect(&mut self, kind: Kind, action: Act, target: Target) -> &mut Effect {
        let span = self.span;
        self.effect_at(kind, action, target, span)
    }

    /// The same with the span of certain words.
    pub(crate) fn effect_at(
        &mut self,
        kind: Kind,
        action: Act,
        target: Target,
        span: Span,
    ) -> &mut Effect {
        let index = self.index;
        let effect = self.machine.effect(kind, action, target, span);
        effect.command = index;
        effect
    }

    /// The path in an argument, relative to the command's directory.
    pub(crate) fn path(&self, field: &Field) -> Target {
        Target::Path(self.machine.path(field))
    }

    /// A named thing: a branch, a package, a service.
    pub(crate) fn named(field: &Field) -> Target {
        Target::Name(field.shown())
    }

    /// An effect on a file that an argument names, with the argument's span.
    pub(crate) fn on_path(&mut self, kind: Kind, action: Act, field: &Field) -> &mut Effect {
        let target = self.path(field);
        self.effect_at(kind, action, target, field.span)
    }

    /// An effect on something that an argument names: a service, a container.
    pub(crate) fn on_name(&mut self, kind: Kind, action: Act, field: &Field) -> &mut Effect {
        let effect = self.effect_at(kind, action, Call::named(field), field.span);
        if field.exact().is_none() {
            effect.certainty = effect.certainty.min(Certainty::Possible);
            // `$(docker ps -q)` is as many as there are.
            effect.recursive |= is_listing(field);
        }
        effect
    }

    /// The argument `/name`, as Windows programs write options; also `-name` and
    /// `/name:value`.
    pub(crate) fn slash(&self, name: &str) -> Option<&'c Field> {
        self.arguments().iter().find(|field| {
            let text = field.prefix();
            let Some(option) = text.strip_prefix('/').or_else(|| text.strip_prefix('-')) else {
                return false;
            };
            // A Unix shell on Windows writes two slashes.
            let option = option.strip_prefix('/').unwrap_or(option);
            option.split(':').next().is_some_and(|option| option.eq_ignore_ascii_case(name))
        })
    }

    /// The argument after `/name`.
    pub(crate) fn after_slash(&self, name: &str) -> Option<&'c Field> {
        let option = self.slash(name)?;
        let at = self.arguments().iter().position(|field| std::ptr::eq(field, option))?;
        self.arguments().get(at.saturating_add(1))
    }

    /// Reports a read of a file, and returns its content as far as known: more than nothing if an earlier
    /// part of the command wrote it.
    pub(crate) fn read(&mut self, action: Act, field: &Field) -> Stream {
        if field.is("-") || field.is("/dev/stdin") || field.is("/dev/fd/0") {
            return self.stdin.clone();
        }
        let path = self.machine.path(field);
        let content = self.machine.content(&path);
        self.effect_at(Kind::Read, action, Target::Path(path), field.span);
        content
    }

    /// Reports a write to a file with this content: `Kind::Overwrite`, `Kind::Write` or `Kind::Append`.
    pub(crate) fn write(
        &mut self,
        kind: Kind,
        action: Act,
        field: &Field,
        content: Stream,
    ) -> &mut Effect {
        let path = self.machine.path(field);
        self.machine.set_content(&path, &content, kind == Kind::Append);
        let sources = content.flow;
        let effect = self.effect_at(kind, action, Target::Path(path), field.span);
        effect.sources = sources;
        effect
    }

    /// Reports data sent to a host.
    pub(crate) fn send(&mut self, action: Act, host: &Field, data: Flow) -> &mut Effect {
        let effect = self.effect_at(Kind::Send, action, Target::Host(host.shown()), host.span);
        effect.sources = data;
        if host.exact().is_none() {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
        effect
    }

    /// Reports data received from a host, and returns it.
    pub(crate) fn receive(&mut self, action: Act, host: &Field) -> Stream {
        let shown = host.shown();
        let source = Source::Network(Rc::from(shown.as_str()));
        let effect = self.effect_at(Kind::Receive, action, Target::Host(shown), host.span);
        if host.exact().is_none() {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
        Stream::from(source)
    }

    /// Runs another program with these arguments in the same context (`sudo rm -rf x`).
    pub(crate) fn run(&mut self, argv: &[Field]) -> Stream {
        let stdin = self.stdin.clone();
        self.run_with(argv, stdin)
    }

    pub(crate) fn run_with(&mut self, argv: &[Field], stdin: Stream) -> Stream {
        if argv.is_empty() {
            return Stream::empty();
        }
        self.ran_other = true;
        self.machine.run_via(self.name, argv, stdin)
    }

    /// Runs the code in an argument: `bash -c CODE`, `python -c CODE`. Returns its output.
    pub(crate) fn run_code(&mut self, language: Language, code: &Field) -> Stream {
        if code.parts.iter().any(|part| matches!(part, Part::Text { .. })) || code.parts.is_empty()
        {
            self.ran_other = true;
        } else {
            self.keep();
        }
        self.machine.run_code(self.name, self.index, language, code, &self.stdin)
    }

    /// Runs code from a stream or file: standard input of an interpreter, a script that was just downloaded.
    /// `span` locates the cause.
    pub(crate) fn run_stream(&mut self, language: Language, code: &Stream, span: Span) -> Stream {
        if code.text.is_some() || code.partial.is_some() {
            self.ran_other = true;
        }
        self.machine.run_stream(self.name, language, code, span, self.index)
    }

    /// Runs another program on another machine or in a container, where nothing known about this shell
    /// applies.
    pub(crate) fn run_elsewhere(&mut self, argv: &[Field], cwd: Option<&str>) -> Stream {
        let shell = self.machine.leave(cwd);
        let out = self.run(argv);
        self.machine.shell = shell;
        out
    }

    /// The same for code.
    pub(crate) fn run_code_elsewhere(&mut self, language: Language, code: &Field) -> Stream {
        let shell = self.machine.leave(None);
        let out = self.run_code(language, code);
        self.machine.shell = shell;
        out
    }

    /// Lists a wrapper as a program of its own even if it runs others, since an interpreter has effects
    /// itself.
    pub(crate) fn keep(&mut self) {
        if self.index.is_none() {
            let index = self.machine.record(self.name, self.argv);
            self.machine.note_stdin(index, &self.stdin);
            self.index = Some(index);
        }
    }

    /// Notes that the result may be incomplete.
    pub(crate) fn unverified(&mut self, reason: crate::Reason, span: Span) {
        self.machine.unverified(reason, span);
    }
}

/// Whether a field is what a command prints, so that it may stand for many things.
fn is_listing(field: &Field) -> bool {
    field.parts.iter().any(|part| {
        matches!(part, Part::Unknown(unknown) if unknown.splits && unknown.name.starts_with("$("))
    })
}
