//! Judges a recorded call by a policy, as far as the record allows.
//!
//! The event rebuilt from the record is judged as usual. Recorded findings of guards count too, since they
//! saw texts and files that are gone. For each missing text it is tested whether it could change the verdict;
//! if so, there is no answer.

use std::borrow::Cow;

use tenter_audit::Record;
use tenter_audit::record::FindingRecord;
use tenter_model::Decision;
use tenter_policy::guards::GUARDS;
use tenter_policy::policy::Unseen;
use tenter_policy::scene::{Moment, PassageKind, Scene};
use tenter_policy::{
    Exceptions, Finding, Level, Memo, Memory, NoFacts, World, judge_scene, reads_secret,
};
use tenter_shell::Certainty;

use super::event::{Hidden, Rebuilt, Why};
use super::probe::{looked, looked_for_all, probe, probes};
use super::sides::Side;

/// Facts about the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'k> {
    pub(super) home: Option<&'k str>,
    pub(super) user: Option<&'k str>,
    pub(super) variables: &'k [(&'k str, &'k str)],
    pub(super) own: &'k [&'k str],
    pub(super) language: tenter_shell::Language,
    pub(super) now: u64,
}

/// Result for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Told {
        decision: Option<Decision>,
        /// The deciding rule.
        rule: String,
    },
    /// The record is incomplete: the missing part, why, and the rule that may depend on it.
    Untold { what: &'static str, why: Why, rule: String },
}

/// One record to be judged.
pub(super) struct Case<'c> {
    pub(super) record: &'c Record<'c>,
    pub(super) rebuilt: &'c Rebuilt<'c>,
    pub(super) new: &'c Side,
    /// The policy at the time, if known.
    pub(super) old: Option<&'c Side>,
    pub(super) memory: &'c Memory,
}

/// A missing part, and why.
type Missing = (&'static str, Why);

/// The old policy is unknown.
const POLICY: Missing = ("policy", Why::Then);

/// Certain and possible findings.
struct Seen {
    findings: Vec<Finding>,
    in_doubt: Vec<(Finding, Missing)>,
}

impl Exceptions for Case<'_> {
    fn allowed_once(&self, _code: &str) -> bool {
        self.record.allowed_once
    }
}

impl Case<'_> {
    /// Judges the call, and returns the facts for its session's memory.
    pub(super) fn judge(&self, known: &Known<'_>) -> (Answer, Vec<Memo>) {
        let world = World {
            written: &tenter_policy::NothingWritten,
            // The working folder is in the record, or unknown.
            cwd: None,
            home: known.home,
            user: known.user,
            variables: known.variables,
            secrets: &[],
            own: known.own,
            language: known.language,
            case_insensitive: cfg!(any(windows, target_os = "macos")),
            // Files may have changed; ignoring them makes the answer reproducible.
            facts: &NoFacts,
            memory: self.memory,
            now: known.now,
            exceptions: self,
        };
        let mut scene = Scene::new(&self.rebuilt.event, &world);
        let unseen = unseen(&self.rebuilt.hidden);
        let judgement = judge_scene(self.new.at_best(unseen), &scene);
        let mut memos = judgement.memos;
        let mut seen = self.corrected(judgement.findings, &scene);
        self.rules(&mut seen, unseen, &scene);
        let findings = seen.findings;
        let (least, rule) = fold(&findings, scene.moment);
        // The findings have changed, and so have the facts to remember.
        memos.retain(|memo| match memo {
            Memo::Counted(_) => true,
            Memo::Denied(_) => least == Some(Decision::Deny),
            Memo::SecretRead => false,
        });
        let reads = findings.iter().any(|found| reads_secret(&found.rule));
        memos.extend((reads && least != Some(Decision::Deny)).then_some(Memo::SecretRead));
        let answer = self.doubt(&findings, &seen.in_doubt, least, &mut scene);
        let told = || Answer::Told {
            decision: least.filter(|_| !self.record.allowed_once),
            rule: rule.map(|found| found.rule.to_string()).unwrap_or_default(),
        };
        (answer.unwrap_or_else(told), memos)
    }

    /// Whether the policy is the same as at the time.
    fn is_same_policy(&self) -> bool {
        self.old.is_some_and(|old| std::ptr::eq(old, self.new))
    }

    fn recorded(&self, rule: &str) -> bool {
        self.record.findings.iter().any(|noted| noted.rule == rule)
    }

    /// Combines the present findings with recorded ones that cannot be found again; drops findings caused
    /// only by ignoring files.
    fn corrected(&self, mut findings: Vec<Finding>, scene: &Scene<'_>) -> Seen {
        let then = self.old.map(|old| {
            if self.is_same_policy() {
                return findings.clone();
            }
            judge_scene(&old.policy, scene).findings
        });
        let by_then =
            |it: &Finding| then.as_ref().is_some_and(|all| all.iter().any(|other| same(it, other)));
        findings.retain(|found| {
            found.by_rule || remembers(&found.rule) || self.recorded(&found.rule) || !by_then(found)
        });
        let mut in_doubt = Vec::new();
        for noted in &self.record.findings {
            let Some((finding, sure)) = self.carried(noted, scene) else { continue };
            // The old policy finds it again and the new one does not: the new one allows it.
            if findings.iter().any(|found| same(found, &finding)) || by_then(&finding) {
                continue;
            }
            if sure { findings.push(finding) } else { in_doubt.push((finding, POLICY)) }
        }
        Seen { findings, in_doubt }
    }

    /// A recorded finding under the new policy, and whether it is certain; `None` if allowed, or if it would
    /// have been found again.
    fn carried(&self, noted: &FindingRecord<'_>, scene: &Scene<'_>) -> Option<(Finding, bool)> {
        let (guard, check) = noted.rule.split_once('/')?;
        // These depend only on names and on earlier denials, which are known.
        if guard == "mcp" || remembers(&noted.rule) {
            return None;
        }
        let index = GUARDS.iter().position(|it| it.id == guard)?;
        let (guard, setting) = (GUARDS.get(index)?, self.new.policy.settings.get(index)?);
        let place = guard.checks.iter().position(|it| it.id == check)?;
        let (check, (level, origin)) = (guard.checks.get(place)?, setting.levels.get(place)?);
        let subject = noted.subject.as_deref().unwrap_or_default();
        if *level == Level::Off || setting.allows(subject) {
            return None;
        }
        let mut finding = Finding {
            script: None,
            rule: Cow::Owned(noted.rule.clone().into_owned()),
            weight: check.weight,
            level: *level,
            origin: *origin,
            span: None,
            subject: subject.to_owned(),
            what: noted.what.as_deref().unwrap_or_default().to_owned(),
            instead: check.instead.into(),
            certainty: Certainty::Certain,
            by_rule: false,
            excepted: None,
        };
        let policy = &self.new.policy;
        finding.excepted = policy.excepted(&finding, scene).map(|it| it.reason.clone());
        // It may have been found because of an option then, or be allowed by one now.
        let options = match self.old.and_then(|old| old.policy.settings.get(index)) {
            Some(old) => old.options == setting.options,
            None => setting.options.is_empty() && guard.options.iter().all(|it| it.loosens),
        };
        let named = noted.subject.is_some() || setting.allow.is_empty();
        let mut exceptions = policy.exceptions.iter().filter(|it| it.names(&finding.rule));
        let told = self.rebuilt.blank.is_none() || exceptions.all(|it| it.when.is_empty());
        Some((finding, options && named && told))
    }

    /// Adds recorded matches of rules on missing texts; for other rules on such texts the result is unknown.
    fn rules(&self, seen: &mut Seen, unseen: Unseen, scene: &Scene<'_>) {
        let Some(worst) = self.new.at_worst(unseen) else { return };
        let text = self.rebuilt.hidden.iter().find(|hidden| hidden.why != Why::Then);
        let missing = text.map_or(("branch", Why::Then), |it| (name(it.kind), it.why));
        for found in judge_scene(worst, scene).findings {
            let known = |it: &Finding| same(it, &found) && it.effective() >= found.effective();
            if seen.findings.iter().any(known) {
                continue;
            }
            let was_there = found.by_rule && self.was_there(&found.rule);
            if !was_there {
                seen.in_doubt.push((found, missing));
            } else if self.recorded(&found.rule) {
                seen.findings.push(found);
            }
        }
    }

    /// Whether the old policy had the same rule.
    fn was_there(&self, id: &str) -> bool {
        let of = |side: &'_ Side| side.policy.rules.iter().find(|rule| rule.id == id).cloned();
        match (self.old.and_then(of), of(self.new)) {
            (Some(old), Some(new)) => {
                old.on == new.on && old.when == new.when && old.level != Level::Off
            }
            _ => false,
        }
    }

    /// Why there is no answer, if a missing part could change it.
    fn doubt(
        &self,
        findings: &[Finding],
        in_doubt: &[(Finding, Missing)],
        least: Option<Decision>,
        scene: &mut Scene<'_>,
    ) -> Option<Answer> {
        // Nothing exceeds a denial; and a call allowed by the user is allowed.
        if least == Some(Decision::Deny) || self.record.allowed_once {
            return None;
        }
        if let Some((what, why)) = self.rebuilt.blank {
            if self.is_same_policy() {
                let decision = decision(self.record.verdict.decision.as_deref());
                return Some(Answer::Told { decision, rule: deciding(self.record) });
            }
            let judged = scene.moment != Moment::After || !self.new.policy.rules.is_empty();
            return judged.then(|| Answer::Untold { what, why, rule: String::new() });
        }
        let worse = in_doubt
            .iter()
            .find(|(found, _)| deciding_level(found, scene.moment).decision() > least);
        if let Some((found, (what, why))) = worse {
            return Some(Answer::Untold { what, why: *why, rule: found.rule.to_string() });
        }
        self.guards_in_doubt(findings, least, scene)
    }

    /// A guard that would have a finding if a missing text were as bad as its own examples.
    fn guards_in_doubt(
        &self,
        findings: &[Finding],
        least: Option<Decision>,
        scene: &mut Scene<'_>,
    ) -> Option<Answer> {
        // After the call guards only advise.
        if scene.moment == Moment::After {
            return None;
        }
        for hidden in &self.rebuilt.hidden {
            for (index, guard) in GUARDS.iter().enumerate() {
                // Only this guard reads files that the host does not send.
                if hidden.why == Why::Then && guard.id != "secrets" {
                    continue;
                }
                let Some(setting) = self.new.policy.settings.get(index) else { continue };
                let then = self.old.and_then(|old| old.policy.settings.get(index));
                if guard.id != "workaround" && looked_for_all(setting, then) {
                    continue;
                }
                for text in probes(guard, self.memory) {
                    let found = probe(guard, setting, scene, hidden, text);
                    let new = found.into_iter().find(|found| {
                        let excepted = self.new.policy.excepted(found, scene).is_some();
                        !excepted
                            && found.level.decision() > least
                            && !findings.iter().any(|other| other.rule == found.rule)
                            && (remembers(&found.rule)
                                || !looked(guard, setting, then, &found.rule))
                    });
                    if let Some(found) = new {
                        let (what, why) = (name(hidden.kind), hidden.why);
                        return Some(Answer::Untold { what, why, rule: found.rule.into_owned() });
                    }
                }
            }
        }
        None
    }
}

/// A decision by name.
pub(super) fn decision(name: Option<&str>) -> Option<Decision> {
    Decision::ALL.into_iter().find(|decision| Some(decision.as_str()) == name)
}

/// The rule that decided.
pub(super) fn deciding(record: &Record<'_>) -> String {
    let level = |noted: &&FindingRecord<'_>| noted_level(noted);
    let gravest = record.findings.iter().rev().max_by_key(level);
    gravest.map(|noted| noted.rule.to_string()).unwrap_or_default()
}

/// Level of a recorded finding, after exceptions.
pub(super) fn noted_level(noted: &FindingRecord<'_>) -> Level {
    let level = Level::from_name(&noted.level).unwrap_or(Level::Log);
    if noted.excepted.is_some() { level.min(Level::Log) } else { level }
}

/// Whether a rule depends on the session's memory.
fn remembers(rule: &str) -> bool {
    rule.starts_with("workaround/") || rule == "exfiltration/send-after-secret"
}

fn same(one: &Finding, other: &Finding) -> bool {
    one.rule == other.rule && one.subject == other.subject
}

/// The effective level: after the call findings of guards are advice.
fn deciding_level(found: &Finding, moment: Moment) -> Level {
    if moment == Moment::After && !found.by_rule { Level::Off } else { found.effective() }
}

/// The decision of the findings, and the deciding one.
fn fold(findings: &[Finding], moment: Moment) -> (Option<Decision>, Option<&Finding>) {
    let rank = |found: &&Finding| (deciding_level(found, moment), found.weight);
    // The first of equals.
    let gravest = findings.iter().rev().max_by_key(rank);
    let decision = gravest.and_then(|found| deciding_level(found, moment).decision());
    (decision, gravest.filter(|_| decision.is_some()))
}

/// The unknown parts for rules. The branch at the time is never known.
fn unseen(hidden: &[Hidden<'_>]) -> Unseen {
    let mut unseen = Unseen { branch: true, ..Unseen::default() };
    for hidden in hidden.iter().filter(|hidden| hidden.why != Why::Then) {
        match hidden.kind {
            PassageKind::Prompt | PassageKind::Task => unseen.prompt = true,
            PassageKind::Command => unseen.command = true,
            PassageKind::Url => {}
            _ => unseen.content = true,
        }
    }
    unseen
}

fn name(kind: PassageKind) -> &'static str {
    match kind {
        PassageKind::Prompt => "prompt",
        PassageKind::Command => "command",
        PassageKind::Written => "what is written",
        PassageKind::Read => "what is read",
        PassageKind::Output => "output",
        PassageKind::Url => "URL",
        PassageKind::Task => "what a subagent is told",
        PassageKind::Input => "input of the tool",
    }
}
