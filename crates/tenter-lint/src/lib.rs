//! Linter for the hook files of Cursor, Claude Code, Codex, Gemini CLI and Qwen Code.
//!
//! A rule is one file in `rules/`; a finding has a position, its cost on that host and a fix. Files are only
//! read, including the scripts they name; nothing is run or changed: [`fix()`] returns the new texts and its
//! caller writes them. The environment is passed in as [`Options`].
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod command;
mod discover;
mod edit;
mod file;
mod finding;
mod fix;
mod guard;
mod matcher;
mod model;
mod names;
mod places;
mod read;
mod refusal;
pub mod render;
mod rule;
mod rules;
mod script;
#[cfg(test)]
mod testing;
mod toml;
mod vocabulary;
mod words;

pub use command::join;
pub use discover::{HookFiles, below, discover};
pub use edit::{Edit, apply, insert_first};
pub use file::{File, Form, identify, shape};
pub use finding::{Finding, Repair};
pub use fix::{Fixed, Mended, fix};
pub use rule::Rule;
pub use rules::RULES;
pub use tenter_engine::diagnostic::Severity;
pub use tenter_hosts::lint::Layer;

use std::ffi::OsString;
use std::path::PathBuf;

use tenter_engine::document::Source;
use tenter_model::HostId;

use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::Check;

/// The environment that files are linted against.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub home: Option<PathBuf>,
    /// Value of `PATH`, for looking up programs.
    pub path: Option<OsString>,
    /// Folders of hosts moved by environment variables, by variable.
    pub moved: Vec<(String, PathBuf)>,
}

impl Options {
    /// The folders that hosts' variables name; `folder` looks one up.
    pub fn moved(folder: impl Fn(&str) -> Option<PathBuf>) -> Vec<(String, PathBuf)> {
        let installs = HostId::ALL.into_iter().map(|host| tenter_hosts::host(host).install());
        let moved = installs.filter_map(|install| {
            let name = install.folder_moved_by?;
            Some((name.to_owned(), folder(name)?.join(install.moved_below)))
        });
        moved.collect()
    }
}

/// Findings in a set of files.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In file order, then by position.
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Lints files together, since some mistakes involve two files.
pub fn lint(files: &[File], options: &Options) -> Report {
    let sources: Vec<Source> =
        files.iter().map(|file| Source::new(file.path.clone(), &file.text)).collect();
    let parsed: Vec<_> =
        files.iter().zip(&sources).map(|(file, source)| file.form.parse(source)).collect();
    let models: Vec<FileModel<'_>> = files
        .iter()
        .zip(&sources)
        .zip(&parsed)
        .map(|((file, source), parsed)| FileModel::new(file, source, parsed, options))
        .collect();
    let mut report = Report::default();
    for (index, model) in models.iter().enumerate() {
        let mut findings = Findings::new(model);
        for rule in RULES {
            if !rule.applies_to(model.host()) {
                continue;
            }
            match rule.check {
                Check::File(check) => check(model, &mut findings),
                Check::Set(check) => check(&models, index, &mut findings),
            }
        }
        report.findings.extend(findings.finish());
    }
    report
}
