//! Events that are only partly known.

use std::borrow::Cow;

use tenter_model::Decision;
use tenter_policy::policy::Unseen;
use tenter_policy::{Policy, Sample};

use super::{judged, policy};

const ALL: Unseen = Unseen { prompt: true, content: true, command: true, branch: true };

fn says(policy: &Policy, sample: Sample<'_>) -> Option<Decision> {
    judged(policy, sample).verdict.decision
}

/// The verdict in the best case, for the known parts, and in the worst case.
fn range(policy: &Policy, unseen: Unseen, sample: Sample<'_>) -> [Option<Decision>; 3] {
    [
        says(&policy.at_best(unseen), sample),
        says(policy, sample),
        says(&policy.at_worst(unseen), sample),
    ]
}

#[test]
fn a_policy_that_asks_for_nothing_unseen_is_left_as_it_is() {
    let policy = policy(
        "[[rule]]\nid = 'r'\ndecide = 'deny'\nwhen = { path = 'x', content = 'y' }\n\
         [[allow]]\nrule = 'r'\nreason = 'z'\nwhen = { cwd = '/tmp' }\n",
    );
    let other = Unseen { content: false, ..ALL };
    assert!(matches!(policy.at_worst(other), Cow::Borrowed(_)));
    assert!(matches!(policy.at_best(other), Cow::Borrowed(_)));
    assert!(matches!(policy.at_worst(ALL), Cow::Owned(_)));
}

#[test]
fn a_rule_about_a_text_that_is_not_seen_may_fit() {
    let deny = Some(Decision::Deny);
    let cases = [
        ("on = 'write'\nwhen = { path = 'src/**', content = 'x' }", Sample::Write("src/a", "")),
        ("when = { prompt = { matches = 'x+' } }\non = 'prompt'", Sample::Prompt("")),
        ("when = { program = 'ls', command = 'x' }", Sample::Shell("ls")),
        ("when = { program = 'ls', branch = 'main' }", Sample::Shell("ls")),
    ];
    for (rule, sample) in cases {
        let policy = policy(&format!("[[rule]]\nid = 'r'\ndecide = 'deny'\n{rule}\n"));
        assert_eq!(range(&policy, ALL, sample), [None, None, deny], "{rule}");
        assert_eq!(range(&policy, Unseen::default(), sample), [None; 3], "{rule}");
    }
    let policy = policy(
        "[[rule]]\nid = 'r'\ndecide = 'deny'\non = 'write'\nwhen = { path = 'src/**', content = 'x' }\n",
    );
    assert_eq!(range(&policy, ALL, Sample::Write("doc/a", "")), [None; 3], "another folder");
    assert_eq!(range(&policy, ALL, Sample::Write("src/a", "x")), [deny; 3], "what is seen fits");
}

#[test]
fn an_exception_about_a_branch_that_is_not_seen_may_hold() {
    let policy = policy(
        "[[rule]]\nid = 'r'\ndecide = 'ask'\nwhen = { program = 'ls' }\n[[allow]]\nrule = 'r'\nreason = 'z'\n\
         when = { branch = 'feature' }\n",
    );
    let ask = Some(Decision::Ask);
    assert_eq!(range(&policy, ALL, Sample::Shell("ls")), [None, ask, ask]);
    assert_eq!(range(&policy, Unseen { branch: false, ..ALL }, Sample::Shell("ls")), [ask; 3]);
}
