//! The `Guard` and `Check` types: a guard is one file that detects one kind of danger.

use crate::finding::Found;
use crate::level::Weight;
use crate::sample::Sample;
use crate::scene::Scene;

/// A guard: data, and the function `look`.
#[derive(Debug)]
pub struct Guard {
    /// Name in policies and answers: `destructive-git`.
    pub id: &'static str,
    /// One-line description.
    pub title: &'static str,
    /// Its page in the documentation, in Markdown.
    pub page: &'static str,
    pub checks: &'static [Check],
    pub options: &'static [OptionSpec],
    /// Off in every preset until a policy switches it on.
    pub optional: bool,
    /// Examples it must find, with the check.
    pub blocks: &'static [(Sample<'static>, &'static str)],
    /// Examples it must not find.
    pub passes: &'static [Sample<'static>],
    pub look: fn(&Scene<'_>, &mut Found<'_>),
}

impl Guard {
    pub fn check(&self, id: &str) -> Option<&'static Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}

/// One check of a guard.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Name inside the guard: `reset-hard`.
    pub id: &'static str,
    pub weight: Weight,
    /// Description for tables: `uncommitted changes are thrown away`.
    pub title: &'static str,
    /// Alternative, for the model. Empty if the only way is to ask the user.
    pub instead: &'static str,
    /// Commands named in `instead`, ready to run in an example project: each must pass.
    pub safe: &'static [&'static str],
}

/// One option of a guard in a policy file.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    pub name: &'static str,
    pub kind: OptionKind,
    pub title: &'static str,
    /// Whether setting it can allow more; a project may then not set it.
    pub loosens: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A list of glob patterns: `*` matches anything but a slash, `**` anything.
    Patterns,
    /// One of off, log, ask, deny.
    Level,
    Number,
    Switch,
}
