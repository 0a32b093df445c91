//! The projects of `examples/cursor` work as described, fired through the binary.
#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};
use tenter_testkit::{Tenter, node};

const TENTER: &str = env!("CARGO_BIN_EXE_tenter");

/// A copy of an example in a folder of its own, beside an empty home.
struct Project {
    folder: PathBuf,
    tenter: PathBuf,
    variables: Vec<(&'static str, OsString)>,
}

/// Output of `tenter fire --json`.
#[derive(Debug)]
struct Fired {
    exit: i32,
    report: Value,
}

impl Fired {
    /// Outcome of the only hook.
    fn outcome(&self) -> &str {
        self.report["hooks"][0]["outcome"].as_str().unwrap()
    }

    fn diagnosis(&self) -> &str {
        self.report["hooks"][0]["diagnosis"].as_str().unwrap()
    }

    fn permission(&self) -> &Value {
        &self.report["answer"]["permission"]
    }

    fn blocked(&self) -> bool {
        let blocked = self.report["blocked"].as_bool().unwrap();
        assert_eq!(self.exit, i32::from(blocked), "{self:?}");
        blocked
    }

    fn asks(&self) -> bool {
        self.report["asks"] == true
    }
}

impl Project {
    fn new(example: &str, test: &str) -> Self {
        let folder = scratch(test);
        fs::create_dir(folder.join("home")).unwrap();
        copy(&examples().join(example), &folder.join("project"));
        let path = std::env::var_os("PATH").unwrap();
        Self { folder, tenter: TENTER.into(), variables: vec![("PATH", path)] }
    }

    fn root(&self) -> PathBuf {
        self.folder.join("project")
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.root().join(file)).unwrap()
    }

    fn tenter(&self) -> Command {
        let mut tenter = Command::new(&self.tenter);
        tenter.current_dir(&self.folder).args(["fire", "--json", "--trust"]);
        for option in ["--home", "--enterprise"] {
            tenter.arg(option).arg(self.folder.join("home"));
        }
        // The examples take their output paths from these variables, which must not leak in.
        tenter.env_remove("AGENT_AUDIT_LOG").env_remove("AGENT_TELEMETRY_URL");
        tenter.envs(self.variables.iter().map(|(name, value)| (name, value)));
        tenter.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        tenter
    }

    /// Fires an event; `changes` are for `--set`, `more` are further arguments.
    fn fire_with(&self, event: &str, changes: &[&str], more: &[&str]) -> Fired {
        let mut tenter = self.tenter();
        tenter.arg(event).arg("--project").arg(self.root()).args(more);
        for change in changes {
            tenter.args(["--set", change]);
        }
        let ran = Tenter::finish(tenter, "");
        let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        assert_eq!(report["diagnostics"], json!([]), "an example is free of complaints");
        Fired { exit: ran.exit, report }
    }

    fn fire(&self, event: &str, changes: &[&str]) -> Fired {
        self.fire_with(event, changes, &[])
    }

    fn shell(&self, command: &str) -> Fired {
        self.fire("beforeShellExecution", &[&format!("command={command}")])
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cursor")
}

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cursor-examples").join(name);
    drop(fs::remove_dir_all(&path));
    fs::create_dir_all(&path).unwrap();
    path
}

/// Copies in another process: a script held open for writing by our threads cannot be started.
fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-R").args([from, to]).status().unwrap().success());
}

fn write_program(path: &Path, script: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$1\" && chmod +x \"$1\"", "sh"]).arg(path);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    assert_eq!(Tenter::finish(shell, script).exit, 0);
}

/// PATH with a TypeScript-capable Node.js in front.
fn path_with_node() -> OsString {
    let node = node(TENTER);
    let path = std::env::var_os("PATH").unwrap();
    let folder = node.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folders = folder.map(Path::to_owned).into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

const PERMISSION_EVENTS: [&str; 6] = [
    "preToolUse",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
];

#[test]
fn audit_logs_every_event_and_decides_nothing() {
    let project = Project::new("audit", "audit");
    let listed = Tenter::new(TENTER).run(&["fire", "--list", "--json"], "");
    let events: Value = serde_json::from_str(&listed.stdout).unwrap();
    let events = events.as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap());
    // Older versions do not know this event and may drop the file.
    let events: Vec<&str> = events.filter(|event| *event != "workspaceOpen").collect();
    for event in &events {
        let fired = project.fire(event, &[]);
        assert!(!fired.blocked(), "{event}");
        assert_eq!(fired.report["answer"], json!({}), "{event}");
        // At permission events silence is a failure that allows the action.
        let waits = PERMISSION_EVENTS.contains(event);
        assert_eq!(fired.outcome(), if waits { "failed" } else { "no answer" }, "{event}");
        assert_eq!(fired.diagnosis().contains("no output"), waits, "{event}");
    }
    let log = project.read(".cursor/hooks/state/audit.log");
    let logged: Vec<Value> = log
        .lines()
        .map(|line| {
            let (time, payload) = line.split_once(' ').unwrap();
            assert!(time.len() == 20 && time.starts_with("20") && time.ends_with('Z'), "{time}");
            serde_json::from_str(payload).unwrap()
        })
        .collect();
    let names: Vec<&str> =
        logged.iter().map(|payload| payload["hook_event_name"].as_str().unwrap()).collect();
    assert_eq!(names, events);
    assert_eq!(logged[0]["workspace_roots"], json!([project.root()]));
}

#[test]
fn audit_writes_where_it_is_told_and_for_the_owner_only() {
    let mut project = Project::new("audit", "audit-elsewhere");
    let log = project.folder.join("logs/agent.log");
    project.variables.push(("AGENT_AUDIT_LOG", log.clone().into()));
    project.fire("afterAgentResponse", &["text=one\ntwo 'three' $HOME %s"]);
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains(r#""text":"one\ntwo 'three' $HOME %s""#), "{text}");
    assert_eq!(text.lines().count(), 1);
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!project.root().join(".cursor/hooks/state").exists());
}

#[test]
fn block_git_denies_git_asks_for_gh_and_allows_the_rest() {
    let project = Project::new("block-git", "block-git");
    for (command, permission) in [
        ("git push --force", "deny"),
        ("git", "deny"),
        ("cd shop && git status", "deny"),
        ("/usr/bin/git log", "deny"),
        ("gh auth status; git push", "deny"),
        ("gh pr create --title \"a 'quoted' title\"", "ask"),
        ("gh", "ask"),
        ("ls -1", "allow"),
        ("cat .git/config", "allow"),
        ("legit gh-pages digit", "allow"),
        ("npm run git-stats", "allow"),
    ] {
        let fired = project.shell(command);
        assert_eq!(fired.outcome(), permission, "{command}");
        assert_eq!(fired.permission(), permission, "{command}");
        assert_eq!(fired.blocked(), permission == "deny", "{command}");
        assert_eq!(fired.asks(), permission == "ask", "{command}");
        let told = fired.report["answer"]["agent_message"].as_str().unwrap_or_default();
        assert_eq!(told.contains(&format!("`{command}`")), permission != "allow", "{told}");
    }
}

#[test]
fn block_git_without_jq_blocks() {
    let mut project = Project::new("block-git", "block-git-without-jq");
    project.variables.push(("PATH", project.folder.join("home").into()));
    let fired = project.shell("ls");
    assert!(fired.blocked());
    assert!(fired.diagnosis().contains("jq"), "{}", fired.diagnosis());
    assert!(fired.diagnosis().contains("failClosed is set"), "{}", fired.diagnosis());
}

#[test]
fn format_tidies_the_file_that_was_edited_and_no_other() {
    let project = Project::new("format", "format");
    let untidy = "fn main() {  \n\tlet a = 1;\t \n}\n\n\n";
    for name in ["project/edited.rs", "project/bystander.rs", "project/notes.md", "outside.rs"] {
        fs::write(project.folder.join(name), untidy).unwrap();
    }
    fs::set_permissions(project.root().join("edited.rs"), fs::Permissions::from_mode(0o750))
        .unwrap();
    fs::write(project.root().join("image.bin"), b"\x00\x01  \n").unwrap();
    let edits = ["edited.rs", "notes.md", "image.bin", "missing.rs", "../outside.rs"];
    for file in edits {
        let fired = project.fire("afterFileEdit", &[&format!("file_path={file}")]);
        assert_eq!((fired.outcome(), fired.exit), ("no answer", 0), "{file}: {fired:?}");
        assert_eq!(fired.report["hooks"][0]["exit"], 0, "{file}");
    }
    assert_eq!(project.read("edited.rs"), "fn main() {\n\tlet a = 1;\n}\n");
    let mode = fs::metadata(project.root().join("edited.rs")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    for name in ["bystander.rs", "notes.md", "../outside.rs"] {
        assert_eq!(project.read(name), untidy, "{name}");
    }
    assert_eq!(fs::read(project.root().join("image.bin")).unwrap(), b"\x00\x01  \n");
}

#[test]
fn kube_guard_asks_when_production_is_meant_or_cannot_be_ruled_out() {
    let project = Project::new("kube-guard", "kube-guard");
    fs::write(project.root().join("broken.yaml"), "a: [b").unwrap();
    fs::write(project.root().join("list.yaml"), "items: [{metadata: {namespace: prod}}]\n")
        .unwrap();
    fs::write(project.root().join("odd.yaml"), "- 1\n---\nmetadata: null\n---\n").unwrap();
    fs::write(project.root().join("space.yaml"), "kind: Namespace\nmetadata: {name: prod}\n")
        .unwrap();
    for (command, why) in [
        ("kubectl apply -f manifests/staging.yaml", ""),
        ("kubectl get pods -n prod", ""),
        ("kubectl apply -f odd.yaml --namespace staging", ""),
        ("kubectl apply -f manifests/shop.yaml", "shop.yaml is for production"),
        ("kubectl apply --filename=manifests/shop.yaml", "shop.yaml is for production"),
        ("kubectl apply -f manifests/staging.yaml -f manifests/shop.yaml", "shop.yaml is for"),
        ("kubectl apply -f manifests", "manifests is for production"),
        ("kubectl apply -f list.yaml", "list.yaml is for production"),
        ("kubectl apply -f space.yaml", "space.yaml is for production"),
        ("kubectl apply -f manifests/staging.yaml -n prod", "the namespace prod"),
        ("kubectl -n=production apply -f manifests/staging.yaml", "the namespace production"),
        ("date; kubectl apply -f manifests/staging.yaml --namespace=prod;", "the namespace prod"),
        ("kubectl apply -f broken.yaml", "broken.yaml cannot be read"),
        ("kubectl apply -f missing.yaml", "missing.yaml cannot be read"),
        ("kubectl apply -k overlay", "it names no manifest"),
        ("kubectl apply -f 'x", "the command cannot be read"),
    ] {
        let fired = project.shell(command);
        let permission = if why.is_empty() { "allow" } else { "ask" };
        assert_eq!(fired.outcome(), permission, "{command}: {fired:?}");
        assert!(!fired.blocked(), "{command}");
        assert_eq!(fired.asks(), !why.is_empty(), "{command}");
        let told = fired.report["answer"]["user_message"].as_str().unwrap_or_default();
        assert!(told.contains(why), "{command}: {told}");
    }
    assert_eq!(project.shell("ls").outcome(), "not matched");
}

#[test]
fn kube_guard_without_pyyaml_says_so_and_asks() {
    let mut project = Project::new("kube-guard", "kube-guard-without-pyyaml");
    let modules = project.folder.join("modules");
    fs::create_dir(&modules).unwrap();
    fs::write(modules.join("yaml.py"), "raise ImportError('no yaml here')\n").unwrap();
    project.variables.push(("PYTHONPATH", modules.into()));
    let command = ["command=kubectl apply -f manifests/staging.yaml"];
    let fired = project.fire_with("beforeShellExecution", &command, &["--trace"]);
    assert!(fired.asks() && !fired.blocked());
    let stderr = fired.report["hooks"][0]["stderr"].as_str().unwrap();
    assert!(stderr.contains("PyYAML is missing; install it"), "{stderr}");
    assert_eq!(project.shell("kubectl get pods").outcome(), "allow", "nothing to be read");
}

fn stop(project: &Project, status: &str, generation: &str, more: &[&str]) -> Fired {
    let status = format!("status={status}");
    let changes: Vec<&str> = [status.as_str()].into_iter().chain(more.iter().copied()).collect();
    project.fire_with("stop", &changes, &["--generation", generation])
}

#[test]
fn track_stop_follows_up_after_two_errors_in_a_row() {
    track_stop("g1");
}

#[test]
fn track_stop_follows_up_after_errors_in_the_newest_generation_too() {
    track_stop("g3");
}

fn track_stop(generation: &str) {
    let mut project = Project::new("track-stop", &format!("track-stop-{generation}"));
    project.variables.push(("PATH", path_with_node()));
    let stop =
        |project: &Project, status: &str, more: &[&str]| stop(project, status, generation, more);
    let follows = |fired: &Fired| fired.report["followup"].is_string();
    assert!(!follows(&stop(&project, "error", &[])), "the first");
    assert!(!follows(&stop(&project, "error", &["conversation_id=other"])));
    assert!(!follows(&stop(&project, "completed", &[])), "which is no failure");
    assert!(!follows(&stop(&project, "error", &[])), "the first again");
    let second = stop(&project, "error", &[]);
    assert_eq!((second.outcome(), second.exit), ("answered", 0));
    let text = "The last two runs failed. Check the credentials first, then try again.";
    assert_eq!(second.report["followup"], text);
    assert_eq!(second.report["answer"], json!({ "followup_message": text }));
    assert!(!follows(&stop(&project, "error", &["loop_count=4"])), "enough is enough");
    let metrics: Value =
        serde_json::from_str(&project.read(".cursor/hooks/state/agent-metrics.json")).unwrap();
    assert_eq!(metrics["c-fire"]["errorCount"], 3);
    assert_eq!(metrics["c-fire"]["lastStatus"], "error");
    assert_eq!(metrics["other"]["errorCount"], 1);
}

#[test]
fn track_stop_reports_each_stop_and_survives_a_deaf_server() {
    let mut project = Project::new("track-stop", "track-stop-telemetry");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/stops", listener.local_addr().unwrap());
    project.variables.push(("PATH", path_with_node()));
    project.variables.push(("AGENT_TELEMETRY_URL", url.into()));
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = String::new();
        let mut chunk = [0; 4096];
        while !request.ends_with('}') {
            let length = stream.read(&mut chunk).unwrap();
            assert_ne!(length, 0, "the request ended early: {request}");
            request.push_str(&String::from_utf8_lossy(&chunk[..length]));
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
        request
    });
    assert_eq!(stop(&project, "error", "g1", &[]).outcome(), "no answer");
    let request = server.join().unwrap();
    let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert!(request.starts_with("POST /stops "), "{request}");
    assert_eq!((&body["status"], &body["errorCount"]), (&json!("error"), &json!(1)));
    assert_eq!(body["conversation_id"], "c-fire");
    // The listener is gone.
    assert_eq!(stop(&project, "error", "g1", &[]).outcome(), "answered");
}

/// The example with a judge beside the program, which answers with `judgement`.
fn judged(test: &str, judgement: Option<&str>) -> Project {
    let mut project = Project::new("prompt", test);
    let programs = project.folder.join("programs");
    fs::create_dir(&programs).unwrap();
    project.tenter = programs.join("tenter");
    fs::hard_link(TENTER, &project.tenter).unwrap();
    if let Some(judgement) = judgement {
        let script = format!("#!/bin/sh\n[ \"$*\" = judge ] || exit 2\ncat > asked\n{judgement}\n");
        write_program(&programs.join("tenter-server"), &script);
    }
    project
}

#[test]
fn a_prompt_hook_does_as_the_model_says() {
    let no = judged("prompt-no", Some(r#"echo '{"ok":false,"reason":"it deletes files"}'"#));
    let fired = no.shell("rm -rf build");
    assert!(fired.blocked());
    assert_eq!(fired.outcome(), "deny");
    let told = json!({"permission": "deny", "user_message": "it deletes files",
        "agent_message": "it deletes files"});
    assert_eq!(fired.report["answer"], told);
    let asked: Value =
        serde_json::from_str(&fs::read_to_string(no.folder.join("asked")).unwrap()).unwrap();
    let prompt = asked["prompt"].as_str().unwrap();
    assert!(prompt.starts_with("Does this command only read?"), "{prompt}");
    assert!(prompt.contains(r#""command":"rm -rf build""#), "{prompt}");
    assert!(!prompt.contains("$ARGUMENTS"), "{prompt}");
    assert_eq!(asked["model"], Value::Null);

    let fired = judged("prompt-yes", Some(r#"echo '{"ok":true}'"#)).shell("ls");
    assert!(!fired.blocked());
    assert_eq!(fired.report["answer"], json!({ "permission": "allow" }));
}

#[test]
fn a_prompt_hook_without_a_judgement_blocks_and_says_why() {
    for (test, judge, why) in [
        ("prompt-failed", Some("echo 'tenter-server judge: no model' >&2; exit 1"), "no model"),
        ("prompt-maybe", Some(r#"echo '{"ok":"maybe"}'"#), "printed no judgement"),
        ("prompt-prose", Some("echo Yes."), "printed no JSON"),
    ] {
        let fired = judged(test, judge).shell("ls");
        assert!(fired.blocked(), "{test}");
        assert_eq!(fired.outcome(), "deny", "{test}");
        assert!(fired.diagnosis().ends_with("failClosed is set"), "{}", fired.diagnosis());
        for field in ["user_message", "agent_message"] {
            let told = fired.report["answer"][field].as_str().unwrap();
            assert!(told.starts_with("Blocked because a hook failed: the judge"), "{told}");
            assert!(told.contains(why), "{told}");
        }
    }
}

#[test]
fn a_prompt_hook_without_a_configured_judge_blocks_and_says_once_what_to_do() {
    for (test, judge, todo) in [
        ("prompt-alone", None, "there is no program"),
        ("prompt-bare", Some("echo 'write judge.toml' >&2; exit 2"), "write judge.toml"),
    ] {
        let fired = judged(test, judge).shell("ls");
        assert!(fired.blocked(), "{test}");
        let told = fired.report["answer"]["user_message"].as_str().unwrap();
        assert!(
            told.starts_with("Blocked because a hook failed: no judge is configured"),
            "{told}"
        );
        let warnings = fired.report["warnings"].to_string();
        assert_eq!(warnings.matches(todo).count(), 1, "{warnings}");
    }
}

#[test]
fn the_session_goes_as_its_script_expects() {
    let play = |examples_of: &[&str]| {
        let project = Project::new("", &format!("session-{}", examples_of.len()));
        let mut tenter = project.tenter();
        tenter.arg("--session").arg(project.root().join("session.json"));
        for example in examples_of {
            tenter.arg("--project").arg(project.root().join(example));
        }
        let ran = Tenter::finish(tenter, "");
        (ran.exit, serde_json::from_str::<Value>(&ran.stdout).unwrap())
    };
    let (exit, report) = play(&["block-git", "audit"]);
    assert_eq!((exit, &report["ok"], &report["blocked"]), (0, &json!(true), &json!(true)));
    assert_eq!(report["steps"].as_array().unwrap().len(), 8);

    let (exit, report) = play(&["audit"]);
    assert_eq!((exit, &report["ok"]), (1, &json!(false)), "nobody blocks git here");
    let unmet = report["steps"][3]["unmet"].to_string();
    assert!(unmet.contains("`blocked` should be true, but is false"), "{unmet}");
}

/// Every row of the table in the README: the command, and the promised line.
#[test]
fn the_readme_promises_what_happens() {
    let folder = scratch("readme");
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::create_dir_all(folder.join("examples")).unwrap();
    copy(&examples(), &folder.join("examples/cursor"));
    fs::hard_link(TENTER, folder.join("bin/tenter")).unwrap();
    let path = std::env::join_paths(
        [folder.join("bin")].into_iter().chain(std::env::split_paths(&path_with_node())),
    )
    .unwrap();
    let readme = fs::read_to_string(examples().join("README.md")).unwrap();
    let rows: Vec<[&str; 2]> = readme
        .lines()
        .filter(|line| line.starts_with("| ["))
        .map(|line| {
            let cells: Vec<&str> = line.split(" | ").collect();
            [cells[1], cells[2].trim_end_matches(" |")].map(|cell| cell.trim_matches('`'))
        })
        .collect();
    assert_eq!(rows.len(), 7, "six examples and a session");
    for [command, result] in rows {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&folder).env("PATH", &path);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = Tenter::finish(shell, "");
        let last = ran.stdout.trim_end().lines().last().unwrap_or_default();
        let last = last.trim_start_matches("result").trim_start();
        assert!(last.starts_with(result), "{command}\n{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.exit, i32::from(result == "BLOCKED"), "{command}");
    }
    let edited = fs::read_to_string(folder.join("examples/cursor/format/a.tmp")).unwrap();
    assert_eq!(edited, "a\n");
}
