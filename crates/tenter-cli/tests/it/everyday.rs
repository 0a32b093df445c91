//! What users meet every day: one vocabulary, trials without traces, answers that name what was left out.
#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};
use tenter_testkit::Tenter;

use crate::common::Machine;
use crate::user::User;

const POLICY: &str = "home/.config/tenterhook/policy.toml";
const STATE: &str = "home/.local/state/tenterhook";

/// The lines about hosts, without what to do.
fn states(text: &str) -> Vec<String> {
    let titles = ["Cursor", "Claude Code", "Codex"];
    let is_state = |line: &&str| {
        let host = titles.iter().find_map(|title| line.strip_prefix(title));
        host.is_some_and(|rest| {
            rest.trim_start().starts_with("protected") || rest.contains("not protected:")
        })
    };
    text.lines().filter(is_state).map(str::to_owned).collect()
}

#[test]
fn one_state_has_one_word_in_every_command() {
    let machine = Machine::new();
    let ran = machine.run("init --yes");
    assert_eq!(ran.exit, 0, "all was done: {}{}", ran.stdout, ran.stderr);
    let wanted = [
        "Cursor       protected",
        "Claude Code  protected",
        "Codex        protected after you approve the hooks in Codex",
    ];
    assert_eq!(states(&ran.stdout), wanted);
    assert_eq!(states(&machine.run("status").stdout), wanted);
    let proved = machine.run("prove");
    assert_eq!((states(&proved.stdout), proved.exit), (wanted.map(str::to_owned).to_vec(), 1));
    let doctor = machine.run("doctor").stdout;
    for row in [
        " Cursor       user   protected  ",
        " Claude Code  user   protected  ",
        " Codex        user   after approval  ",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&doctor).contains(&squeezed(row)), "{row}: {doctor}");
    }
    let mut words = String::new();
    for command in ["init --yes", "status", "prove", "doctor"] {
        words.push_str(&machine.run(command).stdout);
    }
    for other in ["amber", "RED", "green", " live ", " dead "] {
        assert!(!words.contains(other), "{other}: {words}");
    }
    // A host that is switched off is protected nowhere.
    let settings = machine.read("home/.claude/settings.json");
    let off = settings.replacen('{', "{ \"disableAllHooks\": true,", 1);
    machine.write("home/.claude/settings.json", &off);
    for (command, exit) in [("status", 0), ("prove", 1), ("init --yes", 1)] {
        let ran = machine.run(command);
        let states = states(&ran.stdout);
        assert!(states[1].starts_with("Claude Code  not protected: "), "{command}: {states:?}");
        assert!(states[1].contains("disableAllHooks"), "{command}: {states:?}");
        assert_eq!(ran.exit, exit, "{command}");
    }
}

#[test]
fn a_policy_passes_its_tests_right_after_init_and_repeats_no_guard() {
    for preset in ["minimal", "recommended", "strict", "ci"] {
        let machine = Machine::new();
        // The user's policy does not decide about the tests of a project.
        machine.write(
            POLICY,
            "[[rule]]\nid = \"no-kubectl\"\nwhen = { program = \"kubectl\" }\ndecide = \"deny\"\n",
        );
        let ran =
            machine.run(&format!("init --yes --scope project --hosts claude --preset {preset}"));
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        let tested = machine.run("test");
        assert_eq!((tested.exit, tested.stdout.trim()), (0, "3 passed"), "{preset}");
    }
    let machine = Machine::new();
    machine.run("init --yes --hosts claude");
    for (command, rules) in [
        ("npm publish --dry-run", &[][..]),
        ("cargo publish --help", &[]),
        ("terraform plan -chdir=prod/eu", &[]),
        ("npm publish", &["infrastructure/publish"]),
        ("cargo publish", &["infrastructure/publish"]),
        ("kubectl apply -f deploy/prod/a.yaml", &["production"]),
    ] {
        let line = json!({ "id": 1, "command": command, "cwd": machine.path("repo") });
        let ran = Tenter::finish(machine.command("check --jsonl"), line.to_string());
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["rules"], json!(rules), "{command}: {answer}");
    }
}

#[test]
fn a_trial_is_no_sign_of_life_and_no_record() {
    let machine = Machine::new();
    assert_eq!(machine.run("init --yes --hosts cursor").exit, 0);
    let before = machine.run("prove --json --real never").stdout;
    let mut command = machine.command("fire preToolUse --trust --json");
    command.args(["--set", "tool_name=Shell", "--set", "tool_input.command=rm -rf ~"]);
    let fired = Tenter::finish(command, "");
    let outcome: Value = serde_json::from_str(&fired.stdout).unwrap();
    assert_eq!((&outcome["blocked"], fired.exit), (&json!(true), 1), "{}", fired.stderr);
    assert!(!machine.path(&format!("{STATE}/seen")).exists());
    assert!(!machine.path(&format!("{STATE}/audit")).exists());
    assert!(!machine.path("home/.local/share/tenterhook/anchors").exists());
    assert!(machine.run("sessions").stdout.starts_with("no records yet"));
    assert!(machine.run("status").stdout.contains(" never "));
    assert_eq!(machine.run("prove --json --real never").stdout, before);
}

#[test]
fn a_record_that_is_gone_is_not_called_new() {
    let user = User::new();
    assert_eq!(user.run(&["log"], "").exit, 0, "a new machine");
    user.run(&["hook", "claude"], &user.payload("Bash", &json!({ "command": "ls" })));
    assert!(user.run(&["log"], "").stdout.contains("ls"));
    fs::remove_dir_all(user.state("audit")).unwrap();
    for arguments in [
        &["log"][..],
        &["log", "--json"],
        &["sessions"],
        &["stats"],
        &["show"],
        &["stats", "--json"],
    ] {
        let ran = user.run(arguments, "");
        assert_eq!((ran.exit, ran.stdout.as_str()), (1, ""), "{arguments:?}");
        assert!(ran.stderr.contains("the record is gone"), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: tenter verify"), "{arguments:?}: {}", ran.stderr);
    }
}

/// Denies a call whose input names `make`.
const HANDLER: &str = "[[handler]]\nid = \"mine\"\non = \"shell\"\nrun = [\"sh\", \"-c\", \
    \"grep -q '.tool_input.:{.command.:.make' || exit 0; touch ../ran; echo '{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"by mine\\\"}'\"]\n";

#[test]
fn the_record_names_the_handler_that_denied_and_rules_that_log_deny_nothing() {
    let user = User::new();
    let log = "[[rule]]\nid = \"watch\"\nwhen = { program = \"make\" }\ndecide = \"log\"\n";
    user.policy(&format!("{log}{HANDLER}"));
    user.run(&["hook", "claude"], &user.payload("Bash", &json!({ "command": "make" })));
    let record: Value = serde_json::from_str(&user.run(&["log", "--json"], "").stdout).unwrap();
    let findings = record["findings"].as_array().unwrap();
    let named: Vec<_> = findings.iter().map(|it| (&it["rule"], &it["level"])).collect();
    assert_eq!(
        named,
        [(&json!("watch"), &json!("log")), (&json!("handler/mine"), &json!("deny"))],
        "{record:#}"
    );
    let stats = user.run(&["stats", "--by", "rule", "--json"], "").stdout;
    let stats: Value = serde_json::from_str(&stats).unwrap();
    let groups = stats["groups"].as_array().unwrap();
    let denied = |rule: &str| {
        let group = groups.iter().find(|it| it["name"] == rule);
        group.unwrap_or_else(|| panic!("{stats:#}"))["denied"].clone()
    };
    assert_eq!((denied("handler/mine"), denied("watch")), (json!(1), json!(0)));
}

#[test]
fn handlers_are_run_on_request_and_otherwise_named() {
    let user = User::new();
    user.policy(HANDLER);
    for command in ["check", "explain"] {
        let ran = user.run(&[command, "make all"], "");
        let said = "1 handler not run: mine (--handlers runs it)\n";
        assert_eq!((ran.stdout.contains(said), ran.exit), (true, 0), "{}", ran.stdout);
        assert!(!user.path("ran").exists());
        let ran = user.run(&[command, "--handlers", "make all"], "");
        assert!(ran.stdout.contains("verdict  deny"), "{command}: {}", ran.stdout);
        assert!(ran.stdout.contains("by mine"), "{command}: {}", ran.stdout);
        assert!(user.path("ran").exists());
        fs::remove_file(user.path("ran")).unwrap();
    }
    let line = user.run(&["check", "--jsonl"], "{\"id\":1,\"command\":\"ls\"}\n").stdout;
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["handlers_not_run"], json!(["mine"]));
    user.write("shop/a.tenter-test.toml", "[[test]]\nshell = \"make\"\nexpect = \"deny\"\n");
    let ran = user.run(&["test"], "");
    assert!(ran.stdout.contains("1 handler not run: mine"), "{}", ran.stdout);
    assert_eq!((ran.exit, user.run(&["test", "--handlers"], "").exit), (1, 0));
    // A project's handler needs trust, here as in the hook.
    user.policy("");
    user.write("shop/tenter.toml", HANDLER);
    let ran = user.run(&["check", "--handlers", "make"], "");
    assert_eq!(ran.exit, 0);
    assert!(ran.stderr.contains("is not trusted and does not run"), "{}", ran.stderr);
}

#[test]
fn a_projects_policy_is_replayed_in_its_layer() {
    let user = User::new();
    user.policy("[guards]\ndestructive-git = \"deny\"\n");
    let call = |command: &str| {
        user.run(&["hook", "claude"], &user.payload("Bash", &json!({ "command": command })));
    };
    call("git reset --hard");
    call("deploy");
    let policy = "extends = [\"minimal\"]\n[guards]\ndestructive-git = \"off\"\n\
        [[rule]]\nid = \"no\"\nwhen = { program = \"deploy\" }\ndecide = \"deny\"\n";
    let counts = |file: &str| {
        let file = user.write(file, policy).display().to_string();
        let report = user.run(&["replay", "--json", "--policy", &file], "").stdout;
        let counts = serde_json::from_str::<Value>(&report).unwrap()["counts"].clone();
        (counts["newly_allowed"].clone(), counts["newly_blocked"].clone())
    };
    assert_eq!(counts("other/tenter.toml"), (json!(0), json!(1)), "a project never allows");
    assert_eq!(counts("other/user.toml"), (json!(1), json!(1)));
}

#[test]
fn what_was_meant_is_named() {
    let user = User::new();
    for (on, meant) in
        [("bash", "shell"), ("Bash", "shell"), ("beforeShellExecution", "shell"), ("rm", "delete")]
    {
        user.policy(&format!(
            "[[rule]]\nid = \"a\"\non = \"{on}\"\nwhen = {{ program = \"x\" }}\ndecide = \"ask\"\n"
        ));
        let said = user.run(&["policy", "check"], "").stdout;
        assert!(said.contains(&format!("did you mean `{meant}`?")), "{on}: {said}");
    }
}

#[test]
fn a_policy_shows_what_it_changes_and_counts_the_rest() {
    let user = User::new();
    user.policy("extends = [\"recommended\"]\n[guards]\nsecrets = \"deny\"\n");
    let shown = user.run(&["policy", "show"], "").stdout;
    assert!(!shown.contains("destructive-git/"), "{shown}");
    assert!(shown.contains("secrets/") && shown.lines().count() < 30, "{shown}");
    assert!(shown.contains("by recommended preset, user policy; --all shows them"), "{shown}");
    let all = user.run(&["policy", "show", "--all"], "").stdout;
    let place = |key: &str| all.find(key).unwrap_or_else(|| panic!("{all}"));
    assert!(place("secrets/") < place("destructive-git/"), "first what differs");
}

#[test]
fn personal_data_is_said_to_be_unguarded_with_the_line_that_changes_it() {
    let machine = Machine::new();
    machine.run("init --yes --hosts claude");
    let said = "`pii = \"ask\"` under [guards] of the policy switches it on\n";
    assert!(machine.run("status").stdout.contains(said));
    assert!(machine.read(POLICY).contains("# pii = \"ask\""));
    machine.write(POLICY, "[guards]\npii = \"ask\"\n");
    assert!(!machine.run("status").stdout.contains("pii"));
}

#[test]
fn what_a_project_commits_names_no_home() {
    let machine = Machine::new();
    let script = machine.path("repo/.claude/hooks/no-make.sh");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::write(&script, "#!/bin/sh\necho 'no make today' >&2\nexit 2\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let hook =
        "{\"type\": \"command\", \"command\": \"$CLAUDE_PROJECT_DIR/.claude/hooks/no-make.sh\"}";
    machine.write(
        "repo/.claude/settings.json",
        &format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [{hook}]}}]}}}}"
        ),
    );
    // Not on PATH: the path is written, and said.
    let ran = machine.run("install --yes --scope project --hosts cursor");
    assert!(!ran.stderr.contains("is not on PATH"), "no home path: {}", ran.stderr);
    machine.run("uninstall --yes --scope project");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tenter"), machine.path("bin/tenter")).unwrap();
    let ran = machine.run("init --yes --scope project --hosts cursor,claude,codex --import");
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let folder = machine.path("home").parent().unwrap().display().to_string();
    for (file, has) in [
        ("repo/.cursor/hooks.json", "\"tenter hook cursor\""),
        ("repo/.claude/settings.json", "\"tenter hook claude\""),
        ("repo/.codex/hooks.json", "\"tenter hook codex\""),
        ("repo/tenter.toml", "\"{project}/.claude/hooks/no-make.sh\""),
    ] {
        let text = machine.read(file);
        assert!(text.contains(has), "{file}: {text}");
        assert!(!text.contains(&folder) && !text.contains("/target/"), "{file}: {text}");
    }
    // What is committed works where it lies, also after a move.
    let proved = machine.run("prove --hosts claude --scope project");
    assert_eq!(proved.exit, 0, "{}", proved.stdout);
    assert!(
        proved.stdout.contains("Claude Code  protected in this project\n"),
        "{}",
        proved.stdout
    );
    fs::rename(machine.path("repo"), machine.path("home/moved")).unwrap();
    fs::create_dir_all(machine.path("repo")).unwrap();
    let cwd = machine.path("home/moved").display().to_string();
    let mut explain = machine.command("policy show");
    explain.args(["--cwd", &cwd]);
    let shown = Tenter::finish(explain, "").stdout;
    assert!(shown.contains(&format!("{cwd}/.claude/hooks/no-make.sh")), "{shown}");
    assert_eq!(machine.run("init --yes --scope project --hosts cursor --import").exit, 0);
}

#[test]
fn the_record_goes_to_a_siem_and_to_people() {
    let user = User::new();
    for command in ["ls", "rm -rf ~", "echo '<script>x</script>' && git push --force origin main"] {
        user.run(&["hook", "claude"], &user.payload("Bash", &json!({ "command": command })));
    }
    user.run(&["hook", "claude"], &user.payload("Read", &json!({ "file_path": "a.txt" })));
    let ran = user.run(&["export", "--format", "ecs"], "");
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    let events: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 4);
    let kinds: Vec<_> = events
        .iter()
        .map(|it| (it["event.kind"].as_str().unwrap(), it["event.category"].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [("event", "process"), ("alert", "process"), ("alert", "process"), ("event", "file")]
    );
    let denied = &events[1];
    assert_eq!(denied["event.type"], json!(["start", "denied"]));
    assert_eq!(denied["process.command_line"], "rm -rf ~");
    assert_eq!(
        (&denied["event.severity"], &denied["event.outcome"]),
        (&json!(73), &json!("failure"))
    );
    assert!(denied["rule.name"][0].as_str().unwrap().contains('/'), "{denied:#}");
    assert_eq!(denied["event.sequence"], 2);
    assert!(denied["@timestamp"].as_str().unwrap().ends_with('Z'), "{denied:#}");
    assert_eq!(events[2]["tenterhook.previous_hash"], denied["event.hash"], "the chain goes along");
    let page = user.run(&["export", "--format", "html"], "").stdout;
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("4 events of 1 host:") && page.contains("rm -rf ~"), "{page}");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"), "{page}");
    assert!(page.contains("every record follows from the one before it"), "{page}");
    let ran = user.run(&["export", "--format", "html", "--host", "claude"], "");
    assert_eq!(ran.exit, 2, "{}", ran.stderr);
}

#[test]
fn an_agent_without_support_is_named_and_not_passed_over() {
    let machine = Machine::new();
    machine.write("more/droid", "#!/bin/sh\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(machine.path("more/droid"), mode).unwrap();
    let said = "Factory Droid  not protected: found, but tenter does not support it yet";
    for (line, expected) in [
        ("init --yes --hosts cursor", said),
        ("status", said),
        ("doctor", "Factory Droid was found and is not protected"),
    ] {
        let mut command = machine.command(line);
        let path = command.get_envs().find(|(name, _)| *name == "PATH");
        let path = path.and_then(|(_, path)| path).map(std::ffi::OsStr::to_owned);
        let path = path.or_else(|| std::env::var_os("PATH")).unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([machine.path("more")]);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        let ran = Tenter::finish(command, "");
        assert!(ran.stdout.contains(expected), "{line}: {ran:?}");
        assert_eq!(ran.exit, 0, "{line}: {ran:?}");
    }
}

#[test]
fn mcp_servers_are_listed_with_their_tools_and_what_the_policy_says() {
    let user = User::new();
    user.policy(
        "[guards]\nmcp = { default = \"ask\", deny = [\"*/delete_*\"], allow = [\"notes/*\"] }\n",
    );
    for tool in [
        "mcp__github__search",
        "mcp__github__search",
        "mcp__github__delete_repo",
        "mcp__notes__read",
    ] {
        user.run(&["hook", "claude"], &user.payload(tool, &json!({})));
    }
    let key = ["ghp_", "x7Kq2Lm9Rt4Vw8Zb3Nc6Yd1Pf5Hs0Jg2Ka7Q"].concat();
    user.write(
        ".cursor/mcp.json",
        &format!(r#"{{"mcpServers":{{"github":{{"command":"npx","args":["-y","mcp-github","--token","{key}"]}}}}}}"#),
    );
    user.write(
        ".claude.json",
        r#"{"projects":{"/srv":{"mcpServers":{"idle":{"url":"https://idle.example/mcp"}}}}}"#,
    );
    user.write("shop/.mcp.json", "{ broken");
    let listed = user.run(&["mcp", "list"], "");
    assert!(listed.stderr.contains("./.mcp.json:1: cannot be read as JSON"), "{}", listed.stderr);
    let shown = listed.stdout;
    assert!(!shown.contains(&key) && shown.contains("npx -y mcp-github"), "{shown}");
    let row = |server: &str| -> Vec<&str> {
        let line = shown.lines().find(|line| line.split_whitespace().next() == Some(server));
        line.unwrap_or_else(|| panic!("{shown}")).split_whitespace().collect()
    };
    assert_eq!(row("github")[..4], ["github", "2", "3", "3"], "{shown}");
    assert_eq!(row("notes")[..4], ["notes", "1", "1", "0"], "{shown}");
    assert!(row("github").contains(&"deny") && row("github").contains(&"~/.cursor/mcp.json:1"));
    let idle = ["idle", "0", "0", "0", "-", "ask", "~/.claude.json:1", "https://idle.example/mcp"];
    assert_eq!(row("idle"), idle, "{shown}");
    assert!(row("notes").join(" ").contains("not found"), "{shown}");
    let servers: Value =
        serde_json::from_str(&user.run(&["mcp", "list", "--json"], "").stdout).unwrap();
    let tools = json!([
        { "tool": "delete_repo", "calls": 1, "policy": "deny" },
        { "tool": "search", "calls": 2, "policy": "ask" },
    ]);
    assert_eq!(servers[0]["tools"], tools, "{servers:#}");
    assert_eq!(servers[0]["configured_in"], json!(["~/.cursor/mcp.json:1"]), "{servers:#}");
    let schema = serde_json::from_str(&user.run(&["schema", "mcp"], "").stdout).unwrap();
    assert!(jsonschema::is_valid(&schema, &servers), "{servers:#}");
}
