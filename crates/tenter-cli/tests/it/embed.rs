//! `tenter serve --stdio`: the protocol of docs/serve.md, and the clients of `examples/embed`.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tenter_testkit::{Ran, Tenter, node};

const TENTER: &str = env!("CARGO_BIN_EXE_tenter");

/// Timeout, generous for busy machines.
const PATIENCE: Duration = Duration::from_mins(1);

const ALLOW: &str = r#"echo '{"permission":"allow"}'"#;

/// A project in a folder of its own, beside an empty home.
struct Project(PathBuf);

impl Project {
    /// With one hook for every shell command.
    fn new(test: &str, command: &str) -> Self {
        // Away from the checkout: a home inside it is not trusted.
        let folder = std::env::temp_dir().join("tenter-embed").join(test);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(folder.join("home")).unwrap();
        fs::create_dir_all(folder.join("project/.cursor")).unwrap();
        let project = Self(folder);
        project.save(&hooks(command));
        project
    }

    fn root(&self) -> PathBuf {
        self.0.join("project")
    }

    /// Atomically, so that no reader sees a partial file.
    fn save(&self, text: &str) {
        let draft = self.0.join("draft.json");
        fs::write(&draft, text).unwrap();
        fs::rename(draft, self.root().join(".cursor/hooks.json")).unwrap();
    }

    fn serve(&self) -> Server {
        let mut server = self.serve_with(&["--trust"]);
        assert_eq!(server.notice()["notice"], "ready");
        server
    }

    fn serve_with(&self, options: &[&str]) -> Server {
        let mut tenter = self.command();
        tenter.args(options);
        Server::start(tenter)
    }

    fn command(&self) -> Command {
        let mut tenter = Command::new(TENTER);
        tenter.args(["serve", "--stdio", "--project"]).arg(self.root());
        for option in ["--home", "--enterprise"] {
            tenter.arg(option).arg(self.0.join("home"));
        }
        // These tests are about hooks; `embed_guard` is about the guard.
        tenter.arg("--no-guard").env("HOME", self.0.join("home"));
        tenter.stdin(Stdio::piped()).stdout(Stdio::piped());
        tenter
    }
}

fn hooks(command: &str) -> String {
    json!({ "version": 1, "hooks": { "beforeShellExecution": [{ "command": command }] } })
        .to_string()
}

/// A running server whose output is read line by line.
struct Server {
    process: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Server {
    fn start(mut tenter: Command) -> Self {
        let mut process = tenter.spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { stdin: process.stdin.take(), process, lines }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, request: &Value) {
        self.write(format!("{request}\n").as_bytes());
    }

    fn shell(&mut self, id: u64, command: &str) {
        let payload = json!({ "command": command });
        self.send(&json!({ "id": id, "event": "beforeShellExecution", "payload": payload }));
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server says nothing"),
        }
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().expect("the server has ended")).unwrap()
    }

    fn notice(&mut self) -> Value {
        let message = self.next();
        assert!(message["notice"].is_string(), "{message}");
        message
    }

    /// Sends one line and returns the next.
    fn ask(&mut self, line: &[u8]) -> Value {
        self.write(line);
        self.write(b"\n");
        self.next()
    }

    /// The outcome of one command.
    fn outcome(&mut self, command: &str) -> Value {
        self.shell(0, command);
        let answer = self.next();
        assert!(answer["outcome"].is_object(), "{answer}");
        answer["outcome"].clone()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// The remaining output, and the exit code.
    fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        let rest = std::iter::from_fn(|| self.line());
        let rest = rest.map(|line| serde_json::from_str(&line).unwrap()).collect();
        (rest, wait(&mut self.process).code())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Left over from a failed test; a finished process is gone.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn wait(process: &mut Child) -> ExitStatus {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = process.try_wait().unwrap() {
            return status;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("the server does not end")
}

fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A sleep argument that identifies its processes: ten minutes plus a unique fraction.
fn marker(test: u32) -> String {
    format!("{}.{}s", 600 + test, std::process::id())
}

/// Number of processes with the marker in their command lines.
fn running(marker: &str) -> usize {
    command_lines().iter().filter(|line| line.contains(marker)).count()
}

#[cfg(target_os = "linux")]
fn command_lines() -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).collect()
}

#[cfg(not(target_os = "linux"))]
fn command_lines() -> Vec<String> {
    let listed = Command::new("ps").args(["-A", "-o", "args="]).output().unwrap();
    String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn the_first_line_says_what_is_served() {
    let project = Project::new("ready", ALLOW);
    let mut server = project.serve_with(&["--trust"]);
    let version = env!("CARGO_PKG_VERSION");
    let ready = json!({ "notice": "ready", "protocol": 1, "version": version, "guard": false, "hooks": 1,
        "broken": false, "diagnostics": [] });
    assert_eq!(server.notice(), ready);

    let mut untrusted = project.serve_with(&[]);
    let ready = untrusted.notice();
    assert_eq!(ready["hooks"], 0);
    let complaint = ready["diagnostics"].to_string();
    assert!(complaint.contains("the workspace is not trusted"), "{complaint}");
    assert_eq!(untrusted.outcome("ls")["hooks"], json!([]));
}

#[test]
fn ids_come_back_as_they_were_sent() {
    let project = Project::new("ids", ALLOW);
    let mut server = project.serve();
    let ids = ["1", "\"a\\u0062\"", "null", "true", "1.50", "123456789012345678901234567890"];
    for id in ids.into_iter().chain([r#"{"a":[1,{}]}"#, "[]", "\"\""]) {
        let request = format!("{{\"event\":\"beforeShellExecution\",\"id\":{id}}}\n");
        server.write(request.as_bytes());
        let line = server.line().unwrap();
        assert!(line.starts_with(&format!("{{\"id\":{id},\"outcome\":{{")), "{line}");
    }
    let nameless = server.ask(br#"{"event":"beforeShellExecution"}"#);
    assert_eq!(nameless["id"], Value::Null);
    assert_eq!(nameless["outcome"]["answer"], json!({ "permission": "allow" }));
}

#[test]
fn two_hundred_requests_at_once_get_each_its_own_answer() {
    let echo = r#"sed 's/.*"command":"\([^"]*\)".*/{"permission":"allow","agent_message":"\1"}/'"#;
    let mut server = Project::new("many", echo).serve();
    for id in 0..200 {
        server.shell(id, &format!("echo {id}"));
    }
    let mut answered = BTreeSet::new();
    for _ in 0..200 {
        let answer = server.next();
        let id = answer["id"].as_u64().unwrap();
        assert_eq!(answer["outcome"]["answer"]["agent_message"], format!("echo {id}"));
        assert!(answered.insert(id), "{id} is answered twice");
    }
    assert_eq!(answered.len(), 200);
}

/// Each hook waits for the other one, so sequential runs would never end.
#[test]
fn requests_run_at_the_same_time() {
    let meet = format!(
        r#"me=$(sed 's/.*"command":"\([ab]\)".*/\1/'); touch "met.$me"; other=$(echo "$me" | tr ab ba)
        while [ ! -e "met.$other" ]; do sleep 0.05; done; {ALLOW}"#
    );
    let mut server = Project::new("together", &meet).serve();
    server.shell(1, "a");
    server.shell(2, "b");
    for _ in 0..2 {
        assert_eq!(server.next()["outcome"]["answer"], json!({ "permission": "allow" }));
    }
}

#[test]
fn what_is_no_request_gets_an_error_and_the_server_goes_on() {
    let mut server = Project::new("errors", ALLOW).serve();
    for (line, id, code, message) in [
        (&b"garbage"[..], json!(null), "bad_request", "expected value"),
        (b"[1]", json!(null), "bad_request", "a JSON object"),
        (b"{\"id\":1,", json!(null), "bad_request", "EOF"),
        (b"{\"id\":\"\xff\"}", json!(null), "bad_request", "not UTF-8"),
        (br#"{"id":2}"#, json!(2), "bad_request", "`event` must be the name"),
        (br#"{"id":3,"event":7}"#, json!(3), "bad_request", "`event` must be the name"),
        (
            br#"{"id":4,"event":"beforeShellExec"}"#,
            json!(4),
            "unknown_event",
            "unknown event `beforeShellExec`; did you mean `beforeShellExecution`?",
        ),
        (
            br#"{"id":5,"event":"stop","payload":"x"}"#,
            json!(5),
            "bad_request",
            "`payload` must be an object",
        ),
    ] {
        let answer = server.ask(line);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{answer}");
        let told = answer["error"]["message"].as_str().unwrap();
        assert!(told.contains(message), "{told}");
        assert_eq!(answer.get("outcome"), None);
    }
    server.write(b"\n  \n");
    assert_eq!(server.outcome("ls")["blocked"], false, "and empty lines are none");
}

#[test]
fn what_a_payload_lacks_and_the_server_knows_is_added() {
    let project = Project::new("payload", &format!("cat >&2; {ALLOW}"));
    let mut server = project.serve();
    let answer = server.ask(br#"{"id":1,"event":"beforeShellExecution","trace":true}"#);
    let hook = &answer["outcome"]["hooks"][0];
    assert_eq!(hook["stdout"], "{\"permission\":\"allow\"}\n");
    let read: Value = serde_json::from_str(hook["stderr"].as_str().unwrap()).unwrap();
    let added = json!({ "hook_event_name": "beforeShellExecution", "cursor_version": "3.21.16",
        "workspace_roots": [project.root()] });
    assert_eq!(read, added);

    let request = br#"{"event":"beforeShellExecution","payload":
        {"cursor_version":"9.9.9","duration":1e400,"hook_event_name":"stop"},"trace":true}"#;
    let request: Vec<u8> = request.iter().copied().filter(|byte| *byte != b'\n').collect();
    let answer = server.ask(&request);
    let read = answer["outcome"]["hooks"][0]["stderr"].as_str().unwrap();
    assert!(read.starts_with(r#"{"cursor_version":"9.9.9","duration":1e400,"#), "{read}");
    assert!(read.contains(r#""hook_event_name":"beforeShellExecution""#), "{read}");
    assert_eq!(server.outcome("ls")["hooks"][0].get("stdout"), None, "only when asked for");
}

#[test]
fn a_request_of_20_megabytes_is_fine_and_one_of_more_than_64_is_refused() {
    let count = r#"printf '{"permission":"allow","agent_message":"%d"}' "$(wc -c)""#;
    let mut server = Project::new("huge", count).serve();
    let megabyte = "x".repeat(1 << 20);
    server.write(br#"{"id":1,"event":"beforeShellExecution","payload":{"command":""#);
    for _ in 0..20 {
        server.write(megabyte.as_bytes());
    }
    server.write(b"\"}}\n");
    let answer = server.next();
    let read = &answer["outcome"]["answer"]["agent_message"];
    assert!(read.as_str().unwrap().parse::<usize>().unwrap() > 20 << 20, "{read}");

    server.write(br#"{"id":2,"event":"beforeShellExecution","payload":{"command":""#);
    for _ in 0..65 {
        server.write(megabyte.as_bytes());
    }
    server.write(b"\"}}\n");
    let refused = server.next();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(null), &json!("too_large")));
    assert_eq!(server.outcome("ls")["blocked"], false);
}

#[test]
fn a_save_is_noticed_and_a_broken_one_keeps_what_was_good() {
    let deny = r#"echo '{"permission":"deny"}'"#;
    let project = Project::new("reload", ALLOW);
    let mut server = project.serve();
    assert_eq!(server.outcome("ls")["blocked"], false);

    project.save(&hooks(deny));
    let reloaded = server.notice();
    assert_eq!(reloaded["notice"], "reloaded");
    assert_eq!((&reloaded["hooks"], &reloaded["broken"]), (&json!(1), &json!(false)));
    assert_eq!(server.outcome("ls")["blocked"], true);

    project.save("{ \"version\": 1, \"hooks\": ");
    let broken = server.notice();
    assert_eq!((&broken["hooks"], &broken["broken"]), (&json!(1), &json!(true)));
    let complaints = broken["diagnostics"].to_string();
    assert!(complaints.contains("last good content"), "{complaints}");
    assert_eq!(server.outcome("ls")["blocked"], true, "the guard stays");

    fs::remove_file(project.root().join(".cursor/hooks.json")).unwrap();
    let gone = server.notice();
    assert_eq!((&gone["hooks"], &gone["broken"]), (&json!(0), &json!(false)));
    assert_eq!(server.outcome("ls")["hooks"], json!([]));
}

/// The notification may come later; saved hooks apply from the next request on.
#[test]
fn a_request_after_a_save_sees_it() {
    let project = Project::new("fresh", ALLOW);
    let mut server = project.serve();
    for round in 0_u64..10 {
        let deny = round % 2 == 0;
        let answer = if deny { r#"echo '{"permission":"deny"}'"# } else { ALLOW };
        project.save(&hooks(answer));
        server.shell(round, "ls");
        let mut message = server.next();
        while message["notice"] == "reloaded" {
            message = server.next();
        }
        assert_eq!(message["id"], round);
        assert_eq!(message["outcome"]["blocked"], deny, "{message}");
    }
}

#[test]
fn the_end_of_input_lets_running_requests_finish() {
    let mut server = Project::new("end", &format!("sleep 0.5; {ALLOW}")).serve();
    server.shell(1, "ls");
    // The last line need not end with a line break.
    server.write(br#"{"id":2,"event":"beforeShellExecution"}"#);
    server.stdin = None;
    let (rest, exit) = server.finish();
    let ids: BTreeSet<u64> = rest.iter().filter_map(|message| message["id"].as_u64()).collect();
    assert_eq!(ids, BTreeSet::from([1, 2]), "{rest:?}");
    assert!(rest.iter().take(2).all(|answer| answer["outcome"]["answer"]["permission"] == "allow"));
    assert_eq!(rest.last(), Some(&json!({ "notice": "ending", "reason": "end of input" })));
    assert_eq!((rest.len(), exit), (3, Some(0)));
}

#[test]
fn a_shutdown_is_confirmed_and_lets_running_requests_finish() {
    let mut server = Project::new("shutdown", &format!("sleep 0.5; {ALLOW}")).serve();
    server.shell(1, "ls");
    server.send(&json!({ "id": "bye", "shutdown": true }));
    server.shell(2, "ls");
    let (rest, exit) = server.finish();
    let ending = json!({ "notice": "ending", "reason": "shutdown" });
    assert_eq!(rest.first(), Some(&json!({ "id": "bye", "outcome": null })));
    assert_eq!(rest.get(1).unwrap()["outcome"]["answer"], json!({ "permission": "allow" }));
    assert_eq!(rest.get(2), Some(&ending));
    assert_eq!((rest.len(), exit), (3, Some(0)), "what comes after is not read");
}

#[test]
fn sigterm_ends_the_hooks_that_run_and_leaves_no_process() {
    let marker = marker(1);
    // Neither it nor its child would exit on SIGTERM.
    let stubborn = format!("trap '' TERM; sleep {marker} & sleep {marker} & wait");
    let mut server = Project::new("terminated", &stubborn).serve();
    for id in 0..3 {
        server.shell(id, "ls");
    }
    until("the hooks run", || running(&marker) == 9);
    server.signal(Signal::TERM);
    let (rest, exit) = server.finish();
    assert_eq!(rest.last(), Some(&json!({ "notice": "ending", "reason": "SIGTERM" })));
    assert_eq!((rest.len(), exit), (4, Some(0)), "every request is answered: {rest:?}");
    // An error, not an outcome: an interrupted guard has not allowed anything.
    let error = json!({ "code": "interrupted", "message": "interrupted by SIGTERM" });
    assert!(rest.iter().take(3).all(|answer| answer["error"] == error), "{rest:?}");
    until("they are gone", || running(&marker) == 0);
}

#[test]
fn sigkill_leaves_no_process_either() {
    let marker = marker(2);
    let hook = format!("sleep {marker} & sleep {marker} & wait");
    let mut server = Project::new("killed", &hook).serve();
    for id in 0..3 {
        server.shell(id, "ls");
    }
    until("the hooks run", || running(&marker) == 9);
    server.signal(Signal::KILL);
    let (rest, exit) = server.finish();
    assert_eq!((rest, exit), (Vec::new(), None));
    until("they are gone", || running(&marker) == 0);
}

#[test]
fn what_a_hook_left_running_ends_with_the_server() {
    let marker = marker(3);
    let hook = format!("sleep {marker} > /dev/null 2>&1 & {ALLOW}");
    let mut server = Project::new("left", &hook).serve();
    let outcome = server.outcome("ls");
    assert_eq!(outcome["answer"], json!({ "permission": "allow" }));
    assert!(outcome["warnings"].to_string().contains("it left processes running"), "{outcome}");
    assert_eq!(running(&marker), 1, "it gets a while");
    server.stdin = None;
    server.finish();
    until("it is gone", || running(&marker) == 0);
}

/// A server with more output than a pipe holds, whose client does not read.
fn unread(test: &str) -> (Child, ChildStdin) {
    let project = Project::new(test, &format!("head -c 20000 /dev/zero | tr '\\0' x >&2; {ALLOW}"));
    let mut process = project.command().arg("--trust").spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    for id in 0..20 {
        // With each hook's output, 400 KB: more than any pipe holds.
        let request = json!({ "id": id, "event": "beforeShellExecution", "trace": true });
        stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
    }
    thread::sleep(Duration::from_secs(1));
    assert!(process.try_wait().unwrap().is_none(), "it waits for its reader");
    (process, stdin)
}

#[test]
fn a_client_that_reads_nothing_and_dies_takes_the_server_with_it() {
    let (mut process, stdin) = unread("deaf");
    drop((stdin, process.stdout.take()));
    assert_eq!(wait(&mut process).code(), Some(0));
}

#[test]
fn a_signal_ends_the_server_though_nobody_reads() {
    let (mut process, _stdin) = unread("deaf-signal");
    kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
    assert_eq!(wait(&mut process).code(), Some(3));
}

#[test]
fn the_page_names_every_field() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/serve.md");
    let page = fs::read_to_string(page).unwrap();
    let project = Project::new("page", ALLOW);
    let mut server = project.serve();
    let answer = server.ask(br#"{"id":1,"event":"beforeShellExecution","trace":true}"#);
    project.save("{");
    let broken = server.notice();
    for object in
        [&answer["outcome"], &answer["outcome"]["hooks"][0], &broken, &broken["diagnostics"][0]]
    {
        for field in object.as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{field}`")), "{field}");
        }
    }
    let listed = Tenter::new(TENTER).run(&["fire", "--list", "--json"], "");
    let events: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    for field in events.iter().flat_map(|event| event["answer"].as_array().unwrap()) {
        assert!(page.contains(&format!("`{}`", field.as_str().unwrap())), "{field}");
    }
}

/// A project that blocks `rm` and asks about `curl`.
fn guarded(test: &str) -> Project {
    let guard = r#"case $(sed 's/.*"command":"\([a-z]*\).*/\1/') in
        rm) echo '{"permission":"deny","agent_message":"no rm here"}' ;;
        curl) echo '{"permission":"ask"}' ;;
        *) echo '{"permission":"allow"}' ;;
    esac"#;
    Project::new(test, guard)
}

fn client(program: &Path, script: &str, project: &Project, commands: &[&str]) -> Ran {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/embed");
    let mut client = Command::new(program);
    client.arg(examples.join(script)).arg(project.root()).args(commands);
    client.env("TENTER", TENTER).env("HOME", project.0.join("home"));
    client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Tenter::finish(client, "")
}

fn check_client(program: &Path, script: &str) {
    let project = guarded(script);
    let commands = ["ls", "rm -rf build", "curl x", "git status", "rm a"];
    let ran = client(program, script, &project, &commands);
    let decided = "run: ls\nrefuse: rm -rf build (no rm here)\nask: curl x\nrun: git status\n\
                   refuse: rm a (no rm here)\n";
    assert_eq!((ran.stdout.as_str(), ran.exit), (decided, 0), "{}", ran.stderr);
    assert_eq!(ran.stderr, "notice: ready\nnotice: ending\n");

    // A server that dies decides nothing, so nothing runs.
    project.save(&hooks("kill -s KILL $PPID"));
    let ran = client(program, script, &project, &["ls"]);
    assert_eq!((ran.stdout.as_str(), ran.exit), ("", 1));
    assert!(ran.stderr.contains("the hooks have ended"), "{}", ran.stderr);
}

#[test]
fn the_python_client_does_as_the_hooks_say() {
    check_client(Path::new("python3"), "client.py");
}

#[test]
fn the_typescript_client_does_as_the_hooks_say() {
    check_client(&node(TENTER), "client.ts");
}
