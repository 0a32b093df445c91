//! Output for people and editors.

use tenter_model::Object;
use tenter_policy::guards::GUARDS;
use tenter_policy::policy::{Layer, schema, show};

use super::load;

fn line(text: &show::Line) -> String {
    format!("{} {} = {} ({})", text.section, text.key, text.value, text.origin)
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let policy = load(&[
        (
            Layer::User,
            "extends = ['strict']\n[fail]\nguard = 'closed'\n[guards]\nunverified = { checks = { syntax = \
             'off' }, allow = ['x/**'] }\n[[allow]]\nrule = 'secrets'\nreason = 'fixtures'\n",
        ),
        (
            Layer::Project,
            "[[rule]]\nid = 'r'\non = ['shell', 'PostToolUse:Edit']\ndecide = 'log'\nlimit = 2\n[[handler]]\n\
             id = 'h'\non = 'any'\nrun = ['a', 'b']\n",
        ),
    ]);
    let lines: Vec<String> = show::show(&policy).iter().map(line).collect();
    for expected in [
        "fail guard = closed (user policy, user.toml:3)",
        "fail handler = open (built-in preset)",
        "guards unverified/unreadable = deny (strict preset, user policy)",
        "guards unverified/syntax = off (user policy, user.toml:5)",
        "guards unverified.allow = x/** (user policy, user.toml:5)",
        "rule r = log on shell, PostToolUse:Edit, after the first 2 (project policy, project.toml:1)",
        "allow secrets = fixtures (user policy, user.toml:6)",
        "handler h = a b (project policy, project.toml:6)",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}\n{}", lines.join("\n"));
    }
    for guard in GUARDS {
        for check in guard.checks {
            let start = format!("guards {}/{} = ", guard.id, check.id);
            assert_eq!(lines.iter().filter(|line| line.starts_with(&start)).count(), 1, "{start}");
        }
    }
}

#[test]
fn the_schema_is_json_and_names_every_guard() {
    let text = schema::text();
    let schema = Object::parse(&text).expect("JSON");
    let properties = schema.object("properties").unwrap();
    for key in
        ["version", "extends", "fail", "record", "guards", "rule", "allow", "handler", "test"]
    {
        assert!(properties.has(key), "{key}");
    }
    let guards = properties.object("guards").unwrap().object("properties").unwrap();
    for guard in GUARDS {
        assert!(guards.has(guard.id), "{}", guard.id);
    }
    let definitions = schema.object("$defs").unwrap();
    let mut references = 0;
    for piece in text.split("#/$defs/").skip(1) {
        let name = piece.split('"').next().unwrap();
        assert!(definitions.has(name), "{name}");
        references += 1;
    }
    assert!(references > 20, "{references}");
}

#[test]
fn the_schema_knows_the_same_keys_as_the_reader() {
    let text = schema::text();
    let schema = Object::parse(&text).unwrap();
    let definitions = schema.object("$defs").unwrap();
    let top = schema.object("properties").unwrap();
    let cases = [
        ("fail", "[fail]\nzzz = 1\n"),
        ("record", "[record]\nzzz = 1\n"),
        ("rule", "[[rule]]\nzzz = 1\n"),
        ("rule.when", "[[rule]]\nid = 'a'\ndecide = 'ask'\nwhen = { zzz = 1 }\n"),
        ("allow", "[[allow]]\nzzz = 1\n"),
        ("handler", "[[handler]]\nzzz = 1\n"),
        ("test", "[[test]]\nzzz = 1\n"),
    ];
    for (key, file) in cases {
        let name = key.rsplit('.').next().unwrap();
        let described = definitions.object(name).or_else(|| top.object(name)).unwrap();
        let properties = described.object("properties").unwrap();
        let mut described: Vec<String> =
            properties.entries().iter().map(|(key, _)| key.to_string()).collect();
        let policy = load(&[(Layer::User, file)]);
        let start = format!("unknown key `zzz` of `{key}`; known: ");
        let said = policy.broken.iter().find_map(|it| it.message.strip_prefix(&start)).unwrap();
        let mut read: Vec<String> = said.split(", ").map(str::to_owned).collect();
        described.sort();
        read.sort();
        assert_eq!(described, read, "{key}");
    }
}

#[test]
fn what_has_expired_is_said_and_the_last_day_is_shown() {
    let text = "[[rule]]\nid = 'r'\non = 'shell'\ndecide = 'ask'\nexpires = 2026-03-31\n\n[[allow]]\nrule = \
                'secrets'\nreason = 'fixtures'\nexpires = 2026-12-31\n";
    let policy = load(&[(Layer::User, text)]);
    let lines: Vec<String> = show::show(&policy).iter().map(line).collect();
    for expected in [
        "rule r = ask on shell, until 2026-03-31 (user policy, user.toml:1)",
        "allow secrets = fixtures, until 2026-12-31 (user policy, user.toml:7)",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}\n{}", lines.join("\n"));
    }
    // The last second of the day, and the one after.
    let last = 1_775_001_599;
    assert_eq!(show::expired(&policy, last), []);
    let expired: Vec<String> =
        show::expired(&policy, last + 1).iter().map(ToString::to_string).collect();
    assert_eq!(
        expired,
        ["user.toml:1:1: the rule `r` has expired on 2026-03-31; it is not used any more"]
    );
}
