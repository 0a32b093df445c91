//! Checks every guard's examples: what it must find, what it must not, and that suggested alternatives pass.

use tenter_policy::guards::GUARDS;
use tenter_policy::{Judgement, Level, Policy, Preset, Sample, World, judge};

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
