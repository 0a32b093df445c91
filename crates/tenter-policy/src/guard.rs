//! What a guard is: one file that knows one kind of danger.

use crate::finding::Found;
use crate::level::Weight;
use crate::sample::Sample;
use crate::scene::Scene;

/// One kind of danger. All of it is data but `look`.
#[derive(Debug)]
pub struct Guard {
    /// The name in policies and answers: `destructive-git`.
    pub id: &'static str,
    /// One line: what it stops.
    pub title: &'static str,
    /// The page in the documentation, in Markdown.
    pub page: &'static str,
    pub checks: &'static [Check],
    pub options: &'static [OptionSpec],
    /// Off in every preset until a policy switches it on.
    pub optional: bool,
    /// What it must find, and by which check.
    pub blocks: &'static [(Sample<'static>, &'static str)],
    /// What it must leave alone.
    pub passes: &'static [Sample<'static>],
    pub look: fn(&Scene<'_>, &mut Found<'_>),
}

impl Guard {
    pub fn check(&self, id: &str) -> Option<&'static Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}

/// One thing a guard looks for.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The name inside the guard: `reset-hard`.
    pub id: &'static str,
    pub weight: Weight,
    /// What it means, for tables: `uncommitted changes are thrown away`.
    pub title: &'static str,
    /// What to do instead, said to the model. Empty if there is nothing but to ask the human.
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
    /// Whether giving it can let something through: a project may then not give it.
    pub loosens: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A list of patterns in which `*` stands for anything but a slash, `**` for anything.
    Patterns,
    /// One of off, log, ask, deny.
    Level,
    Number,
    Switch,
}
