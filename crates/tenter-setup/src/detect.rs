//! Detects installed hosts and their versions.
//!
//! Programs of the project are never run: a freshly cloned repository may bring a `codex` of its own. A
//! version is read from an installation's files if possible, else by running the program.

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

/// Installation state of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// The program with the most hook events. It may belong to the project: see [`of_project`].
    pub program: Option<PathBuf>,
    /// The oldest version among the host's programs, since all of them read the same files.
    pub version: Option<String>,
    /// Whether the user's folder of the host exists.
    pub folder: bool,
}

impl Presence {
    /// Whether there is any sign that the host is used here.
    pub fn is_here(&self) -> bool {
        self.program.is_some() || self.folder
    }
}

/// Detects one host.
pub fn detect(host: HostId, places: &Places) -> Presence {
    detect_by(&runner(), host, places)
}

/// Detects all hosts concurrently: each may take seconds to report its version.
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
            // Without a spare thread, look synchronously.
            Err(_) => look(id),
        };
        threads.into_iter().map(join).collect()
    })
}

/// Whether a program is in the project, where anybody may have put it. Such a program must not be run.
pub fn of_project(program: &Path, places: &Places) -> bool {
    if !program.is_absolute() {
        return true;
    }
    let Some(project) = places.project.as_deref() else { return false };
    // A project that contains the home folder is not a foreign repository.
    if places.home.as_deref().unwrap_or(Path::new("/")).starts_with(project) {
        return false;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    program.starts_with(project) || real(program).starts_with(real(project))
}

/// A runner that kills leftover processes.
pub(crate) fn runner() -> Runner {
    Runner::supervising(Duration::ZERO, false)
}

/// Environment for running a host's program: the user's folders, and a `PATH` without folders of the project.
/// A launcher may start with `env node`.
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

/// Finds a program: on `PATH`, then where installers put it; one in the project is the last choice.
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
        // A folder on `PATH` may be relative.
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
