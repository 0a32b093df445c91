//! Whether somebody keeps the locks that every reader of the database needs.
//!
//! `SQLite` tries for ten seconds to get a lock on the memory it shares with other readers (`index.sqlite-shm`),
//! whatever time it was given. Nobody honest holds one for so long, so this looks before. It reads the system's
//! list: to ask for a lock takes an open file, and to close that would give up the locks of this process.

use std::path::Path;
use std::time::{Duration, Instant};

use tenter_files::Whose;

/// Bytes of the file that readers lock: five marks of what they read, and one for having it open.
const READERS: std::ops::RangeInclusive<u64> = 123..=128;
const NAP: Duration = Duration::from_millis(20);
/// No list of locks is longer.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Whether another process keeps a lock on this file from readers for all of this time. Where the system has no
/// list of locks, nobody is taken to.
pub(crate) fn are_kept(shared: &Path, patience: Duration) -> bool {
    let Some(inode) = inode(shared) else { return false };
    let begun = Instant::now();
    loop {
        let list = tenter_files::read_text(Path::new("/proc/locks"), LONGEST, Whose::Anyone);
        if !list.is_ok_and(|list| list.lines().any(|line| keeps(line, inode))) {
            return false;
        }
        if begun.elapsed() >= patience {
            return true;
        }
        std::thread::sleep(NAP);
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|found| found.ino())
}

#[cfg(not(unix))]
fn inode(_path: &Path) -> Option<u64> {
    None
}

/// Whether a line tells of a lock that keeps readers out:
/// `1: POSIX  ADVISORY  WRITE 4711 fd:01:123456 0 EOF`. Files of other disks may have the same number.
fn keeps(line: &str, inode: u64) -> bool {
    let mut words = line.split_ascii_whitespace().skip(1);
    let kind = [words.next(), words.nth(1)];
    if kind != [Some("POSIX"), Some("WRITE")] {
        return false;
    }
    let file = words.nth(1).and_then(|file| file.rsplit(':').next()?.parse::<u64>().ok());
    let start = words.next().and_then(|start| start.parse::<u64>().ok()).unwrap_or(u64::MAX);
    let end = words.next().map_or(0, |end| end.parse().unwrap_or(u64::MAX));
    file == Some(inode) && start <= *READERS.end() && end >= *READERS.start()
}

#[cfg(test)]
mod tests {
    use super::keeps;

    #[test]
    fn only_locks_that_keep_readers_out_count() {
        for line in [
            "1: POSIX  ADVISORY  WRITE 4711 fd:01:77 0 EOF",
            "12: POSIX  ADVISORY  WRITE 4711 00:2f:77 128 128",
            "12: POSIX  ADVISORY  WRITE 4711 00:2f:77 100 123",
        ] {
            assert!(keeps(line, 77), "{line}");
        }
        for line in [
            "",
            "1: FLOCK  ADVISORY  WRITE 4711 fd:01:77 0 EOF",
            "1: POSIX  ADVISORY  READ 4711 fd:01:77 128 128",
            "1: POSIX  ADVISORY  WRITE 4711 fd:01:78 0 EOF",
            "1: POSIX  ADVISORY  WRITE 4711 fd:01:77 120 122",
            "1: POSIX  ADVISORY  WRITE 4711 fd:01:77 129 EOF",
            "1: -> POSIX  ADVISORY  WRITE 4711 fd:01:77 0 EOF",
        ] {
            assert!(!keeps(line, 77), "{line}");
        }
    }
}
