//! Policy files: messages about mistakes, findings of rules, output of `show`, and the image.

mod bad;
mod documents;
mod image;
mod record;
mod rules;
mod show;
mod unseen;

use tenter_policy::policy::image::{Sources, decode_any, encode};
use tenter_policy::policy::{Layer, LayerText};
use tenter_policy::{Judgement, NoFacts, Policy, Sample, World, judge};

const CWD: &str = "/home/me/shop";

/// A user's policy, which must be valid.
fn policy(text: &str) -> Policy {
    let policy = load(&[(Layer::User, text)]);
    let wrong: Vec<String> = policy.problems.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{text}\n{}", wrong.join("\n"));
    policy
}

fn load(files: &[(Layer, &str)]) -> Policy {
    let paths: Vec<String> = files.iter().map(|(layer, _)| format!("{layer}.toml")).collect();
    let layers: Vec<LayerText<'_>> = files
        .iter()
        .zip(&paths)
        .map(|((layer, text), path)| LayerText { layer: *layer, path, text: Ok(text) })
        .collect();
    Policy::load(&layers)
}

fn world() -> World<'static> {
    World {
        home: Some("/home/me"),
        user: Some("me"),
        cwd: Some(CWD),
        facts: &NoFacts,
        ..World::default()
    }
}

fn judged(policy: &Policy, sample: Sample<'_>) -> Judgement {
    judge(policy, &sample.event(Some(CWD)), &world())
}

/// Whether a rule with this id is among the findings, from the policy and from its image.
fn finds(policy: &Policy, sample: Sample<'_>, id: &str) -> bool {
    let findings = judged(policy, sample).findings;
    let image = decode_any(&encode(policy, &Sources::default())).unwrap().policy;
    assert_eq!(judged(&image, sample).findings, findings, "{sample:?}");
    findings.iter().any(|found| found.rule == id)
}
