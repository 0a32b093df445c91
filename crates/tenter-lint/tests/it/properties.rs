//! Property tests for arbitrary text: no panic; fixing terminates, keeps the file readable and is idempotent.

use proptest::prelude::*;
use tenter_engine::document::Source;
use tenter_lint::{File, Finding, Layer, Options, Repair, fix, lint};
use tenter_model::HostId;

/// Seed files that use every feature, one per dialect.
const SEEDS: &[&str] = &[
    r#"{
  // house hooks
  "hooks": {
    "PreToolUse": [{ "command": "./hooks/x.sh --a", "timeout": 5000, "loop_limit": 3 }],
    "beforeShellExec": [{ "prompt": "ok?", "fail_closed": true, "matcher": "*.sh" }],
    "stop": [{ "command": "\"C:\\Program Files\\x.exe\"", "timeoutMs": 1500, "loopLimit": null, }],
  },
}"#,
    r#"{"permissions": {}, "hooks": {"PreToolUse": [{"matcher": "mcp__memory", "hooks": [
  {"command": "python3 'a b.py'", "timeout": "30", "async": "true"}, {"type": "prompt"}]},
  {"type": "command", "command": "x"}], "Stopp": [], "SessionStart": [{"matcher": "new|startup",
  "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/x.sh", "if": "Bash(git *)"}]}]}}"#,
    r#"{"version": 1, "$schema": "x", "hooks": {"SessionEnd": [{"hooks": [{"type": "command",
  "command": "tenter run -- sh ./x.sh", "timeout": 30}]}], "PreToolUse": [{"matcher": "(a+)+$",
  "hooks": [{"type": "Command", "command": "", "\ud83d\ude00\u00e4": [[[]]]}]}]}}"#,
];

fn hosts() -> impl Strategy<Value = (HostId, Layer)> {
    let layer = prop_oneof![Just(Layer::Project), Just(Layer::User), Just(Layer::Plugin)];
    (prop_oneof![Just(HostId::Cursor), Just(HostId::Claude), Just(HostId::Codex)], layer)
}

/// A seed with some characters replaced, dropped or doubled.
fn mutated() -> impl Strategy<Value = String> {
    let changes =
        prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<char>()), 0..6);
    (0..SEEDS.len(), changes).prop_map(|(seed, changes)| {
        let mut characters: Vec<char> = SEEDS[seed].chars().collect();
        for (at, change, other) in changes {
            let at = at.index(characters.len());
            match change {
                0 => characters[at] = other,
                1 => drop(characters.remove(at)),
                2 => characters.insert(at, characters[at]),
                _ => characters.insert(at, ['"', '{', '}', ',', ':', '\\', '[', '*'][at % 8]),
            }
        }
        characters.into_iter().collect()
    })
}

fn file(text: &str, (host, layer): (HostId, Layer)) -> File {
    File::new("/no/such/place/.x/hooks.json", host, layer, text)
}

fn is_readable(text: &str) -> bool {
    Source::new("x", text).parse().is_ok()
}

fn edits(findings: &[Finding]) -> usize {
    let edits = |finding: &&Finding| matches!(finding.repair, Some(Repair::Edits(_)));
    findings.iter().filter(edits).count()
}

/// Checks the properties for one text.
fn check(text: &str, of: (HostId, Layer)) {
    let options = Options { home: Some("/no/home".into()), ..Options::default() };
    let file = file(text, of);
    let report = lint(std::slice::from_ref(&file), &options);
    for finding in &report.findings {
        assert!(finding.start <= finding.end && finding.start.line >= 1);
        for line in [&finding.message, &finding.cost, &finding.fix] {
            assert!(!line.is_empty(), "{}", finding.rule.id);
        }
        assert!(!finding.cost.contains('\n') && !finding.fix.contains('\n'));
        assert!(finding.repair.is_none() || finding.rule.fixable, "{}", finding.rule.id);
    }
    let fixed = fix(&[file], &options);
    if is_readable(text) {
        assert!(is_readable(&fixed.files[0].text), "{text}\n=>\n{}", fixed.files[0].text);
    } else {
        assert_eq!(fixed.files[0].text, text, "what cannot be read is left alone");
    }
    let again = fix(&fixed.files, &options);
    assert_eq!(again.files[0].text, fixed.files[0].text, "mending twice changes nothing more");
    let left = lint(&fixed.files, &options);
    assert!(edits(&left.findings) <= edits(&report.findings));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>(), of in hosts()) {
        check(&text, of);
    }

    #[test]
    fn json_like_text(text in r#"[{}\[\]:,"a-z0-9 \n*/\\]{0,60}"#, of in hosts()) {
        check(&text, of);
    }

    #[test]
    fn broken_hook_files(text in mutated(), of in hosts()) {
        check(&text, of);
    }

    #[test]
    fn any_command_and_matcher(command in any::<String>(), matcher in any::<String>(), of in hosts()) {
        let (command, matcher) = (serde_json::json!(command), serde_json::json!(matcher));
        let flat = format!(r#"{{"version": 1, "hooks": {{"preToolUse": [{{"command": {command}, "matcher": {matcher}}}]}}}}"#);
        check(&flat, of);
        let group = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": {matcher}, "hooks": [{{"type": "command", "command": {command}}}]}}]}}}}"#);
        check(&group, of);
    }
}

#[test]
fn the_seeds_are_mended_as_far_as_is_safe() {
    for (seed, host) in SEEDS.iter().zip(HostId::ALL) {
        check(seed, (host, Layer::Project));
        let options = Options::default();
        let fixed = fix(&[file(seed, (host, Layer::Project))], &options);
        assert!(!fixed.mended.is_empty());
        let left = lint(&fixed.files, &options);
        assert_eq!(edits(&left.findings), 0, "{host}: {}", fixed.files[0].text);
    }
}

#[test]
fn a_byte_order_mark_stays_and_does_not_shift_anything() {
    let text = "\u{feff}{\"hooks\": {\"stop\": [{\"command\": \"ls\", \"timeout\": 5000}]}}";
    let file = File::new("/x/hooks.json", HostId::Cursor, Layer::Unknown, text);
    let fixed = fix(&[file], &Options::default());
    let wanted =
        "\u{feff}{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"ls\", \"timeout\": 5}]}}";
    assert_eq!(fixed.files[0].text, wanted);
}
