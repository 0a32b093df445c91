//! Holding the spool for the moment of one line.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

/// How long a call waits for others. Each needs far less than a millisecond, unless it was stopped.
pub(super) const OF_CALL: Duration = Duration::from_millis(50);
/// How long it waits for the count of what was lost, which matters less.
pub(super) const OF_COUNT: Duration = Duration::from_millis(20);
/// How long a reader waits: what it cannot add to the chain it reads where it stands.
pub(super) const OF_READER: Duration = Duration::from_millis(500);
/// How long somebody waits who can do nothing without it.
pub(super) const OF_CHANGE: Duration = Duration::from_secs(5);

/// Keeps others from writing until the file is closed or the process ends, however it ends.
pub(super) fn hold(file: &File, patience: Duration) -> io::Result<()> {
    tenter_files::lock_within(file, patience).map_err(|error| match error {
        TryLockError::WouldBlock => {
            let why = format!("another process has kept it locked for {patience:?}");
            io::Error::new(io::ErrorKind::WouldBlock, why)
        }
        // Some file systems, such as those of a network, lock no files.
        TryLockError::Error(error) => {
            let why = format!(
                "the file cannot be locked, and parallel calls would mix their lines: {error}"
            );
            io::Error::new(error.kind(), why)
        }
    })
}
