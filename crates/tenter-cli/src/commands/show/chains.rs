//! Finds the agent's reaction to a denial.

use std::collections::VecDeque;

use serde::Serialize;

use super::effects::StepEffect;
use super::step::{Kind, ShownFinding, Step, StepOutcome};

/// Reaction to a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum What {
    /// The user allowed it.
    AllowedOnce,
    /// The suggested alternative.
    SafeAlternative,
    /// Another call with the same effect, which was not denied.
    AnotherWay,
    /// More attempts, all denied or asked about.
    TriedAgain,
    /// No related call.
    GaveUp,
}

/// Text of each reaction.
pub(super) const WHAT: &[&str] =
    &["allowed_once", "safe_alternative", "another_way", "tried_again", "gave_up"];

/// The reaction to a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Then {
    pub(super) what: What,
    /// Record of the deciding attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<u64>,
    /// Number of further denied attempts.
    pub(super) denied_again: u64,
    /// Number of further attempts that were asked about and not allowed.
    pub(super) asked: u64,
}

/// The reaction to the step at `index`, within its turn; the user's permission may come in a later one.
/// `None` if it was not stopped, or if the following steps are unknown: the story ends there, or continues in
/// an omitted part.
pub(super) fn after(steps: &VecDeque<Step>, index: usize, gap: Option<usize>) -> Option<Then> {
    let denied = steps.get(index)?;
    if denied.kind != Kind::Tool || denied.slipped() || !(denied.is_denied() || stopped(denied)) {
        return None;
    }
    let then = if denied.is_denied() { within_turn(steps, denied, index, gap) } else { None };
    match then {
        Some(Then { what: What::GaveUp | What::TriedAgain, .. }) | None => {
            allowed_later(steps, denied, index, gap).or(then)
        }
        settled => settled,
    }
}

/// The later step in which the user allowed the same call.
fn allowed_later(
    steps: &VecDeque<Step>,
    denied: &Step,
    index: usize,
    gap: Option<usize>,
) -> Option<Then> {
    let after_gap = |place: usize| gap.is_some_and(|gap| index < gap && place >= gap);
    let later = steps.iter().enumerate().skip(index.saturating_add(1));
    let mut later = later.take_while(|(place, _)| !after_gap(*place));
    let (_, step) = later.find(|(_, step)| step.allowed_once && is_same(denied, step))?;
    Some(Then { what: What::AllowedOnce, record: Some(step.seq()), denied_again: 0, asked: 0 })
}

fn within_turn(
    steps: &VecDeque<Step>,
    denied: &Step,
    index: usize,
    gap: Option<usize>,
) -> Option<Then> {
    let (mut denied_again, mut asked) = (0_u64, 0_u64);
    let mut went_on = false;
    // Omitted text cannot be compared.
    let mut is_hidden = denied.is_withheld();
    let mut settled: Option<(What, u64)> = None;
    for (place, step) in steps.iter().enumerate().skip(index.saturating_add(1)) {
        // The omitted part may contain the reaction.
        if gap.is_some_and(|gap| index < gap && place >= gap) && settled.is_none() {
            return None;
        }
        if step.group != denied.group {
            went_on = true;
            break;
        }
        went_on |= !matches!(step.kind, Kind::SessionEnd | Kind::Notification);
        if step.kind != Kind::Tool {
            continue;
        }
        is_hidden |= step.is_withheld();
        let is_stopped = step.is_denied() || stopped(step);
        let related = is_same(denied, step)
            || has_same_effect(denied, step)
            || is_stopped && shares_rule(denied, step);
        if step.allowed_once && related {
            settled = Some((What::AllowedOnce, step.seq()));
            break;
        }
        if settled.is_some() {
            continue;
        }
        if !is_stopped && is_alternative(denied, step) {
            settled = Some((What::SafeAlternative, step.seq()));
        } else if related && step.is_denied() {
            denied_again = denied_again.saturating_add(1);
        } else if related && stopped(step) {
            asked = asked.saturating_add(1);
        } else if related {
            settled = Some((What::AnotherWay, step.seq()));
        }
    }
    let found = |what, record| Some(Then { what, record, denied_again, asked });
    match settled {
        Some((what, record)) => found(what, Some(record)),
        None if denied_again > 0 || asked > 0 => found(What::TriedAgain, None),
        None if went_on && !is_hidden => found(What::GaveUp, None),
        None => None,
    }
}

/// Whether a question was not answered with yes.
fn stopped(step: &Step) -> bool {
    step.is_asked() && step.outcome == StepOutcome::Unknown
}

/// Whether it is the same call.
fn is_same(denied: &Step, step: &Step) -> bool {
    !denied.is_withheld()
        && denied.tool == step.tool
        && denied.subject.is_some()
        && denied.subject == step.subject
}

/// Whether it has an effect for which the other was denied.
fn has_same_effect(denied: &Step, step: &Step) -> bool {
    let spans: Vec<(u64, u64)> = stopping(denied).filter_map(|found| found.span).collect();
    let is_blamed = |effect: &&StepEffect| match effect.span {
        Some((start, end)) if !spans.is_empty() => {
            spans.iter().any(|(from, to)| start < *to && *from < end)
        }
        _ => true,
    };
    let mut blamed = denied.effects().iter().filter(is_blamed);
    blamed.any(|one| step.effects().iter().any(|other| one.is_same(other)))
}

/// Whether a rule stopped both.
fn shares_rule(denied: &Step, step: &Step) -> bool {
    // Omitted text cannot be compared.
    let is_known = !denied.is_withheld() && !step.is_withheld();
    is_known && stopping(denied).any(|one| stopping(step).any(|other| one.rule == other.rule))
}

/// The findings that stopped a call.
fn stopping(step: &Step) -> impl Iterator<Item = &ShownFinding> {
    step.findings.iter().filter(|found| found.level != "log" && found.excepted.is_none())
}

/// Whether it is what a finding suggested: a command in backticks in its text, or the text itself.
fn is_alternative(denied: &Step, step: &Step) -> bool {
    let Some(command) = step.command.as_deref() else { return false };
    let command = spaced(command);
    denied.findings.iter().filter_map(|found| found.instead.as_deref()).any(|text| {
        let quoted = text.split('`').skip(1).step_by(2);
        quoted.chain([text]).any(|proposed| proposes(proposed, &command))
    })
}

/// Whether a command follows a suggestion: the same program and all its option words.
fn proposes(proposed: &str, command: &str) -> bool {
    let proposed = spaced(proposed);
    if proposed == command {
        return true;
    }
    let mut words = proposed.split(' ');
    let given: Vec<&str> = command.split(' ').collect();
    let (Some(program), Some(sub)) = (words.next(), words.next()) else { return false };
    let options: Vec<&str> =
        proposed.split(' ').filter(|word| word.starts_with('-') && word.len() > 1).collect();
    !options.is_empty()
        && given.first() == Some(&program)
        && (sub.starts_with('-') || given.get(1) == Some(&sub))
        && options.iter().all(|option| given.contains(option))
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_is_known_by_its_program_and_its_options() {
        assert!(proposes("git push --force-with-lease", "git push --force-with-lease origin main"));
        assert!(!proposes("git push --force-with-lease", "git push origin main"));
        assert!(!proposes("leave it where it is", "git status"));
        assert!(proposes("git  stash", "git stash"));
    }
}
