//! Several readers fill one index during calls: nothing twice, nothing missing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use tenter_audit::Spool;
use tenter_audit::ingest::catch_up;
use tenter_audit::store::{
    By, Hit, Item, Order, Position, Query, Result, Session, SessionQuery, Stats, Store,
};
use tenter_audit_sqlite::SqliteStore;

const WRITERS: u64 = 3;
const CALLS: u64 = 400;
const READERS: usize = 4;
/// Environment variable that tells a child process its task.
const ROLE: &str = "TENTER_TEST_READER_OF";

fn spool(folder: &Path) -> Spool {
    // Small segments, so that they are closed and renamed while others read.
    Spool::of_state(folder).with_segments_of(20_000)
}

fn write(folder: &Path, writer: u64) {
    let spool = spool(folder);
    for call in 0..CALLS {
        let body = format!(
            "{{\"v\":1,\"at\":{call},\"level\":\"standard\",\"host\":\"cursor\",\
             \"event\":\"PreToolUse\",\"session_id\":\"s{writer}\",\"findings\":\
             [{{\"rule\":\"r{}\",\"level\":\"ask\"}}],\"prompt\":\"word{call}\"}}",
            call % 7
        );
        spool.append(body, false).unwrap();
    }
}

/// Reads until all records are added.
fn read(folder: &Path) {
    let index = folder.join("audit").join("index.sqlite");
    loop {
        let mut store = SqliteStore::open(&index).unwrap();
        catch_up(&spool(folder), &mut store, 0, &mut |_, _| {}).unwrap();
        let found = store.find(&Query::default(), Order::NewestFirst, usize::MAX).unwrap();
        // A reader that sees a record sees all before it.
        let stats = store.stats(None, None, By::Host).unwrap();
        assert!(stats.total.records >= found.len() as u64);
        if found.len() as u64 == WRITERS * CALLS {
            return;
        }
    }
}

fn check(folder: &Path) {
    let spool = spool(folder);
    let store = SqliteStore::open(&folder.join("audit").join("index.sqlite")).unwrap();
    let found = store.find(&Query::default(), Order::OldestFirst, usize::MAX).unwrap();
    assert_eq!(found.len() as u64, WRITERS * CALLS);
    for hit in &found {
        let record = spool.record(hit.place).unwrap().unwrap();
        assert_eq!(record.seq, hit.seq);
    }
    let mut numbers: Vec<u64> = found.iter().map(|hit| hit.seq).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), found.len());
    let all = SessionQuery { limit: 99, ..Default::default() };
    let sessions = store.sessions(&all).unwrap();
    assert_eq!(sessions.len() as u64, WRITERS);
    assert!(sessions.iter().all(|session| session.records == CALLS));
    let stats = store.stats(None, None, By::Rule).unwrap();
    assert_eq!(stats.groups.iter().map(|group| group.count.records).sum::<u64>(), WRITERS * CALLS);
    assert_eq!(store.incidents().unwrap(), [], "nobody has touched the spool");
    let word = Query { text: Some("word399"), ..Query::default() };
    assert_eq!(store.find(&word, Order::OldestFirst, 99).unwrap().len() as u64, WRITERS);
}

fn writers(folder: &Path) -> Vec<thread::JoinHandle<()>> {
    let start = |writer: u64| {
        let folder = folder.to_owned();
        thread::spawn(move || write(&folder, writer))
    };
    // The folder exists before readers start.
    std::fs::create_dir_all(folder.join("audit")).unwrap();
    (0..WRITERS).map(start).collect()
}

#[test]
fn readers_in_threads_share_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = writers(folder.path());
    for _ in 0..READERS {
        let folder = folder.path().to_owned();
        all.push(thread::spawn(move || read(&folder)));
    }
    for one in all {
        one.join().unwrap();
    }
    check(folder.path());
}

#[test]
fn readers_in_processes_share_the_work() {
    if let Some(folder) = std::env::var_os(ROLE) {
        read(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let all = writers(folder.path());
    let reader = |_| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "readers::readers_in_processes_share_the_work"]);
        command.env(ROLE, folder.path()).stdout(Stdio::null()).spawn().unwrap()
    };
    let readers: Vec<_> = (0..READERS).map(reader).collect();
    for one in all {
        one.join().unwrap();
    }
    for mut reader in readers {
        assert!(reader.wait().unwrap().success());
    }
    check(folder.path());
}

#[test]
fn a_reader_that_is_killed_leaves_an_index_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for one in writers(folder.path()) {
        one.join().unwrap();
    }
    for ms in 0..12_u64 {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "readers::readers_in_processes_share_the_work"]);
        let mut reader = command.env(ROLE, folder.path()).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(std::time::Duration::from_millis(ms * 7));
        drop(reader.kill());
        reader.wait().unwrap();
    }
    read(folder.path());
    check(folder.path());
}

/// An index that another reader updates at the moment its position is read.
struct Overtaken<'f> {
    folder: &'f Path,
    store: SqliteStore,
}

impl Store for Overtaken<'_> {
    fn position(&self) -> Result<Option<Position>> {
        // Enough to close a segment as well.
        write(self.folder, 7);
        let mut other = SqliteStore::open(&self.folder.join("audit").join("index.sqlite"))?;
        catch_up(&spool(self.folder), &mut other, 0, &mut |_, _| {})?;
        self.store.position()
    }

    fn add(&mut self, items: &[Item], position: &Position) -> Result<()> {
        self.store.add(items, position)
    }

    fn clear(&mut self) -> Result<()> {
        self.store.clear()
    }

    fn forget(&mut self, through: u64) -> Result<()> {
        self.store.forget(through)
    }

    fn find(&self, query: &Query<'_>, order: Order, limit: usize) -> Result<Vec<Hit>> {
        self.store.find(query, order, limit)
    }

    fn get(&self, seq: u64) -> Result<Option<Hit>> {
        self.store.get(seq)
    }

    fn sessions(&self, query: &SessionQuery<'_>) -> Result<Vec<Session>> {
        self.store.sessions(query)
    }

    fn stats(&self, since: Option<u64>, until: Option<u64>, by: By) -> Result<Stats> {
        self.store.stats(since, until, by)
    }

    fn policies(&self) -> Result<Option<Vec<String>>> {
        self.store.policies()
    }

    fn incidents(&self) -> Result<Vec<(u64, String)>> {
        self.store.incidents()
    }

    fn note_incident(&mut self, at: u64, what: &str) -> Result<()> {
        self.store.note_incident(at, what)
    }
}

#[test]
fn a_reader_that_is_overtaken_takes_no_file_for_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 1);
    let index = folder.path().join("audit").join("index.sqlite");
    let store = SqliteStore::open(&index).unwrap();
    let mut overtaken = Overtaken { folder: folder.path(), store };
    let caught = catch_up(&spool(folder.path()), &mut overtaken, 0, &mut |_, _| {}).unwrap();
    assert!(!caught.renewed);
    assert_eq!(overtaken.incidents().unwrap(), []);
    let all = overtaken.find(&Query::default(), Order::OldestFirst, usize::MAX).unwrap();
    assert_eq!(all.len() as u64, 2 * CALLS);
}
