//! Follows a script without running it: tracks the shell's state, removes wrappers and asks the tools for
//! each program's effects.

mod agents;
mod beside;
mod branches;
mod builtins;
mod code;
mod commands;
mod hidden;
mod links;
mod mentioned;
mod oddities;
mod options_code;
mod packages;
mod preloads;
mod program;
mod redirect;
mod salvage;
mod scope;
mod scripts;
mod settled;
mod simple;
mod state;
mod taskfiles;
mod values;
mod variables;
mod walk;

use std::rc::Rc;

use crate::act::Act;
use crate::analysis::{self, Analysis, Ran, Reason, Unverified, Via};
use crate::budget::{Budget, MAX_LITERAL, MAX_ROUNDS, MAX_VALUE};
use crate::code::Code;
use crate::effect::{Certainty, Effect, Kind};
use crate::flow::{Flow, Source, Stream};
use crate::span::{Origin, Span};
use crate::syntax::Dialect;
use crate::syntax::ast::{Command, Script};
use crate::target::{PathTarget, Target};
use crate::value::Field;
use crate::world::{Language, Surroundings};
pub use agents::{MOVERS, is_agent, unattended_option};
pub(crate) use builtins::located;
pub(crate) use packages::leads_outside;
pub(crate) use program::quote;
pub(crate) use scope::PLACEHOLDER;
use simple::Reading;
use state::Slot;
pub(crate) use state::{Environment, Shell};

/// Maximum number of effects, programs and reasons listed.
const MAX_EFFECTS: usize = 4096;
const MAX_COMMANDS: usize = 4096;
const MAX_REASONS: usize = 64;
/// Marks the previous content of a file that is appended to.
const BEFORE: &str = "$(before)";
/// Maximum number of written files tracked.
const MAX_FILES: usize = 256;
/// How far back equal effects and programs are searched.
const MEMORY: usize = 64;
/// Maximum nesting of scripts, programs and code.
const MAX_DEPTH: usize = 96;

pub(crate) struct Machine<'w> {
    pub world: &'w Surroundings<'w>,
    /// The original command.
    pub(crate) source: &'w str,
    pub budget: Budget,
    pub shell: Shell,
    pub dialect: Dialect,
    /// Files written by earlier parts of the command.
    files: Vec<(String, Stream)>,
    /// Symbolic links that earlier parts of the command made, and where they lead.
    links: Vec<(String, String)>,
    /// Process substitutions so far, for their names.
    processes: usize,
    /// `>(...)` waits for what is written to it.
    deferred: Vec<Deferred>,
    pub(crate) commands: Vec<Ran>,
    /// Scripts read as code, those currently running, and the one of the current program.
    scripts: Vec<analysis::Script>,
    running: Vec<u16>,
    opened: Option<scripts::Opened>,
    effects: Vec<Effect>,
    unverified: Vec<Unverified>,
    via: Vec<Via>,
    /// Certainty allowed by the context: certain, or possible inside a branch.
    pub certainty: Certainty,
    depth: usize,
    /// Maps spans of the current tree to the command.
    pub origin: Origin,
    /// Variables set for the next program alone.
    pub assignments: Vec<(String, Field)>,
    /// Whether the last command succeeded, where that is sure.
    status: Option<bool>,
    reading: Reading,
    /// Pipelines and background jobs around this point.
    pub(crate) spawning: usize,
    /// Bodies of the functions around this point, and what was spawning when they were called.
    functions_running: Vec<(Rc<Command>, usize)>,
    /// Values hidden by `local`, per function.
    locals: Vec<Vec<(Rc<str>, Option<Slot>)>>,
    placeholders: usize,
    /// Patterns in command position so far.
    patterns: usize,
    /// Inside a substitution, where each alternative output makes a reading of its own.
    chooses: bool,
    /// Rounds of loops beyond the first [`crate::budget::MAX_ROUNDS`] of each.
    pub(crate) rounds: usize,
    /// Loops over items around this point, and the rounds of all that are inside another.
    loops: usize,
    nested_rounds: usize,
    /// Whether this is the reading of another shell's command as one of Unix.
    second: bool,
    /// Second readings around this one: only the outermost gets another.
    rereading: bool,
    /// Lines that `read` took from the input of the script.
    lines_read: usize,
    /// Host folders visible to the next container: see [`Shell::mounts`].
    pub mounts: Vec<(String, String)>,
    /// Statements of another shell that are values there or call what is known.
    settled: Vec<Span>,
}

/// Code that reads what a command writes to `>(...)`.
#[derive(Debug)]
struct Deferred {
    path: String,
    script: Rc<Script>,
    origin: Origin,
    span: Span,
}

pub(crate) fn analyze(command: &str, world: &Surroundings<'_>) -> Analysis {
    let mut machine = Machine::new(world, command);
    let language = match world.language {
        Language::Shell(_) => {
            let windows = world.cwd.is_some_and(crate::drive::is_windows);
            crate::dialect::recognise(command, windows).unwrap_or(world.language)
        }
        other => other,
    };
    let code = Code { text: command, origin: Origin::Verbatim(0) };
    machine.text(language, code, &Stream::default(), None);
    if language != world.language {
        // It only looks like another language: the shell may still get it. What the shell finds
        // wrong with it is no news then.
        let known = machine.unverified.len();
        // Programs that it started are judged, whichever shell starts them.
        let judged: Vec<Span> = machine.commands.iter().map(|ran| ran.span).collect();
        machine.second = true;
        machine.possibly(|machine| machine.text(world.language, code, &Stream::default(), None));
        let settled = std::mem::take(&mut machine.settled);
        let reading = settled::Reading { command, language, settled: &settled, judged: &judged };
        let mut at = 0;
        machine.unverified.retain(|entry| {
            at += 1;
            at <= known || reading.doubts(entry)
        });
        machine.settled = settled;
    }
    machine.run_traps();
    let mut analysis = machine.finish();
    analysis.oddities = oddities::find(command);
    analysis
}

impl<'w> Machine<'w> {
    pub(crate) fn new(world: &'w Surroundings<'w>, source: &'w str) -> Self {
        let dialect = match world.language {
            Language::Shell(dialect) => dialect,
            _ => Dialect::Bash,
        };
        Self {
            world,
            source,
            budget: Budget::default(),
            shell: Shell::new(world.cwd),
            dialect,
            files: Vec::new(),
            links: Vec::new(),
            processes: 0,
            deferred: Vec::new(),
            commands: Vec::new(),
            scripts: Vec::new(),
            running: Vec::new(),
            opened: None,
            effects: Vec::new(),
            unverified: Vec::new(),
            via: Vec::new(),
            certainty: Certainty::Certain,
            depth: 0,
            origin: Origin::Verbatim(0),
            assignments: Vec::new(),
            status: Some(true),
            reading: Reading::default(),
            spawning: 0,
            functions_running: Vec::new(),
            locals: Vec::new(),
            placeholders: 0,
            patterns: 0,
            second: false,
            chooses: false,
            rounds: 0,
            loops: 0,
            nested_rounds: 0,
            rereading: false,
            lines_read: 0,
            mounts: Vec::new(),
            settled: Vec::new(),
        }
    }

    pub(crate) fn finish(mut self) -> Analysis {
        self.follow_lists();
        // Loops and readings say the same thing again, soon after.
        let mut effects: Vec<Effect> = Vec::with_capacity(self.effects.len());
        for effect in self.effects {
            let again = effects.iter_mut().rev().take(MEMORY).find(|known| known.same_as(&effect));
            match again {
                Some(known) => known.certainty = known.certainty.max(effect.certainty),
                None => effects.push(effect),
            }
        }
        Analysis {
            commands: self.commands,
            scripts: self.scripts,
            effects,
            unverified: self.unverified,
            oddities: Vec::new(),
            work: self.budget.used(),
        }
    }

    /// Reports an effect. Its certainty is limited by the context and by what is known of the target.
    pub(crate) fn effect(
        &mut self,
        kind: Kind,
        action: Act,
        target: Target,
        span: Span,
    ) -> &mut Effect {
        let certainty = match &target {
            Target::Path(path) if path.exact().is_none() => Certainty::Possible,
            _ => Certainty::Certain,
        };
        self.push_effect(Effect {
            kind,
            action,
            target,
            certainty,
            recursive: false,
            force: false,
            elsewhere: false,
            sources: Flow::default(),
            span,
            command: None,
            script: None,
        })
    }

    fn push_effect(&mut self, mut effect: Effect) -> &mut Effect {
        #[cfg(test)]
        assert!(
            effect.action.is_of(effect.kind),
            "{}/{} is not declared",
            effect.kind.name(),
            effect.action
        );
        effect.certainty = effect.certainty.min(self.certainty);
        effect.elsewhere = match &effect.target {
            Target::Path(path) => path.elsewhere,
            _ => self.shell.elsewhere,
        };
        if self.effects.len() >= MAX_EFFECTS {
            self.unverified(Reason::TooMuchWork, effect.span);
            self.effects.pop();
        }
        self.effects.push(effect);
        let last = self.effects.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "it was pushed just above")]
        &mut self.effects[last]
    }

    /// The effect that was said last is about a whole tree.
    pub(crate) fn last_is_tree(&mut self) {
        if let Some(effect) = self.effects.last_mut() {
            effect.recursive = true;
        }
    }

    pub(crate) fn unverified(&mut self, reason: Reason, span: Span) {
        let entry = Unverified { reason, span };
        if self.unverified.len() < MAX_REASONS && !self.unverified.contains(&entry) {
            self.unverified.push(entry);
        }
    }

    /// The path that a field names, with what is known about links.
    /// Whether this round over literal items is still followed.
    pub(crate) fn follows_round(&mut self, round: usize) -> bool {
        self.rounds += usize::from(round >= MAX_ROUNDS);
        round < MAX_ROUNDS || self.rounds < MAX_LITERAL
    }

    pub(crate) fn path(&self, field: &Field) -> PathTarget {
        let mut path = PathTarget::resolve(field, self.shell.cwd.as_deref());
        path.elsewhere = self.shell.elsewhere;
        if !self.shell.mounts.is_empty() {
            // The longest mount that holds the path says what it is outside.
            let mut mounts: Vec<&(String, String)> = self.shell.mounts.iter().collect();
            mounts.sort_by_key(|(inside, _)| std::cmp::Reverse(inside.len()));
            path.elsewhere = !mounts.iter().any(|(inside, outside)| path.moved(inside, outside));
        }
        if !path.elsewhere
            && let Some(exact) = path.exact()
        {
            let real = match self.linked(exact) {
                Some(through) => Some(self.world.facts.real_path(&through).unwrap_or(through)),
                None => self.world.facts.real_path(exact),
            };
            path.real = real.filter(|real| real != exact);
        } else if !path.elsewhere {
            // `ln -s / all; rm -rf all/*`
            let mut links = self.links.iter().rev();
            if !links.any(|(place, leads_to)| path.moved(place, leads_to)) {
                self.below_link(&mut path);
            }
        }
        path
    }

    /// A symbolic link is made.
    pub(crate) fn link(&mut self, place: &PathTarget, leads_to: &PathTarget) {
        if let (Some(place), Some(leads_to)) = (place.exact(), leads_to.exact())
            && self.links.len() < MAX_FILES
        {
            self.links.push((place.to_owned(), leads_to.to_owned()));
        }
    }

    /// Where a path leads through the links that the command made.
    fn linked(&self, path: &str) -> Option<String> {
        self.links.iter().rev().find_map(|(place, leads_to)| {
            let rest = path.strip_prefix(place.as_str())?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| format!("{}{rest}", leads_to.trim_end_matches('/')))
        })
    }

    /// Content of a file: what the command wrote to it, or just "that file".
    pub(crate) fn content(&self, path: &PathTarget) -> Stream {
        let name = path.shown();
        let mut content = match self.written(path) {
            Some(content) => content.clone(),
            None => Stream::from(Source::File(Rc::from(&*name))),
        };
        // A folder holds what was written into it; a pattern may match it.
        for (known, written) in &self.files {
            let below = known.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('/'));
            if below || (path.exact().is_none() && path.may_be(known)) {
                content.flow.add(Source::File(Rc::from(known.as_str())));
                content.flow.join(&written.flow);
            }
        }
        content
    }

    /// Content that an earlier part of the command wrote to this file.
    pub(crate) fn written(&self, path: &PathTarget) -> Option<&Stream> {
        let name = path.shown();
        let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
        let number = folders.iter().find_map(|folder| name.strip_prefix(folder));
        if let Some(open) = number.and_then(|number| number.parse().ok())
            && let Some(descriptor) = self.shell.descriptor(open)
        {
            return Some(&descriptor.stream);
        }
        // Unpacked files are tracked by folder.
        let holds = |folder: &str| {
            name.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let exact = self.files.iter().rev().find(|(known, _)| *known == *name);
        let folder = || {
            self.files.iter().rev().find(|(known, content)| content.text.is_none() && holds(known))
        };
        exact.or_else(folder).map(|(_, content)| content)
    }

    pub(crate) fn set_content(&mut self, path: &PathTarget, content: &Stream, append: bool) {
        let name = path.shown().into_owned();
        let mut content = content.clone();
        if append {
            let before = self.content(path);
            content.flow.join(&before.flow);
            if before.text.is_none()
                && let Some(more) = &content.text
            {
                let mut whole = before.partial.map_or_else(
                    || Field::unknown(BEFORE, Span::default()),
                    |known| Field::clone(&known),
                );
                whole.push_text(more, None);
                content.partial = Some(Rc::new(whole));
            }
            content.text = match (before.text, content.text) {
                (Some(before), Some(more)) if before.len() + more.len() <= MAX_VALUE => {
                    Some(before + &more)
                }
                _ => None,
            };
        }
        // A write that may not have happened may leave the old content.
        if !append
            && self.certainty < Certainty::Certain
            && let Some(before) = self.written(path)
        {
            content.flow.join(&before.flow);
            if content.text != before.text {
                content.text = None;
            }
        }
        self.budget.spend(content.weight() + self.files.len() / 8);
        if let Some((_, old)) = self.files.iter_mut().find(|(known, _)| *known == name) {
            *old = content;
        } else if self.files.len() < MAX_FILES {
            self.files.push((name, content));
        } else {
            let why = Reason::CutShort("writes too many files to check");
            self.unverified(why, self.last_span());
        }
    }

    /// Puts an empty shell in place of this one and returns this one.
    pub(crate) fn leave(&mut self, cwd: Option<&str>) -> Shell {
        let mut fresh = Shell::new(cwd);
        fresh.mounts = std::mem::take(&mut self.mounts);
        fresh.elsewhere = true;
        std::mem::replace(&mut self.shell, fresh)
    }

    /// Runs the code of traps after everything else, with the final settings.
    fn run_traps(&mut self) {
        for (code, origin) in std::mem::take(&mut self.shell.traps) {
            let outer = std::mem::replace(&mut self.origin, origin);
            self.enter("trap", code.span);
            self.possibly(|machine| machine.code_here(&code, &Stream::default()));
            self.leave_via();
            self.origin = outer;
        }
    }

    /// Marks the following as inside `name`.
    fn enter(&mut self, name: &str, span: Span) {
        self.via.push(Via { name: name.into(), span });
    }

    fn leave_via(&mut self) {
        self.via.pop();
    }

    /// One level deeper; false, and said so, when that is too deep.
    pub(crate) fn enter_depth(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.unverified(Reason::TooDeep, self.last_span());
            return false;
        }
        self.depth += 1;
        true
    }

    /// Whether half of the room for what stands inside each other is taken.
    pub(crate) fn is_deep(&self) -> bool {
        self.depth > MAX_DEPTH / 2
    }

    pub(crate) fn leave_depth(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The span of the last program.
    fn last_span(&self) -> Span {
        self.commands.last().map(|ran| ran.span).unwrap_or_default()
    }

    /// Lists a program. A loop that runs the same one again is not listed twice.
    pub(crate) fn record(&mut self, name: &str, argv: &[Field]) -> u32 {
        let span = span_of(argv);
        let from = self.commands.len().saturating_sub(MEMORY);
        let known = self.commands.iter().skip(from).position(|ran| {
            ran.span == span
                && ran.program == name
                && ran.argv == argv
                && ran.cwd == self.shell.cwd
                && ran.via == self.via
        });
        if let Some(at) = known {
            return u32::try_from(from + at).unwrap_or(u32::MAX);
        }
        if self.commands.len() >= MAX_COMMANDS {
            self.unverified(Reason::TooMuchWork, span);
            self.commands.pop();
        }
        self.commands.push(Ran {
            program: name.to_owned(),
            argv: argv.to_vec(),
            cwd: self.shell.cwd.clone(),
            assignments: self.set_for(name),
            via: self.via.clone(),
            certainty: self.certainty,
            typed: false,
            span,
            script: None,
        });
        u32::try_from(self.commands.len() - 1).unwrap_or(u32::MAX)
    }

    /// The effects found so far.
    pub(crate) fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Notes whether a listed program reads what the caller types.
    pub(crate) fn note_stdin(&mut self, index: u32, stdin: &Stream) {
        if let Some(ran) = self.commands.get_mut(index as usize) {
            let flow = stdin.flow.sources();
            ran.typed |= stdin.text.is_none()
                && stdin.partial.is_none()
                && flow.iter().all(|source| *source == Source::Stdin);
        }
    }
}

/// The words from the first to the last.
fn span_of(argv: &[Field]) -> Span {
    let first = argv.first().map(|field| field.span).unwrap_or_default();
    argv.iter()
        .fold(first, |span, field| if field.span.is_empty() { span } else { span.to(field.span) })
}

/// Judges one program with exact arguments, for the tests of tools and wrappers.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Effects as lines: `kind action target certainty`, with `-r`, `-f` and `<sources` where set.
    pub(crate) fn effects(argv: &[&str]) -> Vec<String> {
        effects_with(argv, Stream::default())
    }

    /// Each program with the effects it must have.
    pub(crate) fn check(table: &[(&[&str], &[&str])]) {
        for (argv, expected) in table {
            assert_eq!(effects(argv), *expected, "{argv:?}");
        }
    }

    pub(crate) fn effects_with(argv: &[&str], stdin: Stream) -> Vec<String> {
        let world =
            Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
        let mut machine = Machine::new(&world, "");
        let argv: Vec<Field> =
            argv.iter().map(|word| Field::text(*word, Span::default())).collect();
        machine.execute(&argv, stdin);
        machine.finish().effects.iter().map(line).collect()
    }

    pub(crate) fn line(effect: &Effect) -> String {
        let mut line = format!(
            "{} {} {} {}",
            effect.kind.name(),
            effect.action,
            effect.target.shown(),
            effect.certainty.name()
        );
        if effect.recursive {
            line.push_str(" -r");
        }
        if effect.force {
            line.push_str(" -f");
        }
        if !effect.sources.is_empty() {
            line.push_str(" <");
            let sources = format!("{:?}", effect.sources.sources());
            line.push_str(&sources);
        }
        line
    }
}
