//! Detection of hosts on test machines.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tenter_hosts::install::System;
use tenter_model::HostId;
use tenter_setup::Places;
use tenter_setup::detect::{Presence, detect, detect_all, of_project};
use tenter_testkit::Tree;

struct Machine {
    tree: Tree,
    places: Places,
}

impl std::ops::Deref for Machine {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl Machine {
    fn new() -> Self {
        let tree = Tree::new(&["root", "home/clone"]);
        let top = tree.top();
        let places = Places {
            system: System::Linux,
            root: top.join("root"),
            home: Some(top.join("home")),
            project: Some(top.join("home/clone")),
            variables: BTreeMap::new(),
            path: None,
            state: None,
            now: 0,
        };
        Self { tree, places }.on_path(&["bin"])
    }

    /// Sets `PATH` to these folders and the system's, which programs need to run at all.
    fn on_path(mut self, folders: &[&str]) -> Self {
        let own = folders.iter().map(|folder| match folder.strip_prefix("./") {
            Some(relative) => PathBuf::from(relative),
            None => self.path(folder),
        });
        let all = own.chain(["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from));
        self.places.path = Some(std::env::join_paths(all).unwrap());
        self
    }

    /// A program that leaves a trace when run.
    fn program(&self, name: &str, script: &str) -> PathBuf {
        let trace = self.path("ran").join(name.replace('/', "_"));
        fs::create_dir_all(self.path("ran")).unwrap();
        self.write(
            &format!("{name}*"),
            &format!("#!/bin/sh\n: > '{}'\n{script}\n", trace.display()),
        )
    }

    fn link(&self, name: &str, target: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(self.path(target), &path).unwrap();
        path
    }

    fn has_run(&self, name: &str) -> bool {
        self.path("ran").join(name.replace('/', "_")).exists()
    }

    fn detect(&self, host: HostId) -> Presence {
        detect(host, &self.places)
    }
}

fn version(presence: &Presence) -> Option<&str> {
    presence.version.as_deref()
}

#[test]
fn a_program_on_the_path_is_asked_for_its_version() {
    let machine = Machine::new();
    let program = machine.program("bin/codex", "echo codex-cli 0.166.0");
    let codex = machine.detect(HostId::Codex);
    assert_eq!(codex.program, Some(program));
    assert_eq!(version(&codex), Some("0.166.0"));
    assert!(!codex.folder);
    assert!(codex.is_here());
}

#[test]
fn a_machine_without_hosts_has_none() {
    let machine = Machine::new();
    for (host, presence) in detect_all(&machine.places) {
        assert_eq!(presence, Presence::default(), "{host}");
        assert!(!presence.is_here());
    }
}

#[test]
fn the_users_folder_speaks_for_a_host_wherever_it_was_moved() {
    let mut machine = Machine::new();
    machine.write("home/.cursor/argv.json", "{}");
    machine.write("elsewhere/auth.json", "{}");
    assert!(machine.detect(HostId::Cursor).folder);
    assert!(!machine.detect(HostId::Codex).folder);
    let moved = machine.path("elsewhere").to_str().unwrap().to_owned();
    machine.places.variables.insert("CODEX_HOME".to_owned(), moved);
    assert!(machine.detect(HostId::Codex).folder);
    machine.places.home = None;
    assert!(!machine.detect(HostId::Cursor).folder);
}

#[test]
fn an_installation_that_tells_its_version_is_not_started() {
    let machine = Machine::new();
    machine.program("lib/node_modules/@openai/codex/bin/codex.js", "echo 9.9.9");
    let package = r#"{"name": "@openai/codex", "version": "0.166.0", "bin": {}}"#;
    machine.write("lib/node_modules/@openai/codex/package.json", package);
    let link = machine.link("bin/codex", "lib/node_modules/@openai/codex/bin/codex.js");
    let codex = machine.detect(HostId::Codex);
    assert_eq!((codex.program.clone(), version(&codex)), (Some(link), Some("0.166.0")));
    assert!(!machine.has_run("lib/node_modules/@openai/codex/bin/codex.js"));
}

#[test]
fn a_package_of_another_name_says_nothing_about_the_program() {
    let machine = Machine::new();
    machine.program("tools/bin/codex", "echo 0.150.1");
    machine.write("tools/package.json", r#"{"name": "toolbox", "version": "7.0.0"}"#);
    let machine = machine.on_path(&["tools/bin"]);
    assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.150.1"));
}

#[test]
fn a_folder_of_versions_names_the_version() {
    let machine = Machine::new();
    machine.program("home/.local/share/claude/versions/2.1.325", "echo 9.9.9");
    machine.link("home/.local/bin/claude", "home/.local/share/claude/versions/2.1.325");
    let agent = "home/.local/share/cursor-agent/versions/2026.09.23-86fc751/cursor-agent";
    machine.program(agent, "echo 9.9.9");
    machine.link("home/.local/bin/cursor-agent", agent);
    assert_eq!(version(&machine.detect(HostId::Claude)), Some("2.1.325"));
    assert_eq!(version(&machine.detect(HostId::Cursor)), Some("2026.09.23-86fc751"));
    assert!(!machine.has_run(agent));
}

#[test]
fn the_editor_is_never_started_and_its_older_version_counts() {
    let machine = Machine::new();
    let agent = machine.program("bin/cursor-agent", "echo 2026.09.23-86fc751");
    machine.program("root/usr/share/cursor/bin/cursor", "echo 9.9.9");
    let product = r#"{"nameShort": "Cursor", "version": "2.4.21", "vscodeVersion": "1.105.1"}"#;
    machine.write("root/usr/share/cursor/resources/app/product.json", product);
    let cursor = machine.detect(HostId::Cursor);
    assert_eq!(cursor.program, Some(agent));
    assert_eq!(version(&cursor), Some("2.4.21"));
    fs::remove_file(machine.path("bin/cursor-agent")).unwrap();
    assert_eq!(version(&machine.detect(HostId::Cursor)), Some("2.4.21"));
    fs::remove_dir_all(machine.path("root/usr/share/cursor/resources")).unwrap();
    let cursor = machine.detect(HostId::Cursor);
    assert!(cursor.program.is_some());
    assert_eq!(version(&cursor), None);
    assert!(!machine.has_run("root/usr/share/cursor/bin/cursor"));
}

#[test]
fn the_editor_of_a_mac_is_found_in_its_bundle() {
    let mut machine = Machine::new();
    machine.places.system = System::Mac;
    let app = "root/Applications/Cursor.app/Contents/Resources/app";
    let launcher = machine.program(&format!("{app}/bin/cursor"), "exit 1");
    let product = r#"{"version": "3.2.16", "nameShort": "Cursor"}"#;
    machine.write(&format!("{app}/product.json"), product);
    let cursor = machine.detect(HostId::Cursor);
    assert_eq!((cursor.program.clone(), version(&cursor)), (Some(launcher), Some("3.2.16")));
}

#[test]
fn a_program_off_the_path_is_found_where_installers_put_it() {
    for place in [
        "home/.local/bin/claude",
        "home/.claude/local/claude",
        "home/.bun/bin/claude",
        "root/opt/homebrew/bin/claude",
        "root/usr/local/bin/claude",
        "home/.nvm/versions/node/v22.1.0/bin/claude",
    ] {
        let machine = Machine::new();
        let program = machine.program(place, "echo '2.1.325 (Claude Code)'");
        let claude = machine.detect(HostId::Claude);
        assert_eq!((claude.program.clone(), version(&claude)), (Some(program), Some("2.1.325")));
    }
}

#[test]
fn the_newest_node_is_taken_by_number_and_not_by_letter() {
    let machine = Machine::new();
    machine.program("home/.nvm/versions/node/v9.11.2/bin/codex", "echo 0.1.0");
    let newest = machine.program("home/.nvm/versions/node/v22.1.0/bin/codex", "echo 0.166.0");
    machine.program("home/.nvm/versions/node/v18.20.1/bin/codex", "echo 0.90.0");
    assert_eq!(machine.detect(HostId::Codex).program, Some(newest));
}

#[test]
fn nothing_of_the_project_is_run() {
    let machine = Machine::new().on_path(&["home/clone/node_modules/.bin"]);
    let strange = machine.program("home/clone/node_modules/.bin/codex", "echo 9.9.9");
    let codex = machine.detect(HostId::Codex);
    assert_eq!(codex.program.as_ref(), Some(&strange));
    assert_eq!(version(&codex), None);
    assert!(of_project(&strange, &machine.places));
    assert!(!machine.has_run("home/clone/node_modules/.bin/codex"));
}

#[test]
fn a_relative_folder_on_the_path_is_the_projects() {
    let machine = Machine::new().on_path(&["./node_modules/.bin"]);
    let strange = machine.program("home/clone/node_modules/.bin/codex", "echo 9.9.9");
    let codex = machine.detect(HostId::Codex);
    assert_eq!((codex.program.as_ref(), version(&codex)), (Some(&strange), None));
    assert!(!machine.has_run("home/clone/node_modules/.bin/codex"));
}

#[test]
fn a_link_into_the_project_is_the_projects() {
    let machine = Machine::new();
    machine.program("home/clone/evil", "echo 9.9.9");
    let link = machine.link("bin/codex", "home/clone/evil");
    let codex = machine.detect(HostId::Codex);
    assert_eq!((codex.program, codex.version), (Some(link), None));
    assert!(!machine.has_run("home/clone/evil"));
}

#[test]
fn a_link_out_of_the_project_is_the_projects_too() {
    let machine = Machine::new().on_path(&["home/clone/bin"]);
    machine.program("elsewhere/format-disk", "echo 9.9.9");
    machine.link("home/clone/bin/codex", "elsewhere/format-disk");
    assert_eq!(machine.detect(HostId::Codex).version, None);
    assert!(!machine.has_run("elsewhere/format-disk"));
}

#[test]
fn a_project_that_is_reached_through_a_link_is_still_the_project() {
    let machine = Machine::new();
    machine.program("home/clone/bin/codex", "echo 9.9.9");
    machine.link("home/lane", "home/clone");
    let mut machine = machine.on_path(&["home/clone/bin"]);
    machine.places.project = Some(machine.path("home/lane"));
    assert_eq!(machine.detect(HostId::Codex).version, None);
    assert!(!machine.has_run("home/clone/bin/codex"));
    machine.places.project = Some(machine.path("home/clone"));
    machine = machine.on_path(&["home/lane/bin"]);
    assert_eq!(machine.detect(HostId::Codex).version, None);
    assert!(!machine.has_run("home/clone/bin/codex"));
}

#[test]
fn a_program_of_the_user_is_taken_before_one_of_the_project() {
    let machine = Machine::new().on_path(&["home/clone/node_modules/.bin", "bin"]);
    machine.program("home/clone/node_modules/.bin/codex", "echo 9.9.9");
    let own = machine.program("bin/codex", "echo 0.166.0");
    let codex = machine.detect(HostId::Codex);
    assert_eq!((codex.program.clone(), version(&codex)), (Some(own), Some("0.166.0")));
}

#[test]
fn who_stands_in_the_home_folder_is_in_nobodys_project() {
    let mut machine = Machine::new();
    let program = machine.program("home/.local/bin/claude", "echo 2.1.325");
    for project in ["home", ""] {
        machine.places.project = Some(machine.path(project));
        assert!(!of_project(&program, &machine.places), "{project}");
        assert_eq!(version(&machine.detect(HostId::Claude)), Some("2.1.325"));
    }
}

#[test]
fn a_launcher_does_not_find_its_interpreter_in_the_project() {
    let machine = Machine::new().on_path(&["home/clone/bin", "bin"]);
    machine.program("home/clone/bin/interpreter", "echo 9.9.9");
    machine.program("bin/codex", "interpreter || echo 0.166.0");
    assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.166.0"));
    assert!(!machine.has_run("home/clone/bin/interpreter"));
}

#[test]
fn a_launcher_finds_what_lies_beside_it() {
    let machine = Machine::new();
    let folder = "home/.nvm/versions/node/v22.1.0/bin";
    machine.program(&format!("{folder}/interpreter"), "echo 0.166.0");
    machine.program(&format!("{folder}/codex"), "interpreter");
    assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.166.0"));
}

#[test]
fn a_program_is_not_asked_from_within_the_project() {
    let machine = Machine::new();
    let seen = machine.path("seen");
    machine.program("bin/codex", &format!("pwd > '{}'; echo 0.166.0", seen.display()));
    assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.166.0"));
    assert_eq!(fs::read_to_string(seen).unwrap().trim(), machine.places.root.to_str().unwrap());
}

#[test]
fn a_program_that_hangs_costs_seconds_and_no_more() {
    let machine = Machine::new();
    machine.program("bin/codex", "trap '' TERM; sleep 60; echo 0.166.0");
    machine.program("bin/claude", "cat; sleep 1; echo 2.1.325");
    let start = Instant::now();
    let all = detect_all(&machine.places);
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    let of =
        |wanted| all.iter().find(|(host, _)| *host == wanted).map(|(_, it)| it.clone()).unwrap();
    assert!(of(HostId::Codex).program.is_some());
    assert_eq!(of(HostId::Codex).version, None);
    assert_eq!(version(&of(HostId::Claude)), Some("2.1.325"));
    let hosts: Vec<HostId> = all.iter().map(|(host, _)| *host).collect();
    assert_eq!(hosts, HostId::ALL);
}

#[test]
fn odd_answers_are_no_versions() {
    for script in [
        "echo nightly",
        "echo error: node: /lib64/libc.so.6 not found",
        "echo 0.166.0; exit 1",
        "echo 0.166.0 >&2",
        "exit 0",
        "head -c 3000000 /dev/zero",
        "kill -9 $$",
        "printf '\\377\\376'",
        "echo 99999999999999999999.1.2",
    ] {
        let machine = Machine::new();
        machine.program("bin/codex", script);
        let codex = machine.detect(HostId::Codex);
        assert!(codex.program.is_some(), "{script}");
        assert_eq!(codex.version, None, "{script}");
    }
}

#[test]
fn nothing_that_plays_tricks_on_a_terminal_comes_through() {
    let machine = Machine::new();
    machine.program("bin/codex", "printf 'codex-cli v0.166.0-beta+1\\033[2J\\007 rest\\n'");
    assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.166.0-beta+1"));
    machine.program("bin/codex", "printf '1.2.3%0500d' 0");
    assert_eq!(machine.detect(HostId::Codex).version.map(|version| version.len()), Some(40));
}

#[test]
fn files_that_cannot_be_run_are_no_programs() {
    let machine = Machine::new();
    machine.write("bin/codex", "echo 0.166.0");
    fs::create_dir_all(machine.path("bin/claude")).unwrap();
    machine.link("bin/cursor-agent", "nowhere");
    for (host, presence) in detect_all(&machine.places) {
        assert_eq!(presence.program, None, "{host}");
    }
    let machine = machine.on_path(&["bin", "second"]);
    let second = machine.program("second/codex", "echo 0.1.2");
    assert_eq!(machine.detect(HostId::Codex).program, Some(second));
}

#[test]
fn a_description_that_is_broken_or_a_pipe_is_passed_over() {
    for broken in ["{", "[]", r#"{"name": "@openai/codex"}"#, r#"{"name": 1, "version": 2}"#] {
        let machine = Machine::new();
        machine.program("lib/codex/bin/codex", "echo 0.166.0");
        machine.write("lib/codex/package.json", broken);
        let machine = machine.on_path(&["lib/codex/bin"]);
        assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.166.0"), "{broken}");
    }
    let machine = Machine::new();
    machine.program("lib/codex/bin/codex", "echo 0.166.0");
    let pipe = machine.path("lib/codex/package.json");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let machine = machine.on_path(&["lib/codex/bin"]);
    assert_eq!(version(&machine.detect(HostId::Codex)), Some("0.166.0"));
}

#[test]
fn a_path_that_is_empty_or_odd_is_no_trouble() {
    let mut machine = Machine::new();
    for path in [None, Some(""), Some(":::"), Some("\u{1}:/dev/null:/proc/self/mem")] {
        machine.places.path = path.map(OsString::from);
        assert_eq!(machine.detect(HostId::Codex), Presence::default(), "{path:?}");
    }
}
