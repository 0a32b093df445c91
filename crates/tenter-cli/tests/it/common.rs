//! A machine for tests of set-up commands.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use tenter_testkit::{Ran, Tenter, Tree};

/// A machine with home, repository, root for managed files, and hosts on PATH.
pub(crate) struct Machine {
    tree: Tree,
}

impl std::ops::Deref for Machine {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

pub(crate) const VERSIONS: [(&str, &str); 3] = [
    ("claude", "2.1.325 (Claude Code)"),
    ("codex", "codex-cli 0.166.0"),
    ("cursor-agent", "2026.09.23-86fc751"),
];

impl Machine {
    pub(crate) fn new() -> Self {
        Self::with(&VERSIONS)
    }

    pub(crate) fn with(versions: &[(&str, &str)]) -> Self {
        let machine = Self { tree: Tree::new(&["home", "repo/.git", "root", "bin"]) };
        for (name, version) in versions {
            machine.write(&format!("bin/{name}*"), &format!("#!/bin/sh\necho '{version}'\n"));
        }
        machine
    }

    pub(crate) fn command(&self, line: &str) -> std::process::Command {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&words);
        let bin = self.path("bin");
        command
            .current_dir(self.path("repo"))
            .env_clear()
            .env("COLUMNS", "100")
            .env("HOME", self.path("home"))
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        command
    }

    /// Runs a command; the machine's folder is shown as `@`.
    pub(crate) fn run(&self, line: &str) -> Ran {
        let ran = Tenter::finish(self.command(line), "");
        let here = self.top().display().to_string();
        Ran {
            stdout: ran.stdout.replace(&here, "@"),
            stderr: ran.stderr.replace(&here, "@"),
            exit: ran.exit,
        }
    }

    /// All files of user, repository and system, with content.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        let mut waiting: Vec<PathBuf> = ["home", "repo", "root"].map(|it| self.path(it)).to_vec();
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.top()).unwrap().display().to_string();
                if name.contains(".local/state") || name.contains(".cache") {
                    continue;
                }
                if path.is_dir() {
                    found.push((format!("{name}/"), Vec::new()));
                    waiting.push(path);
                } else {
                    found.push((name, fs::read(&path).unwrap()));
                }
            }
        }
        // Our state is below the home and stays unless purged.
        found.retain(|(name, _)| name != "home/.local/");
        found.sort();
        found
    }
}
