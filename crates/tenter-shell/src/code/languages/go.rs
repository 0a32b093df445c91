//! Go.

use super::literals::character;
use super::{Conditional, Declares, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::calls::{dial, entries, open, walk, words, words_after};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::Value;
use crate::world::Language;

use Op::{
    AllEnvironment, Base64, Chdir, Cwd, Delete, DeleteTree, Environment, ExecV, First, Format, Get,
    Hex, Home, Join, JoinText, Link, MakeDirectory, Mode, Move, Own, Owner, Post, Print, Read,
    Temporary, Truncate, Write,
};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon { comments: &[("//", "\n"), ("/*", "*/")], string, ..Lexicon::BASE },
    syntax: Syntax {
        keyword,
        known_trees: true,
        declares: Some(Declares::NameFirst),
        conditional: Conditional::None,
        word_logic: false,
        function_words: &[],
        keys: &[":"],
        members: &["."],
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
        surroundings: &[(&["os.Args"], Surrounding::Arguments(&["main"]))],
        ..Library::BASE
    },
    ..Definition::new(Language::Go)
};

/// `import name "path/of/package"`
fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    if word != "import" {
        return None;
    }
    scan.at += 1;
    let several = scan.take_mark("(");
    while let Some(token) = scan.token().filter(|token| token.text != ")") {
        if token.kind == TokenKind::Line && !several {
            break;
        }
        let alias = token.kind == TokenKind::Name;
        if let Some(path) = scan.ahead(1).filter(|path| alias && path.kind == TokenKind::Text) {
            let module = path.text.trim_matches(['"', '`']).rsplit('/').next().unwrap_or_default();
            scan.assign(token.text, Value::Name(module.into()));
            scan.at += 1;
        }
        scan.at += 1;
        if !several && token.kind != TokenKind::Line {
            break;
        }
    }
    Some(true)
}

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match lexer.byte(0) {
        b'`' => {
            lexer.at += 1;
            lexer.body("`", None, Style::RAW);
            Some(TokenKind::Text)
        }
        _ => character(lexer),
    }
}

const FUNCTIONS: Table = &[
    ("exec", "Command", Own(words)),
    ("exec", "CommandContext", Own(words_after)),
    ("syscall unix", "Exec", ExecV(0)),
    ("os", "StartProcess", ExecV(0)),
    ("os", "RemoveAll", DeleteTree),
    ("os syscall unix", "Remove Unlink Rmdir", Delete),
    ("os ioutil", "WriteFile", Write),
    ("os", "Create", Write),
    ("os syscall unix", "OpenFile Open", Own(open)),
    ("os ioutil", "ReadFile", Read),
    ("os", "Rename", Move),
    ("os", "Truncate", Truncate),
    ("os", "Chmod", Mode(0)),
    ("os", "Chown", Owner(0)),
    ("os", "Symlink Link", Link),
    ("os", "Mkdir MkdirAll", MakeDirectory),
    ("os ioutil", "MkdirTemp TempDir CreateTemp TempFile", Temporary),
    ("os ioutil", "ReadDir", Own(entries)),
    ("filepath fs", "Walk WalkDir", Own(walk)),
    ("filepath", "Glob", Op::Glob),
    ("filepath path", "Join", Join),
    ("filepath path", "Clean Abs FromSlash ToSlash", First),
    ("os", "UserHomeDir", Home),
    ("os", "Getenv LookupEnv ExpandEnv", Environment),
    ("os", "Environ", AllEnvironment),
    ("os", "Getwd", Cwd),
    ("os", "Chdir", Chdir),
    ("net tls", "Dial DialTimeout DialTCP", Own(dial)),
    ("http", "Get", Get(0)),
    ("http", "Post PostForm", Post(0)),
    ("http", "NewRequest", Get(1)),
    ("fmt log", "Println Print Printf", Print),
    ("fmt", "Sprintf", Format),
    ("fmt", "Sprint", Own(crate::code::calls::concat)),
    ("strings", "Join", JoinText),
    ("strings bytes", "NewReader NewBufferString TrimSpace", First),
    ("io ioutil", "ReadAll", First),
    ("base64.StdEncoding base64.URLEncoding base64.RawStdEncoding", "DecodeString", Base64),
    ("hex", "DecodeString", Hex),
    ("", "string", First),
];
