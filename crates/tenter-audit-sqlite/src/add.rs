//! Adds records to the index.

use std::collections::BTreeMap;
use std::ops::Neg as _;

use rusqlite::{Connection, Statement, TransactionBehavior, params};
use tenter_audit::Record;
use tenter_audit::store::{Item, Position, head};

use crate::names::{Cache, Names, Of, pack};
use crate::schema::BLOCK;
use crate::sessions::Sessions;
use crate::{int, meta, text};

/// Result of adding a batch.
pub(crate) enum Added {
    Done,
    /// The index was rebuilt since the position was read, so these records may not be the next.
    BegunAnew,
}

/// Adds the records that no other reader has added since, atomically.
pub(crate) fn add(
    connection: &mut Connection,
    cache: &mut Cache,
    generation: Option<i64>,
    items: &[Item],
    position: &Position,
) -> rusqlite::Result<Added> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let meta = meta::read(&tx)?;
    if generation.is_some_and(|seen| seen != meta.generation) {
        return Ok(Added::BegunAnew);
    }
    let key = |at: &Position| (at.seq, at.segment, at.offset);
    if meta.position.as_ref().is_some_and(|at| key(at) >= key(position)) {
        return Ok(Added::Done);
    }
    cache.renew(meta.epoch);
    let mut last = meta.position.map_or(0, |at| at.seq);
    let mut filler = Filler::new(&tx, cache)?;
    for item in items {
        // Numbers repeat only if the spool was tampered with, which `verify` reports.
        if item.record.seq > last {
            last = item.record.seq;
            filler.take(item)?;
        }
    }
    filler.finish()?;
    meta::write_position(&tx, position)?;
    tx.commit()?;
    Ok(Added::Done)
}

const INSERT_CALL: &str = "INSERT OR IGNORE INTO calls
  (seq, at, shape, session, segment, offset, length, rules, paths, head, once, lost,
   policy, read, judge, handlers, answer, total, cwd, model, transcript)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
          ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)";

struct Filler<'t> {
    connection: &'t Connection,
    names: Names<'t>,
    sessions: Sessions<'t>,
    text: text::Filler<'t>,
    call: Statement<'t>,
    mark: Statement<'t>,
    used: Statement<'t>,
    usage: Statement<'t>,
    /// First and last time per block and host.
    blocks: BTreeMap<(i64, String), (i64, i64)>,
}

impl<'t> Filler<'t> {
    fn new(connection: &'t Connection, cache: &'t mut Cache) -> rusqlite::Result<Self> {
        Ok(Self {
            connection,
            names: Names::new(connection, cache)?,
            sessions: Sessions::new(connection)?,
            text: text::Filler::new(connection),
            call: connection.prepare(INSERT_CALL)?,
            mark: connection.prepare("INSERT OR IGNORE INTO marks VALUES (?1, ?2, ?3, ?4)")?,
            used: connection.prepare("INSERT OR IGNORE INTO uses VALUES (?1, ?2)")?,
            usage: connection.prepare("INSERT OR IGNORE INTO usage VALUES (?1, ?2, ?3, ?4, ?5)")?,
            blocks: BTreeMap::new(),
        })
    }

    fn take(&mut self, item: &Item) -> rusqlite::Result<()> {
        let record = &item.record;
        let seq = int(record.seq);
        let (segment, offset) = (int(item.place.segment), int(item.place.offset));
        if !record.kind.is_of_call() {
            return self.mark.execute((seq, segment, offset, item.place.length)).map(drop);
        }
        let shape = self.names.shape(record, seq)?;
        let session = self.sessions.count(record)?;
        let rules = self.rules(record, seq)?;
        let paths = self.paths(record, seq)?;
        let head = match record.command().filter(|_| record.event == "PreToolUse") {
            Some(command) => Some(self.names.name(Of::Head, &head(command), seq)?),
            None => None,
        };
        let mut named = |of: Of, name: Option<&str>| {
            name.map(|name| self.names.name(of, name, seq)).transpose()
        };
        let us = &record.us;
        self.call.execute(params![
            seq,
            int(record.at),
            shape,
            session,
            segment,
            offset,
            item.place.length,
            rules,
            paths,
            head,
            once(record),
            int(record.lost),
            int(us.policy),
            int(us.read),
            int(us.judge),
            int(us.handlers),
            int(us.answer),
            int(us.total),
            named(Of::Folder, record.cwd.as_deref())?,
            named(Of::Model, record.model.as_deref())?,
            named(Of::Transcript, record.transcript_path.as_deref())?,
        ])?;
        if let Some(it) = record.usage {
            let (read, write) = (int(it.cache_read), int(it.cache_write));
            self.usage.execute((seq, int(it.input), int(it.output), read, write))?;
        }
        if !record.policy.is_empty() {
            self.names.name(Of::Policy, &record.policy, seq)?;
        }
        self.text.take(record, seq)?;
        self.note_time(record, seq);
        Ok(())
    }

    /// Blocking rules come first: see [`once`].
    fn rules(&mut self, record: &Record<'_>, seq: i64) -> rusqlite::Result<Option<Vec<u8>>> {
        let mut names: Vec<&str> = record.findings.iter().map(|it| &*it.rule).collect();
        names.sort_unstable();
        names.dedup();
        let stopping = record.stopping_rules();
        names.sort_by_key(|name| !stopping.contains(name));
        let mut ids = Vec::new();
        for name in names {
            let id = self.names.name(Of::Rule, name, seq)?;
            self.used.execute((id, seq))?;
            ids.push(id);
        }
        Ok(pack(&ids))
    }

    /// A path that a record names twice is listed twice, since it counts twice.
    fn paths(&mut self, record: &Record<'_>, seq: i64) -> rusqlite::Result<Option<Vec<u8>>> {
        let mut ids = Vec::new();
        for path in record.full_paths() {
            let id = self.names.name(Of::Path, &path, seq)?;
            self.used.execute((id, seq))?;
            ids.push(id);
        }
        Ok(pack(&ids))
    }

    fn note_time(&mut self, record: &Record<'_>, seq: i64) {
        let at = int(record.at);
        let key = (seq >> BLOCK, record.host.to_string());
        let (min, max) = self.blocks.entry(key).or_insert((at, at));
        *min = at.min(*min);
        *max = at.max(*max);
    }

    fn finish(self) -> rusqlite::Result<()> {
        let mut block = self.connection.prepare(
            "INSERT INTO blocks VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE
             SET min_at = min(min_at, excluded.min_at), max_at = max(max_at, excluded.max_at)",
        )?;
        for ((number, host), (min, max)) in &self.blocks {
            block.execute((number, host, min, max))?;
        }
        self.sessions.finish()?;
        self.names.finish()
    }
}

/// How many of the rules, from the first, stop the call: two more than their number if the user allowed it
/// once, otherwise negative and one more. Older versions wrote zero and one, which do not tell the number.
fn once(record: &Record<'_>) -> i64 {
    let stopping = i64::try_from(record.stopping_rules().len()).unwrap_or_default();
    if record.allowed_once { stopping.saturating_add(2) } else { stopping.saturating_add(1).neg() }
}
