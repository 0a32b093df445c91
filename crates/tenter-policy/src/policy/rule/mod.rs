//! Rules: the `[[rule]]` tables of policy files.

mod args;
mod event;
mod expression;
mod fit;
mod on;
mod overlap;
mod packed;
mod paths;
mod sight;
mod strict;
mod urls;
mod words;

use serde::{Deserialize, Serialize};
use tenter_model::EventKind;

use super::Origin;
use crate::finding::Finding;
use crate::level::{Level, Weight};
use crate::memory::Memo;
use crate::scene::Scene;

pub(crate) use expression::Expression;
pub(crate) use on::Void;
pub use on::{ACTIONS, EventOn, On};
pub use packed::Packed;
pub(crate) use sight::{Hit, Sight};
pub use words::Word;

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    pub id: String,
    pub origin: Origin,
    pub on: On,
    pub when: When,
    pub level: Level,
    /// Reason, for the model.
    pub reason: String,
    /// Message for the user; if empty, the reason is used.
    pub message: String,
    pub instead: String,
    /// Number of matches allowed per session before the level applies.
    pub limit: Option<u32>,
    /// Expiry, in seconds since 1970.
    pub expires: Option<u64>,
}

/// Conditions; all must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct When {
    /// Conditions on the whole event.
    pub event: Vec<Broad>,
    /// Conditions on one program, effect or file: the same one must match all.
    pub thing: Vec<Narrow>,
    pub about: About,
}

/// Subject of the conditions on a thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum About {
    #[default]
    Event,
    Effect,
    Program,
}

/// Names of programs and wrappers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    pub plain: Vec<String>,
    pub patterns: Vec<String>,
}

impl Names {
    pub(crate) fn new(names: Vec<String>) -> Self {
        let (patterns, plain) = names.into_iter().partition(|name| is_pattern(name));
        Self { plain, patterns }
    }
}

/// Whether the text contains wildcards.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{'))
}

/// A condition on the event. Holds if one of its values matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Broad {
    Tool(Vec<String>),
    Host(Vec<String>),
    AgentType(Vec<String>),
    PermissionMode(Vec<String>),
    /// `server/tool`.
    Mcp(Vec<String>),
    Prompt(Vec<Word>),
    Content(Vec<Word>),
    Command(Vec<Word>),
}

/// A condition on one program, effect or file. Holds if one of its values matches; for arguments all must be
/// present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Narrow {
    Program(Names),
    Args(Vec<String>),
    Via(Names),
    Effect(Vec<EffectName>),
    Path(Vec<String>),
    Url(Vec<String>),
    Cwd(Vec<String>),
    Branch(Vec<String>),
    Certain,
}

/// `delete` or `execute/network-code`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectName {
    /// Index in [`tenter_shell::Kind::ALL`].
    pub kind: u8,
    /// Number of the action, or none for all of the kind. Each version of the program recompiles images.
    pub action: Option<u16>,
}

impl When {
    /// Adds a condition on a thing.
    pub(crate) fn push(&mut self, condition: Narrow) {
        let about = match condition {
            Narrow::Program(_) | Narrow::Args(_) | Narrow::Via(_) => About::Program,
            Narrow::Effect(_) | Narrow::Path(_) | Narrow::Url(_) | Narrow::Certain => About::Effect,
            Narrow::Cwd(_) | Narrow::Branch(_) => About::Event,
        };
        self.about = if about as u8 > self.about as u8 { about } else { self.about };
        self.thing.push(condition);
    }

    pub fn is_empty(&self) -> bool {
        self.event.is_empty() && self.thing.is_empty()
    }
}

impl Rule {
    /// Whether the rule has expired.
    pub fn expired(&self, now: u64) -> bool {
        self.expires.is_some_and(|end| now >= end)
    }
}

/// Maximum number of findings per rule.
const MOST: usize = 64;

/// Adds the findings of rules, including encoded ones.
pub fn look(
    rules: &[Rule],
    packed: &Packed,
    scene: &Scene<'_>,
    findings: &mut Vec<Finding>,
    memos: &mut Vec<Memo>,
) {
    if rules.is_empty() && packed.is_empty() {
        return;
    }
    let sight = Sight::new(scene);
    for rule in rules {
        apply(rule, &sight, findings, memos);
    }
    for rule in packed.fitting(&sight) {
        match rule {
            Some(rule) => apply(&rule, &sight, findings, memos),
            None => findings.push(unreadable()),
        }
    }
}

fn apply(rule: &Rule, sight: &Sight<'_>, findings: &mut Vec<Finding>, memos: &mut Vec<Memo>) {
    let Some(mask) = sight.concerns(&rule.on) else {
        return;
    };
    if rule.expired(sight.scene.world.now) {
        return;
    }
    let mut hits = Vec::new();
    sight.hits(&rule.when, mask, &mut hits);
    if !hits.is_empty() {
        add(rule, &hits, sight.scene, findings, memos);
    }
}

/// The finding for a rule that cannot be decoded, which may have said anything.
fn unreadable() -> Finding {
    Finding {
        rule: "policy/image".into(),
        weight: Weight::Doubtful,
        level: Level::Ask,
        origin: Origin::BuiltIn,
        span: None,
        subject: String::new(),
        what: "may fit a rule that cannot be read from the cached policy".to_owned(),
        instead: "tell the user; `tenter policy check` reads the files again".into(),
        certainty: tenter_shell::Certainty::Unknown,
        by_rule: true,
        excepted: None,
        script: None,
    }
}

fn add(
    rule: &Rule,
    hits: &[Hit],
    scene: &Scene<'_>,
    findings: &mut Vec<Finding>,
    memos: &mut Vec<Memo>,
) {
    // The permission request is for the same call, which counts once.
    let counts = scene.event.kind() != EventKind::PermissionRequest;
    let mut left = rule.limit.map(|limit| {
        let counted = scene.world.memory.counted(&rule.id);
        let now = memos.iter().filter(|memo| matches!(memo, Memo::Counted(id) if *id == rule.id));
        let now = u32::try_from(now.count()).unwrap_or(u32::MAX);
        limit.saturating_sub(counted.saturating_add(now))
    });
    for hit in hits.iter().take(MOST) {
        let mut level = rule.level;
        if let Some(left) = left.as_mut().filter(|left| **left > 0) {
            *left -= 1;
            level = level.min(Level::Log);
            if counts {
                memos.push(Memo::Counted(rule.id.clone()));
            }
        }
        findings.push(finding(rule, level, hit));
    }
    if hits.len() > MOST {
        // For the findings not listed: without subject, so that no exception covers it.
        findings.push(finding(rule, rule.level, &Hit::default()));
    }
}

fn finding(rule: &Rule, level: Level, hit: &Hit) -> Finding {
    let what = if rule.reason.is_empty() {
        format!("fits the rule `{}`", rule.id)
    } else {
        rule.reason.clone()
    };
    let weight = match rule.level {
        Level::Deny => Weight::Grave,
        Level::Ask => Weight::Doubtful,
        Level::Log | Level::Off => Weight::Minor,
    };
    Finding {
        rule: rule.id.clone().into(),
        weight,
        level,
        origin: rule.origin,
        span: hit.span,
        subject: hit.subject.clone(),
        what,
        instead: rule.instead.clone().into(),
        certainty: hit.certainty,
        by_rule: true,
        excepted: None,
        script: None,
    }
}
