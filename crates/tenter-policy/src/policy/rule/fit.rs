//! Whether an event fits the conditions of a rule, and what in it does.

use std::borrow::Cow;
use std::cell::OnceCell;

use tenter_model::{Action, Tool};
use tenter_shell::{Certainty, Effect, Field, Kind, PathTarget, Ran, Span, Target};

use super::on::{
    ANY, DELETE, EDIT, EventOn, FETCH, MCP, OTHER, OUTPUT, On, PROMPT, READ, SEARCH, SHELL, TASK,
    WRITE,
};
use super::{Broad, EffectName, Narrow, When, Word, args, paths, urls};
use crate::pattern;
use crate::scene::{Moment, PassageKind, Scene};

/// What fits a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) span: Option<Span>,
    pub(crate) subject: String,
    pub(crate) certainty: Certainty,
}

impl Default for Hit {
    fn default() -> Self {
        Self { span: None, subject: String::new(), certainty: Certainty::Certain }
    }
}

/// A scene, prepared for many rules.
#[derive(Debug)]
pub(crate) struct Sight<'s> {
    pub(super) scene: &'s Scene<'s>,
    /// What the tools of the event do, as bits of [`On`].
    tools: u16,
    /// The same with what the effects of a command do.
    all: u16,
    /// The bits of each effect.
    effects: Vec<u16>,
    /// The bits of each program.
    commands: Vec<u16>,
    mcp: OnceCell<String>,
    /// The texts in small letters, in the order of the passages.
    lower: OnceCell<Vec<String>>,
    /// Files that a finished call has touched.
    touched: OnceCell<Vec<PathTarget>>,
}

impl<'s> Sight<'s> {
    pub(crate) fn new(scene: &'s Scene<'s>) -> Self {
        let tools = tools(scene);
        let effects: Vec<u16> = scene.effects().iter().map(effect_bits).collect();
        let mut commands = vec![SHELL; scene.analysis.commands.len()];
        for (effect, bits) in scene.effects().iter().zip(&effects) {
            let command = effect.command.and_then(|index| commands.get_mut(index as usize));
            if let Some(command) = command {
                *command |= bits;
            }
        }
        let all = effects.iter().fold(tools, |all, bits| all | bits);
        Self {
            scene,
            tools,
            all,
            effects,
            commands,
            mcp: OnceCell::new(),
            lower: OnceCell::new(),
            touched: OnceCell::new(),
        }
    }

    /// The actions that a rule looks at here; none if it is about something else.
    pub(crate) fn concerns(&self, on: &On) -> Option<u16> {
        if on.actions & self.all != 0 {
            return Some(on.actions);
        }
        let event = self.scene.event.kind() as u8;
        let fits = |on: &EventOn| {
            on.event == event
                && (on.tool.is_empty() || self.tool_is(std::slice::from_ref(&on.tool)))
        };
        on.events.iter().any(fits).then_some(ANY)
    }

    /// Adds everything that fits the conditions.
    pub(crate) fn hits(&self, when: &When, mask: u16, hits: &mut Vec<Hit>) {
        let mut span = None;
        for broad in &when.event {
            if !self.holds(broad, true, &mut span) {
                return;
            }
        }
        let has = |wanted: fn(&Narrow) -> bool| when.thing.iter().any(wanted);
        let about_program =
            has(|it| matches!(it, Narrow::Program(_) | Narrow::Args(_) | Narrow::Via(_)));
        let about_effect = has(|it| {
            matches!(it, Narrow::Effect(_) | Narrow::Path(_) | Narrow::Url(_) | Narrow::Certain)
        });
        if about_program {
            self.programs(&when.thing, mask, hits);
        } else if about_effect {
            self.things(&when.thing, mask, hits);
        } else if self.tools & mask != 0 || self.all & mask == 0 {
            if self.stands(&when.thing, self.scene.cwd) {
                hits.push(Hit { span, ..Hit::default() });
            }
        } else {
            self.things(&when.thing, mask, hits);
        }
    }

    fn programs(&self, conditions: &[Narrow], mask: u16, hits: &mut Vec<Hit>) {
        for (index, ran) in self.scene.analysis.commands.iter().enumerate() {
            let bits = self.commands.get(index).copied().unwrap_or_default();
            if bits & mask == 0 || !self.runs(conditions, ran) {
                continue;
            }
            let cwd = ran.cwd.as_deref().or(self.scene.cwd);
            let inner = conditions
                .iter()
                .any(|it| matches!(it, Narrow::Effect(_) | Narrow::Path(_) | Narrow::Url(_)));
            let mut subject = None;
            if inner || bits & mask & SHELL == 0 {
                subject = self.does(conditions, mask, index).or_else(|| {
                    // The program is named: its arguments may be paths though nothing is known of it.
                    if mask & SHELL == 0 { None } else { self.names(conditions, ran, cwd) }
                });
                if subject.is_none() {
                    continue;
                }
            }
            if self.stands(conditions, cwd) {
                let span = Some(ran.span).filter(|span| !span.is_empty());
                let subject = subject.unwrap_or_default().into_owned();
                push(hits, Hit { span, subject, certainty: ran.certainty });
            }
        }
    }

    /// Whether the program itself fits.
    fn runs(&self, conditions: &[Narrow], ran: &Ran) -> bool {
        conditions.iter().all(|condition| match condition {
            Narrow::Program(names) => self.named(names, &ran.program),
            Narrow::Args(words) => args::given(words, &ran.argv),
            Narrow::Via(names) => ran.via.iter().any(|via| self.named(names, &via.name)),
            Narrow::Certain => ran.certainty == Certainty::Certain,
            _ => true,
        })
    }

    /// What a program does that fits, if it does.
    fn does(&self, conditions: &[Narrow], mask: u16, command: usize) -> Option<Cow<'_, str>> {
        let effects = self.scene.effects().iter().zip(&self.effects);
        let own = effects.filter(|(effect, bits)| {
            *bits & mask != 0 && effect.command.is_some_and(|index| index as usize == command)
        });
        own.map(|(effect, _)| effect)
            .find(|effect| self.happens(conditions, effect))
            .map(|effect| effect.target.shown())
    }

    /// An argument that is the path wanted, where nothing but a path is wanted.
    fn names(&self, conditions: &[Narrow], ran: &Ran, cwd: Option<&str>) -> Option<Cow<'_, str>> {
        let mut patterns = None;
        for condition in conditions {
            match condition {
                Narrow::Path(wanted) => patterns = Some(wanted),
                Narrow::Effect(_) | Narrow::Url(_) => return None,
                _ => {}
            }
        }
        let patterns = patterns?;
        let fields = ran.argv.get(1..).unwrap_or_default().iter().filter_map(path_of);
        fields
            .map(|field| PathTarget::resolve(&field, cwd))
            .find(|path| paths::may(patterns, path, false, &self.scene.places))
            .map(|path| Cow::Owned(path.shown().into_owned()))
    }

    fn things(&self, conditions: &[Narrow], mask: u16, hits: &mut Vec<Hit>) {
        for (effect, bits) in self.scene.effects().iter().zip(&self.effects) {
            if bits & mask == 0 || !self.happens(conditions, effect) {
                continue;
            }
            if self.stands(conditions, self.cwd_of(effect)) {
                let span = Some(effect.span).filter(|span| !span.is_empty());
                let subject = effect.target.shown().into_owned();
                push(hits, Hit { span, subject, certainty: effect.certainty });
            }
        }
        if let Some(subject) = self.beside_effects(conditions, mask)
            && self.stands(conditions, self.scene.cwd)
        {
            push(hits, Hit { subject, ..Hit::default() });
        }
    }

    /// What is no effect: a URL that a tool fetches, a file that a finished call has touched.
    fn beside_effects(&self, conditions: &[Narrow], mask: u16) -> Option<String> {
        let mut subject = None;
        for condition in conditions {
            match condition {
                Narrow::Url(patterns) => {
                    let fetched = self.scene.url.as_deref().filter(|_| mask & FETCH != 0);
                    let server = self.scene.mcp.and_then(|mcp| mcp.url.as_deref());
                    let server = server.filter(|_| mask & MCP != 0);
                    let found = [fetched, server]
                        .into_iter()
                        .flatten()
                        .find(|url| urls::fits(patterns, url));
                    subject = Some(found?.to_owned());
                }
                Narrow::Path(patterns) => {
                    let touched = self.touched().iter();
                    let found = touched
                        .filter(|_| self.scene.moment == Moment::After)
                        .find(|path| paths::may(patterns, path, false, &self.scene.places));
                    subject = Some(found?.shown().into_owned());
                }
                Narrow::Effect(_) => return None,
                _ => {}
            }
        }
        subject
    }

    pub(super) fn touched(&self) -> &[PathTarget] {
        self.touched.get_or_init(|| {
            let call = self.scene.event.tool_call();
            let files = call.into_iter().flat_map(|call| call.files());
            let names = files.flat_map(|file| [Some(file.path), file.moved_to]).flatten();
            names
                .map(|path| {
                    PathTarget::resolve(&Field::text(path, Span::default()), self.scene.cwd)
                })
                .collect()
        })
    }

    /// Whether an effect fits.
    fn happens(&self, conditions: &[Narrow], effect: &Effect) -> bool {
        conditions.iter().all(|condition| match condition {
            Narrow::Effect(names) => names.iter().any(|name| is_effect(name, effect)),
            Narrow::Path(patterns) => effect.target.path().is_some_and(|path| {
                paths::may(patterns, path, is_deep(effect), &self.scene.places)
            }),
            Narrow::Url(patterns) => is_at(patterns, effect),
            Narrow::Certain => effect.certainty == Certainty::Certain,
            _ => true,
        })
    }

    /// Whether the place fits: the folder and the branch that is checked out there.
    pub(super) fn stands(&self, conditions: &[Narrow], cwd: Option<&str>) -> bool {
        conditions.iter().all(|condition| match condition {
            Narrow::Cwd(patterns) => cwd.is_some_and(|cwd| self.is_in(patterns, cwd)),
            Narrow::Branch(patterns) => {
                let branch = cwd.and_then(|cwd| self.scene.world.facts.branch(cwd));
                branch.is_some_and(|branch| patterns.iter().any(|it| is_branch(it, &branch)))
            }
            _ => true,
        })
    }

    /// Whether a folder is one of these or lies in one.
    fn is_in(&self, patterns: &[String], cwd: &str) -> bool {
        let mut folder = cwd;
        loop {
            if patterns.iter().any(|it| paths::is(it, folder, false, &self.scene.places)) {
                return true;
            }
            match folder.rsplit_once('/') {
                Some((above, _)) if !above.is_empty() => folder = above,
                _ => return false,
            }
        }
    }

    fn cwd_of(&self, effect: &Effect) -> Option<&str> {
        let ran = self.scene.program(effect);
        ran.and_then(|ran| ran.cwd.as_deref()).or(self.scene.cwd)
    }

    pub(super) fn named(&self, names: &[String], name: &str) -> bool {
        let fold = self.scene.world.case_insensitive;
        names.iter().any(|wanted| {
            wanted == name || (fold && wanted.eq_ignore_ascii_case(name)) || globs(wanted, name)
        })
    }

    /// Whether a condition on the event holds. `open` gives the benefit of the doubt.
    pub(super) fn holds(&self, broad: &Broad, open: bool, span: &mut Option<Span>) -> bool {
        let event = self.scene.event;
        let among = |patterns: &[String], text: Option<&str>| {
            text.is_some_and(|text| {
                patterns.iter().any(|it| it.eq_ignore_ascii_case(text) || globs(it, text))
            })
        };
        match broad {
            Broad::Tool(names) => self.tool_is(names),
            Broad::Host(names) => names.iter().any(|name| name == event.host.as_str()),
            Broad::AgentType(names) => among(names, event.agent.kind.as_deref()),
            Broad::PermissionMode(names) => among(names, event.permission_mode.as_deref()),
            Broad::Mcp(patterns) => self.mcp_is(patterns, open),
            Broad::Prompt(words) => self
                .says(words, span, |kind| matches!(kind, PassageKind::Prompt | PassageKind::Task)),
            Broad::Content(words) => self.says(words, span, |kind| {
                use PassageKind::{Input, Output, Read, Written};
                matches!(kind, Written | Read | Output | Input)
            }),
            Broad::Command(words) => {
                if self.scene.command.is_some() {
                    return self.says(words, span, |kind| kind == PassageKind::Command);
                }
                let command = event.tool_call().and_then(|call| call.command());
                command.is_some_and(|text| {
                    let lower = text.to_ascii_lowercase();
                    words.iter().any(|word| word.find(&text, &lower).is_some())
                })
            }
        }
    }

    fn says(
        &self,
        words: &[Word],
        span: &mut Option<Span>,
        wanted: fn(PassageKind) -> bool,
    ) -> bool {
        let passages = &self.scene.passages;
        if !passages.iter().any(|passage| wanted(passage.kind)) {
            return false;
        }
        let lower = self.lower.get_or_init(|| {
            passages.iter().map(|passage| passage.text.to_ascii_lowercase()).collect()
        });
        for (passage, lower) in passages.iter().zip(lower) {
            if !wanted(passage.kind) {
                continue;
            }
            let found = words.iter().find_map(|word| word.find(&passage.text, lower));
            if let Some(found) = found {
                if passage.kind == PassageKind::Command {
                    *span = Some(Span::new(found.start, found.end));
                }
                return true;
            }
        }
        false
    }

    fn tool_is(&self, names: &[String]) -> bool {
        let Some(call) = self.scene.event.tool_call() else {
            return false;
        };
        let is = |tool: &str| {
            names.iter().any(|name| name.eq_ignore_ascii_case(tool) || globs(name, tool))
        };
        is(call.tool.as_str()) || call.native_tool.as_deref().is_some_and(is)
    }

    fn mcp_is(&self, patterns: &[String], open: bool) -> bool {
        let Some(identity) = self.scene.mcp else {
            return false;
        };
        let canonical = self.mcp.get_or_init(|| identity.canonical());
        patterns.iter().any(|wanted| {
            // Where the host does not say which server it is, it may be the one meant.
            if identity.server.is_none()
                && let Some((_, tool)) = wanted.split_once('/')
            {
                return open && pattern::matches(tool, &identity.tool);
            }
            pattern::matches(wanted, canonical)
        })
    }
}

fn push(hits: &mut Vec<Hit>, hit: Hit) {
    let same = |known: &&mut Hit| known.span == hit.span && known.subject == hit.subject;
    match hits.iter_mut().find(same) {
        Some(known) => known.certainty = known.certainty.max(hit.certainty),
        None => hits.push(hit),
    }
}

/// What the tools of this event do.
fn tools(scene: &Scene<'_>) -> u16 {
    match scene.moment {
        Moment::Prompt => return PROMPT,
        Moment::After => return OUTPUT,
        Moment::Other => return 0,
        Moment::Before => {}
    }
    let Some(call) = scene.event.tool_call() else {
        return 0;
    };
    let bits = call.actions.iter().fold(0, |bits, action| {
        bits | match action {
            Action::Shell { .. } => SHELL,
            Action::Read { .. } => READ,
            Action::Write { .. } => WRITE,
            Action::Edit { .. } => EDIT,
            Action::Delete { .. } => DELETE,
            Action::Search { .. } => SEARCH,
            Action::Fetch { .. } => FETCH,
            Action::Mcp(_) => MCP,
            Action::Task { .. } => TASK,
            Action::Other { .. } => OTHER,
        }
    });
    match (bits, &call.tool) {
        (0, Tool::Bash) => SHELL,
        (0, _) => OTHER,
        (bits, _) => bits,
    }
}

/// What an effect is, as an action: a file that a command reads is read.
fn effect_bits(effect: &Effect) -> u16 {
    if effect.command.is_none() && effect.span.is_empty() {
        return match effect.action {
            "read-tool" => READ,
            "search-tool" => SEARCH,
            "write-tool" => WRITE,
            "edit-tool" => EDIT,
            "delete-tool" => DELETE,
            _ => OTHER,
        };
    }
    SHELL
        | match effect.kind {
            Kind::Read => READ,
            Kind::Write | Kind::Overwrite | Kind::Append => WRITE | EDIT,
            Kind::Delete | Kind::Move => DELETE,
            Kind::Receive | Kind::Send => FETCH,
            _ => 0,
        }
}

pub(super) fn is_effect(name: &EffectName, effect: &Effect) -> bool {
    effect.kind as u8 == name.kind && (name.action.is_empty() || name.action == effect.action)
}

/// Whether what is done to a folder is done to all that is in it.
fn is_deep(effect: &Effect) -> bool {
    match effect.kind {
        Kind::Move => true,
        Kind::Delete | Kind::Overwrite | Kind::Permission | Kind::Owner => effect.recursive,
        _ => false,
    }
}

pub(super) fn is_at(patterns: &[String], effect: &Effect) -> bool {
    match &effect.target {
        Target::Host(text) => urls::fits(patterns, text),
        _ => effect.sources.from_network().is_some_and(|host| urls::fits(patterns, host)),
    }
}

/// `main` is not the end of `feature/main`.
fn is_branch(wanted: &str, branch: &str) -> bool {
    wanted == branch
        || (globs(wanted, branch)
            && (wanted.contains('/') || wanted.contains("**") || !branch.contains('/')))
}

fn globs(wanted: &str, text: &str) -> bool {
    wanted.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{'))
        && pattern::matches(wanted, text)
}

/// The part of an argument that may be a path.
fn path_of(field: &Field) -> Option<Field> {
    let prefix = field.prefix();
    if !prefix.starts_with('-') {
        return Some(field.clone());
    }
    prefix.find('=').and_then(|at| field.without_prefix(at + 1))
}
