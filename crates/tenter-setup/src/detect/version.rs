//! Determines a program's version: from files beside it, or by running it.

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

/// Timeout of a version query.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum size of an installation's description file; those of editors are large.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// Number of parent folders searched for the description file.
const HEIGHT: usize = 4;
/// Maximum length of a version.
const LONGEST: usize = 40;

/// The version of a program, unless it cannot be determined without running a program of the project.
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

/// Takes the version from the path: installers that keep several versions name the file or its folder after
/// it.
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

/// The fields we need of an installation's description files.
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
            // On Windows, npm's launchers are beside their packages.
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
    // Prevent an update from starting.
    environment.push(("DISABLE_AUTOUPDATER".to_owned(), Some("1".into())));
    let ended = runner.run(Job {
        program: program.as_os_str(),
        arguments: &[OsString::from("--version")],
        // Launchers that choose a version by folder must not read the project's settings.
        directory: Some(&places.root),
        environment: &environment,
        input: Arc::default(),
        timeout: PATIENCE,
    });
    ended.status.ok().filter(std::process::ExitStatus::success)?;
    clean(&String::from_utf8_lossy(&ended.stdout))
}

/// The first word that is a version, without control characters.
fn clean(text: &str) -> Option<String> {
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    let mut versions = words.filter(|word| {
        word.starts_with(|first: char| first.is_ascii_digit()) && numbers(word).is_some()
    });
    let fits = |character: &char| character.is_ascii_alphanumeric() || ".-+".contains(*character);
    let version: String = versions.next()?.chars().take_while(fits).take(LONGEST).collect();
    numbers(&version).map(|_| version)
}
