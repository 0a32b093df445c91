//! Java, Kotlin, Groovy and Scala: one library, and names that do not clash.

use super::literals::long;
use super::{Declares, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::calls::{entries, tree, words};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Given, Methods, Op, Output, Table};
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    All, AllEnvironment, Append, Base64, Connect, CopyFile, Delete, DeleteTree, First, Format, Get,
    Join, JoinText, Link, MakeDirectory, Move, Own, Print, Read, Shell, Temporary, Write,
};
use Output::Returned;

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/"), ("#!", "\n")],
        double: Style::BARE,
        string,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        declares: Some(Declares::TypeFirst),
        casts: true,
        joining: &["resolve", "resolveSibling"],
        slash_joins: true,
        word_logic: false,
        function_words: &[],
        keys: &[":"],
        members: &[".", "?.", "::"],
        chains: &[".", "?."],
        bare_calls: super::BareCalls::BeforeText,
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
        methods: METHODS,
        surroundings: &[(&["args"], Surrounding::Arguments(&[]))],
        prefixes: &[
            "java.nio.file.",
            "java.io.",
            "java.lang.",
            "java.net.",
            "kotlin.io.",
            "kotlin.io.path.",
            "os.",
        ],
        method,
        words_run: true,
        ..Library::BASE
    },
    ..Definition::new(Language::Jvm)
};

fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    // Scala: `s"text"`
    if matches!(lexer.byte(0), b's' | b'f') && lexer.byte(1) == b'"' {
        lexer.at += 1;
    }
    if lexer.rest().starts_with("'''") {
        lexer.at += 3;
        lexer.body("'''", None, Style::PLAIN);
        return Some(TokenKind::Text);
    }
    long(lexer, Style::BARE)
}

fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    value: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    let span = arguments.span;
    match name {
        "execute" | "exec" | "lazyLines" => {
            let own = Arguments { list: vec![value.clone()], named: Vec::new(), span };
            Some(scan.shell(if arguments.list.is_empty() { &own } else { arguments }, Returned))
        }
        // Files of a folder stay what they are.
        "sorted" | "map" | "filter" | "sort" | "reversed" | "asSequence" | "listFiles" => {
            Some(value.clone())
        }
        _ => None,
    }
}

/// `System.getProperty("user.home")`
fn property(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let none = Arguments { span: arguments.span, ..Arguments::default() };
    match arguments.get(0).and_then(Value::exact) {
        Some("user.home") => scan.perform(Op::Home, &none),
        Some("user.dir") => scan.perform(Op::Cwd, &none),
        Some("java.io.tmpdir") => Value::text("/tmp", arguments.span),
        _ => scan.nothing(),
    }
}

const METHODS: Methods = &[
    ("delete deleteOnExit deleteIfExists", Given::Nothing, Delete),
    ("deleteDir deleteRecursively", Given::Anything, DeleteTree),
    ("writeText writeBytes setText", Given::Anything, Write),
    ("appendText append", Given::Text, Append),
    ("readText readLines readBytes getText", Given::Nothing, Read),
    ("copyTo copyRecursively", Given::Anything, CopyFile),
    ("renameTo", Given::Anything, Move),
    ("mkdirs mkdir", Given::Nothing, MakeDirectory),
    ("walk eachFileRecurse walkTopDown", Given::Anything, Own(tree)),
];

const FUNCTIONS: Table = &[
    ("*", "exec", Shell(Returned)),
    ("", "ProcessBuilder", Own(words)),
    ("sys.process scala.sys.process", "Process", Shell(Returned)),
    ("", "Process stringToProcess", Shell(Returned)),
    ("", "File Path Paths", Join),
    ("Path Paths FileSystems.getDefault", "of get getPath", Join),
    ("Files File", "delete deleteIfExists", Delete),
    ("FileUtils", "deleteDirectory forceDelete deleteQuietly cleanDirectory", DeleteTree),
    ("MoreFiles", "deleteRecursively", DeleteTree),
    ("remove", "all", DeleteTree),
    ("", "remove", Delete),
    ("Files", "walk walkFileTree find", Own(tree)),
    ("Files", "list newDirectoryStream", Own(entries)),
    ("Files", "write writeString", Write),
    ("", "FileWriter FileOutputStream PrintWriter RandomAccessFile", Own(writer)),
    ("Files", "newOutputStream newBufferedWriter", Own(writer)),
    ("Files", "readAllBytes readString readAllLines lines newInputStream", Read),
    ("", "FileInputStream FileReader Scanner", Read),
    ("Source scala.io.Source", "fromFile", Read),
    ("Files", "move", Move),
    ("Files", "copy", CopyFile),
    ("Files", "createSymbolicLink", Link),
    ("Files", "createDirectory createDirectories", MakeDirectory),
    ("Files File", "createTempDirectory createTempFile", Temporary),
    ("System", "getProperty", Own(property)),
    ("System", "getenv", Own(environment)),
    ("", "Socket", Connect),
    ("", "URL URI", First),
    ("URI", "create", First),
    ("HttpRequest", "newBuilder", Get(0)),
    ("", "arrayOf listOf mutableListOf List Seq Array Vector", All),
    ("Arrays", "asList", All),
    ("List Stream", "of", All),
    ("String", "format", Format),
    ("String", "join", Own(joined)),
    ("", "String", First),
    ("Base64.getDecoder", "decode", Base64),
    ("System.out", "println print printf", Print),
    ("", "println print", Print),
    ("String", "concat", JoinText),
];

/// A stream that writes a file.
fn writer(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    // Around another writer.
    if let Some(value @ Value::Object(..)) = arguments.get(0) {
        return value.clone();
    }
    let path = arguments.get(0).map(|path| path.field(span)).unwrap_or_default();
    let append = matches!(arguments.get(1), Some(Value::Name(name)) if &**name == "true");
    let reads = matches!(arguments.get(1).and_then(Value::exact), Some("r"));
    scan.open_file(
        path,
        if append {
            "a"
        } else if reads {
            "r"
        } else {
            "w"
        },
        arguments,
    )
}

fn environment(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let all = arguments.list.is_empty();
    scan.perform(if all { AllEnvironment } else { Op::Environment }, arguments)
}

/// `String.join(" ", "rm", "-rf")`
fn joined(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let Some(separator) = arguments.get(0).cloned() else { return scan.nothing() };
    let rest = arguments.list.get(1..).unwrap_or_default();
    let values: Vec<Value> = rest.iter().flat_map(Value::items).collect();
    crate::code::fold::join(&values, &separator, arguments.span)
}
