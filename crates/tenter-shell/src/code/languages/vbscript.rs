//! `VBScript`.

use super::literals::doubled;
use super::{Blocks, Definition, Lexicon, Library, Syntax};
use crate::code::calls::start_program;
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Given, Methods, Op, Table};
use crate::code::scan::Scan;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    CopyFile, CopyTree, Delete, DeleteTree, Eval, Join, MakeDirectory, Move, Own, Print, Read,
};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon { comments: &[("'", "\n")], string, ..Lexicon::BASE },
    syntax: Syntax {
        known_trees: true,
        keyword,
        blocks: Blocks::Words,
        joins: &["&"],
        function_words: &[],
        keys: &[],
        members: &["."],
        everything_is_a_call: true,
        argument_marks: &[],
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        methods: METHODS,
        method,
        any_case: true,
        ..Library::BASE
    },
    ..Definition::new(Language::VbScript)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    (lexer.byte(0) == b'"').then(|| {
        lexer.at += 1;
        doubled(lexer)
    })
}

fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    let skips = ["set", "dim", "call", "const", "if", "then", "else", "elseif", "on", "error"];
    skips.iter().any(|known| word.eq_ignore_ascii_case(known)).then(|| {
        scan.at += 1;
        true
    })
}

/// `%USERPROFILE%` in a text.
fn expand(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let Some(text) = arguments.get(0).and_then(Value::exact) else { return scan.nothing() };
    let mut value = Value::text("", span);
    for (index, part) in text.split('%').enumerate().take(16) {
        let more = match part.to_ascii_uppercase().as_str() {
            "USERPROFILE" | "HOMEPATH" if index % 2 == 1 => {
                let none = Arguments { span, ..Arguments::default() };
                scan.perform(Op::Home, &none)
            }
            _ if index % 2 == 1 => scan.environment(part, span),
            _ => Value::text(part, span),
        };
        value = value.concat(more, span);
    }
    value
}

/// Methods in any case.
fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    value: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    let of = |list: Vec<Value>| Arguments { list, named: Vec::new(), span: arguments.span };
    Some(match name.to_ascii_lowercase().as_str() {
        "delete" => scan.perform(DeleteTree, &of(vec![value.clone()])),
        "getfolder" | "getfile" => arguments.get(0)?.clone(),
        "shellexecute" => {
            let list = arguments.list.get(..2).unwrap_or(&arguments.list).to_vec();
            start_program(scan, &of(list))
        }
        "movefile" | "movefolder" => scan.perform(Move, arguments),
        "copyfile" => scan.perform(CopyFile, arguments),
        "copyfolder" => scan.perform(CopyTree, arguments),
        "buildpath" => scan.perform(Join, arguments),
        "createfolder" => scan.perform(MakeDirectory, arguments),
        "opentextfile" | "createtextfile" => {
            let writes = name.eq_ignore_ascii_case("createtextfile");
            let mode = match arguments.get(1).and_then(Value::number) {
                _ if writes => "w",
                Some(2) => "w",
                Some(8) => "a",
                _ => "r",
            };
            let path = arguments.get(0)?.field(arguments.span);
            scan.open_file(path, mode, arguments)
        }
        _ => return None,
    })
}

const METHODS: Methods = &[("Delete", Given::Nothing, DeleteTree)];

const FUNCTIONS: Table = &[
    ("*", "deletefolder", DeleteTree),
    ("*", "deletefile", Delete),
    ("*", "run exec", Own(run)),
    ("", "shell", Own(run)),
    ("*", "expandenvironmentstrings", Own(expand)),
    ("", "kill", Delete),
    ("", "rmdir", Op::DeleteDirectory),
    ("", "execute executeglobal eval", Eval),
    ("*", "readall", Read),
    ("WScript wscript", "echo", Print),
    ("", "msgbox", Print),
];

/// Style and wait follow the command.
fn run(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(..1).unwrap_or_default().to_vec();
    start_program(scan, &Arguments { list, named: Vec::new(), span: arguments.span })
}
