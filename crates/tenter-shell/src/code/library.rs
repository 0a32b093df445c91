//! Operations of library functions, and their lookup.

use super::languages::Definition;
use super::scan::Scan;
use super::value::{Arguments, Value};

/// Operation of a function on its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// Runs shell text, or a program if it gets a list or several texts. `Returned`: the output goes to the
    /// caller, not to standard output.
    Shell(Output),
    /// A program and a list of its arguments.
    Program(Output),
    /// A program at this argument, then its argument vector as a list.
    ExecV(u8),
    /// The same with the vector spread out.
    ExecL(u8),
    /// Every argument is a word of a command.
    Words,
    /// The first argument is a file to delete.
    Delete,
    /// Every argument is.
    DeleteAll,
    DeleteDirectory,
    DeleteTree,
    /// Every argument is a tree.
    DeleteTrees,
    /// Options decide whether trees are deleted.
    Remove,
    /// The same, where the tilde is known in every path and a name alone is a variable.
    RemoveNamed,
    /// Path and content.
    Write,
    Append,
    /// Path and mode.
    Open,
    Read,
    Move,
    CopyFile,
    /// The same with all that is in it.
    CopyTree,
    /// An archive, and the directory it is unpacked into.
    Unpack,
    /// The directory that an open archive is unpacked into.
    UnpackAll,
    /// Index of the first path.
    Mode(u8),
    Owner(u8),
    Truncate,
    MakeDirectory,
    Link,
    /// Entries of a directory.
    Entries,
    Walk,
    Glob,
    /// Index of the address.
    Get(u8),
    Post(u8),
    /// Method and body are in the options.
    Fetch,
    Download,
    Connect,
    Socket,
    Client,
    Lookup,
    CurlOption,
    Mail,
    /// A file, then where it goes.
    Upload,
    /// Prints what is in a file or at an address.
    Show,
    /// Index of the process.
    Kill(u8),
    Fork,
    Duplicate,
    SetUser,
    Eval,
    EvalLast,
    RunFile,
    Deserialise,
    Import,
    Attribute,
    /// Calls a function given by value or name with the other arguments.
    Apply,
    Thread,
    Send,
    Print,
    /// Prints without a space between and a line's end behind.
    Echo,
    Stdin,
    Environment,
    AllEnvironment,
    Chdir,
    Cwd,
    Home,
    /// A new folder or file among the temporary ones.
    Temporary,
    /// The same, and the first argument is the start of its path.
    TemporaryAt,
    Join,
    Expand,
    /// The value of the first argument.
    First,
    /// All arguments as a list.
    All,
    Base64,
    Hex,
    Rot13,
    Codec,
    /// Decompressed or decrypted: what comes out is not known.
    Opaque,
    Buffer,
    Chr,
    Reverse,
    Format,
    JoinText,
    Pack,
    Split,
    PercentDecode,
    /// Specific to this language.
    Own(Own),
}

pub(super) type Own = fn(&mut Scan<'_, '_, '_, '_>, &Arguments) -> Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Printed,
    Returned,
}

/// Modules, functions in them, and what these do. Several of each are separated by spaces; no
/// module means a function of the language itself, `*` means any.
pub(super) type Table = &'static [(&'static str, &'static str, Op)];

/// Methods with their condition and operation.
pub(super) type Methods = &'static [(&'static str, Given, Op)];

/// Arguments of a method, which decide its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Nothing: it is about the thing before the dot.
    Nothing,
    /// Anything; the thing before the dot is the first argument.
    Anything,
    /// Anything; the thing before the dot is an archive or a library.
    Alone,
    /// Text, which the same method of a path does not take.
    Text,
    /// Two of them, where the same method of a path takes one.
    Two,
}

/// Methods of paths in any language; strings have none of these names.
const COMMON: Methods = &[
    ("write_text write_bytes binwrite", Given::Anything, Op::Write),
    ("read_text read_bytes", Given::Anything, Op::Read),
];

fn named(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

impl Definition {
    /// The operation of the function with this full name.
    pub(super) fn find(&self, path: &str) -> Option<Op> {
        let (module, function) = path.rsplit_once('.').unwrap_or(("", path));
        let folded;
        let function = if self.library.any_case {
            folded = function.to_ascii_lowercase();
            folded.as_str()
        } else {
            function
        };
        let (module, function) = (self.library.alias)(module, function);
        self.library
            .functions
            .iter()
            .find(|(modules, functions, _)| {
                named(functions, function)
                    && (named(modules, module) || (!module.is_empty() && named(modules, "*")))
            })
            .map(|(_, _, op)| *op)
    }

    /// The operation of a method of a path or file, and whether the receiver is its first argument.
    pub(super) fn find_method(&self, name: &str, arguments: &Arguments) -> Option<(Op, bool)> {
        let fits = |given: Given| match given {
            Given::Nothing => arguments.list.is_empty(),
            Given::Anything | Given::Alone => true,
            Given::Text => matches!(arguments.get(0), Some(Value::Text(_))),
            Given::Two => arguments.list.len() == 2,
        };
        let methods = self.library.methods.iter().chain(COMMON);
        let mut found = methods.filter(|(names, given, _)| named(names, name) && fits(*given));
        let (_, given, op) = found.next()?;
        Some((*op, matches!(given, Given::Nothing | Given::Anything)))
    }

    /// Removes insignificant parts: `global.`, `builtins.`, `.promises`, `node:`.
    pub(super) fn plain(&self, path: &str) -> String {
        let prefixes = self.library.prefixes;
        let mut path = path;
        while let Some(rest) = prefixes.iter().find_map(|prefix| path.strip_prefix(prefix)) {
            path = rest;
        }
        (self.library.simplify)(path)
    }
}
