//! What a session remembers: one small file per session, one line per thing.

use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::PathBuf;

use tenter_model::Event;
use tenter_policy::{Memo, Memory};

use super::folders::{self, Folders};

/// A file this long belongs to a session that repeats itself.
const LONGEST: u64 = 256 * 1024;

/// The file of the session an event belongs to; none if the host does not name the session.
fn file(event: &Event<'_>, folders: &Folders) -> Option<PathBuf> {
    let session = event.session_id.as_deref().filter(|id| !id.is_empty())?;
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let name = if session.len() <= 100 && session.chars().all(plain) {
        format!("{}-{session}", event.host)
    } else {
        let mut hash = DefaultHasher::new();
        session.hash(&mut hash);
        format!("{}-{:016x}", event.host, hash.finish())
    };
    Some(folders.state.as_ref()?.join("sessions").join(name))
}

/// What the session remembers. A file that cannot be read is said, never taken for an empty one.
pub(crate) fn recall(event: &Event<'_>, folders: &Folders) -> Result<Memory, String> {
    let Some(file) = file(event, folders) else { return Ok(Memory::new()) };
    match std::fs::read(&file) {
        Ok(bytes) => Ok(Memory::parse(&String::from_utf8_lossy(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Memory::new()),
        Err(error) => {
            Err(format!("cannot read what the session remembers ({}): {error}", file.display()))
        }
    }
}

/// Adds to what the session remembers, in one write.
pub(crate) fn remember(event: &Event<'_>, folders: &Folders, memos: &[Memo]) -> Result<(), String> {
    if memos.is_empty() {
        return Ok(());
    }
    let Some(file) = file(event, folders) else { return Ok(()) };
    let lines: String = memos.iter().map(Memo::line).collect();
    let append = || {
        if let Some(folder) = file.parent() {
            folders::make_private(folder)?;
        }
        let mut open = folders::open_private(&file, OpenOptions::new().append(true).create(true))?;
        if open.metadata()?.len() > LONGEST {
            return Ok(());
        }
        open.write_all(lines.as_bytes())
    };
    append().map_err(|error: io::Error| {
        format!("cannot remember this for the session ({}): {error}", file.display())
    })
}
