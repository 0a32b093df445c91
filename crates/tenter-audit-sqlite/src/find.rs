//! Runs queries for records.

use rusqlite::{Connection, OptionalExtension};
use tenter_audit::spool::Place;
use tenter_audit::store::{Hit, Order, Query};

use crate::candidates::{Candidates, worth_a_look};
use crate::plan::Plan;
use crate::text::Matches;
use crate::uint;

pub(crate) fn find(
    connection: &Connection,
    query: &Query<'_>,
    order: Order,
    limit: usize,
) -> rusqlite::Result<Vec<Hit>> {
    // One transaction, so that concurrent changes are not seen halfway.
    let tx = connection.unchecked_transaction()?;
    let mut hits = Vec::new();
    let Some(mut plan) = Plan::make(&tx, query)? else { return Ok(hits) };
    let mut text = match &plan.text {
        Some(expression) => Some(Matches::new(&tx, expression.clone(), order)?),
        None => None,
    };
    if let Some(rows) = worth_a_look(&plan) {
        let mut all = Candidates::all(&tx, &plan, order)?;
        match gather(&mut all, &plan, text.as_mut(), (limit, rows), &mut hits)? {
            Gathered::All => return Ok(hits),
            Gathered::UpTo(seq) => plan.go_on_after(seq, order),
        }
    }
    let mut candidates = Candidates::new(&tx, &plan, order)?;
    gather(&mut candidates, &plan, text.as_mut(), (limit, usize::MAX), &mut hits)?;
    Ok(hits)
}

/// Progress of a search.
enum Gathered {
    /// Enough records were found, or all were searched.
    All,
    /// Stopped after this record.
    UpTo(i64),
}

/// Collects matching candidates until there are `limit` of them or `rows` were read.
fn gather(
    candidates: &mut Candidates<'_>,
    plan: &Plan,
    mut text: Option<&mut Matches<'_>>,
    (limit, rows): (usize, usize),
    hits: &mut Vec<Hit>,
) -> rusqlite::Result<Gathered> {
    let mut looked_at = 0_usize;
    while hits.len() < limit
        && let Some(row) = candidates.next()?
    {
        looked_at = looked_at.saturating_add(1);
        let mut fits = plan.fits(&row);
        if fits && let Some(text) = &mut text {
            match text.seek(row.seq)? {
                None => break,
                Some(found) if found != row.seq => {
                    candidates.skip_to(found)?;
                    fits = false;
                }
                Some(_) => {}
            }
        }
        if fits {
            hits.push(hit(row.seq, row.place));
        }
        if looked_at >= rows {
            return Ok(Gathered::UpTo(row.seq));
        }
    }
    Ok(Gathered::All)
}

pub(crate) fn get(connection: &Connection, seq: i64) -> rusqlite::Result<Option<Hit>> {
    for table in ["calls", "marks"] {
        let sql = format!("SELECT segment, offset, length FROM {table} WHERE seq = ?1");
        let place = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        if let Some(place) = connection.query_row(&sql, [seq], place).optional()? {
            return Ok(Some(hit(seq, place)));
        }
    }
    Ok(None)
}

fn hit(seq: i64, (segment, offset, length): (i64, i64, u32)) -> Hit {
    Hit { seq: uint(seq), place: Place { segment: uint(segment), offset: uint(offset), length } }
}
