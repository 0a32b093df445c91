//! Julia.

use super::literals::{character, long};
use super::{Backtick, Blocks, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    Chdir, Chr, Connect, CopyTree, Cwd, First, Get, Home, Join, Link, MakeDirectory, Mode, Move,
    Open, Own, Owner, Post, Print, Remove, RunFile, Shell, Temporary,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("#=", "=#"), ("#", "\n")],
        double: Style::BARE,
        backtick: Backtick::Text,
        string,
        name_endings: true,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        blocks: Blocks::Words,
        joins: &["*"],
        word_logic: false,
        function_words: &[],
        keys: &["=", "=>"],
        members: &["."],
        bare_calls: super::BareCalls::Named(&[]),
        functions: Functions { followed: true, last_is_value: true, ..Syntax::BASE.functions },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[
            (&["ENV"], Surrounding::Environment),
            (&["ARGS"], Surrounding::Arguments(&[])),
        ],
        prefixes: &["Base.Filesystem.", "Base.", "Filesystem."],
        ..Library::BASE
    },
    ..Definition::new(Language::Julia)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match (lexer.byte(0), lexer.byte(1)) {
        // Behind a value it transposes.
        (b'\'', _) if lexer.after_value => {
            lexer.at += 1;
            Some(TokenKind::Mark)
        }
        (b'\'', _) => character(lexer),
        (b'"', _) => long(lexer, Style::BARE),
        _ if lexer.rest().starts_with("raw\"") => {
            lexer.at += 4;
            lexer.body("\"", None, Style::RAW);
            Some(TokenKind::Text)
        }
        _ => None,
    }
}

const FUNCTIONS: Table = &[
    ("", "run", Shell(Printed)),
    ("", "read readchomp readlines eachline", Own(read)),
    ("", "success pipeline ignorestatus setenv addenv", First),
    ("", "ccall", Own(foreign)),
    ("", "rm", Remove),
    ("", "write", Own(write)),
    ("", "open", Open),
    ("", "mv mv!", Move),
    ("", "cp", CopyTree),
    ("", "chmod", Mode(0)),
    ("", "chown", Owner(0)),
    ("", "symlink hardlink", Link),
    ("", "mkdir mkpath touch", MakeDirectory),
    ("", "mktempdir mktemp tempname tempdir", Temporary),
    ("", "readdir", Own(crate::code::calls::entries)),
    ("", "walkdir", Op::Walk),
    ("", "homedir", Home),
    ("", "joinpath", Join),
    ("", "expanduser", Op::Expand),
    ("", "abspath realpath normpath string Cmd", First),
    ("", "pwd", Cwd),
    ("", "cd", Chdir),
    ("", "connect", Connect),
    ("Sockets", "connect", Connect),
    ("Downloads", "download", Own(download)),
    ("", "download", Own(download)),
    ("HTTP", "get", Get(0)),
    ("HTTP", "post put", Post(0)),
    ("", "include", RunFile),
    ("", "eval", First),
    ("Meta", "parse", First),
    ("", "println print show display", Print),
    ("", "Char", Chr),
];

/// What comes from an address, into a file if one is named.
fn download(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let named = arguments.list.len() > 1;
    scan.perform(if named { Op::Download } else { Get(0) }, arguments)
}

/// `read("file")`, and `read(`command`)`.
fn read(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let command = arguments.get(0).and_then(Value::exact).is_some_and(|text| text.contains(' '));
    let list = arguments.list.get(..1).unwrap_or_default().to_vec();
    let first = Arguments { list, named: Vec::new(), span: arguments.span };
    scan.perform(if command { Shell(Returned) } else { Op::Read }, &first)
}

/// `write("file", text)`, `write(io, text)`
fn write(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    match arguments.get(0) {
        Some(Value::Object(..)) => crate::code::calls::write(scan, arguments),
        Some(Value::Text(path)) if path.exact().is_some() => scan.perform(Op::Write, arguments),
        _ => scan.nothing(),
    }
}

/// `ccall(:system, Cint, (Cstring,), "rm -rf x")`
fn foreign(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let text = scan.code.text;
    let list: Vec<Value> = arguments.list.iter().rev().take(1).cloned().collect();
    let last = Arguments { list, named: Vec::new(), span: arguments.span };
    if text.contains(":system") || text.contains(":popen") {
        scan.perform(Shell(Printed), &last)
    } else if text.contains(":unlink") || text.contains(":remove") || text.contains(":rmdir") {
        scan.perform(Op::Delete, &last)
    } else {
        scan.nothing()
    }
}
