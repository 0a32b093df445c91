//! A machine with one host installed by `tenter install`, to be sabotaged.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;
use tempfile::TempDir;
use tenter_model::HostId;
use tenter_testkit::{Ran, Tenter};

pub(crate) struct Machine {
    folder: TempDir,
    pub(crate) host: HostId,
    /// Environment variables for all commands.
    pub(crate) variables: Vec<(&'static str, PathBuf)>,
    /// Working folder of all commands.
    pub(crate) cwd: PathBuf,
}

/// A command's report: exit code, ids of severe findings, and printed fixes.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) exit: i32,
    pub(crate) ids: Vec<String>,
    pub(crate) fixes: Vec<String>,
    pub(crate) text: String,
}

impl Machine {
    /// A host installed for its user without any problem.
    pub(crate) fn healthy(host: HostId) -> Self {
        Self::wired(host, "user")
    }

    pub(crate) fn wired(host: HostId, scope: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for below in ["home", "shop/.git", "shop/src", "root", "bin", "opt"] {
            fs::create_dir_all(top.join(below)).unwrap();
        }
        for place in ["bin/tenter", "opt/tenter"] {
            symlink(env!("CARGO_BIN_EXE_tenter"), top.join(place)).unwrap();
        }
        let cwd = top.join("shop");
        let machine = Self { folder, host, variables: Vec::new(), cwd };
        let version = if host == HostId::Claude { "2.1.326 (Claude Code)" } else { "2026.09.23" };
        let name = if host == HostId::Claude { "claude" } else { "cursor-agent" };
        machine.program(&format!("bin/{name}"), &format!("#!/bin/sh\necho '{version}'\n"));
        let binary = machine.path("opt/tenter");
        let ran = machine.tenter(&[
            "install",
            "--yes",
            "--hosts",
            host.as_str(),
            "--scope",
            scope,
            "--events",
            "gates",
            "--binary",
            binary.to_str().unwrap(),
        ]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        if host == HostId::Codex {
            machine.approve();
        }
        machine
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn program(&self, below: &str, text: &str) {
        drop(fs::remove_file(self.path(below)));
        self.write(below, text);
        fs::set_permissions(self.path(below), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A copy of our program in place of the installed one.
    pub(crate) fn copy(&self) -> PathBuf {
        let path = self.path("opt/tenter");
        fs::remove_file(&path).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_tenter"), &path).unwrap();
        path
    }

    /// The hook file of the user, or of the project.
    pub(crate) fn file(&self) -> PathBuf {
        let name = match self.host {
            HostId::Claude | HostId::Gemini | HostId::Qwen => "settings.json",
            HostId::Cursor | HostId::Codex => "hooks.json",
        };
        let below = format!(".{}/{name}", self.host);
        let user = self.path("home").join(&below);
        if user.symlink_metadata().is_ok() { user } else { self.path("shop").join(below) }
    }

    pub(crate) fn gate(&self) -> &'static str {
        match self.host {
            HostId::Cursor => "preToolUse",
            HostId::Claude | HostId::Codex | HostId::Qwen => "PreToolUse",
            HostId::Gemini => "BeforeTool",
        }
    }

    pub(crate) fn text(&self, change: impl FnOnce(String) -> String) {
        let before = fs::read_to_string(self.file()).unwrap();
        let after = change(before.clone());
        assert_ne!(before, after, "the change changes something");
        fs::write(self.file(), after).unwrap();
    }

    /// Changes the whole file as JSON.
    pub(crate) fn json(&self, change: impl FnOnce(&mut Value)) {
        self.text(|text| {
            let mut all: Value = serde_json::from_str(&text).unwrap();
            change(&mut all);
            format!("{all:#}\n")
        });
    }

    /// Sets a key of the tool event's handler; `matcher` goes to its own place.
    pub(crate) fn set(&self, key: &str, value: Value) {
        self.json(|all| {
            let entry = &mut all["hooks"][self.gate()][0];
            let is_group = entry.get("hooks").is_some();
            let target = if is_group && key != "matcher" { &mut entry["hooks"][0] } else { entry };
            target[key] = value;
        });
    }

    pub(crate) fn line(&self) -> String {
        format!("{} hook {}", self.path("opt/tenter").display(), self.host)
    }

    /// Replaces our command at every event.
    pub(crate) fn command(&self, command: &str) {
        let line = self.line();
        self.text(|text| text.replace(&line, command));
    }

    /// Writes Codex's approvals for all hooks.
    pub(crate) fn approve(&self) {
        let hooks: Value = serde_json::from_str(&fs::read_to_string(self.file()).unwrap()).unwrap();
        let mut text = String::new();
        for event in hooks["hooks"].as_object().unwrap().keys() {
            let mut snake = String::new();
            for letter in event.chars() {
                if letter.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
            }
            let file = self.file();
            let key = format!("{}:{snake}:0:0", file.display());
            text += &["[hooks.state.\"", &key, "\"]\ntrusted_hash = \"sha256:00\"\n"].concat();
        }
        self.write("home/.codex/config.toml", &text);
    }

    fn at(&self, mut command: Command) -> Command {
        command.env_clear().current_dir(&self.cwd).env("HOME", self.path("home"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn tenter(&self, arguments: &[&str]) -> Ran {
        Tenter::finish(self.at(Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(arguments)), "")
    }

    /// Sends an event like the host.
    pub(crate) fn hook(&self, event: &Value) {
        let command =
            Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["hook", self.host.as_str()]);
        Tenter::finish(self.at(command), event.to_string());
    }

    fn examine(&self, arguments: &[&str]) -> (Value, Ran) {
        let root = self.path("root");
        let mut all = arguments.to_vec();
        all.extend(["--json", "--root", root.to_str().unwrap()]);
        let ran = self.tenter(&all);
        let report = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        (report, ran)
    }

    pub(crate) fn doctor(&self) -> Report {
        let (report, ran) = self.examine(&["doctor"]);
        let grave = report["findings"].as_array().unwrap().iter();
        let grave: Vec<&Value> = grave.filter(|it| it["severity"] == "error").collect();
        let all = |key: &str| grave.iter().map(|it| it[key].as_str().unwrap().to_owned()).collect();
        Report { exit: ran.exit, ids: all("id"), fixes: all("fix"), text: ran.stdout }
    }

    pub(crate) fn prove(&self) -> Report {
        let (report, ran) = self.examine(&["prove", "--real", "never"]);
        let rows = report.as_array().unwrap().iter();
        let reasons = rows.flat_map(|row| row["reasons"].as_array().unwrap());
        let grave: Vec<&Value> = reasons.filter(|it| it["level"] == "error").collect();
        let all = |key: &str| grave.iter().map(|it| it[key].as_str().unwrap().to_owned()).collect();
        Report { exit: ran.exit, ids: all("id"), fixes: all("fix"), text: ran.stdout }
    }

    /// The printed fixes of errors, warnings and notes.
    pub(crate) fn fix_lines(&self) -> Vec<String> {
        let root = self.path("root");
        let ran = self.tenter(&["doctor", "--root", root.to_str().unwrap()]);
        let lines = ran.stdout.lines().filter_map(|line| line.trim_start().strip_prefix("fix: "));
        lines.map(str::to_owned).collect()
    }

    /// Pastes a line into a shell at a terminal, and answers yes to questions.
    pub(crate) fn paste(&self, line: &str) -> (String, i32) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", line]);
        let mut shell = self.at(shell);
        shell
            .stdin(Stdio::from(theirs.try_clone().unwrap()))
            .stdout(Stdio::from(theirs.try_clone().unwrap()))
            .stderr(Stdio::from(theirs));
        let mut ours = File::from(ours);
        ours.write_all(b"y\ny\n").unwrap();
        let mut child = shell.spawn().unwrap();
        drop(shell);
        let (mut said, mut part) = (Vec::new(), [0; 4096]);
        // Reading fails once the other end is closed.
        while let Ok(count) = ours.read(&mut part) {
            if count == 0 {
                break;
            }
            said.extend_from_slice(part.get(..count).unwrap());
        }
        let exit = child.wait().unwrap().code().unwrap_or(-1);
        (String::from_utf8_lossy(&said).into_owned(), exit)
    }
}
