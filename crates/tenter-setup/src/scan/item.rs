//! Findings of a scan, and their collection.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tenter_model::hash::{PartsHash, sha256};

use super::kinds::{Kind, Severity};
use super::scripts::{Script, Scripts};
use super::tree::Node;
use super::walk::shown;

/// Language of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    Shell,
    PowerShell,
    Cmd,
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
}

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub text: String,
    pub language: Language,
}

/// Something that would be run or obeyed.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: Kind,
    pub severity: Severity,
    /// The program that runs or obeys it.
    pub host: &'static str,
    /// Relative to the folder, with slashes.
    pub file: String,
    /// Counted from one.
    pub line: usize,
    /// Its event, key or server.
    pub name: String,
    /// Its effect, as a clause.
    pub what: String,
    pub command: Option<Command>,
    pub url: Option<String>,
    /// Files of the folder that it would run, directly or indirectly.
    pub scripts: Vec<Script>,
    /// Its complete definition, independent of formatting.
    definition: String,
    /// Whether part of what it runs could not be examined.
    unseen: bool,
}

/// A text that agents obey.
#[derive(Clone, Debug)]
pub struct Passage {
    pub host: &'static str,
    pub file: String,
    pub path: PathBuf,
    pub text: Rc<str>,
}

impl Item {
    pub(super) fn new(kind: Kind, file: &File<'_>, line: usize) -> Self {
        Self {
            kind,
            severity: kind.severity(),
            host: file.host,
            file: file.rel.to_owned(),
            line,
            name: String::new(),
            what: kind.title().to_owned(),
            command: None,
            url: None,
            scripts: Vec::new(),
            definition: String::new(),
            unseen: false,
        }
    }

    /// Converts a guard's finding in a text.
    pub fn of_passage(passage: &Passage, kind: Kind, line: usize, what: &str) -> Self {
        let file = File { rel: &passage.file, host: passage.host, path: &passage.path, text: "" };
        Self::new(kind, &file, line).say(what).define(&sha256(passage.text.as_bytes()))
    }

    #[must_use]
    pub(super) fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    #[must_use]
    pub(super) fn say(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    #[must_use]
    pub(super) fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self.severity = kind.severity();
        self
    }

    #[must_use]
    pub fn grade(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    #[must_use]
    pub(super) fn command(mut self, text: &str, language: Language) -> Self {
        self.command = Some(Command { text: text.trim().to_owned(), language });
        self
    }

    #[must_use]
    pub(super) fn url(mut self, url: &str) -> Self {
        self.url = Some(url.to_owned());
        self
    }

    #[must_use]
    pub(super) fn define(mut self, text: &str) -> Self {
        self.definition.push_str(text);
        self.definition.push('\n');
        self
    }

    /// Marks the item as not fully examined, so that it cannot be trusted.
    #[must_use]
    pub(super) fn unseen(mut self) -> Self {
        self.unseen = true;
        self
    }

    /// A hash of the definition and all scripts' bytes. `None` if some of it could not be read.
    pub fn fingerprint(&self) -> Option<String> {
        if self.unseen {
            return None;
        }
        let mut hash = PartsHash::default();
        for text in ["tenter scan 1", self.kind.id(), self.host, &self.file, &self.name] {
            hash.part(text);
        }
        hash.part(&self.definition);
        hash.part(self.command.as_ref().map_or("", |command| &command.text));
        hash.part(self.url.as_deref().unwrap_or_default());
        for script in &self.scripts {
            hash.part(&script.path);
            hash.part(script.sha256.as_deref()?);
        }
        Some(hash.hex())
    }

    /// Identifies the item independent of its content, to recognise a changed one.
    pub fn place(&self) -> String {
        [&self.file, self.kind.id(), self.host, &self.name].join(" ")
    }
}

/// A catalogue file that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'f> {
    /// Relative to the folder, with slashes.
    pub(super) rel: &'f str,
    pub(super) host: &'static str,
    pub(super) path: &'f Path,
    pub(super) text: &'f str,
}

impl File<'_> {
    /// File name without folders.
    pub(super) fn name(&self) -> &str {
        self.rel.rsplit('/').next().unwrap_or(self.rel)
    }

    /// Base folders of relative paths: the file's own and its parents, up to the one that contains the dot
    /// folder.
    fn bases(&self) -> Vec<&Path> {
        let levels = self.rel.split('/').rev();
        let inside =
            levels.clone().skip(1).position(|name| name.starts_with('.') && name.len() > 1);
        // `.claude/skills/x/SKILL.md` is four levels below the relevant folder.
        let up = inside.map_or(2, |at| at + 2);
        self.path.ancestors().skip(1).take(up).collect()
    }
}

/// Collects findings.
#[derive(Debug)]
pub(super) struct ScanResult {
    pub(super) items: Vec<Item>,
    pub(super) passages: Vec<Passage>,
    /// Files already in `passages`.
    pub(super) texts: BTreeSet<String>,
    pub(super) scripts: Scripts,
    root: PathBuf,
}

/// Maximum number of items; the rest is reported as one finding.
const MOST: usize = 5_000;

impl ScanResult {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            items: Vec::new(),
            passages: Vec::new(),
            texts: BTreeSet::new(),
            scripts: Scripts::new(root),
            root: root.to_owned(),
        }
    }

    /// Whether an item's command names a file of the folder.
    pub(super) fn names_program(&mut self, file: &File<'_>, item: &Item) -> bool {
        let bases = file.bases();
        item.command.as_ref().is_some_and(|command| !self.scripts.named(command, &bases).is_empty())
    }

    /// Adds an item with the scripts that its command names.
    pub(super) fn add(&mut self, file: &File<'_>, mut item: Item) {
        if self.items.len() >= MOST {
            if self.items.len() == MOST {
                let rest = Item::new(Kind::Unreadable, file, 1)
                    .say(format!("holds more than {MOST} things; the rest is not listed"));
                self.items.push(rest.unseen());
            }
            return;
        }
        if let Some(command) = &item.command {
            let mut bases = file.bases();
            if !bases.contains(&self.root.as_path()) {
                bases.push(&self.root);
            }
            item.scripts.extend(self.scripts.named(command, &bases));
        }
        self.items.push(item);
    }

    /// The root, if a path leads into it.
    pub(super) fn root_of(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok().filter(|real| real.starts_with(&self.root))?;
        Some(self.root.clone())
    }

    /// The real path of a file, if it exists and is in the folder.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        self.scripts.inside(path)
    }

    /// The real path of a file in the folder, and its display form.
    pub(super) fn below(&self, path: &Path) -> Option<(PathBuf, String)> {
        let real = self.inside(path)?;
        let rel = shown(real.strip_prefix(&self.root).ok()?);
        Some((real, rel))
    }

    /// Reports a text of this file that could not be parsed.
    pub(super) fn unreadable(&mut self, file: &File<'_>, line: usize, why: &str) {
        let item = Item::new(Kind::Unreadable, file, line).say(why);
        self.add(file, item.define(&sha256(file.text.as_bytes())));
    }

    /// Parses JSON, or reports the error.
    pub(super) fn json(&mut self, file: &File<'_>) -> Option<Node> {
        self.parsed(file, super::tree::json(file.text), "JSON")
    }

    /// Parses TOML, or reports the error.
    pub(super) fn toml(&mut self, file: &File<'_>) -> Option<Node> {
        self.parsed(file, super::tree::toml(file.text), "TOML")
    }

    fn parsed(
        &mut self,
        file: &File<'_>,
        read: Result<Node, super::tree::Fault>,
        syntax: &str,
    ) -> Option<Node> {
        match read {
            Ok(node) => Some(node),
            // An empty file has no effect.
            Err(_) if file.text.trim().is_empty() => None,
            Err(fault) => {
                let why = format!("cannot be read as {syntax}: {}", fault.message);
                self.unreadable(file, fault.line, &why);
                None
            }
        }
    }
}
