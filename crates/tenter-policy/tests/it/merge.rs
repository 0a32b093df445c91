//! Merging of layers: the highest layer that sets a value is the floor, the others can only tighten.

use std::fmt::Write;

use proptest::prelude::*;
use tenter_model::Decision;
use tenter_policy::guards::GUARDS;
use tenter_policy::policy::image::{Sources, decode_any, encode};
use tenter_policy::policy::{FailMode, Layer, LayerText, Origin, Rule, Severity};
use tenter_policy::{Judgement, Level, Policy, Preset, Sample, World, judge};

use Layer::{Managed, Project, Team, User};

type Files<'f> = &'f [(Layer, &'f str)];

fn load(files: Files<'_>) -> Policy {
    let paths: Vec<String> =
        files.iter().enumerate().map(|(index, (layer, _))| format!("{layer}{index}")).collect();
    let layers: Vec<LayerText<'_>> = files
        .iter()
        .zip(&paths)
        .map(|((layer, text), path)| LayerText { layer: *layer, path, text: Ok(text) })
        .collect();
    let policy = Policy::load(&layers);
    assert!(policy.broken.is_empty(), "{files:?}\n{:?}", policy.broken);
    policy
}

fn value(policy: &Policy, guard: &str, check: &str) -> (Level, Origin) {
    let index = GUARDS.iter().position(|it| it.id == guard).unwrap();
    let place = GUARDS[index].checks.iter().position(|it| it.id == check).unwrap();
    policy.settings[index].levels[place]
}

/// The level of `unverified/dynamic-code`, which is doubtful: `recommended` asks.
fn doubtful(files: Files<'_>) -> Level {
    value(&load(files), "unverified", "dynamic-code").0
}

fn warnings(policy: &Policy) -> Vec<String> {
    assert!(policy.problems.iter().all(|it| it.severity == Severity::Warning));
    policy.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn levels_merge_from_the_top() {
    const OFF: &str = "[guards]\nunverified = 'off'\n";
    const LOG: &str = "[guards]\nunverified = 'log'\n";
    const DENY: &str = "[guards]\nunverified = 'deny'\n";
    const MINIMAL: &str = "extends = 'minimal'\n";
    const STRICT: &str = "extends = 'strict'\n";
    let cases: [(Files<'_>, Level); 21] = [
        (&[], Level::Ask),
        (&[(User, OFF)], Level::Off),
        (&[(User, LOG)], Level::Log),
        (&[(User, MINIMAL)], Level::Log),
        (&[(User, STRICT)], Level::Deny),
        (&[(Project, OFF)], Level::Ask),
        (&[(Project, MINIMAL)], Level::Ask),
        (&[(Project, DENY)], Level::Deny),
        (&[(Project, STRICT)], Level::Deny),
        (&[(User, OFF), (Project, LOG)], Level::Log),
        (&[(User, OFF), (Project, MINIMAL)], Level::Log),
        (&[(User, DENY), (Project, LOG)], Level::Deny),
        (&[(Managed, LOG), (User, OFF)], Level::Log),
        (&[(Managed, LOG), (User, DENY)], Level::Deny),
        (&[(Managed, MINIMAL), (User, OFF)], Level::Log),
        (&[(Managed, STRICT), (Team, MINIMAL), (User, OFF), (Project, LOG)], Level::Deny),
        (&[(Team, OFF), (User, MINIMAL)], Level::Log),
        (&[(Team, MINIMAL), (Project, OFF)], Level::Log),
        // A line beats a preset of the same layer, in any file.
        (&[(User, STRICT), (User, LOG)], Level::Log),
        // Of two lines of one layer the stricter one holds.
        (&[(User, LOG), (User, DENY)], Level::Deny),
        (&[(User, "extends = ['minimal', 'strict']\n")], Level::Deny),
    ];
    for (files, expected) in cases {
        assert_eq!(doubtful(files), expected, "{files:?}");
    }
}

#[test]
fn a_check_can_differ_from_its_guard() {
    let policy =
        load(&[(User, "[guards]\nunverified = { level = 'log', checks = { syntax = 'deny' } }\n")]);
    assert_eq!(value(&policy, "unverified", "syntax").0, Level::Deny);
    assert_eq!(value(&policy, "unverified", "dynamic-code").0, Level::Log);
    let policy = load(&[
        (Managed, "[guards]\nunverified = { checks = { syntax = 'ask' } }\n"),
        (User, "[guards]\nunverified = 'off'\n"),
    ]);
    assert_eq!(value(&policy, "unverified", "syntax").0, Level::Ask);
    assert_eq!(value(&policy, "unverified", "dynamic-code").0, Level::Off);
}

#[test]
fn an_optional_guard_is_off_until_somebody_wants_it() {
    let guard = GUARDS.iter().find(|guard| guard.optional);
    let Some(guard) = guard.filter(|guard| !guard.checks.is_empty()) else {
        return;
    };
    let check = guard.checks[0].id;
    let text = format!("[guards]\n{} = 'ask'\n", guard.id);
    assert_eq!(value(&load(&[(User, "extends = 'strict'")]), guard.id, check).0, Level::Off);
    assert_eq!(value(&load(&[(Project, &text)]), guard.id, check).0, Level::Ask);
}

#[test]
fn every_level_knows_who_chose_it() {
    let policy = load(&[
        (Managed, "\n[guards]\nunverified = { checks = { syntax = 'deny' } }\n"),
        (User, "extends = 'strict'\n"),
    ]);
    let (_, origin) = value(&policy, "unverified", "syntax");
    assert_eq!(policy.says(origin), "managed policy, managed0:3");
    let (_, origin) = value(&policy, "unverified", "dynamic-code");
    assert_eq!(origin, Origin::Preset(Preset::Strict, User));
    assert_eq!(value(&load(&[]), "unverified", "syntax").1, Origin::BuiltIn);
}

#[test]
fn a_line_that_only_loosens_is_said_to_be_useless() {
    let policy = load(&[
        (User, "[guards]\nunverified = 'deny'\n[fail]\nguard = 'closed'\n"),
        (Project, "[guards]\nunverified = 'log'\n[fail]\nguard = 'open'\n"),
    ]);
    assert_eq!(
        warnings(&policy),
        [
            "project1:2:14: `unverified` stays at deny as the user policy has it; a project policy can only \
             tighten",
            "project1:4:9: `guard` stays at closed; a project policy can only tighten",
        ]
    );
    let policy = load(&[(Project, "[guards]\nunverified = 'log'\n")]);
    assert_eq!(
        warnings(&policy),
        [
            "project0:2:14: `unverified` stays at ask as the recommended preset has it; a project policy can only tighten"
        ]
    );
    assert!(warnings(&load(&[(Project, "[guards]\nunverified = 'ask'\n")])).is_empty());
    assert!(warnings(&load(&[(User, "[guards]\nunverified = 'off'\n")])).is_empty());
}

#[test]
fn failure_modes_merge_from_the_top() {
    let of = |files: Files<'_>| load(files).fail;
    assert_eq!(of(&[]).handler, FailMode::Open);
    assert_eq!(of(&[(User, "[fail]\nguard = 'open'")]).guard, FailMode::Open);
    assert_eq!(of(&[(Project, "[fail]\nguard = 'open'")]).guard, FailMode::Ask);
    assert_eq!(of(&[(Project, "[fail]\nguard = 'closed'")]).guard, FailMode::Closed);
    let both = [(Managed, "[fail]\npolicy = 'closed'"), (User, "[fail]\npolicy = 'open'")];
    assert_eq!(of(&both).policy, FailMode::Closed);
    assert_eq!(load(&both).fail_origin.layer(), Some(Managed));
    let both = [(Managed, "[fail]\npolicy = 'open'"), (User, "[fail]\npolicy = 'ask'")];
    assert_eq!(of(&both).policy, FailMode::Ask);
    // Tightening by a lower layer is no mistake of the user's file.
    let both = [(User, "[fail]\nguard = 'open'"), (Project, "[fail]\nguard = 'closed'")];
    assert_eq!(of(&both).guard, FailMode::Closed);
    assert!(warnings(&load(&both)).is_empty());
}

#[test]
fn lists_of_what_may_pass_count_where_nothing_above_is_set() {
    const ALLOW: &str = "[guards]\nunverified = { allow = ['x/**'] }\n";
    let allow = |files: Files<'_>| {
        let policy = load(files);
        let index = GUARDS.iter().position(|it| it.id == "unverified").unwrap();
        (policy.settings[index].allow.clone(), warnings(&policy))
    };
    assert_eq!(allow(&[(User, ALLOW)]).0, ["x/**"]);
    assert_eq!(allow(&[(User, ALLOW), (User, ALLOW)]).0, ["x/**"]);
    assert_eq!(allow(&[(Team, "[guards]\nunverified = 'off'\n"), (User, ALLOW)]).0, ["x/**"]);
    let (list, said) = allow(&[(Project, ALLOW)]);
    assert!(list.is_empty());
    assert_eq!(
        said,
        [
            "project0:2:25: `allow` is not used: it could let something through, and a project policy can only \
          tighten"
        ]
    );
    for above in
        ["extends = 'minimal'\n", "[guards]\nunverified = { checks = { syntax = 'log' } }\n"]
    {
        let (list, said) = allow(&[(Managed, above), (User, ALLOW)]);
        assert!(list.is_empty(), "{above}");
        assert_eq!(
            said,
            [
                "user1:2:25: `allow` is not used: it could let something through, and `unverified` is set by a \
              policy above the user policy"
            ]
        );
    }
}

#[test]
fn exceptions_count_where_nothing_above_is_set() {
    let count = |files: Files<'_>| {
        let policy = load(files);
        (policy.exceptions.len(), warnings(&policy).len())
    };
    let guard = "[[allow]]\nrule = 'unverified'\nreason = 'x'\n";
    let check = "[[allow]]\nrule = 'unverified/syntax'\nreason = 'x'\n";
    let rule = "[[allow]]\nrule = 'r'\nreason = 'x'\n";
    let defined = "[[rule]]\nid = 'r'\non = 'shell'\ndecide = 'ask'\n";
    let both = format!("{defined}{rule}");
    let other = "[guards]\nunverified = { checks = { dynamic-code = 'ask' } }\n";
    assert_eq!(count(&[(User, guard)]), (1, 0));
    assert_eq!(count(&[(Project, guard)]), (0, 1));
    assert_eq!(count(&[(Managed, "extends = 'recommended'\n"), (User, guard)]), (0, 1));
    assert_eq!(count(&[(Managed, other), (User, guard)]), (0, 1));
    assert_eq!(count(&[(Managed, other), (User, check)]), (1, 0));
    assert_eq!(count(&[(User, &both)]), (1, 0));
    assert_eq!(count(&[(User, rule), (Project, defined)]), (1, 0));
    assert_eq!(count(&[(Team, defined), (User, rule)]), (0, 1));
    assert_eq!(count(&[(Project, &both)]), (0, 1));
    let policy = load(&[(User, "[[allow]]\nrule = 'unverifed'\nreason = 'x'\n")]);
    let said = &warnings(&policy)[0];
    let start = "user0:1:1: unknown guard or rule `unverifed`; did you mean `unverified`? known: ";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn a_rule_of_the_same_name_below_counts_only_if_it_decides_more() {
    let rule = |level: &str| format!("[[rule]]\nid = 'r'\non = 'shell'\ndecide = '{level}'\n");
    let levels = |above: &str, below: &str| -> Vec<Level> {
        let (above, below) = (rule(above), rule(below));
        load(&[(User, &above), (Project, &below)]).rules.iter().map(|rule| rule.level).collect()
    };
    assert_eq!(levels("ask", "log"), [Level::Ask]);
    assert_eq!(levels("ask", "off"), [Level::Ask]);
    assert_eq!(levels("ask", "ask"), [Level::Ask]);
    assert_eq!(levels("ask", "deny"), [Level::Ask, Level::Deny]);
    assert_eq!(levels("off", "log"), [Level::Log]);
    let (ask, log) = (rule("ask"), rule("log"));
    assert_eq!(
        warnings(&load(&[(User, &ask), (Project, &log)])),
        [
            "project1:1:1: the rule `r` of the user policy decides ask and stays; this one is not used"
        ]
    );
}

#[test]
fn a_handler_of_the_same_name_below_does_not_replace_one() {
    let handler = |run: &str| format!("[[handler]]\nid = 'h'\non = 'any'\nrun = ['{run}']\n");
    let (one, other) = (handler("one"), handler("other"));
    let policy = load(&[(Project, &other), (User, &one)]);
    assert_eq!(policy.handlers.len(), 1);
    assert_eq!(policy.handlers[0].run, ["one"]);
    assert_eq!(
        warnings(&policy),
        ["project0:1:1: the handler `h` of the user policy stays; this one is not used"]
    );
}

#[test]
fn where_nobody_can_be_asked_everything_that_would_ask_is_denied() {
    let policy = load(&[(
        User,
        "extends = 'ci'\n[guards]\nunverified = 'ask'\n[[rule]]\nid = 'r'\non = 'shell'\ndecide = 'ask'\n",
    )]);
    assert!(policy.unattended);
    assert_eq!(value(&policy, "unverified", "syntax").0, Level::Deny);
    assert_eq!(policy.rules[0].level, Level::Deny);
    assert_eq!(policy.fail.guard, FailMode::Closed);
    let levels = policy.settings.iter().flat_map(|setting| &setting.levels);
    assert!(levels.clone().all(|(level, _)| *level != Level::Ask));
    assert!(Policy::preset(Preset::Ci).unattended);
    assert!(!Policy::preset(Preset::Strict).unattended);
}

// Property tests for arbitrary files.

fn level() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["off", "log", "ask", "deny"])
}

fn guard_line() -> impl Strategy<Value = (&'static str, String)> {
    (prop::sample::select(GUARDS.to_vec()), level(), level(), any::<prop::sample::Index>(), 0..4)
        .prop_map(|(guard, all, one, at, form)| {
            let check =
                (!guard.checks.is_empty()).then(|| guard.checks[at.index(guard.checks.len())].id);
            let text = match (form, check) {
                (0, Some(check)) => format!("{{ checks = {{ {check} = '{one}' }} }}"),
                (1, Some(check)) => {
                    format!("{{ level = '{all}', checks = {{ {check} = '{one}' }} }}")
                }
                (2, _) => "{ allow = ['**'] }".to_owned(),
                _ => format!("'{all}'"),
            };
            (guard.id, text)
        })
}

fn rule_text() -> impl Strategy<Value = String> {
    let when = prop::sample::select(vec![
        "on = 'shell'",
        "when = { program = 'git' }",
        "when = { effect = 'delete' }",
        "when = { path = 'src/**' }",
        "on = ['read', 'write']\nlimit = 1",
        "on = 'any'\nexpires = 1971-01-01",
    ]);
    (0..4, level(), when).prop_map(|(id, level, when)| {
        format!("[[rule]]\nid = 'r{id}'\ndecide = '{level}'\n{when}\n")
    })
}

fn exception_text() -> impl Strategy<Value = String> {
    let rules: Vec<String> = GUARDS
        .iter()
        .flat_map(|guard| {
            let checks = guard.checks.iter().map(|check| format!("{}/{}", guard.id, check.id));
            std::iter::once(guard.id.to_owned()).chain(checks)
        })
        .chain((0..4).map(|id| format!("r{id}")))
        .collect();
    prop::sample::select(rules)
        .prop_map(|rule| format!("[[allow]]\nrule = '{rule}'\nreason = 'x'\n"))
}

/// A file with every kind of content.
fn file() -> impl Strategy<Value = String> {
    let extends = prop::option::of(prop::sample::select(Preset::ALL.to_vec()));
    let fail = prop::option::of(prop::sample::select(vec!["open", "ask", "closed"]));
    let guards = prop::collection::vec(guard_line(), 0..6);
    let rules = prop::collection::vec(rule_text(), 0..3);
    let exceptions = prop::collection::vec(exception_text(), 0..3);
    (extends, fail, guards, rules, exceptions).prop_map(
        |(extends, fail, guards, rules, exceptions)| {
            let mut text = String::new();
            if let Some(preset) = extends {
                let _ = writeln!(text, "extends = '{preset}'");
            }
            if let Some(mode) = fail {
                let _ = writeln!(text, "[fail]\nguard = '{mode}'\nhandler = '{mode}'");
            }
            text.push_str("[guards]\n");
            let mut known: Vec<&str> = Vec::new();
            for (guard, value) in guards {
                if !known.contains(&guard) {
                    let _ = writeln!(text, "{guard} = {value}");
                    known.push(guard);
                }
            }
            let mut ids: Vec<String> = Vec::new();
            for rule in rules {
                let id = rule.lines().nth(1).unwrap_or_default().to_owned();
                if !ids.contains(&id) {
                    text.push_str(&rule);
                    ids.push(id);
                }
            }
            text.extend(exceptions);
            text
        },
    )
}

fn files() -> impl Strategy<Value = Vec<(Layer, String)>> {
    let layer = prop::sample::select(vec![Managed, Team, User]);
    prop::collection::vec((layer, file()), 0..4)
}

fn borrowed(files: &[(Layer, String)]) -> Vec<(Layer, &str)> {
    files.iter().map(|(layer, text)| (*layer, text.as_str())).collect()
}

fn samples() -> Vec<Sample<'static>> {
    let blocks =
        GUARDS.iter().flat_map(|guard| guard.blocks.iter().map(|(sample, _)| *sample).take(2));
    blocks
        .chain([
            Sample::Shell("rm src/a && git status"),
            Sample::Shell("ls"),
            Sample::Read("src/a"),
            Sample::Write("src/a", "x"),
            Sample::Prompt("x"),
        ])
        .collect()
}

fn judged(policy: &Policy, sample: Sample<'_>) -> Judgement {
    let cwd = "/home/me/shop";
    let world = World { home: Some("/home/me"), cwd: Some(cwd), ..World::default() };
    judge(policy, &sample.event(Some(cwd)), &world)
}

/// Rank of a decision: none, ask, deny.
fn strength(decision: Option<Decision>) -> u8 {
    match decision {
        None | Some(Decision::Allow) => 0,
        Some(Decision::Ask) => 1,
        Some(Decision::Deny) => 2,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_project_loosens_nothing(files in files(), project in file()) {
        let without = borrowed(&files);
        let mut with = without.clone();
        with.push((Project, &project));
        let (without, with) = (load(&without), load(&with));
        for (one, other) in without.settings.iter().zip(&with.settings) {
            for ((one, _), (other, _)) in one.levels.iter().zip(&other.levels) {
                prop_assert!(other >= one);
            }
            prop_assert_eq!(&one.allow, &other.allow);
        }
        prop_assert!(with.fail.guard >= without.fail.guard);
        prop_assert!(with.fail.handler >= without.fail.handler);
        prop_assert!(with.fail.policy >= without.fail.policy);
        // An exception from a higher layer for an unknown rule waits for that rule: if the project brings it,
        // the exception softens only the project's own rule.
        for exception in &without.exceptions {
            prop_assert!(with.exceptions.contains(exception));
        }
        for exception in with.exceptions.iter().filter(|it| !without.exceptions.contains(it)) {
            prop_assert!(exception.origin.layer() < Some(Project));
            let theirs = |rule: &Rule| rule.id == exception.rule && rule.origin.layer() != Some(Project);
            prop_assert!(!with.rules.iter().any(theirs), "{:?}", exception);
        }
        for sample in samples() {
            let (before, after) = (judged(&without, sample), judged(&with, sample));
            let (one, other) = (before.verdict.decision, after.verdict.decision);
            prop_assert!(strength(other) >= strength(one), "{:?}: {:?} to {:?}", sample, one, other);
        }
    }

    #[test]
    fn what_a_layer_sets_no_layer_below_loosens(above in files(), below in file()) {
        let upper: Vec<(Layer, &str)> =
            borrowed(&above).into_iter().filter(|(layer, _)| *layer != User).collect();
        let mut both = upper.clone();
        both.push((User, &below));
        let (upper, both) = (load(&upper), load(&both));
        for (one, other) in upper.settings.iter().zip(&both.settings) {
            for ((one, origin), (other, _)) in one.levels.iter().zip(&other.levels) {
                prop_assert!(*origin == Origin::BuiltIn || other >= one);
            }
        }
        for sample in samples() {
            let after = judged(&both, sample).findings;
            for before in judged(&upper, sample).findings {
                if before.origin == Origin::BuiltIn {
                    continue;
                }
                let kept = after.iter().any(|found| {
                    (&found.rule, found.span, &found.subject) == (&before.rule, before.span, &before.subject)
                        && found.effective() >= before.effective()
                });
                prop_assert!(kept, "{:?}: {:?}", sample, before);
            }
        }
    }

    #[test]
    fn the_order_of_the_files_does_not_matter(files in files(), project in file()) {
        let mut all = files;
        all.push((Project, project));
        let named: Vec<(Layer, String, String)> = all
            .into_iter()
            .enumerate()
            .map(|(index, (layer, text))| (layer, format!("f{index}"), text))
            .collect();
        let layers: Vec<LayerText<'_>> = named
            .iter()
            .map(|(layer, path, text)| LayerText { layer: *layer, path, text: Ok(text) })
            .collect();
        let straight = Policy::load(&layers);
        let reversed: Vec<LayerText<'_>> = layers.iter().rev().cloned().collect();
        prop_assert_eq!(&straight, &Policy::load(&reversed));
        let twice: Vec<LayerText<'_>> = layers.iter().chain(&layers).cloned().collect();
        prop_assert_eq!(&straight, &Policy::load(&twice));
    }

    #[test]
    fn an_image_judges_as_its_files_do(files in files(), project in file()) {
        let mut all = borrowed(&files);
        all.push((Project, &project));
        let policy = load(&all);
        let image = decode_any(&encode(&policy, &Sources::default())).unwrap().policy;
        for sample in samples() {
            prop_assert_eq!(judged(&image, sample).findings, judged(&policy, sample).findings);
        }
    }
}

proptest! {
    #[test]
    fn any_text_at_all_is_a_policy_or_is_refused(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "[guards]", "[[rule]]", "[[allow]]", "[[handler]]", "[[test]]", "[fail]", "\n", "=", "'", "\"",
                "{", "}", "[", "]", ",", "id", "on", "when", "decide", "secrets", "ask", "'ask'", "1", "2026-01-01",
                "path", "args", "matches", "'('", "\u{e9}", "expires", "limit", "test", "run", "extends", "#", " ",
            ]),
            0..40,
        ),
    ) {
        let text = words.join(" ");
        let policy = Policy::load(&[LayerText { layer: User, path: "p", text: Ok(&text) }]);
        let lines = u32::try_from(text.split('\n').count()).unwrap();
        for problem in &policy.problems {
            prop_assert!(problem.line >= 1 && problem.line <= lines && problem.column >= 1);
            prop_assert!(!problem.message.is_empty());
        }
    }
}
