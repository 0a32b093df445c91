//! What lies where our hooks say that we are.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tenter_engine::runner::{Ended, Job, Runner, Trouble};
use tenter_files::Whose;
use tenter_hosts::install::{Scope, numbers};

use crate::Places;
use crate::places::is_program;
use crate::survey::{HookFile, Survey};
use crate::{command, detect};

/// A program is ours to ask, but a host waits for no answer of ours longer than this either.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often, and after which pause, a program is asked again that is just being written.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(50);

/// Where the program of a hook is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A path from the root on.
    File(PathBuf),
    /// A name that was found on `PATH`.
    OnPath(PathBuf),
    /// A name that is not on `PATH`, or a path from wherever the host stands.
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

/// What a file is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Missing,
    NoFile,
    NotExecutable,
    Runs,
}

/// What a program said when it was asked for its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is tenter, in this version.
    Version(String),
    /// It is something else, or nothing that works.
    Strange(String),
}

/// Where the program of a hook is, as a shell would find it.
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

/// Why a program cannot be run, if it cannot.
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

/// Anybody can say a version, and pass on only what a test of the guard sends. So a script is never taken for
/// tenter, nor is another file that says it is the very version that runs now.
pub(super) fn believed(version: String, path: &Path, running: &Path, own: &str) -> Answer {
    let strange = |why: String| Answer::Strange(why);
    // An older guard is an error whatever it is.
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
    /// A text for an interpreter, and this program is none.
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

/// Asks the programs that our hooks name for their version; not the one that runs now. What the files of a
/// project name is never started: whoever wrote them could have us run anything.
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
    // It is being replaced by another version this very moment.
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
        (Ok(_), _) => {
            let words: String = first.chars().take(60).collect();
            Answer::Strange(format!("it says `{words}`"))
        }
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
