//! A damaged index answers like a new one, or is rebuilt.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenter_audit::store::{By, Hit, Item, Order, Query, Session, SessionQuery, Stats, Store};
use tenter_audit_sqlite::SqliteStore;
use tenter_testkit::store::{after, call, item};

/// Number of damages tried; override with `TENTER_TEST_SEEDS`.
const SEEDS: u64 = 120;

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

fn items() -> Vec<Item> {
    let record = |seq: u64| {
        let host = if seq.is_multiple_of(3) { "claude" } else { "cursor" };
        let session = if seq.is_multiple_of(4) { "a-1" } else { "b-2" };
        call(seq, 1_000 * seq, host, session)
    };
    (1..=120).map(|seq| item(record(seq))).collect()
}

type Answers = (Vec<Hit>, Vec<Hit>, Vec<Session>, Stats, Option<Hit>);

/// Runs typical queries. A damaged index returns an error.
fn ask(store: &SqliteStore) -> Result<Answers, String> {
    let said = |trouble: tenter_audit::store::Trouble| trouble.to_string();
    let of_host = Query { host: Some("cursor"), ..Query::default() };
    let sessions = SessionQuery { limit: 100, ..SessionQuery::default() };
    Ok((
        store.find(&Query::default(), Order::OldestFirst, 1000).map_err(said)?,
        store.find(&of_host, Order::NewestFirst, 1000).map_err(said)?,
        store.sessions(&sessions).map_err(said)?,
        store.stats(None, None, By::Host).map_err(said)?,
        store.get(77).map_err(said)?,
    ))
}

/// Opens the index and adds missing records, as readers do.
fn once(index: &Path) -> Result<Answers, String> {
    let said = |trouble: tenter_audit::store::Trouble| trouble.to_string();
    let mut store = SqliteStore::open(index).map_err(said)?;
    let from = store.position().map_err(said)?.map_or(0, |at| at.seq);
    let rest: Vec<Item> = items().into_iter().filter(|item| item.record.seq > from).collect();
    if !rest.is_empty() {
        store.add(&rest, &after(&rest)).map_err(said)?;
    }
    ask(&store)
}

/// Tries again if the index had to be set aside.
fn answers(index: &Path) -> Answers {
    once(index).or_else(|_| once(index)).or_else(|_| once(index)).unwrap()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index.sqlite");
    (folder, index)
}

/// Changes some bytes of a file in place; `None` if it is empty.
fn damage(path: &Path, dice: &mut Dice) -> bool {
    let Ok(length) = fs::metadata(path).map(|found| found.len()) else { return false };
    if length == 0 {
        return false;
    }
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    match dice.below(4) {
        // One bit.
        0 | 1 => {
            let at = dice.below(length);
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).unwrap();
            byte[0] ^= 1 << dice.below(8);
            file.write_all_at(&byte, at).unwrap();
        }
        // A range of arbitrary bytes.
        2 => {
            let bytes: Vec<u8> =
                (0..=dice.below(600)).map(|_| u8::try_from(dice.below(256)).unwrap()).collect();
            file.write_all_at(&bytes, dice.below(length)).unwrap();
        }
        _ => file.set_len(dice.below(length)).unwrap(),
    }
    true
}

#[test]
fn a_damaged_index_answers_like_a_new_one() {
    let (_new, new) = folder();
    let expected = answers(&new);
    assert_eq!(expected.0.len(), 120);
    let (folder, index) = folder();
    assert_eq!(answers(&index), expected);
    let mut damaged = 0;
    let seeds = std::env::var("TENTER_TEST_SEEDS").map_or(SEEDS, |seeds| seeds.parse().unwrap());
    for seed in 1..=seeds {
        let mut dice = Dice(seed * 7919);
        let name = match dice.below(10) {
            0 => "index.stamp",
            1 => "index.sqlite-wal",
            _ => "index.sqlite",
        };
        // A log that was not checkpointed, as left by a killed reader.
        if name == "index.sqlite-wal" {
            fs::remove_file(&index).unwrap();
            let mut child = std::process::Command::new(std::env::current_exe().unwrap());
            child
                .args(["--exact", "damage::a_reader_that_is_ended", "--ignored"])
                .env("INDEX", &index);
            assert!(!child.output().unwrap().status.success());
        }
        damaged += u64::from(damage(&folder.path().join(name), &mut dice));
        assert_eq!(answers(&index), expected, "seed {seed}: {name}");
        if seed % 50 == 0 {
            clear_broken(folder.path());
        }
    }
    assert!(damaged > seeds * 9 / 10, "{damaged}");
}

/// Not a test: a process that adds records and is killed before it cleans up.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn a_reader_that_is_ended() {
    let Some(index) = std::env::var_os("INDEX") else { return };
    let mut store = SqliteStore::open(Path::new(&index)).unwrap();
    store.add(&items(), &after(&items())).unwrap();
    std::process::abort();
}

fn clear_broken(folder: &Path) {
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.to_string_lossy().contains(".broken-") {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn an_index_that_nobody_touched_is_not_made_again() {
    let (folder, index) = folder();
    let expected = answers(&index);
    for _ in 0..20 {
        let store = SqliteStore::open(&index).unwrap();
        assert_eq!(store.warning(), None);
        assert_eq!(store.position().unwrap().unwrap().seq, 120);
        assert_eq!(ask(&store).unwrap(), expected);
    }
    let names = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("broken")));
}

#[test]
fn readers_at_the_same_time_do_not_take_each_other_for_damage() {
    let (_folder, index) = folder();
    drop(SqliteStore::open(&index).unwrap());
    let all = items();
    std::thread::scope(|scope| {
        for reader in 0..8_usize {
            let (all, index) = (&all, &index);
            scope.spawn(move || {
                for end in 1..=15_usize {
                    let mut store = SqliteStore::open(index).unwrap();
                    assert_eq!(store.warning(), None, "reader {reader}");
                    let from = store.position().unwrap().map_or(0, |at| at.seq);
                    let rest: Vec<Item> = all
                        .iter()
                        .filter(|item| item.record.seq > from)
                        .filter(|item| item.record.seq <= (end * 8) as u64)
                        .cloned()
                        .collect();
                    if !rest.is_empty() {
                        store.add(&rest, &after(&rest)).unwrap();
                    }
                    ask(&store).unwrap();
                }
            });
        }
    });
    let store = SqliteStore::open(&index).unwrap();
    assert_eq!(store.position().unwrap().unwrap().seq, 120);
    assert_eq!(ask(&store).unwrap().0.len(), 120);
}
