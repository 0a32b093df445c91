//! Computes the verdict on an event.

use tenter_model::{Decision, Event, Verdict};
use tenter_shell::Certainty;

use crate::finding::{Finding, Found};
use crate::guards::GUARDS;
use crate::level::{Level, Weight};
use crate::memory::{Intent, Memo};
use crate::policy::{FailMode, Policy, Problem};
use crate::scene::{Moment, Scene};
use crate::scripts;
use crate::world::World;
use crate::{once, wording};

/// Result of judging one event.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Findings, most severe first, including those only logged.
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
    /// Facts for the session's memory.
    pub memos: Vec<Memo>,
    /// Code with which the user can allow the call once; set if it was stopped.
    pub code: Option<String>,
    /// The user has allowed this call: no verdict despite findings.
    pub allowed_once: bool,
}

/// Judges one event.
pub fn judge(policy: &Policy, event: &Event<'_>, world: &World<'_>) -> Judgement {
    judge_scene(policy, &Scene::new(event, world))
}

/// Judges an existing scene, for callers that also display it.
pub fn judge_scene(policy: &Policy, scene: &Scene<'_>) -> Judgement {
    let mut findings = Vec::new();
    let mut memos = Vec::new();
    for (guard, setting) in GUARDS.iter().zip(&policy.settings) {
        (guard.look)(scene, &mut Found::new(guard, setting, &mut findings));
    }
    policy.look(scene, &mut findings, &mut memos);
    scripts::settle(scene, &mut findings);
    for finding in &mut findings {
        if let Some(exception) = policy.excepted(finding, scene) {
            finding.excepted = Some(exception.reason.clone());
        }
    }
    broken(policy, scene, &mut findings);
    if policy.unattended {
        // Unattended: every ask becomes a deny.
        for found in findings.iter_mut().filter(|found| found.level == Level::Ask) {
            found.level = Level::Deny;
        }
    }
    // Most severe first; ties by certainty.
    findings
        .sort_by_key(|found| std::cmp::Reverse((found.effective(), found.weight, found.certainty)));
    conclude(policy, findings, memos, scene)
}

fn conclude(
    policy: &Policy,
    findings: Vec<Finding>,
    mut memos: Vec<Memo>,
    scene: &Scene<'_>,
) -> Judgement {
    let mut judgement = Judgement::default();
    // After the call there is nothing to stop: findings of guards become advice. A user's rule for that
    // moment is obeyed.
    let advice = |found: &Finding| scene.moment == Moment::After && !found.by_rule;
    let deciding = findings.iter().filter(|found| !advice(found)).map(Finding::effective);
    let decision = deciding.max().and_then(Level::decision);
    if let Some(decision) = decision {
        let code = once::code(scene);
        judgement.allowed_once = scene.world.exceptions.allowed_once(&code);
        if !judgement.allowed_once {
            judgement.verdict = wording::stopped(decision, policy, &findings, scene, &code);
            if decision == Decision::Deny {
                memos.extend(intents(&findings, scene));
            }
        }
        judgement.code = Some(code);
    }
    let advised: Vec<_> =
        findings.iter().filter(|found| advice(found) && found.effective() >= Level::Ask).collect();
    if !advised.is_empty() {
        judgement.verdict.additional_context = Some(wording::advice(&advised));
    }
    let goes_on = judgement.verdict.decision != Some(Decision::Deny);
    if goes_on
        && !scene.world.memory.secret_read
        && findings.iter().any(|found| reads_secret(&found.rule))
    {
        memos.push(Memo::SecretRead);
    }
    judgement.memos = memos;
    judgement.findings = findings;
    judgement
}

/// Whether a finding of this rule means that a secret was read.
pub fn reads_secret(rule: &str) -> bool {
    let changes = |check: &str| matches!(check, "access" | "foreign-key" | "key-wiped");
    rule.strip_prefix("sensitive-files/").is_some_and(|check| !changes(check))
        || rule.starts_with("secrets/")
}

/// The denied effects, so that another route to them can be recognised.
fn intents<'f>(findings: &'f [Finding], scene: &'f Scene<'_>) -> impl Iterator<Item = Memo> + 'f {
    let denied = findings.iter().filter(|found| found.effective() == Level::Deny);
    denied.flat_map(|found| {
        let effects = scene.effects().iter().filter(|effect| match found.span {
            Some(span) => span.contains(effect.span) && !effect.span.is_empty(),
            None => effect.command.is_none(),
        });
        effects.filter(|effect| !effect.target.shown().is_empty()).map(|effect| {
            Memo::Denied(Intent {
                rule: found.rule.to_string(),
                kind: effect.kind.name().to_owned(),
                target: effect.target.shown().into_owned(),
            })
        })
    })
}

/// Rule id of a broken policy file.
pub(crate) const BROKEN: &str = "policy/broken";

/// A broken policy file is a finding at every gate: its protection is missing.
fn broken(policy: &Policy, scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    if !matches!(scene.moment, Moment::Before | Moment::Prompt) {
        return;
    }
    let level = match policy.fail.policy {
        FailMode::Open => Level::Log,
        FailMode::Ask => Level::Ask,
        FailMode::Closed => Level::Deny,
    };
    for (index, problem) in policy.broken.iter().enumerate() {
        let same = |other: &&Problem| other.file == problem.file;
        // One finding per file, with its first mistake.
        if policy.broken.iter().take(index).any(|other| same(&other)) {
            continue;
        }
        let more = match policy.broken.iter().filter(same).count() {
            0 | 1 => String::new(),
            count => format!("; and {} more mistakes", count.saturating_sub(1)),
        };
        let layer = problem.layer;
        findings.push(Finding {
            rule: BROKEN.into(),
            weight: Weight::Doubtful,
            level,
            origin: policy.fail_origin,
            span: None,
            subject: problem.file.clone(),
            what: format!("the {layer} policy is broken and does not apply: {problem}{more}"),
            instead: "tell the user to run `tenter policy check`".into(),
            certainty: Certainty::Certain,
            by_rule: true,
            excepted: None,
            script: None,
        });
    }
}
