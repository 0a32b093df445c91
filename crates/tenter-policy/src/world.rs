//! What is known outside the event. The crate looks at nothing itself.

use tenter_shell::{Language, PathKind};

use crate::memory::Memory;

/// Questions about the machine that a guard may ask. All answers may be "don't know".
pub trait Facts: tenter_shell::Facts {
    /// The start of a file, at most `limit` bytes of it.
    fn read(&self, _path: &str, _limit: usize) -> Option<String> {
        None
    }

    /// The branch that is checked out in a folder.
    fn branch(&self, _folder: &str) -> Option<String> {
        None
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
    /// Seconds since 1970, for expiry dates.
    pub now: u64,
    /// Whether a human has allowed the call with this code once.
    pub allowed_once: &'w dyn Fn(&str) -> bool,
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
            now: 0,
            allowed_once: &|_| false,
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
