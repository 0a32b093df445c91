//! Findings of guards and rules, and their collector.

use std::borrow::Cow;

use tenter_shell::{Certainty, Span};

use crate::guard::{Check, Guard};
use crate::level::{Level, Weight};
use crate::policy::{Origin, Setting};

/// A finding, with the level that the policy gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Guard and check, or the id of a rule: `destructive-git/discard-changes`.
    pub rule: Cow<'static, str>,
    pub weight: Weight,
    pub level: Level,
    /// Layer or preset that set the level.
    pub origin: Origin,
    /// Byte range in the command; `None` if it is not about a command.
    pub span: Option<Span>,
    /// Path, host, branch, package or tool concerned; empty if there is none.
    pub subject: String,
    /// Effect as a clause: `deletes everything below /home/me`.
    pub what: String,
    pub instead: Cow<'static, str>,
    pub certainty: Certainty,
    /// From a user's rule, not from a guard.
    pub by_rule: bool,
    /// Reason of the exception that allows it.
    pub excepted: Option<String>,
    /// The script on disk that has this effect, in [`tenter_shell::Analysis::scripts`].
    pub script: Option<u16>,
}

impl Finding {
    /// The level after exceptions.
    pub fn effective(&self) -> Level {
        if self.excepted.is_some() { self.level.min(Level::Log) } else { self.level }
    }
}

/// Collects findings; drops those that the policy switches off or allows.
#[derive(Debug)]
pub struct Found<'f> {
    guard: &'static Guard,
    setting: &'f Setting,
    findings: &'f mut Vec<Finding>,
}

/// Limit for findings that only log; further ones are dropped.
const MOST_LOGGED: usize = 64;
/// Limit for findings that stop the call; further ones do not change the verdict.
const MOST_STOPPING: usize = 1024;

impl<'f> Found<'f> {
    pub fn new(
        guard: &'static Guard,
        setting: &'f Setting,
        findings: &'f mut Vec<Finding>,
    ) -> Self {
        Self { guard, setting, findings }
    }

    /// Whether this check is on, so that guards can skip work.
    pub fn wants(&self, check: &Check) -> bool {
        self.level(check).0 != Level::Off
    }

    fn level(&self, check: &Check) -> (Level, Origin) {
        let index = self.guard.checks.iter().position(|it| it.id == check.id);
        let found = index.and_then(|index| self.setting.levels.get(index));
        // A check missing in the policy is a bug of ours: ask.
        found.copied().unwrap_or((Level::Ask, Origin::BuiltIn))
    }

    /// Adds a finding at the level of its check.
    pub fn add(&mut self, check: &Check, at: At<'_>, what: impl Into<String>) {
        let (level, origin) = self.level(check);
        self.add_at(check, level, origin, at, what.into());
    }

    /// Adds a finding at an explicit level, as the `mcp` guard's lists give.
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
        // Minor findings must not crowd out a grave one: `rm -rf {1..100} ~`.
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

    /// The policy's settings for this guard.
    pub fn setting(&self) -> &'f Setting {
        self.setting
    }
}

/// Position and subject of a finding.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub span: Option<Span>,
    pub subject: &'a str,
    pub certainty: Certainty,
    pub script: Option<u16>,
}

impl<'a> At<'a> {
    /// A subject without position.
    pub fn subject(subject: &'a str) -> Self {
        Self { span: None, subject, certainty: Certainty::Certain, script: None }
    }

    /// The position of an effect.
    pub fn effect(effect: &tenter_shell::Effect, subject: &'a str) -> Self {
        // Effects made from file tools have no words in a command.
        let span = Some(effect.span).filter(|span| !span.is_empty());
        Self { span, subject, certainty: effect.certainty, script: effect.script }
    }

    /// All of a program's words.
    pub fn program(ran: &'a tenter_shell::Ran) -> Self {
        Self::span(ran.span, &ran.program)
    }

    pub fn span(span: Span, subject: &'a str) -> Self {
        Self { span: Some(span), subject, certainty: Certainty::Certain, script: None }
    }
}
