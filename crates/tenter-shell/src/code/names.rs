//! Which functions of which language do what.

use crate::world::Language;

/// What a function does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Runs shell text, or a program if it gets a list or several texts. Returned: the output goes
    /// to the caller, not to standard output.
    Shell(Output),
    /// A program and a list of its arguments.
    Program(Output),
    /// A program at this argument, then its argument vector as a list.
    ExecV(u8),
    /// The same with the vector spread out.
    ExecL(u8),
    /// Every argument is a word of a command.
    Words,
    /// The first argument is a file to delete.
    Delete,
    /// Every argument is.
    DeleteAll,
    DeleteDirectory,
    DeleteTree,
    /// Options say whether whole trees.
    Remove,
    /// Path and content.
    Write,
    Append,
    /// Path and mode; in Perl and Ruby maybe a pipe.
    Open,
    /// A handle, the path, and flags that are numbers.
    SysOpen,
    Read,
    Move,
    CopyFile,
    /// The same with all that is in it.
    CopyTree,
    /// An archive, and the directory it is unpacked into.
    Unpack,
    /// The directory that an open archive is unpacked into.
    UnpackAll,
    /// Which argument is the first path.
    Mode(u8),
    Owner(u8),
    Truncate,
    MakeDirectory,
    Link,
    /// Entries of a directory.
    Entries,
    Walk,
    Glob,
    /// Which argument is the address.
    Get(u8),
    Post(u8),
    /// Method and body are in the options.
    Fetch,
    Download,
    Connect,
    Socket,
    Client,
    Lookup,
    CurlOption,
    Mail,
    /// A file, then where it goes.
    Upload,
    /// Prints what is in a file or at an address.
    Show,
    Kill,
    Fork,
    Duplicate,
    SetUser,
    Eval(u8),
    EvalLast,
    RunFile,
    Deserialise,
    Import,
    Attribute,
    /// A function is given by value or name, then what it is called with.
    Apply,
    Thread,
    Send,
    Print,
    Stdin,
    Environment,
    AllEnvironment,
    Chdir,
    Cwd,
    Home,
    /// A new folder or file among the temporary ones.
    Temporary,
    Join,
    Expand,
    /// The value of the first argument.
    First,
    /// All arguments as a list.
    All,
    Base64,
    Hex,
    Rot13,
    Codec,
    /// Decompressed or decrypted: what comes out is not known.
    Opaque,
    Buffer,
    Chr,
    Reverse,
    Format,
    JoinText,
    Pack,
    Split,
    PercentDecode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Printed,
    Returned,
}

use Op::{
    All, AllEnvironment, Append, Apply, Attribute, Base64, Buffer, Chdir, Chr, Client, Codec,
    Connect, CopyFile, CopyTree, CurlOption, Cwd, Delete, DeleteAll, DeleteDirectory, DeleteTree,
    Deserialise, Download, Duplicate, Entries, Environment, Eval, EvalLast, ExecL, ExecV, Expand,
    Fetch, First, Fork, Format, Get, Glob, Hex, Home, Import, Join, JoinText, Kill, Link, Lookup,
    Mail, MakeDirectory, Mode, Move, Opaque, Open, Owner, Pack, PercentDecode, Post, Print,
    Program, Read, Remove, Reverse, Rot13, RunFile, Send, SetUser, Shell, Show, Socket, Split,
    Stdin, SysOpen, Temporary, Thread, Truncate, Unpack, UnpackAll, Upload, Walk, Words, Write,
};
use Output::{Printed, Returned};

/// Modules, functions in them, and what these do. Several of each are separated by spaces; no
/// module means a function of the language itself, `*` means any.
type Table = &'static [(&'static str, &'static str, Op)];

const PYTHON: Table = &[
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
    ("os", "kill killpg", Kill),
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
    (" builtins", "eval exec", Eval(0)),
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

const JAVASCRIPT: Table = &[
    ("child_process", "exec", Shell(Returned)),
    ("child_process", "spawn execFile fork", Program(Returned)),
    (" execa", "execa execaNode", Program(Returned)),
    (" execa", "execaCommand", Shell(Returned)),
    ("shelljs shell", "exec", Shell(Returned)),
    ("shelljs shell", "rm", DeleteAll),
    ("*", "doShellScript", Shell(Returned)),
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
    ("fs", "mkdtemp", Temporary),
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
    ("", "eval", Eval(0)),
    ("", "Function", EvalLast),
    ("vm", "runInThisContext runInNewContext runInContext Script compileFunction", Eval(0)),
    ("", "require import", Import),
    ("", "setTimeout setInterval setImmediate", First),
    ("process Deno", "kill", Kill),
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

const PERL: Table = &[
    ("", "system exec", Shell(Printed)),
    ("", "unlink", DeleteAll),
    ("", "rmdir", DeleteDirectory),
    (" File.Path", "rmtree remove_tree", DeleteTree),
    ("", "rename", Move),
    (" File.Copy", "move mv", Move),
    (" File.Copy", "copy cp", CopyFile),
    ("", "chmod", Mode(1)),
    ("", "chown", Owner(2)),
    ("", "truncate", Truncate),
    (" File.Path", "mkdir mkpath make_path", MakeDirectory),
    ("", "symlink link", Link),
    ("", "kill", Kill),
    ("", "fork", Fork),
    ("", "open", Open),
    ("", "sysopen", SysOpen),
    ("", "eval", Eval(0)),
    ("", "do require", RunFile),
    ("", "glob", Glob),
    ("", "chdir", Chdir),
    ("", "print say printf", Print),
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

const RUBY: Table = &[
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
    (" File", "open new", Open),
    ("IO", "sysopen", Open),
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
    ("", "eval instance_eval class_eval", Eval(0)),
    ("", "load", RunFile),
    ("Marshal YAML Psych", "load unsafe_load", Deserialise),
    ("Base64", "decode64 strict_decode64 urlsafe_decode64", Base64),
    ("Zlib.Inflate Zlib", "inflate gunzip", Opaque),
    (" Object", "send public_send __send__", Send),
    ("Object", "const_get", First),
    ("Process", "kill", Kill),
    (" Process", "fork", Fork),
    ("Process.UID Process.Sys", "change_privilege setuid", SetUser),
    (" $stdout STDOUT", "puts print p pp printf write", Print),
    (" STDIN $stdin ARGF", "gets read readlines", Stdin),
    ("", "sprintf format", Format),
    ("ENV", "fetch", Environment),
    ("ENV", "to_h to_a each inspect map to_hash", AllEnvironment),
];

const PHP: Table = &[
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
    ("", "file_get_contents file fopen simplexml_load_file", Open),
    ("", "readfile", Show),
    ("", "mkdir touch", MakeDirectory),
    ("", "symlink link", Link),
    ("", "curl_init", Client),
    ("", "curl_setopt", CurlOption),
    ("", "mail", Mail),
    ("", "fsockopen pfsockopen stream_socket_client socket_connect", Connect),
    ("", "gethostbyname dns_get_record", Lookup),
    ("", "eval assert", Eval(0)),
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
    ("", "echo print printf print_r var_dump var_export", Print),
    ("", "glob", Glob),
    ("", "scandir", Entries),
    ("", "chdir", Chdir),
    ("", "getcwd", Cwd),
    ("", "getenv", Environment),
    ("", "phpinfo", AllEnvironment),
    ("", "posix_kill", Kill),
    ("", "pcntl_fork", Fork),
    ("", "posix_setuid", SetUser),
    ("", "escapeshellarg json_encode urldecode trim", First),
];

const LUA: Table = &[
    ("os", "execute", Shell(Printed)),
    ("io vim.fn", "popen system", Shell(Returned)),
    ("os", "remove", Delete),
    ("lfs", "rmdir", DeleteDirectory),
    ("vim.fn", "delete", Remove),
    ("os", "rename", Move),
    ("io", "open", Open),
    ("io", "lines", Read),
    ("", "load loadstring", Eval(0)),
    ("", "dofile loadfile", RunFile),
    (" io", "print write", Print),
    ("io", "read", Stdin),
    ("os", "getenv", Environment),
    ("lfs", "mkdir", MakeDirectory),
    ("lfs", "chdir", Chdir),
    ("", "require", Import),
    ("socket", "tcp", Socket),
    ("socket", "connect", Connect),
    ("socket.http http", "request", Get(0)),
    ("string", "char", Chr),
    ("string", "reverse", Reverse),
    ("string", "format", Format),
    ("table", "concat", JoinText),
];

/// R, Julia, Elixir, Erlang, Lisps, Groovy, Scala, Haskell together: the names do not clash.
const OTHER: Table = &[
    ("", "system shell run pipeline callCommand readProcess Process", Shell(Printed)),
    ("", "shell-command shell-command-to-string async-shell-command process", Shell(Printed)),
    ("", "call-process-shell-command compile", Shell(Printed)),
    ("", "call-process process-file system* process* start-process make-process", Words),
    ("", "system2", Program(Returned)),
    ("System", "cmd", Program(Returned)),
    ("System sys.process System.Process", "shell Process system callCommand", Shell(Printed)),
    ("os", "cmd", Shell(Returned)),
    ("*", "exec", Shell(Returned)),
    ("", "delete-file", Delete),
    ("", "delete-directory", DeleteTree),
    ("", "rename-file", Move),
    ("", "copy-file", CopyFile),
    ("", "unlink rm delete", Remove),
    ("file", "remove delete", DeleteAll),
    ("fs", "file_delete dir_delete", DeleteAll),
    ("File Files", "rm rm! delete deleteIfExists", Delete),
    ("File FileUtils", "rm_rf rm_rf! deleteDirectory", DeleteTree),
    ("File", "write write!", Write),
    ("File", "read read!", Read),
    ("", "readLines readRDS read-file insert-file-contents find-file", Read),
    ("", "writeLines", Append),
    ("", "mv", Move),
    ("", "cp", CopyFile),
    ("", "chmod", Mode(0)),
    ("", "source include load load-file", RunFile),
    ("*", "source_url", RunFile),
    ("install", "packages", RunFile),
    ("", "eval parse", First),
    ("download", "file", Download),
    ("Downloads", "download", Download),
    ("", "url download", Get(0)),
    ("", "print cat println message display", Print),
    ("", "setwd cd", Chdir),
    ("Sys", "getenv", Environment),
];

fn table(language: Language) -> Table {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
        Language::Perl => PERL,
        Language::Ruby => RUBY,
        Language::Php => PHP,
        Language::Lua => LUA,
        _ => OTHER,
    }
}

/// What the function of this full name does.
pub(super) fn find(language: Language, path: &str) -> Option<Op> {
    let (module, function) = path.rsplit_once('.').unwrap_or(("", path));
    let folded;
    let function = if language == Language::Php {
        folded = function.to_ascii_lowercase();
        folded.as_str()
    } else {
        function
    };
    let node = language == Language::JavaScript;
    // Only files and processes have functions whose names end like this, whoever they are called by.
    let (module, function) = match function.strip_suffix("Sync").filter(|_| node) {
        Some("exec" | "spawn" | "execFile") => ("child_process", function.trim_end_matches("Sync")),
        Some(function) if module == "rimraf" || function == "rimraf" => ("rimraf", "rimraf"),
        Some("" | "glob") => (module, function),
        Some(function) if !matches!(module, "zlib" | "Deno") => ("fs", function),
        Some(function) => (module, function),
        None if node && module == "rimraf" && function == "sync" => ("rimraf", "rimraf"),
        None => (module, function),
    };
    let function =
        if node && module == "fs" && function == "remove" { "removeTree" } else { function };
    let named = |names: &str, name: &str| names.split(' ').any(|known| known == name);
    table(language)
        .iter()
        .find(|(modules, functions, _)| {
            named(functions, function)
                && (named(modules, module) || (!module.is_empty() && named(modules, "*")))
        })
        .map(|(_, _, op)| *op)
}

/// Leaves out what makes no difference: `global.`, `builtins.`, `.promises`, `node:`.
pub(super) fn plain(language: Language, path: &str) -> String {
    let mut path = path;
    let prefixes: &[&str] = match language {
        Language::Python => &["builtins.", "__builtins__.", "__builtin__.", "sys.modules."],
        Language::JavaScript => &[
            "globalThis.",
            "global.",
            "window.",
            "process.mainModule.",
            "module.",
            "node:",
            "self.",
        ],
        Language::Perl => &["CORE.GLOBAL.", "CORE."],
        Language::Ruby => &["Kernel.", "Object.", "self."],
        Language::Lua => &["_G.", "_ENV."],
        _ => &[],
    };
    while let Some(rest) = prefixes.iter().find_map(|prefix| path.strip_prefix(prefix)) {
        path = rest;
    }
    if language != Language::JavaScript && !path.contains("__") {
        return path.to_owned();
    }
    path.replace("fs/promises", "fs")
        .replace("fs.promises", "fs")
        .replace("fs-extra", "fs")
        .replace("graceful-fs", "fs")
        .replace("dns/promises", "dns")
        .replace(".default", "")
        .replace(".__dict__", "")
        .replace(".__wrapped__", "")
}
