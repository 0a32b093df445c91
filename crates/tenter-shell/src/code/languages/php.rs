//! PHP.

use super::perl::use_module;
use super::{Backtick, BareCalls, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::acts::is_address;
use crate::code::fold;
use crate::code::library::{Op, Output, Table};
use crate::code::member::pattern;
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    AllEnvironment, Apply, Base64, Chdir, Chr, Client, Connect, CopyFile, CurlOption, Cwd, Delete,
    DeleteDirectory, Deserialise, Echo, Entries, Environment, Eval, EvalLast, First, Fork, Format,
    Glob, Hex, JoinText, Kill, Link, Lookup, Mail, MakeDirectory, Mode, Move, Opaque, Own, Owner,
    Program, Reverse, Rot13, RunFile, Send, SetUser, Shell, Show, Write,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/"), ("#", "\n")],
        single: Style::SINGLE,
        double: Style::DOLLARS,
        backtick: Backtick::Command,
        here_document: Some("<<<"),
        sigils: b"$",
        ..Lexicon::BASE
    },
    syntax: Syntax {
        keyword,
        primary,
        tuples: false,
        joins: &["."],
        function_words: &["function", "fn", "sub", "proc"],
        as_binds: true,
        bare_names_in_strings: true,
        members: &["->", "::", "?."],
        chains: &["->"],
        bare_calls: BareCalls::Statements,
        callable_texts: true,
        list_targets: &[("[", "]"), ("(", ")")],
        functions: Functions {
            followed: true,
            hoisted: true,
            arguments: Some("@_"),
            sigils: true,
            last_is_value: true,
            any_is_method: true,
            ..Syntax::BASE.functions
        },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        surroundings: &[
            (&["$_ENV", "$_SERVER"], Surrounding::Environment),
            (&["STDIN"], Surrounding::Stdin),
            (&["$argv"], Surrounding::Arguments(&["-"])),
        ],
        any_case: true,
        method,
        ..Library::BASE
    },
    ..Definition::new(Language::Php)
};

fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    match word {
        "use" | "namespace" => {
            use_module(scan);
            Some(true)
        }
        "assert" => Some(false),
        _ => None,
    }
}

/// `static function`, `static fn`
fn primary<'s>(scan: &mut Scan<'s, '_, '_, '_>, word: &'s str) -> Option<Value> {
    (word == "static" && matches!(scan.name_ahead(1), "function" | "fn")).then(|| {
        scan.at += 1;
        scan.primary()
    })
}

/// An entry of a folder is its path.
fn method(_: &mut Scan<'_, '_, '_, '_>, value: &Value, name: &str, _: &Arguments) -> Option<Value> {
    matches!(name, "getPathname" | "getRealPath" | "__toString").then(|| value.clone())
}

/// `new RecursiveDirectoryIterator($folder)`: all that is below.
fn tree(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let folder = arguments.get(0).cloned().unwrap_or_else(|| scan.nothing());
    let all = pattern(&Value::text("**", span), span);
    Value::List(vec![fold::path_join(folder, all, span)])
}

/// All arguments of the surrounding function.
fn given(scan: &mut Scan<'_, '_, '_, '_>, _: &Arguments) -> Value {
    scan.variable("@_").cloned().unwrap_or_else(|| scan.nothing())
}

/// `stream_context_create(['http' => $options])`: the options are those of a request.
fn context(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let options = arguments.option("http").or(arguments.option("https"));
    options.cloned().unwrap_or_else(|| scan.nothing())
}

/// `curl_setopt_array($c, [CURLOPT_URL => $url])`
fn curl_options(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let (Some(client), Some(Value::Map(options))) = (arguments.get(0), arguments.get(1)) else {
        return scan.nothing();
    };
    for (name, value) in options {
        let list = vec![client.clone(), Value::Name(name.as_str().into()), value.clone()];
        scan.perform(Op::CurlOption, &Arguments { list, named: Vec::new(), span });
    }
    scan.nothing()
}

/// A path, an address, or the input.
fn open(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let path = arguments.get(0).map(|value| value.field(arguments.span)).unwrap_or_default();
    if is_address(path.prefix()) {
        scan.perform(Op::Get(0), arguments)
    } else if path.prefix().starts_with("php://") {
        scan.perform(Op::Stdin, arguments)
    } else {
        scan.open(arguments)
    }
}

/// `fwrite($file, $text)`
fn write(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let Some(file) = arguments.get(0).cloned() else { return scan.nothing() };
    let list = arguments.list.get(1..2).unwrap_or_default().to_vec();
    scan.method(file, "write", &Arguments { list, named: Vec::new(), span: arguments.span })
}

const FUNCTIONS: Table = &[
    ("", "system passthru", Shell(Printed)),
    ("", "exec shell_exec popen proc_open", Shell(Returned)),
    ("", "pcntl_exec", Program(Printed)),
    ("", "unlink", Delete),
    ("", "rmdir", DeleteDirectory),
    ("", "rename move_uploaded_file", Move),
    ("", "copy", CopyFile),
    ("", "chmod", Mode(0)),
    ("", "chown chgrp", Owner(0)),
    ("", "file_put_contents", Write),
    ("", "file_get_contents file fopen simplexml_load_file", Own(open)),
    ("", "readfile", Show),
    ("", "fwrite fputs", Own(write)),
    ("", "mkdir touch", MakeDirectory),
    ("", "symlink link", Link),
    ("", "curl_init", Client),
    ("", "curl_setopt", CurlOption),
    ("", "curl_setopt_array", Own(curl_options)),
    ("", "stream_context_create", Own(context)),
    ("", "function_exists is_callable method_exists class_exists", First),
    ("", "func_get_args", Own(given)),
    ("", "recursivedirectoryiterator directoryiterator filesystemiterator", Own(tree)),
    ("", "recursiveiteratoriterator iteratoriterator iterator_to_array", First),
    ("", "mail", Mail),
    ("", "fsockopen pfsockopen stream_socket_client socket_connect", Connect),
    ("", "gethostbyname dns_get_record", Lookup),
    ("", "eval assert", Eval),
    ("", "create_function", EvalLast),
    ("", "include include_once require require_once", RunFile),
    ("", "unserialize", Deserialise),
    ("", "base64_decode", Base64),
    ("", "hex2bin", Hex),
    ("", "str_rot13", Rot13),
    ("", "strrev array_reverse", Reverse),
    ("", "gzinflate gzuncompress gzdecode", Opaque),
    ("", "chr", Chr),
    ("", "implode join", JoinText),
    ("", "sprintf", Format),
    ("", "call_user_func call_user_func_array", Send),
    ("", "array_map array_walk array_filter", Apply),
    ("", "echo print printf print_r var_dump var_export", Echo),
    ("", "glob", Glob),
    ("", "scandir", Entries),
    ("", "chdir", Chdir),
    ("", "getcwd", Cwd),
    ("", "getenv", Environment),
    ("", "phpinfo", AllEnvironment),
    ("", "posix_kill", Kill(0)),
    ("", "pcntl_fork", Fork),
    ("", "posix_setuid", SetUser),
    ("", "escapeshellarg json_encode urldecode trim", First),
];
