//! Interfaces to facts outside the event; this crate does no IO.

use tenter_shell::{Language, NoFacts, PathKind};

use crate::memory::Memory;

/// Facts about the machine that guards may ask for; all may be unknown.
pub trait Facts: tenter_shell::FileFacts {
    /// The start of a file, at most `limit` bytes.
    fn read(&self, _path: &str, _limit: usize) -> Option<String> {
        None
    }

    /// The content of a folder or archive; `None` if unknown.
    fn list(&self, _path: &str) -> Option<Listing> {
        None
    }

    /// Device and inode of a file with several names; `None` for others.
    fn doubled(&self, _path: &str) -> Option<(u64, u64)> {
        None
    }

    /// The branch checked out in a folder.
    fn branch(&self, _folder: &str) -> Option<String> {
        None
    }
}

/// Content of a folder or archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Names in a folder, or paths of an archive's members.
    pub names: Vec<String>,
    pub archive: bool,
    /// Whether it is complete.
    pub whole: bool,
}

/// Files written by the session so far.
pub trait Written {
    fn has(&self, path: &str) -> bool;

    /// Those below a folder.
    fn below(&self, folder: &str) -> Vec<String>;
}

/// A session without written files.
#[derive(Debug)]
pub struct NothingWritten;

impl Written for NothingWritten {
    fn has(&self, _path: &str) -> bool {
        false
    }

    fn below(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Effect of an `ask` on this host and event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// The host asks the user.
    Prompts,
    /// The host asks the user, who sees the file and the change but not the reason.
    PromptsWithoutReason,
    /// It cannot ask, and the call is denied.
    Denies,
    /// It cannot ask, and the command line of the hook lets the call pass.
    Passes,
}

/// Calls that the user allowed once, and whether the user can be asked.
pub trait Exceptions {
    /// Whether the call with this code is allowed; uses up the exception.
    fn allowed_once(&self, code: &str) -> bool;

    /// Looked at only for a call that is not let through.
    fn asking(&self) -> Asking {
        Asking::Prompts
    }
}

/// No exceptions.
#[derive(Debug)]
pub struct NoExceptions;

impl Exceptions for NoExceptions {
    fn allowed_once(&self, _code: &str) -> bool {
        false
    }
}

impl Facts for NoFacts {}

/// Facts from the caller, read once.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// Working folder, if the event has none.
    pub cwd: Option<&'w str>,
    pub home: Option<&'w str>,
    pub user: Option<&'w str>,
    /// Environment variables without secrets.
    pub variables: &'w [(&'w str, &'w str)],
    /// Environment variables whose values must not leak.
    pub secrets: &'w [(&'w str, &'w str)],
    /// Our own folders and files: policy, state, cache, binary.
    pub own: &'w [&'w str],
    /// Language of the command.
    pub language: Language,
    pub case_insensitive: bool,
    pub facts: &'w dyn Facts,
    pub memory: &'w Memory,
    /// Files written by the session so far.
    pub written: &'w dyn Written,
    /// Seconds since 1970, for expiry dates.
    pub now: u64,
    pub exceptions: &'w dyn Exceptions,
}

impl World<'_> {
    pub fn kind(&self, path: &str) -> Option<PathKind> {
        self.facts.kind(path)
    }
}

impl Default for World<'_> {
    fn default() -> Self {
        static NOTHING: Memory = Memory::new();
        Self {
            cwd: None,
            home: None,
            user: None,
            variables: &[],
            secrets: &[],
            own: &[],
            language: tenter_shell::Surroundings::default().language,
            case_insensitive: false,
            facts: &NoFacts,
            memory: &NOTHING,
            written: &NothingWritten,
            now: 0,
            exceptions: &NoExceptions,
        }
    }
}

impl std::fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
