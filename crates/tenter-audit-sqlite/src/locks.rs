//! Checks whether a process blocks the locks that readers of the database need.
//!
//! `SQLite` tries for ten seconds to lock the memory shared with other readers (`index.sqlite-shm`), whatever
//! its timeout. No legitimate process holds it that long, so this checks first. It reads the kernel's list of
//! locks: testing a lock needs an open file, and closing that would release this process's own locks.

use std::path::Path;
use std::time::{Duration, Instant};

use tenter_files::Whose;

/// Byte range of reader locks: five read marks, and one for having the file open.
const READERS: std::ops::RangeInclusive<u64> = 123..=128;
const NAP: Duration = Duration::from_millis(20);
/// Maximum size of the list of locks.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Whether another process blocks readers of this file for all of `patience`. False where the system has no
/// list of locks.
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

/// Whether a line describes a lock that blocks readers: `1: POSIX  ADVISORY  WRITE 4711 fd:01:123456 0 EOF`.
/// Files on other disks may have the same inode number.
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
