//! Every manual change of the record is reported by `verify` with its place.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenter_audit::Spool;
use tenter_audit::chain::{self, End, Link, Seal};
use tenter_audit::record::{Checkpoint, Kind, Record, VERSION};
use tenter_audit::verify::{Report, Why, verify, verify_file};

fn body(number: u64) -> String {
    format!("{{\"v\":1,\"at\":{},\"level\":\"standard\",\"host\":\"claude\"}}", number * 1000)
}

/// A spool of several segments with `calls` calls.
fn spool(calls: u64) -> (TempDir, Spool) {
    let state = tempfile::tempdir().unwrap();
    let spool = Spool::of_state(state.path()).with_segments_of(900);
    for number in 1..=calls {
        spool.append(body(number), false).unwrap();
    }
    (state, spool)
}

fn check(spool: &Spool) -> Report {
    verify(spool, &mut |_, _| {}).unwrap()
}

fn files(spool: &Spool) -> Vec<PathBuf> {
    spool.segments().unwrap().into_iter().map(|segment| segment.path).collect()
}

/// All lines, each with its file.
fn lines(spool: &Spool) -> Vec<(PathBuf, String)> {
    let of_file = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        text.lines().map(|line| (path.clone(), line.to_owned())).collect::<Vec<_>>()
    };
    files(spool).into_iter().flat_map(of_file).collect()
}

/// Rewrites the lines of every file.
fn write(spool: &Spool, lines: &[(PathBuf, String)]) {
    for file in files(spool) {
        let of_file = lines.iter().filter(|(path, _)| *path == file);
        let text: String = of_file.flat_map(|(_, line)| [line.as_str(), "\n"]).collect();
        fs::write(&file, text).unwrap();
    }
}

fn why(spool: &Spool) -> (u64, Why) {
    let broken = check(spool).broken.unwrap();
    (broken.seq, broken.why)
}

fn append(path: &Path, text: &str) {
    use std::io::Write;
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn an_untouched_record_is_intact_and_counted() {
    let (_state, spool) = spool(20);
    let report = check(&spool);
    assert!(report.is_intact(), "{report:?}");
    let all = lines(&spool);
    assert_eq!(report.records, all.len() as u64);
    assert_eq!(report.segments, files(&spool).len() as u64);
    assert!(report.segments > 3);
    let end = End::of(&all.last().unwrap().1).unwrap();
    let last = report.last.unwrap();
    assert_eq!((last.seq, last.hash.as_str(), last.at), (end.seq, end.hash, 20_000));
    assert_eq!(report.first.unwrap().seq, 1);
    assert_eq!((report.breaks, report.gaps, report.lost, report.unfinished), (0, 0, 0, 0));
    let (_empty, spool) = self::spool(0);
    assert_eq!(check(&spool), Report::default());
}

#[test]
fn every_line_that_is_changed_is_found_with_its_window() {
    let (_state, spool) = spool(12);
    let before = lines(&spool);
    let times: Vec<u64> = before.iter().map(|(_, line)| Record::parse(line).unwrap().at).collect();
    for at in 0..before.len() {
        let mut changed = before.clone();
        let line = &mut changed[at].1;
        *line = line.replacen("\"v\":1", "\"v\":2", 1);
        write(&spool, &changed);
        let report = check(&spool);
        let broken = report.broken.unwrap();
        assert_eq!((broken.seq, broken.why), (at as u64 + 1, Why::Changed));
        assert_eq!(broken.spot.file, before[at].0);
        let file = before.iter().filter(|(path, _)| *path == before[at].0);
        let above = file.take_while(|(_, line)| *line != before[at].1).count();
        assert_eq!(broken.spot.line, above as u64 + 1);
        assert_eq!(broken.after, at.checked_sub(1).map(|at| times[at]));
        assert_eq!(broken.before, times.get(at + 1).copied());
        assert_eq!(broken.later, (before.len() - at - 1) as u64);
        assert_eq!(report.breaks, 1);
    }
}

#[test]
fn a_line_that_was_sealed_anew_does_not_fit_the_one_after_it() {
    let (_state, spool) = spool(12);
    let before = lines(&spool);
    for at in 0..before.len() - 1 {
        let mut changed = before.clone();
        let end = End::of(&before[at].1).unwrap();
        let link = Link { seq: end.seq - 1, hash: end.prev.to_owned() };
        let seal = Seal { closed: end.closed, ..Seal::default() };
        changed[at].1 = chain::seal("{\"v\":1,\"at\":7}".to_owned(), &link, seal).0;
        write(&spool, &changed);
        let after = at as u64 + 1;
        assert_eq!(why(&spool), (after + 1, Why::Replaced { after }));
    }
}

#[test]
fn lines_that_are_removed_doubled_or_swapped_are_found() {
    let (_state, spool) = spool(12);
    let before = lines(&spool);
    for at in 0..before.len() - 1 {
        let number = at as u64 + 1;
        let mut changed = before.clone();
        changed.remove(at);
        write(&spool, &changed);
        let is_last_of_file = before[at].0 != before[at + 1].0;
        match why(&spool) {
            (2, Why::Beginning) => assert_eq!(at, 0),
            (seq, Why::Open) => assert!(is_last_of_file && seq == number),
            (seq, Why::Missing { after }) => assert!(after == number - 1 && seq == number),
            other => panic!("{at}: {other:?}"),
        }
        let mut changed = before.clone();
        changed.insert(at, before[at].clone());
        write(&spool, &changed);
        assert_eq!(why(&spool), (number, Why::Backwards { after: number }));
        if at > 0 && !is_last_of_file && before[at].0 == before[at - 1].0 {
            let mut changed = before.clone();
            changed.swap(at, at - 1);
            write(&spool, &changed);
            assert!(!check(&spool).is_intact(), "{at}");
        }
        write(&spool, &before);
        assert!(check(&spool).is_intact());
    }
}

#[test]
fn files_that_are_removed_or_foreign_are_found() {
    let (_state, spool) = spool(20);
    let all = files(&spool);
    for file in all.iter().take(all.len() - 1) {
        let text = fs::read_to_string(file).unwrap();
        fs::remove_file(file).unwrap();
        let first = End::of(text.lines().next().unwrap()).unwrap().seq;
        match why(&spool) {
            (_, Why::Beginning) => assert_eq!(first, 1),
            found => assert_eq!(found, (first, Why::Missing { after: first - 1 })),
        }
        fs::write(file, format!("{text}and a word\n")).unwrap();
        assert_eq!(why(&spool).1, Why::Foreign);
        fs::write(file, &text).unwrap();
        assert!(check(&spool).is_intact());
    }
}

#[test]
fn a_current_file_that_was_begun_anew_does_not_hide_the_files_before_it() {
    let (_state, spool) = spool(20);
    let file = spool.folder().join("current.jsonl");
    let (line, _) = chain::seal(body(1), &Link::start(), Seal::default());
    fs::write(&file, format!("{line}\n")).unwrap();
    assert_eq!(why(&spool), (1, Why::Stray));
    let (line, _) = chain::seal(body(1), &Link { seq: 6, hash: "a".repeat(64) }, Seal::default());
    fs::write(&file, format!("{line}\n")).unwrap();
    assert!(!check(&spool).is_intact());
}

#[test]
fn a_torn_line_is_in_order_only_if_the_next_record_accounts_for_it() {
    let (_state, spool) = spool(2);
    let file = spool.folder().join("current.jsonl");
    append(&file, "{\"v\":1,\"at\":3");
    assert_eq!(check(&spool).unfinished, 13);
    spool.append(body(4), false).unwrap();
    let report = check(&spool);
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.gaps, report.unfinished), (1, 0));
    let torn = report.torn.first().unwrap();
    assert_eq!((torn.spot.line, torn.seq, torn.bytes), (3, 3, 13));

    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("{\"v\":1,\"at\":3\n", "{\"v\":1,\"at\n")).unwrap();
    assert_eq!(why(&spool), (3, Why::Torn { said: 13, found: 10 }));
    fs::write(&file, text.replace("{\"v\":1,\"at\":3\n", "")).unwrap();
    assert_eq!(why(&spool), (3, Why::Torn { said: 13, found: 0 }));
    fs::write(&file, text.replacen('\n', "\nnot of ours\n", 1)).unwrap();
    let broken = check(&spool).broken.unwrap();
    assert_eq!((broken.seq, broken.why, broken.spot.line), (2, Why::Foreign, 2));
    assert_eq!(broken.later, 3, "two records and a torn line");
}

#[test]
fn a_line_that_was_torn_twice_is_accounted_for_as_a_whole() {
    let (_state, spool) = spool(1);
    let file = spool.folder().join("current.jsonl");
    append(&file, "{\"v\"");
    append(&file, "\n{\"v\":1,");
    spool.append(body(2), false).unwrap();
    let report = check(&spool);
    assert!(report.is_intact(), "{report:?}");
    assert_eq!(report.torn.first().unwrap().bytes, 12);
    append(&file, "garbage\n");
    assert_eq!(check(&spool).unfinished, 8);
    spool.append(body(3), false).unwrap();
    assert!(check(&spool).is_intact());
}

/// A killed writer does not leave complete JSON.
#[test]
fn a_whole_line_that_is_no_record_is_foreign() {
    for forged in ["{\"v\":1}\n", "{\"v\":1,\"at\":3,\"kind\":\"call\"}\n", "[]\n", "7\n"] {
        let (_state, spool) = spool(2);
        append(&spool.folder().join("current.jsonl"), forged);
        assert_eq!(why(&spool), (3, Why::Foreign), "{forged}");
        spool.append(body(3), false).unwrap();
        let broken = check(&spool).broken.unwrap();
        assert_eq!((broken.seq, broken.why, broken.spot.line), (3, Why::Foreign, 3), "{forged}");
    }
}

#[test]
fn what_was_lost_is_added_up() {
    let (state, spool) = spool(1);
    fs::write(state.path().join("lost"), "4\n").unwrap();
    spool.append(body(2), false).unwrap();
    fs::write(state.path().join("lost"), "3\n").unwrap();
    spool.append(body(3), false).unwrap();
    assert_eq!(check(&spool).lost, 7);
}

#[test]
fn a_later_beginning_needs_a_checkpoint_that_fits_it() {
    let note = |spool: &Spool, through: u64, hash: &str| {
        let checkpoint = Checkpoint {
            through,
            hash: hash.to_owned(),
            records: through,
            ..Checkpoint::default()
        };
        let kind = Kind::Checkpoint;
        let record = Record { v: VERSION, kind, checkpoint: Some(checkpoint), ..Record::default() };
        spool.note(&record).unwrap();
    };
    let (_state, spool) = spool(20);
    let all = files(&spool);
    let end_of = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        End::of(text.lines().last().unwrap()).unwrap().link()
    };
    let (first, second, third) = (end_of(&all[0]), end_of(&all[1]), end_of(&all[2]));
    // The checkpoint covers two segments, one of which still exists.
    fs::remove_file(&all[0]).unwrap();
    assert_eq!(why(&spool), (first.seq + 1, Why::Beginning));
    note(&spool, first.seq, &"0".repeat(64));
    note(&spool, second.seq, &first.hash);
    note(&spool, first.seq - 1, &first.hash);
    assert_eq!(why(&spool), (first.seq + 1, Why::Beginning), "none of them fits");
    note(&spool, second.seq, &second.hash);
    let report = check(&spool);
    assert!(report.is_intact(), "{report:?}");
    assert_eq!(report.cleared.unwrap().through, second.seq);
    fs::remove_file(&all[1]).unwrap();
    assert!(check(&spool).is_intact());
    fs::remove_file(&all[2]).unwrap();
    assert_eq!(why(&spool), (third.seq + 1, Why::Beginning), "more is gone than it tells of");
}

#[test]
fn a_record_that_only_a_newer_program_understands_is_no_proof() {
    let (_state, spool) = spool(2);
    spool.append("{\"v\":9,\"kind\":\"mystery\"}".to_owned(), false).unwrap();
    assert_eq!(why(&spool), (3, Why::Unreadable));
}

#[test]
fn a_file_of_chosen_records_is_checked_line_by_line() {
    let (state, spool) = spool(12);
    let all: Vec<String> = lines(&spool).into_iter().map(|(_, line)| line).collect();
    let file = state.path().join("export.jsonl");
    let check = |lines: &[&String], end: &str| {
        let lines: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
        fs::write(&file, format!("{}{end}", lines.join("\n"))).unwrap();
        let report = verify_file(&file, &mut |_, _| {}).unwrap();
        (report.records, report.broken.map(|broken| (broken.spot.line, broken.why)))
    };
    let whole: Vec<&String> = all.iter().collect();
    assert_eq!(check(&whole, "\n"), (whole.len() as u64, None));
    let some = [&all[1], &all[2], &all[6], &all[7]];
    assert_eq!(check(&some, "\n"), (4, None));
    assert_eq!(check(&some, ""), (3, Some((4, Why::Foreign))), "the last line is cut off");
    assert_eq!(
        check(&[&all[2], &all[1]], "\n").1,
        Some((2, Why::Backwards { after: 3 })),
        "out of order"
    );
    let changed = all[6].replace("claude", "cursor");
    assert_eq!(check(&[&all[1], &changed, &all[7]], "\n").1, Some((2, Why::Changed)));
    assert_eq!(check(&[&all[1], &String::from("{}")], "\n").1, Some((2, Why::Foreign)));
    let end = End::of(&all[2]).unwrap();
    let link = Link { seq: end.seq - 1, hash: end.prev.to_owned() };
    let forged = chain::seal(body(99), &link, Seal::default()).0;
    assert_eq!(check(&[&forged, &all[3]], "\n").1, Some((2, Why::Replaced { after: 3 })));
}

#[test]
fn checking_while_others_write_finds_nothing_wrong() {
    let (_state, spool) = spool(1);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| (0..400).for_each(|it| drop(spool.append(body(it), false).unwrap())))
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            let report = check(&spool);
            assert!(report.is_intact(), "{report:?}");
        }
    });
    assert_eq!(check(&spool).breaks, 0);
}
