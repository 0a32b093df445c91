//! Commands for humans only, tried by agents in every known way, and by a human.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::common::Machine;

const PAYLOAD: &str = r#"{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"","cwd":"/","source":"startup"}"#;
const SETTINGS: &str = "home/.claude/settings.json";

fn installed() -> Machine {
    let machine = Machine::new();
    assert_eq!(machine.run("install --hosts claude --yes").exit, 0);
    machine
}

/// An agent's script: it calls a hook, and then runs `does`.
fn agent(machine: &Machine, name: &str, does: &str) -> Command {
    let (home, tenter) = (machine.path("home"), env!("CARGO_BIN_EXE_tenter"));
    machine.write("payload.json", PAYLOAD);
    machine.write("arguments", "uninstall --yes\n");
    let hooks = r#"{"version": 1, "hooks": {"stop": [{"command": "./stop.sh"}]}}"#;
    machine.write("repo/.cursor/hooks.json", hooks);
    machine.write(
        "terminal.py",
        "import os, pty, sys\nout = b''\ndef read(fd):\n    data = os.read(fd, 1024)\n    if b'[y/N' in data: os.write(fd, b'y\\n')\n    return data\nos.environ.clear()\nos.environ['HOME'] = sys.argv[1]\nsys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.argv[2], 'uninstall'], read)))\n",
    );
    // Another agent that only calls its hook.
    let inner = format!(
        "#!/bin/bash\n{tenter} hook claude < {} > /dev/null\ntrue\n",
        machine.path("payload.json").display()
    );
    machine.write("inner", &inner);
    fs::set_permissions(machine.path("inner"), fs::Permissions::from_mode(0o755)).unwrap();
    let script = format!(
        "#!/bin/bash\nexport HOME={home} PATH=/usr/bin:/bin T={tenter} TOP={top}\ncd $TOP/repo\n\
         $T hook claude < $TOP/payload.json > /dev/null\n{does}\n",
        home = home.display(),
        top = machine.top().display(),
    );
    let path = machine.path("agents").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("setsid");
    command.arg("--wait").arg(path).env_clear().stdin(Stdio::null());
    command
}

/// The real interpreter: python3 may be a script that needs more of an environment.
fn python() -> String {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    String::from_utf8(asked.unwrap().stdout).unwrap().trim().to_owned()
}

/// Ways to run `tenter uninstall` outside the agent's process tree, session, terminal or environment.
const WAYS: &[&str] = &[
    "$T uninstall --yes",
    "env -i HOME=$HOME $T uninstall --yes",
    "env -i HOME=$HOME setsid --wait $T uninstall --yes",
    "xargs -a $TOP/arguments $T",
    "env -i HOME=$HOME script -qec \"$T uninstall --yes\" /dev/null < /dev/null",
    "yes | env -i HOME=$HOME script -qec \"$T uninstall\" /dev/null",
    "env -i HOME=$HOME setsid --wait script -qec \"$T uninstall --yes\" /dev/null < /dev/null",
    "printf '%s\\n' \"$T uninstall --yes\" > $TOP/later.sh; sh $TOP/later.sh",
    // Double fork: the agent is no longer an ancestor.
    "(setsid env -i HOME=$HOME sh -c \"sleep 0.4; $T uninstall --yes; echo \\$? > $TOP/exit\" &) 2>> $TOP/said",
    "(setsid env -i HOME=$HOME sh -c \"sleep 0.4; script -qec '$T uninstall --yes' /dev/null; echo \\$? > $TOP/exit\" < /dev/null > $TOP/said 2>&1 &)",
    "env -i HOME=$HOME tmux -S $TOP/socket -f /dev/null new-session -d \"$T uninstall --yes > $TOP/said 2>&1; echo \\$? > $TOP/exit\"",
    "for command in 'prune --older-than 0d --yes' 'allow rule secrets --reason x' 'trust' 'doctor --fix --yes' 'install --yes --events Stop'; do env -i HOME=$HOME $T $command && exit 0; done; exit 1",
];

#[test]
fn no_way_out_of_an_agent_ends_the_guard() {
    // A known agent name, and an agent known only by its hook call.
    for name in ["claude", "helper"] {
        for way in WAYS {
            let machine = installed();
            let before = machine.read(SETTINGS);
            let waits = way.contains("$TOP/exit");
            let hold = "for _ in $(seq 100); do test -e $TOP/exit && break; sleep 0.1; done; exit $(cat $TOP/exit)";
            let does = if waits { format!("{way}\n{hold}") } else { (*way).to_owned() };
            let ran = agent(&machine, name, &does).output().unwrap();
            let mut said = String::from_utf8_lossy(&ran.stderr).into_owned();
            said.push_str(&String::from_utf8_lossy(&ran.stdout));
            said.push_str(&fs::read_to_string(machine.path("said")).unwrap_or_default());
            assert_eq!(ran.status.code().map(|it| it != 0), Some(true), "{name}: {way}: {said}");
            assert!(said.contains("agent"), "{name}: {way}: {said}");
            assert_eq!(machine.read(SETTINGS), before, "{name}: {way}: {said}");
        }
    }
}

/// The same in namespaces created by the agent, in which it is invisible.
const INSIDE: &[&str] = &[
    "unshare -U -c -pf --mount-proc script -qec \"$T uninstall --yes\" /dev/null",
    "unshare -U -c -pf --mount-proc $T uninstall --yes",
    "env -i HOME=$HOME unshare -Urpf --mount-proc setsid --wait $T uninstall --yes",
    // Its own namespaces, with our `/proc`.
    "env -i HOME=$HOME unshare -Urpf $T uninstall --yes",
    // A hook call inside, so that the outer agent looks dead.
    "unshare -U -c -pf --mount-proc bash -c \"$TOP/inner; $T uninstall --yes\"",
    "unshare -Urpf --mount-proc bash -c \"echo $(($$ - 1)) > /proc/sys/kernel/ns_last_pid; $TOP/inner; $T uninstall --yes\" 2>&1",
    "XDG_STATE_HOME=$TOP/empty unshare -U -c -pf --mount-proc $T uninstall --yes",
    "env -i HOME=$HOME unshare -Urm sh -c \"mount -t tmpfs none $HOME/.local/state/tenterhook/agents; (setsid script -qec '$T uninstall --yes' /dev/null; echo \\$? > $TOP/exit) < /dev/null > $TOP/said 2>&1 & sleep 3\"",
    "env -i HOME=$HOME unshare -Urm sh -c \"mount -t tmpfs none $HOME/.local/state; (setsid script -qec '$T uninstall --yes' /dev/null; echo \\$? > $TOP/exit) < /dev/null > $TOP/said 2>&1 & sleep 3\"",
    "unshare -Urmpf --mount-proc sh -c \"mount -t tmpfs none $HOME/.local/state; exec $T uninstall --yes\"",
    "unshare -Urmpf --mount-proc sh -c \"mount -t tmpfs none /proc; exec $T uninstall --yes\"",
];

fn can_make_namespaces() -> bool {
    let made = Command::new("unshare").args(["-Urmpf", "--mount-proc", "true"]).output();
    made.is_ok_and(|it| it.status.success())
}

#[test]
fn from_inside_other_namespaces_nobody_ends_the_guard() {
    if !can_make_namespaces() {
        eprintln!("skipped: no namespaces can be made here");
        return;
    }
    for name in ["claude", "helper"] {
        for way in INSIDE {
            let machine = installed();
            let before = machine.read(SETTINGS);
            let hold = "for _ in $(seq 100); do test -e $TOP/exit && break; sleep 0.1; done; exit $(cat $TOP/exit)";
            let waits = way.contains("$TOP/exit");
            let does = if waits { format!("{way}\n{hold}") } else { (*way).to_owned() };
            let ran = agent(&machine, name, &does).output().unwrap();
            let mut said = String::from_utf8_lossy(&ran.stderr).into_owned();
            said.push_str(&String::from_utf8_lossy(&ran.stdout));
            said.push_str(&fs::read_to_string(machine.path("said")).unwrap_or_default());
            assert_eq!(ran.status.code(), Some(1), "{name}: {way}: {said}");
            assert!(said.contains("namespace"), "{name}: {way}: {said}");
            assert_eq!(machine.read(SETTINGS), before, "{name}: {way}: {said}");
        }
    }
}

#[test]
fn where_the_whole_session_is_in_a_namespace_a_human_types_words() {
    if !can_make_namespaces() {
        return;
    }
    let machine = installed();
    // The agent calls its hook inside and exits; then a human comes with a terminal from outside.
    drop(agent(&machine, "helper", ""));
    let script = format!("$TOP/inner; exec {} uninstall\n", env!("CARGO_BIN_EXE_tenter"));
    let top = machine.top().to_str().unwrap();
    machine.write("session.sh", &script.replace("$TOP", top));
    let line = format!("-Urpf --mount-proc bash {}", machine.path("session.sh").display());
    let (said, exit) = at_terminal_of(&machine, "unshare", &line, &mut |said| match words(said) {
        Some(words) => {
            std::thread::sleep(Duration::from_millis(900));
            Some(words)
        }
        None => said.contains("[y/N").then(|| "y\n".to_owned()),
    });
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("Type these words"), "{said}");
    assert!(!machine.path(SETTINGS).exists(), "{said}");
}

#[test]
fn a_terminal_made_by_an_agent_is_no_terminal_of_a_human() {
    let machine = installed();
    let way = format!("env -i {} $TOP/terminal.py $HOME $T 2>&1", python());
    let ran = agent(&machine, "helper", &way).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_ne!(ran.status.code(), Some(0), "{said}");
    assert!(said.contains("`helper`, which runs hooks, has started this"), "{said}");
    assert!(machine.path(SETTINGS).exists());
}

#[test]
fn what_an_agent_leaves_to_run_after_it_is_refused_for_a_while() {
    let machine = installed();
    let does = "(setsid env -i HOME=$HOME sh -c \"sleep 1; $T uninstall --yes 2> $TOP/said; echo \\$? > $TOP/exit\" > /dev/null 2>&1 < /dev/null &)";
    assert!(agent(&machine, "helper", does).status().unwrap().success());
    let begun = Instant::now();
    while !machine.path("exit").exists() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = machine.read("said");
    assert!(said.contains("an agent is running or has ended just now (`helper`"), "{said}");
    assert!(machine.path(SETTINGS).exists());
}

/// An agent elsewhere on the machine, until dropped.
struct Elsewhere(Child);

impl Elsewhere {
    fn new(machine: &Machine) -> Self {
        let mut command = agent(machine, "helper", "touch $TOP/runs\nexec -a helper sleep 60");
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !machine.path("runs").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self(child)
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // `setsid --wait` waits for the agent, which is in a session of its own.
        let pid = self.0.id().to_string();
        drop(Command::new("pkill").args(["-P", &pid]).status());
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Runs a command at its own terminal; `types` answers its prompts.
fn at_terminal(
    machine: &Machine,
    line: &str,
    types: &mut dyn FnMut(&str) -> Option<String>,
) -> (String, i32) {
    at_terminal_of(machine, env!("CARGO_BIN_EXE_tenter"), line, types)
}

fn at_terminal_of(
    machine: &Machine,
    program: &str,
    line: &str,
    types: &mut dyn FnMut(&str) -> Option<String>,
) -> (String, i32) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait"]).arg(program).args(line.split(' '));
    command.env_clear().current_dir(machine.path("repo"));
    command.env("HOME", machine.path("home")).env("PATH", "/usr/bin:/bin");
    command
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs));
    let mut ours = File::from(ours);
    let mut child = command.spawn().unwrap();
    drop(command);
    let (mut said, mut part) = (String::new(), [0; 4096]);
    let mut answered = 0;
    while let Ok(count) = ours.read(&mut part) {
        if count == 0 {
            break;
        }
        said.push_str(&String::from_utf8_lossy(part.get(..count).unwrap()));
        if let Some(answer) = types(said.get(answered..).unwrap()) {
            answered = said.len();
            ours.write_all(answer.as_bytes()).unwrap();
        }
    }
    (said, child.wait().unwrap().code().unwrap())
}

/// The requested words, once complete.
fn words(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("Type these words: ")?;
    let (words, _) = rest.split_once("\r\n> ")?;
    Some(format!("{words}\n"))
}

#[test]
fn a_human_at_a_terminal_types_the_words_while_an_agent_runs() {
    let machine = installed();
    let agent = Elsewhere::new(&machine);
    // Faster than a human.
    let (said, exit) = at_terminal(&machine, "uninstall", &mut |said| {
        words(said).or_else(|| said.contains("[y/N").then(|| "y\n".to_owned()))
    });
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("faster than a human types"), "{said}");
    // Typed ahead, or wrong words.
    let (said, exit) = at_terminal(&machine, "uninstall", &mut |said| {
        said.contains("[y/N")
            .then(|| "y\nyes\n".to_owned())
            .or_else(|| words(said).map(|_| "yes please\n".to_owned()))
    });
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("these are not the words"), "{said}");
    assert!(machine.path(SETTINGS).exists());
    // Without a terminal it is refused.
    let ran = machine.run("uninstall --yes");
    assert!(ran.stderr.contains("without a terminal a human cannot be told from it"), "{ran:?}");
    // Like a human.
    let (said, exit) = at_terminal(&machine, "uninstall", &mut |said| match words(said) {
        Some(words) => {
            std::thread::sleep(Duration::from_millis(900));
            Some(words)
        }
        None => said.contains("[y/N").then(|| "y\n".to_owned()),
    });
    assert_eq!(exit, 0, "{said}");
    assert!(!machine.path(SETTINGS).exists(), "{said}");
    drop(agent);
}

#[test]
fn a_hook_that_a_human_tries_by_hand_makes_no_agent_of_the_terminal() {
    let machine = installed();
    machine.write("payload.json", PAYLOAD);
    machine.write(
        "try.sh",
        &format!(
            "{} hook claude < {} > /dev/null\n",
            env!("CARGO_BIN_EXE_tenter"),
            machine.path("payload.json").display()
        ),
    );
    let ran = Command::new("script")
        .args(["-qec", &format!("bash {}", machine.path("try.sh").display()), "/dev/null"])
        .env("HOME", machine.path("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert!(machine.path("home/.local/state/tenterhook/seen").exists());
    assert!(!machine.path("home/.local/state/tenterhook/agents").exists());
}

#[test]
fn without_an_agent_nobody_is_bothered() {
    let machine = installed();
    let (said, exit) =
        at_terminal(&machine, "uninstall", &mut |said| said.contains("[y/N").then(|| "y\n".into()));
    assert_eq!(exit, 0, "{said}");
    assert!(!said.contains("Type these words"), "{said}");
    // Automation without any agent.
    assert_eq!(machine.run("install --hosts claude --yes").exit, 0);
    assert_eq!(machine.run("uninstall --yes").exit, 0);
}

#[test]
fn a_traced_process_answers_nobody() {
    let machine = installed();
    let code = "import ctypes, os, sys\npid = os.fork()\nif pid == 0:\n    ctypes.CDLL(None).ptrace(0, 0, 0, 0)\n    os.execve(sys.argv[1], [sys.argv[1], 'uninstall', '--yes'], {'HOME': sys.argv[2]})\nwhile True:\n    _, status = os.waitpid(pid, 0)\n    if os.WIFEXITED(status): sys.exit(os.WEXITSTATUS(status))\n    ctypes.CDLL(None).ptrace(7, pid, 0, 0)\n";
    let ran = Command::new(python())
        .args(["-c", code, env!("CARGO_BIN_EXE_tenter")])
        .arg(machine.path("home"))
        .current_dir(machine.path("repo"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("is tracing this process"), "{said}");
}
