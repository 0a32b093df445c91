//! Anchors: number and hash of recent records, kept outside the record.
//!
//! A chain whose end was removed, or that was removed entirely, still verifies. So a writer regularly stores
//! the number and hash of its record in a file elsewhere; `verify` checks that the record still contains
//! them. Anchors are only appended: a restarted chain does not match those of the old one.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use tenter_files::Whose;

use crate::spool::make_private;

/// Interval of anchors: up to this many records can be removed from the end unnoticed.
const EVERY: u64 = 64;
/// Maximum number of bytes read of the anchor file.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Anchors kept when the file is thinned out.
const STAY: usize = 64;

/// Number and hash of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub seq: u64,
    pub hash: String,
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

impl FromStr for Anchor {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "expected the number and the hash of a record, NUMBER:HASH";
        let (seq, hash) = text.split_once(':').ok_or(wrong)?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let seq = seq.parse().ok().filter(|seq| *seq > 0 && is_hash).ok_or(wrong)?;
        Ok(Self { seq, hash: hash.to_ascii_lowercase() })
    }
}

/// An anchor with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorNote {
    pub anchor: Anchor,
    /// Milliseconds since 1970.
    pub at: u64,
}

/// Whether to store an anchor for this record number: powers of two first, then every 64th.
pub fn is_due(seq: u64) -> bool {
    // A side record has no number yet.
    seq > 0 && seq.is_multiple_of(EVERY) || (seq < EVERY && seq.is_power_of_two())
}

/// Appends an anchor.
pub fn keep(file: &Path, note: &AnchorNote) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    let opened = match tenter_files::open_with(file, &mut options, Whose::State) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_private(file.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
            tenter_files::open_with(file, &mut options, Whose::State)
        }
        opened => opened,
    };
    opened?.write_all(line(note).as_bytes())
}

fn line(note: &AnchorNote) -> String {
    format!("{} {}\n", note.anchor, note.at)
}

/// All anchors, oldest first. Invalid lines are skipped.
pub fn kept(file: &Path) -> io::Result<Vec<AnchorNote>> {
    let text = match tenter_files::read_text(file, LONGEST, Whose::State) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let note = |line: &str| {
        let (anchor, at) = line.split_once(' ')?;
        Some(AnchorNote { anchor: anchor.parse().ok()?, at: at.trim().parse().ok()? })
    };
    Ok(text.lines().filter_map(note).collect())
}

/// Keeps only the latest anchors after all were verified. An anchor added meanwhile may be lost.
pub fn thin_out(file: &Path, notes: &[AnchorNote]) -> io::Result<()> {
    let Some(gone) = notes.len().checked_sub(STAY).filter(|gone| *gone > STAY) else {
        return Ok(());
    };
    let text: String = notes.iter().skip(gone).map(line).collect();
    let beside = file.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    tenter_files::open_with(&beside, &mut options, Whose::State)?.write_all(text.as_bytes())?;
    std::fs::rename(&beside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(seq: u64, digit: char) -> AnchorNote {
        AnchorNote { anchor: Anchor { seq, hash: digit.to_string().repeat(64) }, at: seq * 10 }
    }

    #[test]
    fn notes_are_added_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tenterhook/anchors");
        assert_eq!(kept(&file).unwrap(), []);
        keep(&file, &note(1, 'a')).unwrap();
        std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"x\n").unwrap();
        keep(&file, &note(1, 'b')).unwrap();
        assert_eq!(kept(&file).unwrap(), [note(1, 'a'), note(1, 'b')]);
        let many: Vec<AnchorNote> = (1..=200).map(|seq| note(seq, 'c')).collect();
        thin_out(&file, &many).unwrap();
        assert_eq!(kept(&file).unwrap().len(), 64);
        assert_eq!(kept(&file).unwrap().last(), Some(&note(200, 'c')));
    }

    #[test]
    fn the_first_records_are_noted_and_then_every_64th() {
        let due: Vec<u64> = (1..300).filter(|seq| is_due(*seq)).collect();
        assert_eq!(due, [1, 2, 4, 8, 16, 32, 64, 128, 192, 256]);
    }

    #[test]
    fn an_anchor_is_a_number_and_a_hash() {
        let text = format!("17:{}", "ab".repeat(32));
        assert_eq!(text.parse::<Anchor>().unwrap().to_string(), text);
        for wrong in ["", "17", "17:ab", ":ab", "0:ab"] {
            assert!(wrong.parse::<Anchor>().is_err(), "{wrong}");
        }
    }
}
