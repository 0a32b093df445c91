//! Settings of the record.

use tenter_policy::Policy;
use tenter_policy::policy::image::{Sources, decode_any, encode};
use tenter_policy::policy::{
    EmailMode, FailMode, Layer, LayerText, RecordLevel, RecordPolicy, Redaction, Severity,
    SyncMode, show,
};

use super::load;
use Layer::{Managed, Project, Team, User};

const FULL: &str = "[fail]\nrecord = 'closed'\n[record]\nlevel = 'full'\nredact = ['ACME-[0-9]{6}', \
                    'kestrel']\nemail = 'drop'\nkeep = '4w'\nsync = 'stops'\n";

#[track_caller]
fn warnings(policy: &Policy) -> Vec<String> {
    assert!(policy.broken.is_empty(), "{:?}", policy.broken);
    assert!(policy.problems.iter().all(|it| it.severity == Severity::Warning));
    policy.problems.iter().map(ToString::to_string).collect()
}

fn patterns(policy: &Policy) -> Vec<&str> {
    policy.record.redact.iter().map(Redaction::as_str).collect()
}

#[test]
fn without_a_word_about_it_the_defaults_hold() {
    let record = load(&[(User, "extends = 'strict'\n")]).record;
    assert_eq!(record, RecordPolicy::default());
    assert_eq!(record.level, RecordLevel::Standard);
    assert_eq!(record.email, EmailMode::Hash);
    assert_eq!(record.keep_days, Some(90));
    assert_eq!(record.sync, SyncMode::Off);
    assert_eq!(load(&[]).fail.record, FailMode::Open);
}

#[test]
fn a_file_says_how_calls_are_recorded() {
    let policy = load(&[(User, FULL)]);
    assert_eq!(warnings(&policy), [""; 0]);
    assert_eq!(policy.record.level, RecordLevel::Full);
    assert_eq!(policy.record.email, EmailMode::Drop);
    assert_eq!(policy.record.keep_days, Some(28));
    assert_eq!(policy.record.sync, SyncMode::Stops);
    assert_eq!(policy.fail.record, FailMode::Closed);
    assert_eq!(policy.record.redact("kestrel ACME-000001"), "[redacted] [redacted]");
    assert_eq!(load(&[(User, "[record]\nkeep = 'forever'\n")]).record.keep_days, None);
}

#[test]
fn the_first_layer_from_the_top_decides_what_is_recorded() {
    let below = "[record]\nlevel = 'full'\nemail = 'keep'\nkeep = 'forever'\n";
    let above = "[record]\nlevel = 'minimal'\nemail = 'hash'\nkeep = '30d'\n";
    let policy = load(&[(User, below), (Managed, above)]);
    assert_eq!(policy.record.level, RecordLevel::Minimal);
    assert_eq!(policy.record.email, EmailMode::Hash);
    assert_eq!(policy.record.keep_days, Some(30));
    assert_eq!(
        warnings(&policy),
        [
            "user.toml:2:9: `level` stays at minimal as the managed policy has it",
            "user.toml:3:9: `email` stays at hash as the managed policy has it",
            "user.toml:4:8: `keep` stays at 30d as the managed policy has it",
        ]
    );
    let policy = load(&[(Managed, "[record]\nemail = 'drop'\n"), (User, below)]);
    assert_eq!(policy.record.level, RecordLevel::Full);
    assert_eq!(warnings(&policy).len(), 1);
    assert_eq!(warnings(&load(&[(Managed, above), (User, above)])), [""; 0]);
}

#[test]
fn patterns_of_all_layers_add_up() {
    let policy = load(&[
        (User, "[record]\nredact = ['c', 'a']\n"),
        (Managed, "[record]\nredact = ['a', 'b']\n"),
    ]);
    assert_eq!(patterns(&policy), ["a", "b", "c"]);
    assert_eq!(warnings(&policy), [""; 0]);
}

#[test]
fn what_makes_the_record_surer_can_only_be_tightened() {
    let sync = |above: &str, below: &str| {
        let of = |mode: &str| format!("[record]\nsync = '{mode}'\n");
        let policy = load(&[(Team, &of(above)), (User, &of(below))]);
        (policy.record.sync, warnings(&policy))
    };
    assert_eq!(sync("off", "stops"), (SyncMode::Stops, Vec::new()));
    assert_eq!(sync("stops", "all"), (SyncMode::All, Vec::new()));
    let said = "user.toml:2:8: `sync` stays at all; a user policy can only tighten";
    assert_eq!(sync("all", "off"), (SyncMode::All, vec![said.to_owned()]));
    let fail = |layer: Layer, above: &str, below: &str| {
        let of = |mode: &str| format!("[fail]\nrecord = '{mode}'\n");
        let policy = load(&[(Team, &of(above)), (layer, &of(below))]);
        (policy.fail.record, warnings(&policy).len())
    };
    assert_eq!(fail(User, "open", "closed"), (FailMode::Closed, 0));
    assert_eq!(fail(User, "closed", "open"), (FailMode::Closed, 1));
    assert_eq!(fail(Project, "open", "closed"), (FailMode::Closed, 0));
    assert_eq!(fail(Project, "closed", "open"), (FailMode::Closed, 1));
}

#[test]
fn a_project_has_no_say_in_what_is_recorded() {
    let policy = load(&[(User, FULL), (Project, "\n[record]\nlevel = 'minimal'\n")]);
    let said: Vec<String> = policy.broken.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "project.toml:2:1: [record] cannot stand in a project policy, which may not say how calls are \
          recorded; move it to the user policy"
        ]
    );
    assert_eq!(policy.record.level, RecordLevel::Full);
}

#[test]
fn what_a_broken_file_wants_to_be_kept_out_stays_out() {
    use EmailMode::{Drop, Hash};
    use RecordLevel::{Minimal, Standard};
    const WISH: &str = "[record]\nredact = ['ACME-[0-9]{6}']\n";
    let rule = "[[rule]]\nid = 'x'\non = 'nothing'\n";
    let of = |layer: Layer, text: &str| {
        let policy = load(&[(layer, text)]);
        assert!(!policy.broken.is_empty(), "{text}");
        let RecordPolicy { level, email, .. } = policy.record;
        (level, email, policy.record.redact.len())
    };
    for (text, wanted) in [
        // The mistake is elsewhere: `[record]` can be read.
        (format!("{WISH}{rule}"), (Standard, Hash, 1)),
        (format!("{WISH}level = 'minimal'\nemail = 'drop'\n{rule}"), (Minimal, Drop, 1)),
        // It asks for more than is kept anyway.
        (format!("{WISH}level = 'full'\nemail = 'keep'\n{rule}"), (Standard, Hash, 1)),
        (rule.to_owned(), (Standard, Hash, 0)),
        // Its value is unknown.
        (format!("{WISH}level = 'mnimal'\n"), (Minimal, Drop, 0)),
        ("[recrod]\nlevel = 'minimal'\n".to_owned(), (Minimal, Drop, 0)),
        (format!("version = 2\n{WISH}"), (Minimal, Drop, 0)),
        (format!("{WISH}[[rule"), (Minimal, Drop, 0)),
        // It does not mention the record.
        ("[guards\nsecrets = 'deny'\n".to_owned(), (Standard, Hash, 0)),
    ] {
        assert_eq!(of(User, &text), wanted, "{text}");
        assert_eq!(of(Project, &text), (Standard, Hash, 0), "a project has no say: {text}");
    }
    let unreadable = LayerText { layer: Managed, path: "m", text: Err("denied".to_owned()) };
    assert_eq!(Policy::load(&[unreadable]).record.level, Minimal);
    // Breaking one's own file does not override a higher layer.
    let user = format!("{WISH}level = 'minimal'\n{rule}");
    let policy = load(&[(Managed, "[record]\nlevel = 'full'\n"), (User, &user)]);
    assert_eq!(
        (policy.record.level, patterns(&policy)),
        (RecordLevel::Full, vec!["ACME-[0-9]{6}"])
    );
    let shown = show::show(&load(&[(User, "[recrod]\n")]));
    let level = shown.iter().find(|line| line.section == "record" && line.key == "level").unwrap();
    assert_eq!(
        (level.value.as_str(), level.origin.as_str()),
        ("minimal", "user policy, user.toml:1")
    );
}

#[test]
fn mistakes_about_the_record_are_named() {
    let policy = load(&[(
        User,
        "[fail]\nrecord = 'ask'\n[record]\nlevl = 'full'\nlevel = 'off'\nredact = ['(', 'x*', ' ', 3]\n\
         email = 'hsh'\nkeep = '0d'\nsync = true\n",
    )]);
    let said: Vec<String> = policy.broken.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "user.toml:2:10: unknown fail mode `ask`; known: open, closed",
            "user.toml:4:1: unknown key `levl` of `record`; did you mean `level`? known: level, redact, email, \
             keep, sync",
            "user.toml:5:9: unknown level `off`; known: minimal, standard, full",
            "user.toml:6:11: `(` cannot be a pattern: found open group without closing ')'",
            "user.toml:6:16: `x*` cannot be a pattern: it also fits a text without any letters",
            "user.toml:6:22: `redact` is empty; say something or leave it out",
            "user.toml:6:27: `redact` must be a string, not a number",
            "user.toml:7:9: unknown email `hsh`; did you mean `hash`? known: hash, keep, drop",
            "user.toml:8:8: `0d` is no number of days; write `90d`, `12w` or `forever`",
            "user.toml:9:8: `sync` must be one of off, stops, all, not true or false",
        ]
    );
}

#[test]
fn the_image_keeps_what_is_recorded() {
    let policy = load(&[(User, FULL)]);
    let image = decode_any(&encode(&policy, &Sources::default())).unwrap().policy;
    assert_eq!(image.record, policy.record);
    assert_eq!(image.fail, policy.fail);
    assert_eq!(image.record.redact("ACME-123456"), "[redacted]");
}

#[test]
fn what_is_recorded_is_shown_with_its_origin() {
    let policy = load(&[(User, FULL), (Managed, "[record]\nkeep = 'forever'\n")]);
    let lines: Vec<String> = show::show(&policy)
        .iter()
        .filter(|line| line.section == "record" || line.key == "record")
        .map(|it| format!("{} {} = {} ({})", it.section, it.key, it.value, it.origin))
        .collect();
    assert_eq!(
        lines,
        [
            "fail record = closed (user policy, user.toml:2)",
            "record level = full (user policy, user.toml:4)",
            "record email = drop (user policy, user.toml:6)",
            "record keep = forever (managed policy, managed.toml:2)",
            "record sync = stops (user policy, user.toml:8)",
            "record redact = ACME-[0-9]{6} (user policy, user.toml:5)",
            "record redact = kestrel (user policy, user.toml:5)",
        ]
    );
    let lines = show::show(&load(&[]));
    let level = lines.iter().find(|line| line.section == "record" && line.key == "level").unwrap();
    assert_eq!((level.value.as_str(), level.origin.as_str()), ("standard", "built-in preset"));
}
