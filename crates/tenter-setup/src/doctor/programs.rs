//! Inspects the programs named in our hooks.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tenter_engine::runner::{Ended, Job, Runner, Trouble};
use tenter_files::Whose;
use tenter_hosts::install::{Scope, numbers};
use tenter_model::text::first_chars;

use crate::Places;
use crate::places::is_program;
use crate::survey::{HookFile, Survey};
use crate::{command, detect};

/// Timeout of a version query.
const PATIENCE: Duration = Duration::from_secs(5);
/// Number of retries, and pause between them, for a program that is being replaced.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Location of a hook's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An absolute path.
    File(PathBuf),
    /// Found on `PATH`.
    OnPath(PathBuf),
    /// Not on `PATH`, or a relative path.
    Adrift,
}

impl Target {
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::OnPath(path) => Some(path),
            Self::Adrift => None,
        }
    }
}

/// State of a program file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Missing,
    NoFile,
    NotExecutable,
    Runs,
}

/// A program's answer to the version query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is tenter, of this version.
    Version(String),
    /// Something else, or not working.
    Strange(String),
}

/// Locates a hook's program like a shell.
pub(crate) fn target(program: &Path, places: &Places) -> Target {
    let text = program.to_string_lossy();
    let below_home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| text.strip_prefix(start));
    if let (Some(rest), Some(home)) = (below_home, &places.home) {
        return Target::File(home.join(rest));
    }
    if program.is_absolute() {
        return Target::File(program.to_owned());
    }
    let bare = program.components().count() == 1;
    let found = bare.then(|| places.find_program(&text)).flatten();
    found.map_or(Target::Adrift, Target::OnPath)
}

pub(crate) fn state(path: &Path) -> State {
    match std::fs::metadata(path) {
        Err(_) => State::Missing,
        Ok(found) if !found.is_file() => State::NoFile,
        Ok(_) if is_program(path) => State::Runs,
        Ok(_) => State::NotExecutable,
    }
}

/// Why a program cannot be run, if so.
pub fn lifeless(program: &Path, places: &Places) -> Option<&'static str> {
    let target = target(program, places);
    let Some(path) = target.path() else { return Some("is not found") };
    match state(path) {
        State::Missing => Some("is not there"),
        State::NoFile => Some("is not a file"),
        State::NotExecutable => Some("may not be run"),
        State::Runs => None,
    }
}

/// Whether two paths lead to the same file.
pub(crate) fn same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

/// Any program can print a version and forward only test calls. So a script is never accepted as tenter, nor
/// is another file that claims to be exactly the running version.
pub(super) fn believed(version: String, path: &Path, running: &Path, own: &str) -> Answer {
    let strange = |why: String| Answer::Strange(why);
    // An older version is reported anyway.
    if numbers(&version) < numbers(own) {
        return Answer::Version(version);
    }
    match compare(path, running) {
        Ok(Likeness::Script) => strange(format!("it is a script that says `tenter {version}`")),
        Ok(Likeness::Other) if version == own => {
            strange(format!("it says `tenter {version}` like this program, and is another file"))
        }
        Err(why) => strange(format!("it cannot be read: {why}")),
        Ok(Likeness::Other | Likeness::Same) => Answer::Version(version),
    }
}

enum Likeness {
    Same,
    Other,
    /// A script for an interpreter; tenter is not one.
    Script,
}

fn compare(path: &Path, running: &Path) -> std::io::Result<Likeness> {
    let open = |path: &Path| tenter_files::open(path, Whose::Anyone);
    let (mut theirs, mut ours) = (open(path)?, open(running)?);
    let (mut left, mut right) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    let mut first = true;
    loop {
        let (count, other) = (fill(&mut theirs, &mut left)?, fill(&mut ours, &mut right)?);
        let (part, own) = (left.get(..count), right.get(..other));
        let is_script = |part: Option<&[u8]>| part.is_some_and(|part| part.starts_with(b"#!"));
        if first && is_script(part) && !is_script(own) {
            return Ok(Likeness::Script);
        }
        if part != own {
            return Ok(Likeness::Other);
        }
        if count == 0 {
            return Ok(Likeness::Same);
        }
        first = false;
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// Queries the versions of the programs named in our hooks, except the running one. Programs named only in a
/// project's files are never started: their author could make us run anything.
pub fn ask(survey: &Survey, places: &Places, running: &Path, own: &str) -> Vec<(PathBuf, Answer)> {
    let mut asked: Vec<(PathBuf, Answer)> = Vec::new();
    let runner = detect::runner();
    let ours = survey.files().filter(|file| file.scope != Scope::Project);
    for found in ours.flat_map(HookFile::hooks) {
        let Some(ours) = command::ours(found) else { continue };
        let Some(path) = target(&ours.program, places).path().map(Path::to_owned) else { continue };
        let known = asked.iter().any(|(known, _)| *known == path) || same(&path, running);
        if !known && state(&path) == State::Runs && !detect::of_project(&path, places) {
            let answer = match version_of(&runner, &path, places) {
                Answer::Version(version) => believed(version, &path, running, own),
                strange @ Answer::Strange(_) => strange,
            };
            asked.push((path, answer));
        }
    }
    asked
}

fn version_of(runner: &Runner, program: &Path, places: &Places) -> Answer {
    let environment = detect::environment(program, places);
    let run = || {
        runner.run(Job {
            program: program.as_os_str(),
            arguments: &[OsString::from("--version")],
            directory: None,
            environment: &environment,
            input: Arc::new(Vec::new()),
            timeout: PATIENCE,
        })
    };
    let is_busy = |ended: &Ended| matches!(&ended.status, Err(Trouble::Spawn(error)) if error.kind() == ErrorKind::ExecutableFileBusy);
    let mut ended = run();
    // It may be in the middle of being replaced.
    for _ in 0..ATTEMPTS {
        if !is_busy(&ended) {
            break;
        }
        std::thread::sleep(PAUSE);
        ended = run();
    }
    let text = String::from_utf8_lossy(&ended.stdout);
    let first = text.lines().next().unwrap_or_default().trim();
    match (ended.status, first.strip_prefix("tenter ")) {
        (Ok(status), Some(version)) if status.success() => Answer::Version(version.to_owned()),
        (Ok(_), _) if first.is_empty() => Answer::Strange("it says nothing".to_owned()),
        (Ok(_), _) => Answer::Strange(format!("it says `{}`", first_chars(first, 60))),
        (Err(trouble), _) => Answer::Strange(said(&trouble)),
    }
}

fn said(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Spawn(error) => format!("it cannot be started: {error}"),
        Trouble::TimedOut => format!("it does not answer within {} seconds", PATIENCE.as_secs()),
        Trouble::TooMuchOutput => "it prints without end".to_owned(),
        Trouble::Signalled(name) => format!("it was not asked: {name}"),
        Trouble::System(error) => format!("it cannot be asked: {error}"),
    }
}
