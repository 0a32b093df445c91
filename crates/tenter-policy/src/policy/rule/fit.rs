//! Matches the conditions of a rule against programs, effects and files.

use std::borrow::Cow;

use tenter_shell::{Certainty, Effect, Field, Kind, PathTarget, Ran, Target};

use super::event::globs;
use super::on::{FETCH, MCP, SHELL};
use super::sight::{Hit, Sight};
use super::{About, EffectName, MOST, Names, Narrow, When, args, paths, urls};
use crate::pattern;
use crate::scene::Moment;

impl Sight<'_> {
    /// Adds everything that matches the conditions.
    pub(crate) fn hits(&self, when: &When, mask: u16, hits: &mut Vec<Hit>) {
        let mut span = None;
        for broad in &when.event {
            if !self.holds(broad, true, &mut span) {
                return;
            }
        }
        // The rule is about the tool itself, or an event without tools.
        let whole = self.tools & mask != 0 || self.all & mask == 0;
        match when.about {
            About::Program => self.programs(&when.thing, mask, hits),
            About::Event if whole => {
                if self.stands(&when.thing, self.scene.cwd) {
                    hits.push(Hit { span, ..Hit::default() });
                }
            }
            About::Effect | About::Event => self.things(&when.thing, mask, hits),
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
                    // For a named program, arguments may be paths though its effects are unknown.
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

    /// Whether the program itself matches.
    fn runs(&self, conditions: &[Narrow], ran: &Ran) -> bool {
        conditions.iter().all(|condition| match condition {
            Narrow::Program(names) => self.named(names, &ran.program),
            Narrow::Args(words) => args::given(words, &ran.argv),
            Narrow::Via(names) => ran.via.iter().any(|via| self.named(names, &via.name)),
            Narrow::Certain => ran.certainty == Certainty::Certain,
            _ => true,
        })
    }

    /// The matching effect of a program, if any.
    fn does(&self, conditions: &[Narrow], mask: u16, command: usize) -> Option<Cow<'_, str>> {
        let effects = self.scene.effects().iter().zip(&self.effects);
        let own = effects.filter(|(effect, bits)| {
            *bits & mask != 0 && effect.command.is_some_and(|index| index as usize == command)
        });
        own.map(|(effect, _)| effect)
            .find(|effect| self.happens(conditions, effect))
            .map(|effect| effect.target.shown())
    }

    /// An argument that is the wanted path, where only a path is wanted.
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

    /// Matches things that are not effects: a fetched URL, a file touched by a finished call.
    fn beside_effects(&self, conditions: &[Narrow], mask: u16) -> Option<String> {
        let mut subject = None;
        for condition in conditions {
            match condition {
                Narrow::Url(patterns) => {
                    let fetched = self.scene.urls.iter().filter(|_| mask & FETCH != 0);
                    let fetched = fetched.map(AsRef::as_ref);
                    let server = self.scene.mcp.and_then(|mcp| mcp.url.as_deref());
                    let server = server.filter(|_| mask & MCP != 0);
                    let found = fetched.chain(server).find(|url| urls::fits(patterns, url));
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

    /// Whether an effect matches.
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

    /// Whether folder and checked-out branch match.
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

    /// Whether a folder is, or is inside, one of these.
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

    pub(super) fn named(&self, names: &Names, name: &str) -> bool {
        let fold = self.scene.world.case_insensitive;
        let plain = |wanted: &String| wanted == name || (fold && wanted.eq_ignore_ascii_case(name));
        names.plain.iter().any(plain)
            || names.patterns.iter().any(|wanted| pattern::matches(wanted, name))
    }
}

fn push(hits: &mut Vec<Hit>, hit: Hit) {
    // One more than shown, to know that there are more.
    if hits.len() > MOST {
        return;
    }
    let same = |known: &&mut Hit| known.span == hit.span && known.subject == hit.subject;
    match hits.iter_mut().find(same) {
        Some(known) => known.certainty = known.certainty.max(hit.certainty),
        None => hits.push(hit),
    }
}

pub(super) fn is_effect(name: &EffectName, effect: &Effect) -> bool {
    effect.kind as u8 == name.kind
        && name.action.is_none_or(|action| action == effect.action as u16)
}

/// Whether an effect on a folder reaches its content.
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

/// The part of an argument that may be a path.
fn path_of(field: &Field) -> Option<Field> {
    let prefix = field.prefix();
    if !prefix.starts_with('-') {
        return Some(field.clone());
    }
    prefix.find('=').and_then(|at| field.without_prefix(at + 1))
}
