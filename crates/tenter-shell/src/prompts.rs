//! Detects programs that run commands typed into them.

use crate::analysis::Ran;
use crate::value::Field;

/// A program that reads commands when started without any.
struct Prompt {
    names: &'static [&'static str],
    /// Options with a value.
    valued: &'static str,
    /// Options that provide commands, or start nothing. Long options by name.
    given: &'static str,
    given_long: &'static [&'static str],
    /// Number of operands that provide the commands.
    operands: usize,
}

const PROMPTS: &[Prompt] = &[
    Prompt {
        names: &[
            "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "fish", "csh", "tcsh",
            "rbash", "nu", "elvish", "xonsh", "yash",
        ],
        valued: "oO",
        given: "cn",
        given_long: &["help", "version", "command", "commands", "no-execute"],
        operands: 1,
    },
    Prompt {
        names: &["pwsh", "powershell"],
        valued: "",
        given: "cfeh",
        given_long: &["help", "version"],
        operands: 1,
    },
    Prompt { names: &["expect"], valued: "", given: "cfv", given_long: &[], operands: 1 },
    Prompt {
        names: &[
            "python", "python2", "python3", "pypy", "pypy3", "py", "ipython", "ipython3", "bpython",
        ],
        valued: "WX",
        given: "cmVh",
        given_long: &["help", "version"],
        operands: 1,
    },
    Prompt {
        names: &["node", "nodejs", "ts-node", "tsx", "qjs", "bun", "deno"],
        valued: "rC",
        given: "epvhc",
        given_long: &["eval", "print", "check", "help", "version", "test"],
        operands: 1,
    },
    Prompt {
        names: &[
            "perl", "ruby", "lua", "luajit", "raku", "tclsh", "guile", "julia", "R", "Rscript",
        ],
        valued: "IrC",
        given: "eEvVhlL",
        given_long: &["help", "version", "eval"],
        operands: 1,
    },
    Prompt {
        names: &[
            "irb", "pry", "iex", "ghci", "scala", "jshell", "erl", "ocaml", "utop", "sbcl", "clj",
        ],
        valued: "rIe",
        given: "vhe",
        given_long: &["help", "version", "eval"],
        operands: 1,
    },
    Prompt {
        names: &["psql", "pgcli"],
        valued: "hpUdvPFRTLo",
        given: "cflV?",
        given_long: &["command", "file", "list", "help", "version"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["mysql", "mariadb", "mycli"],
        valued: "hPuDS",
        given: "eV?",
        given_long: &["execute", "help", "version"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["sqlite3", "duckdb"],
        valued: "",
        given: "c",
        given_long: &["version", "help", "init"],
        operands: 2,
    },
    Prompt {
        names: &["redis-cli", "valkey-cli"],
        valued: "hpanuit",
        given: "xv",
        given_long: &["eval", "help", "version", "pipe"],
        operands: 1,
    },
    Prompt {
        names: &["mongosh", "mongo", "cqlsh", "clickhouse-client", "sqlplus"],
        valued: "upFkf",
        given: "eqf",
        given_long: &["eval", "query", "file", "help", "version"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["ssh", "slogin", "mosh"],
        valued: "BbcDEeFIiJLlmOopQRSWw",
        given: "NVGQOTW",
        given_long: &["help", "version"],
        operands: 2,
    },
    Prompt {
        names: &["telnet", "ftp", "sftp", "lftp", "nc", "ncat", "netcat", "socat"],
        valued: "bepswxXqiI",
        given: "zhbeDV",
        given_long: &["help", "version", "zero"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["gdb", "lldb", "pdb", "rdbg"],
        valued: "xpcdn",
        given: "bv",
        given_long: &["batch", "help", "version"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["vi", "vim", "nvim", "view", "ex", "ed", "emacs"],
        valued: "cSTuUiw",
        given: "h",
        given_long: &["help", "version", "headless", "batch", "script"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["script"],
        valued: "IOBTEmot",
        given: "chV",
        given_long: &["command", "help", "version"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["su", "login", "newgrp"],
        valued: "sgGw",
        given: "ch",
        given_long: &["command", "help", "version"],
        operands: usize::MAX,
    },
    Prompt {
        names: &["at", "batch"],
        valued: "qt",
        given: "flcdrVv",
        given_long: &[],
        operands: usize::MAX,
    },
    Prompt {
        names: &["dc", "bc"],
        valued: "",
        given: "ehV",
        given_long: &["help", "version"],
        operands: 1,
    },
];

impl Ran {
    /// Whether the program waits for typed commands.
    pub fn waits_for_commands(&self) -> bool {
        let ran = self;
        if !ran.typed {
            return false;
        }
        let name = ran.program.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
        let arguments = ran.argv.get(1..).unwrap_or_default();
        let known = PROMPTS.iter().find(|prompt| {
            prompt.names.contains(&ran.program.as_str()) || prompt.names.contains(&name)
        });
        let by_python = || ran.via.iter().any(|via| via.name.starts_with("py"));
        let console = CONSOLES.contains(&ran.program.as_str()) && by_python();
        if console || runs_typed(ran.program.as_str(), name, arguments) {
            return true;
        }
        match (known, ran.program.as_str()) {
            (Some(prompt), _) => prompt.waits(arguments),
            // A shell of another user.
            (None, "sudo" | "doas") => {
                let words = arguments.iter().all(|word| word.prefix().starts_with('-'));
                words && has_letter(arguments, "is") && !has_letter(arguments, "lkKvV")
            }
            (None, "tmux" | "byobu" | "screen" | "zellij") => opens_window(arguments),
            // A console elsewhere, whose program is unknown.
            (None, "docker" | "podman" | "nerdctl") => {
                has_word(arguments, &["run", "exec", "attach"]) && is_terminal(arguments)
            }
            (None, "kubectl" | "oc") => {
                has_word(arguments, &["exec", "attach", "run", "debug"]) && is_terminal(arguments)
            }
            (None, "rails") => has_word(arguments, &["console", "c", "dbconsole", "db"]),
            (None, "manage.py" | "artisan" | "django-admin") => {
                has_word(arguments, &["shell", "shell_plus", "tinker", "dbshell"])
            }
            (None, "php") => has_letter(arguments, "a"),
            _ => false,
        }
    }
}

/// Python modules that read commands.
const CONSOLES: &[&str] = &["asyncio", "bpython", "code", "IPython", "pdb", "ptpython"];

/// Programs that read commands even when given something to run: debuggers, consoles, a makefile from the
/// terminal.
fn runs_typed(program: &str, plain: &str, arguments: &[Field]) -> bool {
    let words: Vec<&str> = arguments.iter().map(Field::prefix).collect();
    let pair = |one: &str, two: &[&str]| {
        words
            .windows(2)
            .any(|pair| matches!(pair, [first, second] if *first == one && two.contains(second)))
    };
    match (program, plain) {
        // `-m pdb -c continue a.py` stops only at errors.
        (_, "python" | "pypy" | "py") => pair("-m", CONSOLES),
        ("perl", _) => words.iter().any(|word| word.starts_with("-d")),
        ("make" | "gmake" | "ninja" | "just", _) => {
            let typed = ["-", "/dev/stdin", "/dev/tty", "/proc/self/fd/0"];
            pair("-f", &typed)
                || words.iter().any(|word| {
                    let file = word.strip_prefix("--file=").or(word.strip_prefix("--makefile="));
                    file.or(word.strip_prefix("-f")).is_some_and(|file| typed.contains(&file))
                })
        }
        ("poetry" | "pipenv" | "hatch" | "pdm" | "conda" | "mix" | "pixi", _) => {
            words.first() == Some(&"shell")
        }
        ("nix", _) => {
            matches!(words.first(), Some(&("develop" | "shell" | "repl")))
                && !opens_with_command(&words)
        }
        ("nix-shell" | "guix", _) => {
            (program == "nix-shell" || words.first() == Some(&"shell"))
                && !opens_with_command(&words)
        }
        ("gcloud", _) => {
            words.contains(&"ssh")
                && !words.iter().any(|it| it.starts_with("--command") || *it == "--")
        }
        ("aws", _) => {
            pair("ssm", &["start-session"])
                || pair("ecs", &["execute-command"]) && words.contains(&"--interactive")
        }
        ("az", _) => words.contains(&"ssh") && !words.contains(&"--"),
        _ => false,
    }
}

fn opens_with_command(words: &[&str]) -> bool {
    let gives = ["--run", "--command", "-c", "--", "--help", "--version"];
    words.iter().any(|word| gives.contains(word))
}

/// Whether a terminal multiplexer opens or attaches a session in the foreground.
fn opens_window(arguments: &[Field]) -> bool {
    let words = || arguments.iter().filter(|word| !word.prefix().starts_with('-'));
    let opens = ["new", "new-session", "new-window", "attach", "attach-session", "a", "at"];
    let first = words().next().and_then(Field::exact);
    let returns = has_letter(arguments, "rRx");
    let background =
        has_letter(arguments, "dX") || has_word(arguments, &["-ls", "-list", "-v", "-V"]);
    (first.is_none_or(|first| opens.contains(&first)) || returns) && !background
}

fn has_word(arguments: &[Field], wanted: &[&str]) -> bool {
    arguments.iter().any(|word| word.exact().is_some_and(|word| wanted.contains(&word)))
}

/// `-it`, `-i -t`, `--interactive --tty`
fn is_terminal(arguments: &[Field]) -> bool {
    has_letter(arguments, "i") || has_word(arguments, &["--interactive", "--stdin", "attach"])
}

fn has_letter(arguments: &[Field], letters: &str) -> bool {
    arguments.iter().any(|word| {
        let flags = word.prefix().strip_prefix('-').filter(|flags| !flags.starts_with('-'));
        flags.is_some_and(|flags| flags.contains(|letter| letters.contains(letter)))
    })
}

impl Prompt {
    fn waits(&self, arguments: &[Field]) -> bool {
        let mut operands = 0_usize;
        let mut words = arguments.iter();
        let mut asked_for = false;
        while let Some(word) = words.next() {
            let text = word.prefix();
            if let Some(long) = text.strip_prefix("--") {
                let name = long.split('=').next().unwrap_or_default();
                if self.given_long.contains(&name) {
                    return false;
                }
                asked_for |= name == "interactive";
                if matches!(name, "rcfile" | "init-file" | "require" | "host" | "user" | "port")
                    && !long.contains('=')
                {
                    words.next();
                }
            } else if let Some(letters) =
                text.strip_prefix(['-', '+']).filter(|text| !text.is_empty())
            {
                // `-i` opens a prompt even after a script.
                asked_for |= letters.contains('i') && !self.valued.contains('i');
                for (at, letter) in letters.char_indices() {
                    if self.given.contains(letter) {
                        return false;
                    }
                    if self.valued.contains(letter) {
                        if at + letter.len_utf8() == letters.len() {
                            words.next();
                        }
                        break;
                    }
                }
            } else if !matches!(text, "-" | "" | "/dev/stdin" | "repl") {
                operands += 1;
            }
        }
        operands < self.operands || asked_for
    }
}
