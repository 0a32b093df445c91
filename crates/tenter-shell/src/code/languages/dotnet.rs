//! C# and F#: one library.

use super::literals::{character, doubled, long};
use super::{Declares, Definition, Functions, Lexicon, Library, Surrounding, Syntax};
use crate::code::calls::{delete_directory, entries, open, start_program, tree};
use crate::code::lex::{Lexer, TokenKind};
use crate::code::library::{Given, Methods, Op, Table};
use crate::code::strings::Style;
use crate::world::Language;

use Op::{
    Append, Base64, Chdir, Connect, CopyFile, Cwd, Delete, DeleteTree, Download, Environment,
    First, Format, Get, Join, MakeDirectory, Move, Own, Post, Print, Read, Temporary, Write,
};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("//", "\n"), ("/*", "*/"), ("(*", "*)"), ("#r", "\n"), ("#!", "\n")],
        string,
        ..Lexicon::BASE
    },
    syntax: Syntax {
        known_trees: true,
        declares: Some(Declares::TypeFirst),
        casts: true,
        word_logic: false,
        function_words: &[],
        keys: &[":"],
        members: &[".", "?."],
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
        surroundings: &[(&["args", "Args"], Surrounding::Arguments(&[]))],
        prefixes: &[
            "global.",
            "System.IO.",
            "System.Diagnostics.",
            "System.Net.Http.",
            "System.Net.Sockets.",
            "System.Net.",
            "System.",
            "IO.",
            "Microsoft.VisualBasic.",
        ],
        ..Library::BASE
    },
    ..Definition::new(Language::DotNet)
};

/// `@"x"`, `$"x {y}"`, `$@"x"`
fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    match (lexer.byte(0), lexer.byte(1), lexer.byte(2)) {
        (b'\'', _, _) => character(lexer),
        (b'@', b'"', _) => {
            lexer.at += 2;
            Some(doubled(lexer))
        }
        (b'$', b'"', _) => {
            lexer.at += 2;
            lexer.body("\"", None, Style::python(false, true));
            Some(TokenKind::Text)
        }
        (b'$', b'@', b'"') | (b'@', b'$', b'"') => {
            lexer.at += 3;
            lexer.body("\"", None, Style::python(true, true));
            Some(TokenKind::Text)
        }
        _ => long(lexer, Style::RAW),
    }
}

const METHODS: Methods = &[
    ("Delete", Given::Anything, DeleteTree),
    ("MoveTo", Given::Anything, Move),
    ("CopyTo", Given::Text, CopyFile),
    (
        "DownloadString DownloadData OpenRead GetStringAsync GetAsync GetByteArrayAsync",
        Given::Alone,
        Get(0),
    ),
    ("DownloadFile DownloadFileAsync", Given::Alone, Download),
    (
        "UploadString UploadData UploadValues UploadFile PostAsync PutAsync PostAsJsonAsync",
        Given::Alone,
        Post(0),
    ),
];

const FUNCTIONS: Table = &[
    ("Directory", "Delete", Own(delete_directory)),
    ("File FileSystem", "Delete DeleteFile", Delete),
    ("FileIO.FileSystem FileSystem", "DeleteDirectory", DeleteTree),
    ("", "DirectoryInfo FileInfo Uri", First),
    ("File", "WriteAllText WriteAllBytes WriteAllLines WriteAllTextAsync", Write),
    ("File", "Create OpenWrite CreateText", Own(create)),
    ("", "StreamWriter", Own(create)),
    ("", "FileStream", Own(open)),
    ("File", "Open", Own(open)),
    ("File", "AppendAllText AppendAllLines AppendText", Append),
    (
        "File",
        "ReadAllText ReadAllBytes ReadAllLines ReadLines OpenRead OpenText ReadAllTextAsync",
        Read,
    ),
    ("", "StreamReader", Read),
    ("File Directory", "Move", Move),
    ("File", "Copy", CopyFile),
    ("Directory", "CreateDirectory", MakeDirectory),
    (
        "Directory",
        "GetFiles GetDirectories EnumerateFiles EnumerateDirectories EnumerateFileSystemEntries GetFileSystemEntries",
        Own(entries),
    ),
    ("", "EnumerationOptions", Own(tree)),
    ("Process", "Start", Own(start_program)),
    ("", "ProcessStartInfo", Own(start_program)),
    ("Path", "Combine Join", Join),
    ("Path", "GetFullPath", First),
    ("Path Directory", "GetTempPath GetTempFileName CreateTempSubdirectory", Temporary),
    ("Environment", "GetEnvironmentVariable", Environment),
    ("Environment", "ExpandEnvironmentVariables", Op::Expand),
    ("Environment", "GetFolderPath", Own(super::c::folder)),
    ("Directory", "GetCurrentDirectory", Cwd),
    ("Directory", "SetCurrentDirectory", Chdir),
    ("", "TcpClient", Connect),
    ("Convert", "FromBase64String", Base64),
    ("Encoding.UTF8 Text.Encoding.UTF8 Encoding.ASCII", "GetString GetBytes", First),
    ("String string", "Format", Format),
    ("String string", "Concat", Own(crate::code::calls::concat)),
    ("Console", "WriteLine Write", Print),
    ("", "printfn printf", Print),
];

/// A file that is written from its start.
fn create(
    scan: &mut crate::code::scan::Scan<'_, '_, '_, '_>,
    arguments: &crate::code::value::Arguments,
) -> crate::code::value::Value {
    let span = arguments.span;
    let path = arguments.get(0).map(|path| path.field(span)).unwrap_or_default();
    scan.open_file(path, "w", arguments)
}
