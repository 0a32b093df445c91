//! The index over the record, as an `SQLite` file.
//!
//! It stores names (of files, rules, programs, folders) but no other text. A record itself is read from the
//! spool, at the position stored here.
//!
//! - `calls` has one row per record. Host, event, tool and decision are combined into one number, the
//!   *shape*: there are few shapes, and one index over them serves every combination.
//! - `names` are paths, rules and the like; `uses` lists the records with a path or a rule.
//! - `sessions` are counted as records are added, by the same function as in the in-memory store.
//! - `blocks` hold the time range of each thousand records, so that times need no index.
//! - `text_<n>` are contentless full-text tables, one per 65,536 records: searches start with the newest, and
//!   pruning drops whole tables.
//!
//! `find` iterates over the records of the most selective condition in order, and checks the other conditions
//! on each row, until there are enough.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod add;
mod candidates;
mod find;
mod forget;
mod locks;
mod meta;
mod names;
mod open;
mod plan;
mod schema;
mod sessions;
mod spread;
mod stamp;
mod stats;
mod text;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use tenter_audit::store::{
    By, Hit, Item, Order, Position, Query, Result, Session, SessionQuery, Stats, Store, Trouble,
};

/// The index of one spool.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
    /// `None` for an index in memory.
    path: Option<PathBuf>,
    warning: Option<String>,
    /// Number of rebuilds when the position was last read.
    generation: Cell<Option<i64>>,
    cache: names::Cache,
}

impl SqliteStore {
    /// Opens or creates the index. A damaged one is set aside; one that cannot be written is opened
    /// read-only, which [`SqliteStore::warning`] reports.
    pub fn open(path: &Path) -> Result<Self> {
        open::open(path)
    }

    /// An index in memory.
    pub fn in_memory() -> Result<Self> {
        open::in_memory()
    }

    /// Why the index was rebuilt or is read-only, for people.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Whether records can be added.
    pub fn is_writable(&self) -> bool {
        !self.connection.is_readonly("main").unwrap_or(true)
    }

    fn new(connection: Connection, path: Option<&Path>, warning: Option<String>) -> Self {
        Self {
            connection,
            path: path.map(Path::to_owned),
            warning,
            generation: Cell::new(None),
            cache: names::Cache::default(),
        }
    }

    /// Checkpoints the log into the database file if it is larger than `most` bytes, waiting at most
    /// `patience` for other readers.
    fn settle(&self, most: u64, patience: Duration) {
        if let Some(path) = &self.path
            && self.is_writable()
            && open::log_size(path) > most
        {
            // Nothing is lost: the log still holds it, and the next reader tries again.
            drop(open::checkpoint(&self.connection, path, patience));
        }
    }

    /// Converts an error to a message. A file found to be damaged is set aside at once: the next reader
    /// rebuilds it.
    fn said<T>(&self, result: rusqlite::Result<T>) -> Result<T> {
        result.map_err(|error| match &self.path {
            Some(path) if is_damage(&error) => match open::set_aside(path) {
                Ok(aside) => Trouble(format!(
                    "the index was damaged ({error}) and is set aside as {}; run this again, it is \
                     made anew from the record",
                    aside.display()
                )),
                Err(why) => Trouble(format!(
                    "the index {} is damaged ({error}) and cannot be set aside ({why}): remove it, \
                     it is made anew from the record",
                    path.display()
                )),
            },
            Some(path) if is_busy(&error) => Trouble(open::locked_message(path)),
            _ => Trouble(format!("the index: {error}")),
        })
    }
}

/// Maximum log size: a page touched by many batches is logged for each of them.
const LOG: u64 = 128 * 1024 * 1024;

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // A process just forked by another thread may hold the lock for a moment.
        self.settle(0, Duration::from_millis(50));
    }
}

/// `SQLITE_IOERR_SHORT_READ`
const SHORT_READ: i32 = 522;

/// Whether the error means that the file is not a database, or damaged.
fn is_damage(error: &rusqlite::Error) -> bool {
    let is_short = match error {
        // A page is missing, in the file or its log.
        rusqlite::Error::SqliteFailure(error, _) => error.extended_code == SHORT_READ,
        _ => false,
    };
    is_short
        || matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        )
}

/// Whether another process has locked the file.
fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
        )
    )
}

/// Converts to a database integer. No valid number is too large.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts from a database integer.
fn uint(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl Store for SqliteStore {
    fn position(&self) -> Result<Option<Position>> {
        let meta = self.said(meta::read(&self.connection))?;
        self.generation.set(Some(meta.generation));
        Ok(meta.position)
    }

    fn add(&mut self, items: &[Item], position: &Position) -> Result<()> {
        let added =
            add::add(&mut self.connection, &mut self.cache, self.generation.get(), items, position);
        match added {
            Ok(add::Added::Done) => {
                self.settle(LOG, Duration::ZERO);
                Ok(())
            }
            Ok(add::Added::BegunAnew) => Err(Trouble(
                "another reader has begun the index anew meanwhile: run this again".to_owned(),
            )),
            Err(error) => {
                // It may contain names that were rolled back.
                self.cache = names::Cache::default();
                self.said(Err(error))
            }
        }
    }

    fn clear(&mut self) -> Result<()> {
        self.cache = names::Cache::default();
        let cleared = schema::clear(&mut self.connection, self.generation.get());
        let generation = self.said(cleared)?;
        self.generation.set(Some(generation));
        Ok(())
    }

    fn forget(&mut self, through: u64) -> Result<()> {
        self.cache = names::Cache::default();
        let forgotten = forget::forget(&mut self.connection, int(through));
        self.said(forgotten)?;
        // Pages freed before may still hold text.
        self.settle(0, Duration::from_secs(1));
        Ok(())
    }

    fn find(&self, query: &Query<'_>, order: Order, limit: usize) -> Result<Vec<Hit>> {
        self.said(find::find(&self.connection, query, order, limit))
    }

    fn get(&self, seq: u64) -> Result<Option<Hit>> {
        self.said(find::get(&self.connection, int(seq)))
    }

    fn sessions(&self, query: &SessionQuery<'_>) -> Result<Vec<Session>> {
        self.said(sessions::list(&self.connection, query))
    }

    fn stats(&self, since: Option<u64>, until: Option<u64>, by: By) -> Result<Stats> {
        self.said(stats::stats(&self.connection, since, until, by))
    }

    fn policies(&self) -> Result<Option<Vec<String>>> {
        self.said(names::policies(&self.connection))
    }

    fn incidents(&self) -> Result<Vec<(u64, String)>> {
        self.said(meta::incidents(&self.connection))
    }

    fn note_incident(&mut self, at: u64, what: &str) -> Result<()> {
        self.said(meta::note_incident(&self.connection, int(at), what))
    }
}
