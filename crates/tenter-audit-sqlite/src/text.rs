//! Full-text tables without content, each for a fixed number of records.

use rusqlite::{Connection, Statement};
use tenter_audit::Record;
use tenter_audit::store::{Order, searched, words};

/// Number of records per table, as a power of two.
pub(crate) const SHARD: u32 = 16;

pub(crate) fn shard_of(seq: i64) -> i64 {
    seq >> SHARD
}

/// The last record of a table.
pub(crate) fn last_of(shard: i64) -> i64 {
    (shard.saturating_add(1) << SHARD).saturating_sub(1)
}

pub(crate) fn shards(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut all = connection.prepare("SELECT shard FROM shards ORDER BY shard")?;
    let rows = all.query_map([], |row| row.get(0))?;
    rows.collect()
}

pub(crate) fn drop_shard(connection: &Connection, shard: i64) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "DROP TABLE IF EXISTS text_{shard}; DELETE FROM shards WHERE shard = {shard};"
    ))
}

/// Deletes the words of pruned records from a table that still has others.
pub(crate) fn thin_out(connection: &Connection, shard: i64, through: i64) -> rusqlite::Result<()> {
    connection.execute(&format!("DELETE FROM text_{shard} WHERE rowid <= ?1"), [through])?;
    // Only this removes the words themselves.
    connection
        .execute_batch(&format!("INSERT INTO text_{shard} (text_{shard}) VALUES ('optimize')"))
}

/// Adds the words of records.
pub(crate) struct Filler<'t> {
    connection: &'t Connection,
    shard: Option<(i64, Statement<'t>)>,
}

impl<'t> Filler<'t> {
    pub(crate) fn new(connection: &'t Connection) -> Self {
        Self { connection, shard: None }
    }

    pub(crate) fn take(&mut self, record: &Record<'_>, seq: i64) -> rusqlite::Result<()> {
        let text = searched(record);
        let mut words: Vec<String> = words(&text).collect();
        if words.is_empty() {
            return Ok(());
        }
        words.sort_unstable();
        words.dedup();
        let shard = shard_of(seq);
        if self.shard.as_ref().is_none_or(|(is, _)| *is != shard) {
            make_shard(self.connection, shard)?;
            let sql = format!("INSERT INTO text_{shard} (rowid, words) VALUES (?1, ?2)");
            self.shard = Some((shard, self.connection.prepare(&sql)?));
        }
        match &mut self.shard {
            Some((_, insert)) => insert.execute((seq, words.join(" "))).map(drop),
            None => Ok(()),
        }
    }
}

/// Words are split and lowercased by us, so that all stores agree. The `ascii` tokenizer then only splits at
/// the spaces between them.
fn make_shard(connection: &Connection, shard: i64) -> rusqlite::Result<()> {
    let new = connection.execute("INSERT OR IGNORE INTO shards (shard) VALUES (?1)", [shard])?;
    if new == 0 {
        return Ok(());
    }
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE text_{shard} USING fts5
           (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')"
    ))
}

/// Full-text expression for a search; `None` if the text has no words, which matches every record.
pub(crate) fn expression(text: &str) -> Option<String> {
    // Words contain no quotes.
    let terms: Vec<String> = words(text).map(|word| format!("\"{word}\"*")).collect();
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

/// The records that contain some words, in order, one table at a time.
pub(crate) struct Matches<'c> {
    connection: &'c Connection,
    expression: String,
    order: Order,
    shards: Vec<i64>,
    /// The current table and its matches, sorted.
    current: Option<(i64, Vec<i64>)>,
}

impl<'c> Matches<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        expression: String,
        order: Order,
    ) -> rusqlite::Result<Matches<'c>> {
        let shards = shards(connection)?;
        Ok(Matches { connection, expression, order, shards, current: None })
    }

    /// The first match from `bound` on.
    pub(crate) fn seek(&mut self, bound: i64) -> rusqlite::Result<Option<i64>> {
        let (order, wanted) = (self.order, shard_of(bound));
        let shards: Vec<i64> = match order {
            Order::NewestFirst => {
                self.shards.iter().rev().filter(|it| **it <= wanted).copied().collect()
            }
            Order::OldestFirst => self.shards.iter().filter(|it| **it >= wanted).copied().collect(),
        };
        for shard in shards {
            let fitting = self.in_shard(shard)?;
            let at = fitting.partition_point(|it| *it < bound);
            let found = match order {
                Order::OldestFirst => fitting.get(at),
                Order::NewestFirst => fitting
                    .get(at)
                    .filter(|it| **it == bound)
                    .or_else(|| fitting.get(at.checked_sub(1)?)),
            };
            if let Some(found) = found {
                return Ok(Some(*found));
            }
        }
        Ok(None)
    }

    fn in_shard(&mut self, shard: i64) -> rusqlite::Result<&[i64]> {
        if self.current.as_ref().is_none_or(|(is, _)| *is != shard) {
            let sql = format!(
                "SELECT rowid FROM text_{shard} WHERE text_{shard} MATCH ?1 ORDER BY rowid"
            );
            let mut find = self.connection.prepare(&sql)?;
            let rows = find.query_map([&self.expression], |row| row.get(0))?;
            self.current = Some((shard, rows.collect::<rusqlite::Result<_>>()?));
        }
        Ok(self.current.as_ref().map_or(&[], |(_, fitting)| fitting))
    }
}
