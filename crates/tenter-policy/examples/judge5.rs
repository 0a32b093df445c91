//! Reads JSON lines `{"command": ...}` and prints the decision and the rules, tab-separated.
use std::io::{BufRead, stdin};
use tenter_model::{Decision, Object};
use tenter_policy::{Policy, Preset, Sample, World, judge};
#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    let policy = Policy::preset(Preset::Recommended);
    let cwd = "/home/me/shop";
    let world =
        World { home: Some("/home/me"), user: Some("me"), cwd: Some(cwd), ..World::default() };
    for line in stdin().lock().lines().map_while(Result::ok) {
        let Ok(object) = Object::parse(&line) else {
            println!("bad\t");
            continue;
        };
        let command = object.str("command").unwrap_or_default();
        let judgement = judge(&policy, &Sample::Shell(&command).event(Some(cwd)), &world);
        let decision = judgement.verdict.decision.map_or("none", Decision::as_str);
        let rules: Vec<_> =
            judgement.findings.iter().map(|f| format!("{}:{}", f.level, f.rule)).collect();
        println!("{decision}\t{}", rules.join(" "));
    }
}
