//! Session memory on disk: one small file per session, one line per fact.

use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_files::Whose;
use tenter_model::Event;
use tenter_policy::secrets::{self, Known};

use super::LocalMachine;
use super::folders;

/// Size from which a file is thinned out.
pub(super) const LONGEST: usize = 256 * 1024;
/// Maximum size; a longer file was not written by us.
const MOST: u64 = 8 * LONGEST as u64;

/// Length of a UUID. A longer id may contain anything, so only its hash is written.
pub(super) const LONGEST_ID: usize = 36;

/// Maximum wait for another call of the session.
const PATIENCE: Duration = Duration::from_millis(200);

/// The session file of an event; `None` if the host sends no session id.
pub(super) fn file(event: &Event<'_>, machine: &LocalMachine) -> Option<PathBuf> {
    let session = event.session_id.as_deref().filter(|id| !id.is_empty())?;
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let name = if session.len() <= LONGEST_ID
        && session.chars().all(plain)
        && !is_secret(session, machine)
    {
        format!("{}-{session}", event.host)
    } else {
        let mut hash = DefaultHasher::new();
        session.hash(&mut hash);
        format!("{}-{:016x}", event.host, hash.finish())
    };
    Some(machine.folders.state.as_ref()?.join("sessions").join(name))
}

/// Whether an id looks like a secret. Hosts send UUIDs.
fn is_secret(id: &str, machine: &LocalMachine) -> bool {
    let is_uuid = id.len() == LONGEST_ID
        && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && id.bytes().filter(|byte| *byte == b'-').count() == 4;
    let cleaned = || secrets::redact(id, &Known { values: &machine.secrets() }).into_owned();
    !is_uuid && cleaned() != id
}

/// Reads the session memory. An unreadable file is an error, never an empty memory.
pub(super) fn read(file: &Path) -> Result<String, String> {
    match tenter_files::read(file, MOST, Whose::State) {
        Ok(bytes) => Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())),
        Err(error) if folders::missing(&error) => Ok(String::new()),
        Err(error) => {
            Err(format!("cannot read what the session remembers ({}): {error}", file.display()))
        }
    }
}

/// Replaces the session memory.
pub(super) fn write(file: &Path, text: &str) -> Result<(), String> {
    folders::replace(file, text.as_bytes()).map_err(|error| {
        format!("cannot remember this for the session ({}): {error}", file.display())
    })
}

/// Locks the session against other calls until dropped. `None` on timeout, or if files cannot be locked here.
pub(super) fn lock(file: &Path) -> Option<File> {
    folders::make_private(file.parent()?).ok()?;
    // The file itself is replaced by every write, so a separate one is locked.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = folders::open_private(&file.with_extension("lock"), &mut options).ok()?;
    tenter_files::lock_within(&lock, PATIENCE).ok().map(|()| lock)
}
