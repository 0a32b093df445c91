//! Reads the spool while others write to it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use tenter_files::Whose;

use super::{CURRENT, ENDING, LONGEST_LINE, Spool, read_all_at, side};
use crate::chain::{End, Link};
use crate::record::Record;

/// Maximum number of listings, if the folder changes every time.
const LOOKS: usize = 8;

/// Position of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Number of its segment's first record: segments are renamed, but keep it.
    pub segment: u64,
    pub offset: u64,
    /// Without line feed.
    pub length: u32,
}

/// One file of the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The number of its first record.
    pub first: u64,
    pub path: PathBuf,
    pub bytes: u64,
    /// Whether it receives new lines.
    pub is_current: bool,
}

/// A parsed spool line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Has the format of a record; not verified yet.
    Line { place: Place, text: String },
    /// Not a record: torn, damaged or foreign.
    Torn { place: Place },
}

impl Spool {
    /// All segments in order, without empty ones.
    pub fn segments(&self) -> io::Result<Vec<Segment>> {
        super::place::check(self.folder())?;
        let mut found = Vec::new();
        for _ in 0..LOOKS {
            // Every segment before the current one was renamed before the current one got its first record.
            // So listing the folder after reading the current segment misses nothing.
            let current = segment(&self.current())?;
            found = self.closed_segments()?;
            if let Some(current) = current {
                // Segments closed since then are left to the next call.
                found.retain(|segment| segment.first < current.first);
                found.push(current);
                break;
            }
            if segment(&self.current())?.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn closed_segments(&self) -> io::Result<Vec<Segment>> {
        let entries = match std::fs::read_dir(self.folder()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            if name != CURRENT && name.as_encoded_bytes().ends_with(ENDING.as_bytes()) {
                found.extend(segment(&self.folder().join(name))?);
            }
        }
        found.sort_by(|one, other| (one.first, &one.path).cmp(&(other.first, &other.path)));
        Ok(found)
    }

    /// The line at a position; `None` if its segment was pruned.
    pub fn fetch(&self, place: Place) -> io::Result<Option<String>> {
        if side::is_beside(&place.segment) {
            return Ok(self.line_beside(place.segment)?.map(|(_, line)| line));
        }
        let mut damaged = None;
        // It may be renamed meanwhile, and names may be taken by others.
        let copies = (2..5).map(|copy| self.copy(place.segment, copy));
        let names = [self.closed(place.segment), self.current(), self.closed(place.segment)];
        for path in names.into_iter().chain(copies) {
            let file = match open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    damaged = damaged.or(Some(Err(error)));
                    continue;
                }
            };
            if path.ends_with(CURRENT) && first_number(&file).ok() != Some(place.segment) {
                continue;
            }
            match fetch(&file, place) {
                Ok(line) if End::of(&line).is_some() => return Ok(Some(line)),
                other => damaged = damaged.or(Some(other)),
            }
        }
        damaged.transpose()
    }

    /// The last bytes of the line that ends at an offset, without line feed. Torn lines after it are skipped.
    pub(crate) fn end_before(segment: &Segment, offset: u64) -> io::Result<Option<String>> {
        let file = segment.open()?;
        let Some((_, end)) = whole_end(&file, offset)? else { return Ok(None) };
        let end = end.saturating_sub(1);
        let from = end.saturating_sub(crate::chain::TAIL as u64);
        let mut tail = vec![0; usize::try_from(end.saturating_sub(from)).unwrap_or_default()];
        read_all_at(&file, &mut tail, from)?;
        Ok(Some(String::from_utf8_lossy(&tail).into_owned()))
    }

    /// The record at a place.
    pub fn record(&self, place: Place) -> io::Result<Option<Record<'static>>> {
        let Some(line) = self.fetch(place)? else { return Ok(None) };
        Record::parse(&line).map(Some).map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidData, format!("a damaged record: {error}"))
        })
    }
}

/// Opens a file for reading; the error names it, since a spool has many.
pub(super) fn open(path: &Path) -> io::Result<File> {
    tenter_files::open(path, Whose::State).map_err(|error| named(path, &error))
}

/// Adds the file's name to an error.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Reads the line at a position of an open file.
pub(crate) fn fetch(file: &File, place: Place) -> io::Result<String> {
    let mut line = vec![0; place.length as usize];
    let length = read_all_at(file, &mut line, place.offset)?;
    line.truncate(length);
    String::from_utf8(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn segment(path: &Path) -> io::Result<Option<Segment>> {
    let file = match open(path) {
        Ok(file) => file,
        // Renamed or pruned meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let bytes = file.metadata()?.len();
    let is_current = path.ends_with(CURRENT);
    // A permanent name contains the number, so the file need not be read.
    let named = |name: &str| name.split('-').next().and_then(|number| number.parse().ok());
    let named = path.file_stem().and_then(|name| named(name.to_str()?));
    let first = match named.map_or_else(|| first_number(&file), Ok) {
        Ok(first) => first,
        // Empty, or not ours.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(Segment { first, path: path.to_owned(), bytes, is_current }))
}

/// The number of the first record of a file.
pub(super) fn first_number(file: &File) -> io::Result<u64> {
    let mut lines = Lines::over(file.try_clone()?, 0, 0)?;
    while let Some(entry) = lines.next_entry()? {
        if let Entry::Line { text, .. } = entry
            && let Some(end) = End::of(&text)
        {
            return Ok(end.seq);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a file of the spool without a record"))
}

/// The last complete line's link and end offset; `None` if there is no complete line.
pub(super) fn whole_end(file: &File, size: u64) -> io::Result<Option<(Link, u64)>> {
    let mut step = 64 * 1024_u64;
    loop {
        let from = size.saturating_sub(step);
        let mut buffer = vec![0; usize::try_from(size.saturating_sub(from)).unwrap_or_default()];
        let length = read_all_at(file, &mut buffer, from)?;
        buffer.truncate(length);
        let mut end = buffer.len();
        while let Some(feed) = buffer.get(..end).and_then(|it| it.iter().rposition(|b| *b == b'\n'))
        {
            let line = buffer.get(..feed).unwrap_or_default();
            // The last bytes suffice, wherever the line starts.
            let tail =
                line.get(line.len().saturating_sub(crate::chain::TAIL)..).unwrap_or_default();
            if let Some(found) = End::of(&String::from_utf8_lossy(tail)) {
                let at = from.saturating_add(feed as u64).saturating_add(1);
                return Ok(Some((found.link(), at)));
            }
            end = feed;
        }
        if from == 0 {
            return Ok(None);
        }
        step = step.saturating_mul(4);
    }
}

/// Iterates over a segment's lines, from an offset to its last line feed.
#[derive(Debug)]
pub struct Lines {
    reader: BufReader<File>,
    segment: u64,
    offset: u64,
    foreign: bool,
}

impl Segment {
    pub fn lines(&self, from: u64) -> io::Result<Lines> {
        Lines::over(self.open()?, self.first, from)
    }

    fn open(&self) -> io::Result<File> {
        if !self.is_current {
            return open(&self.path);
        }
        // It may have been renamed since, and another file be the current one.
        match open(&self.path) {
            Ok(file) if first_number(&file).ok() == Some(self.first) => Ok(file),
            _ => open(&self.path.with_file_name(format!("{:012}{ENDING}", self.first))),
        }
    }
}

impl Lines {
    fn over(mut file: File, segment: u64, from: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(from))?;
        Ok(Self {
            reader: BufReader::with_capacity(256 * 1024, file),
            segment,
            offset: from,
            foreign: false,
        })
    }

    /// Offset of the next line.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the last line is neither a record nor torn: a killed writer does not leave complete JSON.
    pub(crate) fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// The next line; `None` if there is no complete one yet. Can be called again later.
    pub fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        let start = self.offset;
        let mut line = Vec::new();
        let mut length = 0_u64;
        loop {
            let part = self.reader.fill_buf()?;
            if part.is_empty() {
                // Incomplete: being written, or its writer was killed. It is read again.
                self.reader.seek(SeekFrom::Start(start))?;
                return Ok(None);
            }
            let (taken, done) = match part.iter().position(|byte| *byte == b'\n') {
                Some(feed) => (feed, true),
                None => (part.len(), false),
            };
            if line.len() <= LONGEST_LINE {
                line.extend_from_slice(part.get(..taken).unwrap_or_default());
            }
            length = length.saturating_add(taken as u64);
            self.reader.consume(taken.saturating_add(usize::from(done)));
            if done {
                break;
            }
        }
        self.offset = start.saturating_add(length).saturating_add(1);
        let place = Place {
            segment: self.segment,
            offset: start,
            length: u32::try_from(length).unwrap_or(u32::MAX),
        };
        let text = (line.len() as u64 == length).then(|| String::from_utf8(line).ok()).flatten();
        self.foreign = false;
        Ok(Some(match text {
            Some(text) if End::of(&text).is_some() => Entry::Line { place, text },
            text => {
                let parsed = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
                self.foreign = text.is_some_and(|text| parsed(&text));
                Entry::Torn { place }
            }
        }))
    }
}

impl Iterator for Lines {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_entry().transpose()
    }
}
