//! Lua.

use super::{BareCalls, Blocks, Conditional, Definition, Lexicon, Library, Surrounding, Syntax};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::strings::Style;
use crate::world::Language;

use Op::{
    Chdir, Chr, Connect, Delete, DeleteDirectory, Environment, Eval, Format, Get, Import, JoinText,
    MakeDirectory, Move, Open, Print, Read, Remove, Reverse, RunFile, Shell, Socket, Stdin,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("--[[", "]]"), ("--", "\n")],
        single: Style::LUA,
        double: Style::LUA,
        string,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        blocks: Blocks::Words,
        conditional: Conditional::None,
        joins: &[".."],
        keys: &["=", "=>"],
        members: &[".", "?.", "->", "::", ":"],
        bare_calls: BareCalls::BeforeText,
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[(&["io.stdin"], Surrounding::Stdin)],
        prefixes: &["_G.", "_ENV."],
        ..Library::BASE
    },
    ..Definition::new(Language::Lua)
};

/// `[[...]]`, `[==[...]==]`
fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    let rest = lexer.rest().strip_prefix('[')?;
    let level = rest.len() - rest.trim_start_matches('=').len();
    if level > 8 || rest.as_bytes().get(level) != Some(&b'[') {
        return None;
    }
    let close = "]========]";
    let close = format!("{}]", close.get(..=level)?);
    lexer.at += level + 2;
    lexer.body(&close, None, Style::RAW);
    Some(TokenKind::Text)
}

const FUNCTIONS: Table = &[
    ("os", "execute", Shell(Printed)),
    ("io vim.fn", "popen system", Shell(Returned)),
    ("os", "remove", Delete),
    ("lfs", "rmdir", DeleteDirectory),
    ("vim.fn", "delete", Remove),
    ("os", "rename", Move),
    ("io", "open", Open),
    ("io", "lines", Read),
    ("", "load loadstring", Eval),
    ("", "dofile loadfile", RunFile),
    (" io", "print write", Print),
    ("io", "read", Stdin),
    ("os", "getenv", Environment),
    ("lfs", "mkdir", MakeDirectory),
    ("lfs", "chdir", Chdir),
    ("", "require", Import),
    ("socket", "tcp", Socket),
    ("socket", "connect", Connect),
    ("socket.http http", "request", Get(0)),
    ("string", "char", Chr),
    ("string", "reverse", Reverse),
    ("string", "format", Format),
    ("table", "concat", JoinText),
];
