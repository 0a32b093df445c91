//! Exports sessions as traces.

use tenter_audit::Record;
use tenter_audit::otel::{self, Batch, Options, Span, Trace};
use tenter_audit::store::{Query, Session, SessionQuery};

use super::lines;
use crate::error::CommandError;
use crate::reading::{Progress, Reading};

/// Selection of records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'w> {
    pub(super) since: Option<u64>,
    pub(super) until: Option<u64>,
    pub(super) host: Option<&'w str>,
    pub(super) session: Option<&'w str>,
    pub(super) content: bool,
}

/// A session that was exported up to this record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) session: Session,
    pub(super) through: u64,
}

/// Selection for an incremental export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) sessions: Vec<Known>,
    /// Records without session were exported up to this number.
    pub(super) loners: u64,
}

/// Upper limit for the number of sessions.
const MANY: usize = 100_000_000;

/// Number of exported items.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) sessions: u64,
    pub(super) spans: u64,
}

/// Spans being collected into requests.
struct Output<'o> {
    batch: Batch,
    spans: Vec<Span>,
    done: Done,
    line: &'o mut dyn FnMut(&str) -> Result<(), CommandError>,
}

impl Output<'_> {
    /// Writes the complete requests.
    fn drain(&mut self) -> Result<(), CommandError> {
        for span in self.spans.drain(..) {
            self.done.spans = self.done.spans.saturating_add(1);
            if let Some(full) = self.batch.push(&span).map_err(CommandError::internal)? {
                (self.line)(&full)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Done, CommandError> {
        self.drain()?;
        if let Some(rest) = self.batch.finish().map_err(CommandError::internal)? {
            (self.line)(&rest)?;
        }
        Ok(self.done)
    }
}

/// Writes the requests for the selection, one per line.
pub(super) fn write(
    reading: &Reading,
    wanted: &Wanted<'_>,
    chosen: Option<&Chosen>,
    line: &mut dyn FnMut(&str) -> Result<(), CommandError>,
) -> Result<Done, CommandError> {
    let batch = Batch::new(env!("CARGO_PKG_VERSION"));
    let mut output = Output { batch, spans: Vec::new(), done: Done::default(), line };
    let all;
    let chosen = match chosen {
        Some(chosen) => chosen,
        None => {
            let sessions = sessions(reading, wanted)?;
            let whole = |session| Known { session, through: 0 };
            all = Chosen { sessions: sessions.into_iter().map(whole).collect(), loners: 0 };
            &all
        }
    };
    let mut progress = Progress::new("exporting");
    for (number, known) in chosen.sessions.iter().enumerate() {
        trace(reading, known, wanted, &mut output)?;
        progress.show(number as u64, chosen.sessions.len() as u64);
    }
    loners(reading, wanted, chosen.loners, &mut output)?;
    output.finish()
}

/// Sessions with a record in the time range, oldest first.
pub(super) fn sessions(
    reading: &Reading,
    wanted: &Wanted<'_>,
) -> Result<Vec<Session>, CommandError> {
    let Wanted { since, until, host, session, .. } = *wanted;
    let query = SessionQuery { since, host, prefix: session, limit: MANY };
    let mut found = reading.store.sessions(&query).map_err(CommandError::internal)?;
    found.retain(|it| {
        session.is_none_or(|id| id == it.id) && until.is_none_or(|until| it.first_at < until)
    });
    found.reverse();
    Ok(found)
}

fn trace(
    reading: &Reading,
    known: &Known,
    wanted: &Wanted<'_>,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    let Known { session, through } = known;
    let options = Options { content: wanted.content };
    let mut trace = Trace::new(&session.host, &session.id, options);
    // Earlier records are read too: they tell the turn, tool and agent of later ones.
    let query = Query {
        until: wanted.until,
        host: Some(&session.host),
        session: Some(&session.id),
        ..Query::default()
    };
    let before = output.done.spans;
    reading.each(&query, |record| {
        trace.take(&record, is_wanted(&record, wanted, *through), &mut output.spans);
        output.drain()
    })?;
    trace.finish(&mut output.spans);
    output.drain()?;
    let had_any = u64::from(output.done.spans > before);
    output.done.sessions = output.done.sessions.saturating_add(had_any);
    Ok(())
}

fn is_wanted(record: &Record<'_>, wanted: &Wanted<'_>, through: u64) -> bool {
    record.seq > through
        && wanted.since.is_none_or(|since| record.at >= since)
        && wanted.until.is_none_or(|until| record.at < until)
}

/// Records without session. They are not indexed as such; most lines can be skipped by a cheap test.
fn loners(
    reading: &Reading,
    wanted: &Wanted<'_>,
    through: u64,
    output: &mut Output<'_>,
) -> Result<(), CommandError> {
    if wanted.session.is_some() {
        return Ok(());
    }
    let options = Options { content: wanted.content };
    lines::walk(&reading.spool, wanted.since, &mut |line| {
        if line.contains("\"session_id\":\"") {
            return Ok(true);
        }
        let Ok(record) = Record::parse(line) else { return Ok(true) };
        let is_loner = record.session_id.is_none()
            && record.kind == tenter_audit::record::Kind::Call
            && wanted.host.is_none_or(|host| host == record.host)
            && is_wanted(&record, wanted, through);
        if is_loner {
            output.spans.push(otel::alone(&record, options));
            output.drain()?;
        }
        Ok(true)
    })
}
