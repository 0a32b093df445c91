//! Passes surveyed hook files to the linter.

use tenter_hosts::install::Scope;
use tenter_lint::{File, Finding, Form, Layer, Options};

use crate::Places;
use crate::edit::Format;
use crate::survey::HookFile;

/// Maximum size of a file to lint: no real one is larger, and computing positions takes long.
const LARGEST: usize = 1024 * 1024;

/// Lint findings in these files.
pub(crate) fn lint(files: &[File], places: &Places) -> Vec<Finding> {
    let options = Options {
        home: places.home.clone(),
        path: places.path.clone(),
        moved: Options::moved(|name| places.variables.get(name).map(Into::into)),
    };
    tenter_lint::lint(files, &options).findings
}

/// The file with this text, unless it is too large.
pub(crate) fn file(file: &HookFile, text: &str) -> Option<File> {
    let judged = File::new(file.path.clone(), file.host, layer(file), text);
    (text.len() <= LARGEST).then(|| judged.written_in(form(file)))
}

/// Checks that the matchers of our hooks let them run; `alone` is a file with only our hooks.
pub(crate) fn matchers(file: &HookFile, alone: &str, places: &Places) -> Result<(), String> {
    let alone = self::file(file, alone).map(|it| it.written_in(Form::Json));
    let found = lint(alone.as_slice(), places);
    let dead = ["matcher-invalid", "matcher-never-matches"];
    match found.into_iter().find(|found| dead.contains(&found.rule.id)) {
        Some(found) => Err(format!("{}: {}; {}", found.message, found.cost, found.fix)),
        None => Ok(()),
    }
}

pub(crate) const fn form(file: &HookFile) -> Form {
    match file.format {
        Format::Json => Form::Json,
        Format::Toml => Form::Toml,
    }
}

const fn layer(file: &HookFile) -> Layer {
    match file.scope {
        Scope::Project if file.read_only => Layer::Local,
        Scope::Project => Layer::Project,
        Scope::User => Layer::User,
        Scope::Managed => Layer::Enterprise,
    }
}
