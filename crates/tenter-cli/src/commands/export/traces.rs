//! Sessions as traces, one after the other.

use tenter_audit::Record;
use tenter_audit::otel::{self, Batch, Options, Span, Trace};
use tenter_audit::store::{Query, Session, SessionQuery};

use super::lines;
use crate::error::CommandError;
use crate::reading::{Progress, Reading};

/// Which part of the record is wanted, and how much of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'w> {
    pub(super) since: Option<u64>,
    pub(super) until: Option<u64>,
    pub(super) host: Option<&'w str>,
    pub(super) session: Option<&'w str>,
    pub(super) content: bool,
}

/// A session of which an earlier export has had the records up to this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) session: Session,
    pub(super) through: u64,
}

/// What an export sends that goes on from an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) sessions: Vec<Known>,
    /// Records that belong to no session were had up to this one.
    pub(super) loners: u64,
}

/// More sessions than anybody has.
const MANY: usize = 100_000_000;

/// How much there was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) sessions: u64,
    pub(super) spans: u64,
}

/// Spans on their way into lines.
struct Output<'o> {
    batch: Batch,
    spans: Vec<Span>,
    done: Done,
    line: &'o mut dyn FnMut(&str) -> Result<(), CommandError>,
}

impl Output<'_> {
    /// Hands on what has come together.
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

/// Writes the requests for what is wanted, each a line: for what is chosen, or for all that fits.
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

/// The sessions with a record of the time, the oldest first.
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
    // Earlier records are read too: they say which turn, tool and agent the others belong to.
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

/// Records that belong to no session. The index does not know them as such; most lines can be passed
/// over without a closer look.
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
