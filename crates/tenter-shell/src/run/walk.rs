//! Walks the structure of a script: lists, pipelines, compound commands, functions.

use std::rc::Rc;

use super::Machine;
use super::branches::spawns_without_end;
use super::state::{Function, Shell};
use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::{MAX_CALLS, MAX_VALUE};
use crate::effect::{Certainty, Kind};
use crate::expand::{self, Positional};
use crate::flow::{Flow, Source, Stream};
use crate::span::Span;
use crate::syntax::Dialect;
use crate::syntax::ast::{Command, CommandKind, Connector, Item, Pipeline, Script, Word, WordPart};
use crate::target::Target;
use crate::value::{Field, Part, Unknown};

/// Combined output of several commands.
#[derive(Clone, Debug, Default)]
pub(super) struct Printed {
    whole: Field,
    flow: Flow,
    /// Bytes so far; past [`MAX_VALUE`] only the flow is kept.
    bytes: usize,
}

impl Printed {
    fn of(stream: Stream) -> Self {
        let mut printed = Self::default();
        printed.add(stream);
        printed
    }

    pub(super) fn add(&mut self, stream: Stream) {
        self.flow.join(&stream.flow);
        let partial = stream.partial.as_deref().map_or(2, |field| 64 * field.weight());
        self.bytes += stream.text.as_ref().map_or(partial, String::len);
        if self.bytes > MAX_VALUE {
            self.whole = Field::default();
            return;
        }
        match (stream.text, stream.partial) {
            (Some(text), _) => self.whole.push_text(&text, None),
            (None, Some(partial)) => {
                for part in &partial.parts {
                    self.whole.push(part.clone());
                }
            }
            (None, None) => {
                let name = "$(\u{2026})".into();
                self.whole.push(Part::Unknown(Unknown { name, splits: false }));
                // Output ends with a line.
                self.whole.push_text("\n", None);
            }
        }
    }

    pub(super) fn stream(mut self) -> Stream {
        if self.bytes > MAX_VALUE {
            return Stream::unknown(self.flow);
        }
        if self.whole.exact().is_some() {
            let text = match self.whole.parts.pop() {
                Some(Part::Text { text, .. }) => text,
                _ => String::new(),
            };
            return Stream { text: Some(text), partial: None, flow: self.flow };
        }
        let says = |part: &Part| matches!(part, Part::Text { text, .. } if text != "\n");
        let partial = self.whole.parts.iter().any(says).then(|| Rc::new(self.whole));
        Stream { text: None, partial, flow: self.flow }
    }
}

impl Machine<'_> {
    /// Commands one after the other, in this shell.
    pub(super) fn script(&mut self, script: &Script, stdin: &Stream) -> Stream {
        let mut printed = Printed::default();
        let mut left: Option<Stream> = None;
        for item in &script.items {
            let stdin = left.as_ref().unwrap_or(stdin);
            let span = self.origin.map(item.first.span);
            if !self.afford(4 + stdin.text.as_ref().map_or(0, |text| text.len() / 64), span) {
                break;
            }
            self.lines_read = 0;
            let out = self.item(item, stdin);
            printed.add(out);
            // Lines consumed by `read` are not available to the next command.
            if self.lines_read > 0
                && let Some(text) = &stdin.text
            {
                let taken = text.split_inclusive('\n').take(self.lines_read).map(str::len).sum();
                let rest = text.get(taken..).unwrap_or_default().to_owned();
                left = Some(Stream { text: Some(rest), ..stdin.clone() });
                self.lines_read = 0;
            }
        }
        printed.stream()
    }

    /// Spends work; notes and returns false when none is left.
    pub(super) fn afford(&mut self, units: usize, span: Span) -> bool {
        let left = self.budget.spend(units);
        if !left {
            self.unverified(Reason::TooMuchWork, span);
        }
        left
    }

    fn item(&mut self, item: &Item, stdin: &Stream) -> Stream {
        if item.background {
            let before = self.fork();
            self.spawning += 1;
            let out = self.list(item, stdin);
            self.spawning -= 1;
            self.shell = before;
            self.status = Some(true);
            return out;
        }
        self.list(item, stdin)
    }

    fn list(&mut self, item: &Item, stdin: &Stream) -> Stream {
        let mut printed = Printed::default();
        let first = self.pipeline(&item.first, stdin.clone());
        printed.add(first);
        for (connector, pipeline) in &item.rest {
            let runs = match connector {
                Connector::And => self.status != Some(false),
                Connector::Or => self.status == Some(false),
            };
            let unknown = self.status.is_none();
            let open = (unknown && self.chooses).then(|| printed.clone().stream());
            let span = self.origin.map(pipeline.span);
            if runs {
                let out = self.pipeline(pipeline, stdin.clone());
                printed.add(out);
                // `test -x x && echo x || echo y`
                if let Some(before) = open
                    && let Some((way, out)) =
                        self.choose(vec![printed.clone().stream(), before], span)
                {
                    printed = Printed::of(out);
                    self.status = if way == 1 { Some(false) } else { self.status };
                }
            } else {
                let out = self.possibly(|machine| machine.pipeline(pipeline, stdin.clone()));
                // What fails has printed nothing, mostly.
                match open.and_then(|before| self.choose(vec![before, out.clone()], span)) {
                    Some((_, out)) => printed = Printed::of(out),
                    None if unknown => printed.add(out),
                    None => {}
                }
                self.status = None;
            }
        }
        printed.stream()
    }

    /// Runs something that may or may not happen: afterwards the state is either.
    pub(super) fn possibly<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let certainty = self.certainty;
        self.certainty = certainty.min(Certainty::Possible);
        let before = self.fork();
        let out = run(self);
        self.shell.join(&before);
        self.certainty = certainty;
        out
    }

    /// A copy of the state, to come back to.
    pub(super) fn fork(&mut self) -> Shell {
        self.budget.spend(self.shell.weight());
        self.shell.clone()
    }

    pub(super) fn pipeline(&mut self, pipeline: &Pipeline, stdin: Stream) -> Stream {
        let mut stream = stdin;
        let many = pipeline.commands.len() > 1;
        let last = pipeline.commands.len().saturating_sub(1);
        if many {
            self.spawning += 1;
        }
        for (index, command) in pipeline.commands.iter().enumerate() {
            if !many {
                stream = self.command(command, stream);
                break;
            }
            let before = self.fork();
            let seen = self.commands.len();
            if index != last {
                self.shell.close(1);
            }
            stream = self.command(command, stream);
            // Whatever an unknown program prints comes from that program.
            if index != last
                && stream == Stream::default()
                && let Some(ran) = self.commands.get(seen..).and_then(<[_]>::last)
            {
                stream.flow.add(Source::Program(ran.program.as_str().into()));
            }
            // zsh and fish run the last command of a pipeline in the shell itself.
            let stays = index == last && matches!(self.dialect, Dialect::Zsh | Dialect::Fish);
            if !stays {
                self.shell = before;
            }
        }
        if many {
            self.spawning -= 1;
            self.status = None;
        }
        if pipeline.negated {
            self.status = self.status.map(|status| !status);
        }
        stream
    }

    pub(super) fn command(&mut self, command: &Command, stdin: Stream) -> Stream {
        let span = self.origin.map(command.span);
        if let CommandKind::Simple(simple) = &command.kind {
            return self.simple(simple, &command.redirects, &stdin, span);
        }
        if self.depth >= super::MAX_DEPTH {
            self.unverified(Reason::TooDeep, span);
            return Stream::default();
        }
        self.depth += 1;
        let mut io = self.redirect(&command.redirects, stdin);
        let stdin = std::mem::take(&mut io.stdin);
        let kept = Self::prints_elsewhere(&io).then(|| self.shell.close(1)).flatten();
        let out = self.compound(&command.kind, stdin, span);
        self.shell.descriptors.extend(kept);
        self.depth -= 1;
        self.deliver(&io, out)
    }

    fn compound(&mut self, kind: &CommandKind, stdin: Stream, span: Span) -> Stream {
        match kind {
            CommandKind::Simple(_) => Stream::empty(),
            CommandKind::Group(script) => self.script(script, &stdin),
            CommandKind::Subshell(script) => {
                let before = self.fork();
                self.shell.traps.clear();
                let out = self.script(script, &stdin);
                self.run_traps();
                self.shell = before;
                out
            }
            CommandKind::If { branches, otherwise } => {
                self.branches(branches, otherwise.as_ref(), &stdin, span)
            }
            CommandKind::While { condition, body, until } => {
                self.repeat(condition, body, *until, &stdin, span)
            }
            // Which of them is chosen is up to the user.
            CommandKind::For { variable, words, body, select: true } => self
                .possibly(|machine| machine.each(variable, words.as_deref(), body, &stdin, span)),
            CommandKind::For { variable, words, body, .. } => {
                self.each(variable, words.as_deref(), body, &stdin, span)
            }
            CommandKind::ForArithmetic { header, body } => {
                for expression in header {
                    expand::arithmetic(expression, self);
                }
                // No condition is always true.
                let endless = header.get(1).is_none_or(always);
                if endless && spawns_without_end(body) {
                    self.effect(Kind::Process, Act::ForkBomb, Target::None, span);
                }
                self.forget_assigned();
                // The second round sees what the first one left behind.
                self.possibly(|machine| {
                    machine.script(body, &stdin);
                    machine.script(body, &stdin)
                })
            }
            CommandKind::Case { subject, arms } => self.case(subject, arms, &stdin),
            CommandKind::Function { name, body } => {
                let function =
                    Function { body: Rc::clone(body), origin: self.origin, exported: false };
                self.budget.spend(self.shell.functions.len() / super::scope::SCAN);
                self.shell.functions.retain(|(known, _)| **known != **name);
                self.shell.functions.push((name.as_str().into(), function));
                self.status = Some(true);
                Stream::empty()
            }
            CommandKind::Arithmetic(expression) => {
                let value = expand::arithmetic(expression, self);
                self.status = value.map(|value| value != 0);
                Stream::empty()
            }
            CommandKind::Test(words) => {
                // Operands may hold substitutions, which run.
                for word in words {
                    expand::single(word, self);
                }
                self.status = match words.as_slice() {
                    [word] => plain(word).map(|text| !text.is_empty()),
                    _ => None,
                };
                Stream::empty()
            }
            CommandKind::Coprocess { name, body } => {
                let before = self.fork();
                self.spawning += 1;
                let out = self.command(body, stdin);
                self.spawning -= 1;
                self.shell = before;
                self.open_coprocess(name.as_deref(), body, &out, span);
                Stream::unknown(out.flow)
            }
        }
    }

    /// Calls a function of the script's own.
    pub(super) fn call_function(
        &mut self,
        name: &str,
        argv: &[Field],
        stdin: Stream,
    ) -> Option<Stream> {
        let mut known: Vec<Function> = self
            .shell
            .functions
            .iter()
            .filter(|(known, _)| &**known == name)
            .map(|(_, function)| function.clone())
            .collect();
        let function = known.pop()?;
        let span = super::span_of(argv);
        // The same name may be another function by now.
        let running =
            self.functions_running.iter().rev().find(|(body, _)| Rc::ptr_eq(body, &function.body));
        if let Some((_, spawning)) = running {
            if self.spawning > *spawning {
                let span = function.origin.map(function.body.span);
                self.effect(Kind::Process, Act::ForkBomb, Target::name(name), span);
            } else {
                self.unverified(Reason::TooDeep, span);
            }
            return Some(Stream::default());
        }
        if self.functions_running.len() >= MAX_CALLS {
            self.unverified(Reason::TooDeep, span);
            return Some(Stream::default());
        }
        self.functions_running.push((Rc::clone(&function.body), self.spawning));
        let arguments = Positional::Known(argv.get(1..).unwrap_or_default().to_vec());
        let positional = std::mem::replace(&mut self.shell.positional, arguments);
        let origin = self.origin;
        self.locals.push(Vec::new());
        self.enter(name, span);
        // After a branch the name may stand for several functions.
        let certainty = self.certainty;
        if !known.is_empty() {
            self.certainty = certainty.min(Certainty::Possible);
        }
        for other in known {
            self.origin = other.origin;
            let input = stdin.clone();
            self.possibly(|machine| machine.command(&other.body, input));
        }
        self.origin = function.origin;
        let out = self.command(&function.body, stdin);
        self.certainty = certainty;
        self.leave_via();
        for (name, slot) in self.locals.pop().unwrap_or_default() {
            self.shell.variables.retain(|known| known.name != name);
            self.shell.variables.extend(slot);
        }
        self.origin = origin;
        self.shell.positional = positional;
        self.functions_running.pop();
        Some(out)
    }
}

/// The text of a word that is nothing but one literal.
pub(super) fn plain(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [WordPart::Literal(text)] => Some(&text.text),
        _ => None,
    }
}

/// Whether the condition of a counting loop is empty or a number that is not zero.
fn always(condition: &Word) -> bool {
    let mut text = String::new();
    for part in &condition.parts {
        match part {
            WordPart::Literal(written) | WordPart::Quoted(written) => text.push_str(&written.text),
            _ => return false,
        }
    }
    let text = text.trim();
    text.is_empty() || text.parse::<i64>().is_ok_and(|number| number != 0)
}
