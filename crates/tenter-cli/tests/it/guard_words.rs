//! Messages of the guard for special cases: asked, listed, omitted or unavailable.

use serde_json::Value;

use crate::user::User;

#[test]
fn an_exception_that_would_not_count_is_not_written() {
    let user = User::new();
    user.write(".config/tenterhook/team/policy.toml", "[guards]\nbypass = \"deny\"\n");
    let says = |rule: &str, expires: &str, expected: &str| {
        let args = ["allow", "rule", rule, "--reason", "x", "--dry-run", "--expires", expires];
        let ran = user.run(&args, "");
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(expected), "{ran:?}");
    };
    says("destructive-git/discrd", "2099-01-31", "did you mean `destructive-git/discard-changes`?");
    says("destructiv-git", "2099-01-31", "did you mean `destructive-git`?");
    says("bypass/hooks", "2099-01-31", "no guard, check or rule");
    says("bypass", "2099-01-31", "is set by the team policy, which yours cannot loosen");
    says("secrets/written", "soon", "`soon` is not a date; write it as 2026-12-31");
    says("secrets/written", "2026-13-31", "is not a date");
    says("secrets/written", "2020-01-01", "2020-01-01 has passed");
    says("secrets/written", "2099-01-31", "expires = 2099-01-31");
}

#[test]
fn what_the_team_decides_is_not_offered_as_an_exception_of_ones_own() {
    let user = User::new();
    let told = || user.run(&["check", "--json", "--", "git reset --hard"], "").stdout;
    assert!(told().contains("tenter allow rule destructive-git/discard-changes"), "{}", told());
    user.write(".config/tenterhook/team/policy.toml", "[guards]\ndestructive-git = \"deny\"\n");
    assert!(
        told().contains("Set by the team policy; ask its maintainers to change it."),
        "{}",
        told()
    );
}

#[test]
fn lists_of_tools_are_told_by_the_file_that_holds_them() {
    let user = User::new();
    user.policy("[guards]\nsecrets = 'ask'\nmcp = { default = 'ask', deny = ['*/drop_*'] }\n");
    for tool in ["shop/list", "shop/drop_all"] {
        let told = user.run(&["check", "--mcp", tool], "").stdout;
        assert!(told.contains("set by: user policy, ") && told.contains("policy.toml:3"), "{told}");
    }
}

#[test]
fn a_batch_may_begin_with_a_mark_and_says_what_a_line_lacks() {
    let user = User::new();
    let lines = "\u{feff}{\"id\":1,\"command\":\"ls\"}\n{\"id\":2,\"command\":5}\n{\"id\":3,\"host\":\"claude\"}\n{\"id\":\n";
    let ran = user.run(&["check", "--jsonl"], lines);
    let answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["decision"], "none");
    let faults: Vec<&str> =
        answers[1..].iter().map(|answer| answer["error"].as_str().unwrap()).collect();
    assert!(faults[0].starts_with("`command` is not a string; a line is {"), "{faults:?}");
    assert!(faults[1].starts_with("`host` needs a `payload`"), "{faults:?}");
    assert!(
        !faults[2].contains("line 1"),
        "the line is told by its number in the batch: {faults:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_list_of_keys_is_none_and_a_search_through_secrets_is_told_by_its_names() {
    let user = User::new();
    user.write(".ssh/id_rsa", "x");
    std::os::unix::fs::symlink(user.path(".ssh"), user.path("shop/notes")).unwrap();
    let decision = |tool: &str, input: Value| {
        let ran = user.run(&["check", "--json", "--payload", "-"], &user.payload(tool, &input));
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["decision"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    };
    assert_eq!(decision("LS", serde_json::json!({ "path": "../.ssh" })), "none");
    assert_eq!(decision("Grep", serde_json::json!({ "pattern": ".", "path": "../.ssh" })), "deny");
    let grep = |glob: &str, mode: &str| {
        decision("Grep", serde_json::json!({ "pattern": "KEY", "glob": glob, "output_mode": mode }))
    };
    assert_eq!(grep(".env*", "content"), "ask");
    assert_eq!(grep(".env*", "files_with_matches"), "none");
    assert_eq!(grep("*.ts", "content"), "none");
    assert_eq!(
        decision("Bash", serde_json::json!({ "command": "cat notes/*" })),
        "deny",
        "through the link"
    );
}

#[cfg(unix)]
#[test]
fn a_pattern_below_a_link_is_about_where_the_link_leads() {
    let user = User::new();
    let link =
        |to: &str, from: &str| std::os::unix::fs::symlink(user.path(to), user.path(from)).unwrap();
    user.write("shop/dist/a.js", "");
    link("", "shop/out");
    link("shop/dist", "shop/build");
    let decision = |command: &str| {
        let ran = user.run(&["check", "--json", "--", command], "");
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["decision"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    };
    assert_eq!(decision("rm -rf out/*"), "deny", "the home");
    assert_eq!(decision("rm -rf out/shop/dist/*"), "none", "back in the project");
    assert_eq!(decision("rm -rf build/*"), "none", "inside the project");
    assert_eq!(decision("rm -rf dist/*"), "none");
}
