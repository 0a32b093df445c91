//! Pruning by age, killed at every moment.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;
use tenter_audit::chain::End;
use tenter_audit::ingest::catch_up;
use tenter_audit::memory::Memory;
use tenter_audit::prune::{Failed, Order, Pruned, prune};
use tenter_audit::store::{self, Query, Store};
use tenter_audit::verify::{Why, verify};
use tenter_audit::{Record, Spool};

/// Each call is one second later than the one before.
fn spool(calls: u64) -> (TempDir, Spool) {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(900);
    for number in 1..=calls {
        call(&spool, number * 1000);
    }
    (state, spool)
}

fn call(spool: &Spool, at: u64) {
    let body = format!("{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"claude\"}}");
    spool.append(body, false).unwrap();
}

fn filled(spool: &Spool) -> Memory {
    let mut store = Memory::new();
    catch_up(spool, &mut store, 0, &mut |_, _| {}).unwrap();
    store
}

fn order(before: u64) -> Order {
    Order { before, now: 5_000_000, ..Order::default() }
}

fn intact(spool: &Spool) {
    let report = verify(spool, &mut |_, _| {}).unwrap();
    assert!(report.is_intact(), "{report:?}");
}

fn files(spool: &Spool) -> Vec<PathBuf> {
    spool.segments().unwrap().into_iter().map(|segment| segment.path).collect()
}

/// Times of all remaining calls.
fn calls(spool: &Spool) -> Vec<u64> {
    let mut found = Vec::new();
    for file in files(spool) {
        for line in fs::read_to_string(file).unwrap().lines() {
            let Ok(record) = Record::parse(line) else { continue };
            if record.host == "claude" {
                found.push(record.at);
            }
        }
    }
    found
}

fn found(store: &dyn Store) -> usize {
    store.find(&Query::default(), store::Order::OldestFirst, 1000).unwrap().len()
}

#[test]
fn what_was_taken_away_by_others_is_not_accounted_for() {
    let (_state, spool) = spool(30);
    let mut store = filled(&spool);
    // Segments that were deleted properly are no reason to keep others.
    assert!(prune(&spool, &mut store, order(8_000)).unwrap().segments > 0);
    assert!(prune(&spool, &mut store, order(14_000)).unwrap().segments > 0);
    fs::remove_file(files(&spool).first().unwrap()).unwrap();
    let before = files(&spool);
    for dry_run in [true, false] {
        let failed = prune(&spool, &mut store, Order { dry_run, ..order(28_000) }).unwrap_err();
        assert!(matches!(failed, Failed::Broken(broken) if broken.why == Why::Beginning));
    }
    assert_eq!(files(&spool), before, "it is evidence");
    let report = verify(&spool, &mut |_, _| {}).unwrap();
    assert_eq!(report.broken.unwrap().why, Why::Beginning);
    let pruned = prune(&spool, &mut store, Order { broken_too: true, ..order(28_000) }).unwrap();
    assert!(pruned.segments > 0);
}

#[test]
fn only_whole_files_go_whose_last_record_is_old() {
    for before in (0..=31).map(|second| second * 1000) {
        let (_state, spool) = spool(30);
        let mut store = filled(&spool);
        let told = prune(&spool, &mut store, Order { dry_run: true, ..order(before) }).unwrap();
        assert_eq!(calls(&spool).len(), 30, "a dry run takes nothing away");
        let pruned = prune(&spool, &mut store, order(before)).unwrap();
        intact(&spool);
        let left = calls(&spool);
        assert!(left.iter().all(|at| *at > pruned.to), "{pruned:?}");
        assert_eq!(found(&store), left.len());
        // Old records stay only in a segment shared with newer ones.
        let stays = left.iter().filter(|at| **at < before).count();
        assert!(stays < 10 && (before > 30_000) == left.is_empty(), "{before}: {left:?}");
        if before > 30_000 {
            // The closing line of the last segment is written only when it is deleted.
            assert_eq!(told.records + 1, pruned.records);
        } else {
            assert_eq!(
                (told.segments, told.records, told.bytes, told.through, told.to),
                (pruned.segments, pruned.records, pruned.bytes, pruned.through, pruned.to)
            );
        }
        assert_eq!(pruned.checkpoint.is_some(), pruned.records > 0);
        assert_eq!(pruned.stays.first, spool.segments().unwrap().first().map(|it| it.first));
    }
}

#[test]
fn numbers_go_on_after_everything_has_gone() {
    let (_state, spool) = spool(30);
    let mut store = filled(&spool);
    let pruned = prune(&spool, &mut store, order(u64::MAX)).unwrap();
    assert_eq!((calls(&spool), found(&store)), (Vec::new(), 0));
    call(&spool, 99_000);
    let report = verify(&spool, &mut |_, _| {}).unwrap();
    assert!(report.is_intact());
    let cleared = report.cleared.unwrap();
    assert_eq!((cleared.records, cleared.from, cleared.to), (pruned.records, 1000, 30_000));
    assert_eq!(report.first.unwrap().seq, pruned.through + 1);
    assert_eq!(report.last.unwrap().seq, pruned.through + 2);
    catch_up(&spool, &mut store, 0, &mut |_, _| {}).unwrap();
    assert_eq!((found(&store), store.incidents().unwrap()), (1, Vec::new()));
    // A checkpoint is a record like others, and is pruned when it is old.
    prune(&spool, &mut store, order(u64::MAX)).unwrap();
    intact(&spool);
}

#[test]
fn nothing_is_there_nothing_goes() {
    let (_state, spool) = spool(0);
    let pruned = prune(&spool, &mut Memory::new(), order(u64::MAX)).unwrap();
    assert_eq!(pruned, Pruned::default());
    assert!(!spool.folder().exists(), "looking makes no files");
}

#[test]
fn whoever_is_ended_at_any_moment_leaves_a_record_that_can_be_checked() {
    // Killed after `removed` files; before the first removal only a record was added.
    for removed in 0.. {
        let (_state, spool) = spool(40);
        let before: Vec<(PathBuf, Vec<u8>)> =
            files(&spool).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        let mut store = filled(&spool);
        let pruned = prune(&spool, &mut store, order(30_000)).unwrap();
        let gone: Vec<_> = before.iter().filter(|(path, _)| !path.exists()).collect();
        assert_eq!(gone.len() as u64, pruned.segments);
        if removed > gone.len() {
            assert!(removed > 4, "a good number of files has gone");
            break;
        }
        let left = calls(&spool);
        for (path, bytes) in gone.into_iter().skip(removed) {
            fs::write(path, bytes).unwrap();
        }
        intact(&spool);
        call(&spool, 41_000);
        intact(&spool);
        // The index had not forgotten them yet.
        let mut store = filled(&spool);
        prune(&spool, &mut store, order(30_000)).unwrap();
        intact(&spool);
        assert_eq!(calls(&spool), [left, vec![41_000]].concat());
        assert_eq!(found(&store), calls(&spool).len());
    }
}

#[test]
fn an_index_that_was_not_told_is_told_the_next_time() {
    let (_state, spool) = spool(30);
    let mut late = filled(&spool);
    prune(&spool, &mut filled(&spool), order(20_000)).unwrap();
    assert_eq!(found(&late), 30);
    prune(&spool, &mut late, order(20_000)).unwrap();
    assert_eq!(found(&late), calls(&spool).len());
}

#[test]
fn what_is_broken_stays_unless_it_is_asked_for() {
    let (_state, spool) = spool(30);
    let file = files(&spool).remove(1);
    let text = fs::read_to_string(&file).unwrap();
    let number = End::of(text.lines().next().unwrap()).unwrap().seq;
    fs::write(&file, text.replacen("claude", "cursor", 1)).unwrap();
    let mut store = filled(&spool);
    let failed = prune(&spool, &mut store, order(25_000)).unwrap_err();
    let Failed::Broken(broken) = failed else { panic!("{failed}") };
    assert_eq!((broken.seq, broken.why), (number, Why::Changed));
    assert!(file.exists());
    prune(&spool, &mut store, Order { broken_too: true, ..order(25_000) }).unwrap();
    assert!(!file.exists());
    intact(&spool);
}

#[test]
fn a_file_whose_last_line_is_torn_waits_for_the_next_call() {
    let (_state, spool) = spool(2);
    let file = spool.folder().join("current.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}{{\"v\":1")).unwrap();
    let pruned = prune(&spool, &mut filled(&spool), order(u64::MAX)).unwrap();
    assert_eq!((pruned.segments, calls(&spool).len()), (0, 2));
}

#[test]
fn calls_go_on_while_old_ones_are_cleared_away() {
    let (_state, spool) = spool(200);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..300).for_each(|it| call(&spool, 1_000_000 + it)));
        let mut store = filled(&spool);
        for second in 0..200 {
            prune(&spool, &mut store, order(second * 1000)).unwrap();
        }
        writer.join().unwrap();
    });
    intact(&spool);
    let left = calls(&spool).into_iter().filter(|at| *at >= 1_000_000).count();
    assert_eq!(left, 300);
}

/// Events in the life of a spool.
#[derive(Clone, Debug)]
enum Happens {
    Call,
    /// A call is killed after this many bytes of its line.
    Torn(usize),
    Turn,
    /// Prune all but the last this many calls.
    Prune(u64),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        6 => Just(Happens::Call),
        2 => (1_usize..230).prop_map(Happens::Torn),
        1 => Just(Happens::Turn),
        1 => (0_u64..8).prop_map(Happens::Prune),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_ordinary_life_leaves_an_intact_record(life in prop::collection::vec(happens(), 1..40)) {
        let (state, spool) = spool(0);
        let mut store = Memory::new();
        let (mut time, mut kept) = (0, Vec::new());
        for happens in life {
            match happens {
                Happens::Call => {
                    time += 1000;
                    call(&spool, time);
                    kept.push(time);
                }
                Happens::Torn(bytes) => {
                    // A line that would be valid, written elsewhere and copied in part.
                    let other = tempfile::tempdir_in(state.path()).unwrap();
                    let elsewhere = Spool::of_state(other.path());
                    call(&elsewhere, 7);
                    let line = fs::read(elsewhere.folder().join("current.jsonl")).unwrap();
                    let part = &line[..bytes.min(line.len() - 2)];
                    let file = spool.folder().join("current.jsonl");
                    if let Ok(mut text) = fs::read(&file) {
                        text.extend(part);
                        fs::write(&file, text).unwrap();
                    }
                }
                Happens::Turn if spool.folder().exists() => spool.turn().unwrap(),
                Happens::Turn => {}
                Happens::Prune(calls) => {
                    catch_up(&spool, &mut store, 0, &mut |_, _| {}).unwrap();
                    let before = time.saturating_sub(calls * 1000);
                    let pruned = prune(&spool, &mut store, order(before)).unwrap();
                    prop_assert!(pruned.to < before || pruned.records == 0);
                    kept.retain(|at| *at > pruned.to);
                }
            }
            intact(&spool);
        }
        prop_assert_eq!(calls(&spool), kept);
        catch_up(&spool, &mut store, 0, &mut |_, _| {}).unwrap();
        prop_assert_eq!(found(&store), calls(&spool).len());
        prop_assert_eq!(store.incidents().unwrap(), Vec::new());
    }
}
