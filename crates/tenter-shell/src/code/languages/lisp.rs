//! Emacs Lisp, Scheme, Common Lisp and Clojure: forms, and names that do not clash.

use super::{Definition, Lexicon, Library, Syntax};
use crate::code::calls::{concat, delete_directory, entries, tree, words};
use crate::code::fold;
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    Append, Base64, Chdir, Connect, CopyFile, CopyTree, Delete, DeleteTree, Environment, EvalLast,
    First, Format, Get, Link, MakeDirectory, Mode, Move, Own, Print, Read, RunFile, Shell, Words,
    Write,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[(";", "\n"), ("#|", "|#")],
        string,
        hyphens: true,
        name_endings: true,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        forms: true,
        word_logic: false,
        function_words: &[],
        keys: &[],
        members: &[],
        bare_calls: super::BareCalls::Named(&[]),
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        prefixes: &["java.io.", "clojure.java.", "io."],
        ..Library::BASE
    },
    ..Definition::new(Language::Lisp)
};

/// A quote is a mark, and `?x` a character.
fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match (lexer.byte(0), lexer.byte(1)) {
        // `#P"path"`
        (b'#', b'P' | b'p') if lexer.byte(2) == b'"' => {
            lexer.at += 3;
            lexer.body("\"", None, crate::code::strings::Style::PLAIN);
            Some(TokenKind::Text)
        }
        (b'\'' | b'`', _) => {
            lexer.at += 1;
            Some(TokenKind::Mark)
        }
        (b'?', next) if !lexer.after_value && next != b' ' && next != 0 => {
            lexer.at += if next == b'\\' { 3 } else { 2 };
            Some(TokenKind::Number)
        }
        _ => None,
    }
}

/// `(expand-file-name "name" folder)`
fn expand(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let of = |value: Value| Arguments { list: vec![value], named: Vec::new(), span };
    let Some(name) = arguments.get(0).cloned() else { return scan.nothing() };
    let path = match arguments.get(1).cloned() {
        Some(folder) if !name.field(span).prefix().starts_with(['/', '~']) => {
            let folder = scan.perform(Op::Expand, &of(folder));
            return fold::path_join(folder, name, span);
        }
        _ => name,
    };
    scan.perform(Op::Expand, &of(path))
}

/// Emacs takes a tilde in every path.
fn expanded(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Arguments {
    let mut list = arguments.list.clone();
    for value in list.iter_mut().take(2) {
        if value.exact().is_some_and(|text| text.starts_with('~')) {
            let own =
                Arguments { list: vec![value.clone()], named: Vec::new(), span: arguments.span };
            *value = scan.perform(Op::Expand, &own);
        }
    }
    Arguments { list, ..arguments.clone() }
}

fn delete(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let arguments = expanded(scan, arguments);
    scan.perform(Delete, &arguments)
}

fn directory(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let arguments = expanded(scan, arguments);
    delete_directory(scan, &arguments)
}

fn read(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let arguments = expanded(scan, arguments);
    scan.perform(Read, &arguments)
}

fn write(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let arguments = expanded(scan, arguments);
    crate::code::calls::write_to(scan, &arguments)
}

/// `(write-region start end file)`
fn region(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let mut list = arguments.list.get(2..3).unwrap_or_default().to_vec();
    list.extend(arguments.list.iter().take(1).cloned());
    let all = Arguments { list, named: Vec::new(), span: arguments.span };
    let all = expanded(scan, &all);
    let append = matches!(arguments.get(3), Some(Value::Name(name)) if &**name == "t");
    scan.perform(if append { Append } else { Write }, &all)
}

/// `(make-network-process :host "h" :service 1)`, `(open-network-stream name buffer host port)`
fn connect(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let told = |value: &&Value| matches!(value, Value::Text(_) | Value::Number(_));
    let values: Vec<Value> = arguments.list.iter().filter(told).cloned().collect();
    let skip = values.len().saturating_sub(2);
    let list = values.get(skip..).unwrap_or_default().to_vec();
    scan.perform(Connect, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// The name and the buffer come before the words.
fn process(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(2..).unwrap_or_default().to_vec();
    words(scan, &Arguments { list, named: Vec::new(), span: arguments.span })
}

const FUNCTIONS: Table = &[
    (
        "",
        "shell-command shell-command-to-string async-shell-command compile system",
        Shell(Printed),
    ),
    ("", "call-process-shell-command process-lines-shell eshell-command", Shell(Printed)),
    ("", "start-process-shell-command", Own(process)),
    ("", "call-process process-file process-lines system* process* sh", Words),
    ("shell sh", "sh", Words),
    ("", "start-process start-file-process", Own(process)),
    ("", "make-process", Words),
    ("uiop sb-ext", "run-program launch-program", Shell(Returned)),
    ("", "run-program run-shell-command", Shell(Returned)),
    ("", "delete-file", Own(delete)),
    ("", "delete-directory", Own(directory)),
    ("", "delete-directory/files delete-directory-tree", DeleteTree),
    ("uiop", "delete-directory-tree", DeleteTree),
    ("uiop", "delete-file-if-exists", Delete),
    ("delete-directory", "files", DeleteTree),
    ("", "move-file-to-trash", Own(delete)),
    ("", "rename-file", Move),
    ("", "copy-file", CopyFile),
    ("", "copy-directory", CopyTree),
    ("", "make-symbolic-link add-name-to-file", Link),
    ("", "make-directory", MakeDirectory),
    ("", "set-file-modes", Mode(0)),
    (
        "",
        "insert-file-contents insert-file-contents-literally find-file find-file-noselect",
        Own(read),
    ),
    ("", "slurp file->string", Read),
    ("", "write-region", Own(region)),
    ("", "f-write-text", Own(write)),
    ("", "spit", Write),
    ("", "load load-file", RunFile),
    ("", "eval read-from-string", EvalLast),
    ("", "directory-files", Own(entries)),
    ("", "directory-files-recursively file-seq", Own(tree)),
    ("", "expand-file-name file-truename", Own(expand)),
    (
        "",
        "substitute-in-file-name file-name-as-directory shell-quote-argument directory-file-name",
        First,
    ),
    ("", "concat string-append str", Own(concat)),
    ("", "format", Format),
    ("", "getenv System.getenv", Environment),
    ("", "cd", Chdir),
    ("", "url-retrieve url-retrieve-synchronously url-insert-file-contents", Get(0)),
    ("", "make-network-process open-network-stream", Own(connect)),
    ("", "base64-decode-string", Base64),
    ("", "message princ print display", Print),
    ("", "io.file file as-file list quote progn File.", First),
    ("", "io.delete-file delete-file!", Delete),
];
