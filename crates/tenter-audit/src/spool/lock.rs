//! Locks the spool for the duration of one write.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

/// Maximum wait of a call. Holders need far less than a millisecond, unless they were stopped.
pub(super) const OF_CALL: Duration = Duration::from_millis(50);
/// Maximum wait for the counter of unrecorded calls, which is less important.
pub(super) const OF_COUNT: Duration = Duration::from_millis(20);
/// Maximum wait of a reader: side records that it cannot add it reads in place.
pub(super) const OF_READER: Duration = Duration::from_millis(500);
/// Maximum wait of a command that needs the lock.
pub(super) const OF_CHANGE: Duration = Duration::from_secs(5);

/// Locks the file exclusively until it is closed or the process ends.
pub(super) fn hold(file: &File, patience: Duration) -> io::Result<()> {
    tenter_files::lock_within(file, patience).map_err(|error| match error {
        TryLockError::WouldBlock => {
            let why = format!("another process has kept it locked for {patience:?}");
            io::Error::new(io::ErrorKind::WouldBlock, why)
        }
        // Some file systems, such as network ones, do not support locks.
        TryLockError::Error(error) => {
            let why = format!(
                "the file cannot be locked, and parallel calls would mix their lines: {error}"
            );
            io::Error::new(error.kind(), why)
        }
    })
}
