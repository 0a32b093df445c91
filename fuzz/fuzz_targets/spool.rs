#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use tenter_audit::chain::End;
use tenter_audit::ingest::catch_up;
use tenter_audit::memory::Memory;
use tenter_audit::prune::{Order, prune};
use tenter_audit::verify::verify;
use tenter_audit::{Record, Spool};

const BODY: &str = "{\"v\":1,\"at\":7,\"level\":\"standard\",\"host\":\"claude\"}";

/// A private folder, in memory where possible.
fn state() -> &'static PathBuf {
    static STATE: OnceLock<PathBuf> = OnceLock::new();
    STATE.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let top = if memory.is_dir() { memory } else { std::env::temp_dir() };
        top.join(format!("tenter-fuzz-spool-{}", std::process::id()))
    })
}

/// Every line that can be a record, whatever its file is called. One that lacks only its line feed counts:
/// the next writer completes it.
fn lines(spool: &Spool) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(spool.folder()).expect("the folder can be read") {
        let path = entry.expect("so can its entries").path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("so can its files");
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(line)).ok();
            found.extend(line.filter(|line| End::of(line).is_some()).map(str::to_owned));
        }
    }
    found
}

/// Appends a record, which must always work and lose nothing.
fn append(spool: &Spool) -> (u64, String) {
    let before = lines(spool);
    let appended = spool.append(BODY.to_owned(), false).expect("a record can always be added");
    let after = lines(spool);
    let count = |lines: &[String], wanted: &str| lines.iter().filter(|it| *it == wanted).count();
    for line in &before {
        assert_eq!(count(&before, line), count(&after, line), "lost or doubled: {line}");
    }
    let is_new = |line: &&String| End::of(line).is_some_and(|end| end.hash == appended.hash);
    let line = after.iter().find(is_new).expect("the new record is there");
    let end = End::of(line).expect("it has an end");
    assert!(end.is_true_of(line) && end.seq == appended.seq);
    Record::parse(line).expect("it can be read");
    (appended.seq, appended.hash)
}

// Whatever files are in the spool's folder, readers do not fail, the next writer continues, and no complete
// line is lost. The input is the files separated by zero bytes; the last one is the current segment.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let state = state();
    drop(std::fs::remove_dir_all(state));
    let folder = state.join("audit");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let files: Vec<&[u8]> = bytes.splitn(4, |byte| *byte == 0).collect();
    let (current, closed) = files.split_last().expect("a split gives something");
    for (number, file) in closed.iter().enumerate() {
        let path = folder.join(format!("{:012}.jsonl", number * 2 + 1));
        std::fs::write(path, file).expect("a file can be written");
    }
    std::fs::write(folder.join("current.jsonl"), current).expect("a file can be written");
    let spool = Spool::of_state(state);
    verify(&spool, &mut |_, _| {}).expect("it can be checked");
    let (first, hash) = append(&spool);
    let (second, _) = append(&spool);
    assert_eq!(second, first.saturating_add(1));
    let follows = |line: &String| End::of(line).is_some_and(|end| end.prev == hash);
    assert!(lines(&spool).iter().any(follows), "the second goes on from the first");
    let mut store = Memory::new();
    catch_up(&spool, &mut store, 0, &mut |_, _| {}).expect("it can be taken in");
    let order = Order { before: u64::MAX, broken_too: bytes.len() % 2 == 0, ..Order::default() };
    drop(prune(&spool, &mut store, order));
    append(&spool);
    verify(&spool, &mut |_, _| {}).expect("it can be checked");
});
