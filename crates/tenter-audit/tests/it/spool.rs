//! The spool: rotation, torn lines, concurrent writers.

use std::fs::OpenOptions;
use std::io::Write;

use tenter_audit::chain::{End, NOTHING};
use tenter_audit::spool::Entry;
use tenter_audit::store::Store;
use tenter_audit::{Record, Spool};

fn body(number: u64) -> String {
    format!(
        "{{\"v\":1,\"at\":{number},\"level\":\"standard\",\"host\":\"claude\",\"event\":\"Stop\"}}"
    )
}

/// All lines of the spool, after checking the links between them.
fn records(spool: &Spool) -> (Vec<Record<'static>>, u64) {
    spool.join().unwrap();
    let (mut before, mut found, mut torn) = (NOTHING.to_owned(), Vec::new(), 0);
    for segment in spool.segments().unwrap() {
        for entry in segment.lines(0).unwrap() {
            match entry.unwrap() {
                Entry::Line { text, place } => {
                    let end = End::of(&text).unwrap();
                    assert!(end.is_true_of(&text), "{text}");
                    assert_eq!(end.prev, before, "{text}");
                    end.hash.clone_into(&mut before);
                    assert_eq!(spool.fetch(place).unwrap().as_deref(), Some(text.as_str()));
                    found.push(Record::parse(&text).unwrap());
                }
                Entry::Torn { .. } => torn += 1,
            }
        }
    }
    (found, torn)
}

#[test]
fn lines_go_on_from_one_another_over_many_files() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(1000);
    for number in 1..=50 {
        spool.append(body(number), false).unwrap();
    }
    let (records, torn) = records(&spool);
    let calls: Vec<u64> = records.iter().filter(|it| it.host == "claude").map(|it| it.at).collect();
    assert_eq!(calls, (1..=50).collect::<Vec<u64>>());
    assert_eq!(torn, 0);
    let numbers: Vec<u64> = records.iter().map(|it| it.seq).collect();
    assert_eq!(numbers, (1..=records.len() as u64).collect::<Vec<u64>>());
    assert!(spool.segments().unwrap().len() > 5);
}

#[test]
fn a_torn_line_is_passed_over_and_marked_by_the_next_record() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path());
    for cut in [1, 40, 199, 200] {
        spool.append(body(1), false).unwrap();
        let file = spool.folder().join("current.jsonl");
        let (line, _) = tenter_audit::chain::seal(
            body(2),
            &tenter_audit::chain::Link::start(),
            tenter_audit::chain::Seal::default(),
        );
        let torn = line.get(..cut.min(line.len() - 1)).unwrap();
        OpenOptions::new().append(true).open(file).unwrap().write_all(torn.as_bytes()).unwrap();
        let next = spool.append(body(3), false).unwrap();
        let (records, _) = records(&spool);
        let last = records.last().unwrap();
        assert_eq!(last.seq, next.seq);
        assert_eq!(last.gap.unwrap().torn, torn.len() as u64);
    }
    assert_eq!(records(&spool).1, 4);
}

#[test]
fn a_file_that_is_torn_from_its_first_byte_on_is_marked_too() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path());
    spool.append(body(1), false).unwrap();
    std::fs::write(spool.folder().join("current.jsonl"), "{\"v\":1,\"at").unwrap();
    spool.append(body(2), false).unwrap();
    let (records, torn) = records(&spool);
    assert_eq!((records.len(), torn), (1, 1));
    assert_eq!(records.first().unwrap().gap.unwrap().torn, 10);
}

#[test]
fn what_was_lost_is_said_by_the_next_record() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path());
    spool.append(body(1), false).unwrap();
    // A folder in place of the file: nobody can write there, not even root.
    let file = spool.folder().join("current.jsonl");
    let aside = spool.folder().join("aside");
    std::fs::rename(&file, &aside).unwrap();
    std::fs::create_dir(&file).unwrap();
    for lost in 1..=3 {
        let failed = spool.append(body(2), false).unwrap_err();
        assert_eq!(failed.lost, Some(lost), "{failed}");
    }
    std::fs::remove_dir(&file).unwrap();
    std::fs::rename(&aside, &file).unwrap();
    spool.append(body(3), false).unwrap();
    spool.append(body(4), false).unwrap();
    let (records, _) = records(&spool);
    let lost: Vec<u64> = records.iter().map(|it| it.lost).collect();
    assert_eq!(lost, [0, 3, 0]);
}

#[test]
fn many_writers_lose_nothing_and_keep_one_chain() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(20_000);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let spool = spool.clone();
            scope.spawn(move || {
                for number in 0..250 {
                    spool.append(body(thread * 1000 + number), false).unwrap();
                }
            });
        }
    });
    let (records, torn) = records(&spool);
    let mut calls: Vec<u64> =
        records.iter().filter(|it| it.host == "claude").map(|it| it.at).collect();
    calls.sort_unstable();
    let all: Vec<u64> =
        (0..8).flat_map(|thread| (0..250).map(move |number| thread * 1000 + number)).collect();
    assert_eq!((calls, torn), (all, 0));
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(&state.path().join("state"));
    spool.append(body(1), false).unwrap();
    let mode = |path: &str| {
        std::fs::metadata(state.path().join(path)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode("state/audit"), 0o700);
    assert_eq!(mode("state/audit/current.jsonl"), 0o600);
    assert_eq!(mode("state/lost.reserve"), 0o600);
}

fn add(spool: &Spool, text: &str) {
    let file = spool.folder().join("current.jsonl");
    OpenOptions::new().append(true).open(file).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_line_that_lacks_only_its_end_is_kept_under_its_own_number() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path());
    let first = spool.append(body(1), false).unwrap();
    let link = tenter_audit::chain::Link { seq: first.seq, hash: first.hash };
    let seal = tenter_audit::chain::Seal::default();
    add(&spool, &tenter_audit::chain::seal(body(2), &link, seal).0);
    spool.append(body(3), false).unwrap();
    let (records, torn) = records(&spool);
    let seen: Vec<(u64, u64)> = records.iter().map(|it| (it.seq, it.at)).collect();
    assert_eq!((seen, torn), (vec![(1, 1), (2, 2), (3, 3)], 0));
}

#[test]
fn a_file_that_is_torn_from_the_start_goes_on_from_the_file_before() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(1000);
    for number in 1..=9 {
        spool.append(body(number), false).unwrap();
    }
    spool.turn().unwrap();
    std::fs::write(spool.folder().join("current.jsonl"), "{\"v\":1,\"a").unwrap();
    spool.append(body(10), false).unwrap();
    let (records, torn) = records(&spool);
    assert_eq!(torn, 1);
    assert_eq!(records.last().unwrap().seq, records.len() as u64);
}

#[test]
fn a_name_that_is_taken_does_not_end_the_record() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(1000);
    spool.append(body(1), false).unwrap();
    std::fs::write(spool.folder().join("000000000001.jsonl"), "somebody else's\n").unwrap();
    for number in 2..=30 {
        spool.append(body(number), false).unwrap();
    }
    let (records, torn) = records(&spool);
    let calls = records.iter().filter(|it| it.host == "claude").count();
    assert_eq!((calls, torn), (30, 1));
}

#[test]
fn what_a_reader_takes_in_while_files_turn_is_everything_once() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(3000);
    let mut store = tenter_audit::memory::Memory::new();
    let mut taken = 0;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let spool = spool.clone();
                scope.spawn(move || {
                    (0..300).for_each(|number| drop(spool.append(body(number), false).unwrap()));
                })
            })
            .collect();
        while writers.iter().any(|it| !it.is_finished()) {
            let caught =
                tenter_audit::ingest::catch_up(&spool, &mut store, 0, &mut |_, _| {}).unwrap();
            assert!(!caught.renewed);
            taken += caught.records;
        }
    });
    taken += tenter_audit::ingest::catch_up(&spool, &mut store, 0, &mut |_, _| {}).unwrap().records;
    let (all, _) = records(&spool);
    assert_eq!(taken, all.len() as u64);
    let query = tenter_audit::store::Query::default();
    let order = tenter_audit::store::Order::OldestFirst;
    assert_eq!(store.find(&query, order, usize::MAX).unwrap().len(), 900);
}

/// A spool locked by another process.
fn locked(spool: &Spool) -> std::fs::File {
    let file = std::fs::File::open(spool.folder().join("current.jsonl")).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn what_is_written_while_the_spool_is_locked_is_added_once() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(600);
    spool.append(body(0), false).unwrap();
    let held = locked(&spool);
    for number in 1..4 {
        assert!(spool.append(body(number), true).unwrap().is_beside);
    }
    assert!(spool.join().is_err());
    assert_eq!(spool.beside().unwrap().len(), 3);
    drop(held);
    // A process was killed after adding the first line, before removing its side file.
    let first =
        spool.folder().join("side").join(format!("{:020}.jsonl", spool.beside().unwrap()[0]));
    let kept = std::fs::read(&first).unwrap();
    spool.join().unwrap();
    assert_eq!(records(&spool).0.iter().map(|it| it.at).collect::<Vec<_>>().len(), 4);
    assert_eq!(spool.untold(), 0);
    let held = locked(&spool);
    spool.append(body(4), false).unwrap();
    drop(held);
    let number = spool.beside().unwrap()[0];
    let second = spool.folder().join("side").join(format!("{number:020}.jsonl"));
    let line = std::fs::read(&second).unwrap();
    spool.join().unwrap();
    std::fs::write(&second, line).unwrap();
    spool.append(body(5), false).unwrap();
    assert!(spool.beside().unwrap().is_empty(), "it is in the chain already");
    // A side file older than the last line that reappears is tampering, and becomes another record.
    std::fs::write(&first, kept).unwrap();
    spool.join().unwrap();
    let (records, torn) = records(&spool);
    let calls: Vec<u64> = records.iter().filter(|it| it.host == "claude").map(|it| it.at).collect();
    assert_eq!((calls, torn), (vec![0, 1, 2, 3, 4, 5, 1], 0));
    let report = tenter_audit::verify::verify(&spool, &mut |_, _| {}).unwrap();
    assert_eq!((report.broken, report.side), (None, 5));
}

#[test]
fn what_is_no_whole_line_beside_the_chain_stops_nothing() {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path());
    spool.append(body(0), false).unwrap();
    let held = locked(&spool);
    spool.append(body(1), false).unwrap();
    spool.append(body(2), false).unwrap();
    let all = spool.beside().unwrap();
    let file = |number: u64| spool.folder().join("side").join(format!("{number:020}.jsonl"));
    let text = std::fs::read_to_string(file(all[0])).unwrap();
    std::fs::write(file(all[0]), text.replace("Stop", "Stup")).unwrap();
    drop(held);
    spool.append(body(3), false).unwrap();
    let found: Vec<u64> = records(&spool).0.iter().map(|it| it.at).collect();
    assert_eq!(found, [0, 2, 3]);
    assert_eq!(records(&spool).0.last().unwrap().lost, 1, "one was changed, and does not count");
}
