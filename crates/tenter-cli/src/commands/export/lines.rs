//! Exports the stored lines.

use std::io::ErrorKind;
use std::time::UNIX_EPOCH;

use tenter_audit::chain::End;
use tenter_audit::spool::{Entry, Segment};
use tenter_audit::store::{Order, Query};
use tenter_audit::{Record, Spool};

use super::sink::Sink;
use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::Reading;

/// Page size.
const PAGE: usize = 4096;

pub(super) fn spool(machine: &LocalMachine) -> Result<Spool, CommandError> {
    let state = machine
        .folders
        .state
        .as_ref()
        .ok_or_else(|| CommandError::internal("no folder for state: HOME is not set"))?;
    Ok(Spool::of_state(state))
}

/// Copies all lines in a time range, including closing lines and checkpoints, so that the copy can be
/// verified. Returns the number of calls.
pub(super) fn copy(
    spool: &Spool,
    since: Option<u64>,
    until: Option<u64>,
    sink: &mut Sink,
) -> Result<u64, CommandError> {
    let mut count = 0_u64;
    let mut begun = since.is_none();
    let any_time = since.is_none() && until.is_none();
    walk(spool, since, &mut |line| {
        // Concurrent calls may be stored in either order. Copy everything between the first and the last
        // line, since a gap would look like a broken chain.
        if !any_time {
            let at = Record::parse(line).ok().map(|record| record.at);
            begun = begun || at >= since;
            if begun && until.is_some() && at >= until {
                return Ok(false);
            }
        }
        if begun {
            // Records of calls have no kind. Inside a string the quotes would be escaped.
            count = count.saturating_add(u64::from(!line.contains("\"kind\":\"")));
            sink.line(line)?;
        }
        Ok(true)
    })?;
    Ok(count)
}

/// Copies the lines of matching calls.
pub(super) fn pick(
    reading: &Reading,
    query: &Query<'_>,
    sink: &mut Sink,
) -> Result<u64, CommandError> {
    let mut count = 0_u64;
    let mut after = query.after;
    loop {
        let query = Query { after, ..*query };
        let hits = reading.store.find(&query, Order::OldestFirst, PAGE);
        let hits = hits.map_err(CommandError::internal)?;
        for hit in &hits {
            let line = reading.spool.fetch(hit.place);
            if let Some(line) = line
                .map_err(|error| CommandError::internal(format!("record {}: {error}", hit.seq)))?
            {
                count = count.saturating_add(1);
                sink.line(&line)?;
            }
        }
        match hits.last() {
            Some(last) if hits.len() == PAGE => after = Some(last.seq),
            _ => return Ok(count),
        }
    }
}

/// Passes every line of the spool to `each` in order, until it stops. Segments last modified before `since`
/// are skipped.
pub(super) fn walk(
    spool: &Spool,
    since: Option<u64>,
    each: &mut dyn FnMut(&str) -> Result<bool, CommandError>,
) -> Result<(), CommandError> {
    let fault = |error: std::io::Error| {
        CommandError::internal(format!("{}: {error}", spool.folder().display()))
    };
    let mut done = 0_u64;
    'again: loop {
        for segment in spool.segments().map_err(fault)? {
            if segment.first <= done || is_older(&segment, since) {
                continue;
            }
            let lines = match segment.lines(0) {
                Ok(lines) => lines,
                // Closed or pruned meanwhile: list again.
                Err(error) if error.kind() == ErrorKind::NotFound => continue 'again,
                Err(error) => return Err(fault(error)),
            };
            for entry in lines {
                let Entry::Line { text, .. } = entry.map_err(fault)? else { continue };
                done = End::of(&text).map_or(done, |end| end.seq.max(done));
                if !each(&text)? {
                    return Ok(());
                }
            }
        }
        return Ok(());
    }
}

fn is_older(segment: &Segment, since: Option<u64>) -> bool {
    let Some(since) = since.filter(|_| !segment.is_current) else { return false };
    let written = std::fs::metadata(&segment.path).and_then(|it| it.modified());
    let written = written.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    written.is_some_and(|time| time.as_millis() < u128::from(since))
}
