//! Stores the user's approvals, bound to exact content: handlers of projects, and findings of `tenter scan`.
//!
//! One line per entry: the fingerprint, then, separated by tabs, its class, folder, place there and time. A
//! line with the fingerprint alone is a handler's from an older version. Writers hold a lock and replace the
//! file atomically; readers need no lock.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_files::{Refused, Whose};
use tenter_model::hash::PartsHash;
use tenter_policy::policy::Handler;

use super::LocalMachine;
use super::folders::{self, Folders};
use crate::error::CommandError;

/// Maximum size of a script; a handler that runs a larger one cannot be trusted.
const LARGEST: u64 = 4 * 1024 * 1024;
/// Maximum size of the file: enough for a hundred thousand entries.
const MOST: u64 = 32 * 1024 * 1024;
/// Maximum wait for another writer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A handler of a project's policy.
    Handler,
    /// A finding of `tenter scan`.
    Found,
}

impl Class {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Handler => "handler",
            Self::Found => "found",
        }
    }
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) fingerprint: String,
    pub(crate) class: Class,
    /// Its folder; empty in old entries.
    pub(crate) root: String,
    /// Its place in the folder; the name of a handler.
    pub(crate) place: String,
    /// Seconds since 1970.
    pub(crate) at: u64,
}

impl Entry {
    fn line(&self) -> String {
        let Self { fingerprint, class, root, place, at } = self;
        format!("{fingerprint}\t{}\t{}\t{}\t{at}", class.as_str(), escaped(root), escaped(place))
    }

    /// Parses a line; an invalid one trusts nothing.
    fn read(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let fingerprint = fields.next().filter(|text| is_hash(text))?.to_owned();
        let class = match fields.next() {
            None | Some("handler") => Class::Handler,
            Some("found") => Class::Found,
            Some(_) => return None,
        };
        let mut text = || fields.next().map(unescaped).unwrap_or_default();
        let (root, place) = (text(), text());
        let at = text().parse().unwrap_or_default();
        Some(Self { fingerprint, class, root, place, at })
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A text without tabs and line breaks.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        if letter.is_control() || letter == '%' {
            let _ = write!(line, "%{:04x}", u32::from(letter));
        } else {
            line.push(letter);
        }
    }
    line
}

fn unescaped(text: &str) -> String {
    let mut parts = text.split('%');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_at_checked(4).unwrap_or(("", part));
        whole.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
        whole.push_str(rest);
    }
    whole
}

fn file(folders: &Folders) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join("trusted"))
}

/// A hash of what the handler runs: its words, and the content of every file among them.
pub(crate) fn fingerprint(handler: &Handler, machine: &LocalMachine) -> io::Result<String> {
    let mut hash = PartsHash::default();
    let mut folder = PathBuf::from(machine.cwd.as_deref().unwrap_or_default());
    if let Some(foreign) = &handler.foreign {
        // Its folder, event and matcher affect what it does.
        for text in [foreign.speaks.as_str(), &foreign.event, &foreign.matcher, &foreign.cwd] {
            hash.part(text);
        }
        folder = folder.join(&foreign.cwd);
    }
    for word in &handler.run {
        hash.part(word);
        let path = folder.join(word);
        // Most words are not file names.
        if !path.metadata().is_ok_and(|found| found.is_file()) {
            continue;
        }
        let bytes = tenter_files::read(&path, LARGEST, Whose::Anyone);
        hash.part(bytes.map_err(|error| match Refused::of(&error) {
            Some(why) => io::Error::other(format!("{}: {why}", path.display())),
            None => error,
        })?);
    }
    Ok(hash.hex())
}

pub(crate) fn is_trusted(handler: &Handler, machine: &LocalMachine) -> bool {
    let Ok(wanted) = fingerprint(handler, machine) else { return false };
    read(&machine.folders).is_some_and(|known| {
        let lines = known.lines().filter(|line| line.starts_with(&wanted));
        lines.filter_map(Entry::read).any(|it| it.class == Class::Handler)
    })
}

fn read(folders: &Folders) -> Option<String> {
    folders::read_private(&file(folders)?, MOST).ok()
}

/// All approvals; empty without a file.
pub(crate) fn all(folders: &Folders) -> Vec<Entry> {
    read(folders).unwrap_or_default().lines().filter_map(Entry::read).collect()
}

/// Changes the approvals under a lock.
pub(crate) fn change(
    folders: &Folders,
    change: impl FnOnce(&mut Vec<Entry>),
) -> Result<(), CommandError> {
    let Some(file) = file(folders) else {
        return Err(CommandError::internal("no folder for state: HOME is not set"));
    };
    let write = || {
        let _lock = lock(&file)?;
        let mut entries = all(folders);
        change(&mut entries);
        let mut text = String::new();
        for entry in &entries {
            text.push_str(&entry.line());
            text.push('\n');
        }
        folders::replace(&file, text.as_bytes())
    };
    write().map_err(|error: io::Error| {
        CommandError::internal(format!("cannot write {}: {error}", file.display()))
    })
}

/// Released when dropped, or when its holder dies.
fn lock(file: &Path) -> io::Result<std::fs::File> {
    if let Some(folder) = file.parent() {
        folders::make_private(folder)?;
    }
    let options = &mut OpenOptions::new();
    let lock = folders::open_private(
        &file.with_extension("lock"),
        options.write(true).create(true).truncate(false),
    )?;
    tenter_files::lock_within(&lock, PATIENCE).map_err(|_| {
        let why = "another process has kept it locked for 10 seconds";
        io::Error::new(io::ErrorKind::WouldBlock, why)
    })?;
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(fingerprint: &str, place: &str) -> Entry {
        Entry {
            fingerprint: fingerprint.repeat(64),
            class: Class::Found,
            root: "/w/a\tb%20\n".to_owned(),
            place: place.to_owned(),
            at: 7,
        }
    }

    fn folders(state: &Path) -> Folders {
        let state = state.to_str().unwrap().to_owned();
        Folders::of(move |name| (name == "XDG_STATE_HOME").then(|| state.clone()))
    }

    #[test]
    fn an_entry_is_one_line_whatever_it_holds() {
        let one = entry("a", "x\u{1b} ü\r%0041");
        assert_eq!(one.line().lines().count(), 1);
        assert_eq!(one.line().split('\t').count(), 5);
        assert_eq!(Entry::read(&one.line()), Some(one));
    }

    #[test]
    fn an_old_line_is_a_handler_and_a_strange_one_is_nothing() {
        let old = Entry::read(&"0".repeat(64)).unwrap();
        assert_eq!((old.class, old.root.as_str()), (Class::Handler, ""));
        for strange in ["", "x", &"g".repeat(64), &format!("{}\tking", "0".repeat(64))] {
            assert_eq!(Entry::read(strange), None, "{strange}");
        }
    }

    #[test]
    fn nothing_is_lost_when_many_write_at_once() {
        let scratch = tempfile::tempdir().unwrap();
        let folders = folders(scratch.path());
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let folders = &folders;
                scope.spawn(move || {
                    for number in 0..10 {
                        let new = entry("b", &format!("{thread} {number}"));
                        change(folders, |entries| entries.push(new)).unwrap();
                    }
                });
            }
        });
        assert_eq!(all(&folders).len(), 80);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let folders = folders(scratch.path());
        change(&folders, |entries| entries.push(entry("c", "x"))).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let state = folders.state.as_ref().unwrap();
        assert_eq!(mode(state), 0o700);
        assert_eq!(mode(&state.join("trusted")), 0o600);
    }
}
