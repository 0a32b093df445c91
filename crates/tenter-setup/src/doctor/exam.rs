//! Everything that checks look at. It is gathered once; a check only judges.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{Scope, numbers};
use tenter_model::HostId;

use super::lints::{self, Linted};
use super::programs::{self, Answer, Target};
use crate::Places;
use crate::codex_trust::Trust;

use crate::command::Ours;
use crate::edit::{Found, Hook};
use crate::files::{self, Ledger};
use crate::scan::Item;
use crate::survey::{HookFile, HostState, Survey};

/// What only the caller can find out.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The program that runs now.
    pub running: PathBuf,
    pub version: String,
    /// Who we are, where the system knows users by number.
    pub user: Option<u32>,
    /// Our own folders.
    pub config: Option<PathBuf>,
    pub cache: Option<PathBuf>,
    /// The last sign of life of every event.
    pub signs: Vec<Sign>,
    /// What is wrong with the policy files.
    pub policy: Vec<PolicyFault>,
    /// Compiled policies that cannot be used.
    pub images: Vec<BadImage>,
    /// Files that we wrote hooks into, as the ledger has them.
    pub written: Vec<PathBuf>,
    /// What we wrote into which file.
    pub ledger: Ledger,
    /// The folder that an agent would be started in.
    pub cwd: Option<PathBuf>,
    /// What canaries found that no check can see.
    pub unproved: Vec<Unproved>,
    /// Tool calls in transcripts that left no record.
    pub unseen: Vec<Unseen>,
    /// Options in commands of ours that `tenter hook` does not take, and why.
    pub refused: Vec<(Vec<String>, String)>,
    /// What programs of our name said when they were asked for their version.
    pub programs: Vec<(PathBuf, Answer)>,
    /// What Codex thinks of its hooks; `None` when nobody asked.
    pub codex: Option<Trust>,
    /// What is left of the disks that we write to.
    pub space: Vec<Space>,
    /// Variables by which the project moves the folders of the guard or of an agent.
    pub moved: Vec<Item>,
    /// Calls that died before they answered: when they began, and what is known of it. The latest last.
    pub died: Vec<(u64, String)>,
}

/// A hook of ours that does not stop what it must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    pub host: HostId,
    pub scope: Scope,
    pub file: PathBuf,
    pub text: String,
    pub fix: String,
}

/// Tool calls of one transcript that never reached us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    pub host: HostId,
    pub transcript: PathBuf,
    /// Calls without a record, and all calls.
    pub calls: usize,
    pub of: usize,
    /// The first of them: the name of the tool.
    pub tool: String,
}

/// When an event of a host last reached us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sign {
    /// The host that sent it.
    pub host: HostId,
    pub event: String,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The host whose wiring brought it.
    pub wired_as: HostId,
}

/// A mistake in a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFault {
    pub file: PathBuf,
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// Nothing in the file is used.
    pub void: bool,
}

/// A compiled policy that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadImage {
    pub path: PathBuf,
    pub why: String,
}

/// What is free below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    pub folder: PathBuf,
    pub bytes: u64,
    /// Files that can still be made; `None` where the file system does not count them.
    pub files: Option<u64>,
}

/// A hook that runs us.
#[derive(Clone, Debug)]
pub(crate) struct Wired<'e> {
    pub(crate) file: &'e HookFile,
    pub(crate) found: &'e Found,
    pub(crate) ours: Ours,
}

/// All hooks of one file that run the same program of ours.
#[derive(Debug)]
pub(crate) struct Entry<'e> {
    pub(crate) file: &'e HookFile,
    /// As it is written.
    pub(crate) program: &'e Path,
    pub(crate) target: Target,
    /// The line of the first of them.
    pub(crate) line: usize,
}

#[derive(Debug)]
pub struct Exam<'e> {
    pub places: &'e Places,
    pub survey: &'e Survey,
    pub facts: &'e Facts,
    pub(crate) wired: Vec<Wired<'e>>,
    pub(crate) lints: Vec<Linted<'e>>,
}

impl<'e> Exam<'e> {
    pub fn new(places: &'e Places, survey: &'e Survey, facts: &'e Facts) -> Self {
        let of_file =
            |file: &'e HookFile| file.ours().map(move |(found, ours)| Wired { file, found, ours });
        let wired = survey.files().flat_map(of_file).collect();
        Self { places, survey, facts, wired, lints: lints::judge(survey, places) }
    }

    /// Our hooks by file and program: what is wrong with a program is said once.
    pub(crate) fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for Wired { file, found, ours } in &self.wired {
            let known =
                |entry: &Entry<'_>| entry.file.path == file.path && entry.program == ours.program;
            if !entries.iter().any(known) {
                let target = programs::target(&ours.program, self.places);
                let (program, line) = (ours.program.as_path(), found.line);
                entries.push(Entry { file, program, target, line });
            }
        }
        entries
    }

    /// The hosts and scopes that have a hook of ours, or should have one.
    pub fn guards(&self) -> Vec<(HostId, Scope)> {
        let mut guards: Vec<(HostId, Scope)> = Vec::new();
        let is_ours = |file: &&HookFile| file.ours().next().is_some() || self.is_bare(file);
        let files = self.survey.files().filter(is_ours).map(|file| (file.host, file.scope));
        let moved = self.moved().into_iter().map(|(host, ..)| (host, Scope::User));
        for guard in files.chain(moved) {
            if !guards.contains(&guard) {
                guards.push(guard);
            }
        }
        guards
    }

    /// Whether we wrote hooks into a file, and there are none in it any more.
    pub(crate) fn is_bare(&self, file: &HookFile) -> bool {
        let is_written = || {
            let real = files::real_path(&file.path).ok();
            let is_it = |path: &PathBuf| *path == file.path || Some(path) == real.as_ref();
            self.facts.written.iter().any(is_it)
                || self.facts.ledger.named(&file.path).is_some_and(|it| it.written.is_some())
        };
        file.ours().next().is_none() && !self.has_guard(file.host, file.scope) && is_written()
    }

    /// Our hooks in a file as they were installed, where that is known.
    pub(crate) fn installed(&self, file: &HookFile) -> Option<&[Hook]> {
        let ledger = &self.facts.ledger;
        let entry = ledger.entry(&file.path).or_else(|| ledger.named(&file.path))?;
        Some(entry.hooks.as_slice()).filter(|hooks| !hooks.is_empty() && !entry.leaving)
    }

    /// Hosts whose folder a variable of this environment moves away from the file that we wired: the host,
    /// the variable, the file that is wired.
    pub(crate) fn moved(&self) -> Vec<(HostId, &'static str, PathBuf)> {
        let mut moved = Vec::new();
        for (host, name) in followed() {
            let set = self.places.variables.get(name).filter(|value| !value.is_empty());
            if set.is_none() || self.has_guard(host, Scope::User) {
                continue;
            }
            let install = tenter_hosts::host(host).install();
            let mut usual = self.places.clone();
            usual.variables.remove(name);
            let files = usual.with_roots(|roots| {
                [(install.file)(roots, Scope::User), (install.toml)(roots, Scope::User)]
            });
            let mut real = files.into_iter().flatten().filter_map(|it| files::real_path(&it).ok());
            if let Some(file) = real.find(|file| self.facts.written.contains(file)) {
                moved.push((host, name, file));
            }
        }
        moved
    }

    pub(crate) fn has_guard(&self, host: HostId, scope: Scope) -> bool {
        self.wired.iter().any(|wired| (wired.file.host, wired.file.scope) == (host, scope))
    }

    /// The latest sign of a host, in seconds since 1970.
    pub(crate) fn last_sign(&self, host: HostId) -> Option<u64> {
        let of_host = self.facts.signs.iter().filter(|sign| sign.host == host);
        of_host.map(|sign| sign.at_ms / 1000).max()
    }

    /// The version of a host as numbers, where it is known.
    pub(crate) fn version(&self, host: HostId) -> Option<[u32; 3]> {
        numbers(self.survey.host(host)?.here.version.as_deref()?)
    }

    /// The folder in which a host keeps what is the user's.
    pub(crate) fn folder_of(&self, host: HostId) -> Option<PathBuf> {
        let install = tenter_hosts::host(host).install();
        let file = self.places.with_roots(|roots| (install.file)(roots, Scope::User))?;
        Some(file.parent()?.to_owned())
    }
}

/// The hosts whose folder a variable moves.
pub(crate) fn followed() -> impl Iterator<Item = (HostId, &'static str)> {
    let by = |host: HostId| Some((host, tenter_hosts::host(host).install().folder_moved_by?));
    HostId::ALL.into_iter().filter_map(by)
}

pub(crate) use crate::command::install_again as install_command;

impl HostState {
    /// What people call it, with its version where that is known.
    pub(crate) fn named(&self) -> String {
        let title = self.host.title();
        match &self.here.version {
            Some(version) => format!("{title} {version}"),
            None => title.to_owned(),
        }
    }
}
