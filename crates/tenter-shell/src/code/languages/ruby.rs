//! Ruby.

use super::{
    Backtick, Blocks, Definition, Functions, Lexicon, Library, Scope, Surrounding, Syntax,
};
use crate::code::acts::is_address;
use crate::code::expr::missing;
use crate::code::lex::{Lexer, Piece, TokenKind, is_name};
use crate::code::library::{Given, Methods, Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    AllEnvironment, Base64, Chdir, Client, Connect, CopyFile, CopyTree, Cwd, DeleteAll,
    DeleteDirectory, DeleteTree, Deserialise, Entries, Environment, Eval, Expand, First, Fork,
    Format, Get, Glob, Home, Join, Kill, Link, MakeDirectory, Mode, Move, Opaque, Own, Owner, Post,
    Print, Read, RunFile, Send, SetUser, Shell, Stdin, Truncate, Write,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        single: Style::SINGLE,
        double: Style::HASH,
        backtick: Backtick::Command,
        patterns: true,
        spaced_arguments: true,
        here_document: Some("<<"),
        string,
        sigils: b"$@",
        name_endings: true,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        blocks: Blocks::Words,
        joins: &["<<"],
        bars: true,
        adjacent_strings: true,
        members: &[".", "?.", "::"],
        chains: &[".", "?."],
        everything_is_a_call: true,
        alone: |op| matches!(op, Op::Stdin | Op::Fork | Op::Home | Op::Cwd | Op::AllEnvironment),
        spaced_argument_marks: &["[", "*", "&", ":"],
        functions: Functions {
            followed: true,
            own: Scope::AssignedBare,
            bare: true,
            ..Syntax::BASE.functions
        },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        methods: METHODS,
        surroundings: &[
            (&["ENV", "$ENV", "%ENV"], Surrounding::Environment),
            (&["STDIN", "$stdin", "ARGF"], Surrounding::Stdin),
            (&["ARGV"], Surrounding::Arguments(&[])),
        ],
        prefixes: &["Kernel.", "Object.", "self."],
        invoke,
        words_run: true,
        ..Library::BASE
    },
    ..Definition::new(Language::Ruby)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match lexer.byte(0) {
        b'%' if !lexer.after_value || lexer.starts_argument() => percent(lexer),
        b':' => symbol(lexer),
        _ => None,
    }
}

/// `%w(a b)`, `%x(cmd)`, `%q(..)`, `%Q(..)`, `%(..)`.
fn percent(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    let letter = lexer.byte(1);
    let (open, skip) = if letter.is_ascii_alphabetic() { (lexer.byte(2), 3) } else { (letter, 2) };
    if !matches!(open, b'(' | b'[' | b'{' | b'<' | b'|' | b'!' | b'/') {
        return None;
    }
    let (kind, style) = match letter {
        b'x' => (TokenKind::Command, Style::HASH),
        b'w' | b'W' | b'i' | b'I' => (TokenKind::Words, Style::SINGLE),
        b'q' => (TokenKind::Text, Style::SINGLE),
        b'r' => (TokenKind::Pattern, Style::RAW),
        _ => (TokenKind::Text, Style::HASH),
    };
    lexer.at += skip;
    lexer.delimited(open, style);
    Some(kind)
}

/// `:name`
fn symbol(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    if !is_name(lexer.byte(1)) || lexer.byte(1).is_ascii_digit() || lexer.after_value {
        return None;
    }
    lexer.at += 1;
    let start = lexer.at;
    while is_name(lexer.byte(0)) {
        lexer.at += 1;
    }
    let name = lexer.text.get(start..lexer.at).unwrap_or_default();
    lexer.pieces.push(Piece::Text(name.to_owned()));
    Some(TokenKind::Text)
}

/// `open(path)`, where the path may be a command or an address.
fn open(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let path = arguments.get(0).map_or_else(|| missing(arguments), |value| value.field(span));
    if path.prefix().starts_with('|') {
        let command = path.without_prefix(1).unwrap_or_else(|| missing(arguments));
        let list = vec![Value::Text(command)];
        return scan.shell(&Arguments { list, named: Vec::new(), span }, Output::Returned);
    }
    if is_address(path.prefix()) {
        return scan.perform(Op::Get(0), arguments);
    }
    scan.open(arguments)
}

/// `method(:name)`, `method(:name).call(x)`, and a path that is not known.
fn invoke(scan: &mut Scan<'_, '_, '_, '_>, path: &str, arguments: &Arguments) -> Option<Value> {
    let (owner, function) = path.rsplit_once('.').unwrap_or(("", path));
    match (function, arguments.get(0).and_then(Value::exact)) {
        ("rmtree", _) if !owner.is_empty() => {
            let owner = Value::unknown(owner, arguments.span);
            Some(scan.method(owner, function, arguments))
        }
        ("call" | "bind", _) if scan.language.find(owner).is_some() => {
            Some(scan.invoke(Value::Name(owner.into()), arguments))
        }
        ("method", Some(name)) if owner.is_empty() => Some(Value::Name(name.into())),
        ("method", Some(name)) => Some(Value::Name(format!("{owner}.{name}").into())),
        ("method", None) => Some(scan.nothing()),
        _ => None,
    }
}

const METHODS: Methods = &[
    ("unlink delete", Given::Nothing, Op::Delete),
    ("rmdir", Given::Anything, Op::DeleteDirectory),
    ("rmtree", Given::Anything, Op::DeleteTree),
    ("write", Given::Anything, Op::Write),
    ("read readlines", Given::Anything, Op::Read),
    ("open", Given::Anything, Op::Own(open)),
];

const FUNCTIONS: Table = &[
    (" Process", "system exec spawn", Shell(Printed)),
    ("IO PTY", "popen spawn", Shell(Returned)),
    ("Open3", "capture2 capture2e capture3 popen2 popen2e popen3", Shell(Returned)),
    ("FileUtils", "rm_rf rm_r remove_entry remove_entry_secure rmtree remove_dir", DeleteTree),
    ("FileUtils", "rm rm_f remove safe_unlink", DeleteAll),
    ("File Pathname", "delete unlink", DeleteAll),
    ("Dir FileUtils", "delete rmdir unlink", DeleteDirectory),
    ("FileUtils File", "mv move rename", Move),
    ("FileUtils IO", "cp copy copy_file copy_stream install", CopyFile),
    ("FileUtils", "cp_r copy_entry", CopyTree),
    ("FileUtils File", "chmod chmod_R lchmod", Mode(1)),
    ("FileUtils File", "chown chown_R lchown", Owner(2)),
    ("File", "truncate", Truncate),
    ("FileUtils Dir", "mkdir mkdir_p makedirs touch", MakeDirectory),
    ("FileUtils File", "ln ln_s ln_sf symlink link", Link),
    ("File IO", "write binwrite", Write),
    (" File", "open new", Own(open)),
    ("IO", "sysopen", Own(open)),
    ("File IO", "read binread readlines foreach", Read),
    ("Dir", "glob []", Glob),
    ("Dir", "children entries each_child", Entries),
    ("Dir", "home", Home),
    ("Dir", "pwd getwd", Cwd),
    ("Dir", "chdir", Chdir),
    ("File", "join", Join),
    ("Pathname", "new", Join),
    ("", "Pathname URI", Join),
    ("File", "expand_path", Expand),
    ("URI", "parse", First),
    ("Net.HTTP", "get get_response get_print", Get(0)),
    ("Net.HTTP", "post post_form", Post(0)),
    ("Net.HTTP", "start new", Client),
    ("URI OpenURI", "open", Get(0)),
    ("HTTParty RestClient Faraday Excon HTTP", "get head", Get(0)),
    ("HTTParty RestClient Faraday Excon HTTP", "post put patch delete", Post(0)),
    ("TCPSocket Socket", "new open tcp", Connect),
    ("", "eval instance_eval class_eval", Eval),
    ("", "load", RunFile),
    ("Marshal YAML Psych", "load unsafe_load", Deserialise),
    ("Base64", "decode64 strict_decode64 urlsafe_decode64", Base64),
    ("Zlib.Inflate Zlib", "inflate gunzip", Opaque),
    (" Object", "send public_send __send__", Send),
    ("Object", "const_get", First),
    ("Process", "kill", Kill(1)),
    (" Process", "fork", Fork),
    ("Process.UID Process.Sys", "change_privilege setuid", SetUser),
    (" $stdout STDOUT", "puts print p pp printf write", Print),
    (" STDIN $stdin ARGF", "gets read readlines", Stdin),
    ("", "sprintf format", Format),
    ("ENV", "fetch", Environment),
    ("ENV", "to_h to_a each inspect map to_hash", AllEnvironment),
];
