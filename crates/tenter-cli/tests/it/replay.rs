//! Replaying recorded calls under another policy.

use std::fs;

use serde_json::{Value, json};
use tenter_audit::Spool;
use tenter_audit::record::{Deed, FindingRecord, Kept, Record, VerdictRecord};
use tenter_model::RecordLevel;
use tenter_testkit::Ran;

use crate::user::User;

impl User {
    /// Makes a real call; the answer does not matter here.
    fn call(&self, tool: &str, input: &Value) {
        let ran = self.run(&["hook", "claude"], &self.payload(tool, input));
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
    }

    fn call_shell(&self, command: &str) {
        self.call("Bash", &json!({ "command": command }));
    }

    /// Writes a file, and returns its path as an argument.
    fn file(&self, name: &str, text: &str) -> String {
        self.write(name, text).display().to_string()
    }

    /// Adds a made-up record.
    fn record(&self, record: &Record<'_>) {
        let spool = Spool::of_state(&self.state(""));
        spool.append(serde_json::to_string(record).unwrap(), false).unwrap();
    }

    fn replay(&self, arguments: &[&str]) -> Ran {
        self.run(&[&["replay"], arguments].concat(), "")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.replay(&[&["--json"], arguments].concat());
        assert!(ran.exit < 2, "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Newly blocked, newly asked, newly allowed, eased, unchanged, unknown.
    fn counts(&self, arguments: &[&str]) -> [u64; 6] {
        let counts = &self.json(arguments)["counts"];
        ["newly_blocked", "newly_asked", "newly_allowed", "eased", "unchanged", "cannot_tell"]
            .map(|key| counts[key].as_u64().unwrap())
    }
}

const NO_DEPLOY: &str =
    "[[rule]]\nid = 'no-deploy'\nwhen = { program = 'deploy' }\ndecide = 'deny'\n";

#[test]
fn a_tighter_policy_shows_what_it_would_block() {
    let user = User::new();
    for command in ["ls", "deploy --now", "rm -rf ~", "sudo deploy \u{1b}[31m", "git reset --hard"]
    {
        user.call_shell(command);
    }
    let file = user.file("new.toml", NO_DEPLOY);
    assert_eq!(user.counts(&["--policy", &file]), [2, 0, 0, 0, 3, 0]);
    let report = user.json(&["--policy", &file]);
    assert_eq!(report["records"], 5);
    assert_eq!(report["policy"], file);
    let group = &report["groups"][0];
    assert_eq!(
        (&group["change"], &group["rule"], &group["count"]),
        (&json!("newly_blocked"), &json!("no-deploy"), &json!(2))
    );
    let example = &group["examples"][0];
    assert_eq!((&example["was"], &example["now"]), (&json!("none"), &json!("deny")));
    assert_eq!((&example["subject"], &example["host"]), (&json!("deploy --now"), &json!("claude")));
    let ran = user.replay(&["--policy", &file, "--examples", "1"]);
    assert_eq!(ran.exit, 0);
    assert!(ran.stdout.contains("         2  newly blocked"), "{}", ran.stdout);
    assert!(ran.stdout.contains("       2  no-deploy\n"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("deploy").count(), 2, "one example: {}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    assert_eq!(ran.stderr, "", "no bar where there is no terminal");
}

#[test]
fn a_call_that_cursor_tells_of_twice_counts_once() {
    let user = User::new();
    let call = |event: &str, more: Value| {
        let mut payload = json!({
            "hook_event_name": event, "conversation_id": "c", "generation_id": "g",
            "cursor_version": "3.21.16", "workspace_roots": [user.shop()], "cwd": user.shop(),
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let ran = user.run(&["hook", "cursor"], &payload.to_string());
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
    };
    let generic = |id: &str, tool: &str, input: Value| {
        call("preToolUse", json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }));
    };
    for id in ["1", "2"] {
        generic(id, "Shell", json!({ "command": "deploy now" }));
        call("beforeShellExecution", json!({ "command": "deploy now" }));
    }
    let query = json!({ "query": "SELECT 1" });
    generic("3", "MCP:run_sql", query.clone());
    let server = json!({ "tool_name": "run_sql", "tool_input": query.to_string(), "mcp_server_name": "pg", "command": "x" });
    call("beforeMCPExecution", server);
    let file = user.file("new.toml", NO_DEPLOY);
    assert_eq!(user.counts(&["--policy", &file]), [2, 0, 0, 0, 1, 0]);
    assert_eq!(user.json(&["--policy", &file])["counts"]["passed_over"], 3);
    // Information in only one of the two events is not lost.
    let rule = "[[rule]]\nid = 'no-pg'\non = 'mcp'\nwhen = { mcp = 'pg/*' }\ndecide = 'deny'\n";
    let file = user.file("pg.toml", rule);
    assert_eq!(user.counts(&["--policy", &file])[0], 1);
}

#[test]
fn a_budget_of_new_blocks_decides_the_exit_code() {
    let user = User::new();
    user.call_shell("deploy a");
    user.call_shell("deploy b");
    let file = user.file("new.toml", NO_DEPLOY);
    for (budget, exit) in [("0", 1), ("1", 1), ("2", 0)] {
        let ran = user.replay(&["--policy", &file, "--max-new-blocks", budget]);
        assert_eq!(ran.exit, exit, "{budget}: {}", ran.stdout);
    }
    assert_eq!(user.json(&["--policy", &file, "--max-new-blocks", "1"])["exceeded"], true);
    assert_eq!(user.replay(&["--max-new-blocks", "0"]).exit, 0, "the policy is the same");
}

#[test]
fn the_policies_that_hold_now_are_compared_with_those_of_then() {
    let user = User::new();
    user.policy("[guards]\nsecrets = 'deny'\n[[rule]]\nid = 'x'\ndecide = 'deny'\nwhen = { program = 'x' }\n");
    user.call_shell("x");
    user.call_shell("git reset --hard");
    user.call("Write", &json!({ "file_path": user.shop().join("a.py"), "content": "x = 1\n" }));
    user.call("Read", &json!({ "file_path": user.shop().join("a.py") }));
    assert_eq!(user.counts(&[]), [0, 0, 0, 0, 4, 0]);
    user.policy("[guards]\nsecrets = 'ask'\ndestructive-git = 'deny'\n");
    assert_eq!(user.counts(&[]), [1, 0, 1, 0, 3 - 1, 0]);
    // A project's policy applies to the calls that happened there.
    user.write(
        "shop/tenter.toml",
        "[[rule]]\nid = 'y'\ndecide = 'deny'\nwhen = { program = 'x' }\n",
    );
    assert_eq!(user.counts(&[]), [1, 0, 0, 0, 3, 0]);
}

#[test]
fn what_was_not_recorded_is_not_guessed() {
    let user = User::new();
    let path = user.shop().join("a.py");
    user.call("Write", &json!({ "file_path": path, "content": "import evil\n" }));
    let rule =
        "[[rule]]\nid = 'evil'\non = 'write'\ndecide = 'deny'\nwhen = { content = 'evil' }\n";
    let file = user.file("new.toml", rule);
    let report = user.json(&["--policy", &file]);
    assert_eq!(report["counts"]["cannot_tell"], 1);
    assert_eq!(
        report["cannot_tell"],
        json!([{ "missing": "what is written", "why": "left_out", "rule": "evil", "count": 1 }])
    );
    let told = user.replay(&["--policy", &file]).stdout;
    assert!(told.contains("1  what is written was not recorded, which evil may look at"), "{told}");
    let elsewhere = user.file("other.toml", &rule.replace("content", "path = '*.rb', content"));
    assert_eq!(user.counts(&["--policy", &elsewhere]), [0, 0, 0, 0, 1, 0]);
    // With recorded content there is an answer.
    let user = User::new();
    user.policy("[record]\nlevel = 'full'\n");
    user.call("Write", &json!({ "file_path": path, "content": "import evil\n" }));
    let other = user.shop().join("b.py");
    user.call("Write", &json!({ "file_path": other, "content": "import good\n" }));
    let file = user.file("new.toml", rule);
    let report = user.json(&["--policy", &file]);
    assert_eq!(user.counts(&["--policy", &file]), [1, 0, 0, 0, 1, 0], "{report:#}");
}

#[test]
fn sessions_remember_while_they_are_replayed() {
    let user = User::new();
    for _ in 0..3 {
        user.call_shell("deploy");
    }
    let file = user.file("limit.toml", &format!("{NO_DEPLOY}limit = 2\n"));
    assert_eq!(user.counts(&["--policy", &file]), [1, 0, 0, 0, 2, 0]);
    // Something denied now is denied by another route as well.
    let user = User::new();
    user.call_shell("rm -r data/orders");
    user.call_shell("python3 -c \"import shutil; shutil.rmtree('data/orders')\"");
    let rule =
        "[[rule]]\nid = 'keep'\ndecide = 'deny'\nwhen = { program = 'rm', path = 'data/**' }\n";
    let report = user.json(&["--policy", &user.file("keep.toml", rule)]);
    let rules: Vec<&Value> =
        report["groups"].as_array().unwrap().iter().map(|group| &group["rule"]).collect();
    assert_eq!(rules, ["keep", "workaround/same-intent"], "{report:#}");
}

fn written(at: u64, command: &'static str) -> Record<'static> {
    Record {
        v: 1,
        at,
        level: RecordLevel::Standard,
        host: "claude".into(),
        event: "PreToolUse".into(),
        native_event: "PreToolUse".into(),
        session_id: Some("s".into()),
        cwd: Some("/home/me/shop".into()),
        tool: Some("Bash".into()),
        actions: vec![Deed::Shell { command: Kept::Whole(command.into()), cwd: None }],
        policy: "recommended".into(),
        ..Record::default()
    }
}

fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

#[test]
fn only_calls_that_were_decided_on_their_own_are_compared() {
    let user = User::new();
    let (now, file) = (now_ms(), user.file("new.toml", NO_DEPLOY));
    let deploy = || written(now, "deploy");
    let denied = |rule: &'static str| Record {
        verdict: VerdictRecord { decision: Some("deny".into()), ..VerdictRecord::default() },
        findings: vec![FindingRecord {
            rule: rule.into(),
            level: "deny".into(),
            ..FindingRecord::default()
        }],
        ..deploy()
    };
    user.record(&written(now - 40 * 86_400_000, "deploy"));
    assert_eq!(user.json(&["--policy", &file])["records"], 0, "older than 30 days");
    assert_eq!(user.counts(&["--policy", &file, "--since", "60d"]), [1, 0, 0, 0, 0, 0]);
    user.record(&Record { again: true, ..denied("x") });
    user.record(&Record { canary: true, ..deploy() });
    user.record(&Record { host: "".into(), ..deploy() });
    assert_eq!(user.json(&["--policy", &file])["counts"]["passed_over"], 3);
    user.record(&Record { allowed_once: true, ..deploy() });
    assert_eq!(user.counts(&["--policy", &file]), [0, 0, 0, 0, 1, 0]);
    // A handler denied it: blocked then as now.
    let by_handler = Record { findings: Vec::new(), ..denied("") };
    user.record(&by_handler);
    user.record(&Record { actions: written(now, "ls").actions, ..by_handler });
    assert_eq!(user.counts(&["--policy", &file]), [0, 0, 0, 0, 3, 0]);
    assert_eq!(user.json(&["--policy", &file])["counts"]["decided_by_others"], 2);
    user.record(&denied("gone"));
    user.record(&Record { actions: written(now, "ls").actions, ..denied("gone") });
    assert_eq!(user.counts(&["--policy", &file]), [0, 0, 1, 0, 4, 0]);
}

#[test]
fn damaged_lines_are_counted_and_passed_over() {
    let user = User::new();
    user.record(&written(now_ms(), "ls"));
    let spool = user.home.path().join(".local/state/tenterhook/audit/current.jsonl");
    let text = fs::read_to_string(&spool).unwrap();
    fs::write(&spool, format!("{text}{{\"v\":1,\"torn\n")).unwrap();
    user.record(&written(now_ms(), "ls"));
    let ran = user.replay(&[]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("2 calls from"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 damaged line of the record"), "{}", ran.stdout);
}

#[test]
fn json_is_what_the_schema_says() {
    let user = User::new();
    let schema = user.run(&["schema", "replay"], "").stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let valid = |report: &Value| {
        let faults: Vec<String> = validator.iter_errors(report).map(|it| it.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}\n{report:#}");
    };
    valid(&user.json(&[]));
    user.call_shell("deploy");
    user.call("Write", &json!({ "file_path": "/home/me/shop/a", "content": "x" }));
    let rule = "[[rule]]\nid = 'x'\non = 'write'\ndecide = 'ask'\nwhen = { content = 'y' }\n";
    let file = user.file("new.toml", &format!("{NO_DEPLOY}{rule}"));
    let report = user.json(&["--policy", &file, "--max-new-blocks", "0"]);
    assert_eq!(
        (&report["counts"]["newly_blocked"], &report["exceeded"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(report["cannot_tell"].as_array().unwrap().len(), 1);
    valid(&report);
    let mut other = report;
    other["counts"]["more"] = json!(1);
    assert!(!validator.is_valid(&other));
}

#[test]
fn handlers_are_not_run() {
    let user = User::new();
    user.call_shell("ls");
    let touched = user.shop().join("touched");
    let file = user.file(
        "new.toml",
        &format!("[[handler]]\nid = 'h'\non = 'any'\nrun = ['touch', '{}']\n", touched.display()),
    );
    assert_eq!(user.counts(&["--policy", &file]), [0, 0, 0, 0, 1, 0]);
    assert!(!touched.exists());
}

#[test]
fn a_policy_that_cannot_be_used_is_a_mistake_of_the_caller() {
    let user = User::new();
    let file = user.file("bad.toml", "[guards]\nsecrts = 'ask'\n");
    let ran = user.replay(&["--policy", &file]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("bad.toml:2:1: unknown guard `secrts`"), "{}", ran.stderr);
    assert_eq!(user.replay(&["--policy", "/no/such/file"]).exit, 2);
}

#[test]
fn without_records_there_is_a_friendly_word() {
    let user = User::new();
    let ran = user.replay(&["--since", "2020-01-01"]);
    assert_eq!(ran.exit, 0);
    assert!(ran.stdout.starts_with("no calls recorded since 2020-01-01;"), "{}", ran.stdout);
    assert_eq!(user.json(&[])["from"], Value::Null);
}
