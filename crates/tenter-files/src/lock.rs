//! Waiting for a lock, but never for long.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

const FIRST_NAP: Duration = Duration::from_micros(100);
const LONGEST_NAP: Duration = Duration::from_millis(2);

/// Keeps others from locking the file until it is closed or the process ends, however it ends. Whoever holds it
/// is waited for up to `patience`: anybody who can open a file can hold its lock for ever.
pub fn lock_within(file: &File, patience: Duration) -> Result<(), TryLockError> {
    let mut nap = FIRST_NAP;
    let mut begun = None;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            settled => return settled,
        }
        if begun.get_or_insert_with(Instant::now).elapsed() >= patience {
            return Err(TryLockError::WouldBlock);
        }
        std::thread::sleep(nap.min(patience));
        nap = nap.saturating_mul(2).min(LONGEST_NAP);
    }
}
