//! Places that no ordinary command names, and the options of programs that read or write the files they are given.

/// Password stores that no program is given in ordinary work.
pub(in crate::run) const STORES: &[&str] = &[
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/master.passwd",
    "/etc/security/opasswd",
    "\\etc\\shadow",
    "/Library/Keychains/",
    "/Cookies.binarycookies",
    "/Login Data",
    "/NoteStore.sqlite",
];

/// Programs that look at a file from the outside, search for the text, or say it.
pub(in crate::run) const OUTSIDE: &[&str] = &[
    "[",
    "[[",
    "ack",
    "ag",
    "apt-file",
    "auditctl",
    "ausearch",
    "basename",
    "cd",
    "chage",
    "chflags",
    "chgrp",
    "chmod",
    "chown",
    "codesign",
    "dirname",
    "dpkg",
    "du",
    "echo",
    "egrep",
    "eza",
    "exa",
    "expr",
    "export",
    "fd",
    "fdfind",
    "fgrep",
    "find",
    "getfacl",
    "git",
    "grep",
    "grpck",
    "inotifywait",
    "lsattr",
    "ln",
    "locate",
    "ls",
    "lsof",
    "mdfind",
    "mdls",
    "mkdir",
    "mv",
    "namei",
    "print",
    "printf",
    "pwck",
    "readlink",
    "realpath",
    "rg",
    "rm",
    "rpm",
    "sed",
    "setfacl",
    "stat",
    "test",
    "touch",
    "tree",
    "type",
    "which",
    "xattr",
    "jq",
    "gh",
    "fuser",
    "umount",
    "open",
];

/// Options of theirs, and of wrappers, whose value is a file that is read.
pub(in crate::run) const READING: &[(&str, &[&str])] = &[
    ("file", &["-f", "-m", "--files-from", "--magic-file"]),
    ("find", &["-files0-from"]),
    ("git", &["--no-index", "/dev/null"]),
    ("ltrace", &["-F"]),
    ("mount", &["-T"]),
    ("nmap", &["-iL"]),
    ("parallel", &["-a", "--arg-file"]),
    ("rake", &["-f"]),
    ("ssh", &["-F", "-E"]),
    ("strace", &["-P"]),
    ("tmux", &["-f"]),
    ("xargs", &["-a", "--arg-file"]),
];

/// Options, by their start, whose value is the file that a program writes.
pub(in crate::run) const OUTPUTS: &[&str] = &[
    "dump", "export", "junit", "log-file", "logfile", "Logfile", "out", "report", "save", "write",
];

/// Options and subcommands of one program before a file that it writes.
pub(in crate::run) const WRITERS: &[(&str, &[&str])] = &[
    ("arj", &["*"]),
    ("exiftool", &["-filename", "--filename", "-W", "-w", "-o"]),
    ("iptables-save", &["-f", "--file"]),
    ("logrotate", &["-l", "--log", "-s", "--state"]),
    ("lwp-download", &["*"]),
    ("mypy", &["--junit-xml"]),
    ("rlwrap", &["-l", "-H"]),
    ("rustdoc", &["-o"]),
    ("screen", &["-L", "-Logfile"]),
    ("smbclient", &["get"]),
    ("ssh-copy-id", &["-t"]),
    ("tar", &[]),
    ("tcpdump", &["-w"]),
    ("tsc", &["--outFile", "--outDir"]),
    ("update-alternatives", &["--install"]),
    ("virsh", &["--target", "--file"]),
    ("wget", &["-o", "-a", "--append-output"]),
];

/// Options whose value is a library that is loaded into the program.
pub(in crate::run) const LIBRARIES: &[(&str, &[&str])] = &[
    ("curl", &["--engine"]),
    ("ffmpeg", &["ladspa=file"]),
    ("mysql", &["--plugin-dir"]),
    ("openssl", &["-engine", "-provider-path"]),
    ("sqlite3", &[".load"]),
    ("ssh-add", &["-s"]),
    ("ssh-keygen", &["-D"]),
    ("strace", &["--libunwind"]),
    ("valgrind", &["--tool-path"]),
];

/// Where the system and its programs lie.
pub(in crate::run) const SYSTEM: &[&str] = &[
    "/etc/",
    "/usr/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/boot/",
    "/var/spool/",
    "/System/",
    "/Library/",
];

/// Files that decide what runs, as code names them.
pub(in crate::run) const DECIDING: &[&str] = &[
    "/etc/cron",
    "/etc/sudoers",
    "/etc/ld.so.",
    "/etc/profile",
    "/etc/systemd/",
    "/etc/init.d/",
    "/etc/pam.d/",
    "/var/spool/cron",
    "/Library/LaunchDaemons/",
    "/usr/bin/",
    "/usr/sbin/",
];

/// What stands before a path that code writes, and after the quote behind one.
pub(in crate::run) const WRITES_BEFORE: &[&str] = &[
    "FileWriter(",
    "FileOutputStream(",
    "PrintWriter(",
    "RandomAccessFile(",
    "openout",
    "(file >",
    "dump value ",
    "/save ",
    "save(",
    "writeFile(",
    "WriteFile(",
    "Create(",
    "create(",
    "file { ",
    "copy c:",
    ">c:",
    "redir >",
    "redir! >",
    "WriteAllText(",
    "to_csv(",
];
pub(in crate::run) const WRITES_AFTER: &[&str] = &[
    ", \"w",
    ",\"w",
    ", 'w",
    ",'w",
    ", \"a",
    ", 'a",
    ", os.O_",
    ": content",
    ": ensure",
    ": source",
];

/// Compilers and runners of languages that nobody follows.
pub(in crate::run) const BUILDERS: &[&str] = &[
    "cargo",
    "cobc",
    "crystal",
    "dart",
    "dotnet",
    "go",
    "java",
    "javac",
    "latexmk",
    "lualatex",
    "nim",
    "odin",
    "pdflatex",
    "rustc",
    "swift",
    "swiftc",
    "v",
    "xelatex",
    "zig",
    "ansible-playbook",
    "apt-get",
    "apt",
    "cmake",
    "bpftrace",
];

/// Programs that are known for other things, and are given code or instructions that nobody follows.
pub(in crate::run) const INSTRUCTED: &[&str] = &[
    "apache2",
    "apache2ctl",
    "apachectl",
    "dosbox",
    "dotnet",
    "expect",
    "ftp",
    "gdb",
    "gmake",
    "httpd",
    "jjs",
    "jrunscript",
    "jshell",
    "julia",
    "less",
    "lftp",
    "lldb",
    "make",
    "nginx",
    "octave",
    "octave-cli",
    "puppet",
    "sftp",
    "smbclient",
    "tclsh",
    "terraform",
    "virsh",
];

/// Programs that let somebody edit the files they are given.
pub(in crate::run) const EDITORS: &[&str] =
    &["ee", "emacs", "gvim", "joe", "micro", "nano", "nvim", "pico", "vi", "vim", "zile"];

/// Interactive programs that run a line that starts so in a shell.
pub(in crate::run) const ESCAPES: &[(&[&str], &[&str])] = &[
    (
        &[
            "asterisk",
            "debugfs",
            "ed",
            "ftp",
            "gdb",
            "ginsh",
            "gnuplot",
            "iftop",
            "ispell",
            "joe",
            "less",
            "lftp",
            "mail",
            "mailx",
            "more",
            "ncftp",
            "nmap",
            "opencode",
            "pg",
            "psftp",
            "sftp",
            "smbclient",
            "tasksh",
            "tdbtool",
            "telnet",
            "zathura",
        ],
        &["!", ":!", ":! "],
    ),
    (&["jtag", "scanmem", "gdb", "lldb"], &["shell ", "platform shell "]),
    (&["bconsole"], &["@exec "]),
    (&["m4"], &["esyscmd(", "syscmd("]),
];

/// Endings of documents.
pub(in crate::run) const DOCUMENTS: &[&str] =
    &["md", "txt", "rst", "adoc", "html", "json", "csv", "log", "patch", "diff"];
