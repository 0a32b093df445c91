//! Which records fit a question.

use rusqlite::{Connection, OptionalExtension};
use tenter_audit::spool::Place;
use tenter_audit::store::{Hit, Order, Query};

use crate::candidates::Candidates;
use crate::plan::Plan;
use crate::text::Matches;
use crate::uint;

pub(crate) fn find(
    connection: &Connection,
    query: &Query<'_>,
    order: Order,
    limit: usize,
) -> rusqlite::Result<Vec<Hit>> {
    // All that is read belongs together, whatever others take in meanwhile.
    let tx = connection.unchecked_transaction()?;
    let mut hits = Vec::new();
    let Some(plan) = Plan::make(&tx, query)? else { return Ok(hits) };
    let mut text = match &plan.text {
        Some(expression) => Some(Matches::new(&tx, expression.clone(), order)?),
        None => None,
    };
    let mut candidates = Candidates::new(&tx, &plan, order)?;
    while hits.len() < limit
        && let Some(row) = candidates.next()?
    {
        if !plan.fits(&row) {
            continue;
        }
        if let Some(text) = &mut text {
            match text.seek(row.seq)? {
                None => break,
                Some(found) if found != row.seq => {
                    candidates.skip_to(found)?;
                    continue;
                }
                Some(_) => {}
            }
        }
        hits.push(hit(row.seq, row.place));
    }
    Ok(hits)
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
