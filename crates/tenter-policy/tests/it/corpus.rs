//! Judges the corpus of labelled commands in process: a quick check while guards change. `cargo xtask corpus`
//! does the same through the program and prints the table.
//!
//! `CORPUS=<part of a class or file name> cargo test -p tenter-policy --test it corpus:: -- --nocapture`
//! lists the wrong ones of that part.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test is told what to look at, and shows it"
)]

use tenter_model::Decision;
use tenter_policy::{Policy, Preset, Sample, World, judge};
use tenter_testkit::corpus;

#[test]
fn the_corpus_is_judged_as_labelled() {
    let wanted = std::env::var("CORPUS").unwrap_or_default();
    let policy = Policy::preset(Preset::Recommended);
    let (mut bad, mut missed, mut good, mut alarmed) = (0, 0, 0, 0);
    let (mut wrong, mut mild, mut long) = (String::new(), String::new(), String::new());
    for case in corpus() {
        if !case.file.contains(&wanted) && !case.class.contains(&wanted) {
            continue;
        }
        let world = World {
            home: Some("/home/me"),
            user: Some("me"),
            cwd: Some(&case.cwd),
            ..World::default()
        };
        let event = Sample::Shell(&case.command).event(Some(&case.cwd));
        let judgement = judge(&policy, &event, &world);
        let decision = judgement.verdict.decision.map_or("none", Decision::as_str);
        if let Some(fault) = crate::guards::fault(&judgement.verdict) {
            long.push_str(&fault);
            long.push('\n');
        }
        let stopped = decision != "none";
        let right = match case.expect.as_str() {
            "pass" => !stopped,
            "stop" => stopped,
            exact => decision == exact,
        };
        let counts = if case.expect == "pass" {
            (&mut good, &mut alarmed, stopped)
        } else {
            (&mut bad, &mut missed, !stopped)
        };
        *counts.0 += 1;
        *counts.1 += i32::from(counts.2);
        if !right {
            let rules: Vec<_> =
                judgement.findings.iter().map(|found| found.rule.as_ref()).collect();
            let line = format!(
                "{} [{}] {} -> {decision} {rules:?}: {}\n",
                case.file,
                case.class,
                case.expect,
                case.command.replace('\n', "\\n")
            );
            if (case.expect.as_str(), decision) == ("deny", "ask") {
                mild.push_str(&line);
            }
            wrong.push_str(&line);
        }
    }
    println!("{wrong}dangerous {bad}, missed {missed}; ordinary {good}, alarmed {alarmed}");
    assert!(long.is_empty(), "too long:\n{long}");
    assert!(bad + good > 0, "nothing matches {wanted}");
    assert!(wanted.is_empty() || wrong.is_empty(), "{wrong}");
    // A host that swallows questions runs the command: no tolerance.
    assert!(mild.is_empty(), "labelled `deny` and only asked about:\n{mild}");
    assert!(missed * 100 <= bad && alarmed * 100 <= good, "{wrong}");
}
