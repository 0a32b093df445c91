//! Perl.

use super::{Backtick, Definition, Lexicon, Library, Surrounding, Syntax};
use crate::code::acts::Writing;
use crate::code::expr::missing;
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Thing, Value};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::value::{Field, Part};
use crate::world::Language;

use Op::{
    All, Base64, Chdir, Chr, Client, Connect, CopyFile, DeleteAll, DeleteDirectory, DeleteTrees,
    Download, Echo, Eval, First, Fork, Format, Get, Glob, JoinText, Kill, Link, MakeDirectory,
    Mode, Move, Own, Owner, Pack, Reverse, RunFile, SetUser, Shell, Show, Truncate,
};
use Output::Printed;

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        single: Style::SINGLE,
        double: Style::SIGILS,
        backtick: Backtick::Command,
        patterns: true,
        here_document: Some("<<"),
        string,
        sigils: b"$@",
        special_variables: b"_@!&0123456789",
        ..Lexicon::BASE
    },
    syntax: Syntax {
        keyword,
        topic: Some("$_"),
        trailing_conditions: true,
        tuples: false,
        joins: &["."],
        repeat_word: true,
        sigil_elements: true,
        bare_names_in_strings: true,
        members: &["->", "::", "?."],
        alone: |op| matches!(op, Op::DeleteAll | Op::DeleteDirectory | Op::Fork),
        argument_marks: &["<", "@", "\\", "%"],
        handles: true,
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[
            ("ENV $ENV %ENV", Surrounding::Environment),
            ("STDIN", Surrounding::Stdin),
            ("@ARGV $ARGV", Surrounding::Arguments(&[])),
        ],
        prefixes: &["CORE.GLOBAL.", "CORE."],
        words_run: true,
        ..Library::BASE
    },
    ..Definition::new(Language::Perl)
};

/// `q(...)`, `qx{...}`, `s/a/b/`
fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    let word = lexer.word().filter(|word| word.len() <= 2)?;
    let next = lexer.byte(word.len());
    if !matches!(word, "q" | "qq" | "qx" | "qw" | "qr" | "m" | "s" | "tr" | "y") {
        return None;
    }
    let spaces = lexer.rest().get(word.len()..)?.bytes().take_while(|byte| *byte == b' ').count();
    let open = lexer.byte(word.len() + spaces);
    let plain = open.is_ascii_punctuation() && !matches!(open, b',' | b';' | b')' | b'=')
        || open == b'='
            && next == b'='
            && lexer.byte(word.len() + 1) != b'='
            && lexer.byte(word.len() + 1) != b'>';
    if !plain || (spaces > 0 && !matches!(open, b'(' | b'{' | b'[' | b'/')) {
        return None;
    }
    lexer.at += word.len() + spaces + 1;
    let (kind, style) = match word {
        "q" => (TokenKind::Text, Style::SINGLE),
        "qx" => (TokenKind::Command, Style::SIGILS),
        "qq" => (TokenKind::Text, Style::SIGILS),
        "qw" => (TokenKind::Words, Style::SINGLE),
        _ => (TokenKind::Pattern, Style::RAW_ESCAPED),
    };
    lexer.delimited(open, style);
    if matches!(word, "s" | "tr" | "y") {
        if matches!(open, b'(' | b'{' | b'[' | b'<') {
            while lexer.byte(0).is_ascii_whitespace() {
                lexer.at += 1;
            }
            let open = lexer.byte(0);
            lexer.at += 1;
            lexer.delimited(open, style);
        } else {
            lexer.delimited(open, style);
        }
    }
    if kind == TokenKind::Pattern {
        while lexer.byte(0).is_ascii_alphabetic() {
            lexer.at += 1;
        }
    }
    Some(kind)
}

fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    match word {
        "use" | "no" => {
            use_module(scan);
            Some(true)
        }
        "do" if scan.ahead(1).is_some_and(|next| next.kind == TokenKind::Text) => Some(false),
        _ => None,
    }
}

/// `use Module qw(names);` opens the module.
pub(super) fn use_module(scan: &mut Scan<'_, '_, '_, '_>) {
    scan.at += 1;
    let mut path = String::new();
    while let Some(token) = scan.token() {
        if token.kind == TokenKind::Line || token.text == ";" {
            break;
        }
        match token.kind {
            TokenKind::Name if path.is_empty() || path.ends_with('.') => {
                path.push_str(token.text);
            }
            TokenKind::Mark if token.text == "::" => path.push('.'),
            _ => {}
        }
        scan.at += 1;
    }
    scan.open_module(&path);
}

/// `open(F, "<file")`, `open(F, '>', $file)`, `open(F, "cmd |")`, `open(F, '-|', @cmd)`
fn open(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let mode = arguments.get(1).map_or_else(|| missing(arguments), |value| value.field(span));
    let rest = arguments.list.get(2..).unwrap_or_default();
    let handle = opened_as(arguments).unwrap_or_default();
    let text = mode.prefix().trim_start().to_owned();
    let command = if rest.is_empty() {
        let piped = mode.suffix().trim_end().ends_with('|');
        text.starts_with('|')
            .then(|| mode.without_prefix(mode.prefix().find('|').unwrap_or(0) + 1))
            .flatten()
            .or_else(|| piped.then(|| without_bar(&mode)))
    } else {
        None
    };
    let value = if let Some(command) = command.clone().filter(|_| text.starts_with('|')) {
        // What is printed to the handle later is its input.
        let index = i64::try_from(scan.writing.len()).unwrap_or(i64::MAX);
        let content = Stream::empty();
        let kind = Kind::Write;
        scan.writing.push(Writing { file: command, kind, content, said: false, command: true });
        Value::Object(Thing::Writer, Box::new(Value::Number(index)))
    } else if let Some(command) = command {
        let list = vec![Value::Text(command)];
        scan.shell(&Arguments { list, named: Vec::new(), span }, Output::Returned)
    } else if text.contains('|') && !rest.is_empty() {
        scan.shell(&Arguments { list: rest.to_vec(), named: Vec::new(), span }, Output::Returned)
    } else if let Some(path) = rest.first() {
        let path = path.field(span);
        scan.open_file(path, text.trim_start_matches('+'), arguments)
    } else if text.contains('&') {
        // A descriptor put in place of another.
        scan.found.shell = true;
        scan.nothing()
    } else {
        let marks =
            mode.prefix().len() - mode.prefix().trim_start_matches(['<', '>', '+', ' ']).len();
        let path = mode.without_prefix(marks).unwrap_or_else(|| missing(arguments));
        scan.open_file(path, &text, arguments)
    };
    if !handle.is_empty() {
        scan.assign(&handle, value.clone());
    }
    value
}

fn opened_as(arguments: &Arguments) -> Option<String> {
    match arguments.get(0)? {
        Value::Name(name) => Some(name.to_string()),
        Value::Text(field) => match field.parts.as_slice() {
            [Part::Unknown(unknown)] => Some(format!("${}", unknown.name)),
            _ => None,
        },
        _ => None,
    }
}

/// `sysopen(F, $file, O_WRONLY)`
fn system_open(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(1..).unwrap_or_default().to_vec();
    let after = Arguments { list, named: Vec::new(), span: arguments.span };
    let path = after.get(0).map_or_else(|| missing(&after), |path| path.field(after.span));
    let value = scan.open_file(path, scan.flagged(&after), &after);
    if let Some(handle) = opened_as(arguments) {
        scan.assign(&handle, value.clone());
    }
    value
}

fn without_bar(field: &Field) -> Field {
    let mut field = field.clone();
    if let Some(Part::Text { text, .. }) = field.parts.last_mut() {
        let length = text.trim_end().trim_end_matches('|').len();
        text.truncate(length);
    }
    field
}

const FUNCTIONS: Table = &[
    ("", "system exec", Shell(Printed)),
    ("", "unlink", DeleteAll),
    ("", "rmdir", DeleteDirectory),
    (" File.Path", "rmtree remove_tree", DeleteTrees),
    ("", "rename", Move),
    (" File.Copy", "move mv", Move),
    (" File.Copy", "copy cp", CopyFile),
    ("", "chmod", Mode(1)),
    ("", "chown", Owner(2)),
    ("", "truncate", Truncate),
    (" File.Path", "mkdir mkpath make_path", MakeDirectory),
    ("", "symlink link", Link),
    ("", "kill", Kill(1)),
    ("", "fork", Fork),
    ("", "open", Own(open)),
    ("", "sysopen", Own(system_open)),
    ("", "eval", Eval),
    ("", "do require", RunFile),
    ("", "glob", Glob),
    ("", "chdir", Chdir),
    ("", "print say printf", Echo),
    ("", "connect", Connect),
    ("", "inet_aton", First),
    ("", "sockaddr_in pack_sockaddr_in", All),
    ("IO.Socket.INET IO.Socket.INET6 IO.Socket.SSL IO.Socket.IP", "new", Connect),
    ("LWP.Simple", "get head", Get(0)),
    (" LWP.Simple", "getprint", Show),
    (" LWP.Simple", "getstore mirror", Download),
    ("LWP.UserAgent HTTP.Tiny", "new", Client),
    ("POSIX", "setuid", SetUser),
    (" MIME.Base64", "decode_base64 MIME.Base64.decode", Base64),
    ("", "pack", Pack),
    ("", "join", JoinText),
    ("", "reverse", Reverse),
    ("", "chr", Chr),
    ("", "sprintf", Format),
    ("", "lc uc scalar keys values sort each", First),
];
