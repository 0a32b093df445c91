//! R, Julia, Elixir, Erlang, Lisps, Groovy, Scala, Haskell together: the names do not clash.

use super::{Backtick, Definition, Lexicon, Library, Syntax};
use crate::code::calls::entries;
use crate::code::library::{Given, Methods, Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    All, Append, Chdir, CopyFile, Delete, DeleteAll, DeleteTree, Download, Environment, ExecV,
    Expand, First, Get, Home, Join, Mode, Move, Open, Own, Print, Program, Read, RemoveNamed,
    RunFile, Shell, Words, Write,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/"), ("#", "\n")],
        hash_in_words: true,
        backtick: Backtick::Text,
        sigils: b"$",
        hyphens: true,
        name_endings: true,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        joins: &["<>", "++"],
        function_words: &["function", "fn", "sub", "proc"],
        keys: &["=", ":", "=>"],
        members: &[".", "?.", "::", ":"],
        argument_marks: &["("],
        no_commas: true,
        ..Syntax::BASE
    },
    library: Library { functions: FUNCTIONS, methods: METHODS, method, ..Library::BASE },
    ..Definition::new(Language::Other)
};

/// Groovy: `"command".execute()`
fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    value: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    let span = arguments.span;
    matches!(name, "execute" | "exec").then(|| {
        if arguments.list.is_empty() {
            let own = Arguments { list: vec![value.clone()], named: Vec::new(), span };
            return scan.shell(&own, Output::Returned);
        }
        scan.shell(arguments, Output::Returned)
    })
}

/// R knows the tilde in every path.
fn listed(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let folder = scan.perform(Expand, arguments);
    entries(scan, &Arguments { list: vec![folder], named: Vec::new(), span })
}

const METHODS: Methods = &[
    ("delete", Given::Nothing, Op::Delete),
    ("deleteDir deleteRecursively", Given::Anything, Op::DeleteTree),
];

const FUNCTIONS: Table = &[
    ("", "system shell run pipeline callCommand readProcess Process", Shell(Printed)),
    ("", "shell-command shell-command-to-string async-shell-command process", Shell(Printed)),
    ("", "call-process-shell-command compile", Shell(Printed)),
    ("", "call-process process-file system* process* start-process make-process", Words),
    ("", "system2", Program(Returned)),
    ("System", "cmd", Program(Returned)),
    ("System sys.process System.Process", "shell Process system callCommand", Shell(Printed)),
    ("os", "cmd", Shell(Returned)),
    ("*", "exec", Shell(Returned)),
    ("Sys Unix", "command system open_process_in", Shell(Printed)),
    ("Unix", "execv execvp", ExecV(0)),
    ("Sys Unix", "remove unlink rmdir", Delete),
    ("Sys", "rename", Move),
    ("", "removeDirectoryRecursive removePathForcibly", DeleteTree),
    ("System.Directory Dir D", "removeDirectoryRecursive removePathForcibly", DeleteTree),
    ("", "removeFile", Delete),
    ("System.Directory", "removeFile", Delete),
    ("", "getHomeDirectory", Home),
    ("", "rawSystem callProcess spawnProcess readProcessWithExitCode", Program(Printed)),
    ("System", "user_home user_home!", Home),
    ("Path", "expand", Expand),
    ("Path", "join", Join),
    ("Port", "open", First),
    ("file", "del_dir_r", DeleteTree),
    ("", "path.expand", Expand),
    ("path", "expand", Expand),
    ("", "file.path", Join),
    ("file", "path", Join),
    ("", "c", All),
    ("list", "files dirs", Own(listed)),
    ("", "dir", Own(listed)),
    ("fs", "dir_delete dir_delete!", DeleteTree),
    ("", "delete-file", Delete),
    ("", "delete-directory", DeleteTree),
    ("", "rename-file", Move),
    ("", "copy-file", CopyFile),
    ("", "unlink rm delete", RemoveNamed),
    ("file", "remove delete", DeleteAll),
    ("fs", "file_delete dir_delete", DeleteAll),
    ("File Files", "rm rm! delete deleteIfExists", Delete),
    ("File FileUtils", "rm_rf rm_rf! deleteDirectory", DeleteTree),
    ("File", "write write!", Write),
    ("File", "read read!", Read),
    ("", "open fopen", Open),
    (
        "*",
        "FileReader FileInputStream readAllText ReadAllText readAllBytes ReadAllBytes readString",
        Read,
    ),
    ("", "FileReader FileInputStream slurp readfile", Read),
    ("*", "FileWriter FileOutputStream PrintWriter writeString writeAllText WriteAllText", Write),
    ("", "FileWriter FileOutputStream PrintWriter", Write),
    ("", "readLines readRDS read-file insert-file-contents find-file", Read),
    ("", "writeLines", Append),
    ("", "mv", Move),
    ("", "cp", CopyFile),
    ("", "chmod", Mode(0)),
    ("", "source include load load-file", RunFile),
    ("*", "source_url", RunFile),
    ("install", "packages", RunFile),
    ("", "eval parse", First),
    ("download", "file", Download),
    ("Downloads", "download", Download),
    ("", "url download", Get(0)),
    ("", "print cat println message display", Print),
    ("", "setwd cd", Chdir),
    ("Sys", "getenv", Environment),
];
