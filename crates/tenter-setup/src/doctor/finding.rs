//! A finding, and how checks report one.

use std::path::{Path, PathBuf};

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use super::{Check, Severity};
use crate::survey::HookFile;

/// One trouble at one place.
#[derive(Clone, Debug)]
pub struct Finding {
    pub check: &'static Check,
    pub severity: Severity,
    pub host: Option<HostId>,
    pub scope: Option<Scope>,
    pub place: Option<Place>,
    pub message: String,
    /// What it means for the guard.
    pub meaning: String,
    /// What to do; a command where there is one.
    pub fix: String,
    /// Other hosts and scopes that it is about as well.
    pub concerns: Vec<(HostId, Scope)>,
    /// The guards that are not live because of it.
    pub kills: Vec<(HostId, Scope)>,
    pub repair: Option<Repair>,
}

/// Where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: PathBuf,
    /// Counted from one; zero for the file as a whole.
    pub line: usize,
    /// Counted from one; zero for the line as a whole.
    pub column: usize,
}

/// What `--fix` does about a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nobody but the owner may look at it.
    MakePrivate(PathBuf),
    /// The owner, and who may read it, may run it.
    MakeExecutable(PathBuf),
    /// A file of ours that nobody needs.
    Remove(PathBuf),
    /// A leftover that may hold somebody's last edit goes to the backups.
    PutAside(PathBuf),
    /// Our entries in this file are to run the program that runs now.
    Rewire(PathBuf),
    /// Our entries are to stand in this file again, as they were installed.
    PutBack(PathBuf),
    /// Somebody else's entry is to go; nobody but a human may say so.
    RemoveEntry { file: PathBuf, event: String, group: usize, handler: usize, command: String },
}

impl Repair {
    /// Whether it touches nothing but our own.
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
            repair: None,
        }
    }

    /// It is about this host and scope.
    pub(crate) fn of(mut self, host: HostId, scope: impl Into<Option<Scope>>) -> Self {
        (self.host, self.scope) = (Some(host), scope.into());
        self
    }

    /// It is about this line of a hook file; zero is the whole file.
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

    /// The guard of this host and scope is not live.
    pub(crate) fn kills(mut self, host: HostId, scope: Scope) -> Self {
        if !self.kills.contains(&(host, scope)) {
            self.kills.push((host, scope));
        }
        self
    }

    /// Our entries in the file can be pointed to the program that runs. A project's file is shared with
    /// people for whom another path is right.
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

/// What comes from a file must neither break a line nor steer a terminal, nor fill a screen.
fn one_line(text: &str) -> String {
    const MOST: usize = 400;
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let mut line: String = text.chars().take(MOST).map(plain).collect();
    if text.chars().nth(MOST).is_some() {
        line.push_str("...");
    }
    line
}

/// The findings of an examination.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>);

impl Findings {
    pub(crate) fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }
}
