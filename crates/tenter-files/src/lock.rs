//! File locks with a bounded wait.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

const FIRST_NAP: Duration = Duration::from_micros(100);
const LONGEST_NAP: Duration = Duration::from_millis(2);

/// Locks the file exclusively until it is closed or the process ends, waiting at most `patience`: anyone who
/// can open a file can hold its lock for ever.
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
