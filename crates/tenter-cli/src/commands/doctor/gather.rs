//! Gathers the facts for `doctor` and `status`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tenter_audit::{Spool, unfinished};
use tenter_hosts::install::Scope;
use tenter_policy::policy::image::{self, Stale};
use tenter_policy::policy::{Problem, Severity};
use tenter_setup::canary::{self, ProofLevel, Stage};
use tenter_setup::doctor::{self, BadImage, Facts, PolicyFault, Sign, Unproved};
use tenter_setup::scan::{Item, moved_folders};
use tenter_setup::survey::{HookFile, Survey};
use tenter_setup::{Places, codex_trust, command, files};

use super::heartbeat;
use crate::error::CommandError;
use crate::guard::folders::Folders;
use crate::guard::{LocalMachine, policies, seen};
use crate::{reading, wiring};

/// Facts for the checks beside the hook files.
pub(crate) fn facts(
    cwd: Option<&Path>,
    places: &Places,
    survey: &Survey,
) -> Result<Facts, CommandError> {
    let machine = machine(cwd)?;
    let running = std::env::current_exe().map_err(|error| {
        CommandError::failed(format!("cannot tell which program this is: {error}"))
    })?;
    let Folders { config, cache, .. } = machine.folders.clone();
    let disks = places.state.iter().chain(&cache).filter_map(|folder| doctor::space(folder));
    let mut space: Vec<_> = disks.collect();
    space.dedup_by(|one, other| (one.bytes, one.files) == (other.bytes, other.files));
    let ledger = files::ledger(places).unwrap_or_default();
    let written = ledger.entries().iter().filter(|it| it.written.is_some() && !it.leaving);
    let here = std::env::current_dir().ok();
    let mut facts = Facts {
        written: written.map(|entry| entry.path.clone()).collect(),
        cwd: cwd.map(Path::to_owned).or(here),
        unproved: Vec::new(),
        untested: Vec::new(),
        unseen: Vec::new(),
        refused: refused(survey),
        programs: doctor::ask(survey, places, &running, env!("CARGO_PKG_VERSION")),
        running,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        user: doctor::user(),
        signs: signs(places),
        policy: policy_faults(&machine),
        images: cache.as_deref().map(bad_images).unwrap_or_default(),
        codex: trust(places, survey),
        space,
        moved: moved(places),
        died: died(&machine),
        config,
        cache,
        ledger,
    };
    facts.unseen = heartbeat::unseen(&facts, places, survey);
    Ok(facts)
}

/// Sends canaries through our hooks, like `tenter prove`. Programs named only in a project's files are not
/// started, unless it is this program.
pub(crate) fn send_canaries(facts: &mut Facts, places: &Places, survey: &Survey) {
    let root = PathBuf::from(std::path::MAIN_SEPARATOR_STR);
    let cwd = places.project.as_ref().or(places.home.as_ref()).unwrap_or(&root);
    let stage = Stage::new(places, cwd);
    let (mut unproved, mut untested) = (Vec::new(), Vec::new());
    for state in &survey.hosts {
        for file in &state.files {
            if file.scope == Scope::Project && !runs_this(file, facts, places) {
                untested.push((file.host, file.scope));
                continue;
            }
            let proof = canary::prove(file, state, &stage, &facts.ledger, &|_, _| None);
            for reason in proof.into_iter().flat_map(|proof| proof.reasons) {
                if reason.level == ProofLevel::Red {
                    let (host, scope, path) = (file.host, file.scope, file.path.clone());
                    let (text, fix) = (reason.text, reason.fix);
                    unproved.push(Unproved { host, scope, file: path, text, fix });
                }
            }
        }
    }
    (facts.unproved, facts.untested) = (unproved, untested);
}

/// Whether a file's only entries of ours are the plain command of this program.
fn runs_this(file: &HookFile, facts: &Facts, places: &Places) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    canary::entries(file).into_iter().all(|found| {
        command::ours(found).is_some_and(|ours| {
            let line = command::line(&ours.program, ours.host, &ours.options, places.system);
            let named = places.find_program(&ours.program.to_string_lossy());
            let program = named.filter(|_| ours.program.is_relative()).unwrap_or(ours.program);
            found.command() == Some(&line) && real(&program) == real(&facts.running)
        })
    })
}

/// Settings by which the project moves our folders. A home is not a project.
fn moved(places: &Places) -> Vec<Item> {
    let project = places.project.as_deref().filter(|it| places.home.as_deref() != Some(*it));
    project.map(moved_folders).unwrap_or_default()
}

/// Calls that died before answering.
fn died(machine: &LocalMachine) -> Vec<(u64, String)> {
    reading::adopt(machine);
    let spool = machine.folders.state.as_deref().map(Spool::of_state);
    spool.and_then(|spool| unfinished::latest(&spool).ok()).unwrap_or_default()
}

/// Options in our commands that `tenter hook` rejects.
fn refused(survey: &Survey) -> Vec<(Vec<String>, String)> {
    let mut refused: Vec<(Vec<String>, String)> = Vec::new();
    for (_, ours) in survey.files().flat_map(HookFile::ours) {
        let mut words = vec![OsString::from(ours.host.as_str())];
        words.extend(ours.options.iter().map(OsString::from));
        let known = refused.iter().any(|(options, _)| *options == ours.options);
        if let (false, (_, Some(why))) = (known, wiring::of_hook(&words)) {
            refused.push((ours.options, why));
        }
    }
    refused
}

/// The machine as seen from the requested folder.
pub(crate) fn machine(cwd: Option<&Path>) -> Result<LocalMachine, CommandError> {
    LocalMachine::at(cwd.map(|cwd| cwd.to_string_lossy()).as_deref())
}

/// The last sign of life of each event.
pub(crate) fn signs(places: &Places) -> Vec<Sign> {
    let signs = places.state.as_deref().map(seen::all).unwrap_or_default();
    let sign = |seen: seen::SignOfLife| Sign {
        host: seen.host,
        event: seen.event,
        at_ms: seen.at_ms,
        wired_as: seen.wired_as,
    };
    signs.into_iter().map(sign).collect()
}

/// Codex's approval state, if it has a hook of ours.
pub(crate) fn trust(places: &Places, survey: &Survey) -> Option<codex_trust::Trust> {
    let state = survey.hosts.iter().find(|state| codex_trust::asks(state.host))?;
    let is_wired = state.files.iter().any(|file| file.ours().next().is_some());
    let cwd = places.project.as_deref().or(places.home.as_deref())?;
    is_wired.then(|| codex_trust::look(state, places, cwd))
}

fn policy_faults(machine: &LocalMachine) -> Vec<PolicyFault> {
    let fault = |problem: Problem| PolicyFault {
        file: PathBuf::from(problem.file),
        line: usize::try_from(problem.line).unwrap_or_default(),
        column: usize::try_from(problem.column).unwrap_or_default(),
        message: problem.message,
        void: problem.severity == Severity::Error,
    };
    let found = policies::find(&machine.folders, &machine.here());
    policies::compile(&found).problems.into_iter().map(fault).collect()
}

/// Damaged compiled policies. Those of another version or of older files are recompiled by the next call and
/// do not count.
fn bad_images(cache: &Path) -> Vec<BadImage> {
    let Ok(entries) = std::fs::read_dir(cache) else { return Vec::new() };
    let is_image = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "image");
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_image).collect();
    paths.sort();
    let bad = |path: PathBuf| {
        let why = match policies::read_image(&path) {
            Ok(bytes) if matches!(image::decode_any(&bytes), Err(Stale::Damaged)) => {
                "it is damaged".to_owned()
            }
            Ok(_) => return None,
            Err(error) => error.to_string(),
        };
        Some(BadImage { path, why })
    };
    paths.into_iter().filter_map(bad).collect()
}
