//! Hook files of the survey as the linter takes them.

use tenter_hosts::install::Scope;
use tenter_lint::{File, Finding, Form, Layer, Options};

use crate::Places;
use crate::edit::Format;
use crate::survey::HookFile;

/// No hook file that people wrote is larger, and the places of one that is take long to tell.
const LARGEST: usize = 1024 * 1024;

/// What is wrong in these files, judged together.
pub(crate) fn lint(files: &[File], places: &Places) -> Vec<Finding> {
    let options = Options {
        home: places.home.clone(),
        path: places.path.clone(),
        moved: Options::moved(|name| places.variables.get(name).map(Into::into)),
    };
    tenter_lint::lint(files, &options).findings
}

/// The file with this text in it, unless that is too much of it.
pub(crate) fn file(file: &HookFile, text: &str) -> Option<File> {
    let judged = File::new(file.path.clone(), file.host, layer(file), text);
    (text.len() <= LARGEST).then(|| judged.written_in(form(file)))
}

/// Fine, or why the matchers of our hooks would keep them from running; `alone` is a file with nothing else
/// in it.
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
