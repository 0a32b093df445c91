//! Opens the record for reading: the spool, and an index that is updated first.

use std::io::{IsTerminal, Write};

use tenter_audit::anchor::{self, Anchor, AnchorNote};
use tenter_audit::ingest::{self, Caught};
use tenter_audit::store::{Hit, Order, Query, Store};
use tenter_audit::{Record, Spool, unfinished};
use tenter_audit_sqlite::SqliteStore;
use tenter_engine::diagnostic::printable;

use crate::error::CommandError;
use crate::guard::LocalMachine;

/// Page size.
const PAGE: usize = 4096;

const BESIDE: &str = "another process keeps the record locked: what was written beside it meanwhile is \
                      shown, and added once that process lets go";

pub(crate) struct Reading {
    pub(crate) spool: Spool,
    pub(crate) store: Box<dyn Store>,
    /// Whether the store contains every record.
    pub(crate) is_whole: bool,
    /// Whether the record lacks something that the store had added.
    is_cut: bool,
}

impl Reading {
    /// Opens this user's record for a command that shows it. Creates the index if missing.
    pub(crate) fn open(machine: &LocalMachine) -> Result<Self, CommandError> {
        let mut reading = Self::as_it_is(machine)?;
        if reading.is_cut {
            warn(
                "records are gone, or not as they were when they were last read: see `tenter verify`",
            );
        }
        crate::retention::remind(machine, &mut reading);
        Ok(reading)
    }

    /// The same, without messages about its state.
    pub(crate) fn as_it_is(machine: &LocalMachine) -> Result<Self, CommandError> {
        let state = machine
            .folders
            .state
            .as_ref()
            .ok_or_else(|| CommandError::internal("no folder for state: HOME is not set"))?;
        let spool = Spool::of_state(state);
        adopt(machine);
        let mut told = Told::default();
        let mut why: Option<CommandError> = None;
        // Retry if the index turns out to be damaged, or another reader has rebuilt it.
        for _ in 0..2 {
            let mut store = index(&spool)?;
            if !store.is_writable() && !has_something(&store) {
                warn("the index cannot be written: the whole record is read every time");
                store = in_memory()?;
            }
            told.once(store.warning());
            if !store.is_writable() {
                return Ok(Self { spool, store: Box::new(store), is_whole: false, is_cut: false });
            }
            match catch_up(&spool, &mut store, machine.now_ms) {
                Ok(caught) if caught.beside > 0 => {
                    // The index contains only what is in the chain.
                    drop(store);
                    return Self::without_index(&spool, machine.now_ms);
                }
                Ok(caught) => {
                    told.once(why.map(|why| why.to_string()).as_deref());
                    let is_cut = caught.renewed;
                    note_elsewhere(machine, &store);
                    return Ok(Self { spool, store: Box::new(store), is_whole: true, is_cut });
                }
                Err(error) => why = Some(error),
            }
        }
        // Fall back to the record itself, which is only slower.
        if let Ok(reading) = Self::without_index(&spool, machine.now_ms) {
            if let Some(why) = why {
                warn(&why.to_string());
            }
            return Ok(reading);
        }
        // Old data is better than none. But none must not look like an empty record.
        let store = index(&spool)?;
        if let Some(why) = why {
            if !has_something(&store) {
                return Err(why);
            }
            warn(&why.to_string());
        }
        warn("what came since is not shown");
        Ok(Self { spool, store: Box::new(store), is_whole: false, is_cut: false })
    }

    /// The whole record in memory, when the index cannot be used.
    fn without_index(spool: &Spool, now_ms: u64) -> Result<Self, CommandError> {
        let mut store = in_memory()?;
        let caught = catch_up(spool, &mut store, now_ms)?;
        if caught.beside > 0 {
            warn(BESIDE);
            ingest::take_beside(spool, &mut store).map_err(CommandError::internal)?;
        }
        let spool = spool.clone();
        Ok(Self { spool, store: Box::new(store), is_whole: false, is_cut: false })
    }

    /// The record of a search result; `None` if pruned meanwhile.
    pub(crate) fn record(&self, hit: Hit) -> Result<Option<Record<'static>>, CommandError> {
        self.spool
            .record(hit.place)
            .map_err(|error| CommandError::internal(format!("record {}: {error}", hit.seq)))
    }

    /// Passes all matching records to `each`, oldest first, in pages.
    pub(crate) fn each(
        &self,
        query: &Query<'_>,
        mut each: impl FnMut(Record<'static>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let mut after = query.after;
        loop {
            let query = Query { after, ..*query };
            let hits = self
                .store
                .find(&query, Order::OldestFirst, PAGE)
                .map_err(CommandError::internal)?;
            for hit in &hits {
                if let Some(record) = self.record(*hit)? {
                    each(record)?;
                }
            }
            match hits.last() {
                Some(last) if hits.len() == PAGE => after = Some(last.seq),
                _ => return Ok(()),
            }
        }
    }
}

/// Records calls that died. Errors are ignored: there is still something to read.
pub(crate) fn adopt(machine: &LocalMachine) {
    let Some(state) = &machine.folders.state else { return };
    if let Err(error) = unfinished::adopt(state, &Spool::of_state(state), machine.now_ms) {
        warn(&format!("calls that died cannot be recorded: {error}"));
    }
}

/// Stores an anchor for the last record, if missing.
fn note_elsewhere(machine: &LocalMachine, store: &dyn Store) {
    let (Some(file), Ok(Some(at))) = (machine.folders.anchors(), store.position()) else { return };
    let anchor = Anchor { seq: at.seq, hash: at.hash };
    let last = anchor::kept(&file).unwrap_or_default().pop();
    if last.is_none_or(|last| last.anchor != anchor) {
        // The next reader or writer stores it.
        drop(anchor::keep(&file, &AnchorNote { anchor, at: machine.now_ms }));
    }
}

/// The index beside the spool. Without a spool nothing is created.
fn index(spool: &Spool) -> Result<SqliteStore, CommandError> {
    if !spool.folder().exists() {
        return in_memory();
    }
    let opened = SqliteStore::open(&spool.folder().join("index.sqlite"));
    opened.map_err(CommandError::internal)
}

fn in_memory() -> Result<SqliteStore, CommandError> {
    SqliteStore::in_memory().map_err(CommandError::internal)
}

fn has_something(store: &dyn Store) -> bool {
    store.position().is_ok_and(|position| position.is_some())
}

/// Messages already printed.
#[derive(Debug, Default)]
struct Told(Vec<String>);

impl Told {
    fn once(&mut self, warning: Option<&str>) {
        if let Some(warning) = warning.filter(|it| !self.0.iter().any(|told| told == it)) {
            warn(warning);
            self.0.push(warning.to_owned());
        }
    }
}

pub(crate) fn warn(what: &str) {
    // Ignore write errors: there is nowhere else to report them.
    drop(writeln!(std::io::stderr(), "tenter: {}", printable(what)));
}

fn catch_up(spool: &Spool, store: &mut dyn Store, now_ms: u64) -> Result<Caught, CommandError> {
    let mut bar = Progress::new("reading the record");
    let caught = ingest::catch_up(spool, store, now_ms, &mut |done, total| bar.show(done, total));
    caught.map_err(|error| CommandError::internal(format!("{}: {error}", spool.folder().display())))
}

/// A progress line on stderr, on a terminal.
pub(crate) struct Progress {
    what: &'static str,
    begun: std::time::Instant,
    shown: bool,
    visible: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        let visible = std::io::stderr().is_terminal();
        Self { what, begun: std::time::Instant::now(), shown: false, visible }
    }

    pub(crate) fn show(&mut self, done: u64, total: u64) {
        // Short operations need no progress line.
        if !self.visible || self.begun.elapsed().as_millis() < 500 || total == 0 {
            return;
        }
        let percent = done.saturating_mul(100) / total;
        let filled = usize::try_from(percent / 5).unwrap_or_default().min(20);
        let (full, rest) = ("#".repeat(filled), "-".repeat(20_usize.saturating_sub(filled)));
        drop(write!(std::io::stderr(), "\r{} [{full}{rest}] {percent:3}%", self.what));
        self.shown = true;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            drop(write!(std::io::stderr(), "\r\u{1b}[K"));
        }
    }
}
