//! A machine for the set-up commands: home, project, system and hosts that only print their version.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use tenter_testkit::Tree;
use tenter_testkit::{Ran, Tenter};

pub(crate) const HOSTS: [&str; 3] = ["cursor", "claude", "codex"];

/// Host programs with their version output.
const PROGRAMS: [(&str, &str); 4] = [
    ("cursor-agent", "2026.09.23-86fc751"),
    ("cursor", "3.21.16"),
    ("claude", "2.1.325 (Claude Code)"),
    ("codex", "codex-cli 0.166.0"),
];

pub(crate) struct Machine {
    tree: Tree,
}

impl std::ops::Deref for Machine {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Self { tree: Tree::new(&["home/shop/.git", "root"]) };
        for (name, version) in PROGRAMS {
            let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && echo '{version}'\n");
            machine.write(&format!("bin/{name}*"), &script);
        }
        let link = machine.path("target/debug/tenter");
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tenter"), link).unwrap();
        machine
    }

    /// Replaces text in a file; `TOP` is replaced by the machine's folder.
    pub(crate) fn change(&self, name: &str, from: &str, to: &str) {
        let top = self.path("").display().to_string();
        let from = from.replace("TOP/", &top);
        let text = self.read(name);
        assert!(text.contains(&from), "{from} is not in {text}");
        self.write(name, &text.replace(&from, to));
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777
    }

    /// Installs the usual events of a host, one per line.
    pub(crate) fn wire(&self, host: &str, scope: &str) {
        let id = host.parse().unwrap();
        let install = tenter_hosts::host(id).install();
        let command = format!("{} hook {host}", self.path("target/debug/tenter").display());
        let event = |wire: &tenter_hosts::install::Wire| {
            let fields = (install.handler)(&tenter_hosts::install::EntryOptions {
                wire,
                command: &command,
                version: None,
                fail_closed: false,
            });
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
            let handler = format!("{{{}}}", fields.join(", "));
            let entry = match install.shape {
                tenter_hosts::install::Shape::Entries => handler,
                tenter_hosts::install::Shape::Groups => format!("{{\"hooks\": [{handler}]}}"),
            };
            format!("\"{}\": [{entry}]", wire.event)
        };
        let events: Vec<String> = install.wires.iter().map(event).collect();
        let version = if host == "cursor" { "\"version\": 1, " } else { "" };
        let folder = if scope == "user" { "home" } else { "home/shop" };
        let file = if host == "claude" { "settings.json" } else { "hooks.json" };
        let text = format!("{{{version}\"hooks\": {{\n{}}}}}\n", events.join(",\n"));
        self.write(&format!("{folder}/.{host}/{file}"), &text);
    }

    /// A command run in the project, isolated from the real machine.
    pub(crate) fn bare(&self, arguments: &[&str]) -> Command {
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(arguments);
        command.current_dir(self.path("home/shop"));
        for (name, value) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if !["TMPDIR", "LLVM_PROFILE_FILE"].contains(&name.as_str()) {
                command.env_remove(&name);
            }
            drop(value);
        }
        command.env("COLUMNS", "120").env("HOME", self.path("home"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        command
    }

    pub(crate) fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let root = self.path("root").display().to_string();
        let mut all = vec![name, "--root", &root];
        all.extend(arguments);
        self.bare(&all)
    }

    pub(crate) fn run(&self, name: &str, arguments: &[&str]) -> Ran {
        finish(self.command(name, arguments))
    }

    /// The output with `TOP` for the machine's folder.
    pub(crate) fn plain(&self, text: &str) -> String {
        let top = self.path("").display().to_string();
        text.replace(&top, "TOP/").replace(env!("CARGO_BIN_EXE_tenter"), "tenter")
    }
}

pub(crate) fn finish(command: Command) -> Ran {
    Tenter::finish(command, "")
}
