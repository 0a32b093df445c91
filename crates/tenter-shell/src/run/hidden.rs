//! Commands hidden in arguments of an unknown program, or in a variable set for one: `srun rm -rf /`,
//! `gnuplot -e 'system("rm -rf /")'`, `RUSTC_WRAPPER='rm -rf /' cargo build`.
//!
//! Whether such a program runs them is unknown: their effects are only possible, and only destructive
//! commands are searched for.

use super::{Machine, span_of};
use crate::act::Act;
use crate::effect::{Certainty, Kind};
use crate::expand::Variable;
use crate::flow::{Source, Stream};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

/// Maximum number of arguments examined.
const MAX_WORDS: usize = 16;

/// Options with prose as value.
const PROSE: &[&str] = &[
    "-m",
    "-s",
    "-t",
    "-b",
    "--allow",
    "--block",
    "--body",
    "--comment",
    "--deny",
    "--desc",
    "--description",
    "--exclude",
    "--expect",
    "--filter",
    "--grep",
    "--ignore",
    "--label",
    "--match",
    "--message",
    "--name",
    "--notes",
    "--pattern",
    "--prompt",
    "--query",
    "--reason",
    "--regex",
    "--search",
    "--subject",
    "--summary",
    "--text",
    "--title",
    // Subcommands for notes, and for searching.
    "ask",
    "comment",
    "find",
    "log",
    "note",
    "remember",
    "report",
    "search",
    "say",
    "title",
    "todo",
    // Subcommands of programs that judge a command without running it.
    "analyze",
    "check",
    "classify",
    "explain",
    "judge",
    "lint",
    "parse",
    "scan",
    "validate",
];

/// Words by which programs indicate an upload.
const UPLOADS: &[&str] = &["attach", "paste", "put", "send", "share", "transfer", "upload"];

/// File names that usually contain secrets, or parts of such names.
const SECRETS: &[&str] = &[
    ".aws",
    ".docker/config",
    ".env",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pem",
    ".pypirc",
    ".ssh",
    "/etc/shadow",
    "credentials",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "login.keychain",
    "wallet.dat",
];

/// Options whose value is a file that goes somewhere.
const GIVING: &[&str] = &[
    "attach",
    "attachment",
    "body-file",
    "data",
    "dir",
    "directory",
    "file",
    "input",
    "path",
    "payload",
    "root",
    "upload",
];

/// A dash and letters that are longer are a word.
const CLUSTER: usize = 4;

/// Options whose value is a file that is used: a key, settings, an environment.
const USING: &[&str] = &["-F", "-I", "-K", "-c", "-e", "-f", "-i", "-k"];

/// Programs that show a file to the user, or look after it, by name or by a part of it.
const KEEPERS: &[&str] = &[
    "atom", "code", "codium", "cursor", "gedit", "hx", "idea", "kate", "kak", "mate", "micro",
    "notepad", "open", "subl", "windsurf", "xdg-open", "zed", "prettier", "eslint", "biome",
];
const KEEPING: &[&str] =
    &["check", "crypt", "env", "format", "key", "leak", "lint", "secret", "vault"];

/// Programs that only look at a disk.
const LOOKERS: &[&str] = &[
    "blkid",
    "btrace",
    "disktype",
    "dumpe2fs",
    "e2image",
    "filefrag",
    "findmnt",
    "hddtemp",
    "inxi",
    "iostat",
    "iotop",
    "isoinfo",
    "lsblk",
    "lsof",
    "lshw",
    "mediainfo",
    "mmls",
    "smartctl",
    "udevadm",
    "udisksctl",
    "vlc",
    "xfs_info",
];

/// Words of a sentence that is about a command. No file is called so.
const SENTENCE: &[&str] = &[
    "and", "are", "be", "been", "blocked", "but", "can", "command", "denied", "does", "fixed",
    "for", "from", "has", "if", "in", "instead", "is", "must", "not", "of", "on", "or", "should",
    "that", "the", "to", "was", "when", "which", "will", "with", "without",
];

/// Variables of make that are programs.
const TOOLS: &[&str] =
    &["AR", "AS", "CC", "CPP", "CXX", "INSTALL", "LD", "LEX", "MAKE", "RM", "SHELL", "YACC"];

/// Programs that only say what they are given, or are told in words what to do.
const TALKERS: &[&str] = &[
    "aichat",
    "aider",
    "claude",
    "codex",
    "cowsay",
    "cursor-agent",
    "espeak",
    "expr",
    "figlet",
    "fzf",
    "gemini",
    "llm",
    "logger",
    "mods",
    "notify-send",
    "opencode",
    "say",
    "sgpt",
    "slack",
    "tenter",
    "terminal-notifier",
    "toilet",
    "wall",
    "write",
];

/// They forward arguments to scripts of the project; a text of several words is rarely a command.
const MANAGERS: &[&str] = &["npm", "yarn"];

/// Programs that are known for other things, and may also run what they are given.
const RUNNERS: &[&str] = &[
    "bpftrace", "clojure", "expect", "ipython", "just", "lerna", "mongosh", "npm", "nx", "ocaml",
    "pm2", "sbcl", "yarn",
];

/// Whether a program only says what it is given, or judges it.
pub(super) fn only_talks(name: &str) -> bool {
    TALKERS.contains(&name) || judges_commands(name)
}

/// Whether prose follows this word.
pub(super) fn is_prose(word: &str) -> bool {
    PROSE.contains(&word) && word.len() > 2
}

impl Machine<'_> {
    /// An unknown program may run its arguments.
    pub(super) fn hidden_command(&mut self, name: &str, argv: &[Field]) {
        if TALKERS.contains(&name) || judges_commands(name) {
            return;
        }
        let mut before = "";
        for (at, field) in argv.iter().enumerate().skip(1).take(MAX_WORDS) {
            let Some(text) = field.exact() else {
                before = "";
                continue;
            };
            let rest = argv.get(at..).unwrap_or_default();
            let next = argv.get(at.saturating_add(1)).map(Field::prefix);
            if next.is_some_and(|next| destroys(text, next)) {
                self.possibly(|machine| machine.run_via(name, rest, Stream::default()));
                return;
            }
            let option = text.split_once('=').map_or(before, |(option, _)| option);
            // JSON is data for whoever reads it.
            let data = text.trim_start().starts_with("{\"");
            let prose = data
                || PROSE.contains(&before)
                || PROSE.contains(&option)
                || MANAGERS.contains(&name);
            if !prose && self.hidden_code(name, field) {
                return;
            }
            before = text;
        }
    }

    /// An unknown program whose words indicate an upload: `dropbox upload .env`.
    fn upload_words(name: &str, argv: &[Field]) -> Option<usize> {
        let says = |field: &Field| field.exact().is_some_and(|text| UPLOADS.contains(&text));
        let verb = argv.iter().skip(1).take(2).position(says);
        let named = ["upload", "transfer", "paste"].iter().any(|word| name.contains(word));
        verb.map(|at| at.saturating_add(2)).or_else(|| named.then_some(1))
    }

    pub(super) fn hidden_upload(&mut self, name: &str, argv: &[Field]) {
        let Some(skip) = Self::upload_words(name, argv) else { return };
        let files: Vec<Field> = argv
            .iter()
            .skip(skip)
            .take(MAX_WORDS)
            .filter(|field| !field.prefix().starts_with('-') && !field.prefix().contains(' '))
            .cloned()
            .collect();
        self.possibly(|machine| {
            for file in files {
                let path = machine.path(&file);
                let Some(exact) = path.exact().map(str::to_owned) else { continue };
                let target = Target::Host(name.to_owned());
                let effect = machine.effect(Kind::Send, Act::Upload, target, file.span);
                effect.sources.add(Source::File(exact.into()));
            }
        });
    }

    /// An unknown program that gets a file of secrets: `telegram-send --file .env`.
    pub(super) fn hidden_reader(&mut self, name: &str, argv: &[Field]) {
        let cmdlet = name.starts_with(|first: char| first.is_ascii_uppercase());
        let keeps = KEEPERS.contains(&name) || KEEPING.iter().any(|part| name.contains(part));
        let secret = |text: &str| SECRETS.iter().any(|part| text.contains(part));
        let outside = super::mentioned::OUTSIDE.contains(&name);
        if keeps || cmdlet || outside || !argv.iter().skip(1).any(|field| secret(field.prefix())) {
            return;
        }
        // The other shell's reading knows what it is.
        if self.second && self.is_settled(span_of(argv)) {
            return;
        }
        let index = self.record(name, argv);
        let mut before = "";
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            let (option, file) = match text.split_once('=').filter(|_| text.starts_with("--")) {
                Some((option, _)) => (option, field.without_prefix(option.len().saturating_add(1))),
                None => (before, Some(field.clone())),
            };
            // Some have one dash before a whole word, too: `mkcert -key-file key.pem`.
            let word = option.starts_with("--") || option.len() > CLUSTER;
            // Private keys are no settings.
            let key = text.contains("/.ssh/id_") && !text.contains(".pub");
            let used = option.starts_with('-')
                && !GIVING.contains(&option.trim_start_matches('-'))
                && (word || USING.contains(&option))
                && !(key && matches!(option, "-F" | "-c" | "-e" | "-f"));
            let names = |file: &Field| {
                secret(file.prefix())
                    && !file.prefix().contains(' ')
                    && !file.prefix().starts_with('-')
            };
            if let Some(file) = file.filter(|file| !used && names(file)) {
                let path = self.path(&file);
                let effect = self.effect(Kind::Read, Act::HandOver, Target::Path(path), file.span);
                effect.certainty = effect.certainty.min(Certainty::Possible);
                effect.command = Some(index);
            }
            before = text;
        }
    }

    /// An unknown program that gets a URL with data in it: a browser, a player.
    pub(super) fn hidden_address(&mut self, argv: &[Field]) {
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            if !text.starts_with("http://") && !text.starts_with("https://") {
                continue;
            }
            let flow = field.sources();
            let data = |source: &Source| matches!(source, Source::Environment | Source::File(_));
            if flow.sources().iter().any(data) {
                let target = Target::Host(field.shown());
                let effect = self.effect(Kind::Send, Act::Http, target, field.span);
                effect.certainty = effect.certainty.min(Certainty::Possible);
                effect.sources = flow;
            }
        }
    }

    /// An unknown program that gets a disk: `etcher image.iso -d /dev/sdb`.
    pub(super) fn hidden_device(&mut self, name: &str, argv: &[Field]) {
        if LOOKERS.contains(&name) {
            return;
        }
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            // `of=/dev/sda` of a name like that of `dd` is none of ours.
            let start = text.find("/dev/").filter(|at| *at == 0 || text.starts_with("--"));
            let device = start.and_then(|at| text.get(at..)).unwrap_or_default();
            if crate::tools::device(device) == crate::tools::Device::Storage {
                let target = Target::Path(self.path(&Field::text(device, field.span)));
                let effect = self.effect(Kind::Device, Act::HandOver, target, field.span);
                effect.certainty = effect.certainty.min(Certainty::Possible);
            }
        }
    }

    /// Variables that are set for this program: one of them may be a program that it runs.
    pub(super) fn hidden_settings(&mut self, name: &str, argv: &[Field]) {
        // Git says itself what it runs of them.
        if name != "git" {
            for (_, value) in self.assignments.clone() {
                self.hidden_code(name, &value);
            }
        }
        let watches = name == "cargo" && argv.get(1).is_some_and(|verb| verb.is("watch"));
        if watches || RUNNERS.contains(&name) {
            self.hidden_command(name, argv);
        }
        if matches!(name, "make" | "gmake") {
            for field in argv.iter().skip(1).take(MAX_WORDS) {
                let value = field.prefix().split_once('=').filter(|(name, _)| TOOLS.contains(name));
                let value =
                    value.and_then(|(name, _)| field.without_prefix(name.len().saturating_add(1)));
                if let Some(value) = value {
                    self.hidden_code(name, &value);
                }
            }
        }
    }

    /// A variable whose value the shell runs before each prompt.
    pub(super) fn hidden_prompt(&mut self, name: &str) {
        if !matches!(name, "PROMPT_COMMAND" | "PS0" | "PS1" | "PS2" | "PS4") {
            return;
        }
        let set = self.shell.slot(name).and_then(|slot| slot.values.first());
        if let Some(Variable::Scalar(code)) = set {
            let code = code.clone();
            self.hidden_code(name, &code);
        }
    }

    /// Runs a text that is a command, or code around one, as if it were given to a shell.
    pub(crate) fn hidden_code(&mut self, name: &str, field: &Field) -> bool {
        let Some(text) = field.exact() else {
            return false;
        };
        // `(sh "rm" "-rf" "/")`: the words of a command one by one.
        let joined = if text.contains("rm\"") {
            text.replace("\", \"", " ").replace("\",\"", " ").replace("\" \"", " ")
        } else {
            String::new()
        };
        let Some(code) = command_in(text).or_else(|| command_in(&joined)) else {
            return false;
        };
        let code = Field::text(code, field.span);
        let language = Language::Shell(Dialect::Posix);
        self.possibly(|machine| machine.run_code(name, None, language, &code, &Stream::default()));
        true
    }
}

/// The command in a text, if it starts with it or has it in quotes or braces.
fn command_in(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find("rm ") {
        let at = from.saturating_add(found);
        let (before, code) = text.split_at_checked(at)?;
        let flags = code.get(3..).unwrap_or_default();
        let end = before.trim_end_matches(['(', '"', '\'', '`', '{', '!', '|', '%', '=', '/']);
        let opened = before.is_empty()
            || end.len() < before.len()
            || before.ends_with("/bin/")
            || before.ends_with("sudo ")
            || before.ends_with("-c ");
        if opened && destroys("rm", flags) && !(before.is_empty() && is_sentence(code)) {
            let quote = before.chars().last().filter(|last| "\"'`".contains(*last));
            return Some(match quote.or_else(|| before.ends_with('{').then_some('}')) {
                Some(quote) => {
                    let code = code.split(quote).next().unwrap_or(code);
                    code.trim_end_matches("\\r").trim_end_matches("\\n")
                }
                None if before.ends_with('(') => code.trim_end_matches([')', ';', ' ']),
                None => code,
            });
        }
        from = at.saturating_add(3);
    }
    None
}

/// Whether a program looks at commands, by its name: `guard-check.sh`, `shell-lint`.
fn judges_commands(name: &str) -> bool {
    let mut words = name.split(['-', '_', '.']);
    words.any(|word| {
        matches!(word, "check" | "checker" | "explain" | "guard" | "lint" | "linter" | "parse")
    })
}

/// Whether the words after the command go on as a sentence: `rm -rf / is denied now`.
pub(super) fn is_sentence(code: &str) -> bool {
    let line = code.split([';', '\n', '|', '&']).next().unwrap_or_default();
    line.split(' ').skip(2).any(|word| SENTENCE.contains(&word))
}

/// Whether a word is the name of a program that destroys, and the next one fits it. `volume rm x`
/// is a subcommand of something else.
fn destroys(word: &str, next: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word);
    match word {
        "rm" | "shred" => {
            let flags = next.strip_prefix('-').unwrap_or_default();
            let flags = flags.split(' ').next().unwrap_or_default();
            flags.contains(['r', 'R']) || (word == "shred" && !flags.is_empty())
        }
        "dd" => next.starts_with("if=") || next.starts_with("of="),
        "sh" | "bash" | "zsh" => next == "-c",
        "cmd" | "cmd.exe" => next.eq_ignore_ascii_case("/c"),
        "wipefs" | "sudo" => !next.is_empty(),
        _ => word.starts_with("mkfs."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_at_the_start_or_in_quotes() {
        for (text, code) in [
            ("rm -rf /", Some("rm -rf /")),
            ("system(\"rm -rf /\")", Some("rm -rf /")),
            ("send \"rm -rf /\\r\"", Some("rm -rf /")),
            ("!rm -rf ~", Some("rm -rf ~")),
            ("\\write18{rm -rf /}", Some("rm -rf /")),
            ("Sys.command 'rm -r /etc'", Some("rm -r /etc")),
            ("sudo rm -rf /", Some("rm -rf /")),
            ("do not type rm -rf /", None),
            ("rm -rf / is denied now", None),
            ("rm -rf in the docs", None),
            ("rm -rf /; echo that is all", Some("rm -rf /; echo that is all")),
            ("rm x", None),
            ("alarm -r", None),
            ("", None),
        ] {
            assert_eq!(command_in(text), code, "{text}");
        }
    }

    #[test]
    fn only_programs_with_fitting_words_destroy() {
        for (word, next, expected) in [
            ("rm", "-rf", true),
            ("/bin/rm", "-r", true),
            ("rm", "-f", false),
            ("rm", "volume", false),
            ("dd", "of=/dev/sda", true),
            ("dd", "add", false),
            ("bash", "-c", true),
            ("bash", "script", false),
            ("mkfs.ext4", "/dev/sda", true),
            ("cat", "-r", false),
        ] {
            assert_eq!(destroys(word, next), expected, "{word} {next}");
        }
    }
}
