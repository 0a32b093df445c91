//! Python.

use super::{
    BareCalls, Blocks, Conditional, Definition, Functions, Lexicon, Library, Surrounding, Syntax,
};
use crate::code::fold;
use crate::code::lex::{Lexer, TokenKind, is_name};
use crate::code::library::{Given, Methods, Op, Output, Table};
use crate::code::member::pattern;
use crate::code::scan::Scan;
use crate::code::strings::Style;
use crate::code::value::{Arguments, Value};
use crate::world::Language;

use Op::{
    Apply, Attribute, Base64, Chdir, Chr, Client, Codec, Connect, CopyFile, CopyTree, Cwd, Delete,
    DeleteDirectory, DeleteTree, Deserialise, Download, Duplicate, Entries, Environment, Eval,
    ExecL, ExecV, Expand, Fetch, First, Fork, Get, Glob, Hex, Home, Import, Join, Kill, Link,
    Lookup, MakeDirectory, Mode, Move, Opaque, Open, Owner, Post, Print, Reverse, RunFile, SetUser,
    Shell, Socket, Split, Stdin, Temporary, Thread, Truncate, Unpack, UnpackAll, Upload, Walk,
    Words,
};
use Output::{Printed, Returned};

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon { string, ..Lexicon::BASE },
    syntax: Syntax {
        blocks: Blocks::Indented,
        keyword,
        conditional: Conditional::Words,
        slash_joins: true,
        adjacent_strings: true,
        function_words: &["function"],
        keys: &["=", ":", "=>"],
        comprehensions: true,
        bare_calls: BareCalls::Named(&["print", "exec"]),
        functions: Functions { followed: true, ..Syntax::BASE.functions },
        ..Syntax::BASE
    },
    library: Library {
        functions: FUNCTIONS,
        methods: METHODS,
        surroundings: &[
            (&["os.environ", "os.environb"], Surrounding::Environment),
            (&["sys.stdin"], Surrounding::Stdin),
            (&["sys.executable"], Surrounding::Text("python3")),
            (&["sys.argv"], Surrounding::Arguments(&["-c"])),
        ],
        prefixes: &["builtins.", "__builtins__.", "__builtin__.", "sys.modules."],
        simplify,
        invoke,
        method,
        import_is_whole: true,
        repository: &["Repo("],
        ..Library::BASE
    },
    ..Definition::new(Language::Python)
};

/// `r'...'`, `f"..."`, and strings in three quotes.
fn string(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    let length = (0..2).take_while(|ahead| is_name(lexer.byte(*ahead))).count();
    let quote = lexer.byte(length);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let prefix = lexer.rest().get(..length)?.to_ascii_lowercase();
    if !prefix.bytes().all(|byte| b"rbfut".contains(&byte)) {
        return None;
    }
    let three = lexer.byte(length + 1) == quote && lexer.byte(length + 2) == quote;
    let close = match (quote, three) {
        (b'"', true) => "\"\"\"",
        (b'"', false) => "\"",
        (_, true) => "'''",
        (_, false) => "'",
    };
    lexer.at += length + close.len();
    let style = Style::python(prefix.contains('r'), prefix.contains(['f', 't']));
    lexer.body(close, None, style);
    Some(TokenKind::Text)
}

fn keyword(scan: &mut Scan<'_, '_, '_, '_>, word: &str) -> Option<bool> {
    match word {
        "import" => import(scan),
        "from" => from(scan),
        _ => return None,
    }
    Some(true)
}

fn import(scan: &mut Scan<'_, '_, '_, '_>) {
    scan.at += 1;
    while let Some(path) = dotted(scan) {
        if scan.name_ahead(0) == "as" {
            let alias = scan.name_ahead(1);
            scan.at += 2;
            scan.assign(alias, Value::Name(path.into()));
        }
        if !scan.take_mark(",") {
            break;
        }
    }
}

fn dotted(scan: &mut Scan<'_, '_, '_, '_>) -> Option<String> {
    let first = scan.name_ahead(0);
    if first.is_empty() {
        return None;
    }
    scan.at += 1;
    let mut path = first.to_owned();
    while scan.is_mark(".") && !scan.name_ahead(1).is_empty() {
        path.push('.');
        path.push_str(scan.name_ahead(1));
        scan.at += 2;
    }
    Some(path)
}

fn from(scan: &mut Scan<'_, '_, '_, '_>) {
    scan.at += 1;
    let Some(module) = dotted(scan) else {
        return;
    };
    if scan.name_ahead(0) != "import" {
        return;
    }
    scan.at += 1;
    if scan.take_mark("*") {
        scan.open_module(&module);
        return;
    }
    let parenthesis = scan.take_mark("(");
    loop {
        if parenthesis {
            scan.skip_lines();
        }
        let name = scan.name_ahead(0);
        if name.is_empty() {
            break;
        }
        scan.at += 1;
        let mut alias = name;
        if scan.name_ahead(0) == "as" {
            alias = scan.name_ahead(1);
            scan.at += 2;
        }
        scan.assign(alias, Value::Name(format!("{module}.{name}").into()));
        if !scan.take_mark(",") {
            break;
        }
    }
}

fn simplify(path: &str) -> String {
    if path.contains("__") {
        return path.replace(".__dict__", "").replace(".__wrapped__", "");
    }
    path.to_owned()
}

/// Something unknown that has the methods of a path.
fn invoke(scan: &mut Scan<'_, '_, '_, '_>, path: &str, arguments: &Arguments) -> Option<Value> {
    let (owner, function) = path.rsplit_once('.').filter(|(owner, _)| !owner.is_empty())?;
    matches!(function, "unlink" | "rmdir").then(|| {
        let owner = Value::unknown(owner, arguments.span);
        scan.method(owner, function, arguments)
    })
}

/// Methods of paths that give paths, or take one.
fn method(
    scan: &mut Scan<'_, '_, '_, '_>,
    value: &Value,
    name: &str,
    arguments: &Arguments,
) -> Option<Value> {
    let span = arguments.span;
    let first =
        |scan: &Scan<'_, '_, '_, '_>| arguments.get(0).cloned().unwrap_or_else(|| scan.nothing());
    Some(match name {
        "symlink_to" | "hardlink_to" => {
            let list = vec![first(scan), value.clone()];
            scan.perform(Op::Link, &Arguments { list, named: Vec::new(), span })
        }
        "glob" | "rglob" => {
            let found = pattern(&first(scan), span);
            let base = if name == "rglob" {
                fold::path_join(value.clone(), pattern(&Value::text("**", span), span), span)
            } else {
                value.clone()
            };
            fold::path_join(base, found, span)
        }
        "iterdir" => {
            let entry = Value::unknown("…", span);
            Value::List(vec![fold::path_join(value.clone(), entry, span)])
        }
        _ => return None,
    })
}

const METHODS: Methods = &[
    ("unlink", Given::Nothing, Op::Delete),
    // A function of C, of a library that `ctypes` has loaded: a path has no such arguments.
    ("unlink", Given::Text, Op::Delete),
    ("extractall", Given::Alone, Op::UnpackAll),
    ("rename", Given::Two, Op::Move),
    ("symlink link", Given::Two, Op::Link),
    ("truncate creat", Given::Text, Op::Truncate),
    ("rmdir", Given::Anything, Op::DeleteDirectory),
    ("open", Given::Anything, Op::Open),
    ("rename replace", Given::Anything, Op::Move),
    ("chmod", Given::Anything, Op::Mode(0)),
    ("mkdir touch", Given::Anything, Op::MakeDirectory),
    ("expanduser", Given::Anything, Op::Expand),
];

const FUNCTIONS: Table = &[
    ("os posix nt *", "system", Shell(Printed)),
    ("*", "exec_command", Shell(Returned)),
    ("os posix platform", "popen popen2 popen3 popen4", Shell(Returned)),
    ("subprocess", "run call check_call Popen", Shell(Printed)),
    ("subprocess commands", "check_output getoutput getstatusoutput", Shell(Returned)),
    ("asyncio", "create_subprocess_shell", Shell(Printed)),
    ("asyncio", "create_subprocess_exec", Words),
    ("pty pexpect", "spawn run", Shell(Printed)),
    ("os", "execv execvp execve execvpe posix_spawn posix_spawnp", ExecV(0)),
    ("os", "spawnv spawnvp spawnve spawnvpe", ExecV(1)),
    ("os", "execl execlp execle execlpe", ExecL(0)),
    ("os", "spawnl spawnlp spawnle spawnlpe", ExecL(1)),
    ("os posix", "remove unlink", Delete),
    ("os posix", "rmdir removedirs", DeleteDirectory),
    ("shutil *", "rmtree", DeleteTree),
    ("os", "rename renames replace", Move),
    ("shutil", "move", Move),
    ("shutil", "copy copy2 copyfile", CopyFile),
    ("py_compile", "compile", CopyFile),
    ("shutil", "copytree", CopyTree),
    ("shutil", "unpack_archive", Unpack),
    ("*", "extractall", UnpackAll),
    ("os", "chmod lchmod", Mode(0)),
    ("os shutil", "chown lchown", Owner(0)),
    ("os", "truncate", Truncate),
    ("os", "mkdir makedirs", MakeDirectory),
    ("os", "symlink link", Link),
    ("os", "listdir scandir", Entries),
    ("os", "walk fwalk", Walk),
    ("os", "kill killpg", Kill(0)),
    ("os", "fork forkpty", Fork),
    ("os", "dup2", Duplicate),
    ("os", "setuid seteuid setreuid setresuid", SetUser),
    ("os", "chdir", Chdir),
    ("os", "getcwd getcwdu", Cwd),
    ("os", "getenv", Environment),
    ("os.path", "join", Join),
    ("os.path", "expanduser", Expand),
    ("os.path", "abspath realpath normpath expandvars", First),
    ("pathlib ", "Path PurePath PosixPath", Join),
    ("pathlib.Path Path", "home", Home),
    ("tempfile ", "mkdtemp TemporaryDirectory", Temporary),
    ("pathlib.Path Path", "cwd", Cwd),
    ("glob", "glob iglob", Glob),
    (" io codecs os", "open", Open),
    ("requests httpx", "get head options", Get(0)),
    ("requests httpx", "post put patch delete", Post(0)),
    ("requests httpx", "request", Get(1)),
    ("requests httpx aiohttp", "Session session Client AsyncClient ClientSession", Client),
    ("urllib.request urllib urllib2", "urlopen", Fetch),
    ("urllib.request urllib2", "Request", Fetch),
    ("urllib.request urllib", "urlretrieve", Download),
    ("wget", "download", Download),
    ("http.client httplib", "HTTPConnection HTTPSConnection", Client),
    ("*", "upload_file upload_fileobj upload_from_filename fput_object", Upload),
    ("smtplib ftplib telnetlib paramiko", "SMTP SMTP_SSL FTP FTP_TLS Telnet", Client),
    ("socket", "socket", Socket),
    ("socket", "create_connection", Connect),
    ("socket", "gethostbyname getaddrinfo gethostbyname_ex", Lookup),
    (" builtins", "eval exec", Eval),
    ("", "execfile", RunFile),
    ("runpy", "run_path", RunFile),
    ("", "compile", First),
    ("", "__import__", Import),
    ("importlib", "import_module __import__", Import),
    ("", "getattr", Attribute),
    ("", "map filter", Apply),
    ("threading multiprocessing", "Thread Process Timer", Thread),
    ("pickle cPickle marshal dill cloudpickle joblib", "loads load", Deserialise),
    (" sys.stdout", "print write", Print),
    ("", "input raw_input", Stdin),
    ("base64", "b64decode urlsafe_b64decode standard_b64decode decodebytes decodestring", Base64),
    ("binascii", "a2b_base64", Base64),
    ("binascii", "unhexlify a2b_hex", Hex),
    ("bytes bytearray", "fromhex", Hex),
    ("codecs", "decode", Codec),
    ("zlib gzip bz2 lzma", "decompress", Opaque),
    ("base64", "b85decode a85decode b32decode b16decode", Opaque),
    ("", "chr unichr bytes bytearray", Chr),
    ("", "str repr list tuple sorted dict set iter next", First),
    ("json", "dumps", First),
    ("pprint", "pprint", Print),
    ("", "reversed", Reverse),
    ("shlex", "split", Split),
    ("shlex", "quote", First),
];
