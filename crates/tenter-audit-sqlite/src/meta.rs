//! Metadata of the index: read position, generation, incidents.

use rusqlite::{Connection, OptionalExtension, Row};
use tenter_audit::store::Position;

use crate::{int, uint};

#[derive(Debug)]
pub(crate) struct Meta {
    /// Number of rebuilds.
    pub(crate) generation: i64,
    /// Number of times that names were deleted.
    pub(crate) epoch: i64,
    pub(crate) position: Option<Position>,
}

pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Meta> {
    let sql = "SELECT generation, epoch, segment, offset, seq, hash FROM meta";
    connection.query_row(sql, [], |row| {
        let position = |row: &Row<'_>| -> rusqlite::Result<Option<Position>> {
            let Some(seq) = row.get::<_, Option<i64>>(4)? else { return Ok(None) };
            Ok(Some(Position {
                segment: uint(row.get(2)?),
                offset: uint(row.get(3)?),
                seq: uint(seq),
                hash: row.get(5)?,
            }))
        };
        Ok(Meta { generation: row.get(0)?, epoch: row.get(1)?, position: position(row)? })
    })
}

pub(crate) fn write_position(connection: &Connection, at: &Position) -> rusqlite::Result<()> {
    let sql = "UPDATE meta SET segment = ?1, offset = ?2, seq = ?3, hash = ?4";
    connection.execute(sql, (int(at.segment), int(at.offset), int(at.seq), &at.hash)).map(drop)
}

pub(crate) fn begin_anew(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "UPDATE meta SET generation = generation + 1, epoch = epoch + 1,
           segment = NULL, offset = NULL, seq = NULL, hash = NULL, policies_after = 0",
    )
}

/// Tells other readers that cached name numbers may be invalid.
pub(crate) fn give_up_names(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("UPDATE meta SET epoch = epoch + 1")
}

pub(crate) fn incidents(connection: &Connection) -> rusqlite::Result<Vec<(u64, String)>> {
    let mut found = connection.prepare("SELECT at, what FROM incidents ORDER BY rowid")?;
    let rows = found.query_map([], |row| Ok((uint(row.get(0)?), row.get(1)?)))?;
    rows.collect()
}

pub(crate) fn note_incident(c: &Connection, at: i64, what: &str) -> rusqlite::Result<()> {
    c.execute("INSERT INTO incidents (at, what) VALUES (?1, ?2)", (at, what)).map(drop)
}

/// The record after which all policies are known.
pub(crate) fn policies_after(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT policies_after FROM meta", [], |row| row.get(0))
}

/// Numbers of the first and the last record; `None` if there are none.
pub(crate) fn ends(connection: &Connection) -> rusqlite::Result<Option<(i64, i64)>> {
    let end = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).optional();
    let first = end("SELECT seq FROM calls ORDER BY seq LIMIT 1")?;
    let last = end("SELECT seq FROM calls ORDER BY seq DESC LIMIT 1")?;
    Ok(first.zip(last))
}
