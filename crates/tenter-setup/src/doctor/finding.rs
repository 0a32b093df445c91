//! Findings of the doctor, and the collector that checks report to.

use std::path::{Path, PathBuf};

use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_model::text;

use super::{Check, Severity};
use crate::command::install_again;
use crate::survey::HookFile;

/// One problem at one place.
#[derive(Clone, Debug)]
pub struct Finding {
    pub check: &'static Check,
    pub severity: Severity,
    pub host: Option<HostId>,
    pub scope: Option<Scope>,
    pub place: Option<Place>,
    pub message: String,
    /// Impact on the guard.
    pub meaning: String,
    /// The fix; a command where there is one.
    pub fix: String,
    /// Other hosts and scopes it concerns.
    pub concerns: Vec<(HostId, Scope)>,
    /// Guards that do not work because of it.
    pub kills: Vec<(HostId, Scope)>,
    /// Whether only the user's approval in the host is missing.
    pub awaits_approval: bool,
    pub repair: Option<Repair>,
}

/// Position of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    /// Counted from one; zero for the whole file.
    pub line: usize,
    /// Counted from one; zero for the whole line.
    pub column: usize,
}

/// The automatic fix of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Make the path accessible to its owner only.
    MakePrivate(PathBuf),
    /// Make the file executable for everyone who may read it.
    MakeExecutable(PathBuf),
    /// Delete one of our files.
    Remove(PathBuf),
    /// Move a leftover file to the backups, since it may hold somebody's last edit.
    PutAside(PathBuf),
    /// Point our entries in this file to the running program.
    Rewire(PathBuf),
    /// Restore our entries in this file as they were installed.
    PutBack(PathBuf),
    /// Remove an entry of another tool, with the user's consent.
    RemoveEntry { file: PathBuf, event: String, group: usize, handler: usize, command: String },
}

impl Repair {
    /// Whether it changes only what is ours.
    pub const fn is_safe(&self) -> bool {
        !matches!(self, Self::RemoveEntry { .. })
    }
}

impl Finding {
    pub(crate) fn new(check: &'static Check, message: &str) -> Self {
        Self {
            check,
            severity: check.severity,
            host: None,
            scope: None,
            place: None,
            message: one_line(message),
            meaning: String::new(),
            fix: String::new(),
            concerns: Vec::new(),
            kills: Vec::new(),
            awaits_approval: false,
            repair: None,
        }
    }

    /// Sets host and scope.
    pub(crate) fn of(mut self, host: HostId, scope: impl Into<Option<Scope>>) -> Self {
        (self.host, self.scope) = (Some(host), scope.into());
        self
    }

    /// Sets file and line; zero means the whole file.
    pub(crate) fn in_file(self, file: &HookFile, line: usize) -> Self {
        self.of(file.host, file.scope).at(&file.path, line)
    }

    pub(crate) fn at(self, file: &Path, line: usize) -> Self {
        self.at_column(file, line, 0)
    }

    pub(crate) fn at_column(mut self, file: &Path, line: usize, column: usize) -> Self {
        self.place = Some(Place { file: file.to_owned(), line, column });
        self
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    pub(crate) fn means(mut self, meaning: impl AsRef<str>) -> Self {
        self.meaning = one_line(meaning.as_ref());
        self
    }

    pub(crate) fn fix(mut self, fix: impl AsRef<str>) -> Self {
        self.fix = one_line(fix.as_ref());
        self
    }

    pub(crate) fn concerns(mut self, others: Vec<(HostId, Scope)>) -> Self {
        self.concerns = others;
        self
    }

    pub(crate) fn awaits_approval(mut self, awaits: bool) -> Self {
        self.awaits_approval = awaits;
        self
    }

    /// Marks the guard of this host and scope as not working.
    pub(crate) fn kills(mut self, host: HostId, scope: Scope) -> Self {
        if !self.kills.contains(&(host, scope)) {
            self.kills.push((host, scope));
        }
        self
    }

    /// Says that the guard does not work for this file, and that an install mends it.
    pub(crate) fn reinstall(self, file: &HookFile) -> Self {
        let (host, scope) = (file.host, file.scope);
        self.fix(install_again(host, scope)).kills(host, scope).rewire(file)
    }

    /// Adds a fix that points our entries to the running program, except in a project's file, which is shared
    /// with people who need other paths.
    pub(crate) fn rewire(self, file: &HookFile) -> Self {
        if file.read_only || file.scope == Scope::Project {
            return self;
        }
        self.repair(Repair::Rewire(file.path.clone()))
    }

    pub(crate) fn repair(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }
}

fn one_line(text: &str) -> String {
    text::one_line(text, 400)
}

/// Findings of one run.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>);

impl Findings {
    pub(crate) fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }
}
