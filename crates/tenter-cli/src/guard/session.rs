//! What a session remembers: one small file per session, one line per thing.

use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_files::Whose;
use tenter_model::Event;
use tenter_policy::secrets::{self, Known};

use super::LocalMachine;
use super::folders;

/// A file this long belongs to a session that repeats itself.
pub(super) const LONGEST: usize = 256 * 1024;
/// A longer one was not written by us.
const MOST: u64 = 8 * LONGEST as u64;

/// A UUID is this long. An id that is longer may hold anything, so only its hash is written.
pub(super) const LONGEST_ID: usize = 36;

/// How long another call of the session is waited for. It needs far less, unless it was stopped.
const PATIENCE: Duration = Duration::from_millis(200);

/// The file of the session an event belongs to; none if the host does not name the session.
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

/// Whether an id looks like a secret that somebody gave for one. Hosts give UUIDs.
fn is_secret(id: &str, machine: &LocalMachine) -> bool {
    let is_uuid = id.len() == LONGEST_ID
        && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && id.bytes().filter(|byte| *byte == b'-').count() == 4;
    let cleaned = || secrets::redact(id, &Known { values: &machine.secrets() }).into_owned();
    !is_uuid && cleaned() != id
}

/// What the session remembers. A file that cannot be read is said, never taken for an empty one.
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

/// Replaces what the session remembers.
pub(super) fn write(file: &Path, text: &str) -> Result<(), String> {
    folders::replace(file, text.as_bytes()).map_err(|error| {
        format!("cannot remember this for the session ({}): {error}", file.display())
    })
}

/// Keeps other calls of the session from writing until the lock is dropped, or the process ends. None
/// if somebody else keeps it for too long, or files cannot be locked here.
pub(super) fn lock(file: &Path) -> Option<File> {
    folders::make_private(file.parent()?).ok()?;
    // The file itself is replaced with every write, so a second one stands for it.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let lock = folders::open_private(&file.with_extension("lock"), &mut options).ok()?;
    tenter_files::lock_within(&lock, PATIENCE).ok().map(|()| lock)
}
