//! Session summaries.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, Statement, params};
use tenter_audit::Record;
use tenter_audit::memory::count_in;
use tenter_audit::record::{Str, Usage};
use tenter_audit::store::{Session, SessionQuery};

use crate::{int, uint};

const COLUMNS: &str = "id, host, name, first_at, last_at, first, last, records, prompts, tools,
  denied, asked, cwd, model, transcript, input, output, cache_read, cache_write";

fn read(row: &Row<'_>) -> rusqlite::Result<(i64, Session)> {
    let number = |column: usize| row.get(column).map(uint);
    let session = Session {
        host: row.get(1)?,
        id: row.get(2)?,
        first_at: number(3)?,
        last_at: number(4)?,
        first_seq: number(5)?,
        last_seq: number(6)?,
        records: number(7)?,
        prompts: number(8)?,
        tools: number(9)?,
        denied: number(10)?,
        asked: number(11)?,
        cwd: row.get(12)?,
        model: row.get(13)?,
        transcript_path: row.get(14)?,
        usage: Usage {
            input: number(15)?,
            output: number(16)?,
            cache_read: number(17)?,
            cache_write: number(18)?,
        },
    };
    Ok((row.get(0)?, session))
}

pub(crate) fn list(
    connection: &Connection,
    query: &SessionQuery<'_>,
) -> rusqlite::Result<Vec<Session>> {
    // Names with a common prefix are adjacent; no character is larger than the last code point.
    let (from, to) = match query.prefix {
        Some(prefix) => (prefix.to_owned(), format!("{prefix}\u{10ffff}")),
        None => (String::new(), String::new()),
    };
    let sql = match query.prefix {
        Some(_) => format!(
            "SELECT {COLUMNS} FROM sessions WHERE name BETWEEN ?1 AND ?2 ORDER BY +last DESC"
        ),
        None => format!("SELECT {COLUMNS} FROM sessions WHERE ?1 = ?2 ORDER BY last DESC"),
    };
    let mut all = connection.prepare(&sql)?;
    let mut rows = all.query((from, to))?;
    let mut found = Vec::new();
    while found.len() < query.limit
        && let Some(row) = rows.next()?
    {
        let (_, it) = read(row)?;
        if query.since.is_none_or(|since| it.last_at >= since)
            && query.host.is_none_or(|host| it.host == host)
            && query.prefix.is_none_or(|prefix| it.id.starts_with(prefix))
        {
            found.push(it);
        }
    }
    Ok(found)
}

/// Counts records into their sessions and stores the result.
pub(crate) struct Sessions<'t> {
    connection: &'t Connection,
    find: Statement<'t>,
    touched: BTreeMap<(String, String), (i64, Session)>,
}

impl<'t> Sessions<'t> {
    pub(crate) fn new(connection: &'t Connection) -> rusqlite::Result<Self> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE name = ?1 AND host = ?2");
        Ok(Self { connection, find: connection.prepare(&sql)?, touched: BTreeMap::new() })
    }

    /// Counts a record and returns the number of its session.
    pub(crate) fn count(&mut self, record: &Record<'_>) -> rusqlite::Result<Option<i64>> {
        let Some(id) = record.session_id.as_deref() else { return Ok(None) };
        let key = (id.to_owned(), record.host.to_string());
        if let Some((number, session)) = self.touched.get_mut(&key) {
            count_in(session, record);
            return Ok(Some(*number));
        }
        let known = self.find.query_row((&key.0, &key.1), read).optional()?;
        let (number, mut session) = match known {
            Some(known) => known,
            None => {
                let new = Session {
                    host: key.1.clone(),
                    id: key.0.clone(),
                    first_at: record.at,
                    first_seq: record.seq,
                    ..Session::default()
                };
                (insert(self.connection, &new)?, new)
            }
        };
        count_in(&mut session, record);
        self.touched.insert(key, (number, session));
        Ok(Some(number))
    }

    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        let mut update = self.connection.prepare(UPDATE)?;
        for (number, session) in self.touched.values() {
            write(&mut update, *number, session)?;
        }
        Ok(())
    }
}

fn insert(connection: &Connection, new: &Session) -> rusqlite::Result<i64> {
    let sql = format!(
        "INSERT INTO sessions ({COLUMNS})
         VALUES (NULL, ?1, ?2, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0)"
    );
    connection.execute(&sql, (&new.host, &new.id))?;
    Ok(connection.last_insert_rowid())
}

const UPDATE: &str = "UPDATE sessions SET first_at = ?2, last_at = ?3, first = ?4, last = ?5,
  records = ?6, prompts = ?7, tools = ?8, denied = ?9, asked = ?10, cwd = ?11, model = ?12,
  transcript = ?13, input = ?14, output = ?15, cache_read = ?16, cache_write = ?17 WHERE id = ?1";

fn write(update: &mut Statement<'_>, number: i64, it: &Session) -> rusqlite::Result<()> {
    let values = params![
        number,
        int(it.first_at),
        int(it.last_at),
        int(it.first_seq),
        int(it.last_seq),
        int(it.records),
        int(it.prompts),
        int(it.tools),
        int(it.denied),
        int(it.asked),
        it.cwd,
        it.model,
        it.transcript_path,
        int(it.usage.input),
        int(it.usage.output),
        int(it.usage.cache_read),
        int(it.usage.cache_write),
    ];
    update.execute(values).map(drop)
}

/// Recounts sessions whose start was pruned, and deletes those without records.
pub(crate) fn recount(connection: &Connection, through: i64) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM sessions WHERE last <= ?1", [through])?;
    let sql = format!("SELECT {COLUMNS} FROM sessions WHERE first <= ?1");
    let mut cut = connection.prepare(&sql)?;
    let cut = cut.query_map([through], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut update = connection.prepare(UPDATE)?;
    let mut rows = connection.prepare(
        "SELECT calls.seq, at, event, decision, cwd.name, model.name, transcript.name,
           usage.seq, input, output, cache_read, cache_write
         FROM calls JOIN shapes ON shapes.id = shape
           LEFT JOIN names AS cwd ON cwd.id = cwd LEFT JOIN names AS model ON model.id = model
           LEFT JOIN names AS transcript ON transcript.id = transcript
           LEFT JOIN usage ON usage.seq = calls.seq
         WHERE session = ?1 ORDER BY calls.seq",
    )?;
    for (number, before) in cut {
        let mut session: Option<Session> = None;
        let mut left = rows.query([number])?;
        while let Some(row) = left.next()? {
            let record = shadow(row)?;
            let new = || Session {
                host: before.host.clone(),
                id: before.id.clone(),
                first_at: record.at,
                first_seq: record.seq,
                ..Session::default()
            };
            count_in(session.get_or_insert_with(new), &record);
        }
        if let Some(session) = session {
            write(&mut update, number, &session)?;
        }
    }
    Ok(())
}

/// The part of a record that session counters need.
fn shadow(row: &Row<'_>) -> rusqlite::Result<Record<'static>> {
    let text = |column: usize| -> rusqlite::Result<Option<Str<'static>>> {
        Ok(row.get::<_, Option<String>>(column)?.map(Into::into))
    };
    let usage = match row.get::<_, Option<i64>>(7)? {
        Some(_) => Some(Usage {
            input: uint(row.get(8)?),
            output: uint(row.get(9)?),
            cache_read: uint(row.get(10)?),
            cache_write: uint(row.get(11)?),
        }),
        None => None,
    };
    Ok(Record {
        seq: uint(row.get(0)?),
        at: uint(row.get(1)?),
        event: row.get::<_, String>(2)?.into(),
        decision: text(3)?,
        cwd: text(4)?,
        model: text(5)?,
        transcript_path: text(6)?,
        usage,
        ..Record::default()
    })
}
