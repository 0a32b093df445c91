//! Interfaces to facts about the machine; this crate does no IO.

use crate::syntax::Dialect;

/// Facts from the caller. The more it knows, the more is certain.
#[derive(Clone, Copy)]
pub struct Surroundings<'w> {
    pub cwd: Option<&'w str>,
    pub home: Option<&'w str>,
    pub user: Option<&'w str>,
    /// Environment variables, as far as they are known. Others are unknown, not unset.
    pub variables: &'w [(&'w str, &'w str)],
    pub language: Language,
    /// `RM` is `rm`: macOS and Windows.
    pub case_insensitive: bool,
    /// Programs of the user's own that run the command in their arguments.
    pub transparent: &'w [Transparent<'w>],
    pub facts: &'w dyn FileFacts,
}

/// A wrapper such as `mise exec --`: options that take a value must be named to be skipped.
#[derive(Clone, Copy, Debug)]
pub struct Transparent<'w> {
    pub program: &'w str,
    /// Words that must follow the program: `["exec"]`.
    pub subcommand: &'w [&'w str],
    pub options_with_value: &'w [&'w str],
}

/// Questions about files. All answers may be "don't know".
pub trait FileFacts {
    /// Where symbolic links lead to.
    fn real_path(&self, _path: &str) -> Option<String> {
        None
    }

    fn kind(&self, _path: &str) -> Option<PathKind> {
        None
    }

    /// True once a question was refused because one call asked too many: from then on unknown answers mean
    /// nothing, and the call cannot be verified.
    fn exhausted(&self) -> bool {
        false
    }

    /// The text of a file for this use; `None` if it is not relevant, too long, or not text.
    fn text(&self, _path: &str, _used: Use) -> Option<FileText> {
        None
    }

    /// Files below a folder that hold the guard's settings, or those that make hosts call it.
    fn guarded(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }

    /// Files below a folder that the agent's own session has made or changed.
    fn of_session(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Purpose of reading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A patch, for the files that it changes.
    Patch,
    /// The command names it as the code to run.
    Script,
    /// Found by a tool itself: a makefile, a `package.json`, the tests of a project.
    Found,
    /// Mentioned by the command, or in the folder of a tool: it may be loaded.
    Near,
    /// Named by the command as settings that may contain commands.
    Named,
    /// Its lines become arguments of a command.
    Values,
}

/// The text of a file on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    pub text: String,
    /// Whether the agent's own session has made or changed it.
    pub of_session: bool,
    /// Whether the file goes on after the text.
    pub cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    Missing,
    File,
    Directory,
    Device,
}

/// A world about which nothing is known.
#[derive(Debug)]
pub struct NoFacts;

impl FileFacts for NoFacts {}

/// Language of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Shell(Dialect),
    PowerShell,
    Cmd,
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    AppleScript,
    Awk,
    Sql,
    Go,
    Rust,
    /// C, C++ and Objective-C.
    C,
    Swift,
    /// Java, Kotlin, Groovy and Scala.
    Jvm,
    /// C# and F#.
    DotNet,
    Julia,
    /// Emacs Lisp, Scheme, Common Lisp and Clojure.
    Lisp,
    Nim,
    VbScript,
    /// Code in a language that is not analysed.
    Other,
}

impl Default for Surroundings<'_> {
    fn default() -> Self {
        Self {
            cwd: None,
            home: None,
            user: None,
            variables: &[],
            language: Language::Shell(Dialect::Bash),
            case_insensitive: false,
            transparent: &[],
            facts: &NoFacts,
        }
    }
}

impl std::fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("cwd", &self.cwd)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}
