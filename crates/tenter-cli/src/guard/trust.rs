//! Which handlers of projects a human has looked at, bound to what they run to the byte.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use tenter_policy::policy::Handler;

use super::Machine;
use super::folders::{self, Folders};

/// The largest script that is looked at; a handler that runs a larger one cannot be trusted.
const LARGEST: u64 = 4 * 1024 * 1024;

fn file(folders: &Folders) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join("trusted"))
}

/// A hash of what the handler runs: its words, and the content of every file among them.
pub(crate) fn fingerprint(handler: &Handler, machine: &Machine) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for word in &handler.run {
        part(word.as_bytes());
        let path = machine
            .cwd
            .as_deref()
            .map_or_else(|| PathBuf::from(word), |cwd| PathBuf::from(cwd).join(word));
        let Ok(found) = std::fs::metadata(&path) else { continue };
        if !found.is_file() {
            continue;
        }
        if found.len() > LARGEST {
            return Err(io::Error::other(format!("{} is too large to look at", path.display())));
        }
        part(&std::fs::read(&path)?);
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

pub(crate) fn is_trusted(handler: &Handler, machine: &Machine) -> bool {
    let Ok(wanted) = fingerprint(handler, machine) else { return false };
    let known = file(&machine.folders).and_then(|file| std::fs::read_to_string(file).ok());
    known.is_some_and(|known| known.lines().any(|line| line == wanted))
}

/// Trusts a handler as it is now.
pub(crate) fn add(fingerprint: &str, machine: &Machine) -> Result<(), String> {
    let Some(file) = file(&machine.folders) else {
        return Err("no folder for state: HOME is not set".to_owned());
    };
    let append = || {
        if let Some(folder) = file.parent() {
            folders::make_private(folder)?;
        }
        let mut open = folders::open_private(&file, OpenOptions::new().append(true).create(true))?;
        writeln!(open, "{fingerprint}")
    };
    append().map_err(|error: io::Error| format!("cannot write {}: {error}", file.display()))
}
