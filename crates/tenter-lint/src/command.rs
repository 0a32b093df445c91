//! Parses a command line into the programs and script files it needs in order to start.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use crate::words::{Word, split};
use crate::{File, Layer, Options};

/// A file or program that a command needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// As written, without quotes.
    pub(crate) word: String,
    /// Byte range in the command line.
    pub(crate) range: Range<usize>,
    pub(crate) quoted: bool,
    pub(crate) place: Place,
    /// Whether it is executed directly, or passed to an interpreter.
    pub(crate) direct: bool,
}

/// Location of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file, resolved as the host would.
    File(PathBuf),
    /// A relative path where the host or layer has no fixed base folder.
    Adrift,
    /// Looked up on PATH.
    Program,
}

/// The programs and files of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) parts: Vec<Part>,
    /// The file or words that identify the hook: two commands with equal identity are the same hook.
    pub(crate) identity: String,
}

/// Shell builtins.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "[[", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue",
    "declare", "do", "done", "echo", "elif", "else", "esac", "eval", "exec", "exit", "export",
    "false", "fg", "fi", "for", "function", "getopts", "hash", "if", "jobs", "kill", "let",
    "local", "printf", "pwd", "read", "readonly", "return", "set", "shift", "source", "test",
    "then", "time", "times", "trap", "true", "type", "ulimit", "umask", "unset", "until", "wait",
    "while", "{", "}", "!",
];

/// Interpreters, their options without value, and the file extensions their scripts must have where a bare
/// word may be something else than a file.
const INTERPRETERS: &[(&str, &str, &[&str])] = &[
    ("sh", "euxaf", &[]),
    ("bash", "euxafl", &[]),
    ("dash", "euxaf", &[]),
    ("zsh", "euxaf", &[]),
    ("ksh", "euxaf", &[]),
    ("python", "uBEIOsS", &[]),
    ("python3", "uBEIOsS", &[]),
    ("ruby", "w", &[]),
    ("perl", "wT", &[]),
    ("node", "", &[".js", ".mjs", ".cjs", ".ts", ".mts"]),
    ("tsx", "", &[".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"]),
    ("ts-node", "", &[".ts", ".mts"]),
    ("bun", "", &[".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx"]),
    ("deno", "A", &[".js", ".mjs", ".ts", ".mts", ".tsx", ".jsx"]),
    ("uv", "", &[".py"]),
];

/// Reads a command line of a file.
pub(crate) fn launch(command: &str, file: &File, options: &Options) -> Launch {
    let whole = Launch { parts: Vec::new(), identity: command.trim().to_owned() };
    // Such a line is for PowerShell or cmd.exe, which have their own syntax.
    if looks_like_windows(command) {
        return whole;
    }
    let Some(line) = split(command) else { return whole };
    let mut reading = Reading { file, options, parts: Vec::new(), identity: None };
    reading.command(&line.words);
    Launch {
        identity: reading.identity.unwrap_or(whole.identity),
        parts: if line.hedged { Vec::new() } else { reading.parts },
    }
}

/// Parses a handler with separate program and arguments, which is started without a shell.
pub(crate) fn launch_words(
    program: &str,
    arguments: &[String],
    file: &File,
    options: &Options,
) -> Launch {
    let word = |text: &str| Word {
        text: text.to_owned(),
        range: 0..0,
        quoted: true,
        quoted_start: true,
        opaque: text.contains("${") && !text.starts_with("${"),
    };
    let words: Vec<Word> =
        std::iter::once(program).chain(arguments.iter().map(String::as_str)).map(word).collect();
    let mut reading = Reading { file, options, parts: Vec::new(), identity: None };
    reading.command(&words);
    let whole = || {
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        texts.join(" ")
    };
    Launch { identity: reading.identity.clone().unwrap_or_else(whole), parts: reading.parts }
}

/// Whether the text has a drive letter, or backslashes where a path has slashes.
pub(crate) fn looks_like_windows(command: &str) -> bool {
    let mut characters = command.trim_start_matches(['"', '\'', '&', ' ']).chars();
    let drive = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && characters.next().is_some_and(|c| matches!(c, '\\' | '/' | '\t' | '\n' | '\u{8}'));
    let word = command.trim_start_matches(['"', '\'']);
    drive || word.starts_with(".\\") || word.starts_with("..\\") || word.starts_with('%')
}

struct Reading<'a> {
    file: &'a File,
    options: &'a Options,
    parts: Vec<Part>,
    identity: Option<String>,
}

impl Reading<'_> {
    fn command(&mut self, words: &[Word]) {
        let is_assignment = |word: &&Word| is_assignment(&word.text);
        let set = words.iter().take_while(is_assignment).count();
        let [program, arguments @ ..] = words.get(set..).unwrap_or_default() else { return };
        if program.opaque || BUILTINS.contains(&program.text.as_str()) {
            return;
        }
        let name = base_name(&program.text).to_owned();
        if !self.part(program, true) {
            return;
        }
        if program.text.contains('/') {
            self.identity = self.parts.last().and_then(file_of);
        }
        if name == "tenter" || name == "tenter.exe" {
            self.own(arguments);
        } else if matches!(name.as_str(), "env" | "nohup" | "nice" | "exec") {
            if arguments.first().is_some_and(|word| !word.text.starts_with('-')) {
                self.command(arguments);
            }
        } else if let Some(script) = script_of(&name, arguments)
            && self.part(script, false)
        {
            self.identity = self.parts.last().and_then(file_of);
        }
    }

    /// Adds the handler of `tenter run ... -- handler`; `tenter hook` has the same identity anywhere.
    fn own(&mut self, arguments: &[Word]) {
        let Some(command) = arguments.first() else { return };
        if command.text != "run" {
            self.identity = Some(format!("tenter {}", command.text));
            return;
        }
        let Some(at) = arguments.iter().position(|word| word.text == "--") else { return };
        self.identity = None;
        self.command(arguments.get(at + 1..).unwrap_or_default());
        if self.identity.is_none() {
            let rest = arguments.get(at + 1..).unwrap_or_default();
            let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            self.identity = Some(texts.join(" "));
        }
    }

    /// Adds a required word; false when its location is unknown.
    fn part(&mut self, word: &Word, direct: bool) -> bool {
        if word.opaque || word.text.is_empty() {
            return false;
        }
        let Some(place) = self.place(word, direct) else { return false };
        self.parts.push(Part {
            word: word.text.clone(),
            range: word.range.clone(),
            quoted: word.quoted,
            place,
            direct,
        });
        true
    }

    fn place(&self, word: &Word, direct: bool) -> Option<Place> {
        let text = word.text.as_str();
        if let Some(rest) = text.strip_prefix("${") {
            let (name, rest) = rest.split_once('}')?;
            let folder = self.variable(name)?;
            return Some(Place::File(join(&folder, rest.trim_start_matches('/'))));
        }
        if text.contains("${") {
            return None;
        }
        if text.starts_with('~') && !word.quoted_start {
            let rest = text.strip_prefix("~/")?;
            return Some(Place::File(join(self.options.home.as_ref()?, rest)));
        }
        if direct && !text.contains('/') {
            return Some(Place::Program);
        }
        if Path::new(text).is_absolute() || text.starts_with('/') {
            return Some(Place::File(PathBuf::from(text)));
        }
        // A path of another operating system.
        if looks_like_windows(text) {
            return None;
        }
        Some(match self.file.base() {
            Some(base) => Place::File(join(base, text)),
            None => Place::Adrift,
        })
    }

    /// The folder that a variable holds when the host starts the command.
    fn variable(&self, name: &str) -> Option<PathBuf> {
        let root = self.file.root().map(Path::to_owned);
        match (name, self.file.layer) {
            ("HOME", _) => self.options.home.clone(),
            ("CLAUDE_PROJECT_DIR" | "CURSOR_PROJECT_DIR", Layer::Project | Layer::Local)
            | ("CLAUDE_PLUGIN_ROOT" | "CURSOR_PLUGIN_ROOT" | "PLUGIN_ROOT", Layer::Plugin) => root,
            _ => None,
        }
    }
}

fn file_of(part: &Part) -> Option<String> {
    match &part.place {
        Place::File(path) => Some(path.display().to_string()),
        Place::Adrift | Place::Program => None,
    }
}

fn is_assignment(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.split_once('=').is_some_and(|(name, _)| is_name(name))
}

pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The script among an interpreter's arguments, if it can be identified with certainty.
fn script_of<'w>(program: &str, arguments: &'w [Word]) -> Option<&'w Word> {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (_, flags, endings) = INTERPRETERS
        .iter()
        .find(|(name, ..)| *name == program)
        .or_else(|| INTERPRETERS.iter().find(|(name, ..)| *name == plain && plain == "python"))?;
    let mut rest = arguments.iter();
    if matches!(program, "bun" | "deno" | "uv")
        && arguments.first().is_some_and(|word| word.text == "run")
    {
        rest.next();
    }
    let harmless = |word: &&Word| {
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| flags.contains(letter))
    };
    let script = rest.find(|word| !harmless(word))?;
    let has_ending =
        endings.is_empty() || endings.iter().any(|ending| script.text.ends_with(ending));
    let usable = has_ending && !script.text.starts_with('-') && !script.opaque;
    usable.then_some(script)
}

/// Joins two paths and resolves `.` and `..` lexically.
pub fn join(base: &Path, rest: &str) -> PathBuf {
    let mut path = base.to_owned();
    for component in Path::new(rest).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_model::HostId;

    fn parts(command: &str) -> Vec<(String, Place)> {
        let file = File::new("/w/.cursor/hooks.json", HostId::Cursor, Layer::Project, "");
        let options = Options { home: Some("/home/ana".into()), ..Options::default() };
        let launch = launch(command, &file, &options);
        launch.parts.into_iter().map(|part| (part.word, part.place)).collect()
    }

    fn needs(command: &str) -> Vec<String> {
        let show = |(word, place)| match place {
            Place::File(path) => path.display().to_string(),
            Place::Adrift => format!("adrift {word}"),
            Place::Program => format!("program {word}"),
        };
        parts(command).into_iter().map(show).collect()
    }

    #[test]
    fn a_script_is_resolved_as_the_host_does() {
        assert_eq!(needs(".cursor/hooks/x.sh --a"), ["/w/.cursor/hooks/x.sh"]);
        assert_eq!(needs("./hooks/../x.sh"), ["/w/x.sh"]);
        assert_eq!(needs("~/.cursor/x.py"), ["/home/ana/.cursor/x.py"]);
        assert_eq!(needs("$HOME/x.py"), ["/home/ana/x.py"]);
        assert_eq!(needs("\"$CLAUDE_PROJECT_DIR\"/a/x.sh"), ["/w/a/x.sh"]);
        assert_eq!(needs("A=1 ./x.sh; exit 0"), ["/w/x.sh"]);
    }

    #[test]
    fn an_interpreter_brings_its_script() {
        let both = |program: &str, script: &str| vec![format!("program {program}"), script.into()];
        assert_eq!(needs("python3 -u x.py"), both("python3", "/w/x.py"));
        assert_eq!(needs("python3.12 x.py"), both("python3.12", "/w/x.py"));
        assert_eq!(needs("bash ./x.sh"), both("bash", "/w/x.sh"));
        assert_eq!(needs("bun run .cursor/x.ts --stop"), both("bun", "/w/.cursor/x.ts"));
        assert_eq!(needs("sh \"my hooks/x.sh\""), both("sh", "/w/my hooks/x.sh"));
        assert_eq!(
            needs("/opt/tenter run --host cursor -- sh /opt/guard.sh"),
            ["/opt/tenter", "program sh", "/opt/guard.sh"]
        );
    }

    #[test]
    fn nothing_is_guessed() {
        for command in ["$(which x) y", "$MY_DIR/x.sh", "cat | ./x", "./x || true", "cd a && ./b"] {
            assert!(needs(command).is_empty(), "{command}");
        }
        for command in ["node .", "bun run lint", "bash -c 'x y'", "python3 -m hooks", "npx a"] {
            assert_eq!(needs(command).len(), 1, "{command}: the program alone");
        }
        assert!(needs("C:\\tools\\x.exe").is_empty());
        assert!(needs(".\\x.ps1").is_empty());
        assert_eq!(needs("bash \"c:/my hooks/x.sh\"").len(), 1);
    }

    #[test]
    fn two_commands_are_one_hook_when_they_start_the_same_thing() {
        let file = File::new("/w/.cursor/hooks.json", HostId::Cursor, Layer::Project, "");
        let identity = |command: &str| launch(command, &file, &Options::default()).identity;
        assert_eq!(identity("./x.sh --a"), identity("bash x.sh"));
        assert_eq!(identity("tenter hook cursor"), identity("/opt/tenter hook claude"));
        assert_ne!(identity("npx prettier"), identity("npx eslint"));
        assert_eq!(identity("tenter run -- sh ./x.sh"), identity("./x.sh"));
    }
}
