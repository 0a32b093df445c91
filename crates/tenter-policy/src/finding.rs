//! What a guard found, and the collection it is put into.

use std::borrow::Cow;

use tenter_shell::{Certainty, Span};

use crate::guard::{Check, Guard};
use crate::level::{Level, Weight};
use crate::policy::{Origin, Setting};

/// Something that was found, with the answer the policy gives to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Guard and check, or the id of a rule: `destructive-git/discard-changes`.
    pub rule: Cow<'static, str>,
    pub weight: Weight,
    pub level: Level,
    /// Which layer or preset chose the level.
    pub origin: Origin,
    /// Where in the command it stands; none if it is not about a command.
    pub span: Option<Span>,
    /// The path, host, branch, package or tool it is about; empty if there is none.
    pub subject: String,
    /// What would happen, as the end of a sentence: `deletes everything below /home/me`.
    pub what: String,
    pub instead: Cow<'static, str>,
    pub certainty: Certainty,
    /// A rule that somebody wrote, not a guard of ours.
    pub by_rule: bool,
    /// Why a policy lets it pass all the same.
    pub excepted: Option<String>,
    /// The script on disk that does it, in [`tenter_shell::Analysis::scripts`].
    pub script: Option<u16>,
}

impl Finding {
    /// The level after exceptions.
    pub fn effective(&self) -> Level {
        if self.excepted.is_some() { self.level.min(Level::Log) } else { self.level }
    }
}

/// Takes what a guard finds; drops what the policy has switched off or allowed.
#[derive(Debug)]
pub struct Found<'f> {
    guard: &'static Guard,
    setting: &'f Setting,
    findings: &'f mut Vec<Finding>,
}

/// Further findings that stop nothing say nothing new.
const MOST_LOGGED: usize = 64;
/// Further findings that stop the call change nothing about that.
const MOST_STOPPING: usize = 1024;

impl<'f> Found<'f> {
    pub fn new(
        guard: &'static Guard,
        setting: &'f Setting,
        findings: &'f mut Vec<Finding>,
    ) -> Self {
        Self { guard, setting, findings }
    }

    /// Whether this check is looked for at all, to save work that only it needs.
    pub fn wants(&self, check: &Check) -> bool {
        self.level(check).0 != Level::Off
    }

    fn level(&self, check: &Check) -> (Level, Origin) {
        let index = self.guard.checks.iter().position(|it| it.id == check.id);
        let found = index.and_then(|index| self.setting.levels.get(index));
        // A check the policy does not know is a mistake of ours: ask.
        found.copied().unwrap_or((Level::Ask, Origin::BuiltIn))
    }

    /// Adds a finding at the level of its check.
    pub fn add(&mut self, check: &Check, at: At<'_>, what: impl Into<String>) {
        let (level, origin) = self.level(check);
        self.add_at(check, level, origin, at, what.into());
    }

    /// Adds a finding at a level of its own, as the `mcp` guard's lists give it.
    pub fn add_at(
        &mut self,
        check: &Check,
        level: Level,
        origin: Origin,
        at: At<'_>,
        what: String,
    ) {
        if level == Level::Off {
            return;
        }
        // Harmless ones must not crowd out a grave one: `rm -rf {1..100} ~`.
        let stops = level > Level::Log;
        let alike = self.findings.iter().filter(|other| (other.level > Level::Log) == stops);
        if alike.count() >= if stops { MOST_STOPPING } else { MOST_LOGGED } {
            return;
        }
        if self.setting.allows(at.subject) {
            return;
        }
        let rule = format!("{}/{}", self.guard.id, check.id);
        let same = |other: &&mut Finding| {
            other.rule == rule
                && other.subject == at.subject
                && other.span == at.span
                && other.script == at.script
        };
        if let Some(known) = self.findings.iter_mut().find(same) {
            known.certainty = known.certainty.max(at.certainty);
            return;
        }
        self.findings.push(Finding {
            rule: rule.into(),
            weight: check.weight,
            level,
            origin,
            span: at.span,
            subject: at.subject.to_owned(),
            what,
            instead: check.instead.into(),
            certainty: at.certainty,
            by_rule: false,
            excepted: None,
            script: at.script,
        });
    }

    /// The options the policy gives this guard.
    pub fn setting(&self) -> &'f Setting {
        self.setting
    }
}

/// Where a finding stands and what it is about.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub span: Option<Span>,
    pub subject: &'a str,
    pub certainty: Certainty,
    pub script: Option<u16>,
}

impl<'a> At<'a> {
    /// Something that stands in no command.
    pub fn subject(subject: &'a str) -> Self {
        Self { span: None, subject, certainty: Certainty::Certain, script: None }
    }

    /// What an effect says.
    pub fn effect(effect: &tenter_shell::Effect, subject: &'a str) -> Self {
        // Effects made from file tools have no words that say them.
        let span = Some(effect.span).filter(|span| !span.is_empty());
        Self { span, subject, certainty: effect.certainty, script: effect.script }
    }

    pub fn span(span: Span, subject: &'a str) -> Self {
        Self { span: Some(span), subject, certainty: Certainty::Certain, script: None }
    }
}
