//! Which hosts are on this machine, and in which version.
//!
//! Nothing of the project is ever run: a repository that was cloned a minute ago may bring a `codex` of
//! its own. A version is read from the files of an installation where it stands there, and asked for
//! otherwise.

mod known;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_engine::runner::Runner;
use tenter_hosts::host;
use tenter_hosts::install::{Scope, System, numbers};
use tenter_model::HostId;

use crate::Places;
use crate::places::is_program;

/// A host as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// The program with hooks of the most kinds. It may belong to the project: see [`of_project`].
    pub program: Option<PathBuf>,
    /// The oldest among the host's programs here: all of them read the same files.
    pub version: Option<String>,
    /// The user's folder of the host is there.
    pub folder: bool,
}

impl Presence {
    /// Whether anything speaks for the host being used here.
    pub fn is_here(&self) -> bool {
        self.program.is_some() || self.folder
    }
}

/// Looks for one host.
pub fn detect(host: HostId, places: &Places) -> Presence {
    detect_by(&runner(), host, places)
}

/// Looks for all hosts at the same time: each may take seconds to tell its version.
pub fn detect_all(places: &Places) -> Vec<(HostId, Presence)> {
    let runner = runner();
    let look = |id| (id, detect_by(&runner, id, places));
    std::thread::scope(|scope| {
        let threads: Vec<_> = HostId::ALL
            .into_iter()
            .map(|id| {
                let thread = std::thread::Builder::new().spawn_scoped(scope, move || look(id));
                (id, thread)
            })
            .collect();
        let join = |(id, thread): (HostId, std::io::Result<_>)| match thread {
            Ok(thread) => std::thread::ScopedJoinHandle::join(thread)
                .unwrap_or_else(|_| (id, Presence::default())),
            // A system without a thread to spare still gets its answer.
            Err(_) => look(id),
        };
        threads.into_iter().map(join).collect()
    })
}

/// Whether a program lies in the project, where anybody may have put it. Such a program is not to be run.
pub fn of_project(program: &Path, places: &Places) -> bool {
    if !program.is_absolute() {
        return true;
    }
    let Some(project) = places.project.as_deref() else { return false };
    // Who stands in the home folder, or above it, is not in somebody's repository.
    if places.home.as_deref().unwrap_or(Path::new("/")).starts_with(project) {
        return false;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    program.starts_with(project) || real(program).starts_with(real(project))
}

/// For programs that nobody waits for: what they leave behind ends with them.
pub(crate) fn runner() -> Runner {
    Runner::supervising(Duration::ZERO, false)
}

/// What a host's program finds in its environment: the user's folders as we see them, and a `PATH` on
/// which nothing of the project lies. A launcher may well start with `env node`.
pub(crate) fn environment(program: &Path, places: &Places) -> Vec<(String, Option<OsString>)> {
    let own = program.parent().map(Path::to_owned);
    let folders = places.path.iter().flat_map(std::env::split_paths).chain(own);
    let path = std::env::join_paths(folders.filter(|folder| !of_project(folder, places)));
    let mut variables = vec![("PATH".to_owned(), Some(path.unwrap_or_default()))];
    if let Some(home) = &places.home {
        let name = if places.system == System::Windows { "USERPROFILE" } else { "HOME" };
        variables.push((name.to_owned(), Some(home.into())));
    }
    for name in Places::VARIABLES {
        let value = places.variables.get(*name).map(OsString::from);
        variables.push(((*name).to_owned(), value));
    }
    variables
}

fn detect_by(runner: &Runner, id: HostId, places: &Places) -> Presence {
    let install = host(id).install();
    let programs: Vec<PathBuf> =
        install.programs.iter().filter_map(|name| find(id, name, places)).collect();
    let versions = programs.iter().filter_map(|program| version::of(runner, id, program, places));
    let file = places.with_roots(|roots| (install.file)(roots, Scope::User));
    Presence {
        version: versions.min_by_key(|version| numbers(version)),
        folder: file.is_some_and(|file| file.parent().is_some_and(Path::is_dir)),
        program: programs.into_iter().next(),
    }
}

/// A program by its name: on `PATH`, then where installers put it. One of the project is the last choice.
fn find(id: HostId, name: &str, places: &Places) -> Option<PathBuf> {
    let names: Vec<String> = if places.system == System::Windows {
        [".exe", ".cmd", ".bat"].iter().map(|ending| format!("{name}{ending}")).collect()
    } else {
        vec![name.to_owned()]
    };
    let on_path = places.path.iter().flat_map(std::env::split_paths);
    let below = |folder: PathBuf| names.iter().map(move |name| folder.join(name));
    let mut strange = None;
    for candidate in on_path.flat_map(below).chain(known::programs(id, name, &names, places)) {
        // A folder on `PATH` may be named from where we stand.
        let there = match &places.project {
            Some(project) => project.join(&candidate),
            None => candidate.clone(),
        };
        if !is_program(&there) {
            continue;
        }
        if !of_project(&candidate, places) {
            return Some(candidate);
        }
        strange.get_or_insert(there);
    }
    strange
}
