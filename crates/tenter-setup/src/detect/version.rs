//! The version of a program: read beside it, or asked for.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tenter_engine::runner::{Job, Runner};
use tenter_files::Whose;
use tenter_hosts::install::{Described, numbers};
use tenter_model::HostId;

use super::{environment, of_project};
use crate::Places;

/// How long a program may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest description of an installation that is read; those of editors are long.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// How far above a program the description of its installation may lie.
const HEIGHT: usize = 4;
/// The longest text that passes for a version.
const LONGEST: usize = 40;

/// The version of a program, if it can be told without running what must not be run.
pub(super) fn of(runner: &Runner, id: HostId, program: &Path, places: &Places) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let read = in_its_path(&real).or_else(|| beside(id, &real));
    if read.is_some() || of_project(program, places) || opens_a_window(id, program) {
        return read;
    }
    ask(runner, program, places)
}

fn opens_a_window(id: HostId, program: &Path) -> bool {
    let name = program.file_stem().unwrap_or_default();
    tenter_hosts::host(id).install().windows.iter().any(|it| name == *it)
}

/// Installers that keep several versions name the file, or its folder, after the version.
fn in_its_path(real: &Path) -> Option<String> {
    let mut levels = real.ancestors();
    let (file, folder, above) = (levels.next()?, levels.next()?, levels.next()?);
    let version = if folder.file_name()? == "versions" {
        file.file_name()?
    } else if above.file_name()? == "versions" {
        folder.file_name()?
    } else {
        return None;
    };
    clean(version.to_str()?)
}

/// The two files that describe an installation, as far as we read them.
#[derive(Deserialize)]
struct Description {
    #[serde(alias = "nameShort")]
    name: String,
    version: String,
}

fn beside(id: HostId, real: &Path) -> Option<String> {
    let by = tenter_hosts::host(id).install().described?;
    let mut folders = real.ancestors().skip(1).take(HEIGHT);
    folders.find_map(|folder| match by {
        Described::Product(name) => {
            let inside = folder.join("resources").join("app");
            described(&folder.join("product.json"), name)
                .or_else(|| described(&inside.join("product.json"), name))
        }
        Described::Package(name) => described(&folder.join("package.json"), name)
            // A launcher of npm on Windows lies beside its packages.
            .or_else(|| {
                let launcher = real.extension().is_some_and(|ending| ending == "cmd");
                let package = folder.join("node_modules").join(name);
                launcher.then(|| described(&package.join("package.json"), name))?
            }),
    })
}

fn described(file: &Path, name: &str) -> Option<String> {
    let text = tenter_files::start(file, MOST_BYTES, Whose::Anyone).ok()?;
    let description: Description = serde_json::from_slice(&text).ok()?;
    if description.name != name {
        return None;
    }
    clean(&description.version)
}

fn ask(runner: &Runner, program: &Path, places: &Places) -> Option<String> {
    let mut environment = environment(program, places);
    // Nobody asked for a new version yet.
    environment.push(("DISABLE_AUTOUPDATER".to_owned(), Some("1".into())));
    let ended = runner.run(Job {
        program: program.as_os_str(),
        arguments: &[OsString::from("--version")],
        // Launchers that choose a version by folder must not find the project's wishes.
        directory: Some(&places.root),
        environment: &environment,
        input: Arc::default(),
        timeout: PATIENCE,
    });
    ended.status.ok().filter(std::process::ExitStatus::success)?;
    clean(&String::from_utf8_lossy(&ended.stdout))
}

/// The first word that is a version, with nothing in it that could play tricks on a terminal.
fn clean(text: &str) -> Option<String> {
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut versions = words.filter(|word| {
        word.starts_with(|first: char| first.is_ascii_digit()) && numbers(word).is_some()
    });
    let fits = |character: &char| character.is_ascii_alphanumeric() || ".-+".contains(*character);
    let version: String = versions.next()?.chars().take_while(fits).take(LONGEST).collect();
    numbers(&version).map(|_| version)
}
