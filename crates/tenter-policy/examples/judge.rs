//! A quick look: judges each line of standard input as a shell command at the recommended preset.

use std::io::{BufRead, stdin};

use tenter_model::Decision;
use tenter_policy::{Policy, Preset, Sample, World, judge};

#[expect(clippy::print_stdout, reason = "an example prints")]
fn main() {
    let policy = Policy::preset(Preset::Recommended);
    let cwd = "/home/me/shop";
    let world =
        World { home: Some("/home/me"), user: Some("me"), cwd: Some(cwd), ..World::default() };
    for line in stdin().lock().lines().map_while(Result::ok) {
        let judgement = judge(&policy, &Sample::Shell(&line).event(Some(cwd)), &world);
        let decision = judgement.verdict.decision.map_or("none", Decision::as_str);
        println!("{decision}\t{line}");
        for found in judgement.findings {
            println!("    {} {} [{}] {}", found.level, found.rule, found.subject, found.what);
        }
    }
}
