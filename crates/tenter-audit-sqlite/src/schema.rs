//! Tables and migrations.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{meta, text};

/// Migrations from each version to the next. A released one is never changed.
const STEPS: &[&str] = &[FIRST, POLICIES, NATIVE_TOOLS];

const FIRST: &str = "
CREATE TABLE meta (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  generation INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  segment INTEGER, offset INTEGER, seq INTEGER, hash TEXT
);
INSERT INTO meta (only, generation, epoch) VALUES (1, 1, 1);
CREATE TABLE incidents (at INTEGER NOT NULL, what TEXT NOT NULL);

CREATE TABLE calls (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  session INTEGER,
  segment INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
  rules BLOB, paths BLOB,
  head INTEGER,
  once INTEGER NOT NULL, lost INTEGER NOT NULL,
  policy INTEGER NOT NULL, read INTEGER NOT NULL, judge INTEGER NOT NULL,
  handlers INTEGER NOT NULL, answer INTEGER NOT NULL, total INTEGER NOT NULL,
  cwd INTEGER, model INTEGER, transcript INTEGER
);
CREATE INDEX calls_by_shape ON calls (shape);
CREATE INDEX calls_by_session ON calls (session) WHERE session IS NOT NULL;

-- Records that are none of calls.
CREATE TABLE marks (
  seq INTEGER PRIMARY KEY,
  segment INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL
);

CREATE TABLE shapes (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL, event TEXT NOT NULL, native TEXT NOT NULL, tool TEXT, decision TEXT,
  uses INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
);

CREATE TABLE names (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL, name TEXT NOT NULL,
  uses INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  UNIQUE (kind, name)
);
CREATE TABLE uses (
  name INTEGER NOT NULL, seq INTEGER NOT NULL,
  PRIMARY KEY (name, seq)
) WITHOUT ROWID;

CREATE TABLE usage (
  seq INTEGER PRIMARY KEY,
  input INTEGER NOT NULL, output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL
);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL, name TEXT NOT NULL,
  first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL,
  records INTEGER NOT NULL, prompts INTEGER NOT NULL, tools INTEGER NOT NULL,
  denied INTEGER NOT NULL, asked INTEGER NOT NULL,
  cwd TEXT, model TEXT, transcript TEXT,
  input INTEGER NOT NULL, output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
  UNIQUE (name, host)
);
CREATE INDEX sessions_by_last ON sessions (last);

CREATE TABLE blocks (
  block INTEGER NOT NULL, host TEXT NOT NULL,
  min_at INTEGER NOT NULL, max_at INTEGER NOT NULL,
  PRIMARY KEY (block, host)
) WITHOUT ROWID;

CREATE TABLE shards (shard INTEGER PRIMARY KEY);
";

/// From here on the names include those of policies.
const POLICIES: &str = "
ALTER TABLE meta ADD COLUMN policies_after INTEGER NOT NULL DEFAULT 0;
UPDATE meta SET policies_after = coalesce(seq, 0);
";

/// From here on tools have the host's own name as well. Older records are found by the unified name only.
const NATIVE_TOOLS: &str = "
ALTER TABLE shapes ADD COLUMN native_tool TEXT;
";

/// Number of records per row of `blocks`, as a power of two.
pub(crate) const BLOCK: u32 = 10;

/// The current version.
pub(crate) fn newest() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or_default()
}

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Migrates the file to the current version.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = usize::try_from(version(&tx)?).unwrap_or_default();
    for step in STEPS.iter().skip(done) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", newest())?;
    tx.commit()
}

/// Deletes everything but incidents, unless another reader did so since `seen`. Returns the current
/// generation.
pub(crate) fn clear(connection: &mut Connection, seen: Option<i64>) -> rusqlite::Result<i64> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let meta = meta::read(&tx)?;
    if seen.is_some_and(|seen| seen != meta.generation) {
        return Ok(meta.generation);
    }
    empty(&tx)?;
    meta::begin_anew(&tx)?;
    let generation = meta::read(&tx)?.generation;
    tx.commit()?;
    Ok(generation)
}

fn empty(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    for shard in text::shards(tx)? {
        text::drop_shard(tx, shard)?;
    }
    tx.execute_batch(
        "DELETE FROM calls; DELETE FROM marks; DELETE FROM shapes; DELETE FROM names;
         DELETE FROM uses; DELETE FROM usage; DELETE FROM sessions; DELETE FROM blocks;",
    )
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use tenter_audit::store::Store;
    use tenter_testkit::store::{after, call, item};

    use super::FIRST;
    use crate::SqliteStore;

    #[test]
    fn an_index_of_the_first_form_knows_policies_once_its_old_records_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(FIRST).unwrap();
        old.execute_batch(
            "PRAGMA user_version = 1;
             UPDATE meta SET segment = 1, offset = 9, seq = 2, hash = 'x';
             INSERT INTO shapes VALUES (1, 'claude', 'Stop', 'Stop', NULL, NULL, 2, 1, 2);
             INSERT INTO calls VALUES (1, 5, 1, NULL, 1, 0, 4, NULL, NULL, NULL, 0, 0,
               0, 0, 0, 0, 0, 0, NULL, NULL, NULL), (2, 5, 1, NULL, 1, 5, 4, NULL, NULL, NULL, 0, 0,
               0, 0, 0, 0, 0, 0, NULL, NULL, NULL);",
        )
        .unwrap();
        drop(old);
        crate::stamp::leave(&path).unwrap();
        let mut store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.position().unwrap().unwrap().seq, 2, "nothing is read again");
        let mut new = call(3, 6, "claude", "s");
        new.policy = "mine".into();
        let new = [item(new)];
        store.add(&new, &after(&new)).unwrap();
        assert_eq!(store.policies().unwrap(), None);
        store.forget(1).unwrap();
        assert_eq!(store.policies().unwrap(), None);
        store.forget(2).unwrap();
        assert_eq!(store.policies().unwrap(), Some(vec!["mine".to_owned()]));
    }
}
