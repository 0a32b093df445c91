//! JavaScript and TypeScript, as Node, Deno and Bun run them.

use super::{
    Backtick, BareCalls, Definition, Functions, Lexicon, Library, Scope, Surrounding, Syntax,
};
use crate::code::lex::TokenKind;
use crate::code::library::{Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    AllEnvironment, Append, Attribute, Base64, Buffer, Chdir, Chr, Connect, CopyFile, CopyTree,
    Cwd, Delete, DeleteAll, DeleteTree, Entries, Environment, Eval, EvalLast, Fetch, First, Get,
    Glob, Home, Import, Join, Kill, Link, Lookup, MakeDirectory, Mode, Move, Opaque, Open, Owner,
    PercentDecode, Post, Print, Program, Read, Remove, SetUser, Shell, Socket, Temporary,
    TemporaryAt, Truncate, Write,
};
use Output::Returned;

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/")],
        backtick: Backtick::Template,
        patterns: true,
        sigils: b"$",
        dollar_is_letter: true,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        keyword,
        tuples: false,
        annotations: true,
        word_logic: false,
        function_words: &["function"],
        arrows: true,
        shorthand: true,
        keys: &[":"],
        chains: &[".", "?."],
        bare_calls: BareCalls::Templates,
        functions: Functions {
            followed: true,
            own: Scope::Declared(&["const", "let", "var"]),
            last_is_value: true,
            ..Syntax::BASE.functions
        },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[
            (&["process.env", "Bun.env"], Surrounding::Environment),
            (&["process.stdin", "Deno.stdin", "Bun.stdin"], Surrounding::Stdin),
            (&["__dirname"], Surrounding::Text(".")),
            (&["process.execPath"], Surrounding::Text("node")),
            (&["process.argv", "Bun.argv"], Surrounding::Arguments(&["node"])),
            (&["Deno.args"], Surrounding::Arguments(&[])),
        ],
        prefixes: &[
            "globalThis.",
            "global.",
            "window.",
            "process.mainModule.",
            "module.",
            "node:",
            "self.",
        ],
        simplify,
        alias,
        method,
        repository: &["simple-git", "simpleGit"],
        ..Library::BASE
    },
    ..Definition::new(Language::JavaScript)
};

/// `Application("Finder").delete(Path("x"))`
fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    _: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    let finder = name == "delete" && scan.code.text.contains("Application(");
    finder.then(|| scan.perform(DeleteTree, arguments))
}

fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    match word {
        "import" if !matches!(scan.mark_ahead(1), "(" | ".") => import(scan),
        "const" | "let" | "var" if matches!(scan.mark_ahead(1), "{" | "[") => {
            scan.at += 1;
            destructure(scan);
        }
        _ => return None,
    }
    Some(true)
}

/// `import a, {b as c} from 'm'`, `import * as d from 'm'`
fn import(scan: &mut Scan<'_, '_, '_, '_>) {
    scan.at += 1;
    let mut names: Vec<(&str, &str)> = Vec::new();
    while let Some(token) = scan.token() {
        match token.kind {
            TokenKind::Name if token.text == "from" => {}
            TokenKind::Name if scan.name_ahead(1) == "as" => {
                names.push((token.text, scan.name_ahead(2)));
                scan.at += 2;
            }
            TokenKind::Name => names.push((token.text, token.text)),
            TokenKind::Mark if token.text == "*" && scan.name_ahead(1) == "as" => {
                names.push(("*", scan.name_ahead(2)));
                scan.at += 2;
            }
            TokenKind::Mark if matches!(token.text, "{" | "}" | ",") => {}
            TokenKind::Line => {}
            _ => break,
        }
        scan.at += 1;
    }
    let braces = |name: &str| name != "*";
    let value = scan.primary();
    let module = value.exact().unwrap_or_default();
    let module = scan.language.plain(module);
    for (name, alias) in names {
        // `import fs from 'fs'` names the module itself.
        let whole = !braces(name)
            || name == alias
                && name != "$"
                && scan.language.find(&format!("{module}.{name}")).is_none();
        let path = if whole { module.clone() } else { format!("{module}.{name}") };
        scan.assign(alias, Value::Name(path.into()));
    }
}

/// `const {a, b: c} = value`, `const [a, b] = value`
fn destructure(scan: &mut Scan<'_, '_, '_, '_>) {
    let mut names: Vec<(&str, &str)> = Vec::new();
    let by_name = scan.is_mark("{");
    scan.at += 1;
    while let Some(token) = scan.token() {
        scan.at += 1;
        match token.kind {
            TokenKind::Mark if matches!(token.text, "}" | "]") => break,
            TokenKind::Name if scan.is_mark(":") && !scan.name_ahead(1).is_empty() => {
                names.push((token.text, scan.name_ahead(1)));
                scan.at += 2;
            }
            TokenKind::Name => names.push((token.text, token.text)),
            _ => {}
        }
    }
    if !scan.take_mark("=") {
        return;
    }
    let value = scan.assignment();
    let span = scan.span_from(scan.at);
    for (index, (name, alias)) in names.into_iter().enumerate() {
        let item = match &value {
            Value::List(values) if !by_name => values.get(index).cloned(),
            _ => None,
        };
        let item = item.unwrap_or_else(|| scan.member(value.clone(), name, span));
        scan.assign(alias, item);
    }
}

fn simplify(path: &str) -> String {
    path.replace("fs/promises", "fs")
        .replace("fs.promises", "fs")
        .replace("fs-extra", "fs")
        .replace("graceful-fs", "fs")
        .replace("dns/promises", "dns")
        .replace(".default", "")
}

/// `unlinkSync` is `unlink`. Only files and processes have functions whose names end like this,
/// whatever they are called by.
fn alias<'n>(module: &'n str, function: &'n str) -> (&'n str, &'n str) {
    let (module, function) = match function.strip_suffix("Sync") {
        Some("exec" | "spawn" | "execFile") => ("child_process", function.trim_end_matches("Sync")),
        Some(function) if module == "rimraf" || function == "rimraf" => ("rimraf", "rimraf"),
        Some("" | "glob") => (module, function),
        Some(function) if !matches!(module, "zlib" | "Deno") => ("fs", function),
        Some(function) => (module, function),
        None if module == "rimraf" && function == "sync" => ("rimraf", "rimraf"),
        None => (module, function),
    };
    if module == "fs" && function == "remove" { (module, "removeTree") } else { (module, function) }
}

const FUNCTIONS: Table = &[
    ("child_process", "exec", Shell(Returned)),
    ("child_process", "spawn execFile fork", Program(Returned)),
    (" execa", "execa execaNode", Program(Returned)),
    (" execa", "execaCommand", Shell(Returned)),
    ("shelljs shell", "exec", Shell(Returned)),
    ("shelljs shell", "rm", DeleteAll),
    ("*", "doShellScript", Shell(Returned)),
    (
        "*",
        "removeItemAtPathError removeItemAtURLError trashItemAtURLResultingItemURLError",
        DeleteTree,
    ),
    ("*", "DeleteFolder", DeleteTree),
    ("*", "DeleteFile", Delete),
    ("$ $.NSString ObjC", "stringWithString unwrap NSString", First),
    ("$", "NSHomeDirectory", Home),
    ("$", "system", Shell(Returned)),
    ("$.NSURL", "fileURLWithPath", First),
    ("", "Path", First),
    ("fs Deno", "rm remove rmdir", Remove),
    ("fs", "unlink", Delete),
    ("fs", "removeTree emptyDir", DeleteTree),
    ("rimraf", "rimraf native manual moveRemove", DeleteTree),
    ("", "rimraf", DeleteTree),
    ("fs Deno Bun", "writeFile writeTextFile outputFile outputJson write", Write),
    ("fs", "createWriteStream", Write),
    ("fs", "appendFile", Append),
    ("fs Deno", "readFile readTextFile createReadStream readJson", Read),
    ("Bun", "file", Read),
    ("fs Deno", "open", Open),
    ("fs Deno", "rename move", Move),
    ("fs Deno", "copyFile", CopyFile),
    ("fs Deno", "cp copy", CopyTree),
    ("fs Deno", "chmod lchmod", Mode(0)),
    ("fs Deno", "chown lchown", Owner(0)),
    ("fs Deno", "truncate", Truncate),
    ("fs Deno", "mkdir ensureDir", MakeDirectory),
    ("fs", "mkdtemp", TemporaryAt),
    ("os", "tmpdir", Temporary),
    ("fs Deno", "symlink link", Link),
    ("fs Deno", "readdir readDir", Entries),
    ("fs glob", "glob", Glob),
    ("", "glob", Glob),
    ("Deno", "Command run", Program(Returned)),
    ("Bun", "spawn", Shell(Returned)),
    ("Deno.env", "toObject", AllEnvironment),
    ("Deno.env", "get", Environment),
    ("", "fetch axios got", Fetch),
    ("axios got http https", "get head", Get(0)),
    ("axios got", "post put patch delete", Post(0)),
    ("http https", "request", Fetch),
    ("navigator", "sendBeacon", Post(0)),
    ("net tls http2", "connect createConnection", Connect),
    ("", "WebSocket", Connect),
    ("net", "Socket", Socket),
    ("dns", "lookup resolve resolve4 resolveTxt", Lookup),
    ("", "eval", Eval),
    ("", "Function", EvalLast),
    ("vm", "runInThisContext runInNewContext runInContext Script compileFunction", Eval),
    ("", "require import", Import),
    ("", "setTimeout setInterval setImmediate", First),
    ("process Deno", "kill", Kill(0)),
    ("process Deno", "chdir", Chdir),
    ("process Deno", "cwd", Cwd),
    ("process", "setuid seteuid", SetUser),
    ("os", "homedir", Home),
    ("path", "join resolve", Join),
    ("console", "log info debug table dir", Print),
    ("process.stdout", "write", Print),
    ("", "atob", Base64),
    ("Buffer", "from", Buffer),
    ("String", "fromCharCode fromCodePoint", Chr),
    ("", "unescape decodeURIComponent decodeURI", PercentDecode),
    ("zlib", "gunzip inflate brotliDecompress unzip", Opaque),
    ("JSON", "stringify", First),
    ("Object", "entries keys values assign fromEntries", First),
    ("", "String Array", First),
    ("Array", "from of", First),
    ("Reflect", "get", Attribute),
];
