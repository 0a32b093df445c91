//! What is known outside the event. The crate looks at nothing itself.

use tenter_shell::{Language, PathKind};

use crate::memory::Memory;

/// Questions about the machine that a guard may ask. All answers may be "don't know".
pub trait Facts: tenter_shell::Facts {
    /// The start of a file, at most `limit` bytes of it.
    fn read(&self, _path: &str, _limit: usize) -> Option<String> {
        None
    }

    /// What is in a folder, or which members an archive has; none if that cannot be seen.
    fn list(&self, _path: &str) -> Option<Listing> {
        None
    }

    /// Device and inode of a file that has several names; none for any other.
    fn doubled(&self, _path: &str) -> Option<(u64, u64)> {
        None
    }

    /// The branch that is checked out in a folder.
    fn branch(&self, _folder: &str) -> Option<String> {
        None
    }
}

/// What a folder or an archive holds, as far as it was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The names in a folder, or the paths of an archive's members.
    pub names: Vec<String>,
    pub archive: bool,
    /// Whether nothing is left out.
    pub whole: bool,
}

/// Files that a session has written so far.
pub trait Written {
    fn has(&self, path: &str) -> bool;

    /// Those below a folder.
    fn below(&self, folder: &str) -> Vec<String>;
}

/// A session that has written nothing.
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

/// Calls that a human has allowed once.
pub trait Exceptions {
    /// Whether the call with this code may pass; that uses the exception up.
    fn allowed_once(&self, code: &str) -> bool;
}

/// No call is allowed once.
#[derive(Debug)]
pub struct NoExceptions;

impl Exceptions for NoExceptions {
    fn allowed_once(&self, _code: &str) -> bool {
        false
    }
}

/// A machine about which nothing is known.
#[derive(Debug)]
pub struct NoFacts;

impl tenter_shell::Facts for NoFacts {}
impl Facts for NoFacts {}

/// What the caller knows and the event does not say. Read once, passed down.
#[derive(Clone, Copy)]
pub struct World<'w> {
    /// Where the event happens if it does not say.
    pub cwd: Option<&'w str>,
    pub home: Option<&'w str>,
    pub user: Option<&'w str>,
    /// Environment variables that are no secret.
    pub variables: &'w [(&'w str, &'w str)],
    /// Environment variables whose values must not leave.
    pub secrets: &'w [(&'w str, &'w str)],
    /// Folders and files of our own: policy, state, cache, binary.
    pub own: &'w [&'w str],
    /// What a command is written in.
    pub language: Language,
    pub case_insensitive: bool,
    pub facts: &'w dyn Facts,
    pub memory: &'w Memory,
    /// Files that the session has written so far.
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
            language: tenter_shell::World::default().language,
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
