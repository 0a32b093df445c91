//! A user for tests: a home, a project in it, and our program.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_testkit::{Ran, Tenter};

/// A user with a home and a project. Test files add what else they need.
pub(crate) struct User {
    pub(crate) home: TempDir,
}

impl User {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("shop")).unwrap();
        Self { home }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn shop(&self) -> PathBuf {
        self.path("shop")
    }

    /// A file or folder of our state.
    pub(crate) fn state(&self, name: &str) -> PathBuf {
        self.path(".local/state/tenterhook").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes the user's policy.
    pub(crate) fn policy(&self, text: &str) {
        self.write(".config/tenterhook/policy.toml", text);
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(arguments);
        command.env("HOME", self.home.path()).env("USER", "me").env("TZ", "UTC");
        command.current_dir(self.shop());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str], stdin: &str) -> Ran {
        Tenter::finish(self.command(arguments), stdin)
    }

    /// Runs it at a terminal of its own, made by Python's pty module, where a human types this.
    pub(crate) fn at_terminal(&self, arguments: &[&str], types: &str) -> (String, i32) {
        let script = "import os, pty, sys\n\
            pid, fd = pty.fork()\n\
            if pid == 0: os.execv(sys.argv[2], sys.argv[2:])\n\
            os.write(fd, sys.argv[1].encode())\n\
            out = b''\n\
            try:\n  \
              while True:\n    \
                piece = os.read(fd, 1000)\n    \
                if not piece: break\n    \
                out += piece\n\
            except OSError: pass\n\
            status = os.waitpid(pid, 0)[1]\n\
            sys.stdout.write(out.decode())\n\
            sys.exit(os.waitstatus_to_exitcode(status))\n";
        let mut python = Command::new("python3");
        python.args(["-c", script, types, env!("CARGO_BIN_EXE_tenter")]).args(arguments);
        for mark in ["CLAUDECODE", "CURSOR_AGENT", "CODEX_SANDBOX", "GEMINI_CLI"] {
            python.env_remove(mark);
        }
        python.env("HOME", self.home.path()).env("TZ", "UTC").current_dir(self.shop());
        let output = python.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (text, output.status.code().unwrap())
    }

    /// A call of Claude Code in the project, unique among all calls.
    pub(crate) fn payload(&self, tool: &str, input: &Value) -> String {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let id = format!("toolu_{}", CALLS.fetch_add(1, Ordering::Relaxed));
        json!({
            "hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": self.shop(),
            "tool_name": tool, "tool_input": input, "tool_use_id": id,
        })
        .to_string()
    }
}
