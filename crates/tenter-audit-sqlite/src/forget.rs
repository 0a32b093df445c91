//! Deletes pruned records: their rows, names and words.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::schema::BLOCK;
use crate::{meta, sessions, text};

/// Deletes the records up to `through` and returns the space to the file system.
pub(crate) fn forget(connection: &mut Connection, through: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "secure_delete", "ON")?;
    let forgotten = forget_all(connection, through);
    connection.pragma_update(None, "secure_delete", "FAST")?;
    forgotten?;
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

fn forget_all(connection: &mut Connection, through: i64) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for sql in [
        "DELETE FROM calls WHERE seq <= ?1",
        "DELETE FROM marks WHERE seq <= ?1",
        "DELETE FROM uses WHERE seq <= ?1",
    ] {
        tx.execute(sql, [through])?;
    }
    sessions::recount(&tx, through)?;
    forget_names(&tx, through)?;
    tx.execute("DELETE FROM usage WHERE seq <= ?1", [through])?;
    forget_times(&tx, through)?;
    for shard in text::shards(&tx)? {
        let last = text::last_of(shard);
        if last <= through {
            text::drop_shard(&tx, shard)?;
        } else if shard == text::shard_of(through) {
            text::thin_out(&tx, shard, through)?;
        }
    }
    meta::give_up_names(&tx)?;
    tx.commit()
}

fn forget_names(tx: &Transaction<'_>, through: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM names WHERE last <= ?1",
        "DELETE FROM shapes WHERE last <= ?1",
        "UPDATE names SET uses = (SELECT count(*) FROM uses WHERE uses.name = names.id)
         WHERE first <= ?1 AND kind IN (1, 2)",
        "UPDATE names SET first = ?1 + 1 WHERE first <= ?1",
        "UPDATE shapes SET first = ?1 + 1,
           uses = (SELECT count(*) FROM calls WHERE calls.shape = shapes.id) WHERE first <= ?1",
    ] {
        tx.execute(sql, [through])?;
    }
    Ok(())
}

fn forget_times(tx: &Transaction<'_>, through: i64) -> rusqlite::Result<()> {
    let block = through >> BLOCK;
    tx.execute("DELETE FROM blocks WHERE block <= ?1", [block])?;
    let (from, to) = (block << BLOCK, block.saturating_add(1) << BLOCK);
    tx.execute(
        "INSERT INTO blocks SELECT ?1, host, min(at), max(at)
         FROM calls JOIN shapes ON shapes.id = calls.shape
         WHERE seq >= ?2 AND seq < ?3 GROUP BY host",
        (block, from, to),
    )
    .map(drop)
}
