//! Swift.

use super::literals::{hashed, long};
use super::{Declares, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::calls::{entries, tree, write_to};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    Chdir, CopyTree, Delete, DeleteDirectory, DeleteTree, Environment, ExecL, ExecV, First, Get,
    Home, Join, Kill, Link, MakeDirectory, Move, Own, Print, Read, Shell, Temporary, Write,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/")],
        double: Style::SWIFT,
        string,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        declares: Some(Declares::NameFirst),
        labels: true,
        joining: &[
            "appendingPathComponent",
            "stringByAppendingPathComponent",
            "appendPathComponent",
        ],
        word_logic: false,
        function_words: &[],
        keys: &[":"],
        members: &[".", "?."],
        chains: &[".", "?."],
        bare_calls: super::BareCalls::Named(&[]),
        functions: Functions {
            followed: true,
            hoisted: true,
            any_is_method: true,
            ..Syntax::BASE.functions
        },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[
            (&["ProcessInfo.processInfo.environment"], Surrounding::Environment),
            (
                &["FileManager.default.homeDirectoryForCurrentUser", "URL.homeDirectory"],
                Surrounding::Home,
            ),
            (&["CommandLine.arguments"], Surrounding::Arguments(&["main"])),
        ],
        method,
        ..Library::BASE
    },
    ..Definition::new(Language::Swift)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match lexer.byte(0) {
        b'"' => long(lexer, Style::SWIFT),
        b'#' => hashed(lexer, 0),
        _ => None,
    }
}

/// `text.write(toFile: path)`
fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    value: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    match name {
        "write" if arguments.named.iter().any(|(key, _)| key.starts_with("to")) => {
            let mut all = arguments.clone();
            all.list.insert(0, value.clone());
            Some(write_to(scan, &all))
        }
        _ => None,
    }
}

const FUNCTIONS: Table = &[
    ("*", "removeItem trashItem", DeleteTree),
    ("*", "moveItem", Move),
    ("*", "copyItem", CopyTree),
    ("*", "createSymbolicLink", Link),
    ("*", "createDirectory", MakeDirectory),
    ("*", "createFile", Write),
    ("*", "changeCurrentDirectoryPath", Chdir),
    ("*", "contents", Read),
    ("*", "contentsOfDirectory", Own(entries)),
    ("*", "enumerator subpaths", Own(tree)),
    ("", "String Data", Own(content)),
    ("", "URL NSString Optional", First),
    ("", "NSHomeDirectory", Home),
    ("", "NSTemporaryDirectory", Temporary),
    ("NSString", "path", Join),
    ("", "getenv", Environment),
    ("", "unlink remove", Delete),
    ("", "rmdir", DeleteDirectory),
    ("", "system", Shell(Printed)),
    ("", "popen", Shell(Returned)),
    ("", "execl execlp", ExecL(0)),
    ("", "execv execvp", ExecV(0)),
    ("Process", "run", Own(crate::code::calls::words)),
    ("Process", "launchedProcess", Own(crate::code::calls::words)),
    ("", "fopen", Op::Open),
    ("", "open", Own(crate::code::calls::open)),
    ("FileHandle", "forWritingAtPath", Write),
    ("", "FileHandle", Own(handle)),
    ("", "kill", Kill(0)),
    ("URLSession.shared", "dataTask", Get(0)),
    ("", "print NSLog", Print),
];

/// `String(contentsOfFile: path)`, `String(text)`
fn content(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let reads = arguments.named.iter().any(|(key, _)| key.starts_with("contentsOf"));
    scan.perform(if reads { Read } else { First }, arguments)
}

/// `FileHandle(forWritingAtPath: path)`
fn handle(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let writes = arguments
        .named
        .iter()
        .any(|(key, _)| key.starts_with("forWriting") || key.starts_with("forUpdating"));
    let span = arguments.span;
    let path = arguments.get(0).map(|path| path.field(span)).unwrap_or_default();
    scan.open_file(path, if writes { "w" } else { "r" }, arguments)
}
