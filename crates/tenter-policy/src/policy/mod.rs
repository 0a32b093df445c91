//! A policy, ready to judge by: what all layers together say.

pub mod case;
mod exception;
mod handler;
pub mod image;
mod merge;
mod problem;
mod record;
pub mod rule;
pub mod schema;
mod setting;
pub mod show;
pub mod source;
mod unseen;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::guards::GUARDS;
use crate::level::Preset;
use crate::memory::Memo;
use crate::scene::Scene;

pub use case::{Case, Expect};
pub use exception::Exception;
pub use handler::{Foreign, Handler, Speaks};
pub use problem::{Place, Problem, Severity, nearest};
pub use record::{REDACTED, RecordPolicy, Redaction, SyncMode};
pub use rule::{Packed, Rule};
pub use setting::{Given, Setting, Value};
pub use tenter_model::{EmailMode, FailMode, RecordLevel};
pub use unseen::Unseen;

/// Who wrote a policy file. Ordered: an earlier one is above a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Layer {
    /// The administrator of the machine.
    Managed,
    Team,
    User,
    Project,
}

impl Layer {
    pub const ALL: [Layer; 4] = [Layer::Managed, Layer::Team, Layer::User, Layer::Project];

    pub const fn as_str(self) -> &'static str {
        match self {
            Layer::Managed => "managed",
            Layer::Team => "team",
            Layer::User => "user",
            Layer::Project => "project",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The program itself, when no file says anything.
    BuiltIn,
    /// A preset that a layer extends.
    Preset(Preset, Layer),
    /// A line of this layer's file.
    File(Layer, Spot),
}

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spot {
    /// Its place in [`Policy::files`].
    pub file: u16,
    pub line: u32,
}

impl Origin {
    /// The layer that chose the value; none for what comes with the program.
    pub const fn layer(self) -> Option<Layer> {
        match self {
            Origin::BuiltIn => None,
            Origin::Preset(_, layer) | Origin::File(layer, _) => Some(layer),
        }
    }
}

/// The fail mode for each thing that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fail {
    /// A guard breaks, or input cannot be read.
    pub guard: FailMode,
    /// A handler breaks, hangs or answers nonsense.
    pub handler: FailMode,
    /// A policy file cannot be read.
    pub policy: FailMode,
    /// The record of a call cannot be written. Never `ask`.
    pub record: FailMode,
}

impl Fail {
    /// In the order in which files are read: guard, handler, policy, record.
    pub const fn modes(self) -> [FailMode; 4] {
        [self.guard, self.handler, self.policy, self.record]
    }
}

impl Default for Fail {
    fn default() -> Self {
        Self {
            guard: FailMode::Ask,
            handler: FailMode::Open,
            policy: FailMode::Ask,
            record: FailMode::Open,
        }
    }
}

/// One policy file as the caller found it.
#[derive(Clone, Debug)]
pub struct LayerText<'t> {
    pub layer: Layer,
    pub path: &'t str,
    /// What it holds, or why it cannot be read.
    pub text: Result<&'t str, String>,
}

/// What all layers together say.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// One per guard, in the order of [`GUARDS`].
    pub settings: Vec<Setting>,
    pub rules: Vec<Rule>,
    /// The rules of a policy that comes from an image.
    pub packed: Packed,
    pub exceptions: Vec<Exception>,
    pub handlers: Vec<Handler>,
    pub fail: Fail,
    /// Which layer chose what a broken file means.
    pub fail_origin: Origin,
    /// How calls are recorded.
    pub record: RecordPolicy,
    /// There is nobody to ask: every ask is a deny, also one that a guard says by itself.
    pub unattended: bool,
    /// The files, as [`Spot`] counts them.
    pub files: Vec<(Layer, String)>,
    /// Files that could not be used, each with all that is wrong with it.
    pub broken: Vec<Problem>,
    /// What is wrong with the files, errors and warnings. Not in an image.
    pub problems: Vec<Problem>,
    /// The tests of all files. Not in an image.
    pub tests: Vec<Case>,
    /// Where options, lists, fail modes and what is recorded come from. Not in an image.
    pub given: Vec<Given>,
}

impl Policy {
    /// A preset with nothing added; what holds when there is no file.
    pub fn preset(preset: Preset) -> Self {
        let mut policy = Self {
            settings: GUARDS.iter().map(|guard| Setting::preset(guard, preset)).collect(),
            rules: Vec::new(),
            packed: Packed::default(),
            exceptions: Vec::new(),
            handlers: Vec::new(),
            fail: Fail::default(),
            fail_origin: Origin::BuiltIn,
            record: RecordPolicy::default(),
            unattended: false,
            files: Vec::new(),
            broken: Vec::new(),
            problems: Vec::new(),
            tests: Vec::new(),
            given: Vec::new(),
        };
        if preset == Preset::Ci {
            policy.leave_unattended();
        }
        policy
    }

    /// Reads, checks and merges all layers. A file that is wrong is left out as a whole and said in
    /// `broken`; the others stay in force.
    pub fn load(layers: &[LayerText<'_>]) -> Self {
        merge::load(layers, true)
    }

    /// The same without the tests in the files, to judge calls by: a mistake in a test changes no verdict.
    pub fn without_tests(layers: &[LayerText<'_>]) -> Self {
        merge::load(layers, false)
    }

    /// Adds what the rules find.
    pub fn look(&self, scene: &Scene<'_>, findings: &mut Vec<Finding>, memos: &mut Vec<Memo>) {
        rule::look(&self.rules, &self.packed, scene, findings, memos);
    }

    /// The exception that lets a finding pass, if there is one.
    pub fn excepted(&self, finding: &Finding, scene: &Scene<'_>) -> Option<&Exception> {
        exception::find(&self.exceptions, finding, scene)
    }

    /// The rule that a finding came from, by its id and origin.
    pub fn rule(&self, id: &str, origin: Origin) -> Option<Cow<'_, Rule>> {
        let same = |rule: &Rule| rule.id == id && rule.origin == origin;
        let unpacked = self.rules.iter().find(|rule| same(rule)).map(Cow::Borrowed);
        unpacked.or_else(|| self.packed.all().flatten().find(same).map(Cow::Owned))
    }

    /// The same policy with its rules to be looked at one by one.
    #[must_use]
    pub fn unpacked(mut self) -> Self {
        self.rules.extend(self.packed.all().flatten());
        self.packed = Packed::default();
        self
    }

    /// Where a value comes from, in words: `the user policy, /home/me/policy.toml:12`.
    pub fn says(&self, origin: Origin) -> String {
        match origin {
            Origin::BuiltIn => "the built-in preset".to_owned(),
            Origin::Preset(preset, layer) => format!("the {preset} preset of the {layer} policy"),
            Origin::File(layer, spot) => match self.files.get(usize::from(spot.file)) {
                Some((_, path)) => format!("the {layer} policy, {path}:{}", spot.line),
                None => format!("the {layer} policy"),
            },
        }
    }
}
