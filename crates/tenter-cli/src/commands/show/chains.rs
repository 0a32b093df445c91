//! Finds the agent's reaction to a denial.

use std::collections::VecDeque;

use serde::Serialize;

use super::step::{Kind, Step, StepOutcome};

/// Reaction to a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum What {
    /// The user allowed it.
    AllowedOnce,
    /// The suggested alternative.
    SafeAlternative,
    /// Another call with the same target or program, which was not denied.
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
        let related = is_same(denied, step) || is_related(denied, step);
        if step.allowed_once && related {
            settled = Some((What::AllowedOnce, step.seq()));
            break;
        }
        if settled.is_some() {
            continue;
        }
        if !step.is_denied() && !stopped(step) && is_alternative(denied, step) {
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

/// Whether it is a related attempt: same file, or same program.
fn is_related(denied: &Step, step: &Step) -> bool {
    if step.paths.iter().any(|path| denied.paths.contains(path)) {
        return true;
    }
    let names = |command: &Option<String>, paths: &[String]| {
        let command = command.as_deref().unwrap_or_default();
        paths.iter().any(|path| mentions(command, path))
    };
    if names(&step.command, &denied.paths) || names(&denied.command, &step.paths) {
        return true;
    }
    match (&denied.command, &step.command) {
        (Some(one), Some(other)) => {
            let programs = programs(one);
            programs.is_empty() && one == other
                || self::programs(other).iter().any(|program| programs.contains(program))
        }
        _ => false,
    }
}

/// Whether a command names a file by path or name.
fn mentions(command: &str, path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let word = |text: &str| {
        command.match_indices(text).any(|(at, _)| {
            let inside = |letter: Option<char>| {
                letter.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.'))
            };
            let before = command.get(..at).and_then(|text| text.chars().next_back());
            let after = command.get(at.saturating_add(text.len())..);
            !inside(before) && !inside(after.and_then(|text| text.chars().next()))
        })
    };
    name.len() > 2 && word(name)
}

/// Programs too common to relate two commands.
const COMMON: &[&str] =
    &["cd", "echo", "sudo", "env", "bash", "sh", "zsh", "time", "nohup", "true", "export", "set"];

/// The approximate programs of a command line: the first word of each command.
fn programs(command: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in command.split(['\n', ';', '|', '&', '(']) {
        let name = |word: &'_ &str| !word.contains('=') && !word.starts_with('-');
        let words = part.split_whitespace().filter(name);
        let program = words
            .map(|word| word.trim_matches(['"', '\'']))
            .map(|word| word.rsplit('/').next().unwrap_or_default())
            .find(|word| !COMMON.contains(word));
        // Skip a leading `cd x &&`.
        let moves = part.trim_start().starts_with("cd ");
        if let Some(program) = program.filter(|program| !moves && !program.is_empty()) {
            found.push(program);
        }
    }
    found
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
    fn programs_are_what_stands_first() {
        assert_eq!(programs("cd /x && sudo rm -rf a | tee b"), ["rm", "tee"]);
        assert_eq!(programs("A=1 /usr/bin/git push; git log"), ["git", "git"]);
        assert_eq!(programs("env -i bash -c 'rm x'"), ["rm"]);
    }

    #[test]
    fn a_file_is_named_by_its_last_name_but_not_inside_another() {
        assert!(mentions("cat .env", "/home/ana/shop/.env"));
        assert!(mentions("cat < ./conf/app.yml;", "conf/app.yml"));
        assert!(!mentions("cat my.env.sample", "/home/ana/shop/.env"));
        assert!(!mentions("cat .env.sample", "/home/ana/shop/.env"));
    }

    #[test]
    fn a_proposal_is_known_by_its_program_and_its_options() {
        assert!(proposes("git push --force-with-lease", "git push --force-with-lease origin main"));
        assert!(!proposes("git push --force-with-lease", "git push origin main"));
        assert!(!proposes("leave it where it is", "git status"));
        assert!(proposes("git  stash", "git stash"));
    }
}
