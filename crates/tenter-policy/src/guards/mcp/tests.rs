use tenter_model::{Action, Body, Event, McpIdentity};

use super::GUARD;
use crate::policy::{Policy, Value};
use crate::{Level, Preset, Sample, World, judge};

fn event(identity: McpIdentity<'_>) -> Event<'_> {
    let mut event = Sample::Mcp("x/y").event(Some("/home/me/shop"));
    if let Body::PreToolUse(call) = &mut event.body {
        call.actions = vec![Action::Mcp(identity)];
    }
    event
}

fn called(name: &str) -> McpIdentity<'_> {
    let (server, tool) = name.split_once('/').unwrap();
    let server = Some(server.into()).filter(|server| *server != "?");
    McpIdentity { server, tool: tool.into(), ..McpIdentity::default() }
}

fn policy(preset: Preset, options: &[(&str, &[&str])], default: Option<Level>) -> Policy {
    let mut policy = Policy::preset(preset);
    let at = crate::guards::GUARDS.iter().position(|guard| guard.id == GUARD.id).unwrap();
    let setting = &mut policy.settings[at];
    for (name, patterns) in options {
        let patterns: Vec<String> = patterns.iter().map(|it| (*it).to_owned()).collect();
        if *name == "allow" {
            setting.allow = patterns;
        } else {
            setting.options.push(((*name).to_owned(), Value::Patterns(patterns)));
        }
    }
    setting.options.extend(default.map(|level| ("default".to_owned(), Value::Level(level))));
    policy
}

/// The findings with their level: `ask denied`.
fn judged(policy: &Policy, identity: McpIdentity<'_>) -> Vec<String> {
    let found = judge(policy, &event(identity), &World::default()).findings;
    found
        .iter()
        .filter_map(|found| Some(format!("{} {}", found.level, found.rule.strip_prefix("mcp/")?)))
        .collect()
}

#[test]
fn lists_decide_and_the_tighter_one_wins() {
    let lists: &[(&str, &[&str])] = &[
        ("allow", &["github/*", "files"]),
        ("deny", &["*/delete_*", "evil"]),
        ("ask", &["github/merge_*"]),
    ];
    let policy = policy(Preset::Recommended, lists, Some(Level::Ask));
    let nothing: [&str; 0] = [];
    assert_eq!(judged(&policy, called("github/create_issue")), nothing);
    assert_eq!(judged(&policy, called("files/read")), nothing);
    assert_eq!(judged(&policy, called("github/delete_repository")), ["deny denied"]);
    assert_eq!(judged(&policy, called("evil/read")), ["deny denied"]);
    assert_eq!(judged(&policy, called("github/merge_pull_request")), ["ask asked"]);
    assert_eq!(judged(&policy, called("other/read")), ["ask unlisted"]);
    assert_eq!(judged(&policy, called("?/create_issue")), ["ask unlisted"]);
    assert_eq!(judged(&policy, called("x/github/read")), ["ask unlisted"]);
}

#[test]
fn a_plugin_cannot_pass_for_the_users_own_server() {
    let lists: &[(&str, &[&str])] = &[("allow", &["github/*"]), ("deny", &["jira/*"])];
    let policy = policy(Preset::Recommended, lists, Some(Level::Deny));
    let brought = |name| McpIdentity { plugin: Some("extra".into()), ..called(name) };
    assert!(judged(&policy, called("github/read")).is_empty());
    assert_eq!(judged(&policy, brought("github/read")), ["deny unlisted"]);
    assert_eq!(judged(&policy, brought("jira/read")), ["deny denied"]);
}

#[test]
fn only_known_servers_pass_and_only_where_they_were() {
    let servers: &[&str] =
        &["github=https://api.example.com/mcp/", "pg=npx -y pg-mcp@*", "notes", "ci*"];
    let policy =
        policy(Preset::Recommended, &[("servers", servers), ("allow", &["github/*"])], None);
    let at = |name, url: &'static str| McpIdentity { url: Some(url.into()), ..called(name) };
    let by = |name, run: &'static str| McpIdentity { command: Some(run.into()), ..called(name) };
    let nothing: [&str; 0] = [];
    assert_eq!(judged(&policy, called("github/read")), nothing);
    assert_eq!(judged(&policy, at("github/read", "https://api.example.com/mcp")), nothing);
    assert_eq!(
        judged(&policy, at("github/read", "https://evil.example.com/mcp/")),
        ["deny changed-server"]
    );
    assert_eq!(judged(&policy, by("github/read", "node evil.js")), ["deny changed-server"]);
    assert_eq!(judged(&policy, by("pg/query", "npx  -y pg-mcp@1.2")), nothing);
    assert_eq!(judged(&policy, by("pg/query", "/tmp/npx -y pg-mcp@1.2")), ["deny changed-server"]);
    assert_eq!(judged(&policy, by("notes/read", "anything")), nothing);
    assert_eq!(judged(&policy, called("ci-west/read")), nothing);
    assert_eq!(judged(&policy, called("other/read")), ["ask unknown-server"]);
    assert_eq!(judged(&policy, called("?/read")), ["ask unknown-server", "log unlisted"]);
}

#[test]
fn a_list_asks_whatever_the_preset_unless_it_denies() {
    let lists: &[(&str, &[&str])] = &[("ask", &["a/b"])];
    for (preset, expected) in [
        (Preset::Minimal, "ask asked"),
        (Preset::Recommended, "ask asked"),
        (Preset::Strict, "deny asked"),
        (Preset::Ci, "deny asked"),
    ] {
        assert_eq!(judged(&policy(preset, lists, None), called("a/b")), [expected], "{preset}");
    }
}

#[test]
fn names_are_taken_apart_into_words() {
    assert_eq!(super::words("deleteAllFiles"), ["delete", "all", "files"]);
    assert_eq!(super::words("delete-all_files"), ["delete", "all", "files"]);
    assert_eq!(super::words("undelete"), ["undelete"]);
    assert_eq!(super::words("runSQL"), ["run", "sql"]);
    assert!(super::words("__").is_empty());
}
