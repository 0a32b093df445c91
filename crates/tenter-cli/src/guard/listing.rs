//! Lists a folder or an archive: names only, up to a limit.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use tenter_files::Whose;
use tenter_policy::Listing;

/// Maximum number of names.
const MOST_NAMES: usize = 4096;
/// Maximum number of tar headers.
const MOST_HEADERS: usize = 4096;
/// Number of bytes read at a zip archive's end, where its directory is.
const ZIP_END: u64 = 512 * 1024;
const BLOCK: u64 = 512;

pub(super) fn list(path: &str) -> Option<Listing> {
    let path = Path::new(path);
    let found = path.metadata().ok()?;
    if found.is_dir() {
        return folder(path);
    }
    if !found.is_file() {
        return None;
    }
    let mut file = tenter_files::open(path, Whose::Anyone).ok()?;
    let mut start = [0; 512];
    let read = file.read(&mut start).ok()?;
    let start = start.get(..read)?;
    if start.starts_with(b"PK") {
        zip(&mut file, found.len())
    } else if start.get(257..262) == Some(b"ustar") {
        tar(&mut file, found.len())
    } else {
        None
    }
}

fn folder(path: &Path) -> Option<Listing> {
    let mut listing = Listing { whole: true, ..Listing::default() };
    for entry in std::fs::read_dir(path).ok()? {
        if listing.names.len() >= MOST_NAMES {
            listing.whole = false;
            break;
        }
        // No protected path has a name that is not UTF-8.
        listing.names.extend(entry.ok().and_then(|entry| entry.file_name().into_string().ok()));
    }
    Some(listing)
}

/// Names from tar headers. Long names are in a member of their own and are truncated here: such an archive
/// counts as incompletely listed.
fn tar(file: &mut File, size: u64) -> Option<Listing> {
    let mut listing = Listing { archive: true, whole: true, ..Listing::default() };
    let mut at = 0_u64;
    let mut header = [0; 512];
    for _ in 0..MOST_HEADERS {
        if at.saturating_add(BLOCK) > size {
            return Some(listing);
        }
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut header).ok()?;
        let name = field(&header, 0, 100);
        if name.is_empty() {
            return Some(listing);
        }
        // GNU and pax store long names elsewhere.
        if matches!(header.get(156), Some(b'L' | b'K' | b'x' | b'g')) {
            listing.whole &= header.get(156) == Some(&b'g');
        } else {
            let prefix = field(&header, 345, 155);
            let whole = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            listing.names.push(whole);
        }
        let length = u64::from_str_radix(field(&header, 124, 12).trim(), 8).ok()?;
        at = at.checked_add(BLOCK)?.checked_add(length.div_ceil(BLOCK).checked_mul(BLOCK)?)?;
    }
    listing.whole = false;
    Some(listing)
}

fn field(header: &[u8], from: usize, length: usize) -> String {
    let bytes = header.get(from..from.saturating_add(length)).unwrap_or_default();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// Names from a zip archive's directory.
fn zip(file: &mut File, size: u64) -> Option<Listing> {
    let from = size.saturating_sub(ZIP_END);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut end = Vec::new();
    file.take(ZIP_END).read_to_end(&mut end).ok()?;
    let record = end.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let directory = u64::from(number(&end, record.checked_add(16)?, 4)?);
    let count = number(&end, record.checked_add(10)?, 2)?;
    let mut at = usize::try_from(directory.checked_sub(from)?).ok()?;
    let mut listing = Listing { archive: true, whole: count < 0xFFFF, ..Listing::default() };
    while end.get(at..at.checked_add(4)?) == Some(b"PK\x01\x02") {
        if listing.names.len() >= MOST_NAMES {
            listing.whole = false;
            break;
        }
        let length = |offset: usize| number(&end, at.checked_add(offset)?, 2);
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let from = at.checked_add(46)?;
        let to = from.checked_add(usize::try_from(name).ok()?)?;
        listing.names.push(String::from_utf8_lossy(end.get(from..to)?).into_owned());
        at = to.checked_add(usize::try_from(extra.checked_add(comment)?).ok()?)?;
    }
    Some(listing)
}

/// A little-endian number.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn header(name: &str, size: usize) -> Vec<u8> {
        let mut header = name.as_bytes().to_vec();
        header.resize(124, 0);
        header.extend(format!("{size:011o}").as_bytes());
        header.resize(257, 0);
        header.extend(b"ustar");
        header.resize(512, 0);
        header
    }

    #[test]
    fn folders_and_archives_are_listed_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "").unwrap();
        let tar = [
            header("./x/a", 3),
            vec![b'.'; 512],
            header(".claude/settings.json", 0),
            vec![0; 1024],
        ];
        std::fs::write(at("t.tar"), tar.concat()).unwrap();
        let mut zip = b"PK\x03\x04data".to_vec();
        let directory = zip.len();
        zip.extend(b"PK\x01\x02");
        zip.extend([0; 24]);
        zip.extend([3, 0, 0, 0, 0, 0]);
        zip.extend([0; 12]);
        zip.extend(b"x/y");
        zip.extend(b"PK\x05\x06");
        zip.extend([0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
        zip.extend(u32::try_from(directory).unwrap().to_le_bytes());
        zip.extend([0, 0]);
        std::fs::write(at("z.zip"), zip).unwrap();
        let names = |name: &str| list(at(name).to_str().unwrap()).map(|it| (it.names, it.whole));
        let mut all = names(".").unwrap();
        all.0.sort();
        assert_eq!(all, (vec!["a".into(), "t.tar".into(), "z.zip".into()], true));
        assert_eq!(
            names("t.tar"),
            Some((vec!["./x/a".into(), ".claude/settings.json".into()], true))
        );
        assert_eq!(names("z.zip"), Some((vec!["x/y".into()], true)));
        assert_eq!(names("a"), None);
        assert_eq!(names("missing"), None);
    }
}
