//! A loaded policy: the result of merging all layers.

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

/// Origin of a policy file. Ordered: earlier is higher.
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

/// Origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The program's default.
    BuiltIn,
    /// A preset extended by a layer.
    Preset(Preset, Layer),
    /// A line of this layer's file.
    File(Layer, Spot),
}

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spot {
    /// Index in [`Policy::files`].
    pub file: u16,
    pub line: u32,
}

impl Origin {
    /// The layer that set the value; `None` for defaults.
    pub const fn layer(self) -> Option<Layer> {
        match self {
            Origin::BuiltIn => None,
            Origin::Preset(_, layer) | Origin::File(layer, _) => Some(layer),
        }
    }
}

/// Fail modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fail {
    /// A guard fails, or input is unreadable.
    pub guard: FailMode,
    /// A handler fails, hangs or gives an invalid answer.
    pub handler: FailMode,
    /// A policy file is unreadable.
    pub policy: FailMode,
    /// A call cannot be recorded. Never `ask`.
    pub record: FailMode,
}

impl Fail {
    /// In the order of the file format: guard, handler, policy, record.
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

/// One policy file as found by the caller.
#[derive(Clone, Debug)]
pub struct LayerText<'t> {
    pub layer: Layer,
    pub path: &'t str,
    /// Its content, or why it is unreadable.
    pub text: Result<&'t str, String>,
}

/// Default of [`Policy::stop_most`]: as often as Claude Code does it.
pub const STOPS: u8 = 8;
/// Upper limit of [`Policy::stop_most`].
pub const MOST_STOPS: u8 = 100;

/// A merged policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// One per guard, in the order of [`GUARDS`].
    pub settings: Vec<Setting>,
    pub rules: Vec<Rule>,
    /// Encoded rules of a policy from an image.
    pub packed: Packed,
    pub exceptions: Vec<Exception>,
    pub handlers: Vec<Handler>,
    pub fail: Fail,
    /// Origin of the fail mode for broken files.
    pub fail_origin: Origin,
    /// Settings of the record.
    pub record: RecordPolicy,
    /// How often in a row a stop is answered with "go on".
    pub stop_most: u8,
    /// Unattended: every ask becomes a deny, also a guard's own.
    pub unattended: bool,
    /// The files, indexed by [`Spot`].
    pub files: Vec<(Layer, String)>,
    /// Mistakes in files that could not be used.
    pub broken: Vec<Problem>,
    /// Errors and warnings about the files. Not in an image.
    pub problems: Vec<Problem>,
    /// The tests of all files. Not in an image.
    pub tests: Vec<Case>,
    /// Origins of options, lists, fail modes and record settings. Not in an image.
    pub given: Vec<Given>,
}

impl Policy {
    /// A preset alone; the default without files.
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
            stop_most: STOPS,
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

    /// Parses, checks and merges all layers. A file with errors is ignored completely and listed in `broken`;
    /// the others stay in force.
    pub fn load(layers: &[LayerText<'_>]) -> Self {
        merge::load(layers, true)
    }

    /// The same without tests, for judging: a mistake in a test changes no verdict.
    pub fn without_tests(layers: &[LayerText<'_>]) -> Self {
        merge::load(layers, false)
    }

    /// Adds the findings of the rules.
    pub fn look(&self, scene: &Scene<'_>, findings: &mut Vec<Finding>, memos: &mut Vec<Memo>) {
        rule::look(&self.rules, &self.packed, scene, findings, memos);
    }

    /// The exception that covers a finding, if any.
    pub fn excepted(&self, finding: &Finding, scene: &Scene<'_>) -> Option<&Exception> {
        exception::find(&self.exceptions, finding, scene)
    }

    /// The rule of a finding, by id and origin.
    pub fn rule(&self, id: &str, origin: Origin) -> Option<Cow<'_, Rule>> {
        let same = |rule: &Rule| rule.id == id && rule.origin == origin;
        let unpacked = self.rules.iter().find(|rule| same(rule)).map(Cow::Borrowed);
        unpacked.or_else(|| self.packed.all().flatten().find(same).map(Cow::Owned))
    }

    /// The same policy with decoded rules.
    #[must_use]
    pub fn unpacked(mut self) -> Self {
        self.rules.extend(self.packed.all().flatten());
        self.packed = Packed::default();
        self
    }

    /// Describes an origin: `user policy, /home/me/policy.toml:12`.
    pub fn says(&self, origin: Origin) -> String {
        match origin {
            Origin::BuiltIn => "built-in preset".to_owned(),
            Origin::Preset(preset, layer) => format!("{preset} preset, {layer} policy"),
            Origin::File(layer, spot) => match self.files.get(usize::from(spot.file)) {
                Some((_, path)) => format!("{layer} policy, {path}:{}", spot.line),
                None => format!("{layer} policy"),
            },
        }
    }
}
