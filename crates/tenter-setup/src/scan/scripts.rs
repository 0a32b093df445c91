//! Finds the files that a command would run, and hashes them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tenter_model::hash::{PartsHash, sha256};

use super::item::{Command, Language};
use super::words;

/// A file of the folder that would be run.
#[derive(Clone, Debug)]
pub struct Script {
    /// Relative to the folder, with slashes; `package.json#name` is one script of that file.
    pub path: String,
    /// Hash of its bytes; `None` if unreadable.
    pub sha256: Option<String>,
    pub size: u64,
    /// Its text, if of limited size and in a known language.
    pub code: Option<(Language, Rc<str>)>,
    /// Why it could not be read or analysed.
    pub problem: Option<String>,
}

/// Maximum size of a script to analyse; a larger one is only hashed.
const MOST_CODE: u64 = 256 * 1024;
/// Maximum size of a file to hash.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum number of scripts per command, including those they name.
const MOST_SCRIPTS: usize = 100;
const MOST_WORDS: usize = 256;
const MOST_WORDS_OF_SCRIPT: usize = 5_000;
const MOST_PATHS_OF_SCRIPT: usize = 500;
/// Maximum depth of scripts naming scripts.
const DEPTH: usize = 4;

const ENDINGS: &[(&str, Language)] = &[
    ("sh", Language::Shell),
    ("bash", Language::Shell),
    ("zsh", Language::Shell),
    ("ksh", Language::Shell),
    ("envrc", Language::Shell),
    ("ps1", Language::PowerShell),
    ("psm1", Language::PowerShell),
    ("bat", Language::Cmd),
    ("cmd", Language::Cmd),
    ("py", Language::Python),
    ("js", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("ts", Language::JavaScript),
    ("mts", Language::JavaScript),
    ("cts", Language::JavaScript),
    ("tsx", Language::JavaScript),
    ("jsx", Language::JavaScript),
    ("rb", Language::Ruby),
    ("pl", Language::Perl),
    ("php", Language::Php),
    ("lua", Language::Lua),
];

/// Language by file extension.
fn ending(name: &str) -> Option<Language> {
    let ending = name.rsplit('.').next()?.to_ascii_lowercase();
    ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, language)| *language)
}

/// Language of a script by its first line or its name.
fn language(name: &str, text: &str) -> Option<Language> {
    let by_name = || ending(name);
    let Some(first) = text.strip_prefix("#!") else { return by_name() };
    let first = first.lines().next().unwrap_or_default();
    let mut words = first.split_whitespace().filter_map(|word| word.rsplit('/').next());
    let program =
        words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match program {
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" => Some(Language::Shell),
        "python" | "pypy" => Some(Language::Python),
        "node" | "bun" | "deno" | "tsx" | "ts-node" => Some(Language::JavaScript),
        "ruby" => Some(Language::Ruby),
        "perl" => Some(Language::Perl),
        "php" => Some(Language::Php),
        "lua" => Some(Language::Lua),
        "pwsh" | "powershell" => Some(Language::PowerShell),
        _ => by_name(),
    }
}

/// Memory budget for texts.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Room {
    /// Takes bytes from the budget if they fit.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Cache of the scripts of one folder; each file is read once.
#[derive(Debug)]
pub(super) struct Scripts {
    root: PathBuf,
    known: BTreeMap<PathBuf, Script>,
    pub(super) room: Room,
}

impl Scripts {
    pub(super) fn new(root: &Path) -> Self {
        let room = Room(64 * 1024 * 1024);
        Self { root: root.to_owned(), known: BTreeMap::new(), room }
    }

    /// The files that a command names, directly or indirectly.
    pub(super) fn named(&mut self, command: &Command, bases: &[&Path]) -> Vec<Script> {
        let mut found = Vec::new();
        let words = words::candidates(&command.text, MOST_WORDS);
        // `cd tools && ./x.sh` has another base folder.
        let folders: Vec<PathBuf> = words
            .iter()
            .flat_map(|word| bases.iter().map(move |base| base.join(word.trim_start_matches('/'))))
            .filter(|path| path.is_dir())
            .take(8)
            .collect();
        let bases: Vec<&Path> =
            bases.iter().copied().chain(folders.iter().map(PathBuf::as_path)).collect();
        let bases = bases.as_slice();
        let interpreted = words::has_interpreter(&command.text);
        for word in &words {
            self.try_word(word, bases, 0, &mut found);
            // Files that an interpreter runs when given a folder.
            for name in ["index.js", "__main__.py"].iter().filter(|_| interpreted) {
                self.try_word(&format!("{word}/{name}"), bases, 0, &mut found);
            }
        }
        for file in words::silent_files(&command.text) {
            self.try_word(file, bases, DEPTH, &mut found);
        }
        self.packages(&command.text, bases, 0, &mut found);
        found
    }

    /// A file as a script, with the files it names.
    pub(super) fn of_file(&mut self, path: &Path) -> Vec<Script> {
        let mut found = Vec::new();
        if let Some(real) = self.inside(path) {
            self.follow(&real, &[], 0, &mut found);
        }
        found
    }

    fn try_word(&mut self, word: &str, bases: &[&Path], depth: usize, found: &mut Vec<Script>) {
        // An absolute path that leads into the folder.
        let inner = Path::new(word).strip_prefix(&self.root).ok().map(|rest| self.root.join(rest));
        let relative = word.trim_start_matches('/');
        let paths = inner.into_iter().chain(bases.iter().map(|base| base.join(relative)));
        for path in paths.collect::<Vec<PathBuf>>() {
            if let Some(real) = self.inside(&path) {
                self.follow(&real, bases, depth, found);
            }
        }
    }

    /// The real path of a file, if it exists and is in the folder.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        path.symlink_metadata().ok()?;
        let real = path.canonicalize().ok()?;
        (!real.is_dir() && real.starts_with(&self.root)).then_some(real)
    }

    fn follow(&mut self, real: &Path, bases: &[&Path], depth: usize, found: &mut Vec<Script>) {
        let script = self.read(real);
        if found.len() >= MOST_SCRIPTS || found.iter().any(|known| known.path == script.path) {
            return;
        }
        let code = script.code.clone();
        found.push(script);
        if depth >= DEPTH {
            return;
        }
        let Some((language, text)) = code else { return };
        let own = real.parent().unwrap_or(&self.root).to_owned();
        let bases: Vec<&Path> =
            std::iter::once(own.as_path()).chain(bases.iter().copied()).take(8).collect();
        let mut names = words::candidates(&text, MOST_WORDS_OF_SCRIPT);
        names.retain(|name| name.contains('/') || ending(name).is_some());
        names.truncate(MOST_PATHS_OF_SCRIPT);
        if language == Language::Python {
            names.extend(words::python_imports(&text).into_iter().map(|name| name + ".py"));
        }
        for name in names {
            self.try_script(&name, language, &bases, depth + 1, found);
        }
    }

    /// Adds a word of a script if it names a script; other files do not count.
    fn try_script(
        &mut self,
        word: &str,
        from: Language,
        bases: &[&Path],
        depth: usize,
        found: &mut Vec<Script>,
    ) {
        const OF_JAVASCRIPT: &[&str] =
            &["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];
        let module = from == Language::JavaScript && word.starts_with('.');
        let endings = if module { OF_JAVASCRIPT } else { &[""] };
        for base in bases {
            for ending in endings {
                let path = base.join(format!("{}{ending}", word.trim_start_matches('/')));
                if path == *base {
                    continue;
                }
                let Some(real) = self.inside(&path) else { continue };
                if self.read(&real).code.is_some() {
                    self.follow(&real, bases, depth, found);
                }
            }
        }
    }

    /// The `package.json` scripts that a command runs, with their pre and post scripts.
    fn packages(&mut self, text: &str, bases: &[&Path], depth: usize, found: &mut Vec<Script>) {
        for name in words::package_scripts(text) {
            for name in [format!("pre{name}"), name.clone(), format!("post{name}")] {
                self.package(&name, bases, depth, found);
            }
        }
    }

    /// One script of the nearest `package.json`, with the files it names.
    fn package(&mut self, name: &str, bases: &[&Path], depth: usize, found: &mut Vec<Script>) {
        for base in bases {
            let path = base.join("package.json");
            let Some(real) = self.inside(&path) else { continue };
            let Ok(bytes) = super::read::whole(&real) else { continue };
            let Ok(node) = super::tree::json(&String::from_utf8_lossy(&bytes)) else { continue };
            let script = node.get("scripts").and_then(|scripts| scripts.get(name)?.text());
            let Some(text) = script else { continue };
            let path = format!("{}#{name}", self.shown(&real));
            if found.len() >= MOST_SCRIPTS || found.iter().any(|known| known.path == path) {
                return;
            }
            found.push(Script {
                path,
                sha256: Some(sha256(text.as_bytes())),
                size: text.len() as u64,
                code: Some((Language::Shell, text.into())),
                problem: None,
            });
            if depth < DEPTH {
                let own = real.parent().unwrap_or(&self.root).to_owned();
                let bases: Vec<&Path> =
                    std::iter::once(own.as_path()).chain(bases.iter().copied()).take(8).collect();
                for word in words::candidates(text, MOST_WORDS) {
                    self.try_word(&word, &bases, depth + 1, found);
                }
                self.packages(text, &bases, depth + 1, found);
            }
            return;
        }
    }

    fn shown(&self, real: &Path) -> String {
        super::walk::shown(real.strip_prefix(&self.root).unwrap_or(real))
    }

    fn read(&mut self, real: &Path) -> Script {
        if let Some(known) = self.known.get(real) {
            return known.clone();
        }
        let mut script =
            Script { path: self.shown(real), sha256: None, size: 0, code: None, problem: None };
        match hashed(real) {
            Ok((hash, size, start)) => {
                script.sha256 = Some(hash);
                script.size = size;
                match start {
                    None => {
                        script.problem = Some("is hashed, but too large to be judged".to_owned());
                    }
                    Some(bytes) if self.room.take(bytes.len()) => {
                        script.code = code(&script.path, bytes);
                    }
                    Some(_) => {
                        script.problem =
                            Some("is hashed, but one too many to be judged".to_owned());
                    }
                }
            }
            Err(problem) => script.problem = Some(problem),
        }
        self.known.insert(real.to_owned(), script.clone());
        script
    }
}

fn code(name: &str, bytes: Vec<u8>) -> Option<(Language, Rc<str>)> {
    let text = String::from_utf8(bytes).ok()?;
    let language = language(name, &text)?;
    Some((language, text.into()))
}

/// Hash and size of a file; its bytes too if small. Read once, so that the hashed bytes are the analysed
/// ones.
fn hashed(path: &Path) -> Result<(String, u64, Option<Vec<u8>>), String> {
    let file = super::read::open(path)?;
    let mut reader = file.take(MOST_BYTES + 1);
    let mut hash = PartsHash::default();
    let mut bytes = Vec::new();
    let mut size: u64 = 0;
    let mut part = vec![0; 64 * 1024];
    loop {
        let read = reader.read(&mut part).map_err(|error| format!("cannot be read: {error}"))?;
        let Some(read) = part.get(..read).filter(|read| !read.is_empty()) else { break };
        hash.raw(read);
        size = size.saturating_add(read.len() as u64);
        if size <= MOST_CODE {
            bytes.extend_from_slice(read);
        }
    }
    if size > MOST_BYTES {
        return Err("is too large to look at".to_owned());
    }
    Ok((hash.hex(), size, Some(bytes).filter(|_| size <= MOST_CODE)))
}
