//! Rust.

use super::literals::{character, hashed};
use super::{Conditional, Declares, Definition, Functions, Lexicon, Library, Syntax};
use crate::code::calls::{entries, tree};
use crate::code::fold;
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    All, AllEnvironment, Chdir, Connect, CopyFile, Cwd, Delete, DeleteDirectory, DeleteTree,
    Environment, First, Get, Home, Link, MakeDirectory, Mode, Move, Own, Print, Read, Temporary,
    Write,
};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/"), ("#!", "\n")],
        string,
        name_endings: true,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        declares: Some(Declares::NameFirst),
        joining: &["join", "push"],
        conditional: Conditional::None,
        word_logic: false,
        function_words: &[],
        keys: &[],
        members: &[".", "::"],
        chains: &["."],
        bare_calls: super::BareCalls::Named(&[]),
        functions: Functions {
            followed: true,
            hoisted: true,
            any_is_method: true,
            last_is_value: true,
            ..Syntax::BASE.functions
        },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        prefixes: &["std.", "tokio.", "async_std."],
        method,
        ..Library::BASE
    },
    ..Definition::new(Language::Rust)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match (lexer.byte(0), lexer.byte(1)) {
        (b'r', b'"' | b'#') => hashed(lexer, 1),
        (b'b', b'r') => hashed(lexer, 2),
        (b'b' | b'c', b'"') => {
            lexer.at += 2;
            lexer.body("\"", None, crate::code::strings::Style::PLAIN);
            Some(TokenKind::Text)
        }
        (b'\'', _) => character(lexer),
        _ => None,
    }
}

/// A command is the list of its words until it starts.
fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    value: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    let span = arguments.span;
    match (value, name) {
        (Value::List(words), "arg" | "args") => {
            let more = arguments.get(0).map(Value::items).unwrap_or_default();
            Some(Value::List(words.iter().cloned().chain(more).take(256).collect()))
        }
        (Value::List(_), "spawn" | "status" | "output" | "exec") => {
            let list = vec![value.clone()];
            Some(scan.shell(&Arguments { list, named: Vec::new(), span }, Output::Returned))
        }
        (Value::List(_), _) => Some(value.clone()),
        // `OpenOptions::new().write(true).open("x")`
        (_, "open") if !arguments.list.is_empty() => {
            let has = |word: &str| scan.code.text.contains(word);
            let mode = if has(".append(true)") {
                "a"
            } else if has(".write(true)") {
                "w"
            } else {
                "r"
            };
            let path = arguments.get(0).map(|path| path.field(span)).unwrap_or_default();
            Some(scan.open_file(path, mode, arguments))
        }
        _ => None,
    }
}

/// `format!("{}/{name}", value)`
fn format(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let Some(template) = arguments.get(0).cloned() else { return scan.nothing() };
    let text = template.exact().unwrap_or_default().replace("{{", "").replace("}}", "");
    let mut given = arguments.list.iter().skip(1);
    let mut values = Vec::new();
    for hole in text.split('{').skip(1).take(32) {
        let name = hole.split(['}', ':']).next().unwrap_or_default();
        let value = match name.parse::<usize>() {
            _ if name.is_empty() => given.next().cloned(),
            Ok(index) => arguments.get(index.saturating_add(1)).cloned(),
            Err(_) => arguments.keyword(name).or_else(|| scan.variable(name)).cloned(),
        };
        values.push(value.unwrap_or_else(|| scan.nothing()));
    }
    fold::format(&template, &values, span)
}

const FUNCTIONS: Table = &[
    ("process.Command Command", "new", All),
    ("fs", "remove_dir_all", DeleteTree),
    ("", "remove_dir_all", DeleteTree),
    ("fs libc", "remove_file unlink", Delete),
    ("", "remove_file", Delete),
    ("fs", "remove_dir", DeleteDirectory),
    ("fs", "write", Write),
    ("fs.File File", "create", Op::Open),
    ("fs.File File", "open", Read),
    ("fs", "read read_to_string", Read),
    ("fs", "rename", Move),
    ("fs", "copy", CopyFile),
    ("fs os.unix.fs", "hard_link symlink soft_link", Link),
    ("fs", "create_dir create_dir_all", MakeDirectory),
    ("fs", "set_permissions", Mode(0)),
    ("fs", "read_dir", Own(entries)),
    ("WalkDir walkdir.WalkDir", "new", Own(tree)),
    ("env", "var var_os", Environment),
    ("", "env! option_env!", Environment),
    ("env", "vars", AllEnvironment),
    ("env dirs home dirs_next", "home_dir", Home),
    ("env", "current_dir", Cwd),
    ("env", "set_current_dir", Chdir),
    ("env tempfile TempDir tempfile.TempDir", "temp_dir tempdir new", Temporary),
    (
        "path.Path Path path.PathBuf PathBuf String OsString ffi.OsString CString ffi.CString",
        "new from",
        First,
    ),
    ("net.TcpStream TcpStream", "connect", Connect),
    ("reqwest reqwest.blocking ureq", "get", Get(0)),
    ("", "format!", Own(format)),
    ("", "println! print! eprintln!", Print),
    ("", "Some Ok Box", First),
    ("libc", "system", Op::Shell(Output::Printed)),
];
