//! Checks every guard's examples: what it must find, what it must not, and that suggested alternatives pass.

use tenter_model::Verdict;
use tenter_policy::guards::GUARDS;
use tenter_policy::{Asking, Exceptions, Judgement, Level, Policy, Preset, Sample, World, judge};

const CWD: &str = "/home/me/shop";

fn judged(sample: Sample<'_>, policy: &Policy) -> Judgement {
    let world =
        World { home: Some("/home/me"), user: Some("me"), cwd: Some(CWD), ..World::default() };
    judge(policy, &sample.event(Some(CWD)), &world)
}

/// Everything on, including optional guards.
fn all_on() -> Policy {
    let mut policy = Policy::preset(Preset::Recommended);
    for (guard, setting) in GUARDS.iter().zip(&mut policy.settings) {
        for (check, (level, _)) in guard.checks.iter().zip(&mut setting.levels) {
            if guard.optional {
                *level = Preset::Recommended.level(check.weight);
            }
        }
    }
    policy
}

#[test]
fn what_a_guard_must_find_it_finds() {
    let policy = all_on();
    let mut wrong = Vec::new();
    for guard in GUARDS {
        for (sample, check) in guard.blocks {
            let rule = format!("{}/{check}", guard.id);
            let rules: Vec<_> =
                judged(*sample, &policy).findings.into_iter().map(|found| found.rule).collect();
            if !rules.iter().any(|found| *found == rule) {
                wrong.push(format!("{rule}: {sample:?} gave {rules:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_a_guard_must_leave_alone_is_left_alone() {
    let policy = all_on();
    let mut wrong = Vec::new();
    for guard in GUARDS {
        for sample in guard.passes {
            for found in judged(*sample, &policy).findings {
                if found.level >= Level::Ask {
                    wrong.push(format!("{}: {sample:?} gave {}", guard.id, found.rule));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_suggested_instead_is_let_through() {
    let policy = Policy::preset(Preset::Recommended);
    let mut wrong = Vec::new();
    for guard in GUARDS {
        for check in guard.checks {
            for command in check.safe {
                if let Some(decision) = judged(Sample::Shell(command), &policy).verdict.decision {
                    wrong.push(format!("{}/{}: `{command}` gave {decision}", guard.id, check.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A hint is short, plain and one command at most, which passes; placeholders stand for a word.
#[test]
fn what_is_suggested_instead_is_one_command_or_a_plain_instruction() {
    let policy = Policy::preset(Preset::Recommended);
    let mut wrong = Vec::new();
    for guard in GUARDS {
        for check in guard.checks {
            let mut say = |what: &str| {
                wrong.push(format!("{}/{}: {what}: {}", guard.id, check.id, check.instead));
            };
            let quoted: Vec<&str> = check.instead.split('`').skip(1).step_by(2).collect();
            let commands = quoted.iter().filter(|text| text.contains(' '));
            if commands.clone().count() > 1 {
                say("more than one command");
            }
            if check.instead.chars().count() > 80 {
                say("longer than 80 characters");
            }
            // Nothing to do is no hint: the message already says to ask the user.
            if ["leave", "let the human", "ask the human"]
                .iter()
                .any(|it| check.instead.starts_with(it))
            {
                say("says only what not to do");
            }
            for command in commands {
                let command = command.replace(['<', '>'], "");
                if let Some(decision) = judged(Sample::Shell(&command), &policy).verdict.decision {
                    say(&format!("gives {decision}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Faults of the texts of a verdict: the line for the human without the way out and the clause for the model
/// are at most 120 characters long, and the model gets at most one hint beside it.
pub(crate) fn fault(verdict: &Verdict) -> Option<String> {
    let message = verdict.user_message.as_deref()?;
    let reason = verdict.reason.as_deref()?;
    let way_out = [" Allow it once: ", " Allow it always: ", " Set by the "];
    let line = way_out.iter().filter_map(|way| message.find(way)).min().unwrap_or(message.len());
    let clause = reason
        .find(" Instead: ")
        .or_else(|| reason.find(" Do not work around"))
        .or_else(|| reason.find(" Ask the user before"));
    let length = |text: Option<&str>| text.unwrap_or_default().chars().count();
    let is_long = length(message.get(..line)) > 120
        || length(reason.get(..clause.unwrap_or(reason.len()))) > 120
        || length(Some(message)) > 250
        || length(Some(reason)) > 250;
    is_long.then(|| format!("{message}\n{reason}"))
}

struct Blocks;

impl Exceptions for Blocks {
    fn allowed_once(&self, _code: &str) -> bool {
        false
    }

    fn asking(&self) -> Asking {
        Asking::Denies
    }
}

#[test]
fn every_message_of_every_check_is_short() {
    let mut wrong = Vec::new();
    for strict in [false, true] {
        let mut policy = all_on();
        for setting in policy.settings.iter_mut().filter(|_| strict) {
            for (level, _) in &mut setting.levels {
                *level = Level::Deny;
            }
        }
        for (sample, check) in GUARDS.iter().flat_map(|guard| guard.blocks) {
            let cwd = "/home/me/shop";
            let world = World {
                home: Some("/home/me"),
                user: Some("me"),
                cwd: Some(cwd),
                exceptions: &Blocks,
                ..World::default()
            };
            let verdict = judge(&policy, &sample.event(Some(cwd)), &world).verdict;
            if let Some(fault) = fault(&verdict) {
                wrong.push(format!("{check}: {fault}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_check_has_an_example_and_a_name_of_its_own() {
    let mut wrong = Vec::new();
    for guard in GUARDS {
        for check in guard.checks {
            // Checks that depend on a session or options cannot be shown by one event; those files have
            // tests.
            let needs_more =
                ["workaround", "mcp"].contains(&guard.id) || check.id == "send-after-secret";
            if !needs_more && !guard.blocks.iter().any(|(_, found_by)| *found_by == check.id) {
                wrong.push(format!("{}/{}: no example", guard.id, check.id));
            }
            if guard.checks.iter().filter(|other| other.id == check.id).count() > 1 {
                wrong.push(format!("{}/{}: twice", guard.id, check.id));
            }
        }
        if guard.passes.is_empty() || guard.page.is_empty() {
            wrong.push(format!("{}: no example that passes, or no page", guard.id));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
