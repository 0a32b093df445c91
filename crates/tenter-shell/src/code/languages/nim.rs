//! Nim.

use super::literals::{character, long};
use super::{Blocks, Conditional, Definition, Lexicon, Library, Syntax};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::world::Language;

use Op::{
    Connect, CopyFile, CopyTree, Cwd, Delete, DeleteTree, Environment, First, Get, Home, Join,
    MakeDirectory, Move, Open, Own, Print, Program, Read, Shell, Write,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon { comments: &[("#[", "]#"), ("#", "\n")], string, ..Lexicon::BASE },
    syntax: Syntax {
        known_trees: true,
        keyword,
        blocks: Blocks::Indented,
        conditional: Conditional::None,
        joins: &["&"],
        slash_joins: true,
        function_words: &[],
        keys: &["=", ":"],
        members: &["."],
        annotations: true,
        ..Syntax::BASE
    },
    library: Library { functions: FUNCTIONS, prefixes: &["os.", "osproc."], ..Library::BASE },
    ..Definition::new(Language::Nim)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match (lexer.byte(0), lexer.byte(1)) {
        (b'r', b'"') => {
            lexer.at += 2;
            Some(super::literals::doubled(lexer))
        }
        (b'"', _) => long(lexer, Style::RAW),
        (b'\'', _) => character(lexer),
        _ => None,
    }
}

/// `proc name*(path: string): int =`: its body is read in place.
fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    match word {
        "import" | "from" | "include" => {
            while scan.token().is_some_and(|token| token.kind != TokenKind::Line)
                && !scan.is_mark(";")
            {
                scan.at += 1;
            }
        }
        "proc" | "func" | "method" | "template" | "iterator" => {
            while scan.token().is_some_and(|token| token.kind != TokenKind::Line)
                && !scan.is_mark("=")
            {
                scan.at += 1;
            }
            scan.take_mark("=");
        }
        "discard" => scan.at += 1,
        _ => return None,
    }
    Some(true)
}

const FUNCTIONS: Table = &[
    ("", "execCmd execShellCmd", Shell(Printed)),
    ("", "execProcess execCmdEx staticExec gorge", Shell(Returned)),
    ("", "startProcess", Program(Printed)),
    ("", "removeDir", DeleteTree),
    ("", "removeFile tryRemoveFile", Delete),
    ("", "writeFile", Write),
    ("", "readFile lines readLines", Read),
    ("", "open", Own(open)),
    ("", "moveFile moveDir", Move),
    ("", "copyFile", CopyFile),
    ("", "copyDir", CopyTree),
    ("", "createDir", MakeDirectory),
    ("", "getHomeDir", Home),
    ("", "getEnv", Environment),
    ("", "getCurrentDir", Cwd),
    ("", "joinPath", Join),
    ("", "expandTilde", Op::Expand),
    ("", "walkDir walkFiles walkDirs", Own(crate::code::calls::entries)),
    ("", "walkDirRec", Own(crate::code::calls::tree)),
    ("", "getContent", Get(0)),
    ("*", "connect", Connect),
    ("", "absolutePath normalizedPath quoteShell newHttpClient", First),
    ("", "echo", Print),
];

/// `open(path, fmWrite)`
fn open(
    scan: &mut Scan<'_, '_, '_, '_>,
    arguments: &crate::code::value::Arguments,
) -> crate::code::value::Value {
    let span = arguments.span;
    let mode = arguments.get(1).map(|mode| mode.field(span).shown()).unwrap_or_default();
    if !mode.contains("Write") && !mode.contains("Append") {
        return scan.perform(
            Open,
            &crate::code::value::Arguments {
                list: arguments.list.get(..1).unwrap_or_default().to_vec(),
                named: Vec::new(),
                span,
            },
        );
    }
    let path = arguments.get(0).map(|path| path.field(span)).unwrap_or_default();
    scan.open_file(path, if mode.contains("Append") { "a" } else { "w" }, arguments)
}
