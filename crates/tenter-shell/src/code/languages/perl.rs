//! Perl.

use super::{Backtick, Definition, Functions, Lexicon, Library, Scope, Surrounding, Syntax};
use crate::code::acts::Writing;
use crate::code::expr::missing;
use crate::code::fold;
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::member::pattern;
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

/// Maximum number of folders of a search.
const MAX_FOLDERS: usize = 16;

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
        primary,
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
        list_targets: &[("(", ")")],
        defined_or: true,
        arrow_calls: true,
        functions: Functions {
            followed: true,
            hoisted: true,
            arguments: Some("@_"),
            sigils: true,
            own: Scope::Declared(&["my", "local"]),
            last_is_value: true,
            bare: true,
            ampersand: true,
            any_is_method: true,
            itself: &["$self", "$class", "$this", "$proto", "$invocant"],
        },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[
            (&["ENV", "$ENV", "%ENV"], Surrounding::Environment),
            (&["STDIN"], Surrounding::Stdin),
            (&["@ARGV", "$ARGV"], Surrounding::Arguments(&[])),
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

/// Functions that change a list, or read a block for each of its values.
fn primary<'s>(scan: &mut Scan<'s, '_, '_, '_>, word: &'s str) -> Option<Value> {
    let next = scan.mark_ahead(1);
    match word {
        "shift" | "pop" if next != "=>" => Some(taken(scan, word)),
        "push" | "unshift" => added(scan, word),
        "print" | "say" | "printf" if next == "{" => Some(print_to(scan)),
        "map" | "grep" | "sort" | "first" | "any" if next == "{" => over_block(scan, word),
        "$File" if next == "::" && scan.name_ahead(2) == "Find" => {
            let name = format!("$File::Find::{}", scan.name_ahead(4));
            scan.at += 5;
            Some(scan.variable(&name).cloned().unwrap_or_else(|| scan.nothing()))
        }
        _ => None,
    }
}

/// `print {$file} "text"`
fn print_to(scan: &mut Scan<'_, '_, '_, '_>) -> Value {
    scan.at += 2;
    let file = scan.expression();
    scan.take_mark("}");
    let mut arguments = scan.bare_items();
    arguments.list.insert(0, file);
    scan.perform(Op::Echo, &arguments)
}

/// `shift`, `shift @list`, `pop(@list)`
fn taken(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Value {
    scan.at += 1;
    let parenthesis = scan.take_mark("(");
    let name = scan.name_ahead(0);
    let mut list = if scan.variable("@_").is_some() { "@_" } else { "@ARGV" };
    if name.starts_with('@') {
        list = name;
        scan.at += 1;
    }
    let value = match scan.mark_ahead(0) {
        "@" => return scan.expression().element(scan.span_from(scan.at)),
        _ => scan.resolve(list),
    };
    if parenthesis {
        scan.take_mark(")");
    }
    let span = scan.span_from(scan.at.saturating_sub(1));
    let Value::List(mut values) = value else {
        return Value::unknown_from(value.flow(), span);
    };
    let item = match word {
        _ if values.is_empty() && list == "@ARGV" => return scan.nothing(),
        _ if values.is_empty() => return Value::text("", span),
        "pop" => values.pop(),
        _ => Some(values.remove(0)),
    };
    scan.assign(list, Value::List(values));
    item.unwrap_or_else(|| scan.nothing())
}

/// `push @list, $value`
fn added(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<Value> {
    let parenthesis = usize::from(scan.mark_ahead(1) == "(");
    let name = scan.name_ahead(1 + parenthesis);
    if !name.starts_with('@') || scan.mark_ahead(2 + parenthesis) != "," {
        return None;
    }
    scan.at += 3 + parenthesis;
    let more = if parenthesis == 1 { scan.items(")") } else { scan.bare_items() };
    let more = Value::List(more.list);
    let span = scan.span_from(scan.at.saturating_sub(1));
    let before = scan.variable(name).cloned().map(|before| match before {
        // A list of one is kept as what is in it.
        Value::Text(_) | Value::Number(_) => Value::List(vec![before]),
        before => before,
    });
    let value = match before {
        Some(before) if word == "push" => before.concat(more, span),
        Some(before) => more.concat(before, span),
        None => more,
    };
    scan.assign(name, value.clone());
    Some(value)
}

/// `map { ... } @list`: the block is read with what the list holds.
fn over_block(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<Value> {
    let block = scan.at + 1;
    let end = scan.past_group(block)?;
    if !scan.enter() {
        return Some(scan.nothing());
    }
    scan.at = end;
    let values = Value::List(scan.bare_items().list);
    let after = scan.at;
    let element = values.element(scan.span_from(block));
    let outer = scan.variable("$_").cloned();
    scan.assign("$_", element.clone());
    scan.at = block;
    let result = match scan.braces() {
        Value::Map(mut entries) => entries.pop().map(|(_, value)| value),
        _ => None,
    };
    scan.at = after;
    restore(scan, outer);
    scan.leave();
    Some(match word {
        "map" => Value::List(result.into_iter().collect()),
        "grep" | "sort" => values,
        _ => element,
    })
}

fn restore(scan: &mut Scan<'_, '_, '_, '_>, topic: Option<Value>) {
    match topic {
        Some(topic) => scan.assign("$_", topic),
        None => scan.forget("$_"),
    }
}

/// `find(\&wanted, '/dir')`: the function is called for all that is below.
fn find(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let function = match arguments.get(0) {
        Some(Value::Map(_)) => arguments.option("wanted"),
        other => other,
    };
    let Some(function) = function.cloned() else { return scan.nothing() };
    let outer = scan.variable("$_").cloned();
    for folder in arguments.list.iter().skip(1).take(MAX_FOLDERS) {
        let all = pattern(&Value::text("**", span), span);
        let found = fold::path_join(folder.clone(), all, span);
        scan.assign("$File::Find::name", found.clone());
        scan.assign("$File::Find::dir", folder.clone());
        scan.assign("$_", found);
        scan.invoke(function.clone(), &Arguments { span, ..Arguments::default() });
    }
    restore(scan, outer);
    scan.nothing()
}

/// `HTTP::Request->new(POST => $url, $headers, $body)`: in the order of `request`.
fn request(_: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let named = arguments
        .named
        .first()
        .map(|(method, url)| [Value::text(method.as_str(), arguments.span), url.clone()]);
    Value::List(named.into_iter().flatten().chain(arguments.list.iter().cloned()).collect())
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
        // Later output to the handle becomes its input.
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
    ("", "shell", Shell(Printed)),
    ("", "run", Own(crate::code::calls::words)),
    ("", "dir", Own(crate::code::calls::entries)),
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
    ("LWP.UserAgent HTTP.Tiny WWW.Mechanize", "new", Client),
    ("HTTP.Request", "new", Own(request)),
    (" File.Find", "find finddepth", Own(find)),
    ("POSIX", "setuid", SetUser),
    (" MIME.Base64", "decode_base64 MIME.Base64.decode", Base64),
    ("", "pack", Pack),
    ("", "join", JoinText),
    ("", "reverse", Reverse),
    ("", "chr", Chr),
    ("", "sprintf", Format),
    ("", "lc uc scalar keys values sort each", First),
];
