//! Input of the checks, gathered once before they run.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{Scope, numbers};
use tenter_model::HostId;

use super::lints::{self, Linted};
use super::programs::{self, Answer, Target};
use crate::Places;
use crate::codex_trust::Trust;

use crate::command::Ours;
use crate::edit::{FoundHook, Hook};
use crate::files::{self, Ledger};
use crate::scan::Item;
use crate::survey::{HookFile, HostState, Survey};

/// Facts that the caller provides.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Path of the running program.
    pub running: PathBuf,
    pub version: String,
    /// User id, where the system has them.
    pub user: Option<u32>,
    /// Our folders.
    pub config: Option<PathBuf>,
    pub cache: Option<PathBuf>,
    /// The last sign of life of each event.
    pub signs: Vec<Sign>,
    /// Mistakes in the policy files.
    pub policy: Vec<PolicyFault>,
    /// Compiled policies that cannot be used.
    pub images: Vec<BadImage>,
    /// Files that we wrote hooks into, from the ledger.
    pub written: Vec<PathBuf>,
    /// Ledger of what we wrote.
    pub ledger: Ledger,
    /// Folder in which an agent would be started.
    pub cwd: Option<PathBuf>,
    /// Problems that only canaries can find.
    pub unproved: Vec<Unproved>,
    /// Files without canaries: only the project names their program.
    pub untested: Vec<(HostId, Scope)>,
    /// Tool calls in transcripts without a record.
    pub unseen: Vec<Unseen>,
    /// Options in our commands that `tenter hook` rejects, and why.
    pub refused: Vec<(Vec<String>, String)>,
    /// Version answers of programs with our name.
    pub programs: Vec<(PathBuf, Answer)>,
    /// Codex's approval state; `None` if not asked.
    pub codex: Option<Trust>,
    /// Free space on the disks that we write to.
    pub space: Vec<Space>,
    /// Variables by which the project moves folders of the guard or an agent.
    pub moved: Vec<Item>,
    /// Calls that died before answering: start time and description, latest last.
    pub died: Vec<(u64, String)>,
}

/// A hook of ours that does not block a canary it must block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    pub host: HostId,
    pub scope: Scope,
    pub file: PathBuf,
    pub text: String,
    pub fix: String,
}

/// Tool calls of one transcript without a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    pub host: HostId,
    pub transcript: PathBuf,
    /// Number of calls without a record, and of all calls.
    pub calls: usize,
    pub of: usize,
    /// Tool name of the first of them.
    pub tool: String,
}

/// Time when an event of a host last reached us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sign {
    /// The host that sent it.
    pub host: HostId,
    pub event: String,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The host named on the hook's command line.
    pub wired_as: HostId,
}

/// A mistake in a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFault {
    pub file: PathBuf,
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// Whether the file is ignored entirely.
    pub void: bool,
}

/// A compiled policy that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadImage {
    pub path: PathBuf,
    pub why: String,
}

/// Free space of a folder's disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    pub folder: PathBuf,
    pub bytes: u64,
    /// Number of files that can still be created; `None` where the file system has no limit.
    pub files: Option<u64>,
}

/// A hook that runs us.
#[derive(Clone, Debug)]
pub(crate) struct Wired<'e> {
    pub(crate) file: &'e HookFile,
    pub(crate) found: &'e FoundHook,
    pub(crate) ours: Ours,
}

/// All hooks of one file that run the same program of ours.
#[derive(Debug)]
pub(crate) struct Entry<'e> {
    pub(crate) file: &'e HookFile,
    /// As written in the file.
    pub(crate) program: &'e Path,
    pub(crate) target: Target,
    /// Line of the first of them.
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

    /// Our hooks by file and program, since a problem of a program is reported once.
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

    /// Hosts and scopes that have, or should have, our hooks.
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

    /// Whether we wrote hooks into a file that has none any more.
    pub(crate) fn is_bare(&self, file: &HookFile) -> bool {
        let is_written = || {
            let real = files::real_path(&file.path).ok();
            let is_it = |path: &PathBuf| *path == file.path || Some(path) == real.as_ref();
            self.facts.written.iter().any(is_it)
                || self.facts.ledger.named(&file.path).is_some_and(|it| it.written.is_some())
        };
        file.ours().next().is_none() && !self.has_guard(file.host, file.scope) && is_written()
    }

    /// Our hooks in a file as installed, if known.
    pub(crate) fn installed(&self, file: &HookFile) -> Option<&[Hook]> {
        let ledger = &self.facts.ledger;
        let entry = ledger.entry(&file.path).or_else(|| ledger.named(&file.path))?;
        Some(entry.hooks.as_slice()).filter(|hooks| !hooks.is_empty() && !entry.leaving)
    }

    /// Hosts whose folder an environment variable moves away from the file with our hooks: host, variable,
    /// file.
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

    /// Time of the latest sign of life of a host, in seconds since 1970.
    pub(crate) fn last_sign(&self, host: HostId) -> Option<u64> {
        let of_host = self.facts.signs.iter().filter(|sign| sign.host == host);
        of_host.map(|sign| sign.at_ms / 1000).max()
    }

    /// Version of a host as numbers, if known.
    pub(crate) fn version(&self, host: HostId) -> Option<[u32; 3]> {
        numbers(self.survey.host(host)?.here.version.as_deref()?)
    }

    /// The user's folder of a host.
    pub(crate) fn folder_of(&self, host: HostId) -> Option<PathBuf> {
        let install = tenter_hosts::host(host).install();
        let file = self.places.with_roots(|roots| (install.file)(roots, Scope::User))?;
        Some(file.parent()?.to_owned())
    }
}

/// Hosts whose folder a variable can move.
pub(crate) fn followed() -> impl Iterator<Item = (HostId, &'static str)> {
    let by = |host: HostId| Some((host, tenter_hosts::host(host).install().folder_moved_by?));
    HostId::ALL.into_iter().filter_map(by)
}

pub(crate) use crate::command::install_again as install_command;

impl HostState {
    /// Display name, with the version if known.
    pub(crate) fn named(&self) -> String {
        let title = self.host.title();
        match &self.here.version {
            Some(version) => format!("{title} {version}"),
            None => title.to_owned(),
        }
    }
}
