//! C, C++ and Objective-C.

use super::literals::{character, hashed};
use super::{Declares, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::calls::{concat, entries, open, start_program, tree, walk, write};
use crate::code::fold;
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    Chdir, CopyTree, Cwd, Delete, DeleteDirectory, DeleteTree, Duplicate, Environment, ExecL,
    ExecV, Expand, First, Fork, Home, Kill, Link, MakeDirectory, Mode, Move, Own, Owner, Print,
    Read, SetUser, Shell, Truncate,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[
            ("//", "\n"),
            ("/*", "*/"),
            ("#include", "\n"),
            ("#import", "\n"),
            ("#pragma", "\n"),
        ],
        string,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        keyword,
        primary,
        declares: Some(Declares::TypeFirst),
        casts: true,
        messages: true,
        joining: &["stringByAppendingPathComponent", "URLByAppendingPathComponent", "append"],
        slash_joins: true,
        adjacent_strings: true,
        word_logic: false,
        function_words: &[],
        keys: &[],
        members: &[".", "->", "::"],
        bare_calls: super::BareCalls::Named(&[]),
        functions: Functions { followed: true, hoisted: true, ..Syntax::BASE.functions },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[(&["argv"], Surrounding::Arguments(&["main"]))],
        prefixes: &["std."],
        ..Library::BASE
    },
    ..Definition::new(Language::C)
};

/// `L"x"`, `u8"x"`, `@"x"`, `R"(x)"`
fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    let skip = match (lexer.byte(0), lexer.byte(1)) {
        (b'\'', _) => return character(lexer),
        (b'R', b'"') if lexer.byte(2) == b'(' => {
            lexer.at += 3;
            lexer.body(")\"", None, Style::RAW);
            return Some(TokenKind::Text);
        }
        (b'R', b'"') => return hashed(lexer, 1),
        (b'@' | b'L' | b'u' | b'U', b'"') => 2,
        _ => return None,
    };
    lexer.at += skip;
    lexer.body("\"", None, Style::PLAIN);
    Some(TokenKind::Text)
}

/// `#define NAME value`
fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    let before = scan.at.checked_sub(1).and_then(|at| scan.tokens.get(at));
    if word != "define" || before.is_none_or(|before| before.text != "#") {
        return None;
    }
    let name = scan.name_ahead(1);
    scan.at += 2;
    let value = scan.expression();
    scan.assign(name, value);
    Some(true)
}

/// Functions that fill a buffer: `snprintf(path, n, "%s/x", home)`.
fn primary<'s>(scan: &mut Scan<'s, '_, '_, '_>, word: &'s str) -> Option<Value> {
    if !matches!(
        word,
        "sprintf"
            | "snprintf"
            | "strcpy"
            | "strcat"
            | "stpcpy"
            | "strncpy"
            | "strncat"
            | "strlcpy"
            | "strlcat"
    ) {
        return None;
    }
    let name = scan.name_ahead(2);
    if scan.mark_ahead(1) != "(" || name.is_empty() {
        return None;
    }
    scan.at += 2;
    let arguments = scan.items(")");
    // The size follows the buffer, but for copies.
    let texts = |at: &usize| arguments.get(*at).is_some_and(|value| value.exact().is_some());
    let at = if word == "snprintf" { (1..5).find(texts).unwrap_or(2) } else { 1 };
    let span = arguments.span;
    let text = arguments.get(at)?.clone();
    let value = if word.contains("printf") {
        fold::format(&text, arguments.list.get(at + 1..).unwrap_or_default(), span)
    } else if word.contains("cat") {
        let before = scan.variable(name).cloned().unwrap_or_else(|| Value::text("", span));
        before.concat(text, span)
    } else {
        text
    };
    scan.assign(name, value.clone());
    Some(value)
}

/// `NSSearchPathForDirectoriesInDomains(NSDocumentDirectory, ...)`
pub(super) fn folder(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let which = arguments.get(0).map(|value| value.field(span).shown()).unwrap_or_default();
    let which = which.to_ascii_lowercase();
    let home = scan.perform(Op::Home, &Arguments { span, ..Arguments::default() });
    let names = ["documents", "desktop", "downloads", "pictures", "music", "library", "movies"];
    let found = names.iter().find(|name| which.contains(name.trim_end_matches('s')));
    match found {
        Some(name) => {
            let mut letters = name.chars();
            let first = letters.next().unwrap_or_default().to_ascii_uppercase();
            let name = format!("{first}{}", letters.as_str());
            fold::path_join(home, Value::text(name, span), span)
        }
        None if which.contains("profile") || which.contains("personal") => home,
        None => scan.nothing(),
    }
}

const FUNCTIONS: Table = &[
    ("", "system _wsystem", Shell(Printed)),
    ("", "popen _popen", Shell(Returned)),
    ("", "execl execlp execle", ExecL(0)),
    ("", "execv execvp execve execvpe", ExecV(0)),
    ("", "posix_spawn posix_spawnp", Own(spawn)),
    ("", "WinExec CreateProcessA CreateProcessW ShellExecuteA", Own(concat_run)),
    ("", "unlink remove _unlink DeleteFileA DeleteFileW DeleteFile", Delete),
    ("", "unlinkat", Own(second)),
    ("", "rmdir _rmdir RemoveDirectoryA RemoveDirectoryW", DeleteDirectory),
    ("", "nftw ftw", Own(walk)),
    ("", "opendir", Own(entries)),
    ("filesystem fs experimental.filesystem", "remove_all", DeleteTree),
    ("", "remove_all", DeleteTree),
    ("filesystem fs", "remove", Delete),
    ("filesystem fs", "rename", Move),
    ("filesystem fs", "copy", CopyTree),
    ("filesystem fs", "create_directory create_directories", MakeDirectory),
    ("filesystem fs", "directory_iterator", Own(entries)),
    ("filesystem fs", "recursive_directory_iterator", Own(tree)),
    ("filesystem fs", "path", First),
    ("filesystem fs", "current_path", Cwd),
    ("", "string to_string", First),
    ("", "fopen fopen64 freopen", Op::Open),
    ("", "open open64 _open", Own(open)),
    ("", "ofstream fstream", Own(stream)),
    ("", "ifstream", Read),
    ("", "write fwrite fputs fprintf dprintf", Own(write_last)),
    ("", "rename", Move),
    ("", "truncate", Truncate),
    ("", "chmod", Mode(0)),
    ("", "chown lchown", Owner(0)),
    ("", "symlink link", Link),
    ("", "mkdir", MakeDirectory),
    ("", "chdir", Chdir),
    ("", "getenv secure_getenv", Environment),
    ("", "NSHomeDirectory", Home),
    ("", "strdup", First),
    ("", "NSSearchPathForDirectoriesInDomains", Own(folder)),
    ("", "getcwd", Cwd),
    ("", "dup2", Duplicate),
    ("", "inet_addr", Op::Connect),
    ("", "inet_pton", Own(address)),
    ("", "kill", Kill(0)),
    ("", "fork", Fork),
    ("", "setuid seteuid setreuid", SetUser),
    ("", "printf puts NSLog", Print),
    ("*", "removeItemAtPath removeItemAtURL trashItemAtURL", DeleteTree),
    ("*", "moveItemAtPath moveItemAtURL", Move),
    ("*", "fileURLWithPath stringWithString stringWithUTF8String URLWithString", First),
    ("*", "stringWithFormat initWithFormat", Op::Format),
    (
        "*",
        "stringWithContentsOfFile dataWithContentsOfFile contentsAtPath initWithContentsOfFile",
        Read,
    ),
    ("*", "writeToFile", Own(crate::code::calls::write_to)),
    ("*", "createFileAtPath", Op::Write),
    ("*", "launchedTaskWithLaunchPath", Own(start_program)),
    ("*", "setLaunchPath setExecutableURL", Own(program)),
    ("*", "setArguments", Own(task_words)),
    ("", "wordexp", Expand),
    ("", "absl.StrCat StrCat", Own(concat)),
    ("", "wcscpy", First),
];

/// `dprintf(fd, text)` and `fwrite(text, 1, n, file)`
fn write_last(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    write(scan, arguments)
}

/// `posix_spawn(&pid, path, NULL, NULL, argv, environ)`
fn spawn(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = [arguments.get(1), arguments.get(4)].into_iter().flatten().cloned().collect();
    scan.perform(ExecV(0), &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// The command of `WinExec` and its like: the first text.
fn concat_run(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let texts = arguments.list.iter().filter(|value| value.exact().is_some_and(|it| it.len() > 4));
    let list = texts.cloned().collect();
    start_program(scan, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// `unlinkat(folder, path, flags)`
fn second(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(1..2).unwrap_or_default().to_vec();
    scan.perform(Delete, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// `inet_pton(AF_INET, "address", &to)`
fn address(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(1..2).unwrap_or_default().to_vec();
    scan.perform(Op::Connect, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// `std::ofstream("x")` overwrites it.
fn stream(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let appends = arguments.get(1).is_some_and(|mode| mode.field(span).shown().contains("app"));
    let path = arguments.get(0).map(|path| path.field(span)).unwrap_or_default();
    scan.open_file(path, if appends { "a" } else { "w" }, arguments)
}

/// `[task setLaunchPath: path]`
fn program(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    if let Some(value) = arguments.get(0) {
        scan.notice_member("launchPath", value);
    }
    scan.nothing()
}

/// `[task setArguments: list]`
fn task_words(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    if let Some(value) = arguments.get(0) {
        scan.notice_member("arguments", value);
    }
    scan.nothing()
}
