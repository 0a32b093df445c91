//! Test machine: home, project, system and our program, all below one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_hosts::install::{Scope, Shape, System};
use tenter_model::HostId;
use tenter_testkit::Tree;

use super::{Check, Exam, Facts, Finding, Guard, Mended, Selection, Sign, diagnose};
use crate::Places;
use crate::detect::Presence;
use crate::survey::survey;

pub(crate) struct Scene {
    tree: Tree,
    pub(crate) facts: Facts,
    pub(crate) places: Places,
    versions: Vec<(HostId, String)>,
    absent: Vec<HostId>,
}

impl std::ops::Deref for Scene {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

/// Time of every scene, far from the times of real files.
pub(crate) const NOW: u64 = 2_000_000_000;

impl Scene {
    pub(crate) fn new() -> Self {
        let tree = Tree::new(&["home/shop/.git"]);
        let top = tree.top();
        let places = Places {
            system: System::Linux,
            root: top.join("root"),
            home: Some(top.join("home")),
            project: Some(top.join("home/shop")),
            variables: BTreeMap::new(),
            path: Some(top.join("bin").into()),
            state: Some(top.join("home/.local/state/tenterhook")),
            now: NOW,
        };
        let facts = Facts {
            running: top.join("bin/tenter"),
            version: "1.2.3".to_owned(),
            config: Some(top.join("home/.config/tenterhook")),
            cache: Some(top.join("home/.cache/tenterhook")),
            ..Facts::default()
        };
        let scene = Self { tree, facts, places, versions: Vec::new(), absent: Vec::new() };
        scene.write("bin/tenter*", "\u{7f}ELF\0");
        scene
    }

    /// A scene whose user file of a host runs the current program.
    pub(crate) fn wired(host: HostId) -> Self {
        let scene = Self::new();
        scene.wire(host, Scope::User, "bin/tenter");
        scene
    }

    pub(crate) fn file(&self, host: HostId, scope: Scope) -> PathBuf {
        let install = tenter_hosts::host(host).install();
        self.places.with_roots(|roots| (install.file)(roots, scope)).unwrap()
    }

    /// Installs all events of a host for a program below the folder, one event per line.
    pub(crate) fn wire(&self, host: HostId, scope: Scope, program: &str) {
        self.wire_command(host, scope, &format!("{} hook {host}", self.path(program).display()));
    }

    /// Installs all events of a host with a command.
    pub(crate) fn wire_command(&self, host: HostId, scope: Scope, command: &str) {
        let install = tenter_hosts::host(host).install();
        let events: Vec<String> = install
            .wires
            .iter()
            .map(|wire| {
                let kind = if host == HostId::Cursor { "" } else { "\"type\": \"command\", " };
                let timeout = wire.timeout * (install.time_unit)("command").per_second();
                let handler =
                    format!("{{{kind}\"command\": \"{command}\", \"timeout\": {timeout}}}");
                let entry = match install.shape {
                    Shape::Entries => handler,
                    Shape::Groups => format!("{{\"hooks\": [{handler}]}}"),
                };
                format!("\"{}\": [{entry}]", wire.event)
            })
            .collect();
        let version = if host == HostId::Cursor { "\"version\": 1, " } else { "" };
        let text = format!("{{{version}\"hooks\": {{\n{}}}}}\n", events.join(",\n"));
        self.lay(&self.file(host, scope), &text);
    }

    pub(crate) fn lay(&self, path: &Path, text: &str) {
        assert!(path.starts_with(self.path("")), "{}", path.display());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces text in the file of a host and scope.
    pub(crate) fn change(&self, host: HostId, scope: Scope, from: &str, to: &str) {
        let path = self.file(host, scope);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    pub(crate) fn version(&mut self, host: HostId, version: &str) {
        self.versions.push((host, version.to_owned()));
    }

    pub(crate) fn absent(&mut self, host: HostId) {
        self.absent.push(host);
    }

    /// Queries the versions of the hooks' programs, as the command does.
    #[cfg(unix)]
    pub(crate) fn ask(&mut self) {
        let running = self.facts.running.clone();
        let version = &self.facts.version;
        self.facts.programs =
            self.look(|exam| super::ask(exam.survey, exam.places, &running, version));
    }

    pub(crate) fn sign(&mut self, host: HostId, at: u64) {
        let event = "preToolUse".to_owned();
        self.facts.signs.push(Sign { host, event, at_ms: at * 1000, wired_as: host });
    }

    fn look<T>(&self, with: impl FnOnce(&Exam<'_>) -> T) -> T {
        let presence = |host| {
            let version = self.versions.iter().find(|(known, _)| *known == host);
            let version = version.map(|(_, version)| version.clone());
            (host, Presence { program: None, version, folder: !self.absent.contains(&host) })
        };
        let presence: Vec<_> = HostId::ALL.into_iter().map(presence).collect();
        let survey = survey(&self.places, &presence);
        with(&Exam::new(&self.places, &survey, &self.facts))
    }

    /// Findings of one check.
    pub(crate) fn found(&self, check: &Check) -> Vec<Finding> {
        let all = self.look(|exam| diagnose(exam, &Selection::default()));
        all.findings.into_iter().filter(|finding| finding.check.id == check.id).collect()
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.look(|exam| diagnose(exam, &Selection::default())).findings
    }

    pub(crate) fn guards(&self) -> Vec<Guard> {
        self.look(|exam| diagnose(exam, &Selection::default())).guards
    }

    /// Applies the safe fixes.
    pub(crate) fn mended(&self) -> Vec<Mended> {
        self.mend(false)
    }

    /// Applies all fixes, including those that need consent.
    #[cfg(unix)]
    pub(crate) fn mended_with_consent(&self) -> Vec<Mended> {
        self.mend(true)
    }

    fn mend(&self, consent: bool) -> Vec<Mended> {
        self.look(|exam| {
            let diagnosis = diagnose(exam, &Selection::default());
            super::mend(exam, &diagnosis.findings, consent)
        })
    }
}

#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Sets a file's modification time.
pub(crate) fn touch(path: &Path, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}
