//! Fills a store from the spool.

use std::io;

use crate::chain::{End, NOTHING};
use crate::record::Record;
use crate::spool::{Entry, Segment, Spool};
use crate::store::{Item, Position, Result, Store};

/// Batch size.
const BATCH: usize = 4096;

/// Result of filling a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caught {
    pub records: u64,
    /// Number of lines that are not records.
    pub torn: u64,
    /// The store did not match the spool and was rebuilt.
    pub renewed: bool,
    /// Side records that could not be added to the chain and so are not in the store.
    pub beside: u64,
}

/// Adds all new records to the store. `progress` gets bytes done and bytes in total.
pub fn catch_up(
    spool: &Spool,
    store: &mut dyn Store,
    now: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Caught> {
    let mut caught = Caught::default();
    // If the spool is locked or read-only, side records stay where they are.
    if spool.join().is_err() {
        caught.beside = spool.beside()?.len() as u64;
    }
    // Order matters: a segment added after we listed them would look truncated if the position were read
    // later.
    let mut position = store.position()?;
    let segments = spool.segments()?;
    if let Some(at) = &position
        && !fits(&segments, at)?
    {
        let last = at.seq;
        store.clear()?;
        store.note_incident(
            now,
            &format!("the spool no longer holds record {last} as it was: cut off or replaced"),
        )?;
        caught.renewed = true;
        position = None;
    }
    let todo = |segment: &&Segment| position.as_ref().is_none_or(|at| segment.first >= at.segment);
    let from = |segment: &Segment| match &position {
        Some(at) if at.segment == segment.first => at.offset,
        _ => 0,
    };
    let mut total = 0_u64;
    for segment in segments.iter().filter(todo) {
        total = total.saturating_add(segment.bytes.saturating_sub(from(segment)));
    }
    let mut done = 0_u64;
    for segment in segments.iter().filter(todo) {
        let mut lines = match segment.lines(from(segment)) {
            Ok(lines) => lines,
            // Renamed meanwhile: the next reader adds it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error.into()),
        };
        let mut items = Vec::new();
        loop {
            let before = lines.offset();
            let entry = lines.next_entry()?;
            done = done.saturating_add(lines.offset().saturating_sub(before));
            let ended = entry.is_none();
            match entry.and_then(item) {
                Some(item) => items.push(item),
                None if !ended => caught.torn = caught.torn.saturating_add(1),
                None => {}
            }
            if ended || items.len() >= BATCH {
                if let Some(last) = items.last() {
                    let position = Position {
                        segment: segment.first,
                        offset: lines.offset(),
                        seq: last.record.seq,
                        hash: last.record.hash.clone(),
                    };
                    store.add(&items, &position)?;
                    caught.records = caught.records.saturating_add(items.len() as u64);
                    items.clear();
                    progress(done, total);
                }
                if ended {
                    break;
                }
            }
        }
    }
    Ok(caught)
}

/// Adds side records, as if they came last. For temporary stores only: once these records are in the chain,
/// their position changes.
pub fn take_beside(spool: &Spool, store: &mut dyn Store) -> Result<()> {
    let start = Position { segment: 0, offset: 0, seq: 0, hash: NOTHING.to_owned() };
    let position = store.position()?.unwrap_or(start);
    let mut items = Vec::new();
    let mut seq = position.seq;
    for number in spool.beside()? {
        let Some((place, text)) = spool.line_beside(number)? else { continue };
        if let Some(mut item) = item(Entry::Line { place, text }) {
            seq = seq.saturating_add(1);
            item.record.seq = seq;
            items.push(item);
        }
    }
    store.add(&items, &Position { seq, ..position })
}

/// Converts an entry to a store item; `None` if it is not a record.
pub fn item(entry: Entry) -> Option<Item> {
    match entry {
        Entry::Line { place, text } => {
            Record::parse(&text).ok().map(|record| Item { place, record, line: text })
        }
        Entry::Torn { .. } => None,
    }
}

/// Whether the record added last is still in the same place.
fn fits(segments: &[Segment], at: &Position) -> Result<bool> {
    let Some(segment) = segments.iter().find(|segment| segment.first == at.segment) else {
        // Its segment may have been pruned, if it was old.
        return Ok(segments.iter().all(|segment| segment.first > at.seq) && !segments.is_empty());
    };
    if segment.bytes < at.offset {
        return Ok(false);
    }
    let tail = Spool::end_before(segment, at.offset)?;
    Ok(tail.is_some_and(|line| {
        End::of(&line).is_some_and(|end| end.seq == at.seq && end.hash == at.hash)
    }))
}
