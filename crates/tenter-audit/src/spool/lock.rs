//! Holding the spool for the moment of one line.

use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, Instant};

/// How long the others are waited for. Each needs far less than a millisecond, unless it was stopped.
const PATIENCE: Duration = Duration::from_secs(5);
const FIRST_NAP: Duration = Duration::from_micros(100);
const LONGEST_NAP: Duration = Duration::from_millis(2);

/// Keeps others from writing until the file is closed or the process ends, however it ends.
pub(super) fn hold(file: &File) -> io::Result<()> {
    let mut nap = FIRST_NAP;
    let mut begun = None;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => {
                // Some file systems, such as those of a network, lock no files.
                let why = format!(
                    "the file cannot be locked, and parallel calls would mix their lines: {error}"
                );
                return Err(io::Error::new(error.kind(), why));
            }
            Err(TryLockError::WouldBlock) => {}
        }
        if begun.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            let why = "another process has held it for five seconds";
            return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
        }
        std::thread::sleep(nap);
        nap = nap.saturating_mul(2).min(LONGEST_NAP);
    }
}
