//! Settings of one guard.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{FailMode, Origin, Policy};
use crate::guard::{Check, Guard};
use crate::level::{Level, Preset};
use crate::pattern;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// One per check, in the guard's order.
    pub levels: Vec<(Level, Origin)>,
    /// Allowed subjects: paths, hosts, packages, tools.
    pub allow: Vec<String>,
    /// The guard's options, by name.
    pub options: Vec<(String, Value)>,
    /// Origins of the options, in the same order.
    pub origins: Vec<Origin>,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    Patterns(Vec<String>),
    Level(Level),
    Number(u64),
    Switch(bool),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Patterns(patterns) => f.write_str(&patterns.join(", ")),
            Value::Level(level) => level.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Switch(on) => on.fmt(f),
        }
    }
}

/// Origin of a value other than a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// `guards.secrets.allow`, `fail.guard`.
    pub key: String,
    pub value: String,
    pub origin: Origin,
}

impl Setting {
    /// The settings of a guard in a preset.
    pub(super) fn preset(guard: &Guard, preset: Preset) -> Self {
        let level = |check: &Check| (preset_level(guard, check, preset), Origin::BuiltIn);
        Self { levels: guard.checks.iter().map(level).collect(), ..Self::default() }
    }

    /// A list option; empty if not set.
    pub fn patterns(&self, name: &str) -> &[String] {
        match self.option(name) {
            Some(Value::Patterns(patterns)) => patterns,
            _ => &[],
        }
    }

    pub fn level(&self, name: &str) -> Option<Level> {
        match self.option(name) {
            Some(Value::Level(level)) => Some(*level),
            _ => None,
        }
    }

    pub fn switch(&self, name: &str) -> bool {
        matches!(self.option(name), Some(Value::Switch(true)))
    }

    /// The origin of an option.
    pub fn origin(&self, name: &str) -> Origin {
        let at = self.options.iter().position(|(known, _)| known == name);
        at.and_then(|at| self.origins.get(at)).copied().unwrap_or(Origin::BuiltIn)
    }

    fn option(&self, name: &str) -> Option<&Value> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Whether the policy allows this subject.
    pub fn allows(&self, subject: &str) -> bool {
        !self.allow.is_empty()
            && is_known(subject)
            && self.allow.iter().any(|wanted| pattern::matches(wanted, subject))
    }
}

/// Whether a subject is literal: a variable or a command in it could be anything, and a star after a dot
/// could match the parent folder.
fn is_known(subject: &str) -> bool {
    !subject.is_empty()
        && !subject.contains(['$', '`'])
        && !["{}", "/.*", "/.?", "/.["].iter().any(|unknown| subject.contains(unknown))
}

pub(super) fn preset_level(guard: &Guard, check: &Check, preset: Preset) -> Level {
    if guard.optional { Level::Off } else { preset.level(check.weight) }
}

impl Policy {
    /// Turns ask into deny for an unattended policy.
    pub(super) fn leave_unattended(&mut self) {
        let tight = |level: &mut Level| {
            if *level == Level::Ask {
                *level = Level::Deny;
            }
        };
        self.unattended = true;
        for setting in &mut self.settings {
            setting.levels.iter_mut().for_each(|(level, _)| tight(level));
            for (_, value) in &mut setting.options {
                if let Value::Level(level) = value {
                    tight(level);
                }
            }
        }
        self.rules.iter_mut().for_each(|rule| tight(&mut rule.level));
        for mode in [&mut self.fail.guard, &mut self.fail.handler, &mut self.fail.policy] {
            if *mode == FailMode::Ask {
                *mode = FailMode::Closed;
            }
        }
    }
}
