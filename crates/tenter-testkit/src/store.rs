//! Conformance test for implementations of the record's store.

use tenter_audit::record::{Change, Deed, FindingRecord, Kept, Kind, Record, Timings, Usage};
use tenter_audit::spool::Place;
use tenter_audit::store::{
    By, Count, Hit, Item, Order, Position, Query, SessionQuery, Stats, Store,
};

/// A record with a spool position derived from its number.
pub fn item(record: Record<'static>) -> Item {
    let place = Place {
        segment: record.seq / 100 * 100 + 1,
        offset: record.seq % 100 * 500,
        length: 400 + u32::try_from(record.seq % 100).unwrap_or_default(),
    };
    let line = serde_json::to_string(&record).expect("a record can be written");
    Item { place, record, line }
}

/// The position after the items.
pub fn after(items: &[Item]) -> Position {
    let last = items.last().expect("a batch has records");
    Position {
        segment: last.place.segment,
        offset: last.place.offset + u64::from(last.place.length) + 1,
        seq: last.record.seq,
        hash: format!("{:064x}", last.record.seq),
    }
}

/// A tool call before its execution.
pub fn call(seq: u64, at: u64, host: &'static str, session: &'static str) -> Record<'static> {
    Record {
        seq,
        at,
        host: host.into(),
        session_id: Some(session.into()),
        event: "PreToolUse".into(),
        native_event: "preToolUse".into(),
        ..Record::default()
    }
}

fn shell(mut record: Record<'static>, command: &'static str) -> Record<'static> {
    record.tool = Some("Bash".into());
    record.actions = vec![Deed::Shell { command: Kept::Whole(command.into()), cwd: None }];
    record
}

fn edit(mut record: Record<'static>, path: &'static str, to: &'static str) -> Record<'static> {
    record.tool = Some("Edit".into());
    let (old, new) = (Kept::Whole("a".into()), Kept::Whole("b".into()));
    let edits = vec![Change { old, new, all: false }];
    let (path, moved_to) = (Some(path.into()), Some(to.into()));
    record.actions = vec![Deed::Edit { path, edits, more: 0, moved_to }];
    record
}

fn found(
    mut record: Record<'static>,
    rules: &[&'static str],
    told: &'static str,
) -> Record<'static> {
    let finding =
        |rule: &&'static str| FindingRecord { rule: (*rule).into(), ..FindingRecord::default() };
    record.findings = rules.iter().map(finding).collect();
    record.decision = Some(told.into());
    record
}

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Records of two hosts and three sessions on two days.
pub fn sample() -> Vec<Record<'static>> {
    let mut records = vec![
        Record {
            event: "UserPromptSubmit".into(),
            native_event: "beforeSubmitPrompt".into(),
            prompt: Some(Kept::Whole("Räume die Ältesten auf, İstanbul!".into())),
            cwd: Some("/home/user/shop".into()),
            model: Some("model-1".into()),
            us: Timings { total: 900, judge: 100, ..Timings::default() },
            ..call(1, 1_000, "cursor", "s-one")
        },
        found(
            shell(call(2, 2_000, "cursor", "s-one"), "git push --force origin main"),
            &["destructive-git", "destructive-git"],
            "deny",
        ),
        shell(call(3, 2_500, "claude", "s-two"), "RUST_LOG=1 /usr/bin/cargo test -p shop"),
        edit(call(4, 2_400, "cursor", "s-one"), "/home/user/shop/a.rs", "/home/user/shop/b.rs"),
        Record { kind: Kind::Closed, seq: 5, at: 2_600, ..Record::default() },
        found(
            edit(call(6, DAY + 1, "claude", "s-one"), "/etc/hosts", "/etc/hosts"),
            &["files"],
            "ask",
        ),
        Record {
            tool: Some("MCP".into()),
            native_tool: Some("mcp__github__list".into()),
            lost: 3,
            usage: Some(Usage { input: 5, output: 6, cache_read: 7, cache_write: 8 }),
            ..call(7, DAY + 2, "claude", "s-two")
        },
        found(
            shell(call(8, DAY + 3, "cursor", "s-one"), "git push origin feature"),
            &["destructive-git", "files"],
            "allow",
        ),
    ];
    for (record, total) in records.iter_mut().zip([900, 500, 700, 100, 0, 70_000, 300, 200]) {
        record.us = Timings { total, ..record.us };
    }
    for record in records.iter_mut().filter(|record| record.kind == Kind::Call) {
        record.policy = if record.seq < 4 { "second" } else { "first" }.into();
    }
    if let Some(last) = records.last_mut() {
        last.allowed_once = true;
        last.model = Some("model-2".into());
        last.usage = Some(Usage { input: 1, ..Usage::default() });
    }
    records
}

/// Runs the conformance test. `store` must be empty and is left filled.
pub fn story(store: &mut dyn Store) {
    assert_eq!(store.position().expect("a position"), None);
    assert_eq!(ask(store, &Query::default()), [0; 0]);
    assert_eq!(stats(store, By::Host), Stats::default());
    let items: Vec<Item> = sample().into_iter().map(item).collect();
    let (first, second) = items.split_at(4);
    store.add(first, &after(first)).expect("the first batch");
    assert_eq!(store.position().expect("a position"), Some(after(first)));
    store.add(second, &after(second)).expect("the second batch");
    // A reader that adds the same lines concurrently adds nothing and does not move the position back.
    store.add(&items, &after(&items)).expect("all of it again");
    assert_eq!(store.position().expect("a position"), Some(after(&items)));
    questions(store);
    texts(store);
    sessions(store);
    figures(store);
    policies(store, &["first", "second"]);
    incidents(store);
    forgetting(store, &items);
    clearing(store, &items);
}

fn ask(store: &dyn Store, query: &Query<'_>) -> Vec<u64> {
    let all = store.find(query, Order::NewestFirst, 100).expect("an answer");
    let numbers: Vec<u64> = all.iter().map(|hit| hit.seq).collect();
    let mut oldest = store.find(query, Order::OldestFirst, 100).expect("an answer");
    oldest.reverse();
    assert_eq!(all, oldest, "both orders give the same");
    let some = store.find(query, Order::NewestFirst, 2).expect("an answer");
    assert_eq!(some, all.get(..some.len()).unwrap_or_default(), "a limit cuts the end off");
    numbers
}

fn questions(store: &dyn Store) {
    let all = Query::default();
    assert_eq!(ask(store, &all), [8, 7, 6, 4, 3, 2, 1]);
    assert_eq!(ask(store, &Query { since: Some(2_400), ..all }), [8, 7, 6, 4, 3]);
    assert_eq!(ask(store, &Query { until: Some(2_500), ..all }), [4, 2, 1]);
    assert_eq!(ask(store, &Query { since: Some(DAY * 9), ..all }), [0; 0]);
    assert_eq!(ask(store, &Query { until: Some(0), ..all }), [0; 0]);
    assert_eq!(ask(store, &Query { after: Some(3), before: Some(8), ..all }), [7, 6, 4]);
    assert_eq!(ask(store, &Query { after: Some(8), ..all }), [0; 0]);
    assert_eq!(ask(store, &Query { host: Some("claude"), ..all }), [7, 6, 3]);
    assert_eq!(ask(store, &Query { host: Some("Claude"), ..all }), [0; 0]);
    assert_eq!(ask(store, &Query { session: Some("s-one"), ..all }), [8, 6, 4, 2, 1]);
    assert_eq!(ask(store, &Query { session: Some("s-"), ..all }), [0; 0]);
    let host = Some("cursor");
    assert_eq!(ask(store, &Query { session: Some("s-one"), host, ..all }), [8, 4, 2, 1]);
    assert_eq!(ask(store, &Query { event: Some("beforesubmitprompt"), ..all }), [1]);
    assert_eq!(ask(store, &Query { event: Some("USERPROMPTSUBMIT"), ..all }), [1]);
    assert_eq!(ask(store, &Query { tool: Some("bash"), ..all }), [8, 3, 2]);
    assert_eq!(ask(store, &Query { tool: Some("bash"), host, ..all }), [8, 2]);
    assert_eq!(ask(store, &Query { tool: Some("mcp"), ..all }), [7]);
    assert_eq!(ask(store, &Query { tool: Some("MCP__github__list"), ..all }), [7]);
    assert_eq!(ask(store, &Query { tool: Some(""), ..all }), [0; 0]);
    assert_eq!(ask(store, &Query { decision: Some("none"), ..all }), [7, 4, 3, 1]);
    assert_eq!(ask(store, &Query { decision: Some("deny"), ..all }), [2]);
    let files = |rule: &str| rule == "files";
    let any = |_: &str| true;
    let never = |_: &str| false;
    assert_eq!(ask(store, &Query { rule: Some(&files), ..all }), [8, 6]);
    assert_eq!(ask(store, &Query { rule: Some(&any), ..all }), [8, 6, 2]);
    assert_eq!(ask(store, &Query { rule: Some(&never), ..all }), [0; 0]);
    let rust = |path: &str| path.ends_with("b.rs");
    assert_eq!(ask(store, &Query { path: Some(&rust), ..all }), [4]);
    assert_eq!(ask(store, &Query { path: Some(&any), ..all }), [6, 4]);
    assert_eq!(ask(store, &Query { path: Some(&any), rule: Some(&files), ..all }), [6]);
    assert_eq!(ask(store, &Query { path: Some(&rust), rule: Some(&files), ..all }), [0; 0]);
    for seq in 1..=8 {
        let place = item(Record { seq, ..Record::default() }).place;
        assert_eq!(store.get(seq).expect("an answer"), Some(Hit { seq, place }));
    }
    assert_eq!(store.get(9).expect("an answer"), None);
}

fn texts(store: &dyn Store) {
    let text = |text: &str| ask(store, &Query { text: Some(text), ..Query::default() });
    assert_eq!(text("push"), [8, 2]);
    assert_eq!(text("PUSH, forc"), [2]);
    assert_eq!(text("git \"feature"), [8]);
    assert_eq!(text("orce"), [0; 0]);
    // Rules can be searched like words.
    assert_eq!(text("destructive"), [8, 2]);
    // Accents count, case does not, wherever the language has it.
    assert_eq!(text("älteste"), [1]);
    assert_eq!(text("ÄLTESTE räu"), [1]);
    assert_eq!(text("alteste"), [0; 0]);
    assert_eq!(text("İstanbul"), [1]);
    assert_eq!(text("a.rs"), [4]);
    // An empty query matches everything.
    assert_eq!(text(" - "), [8, 7, 6, 4, 3, 2, 1]);
    let deny = Query { text: Some("git"), decision: Some("deny"), ..Query::default() };
    assert_eq!(ask(store, &deny), [2]);
    let none = Query { text: Some("feature"), decision: Some("deny"), ..Query::default() };
    assert_eq!(ask(store, &none), [0; 0]);
}

fn sessions(store: &dyn Store) {
    let all = SessionQuery { limit: 10, ..SessionQuery::default() };
    let list = |query: &SessionQuery<'_>| -> Vec<(String, u64)> {
        let found = store.sessions(query).expect("an answer");
        found.into_iter().map(|it| (format!("{}:{}", it.host, it.id), it.records)).collect()
    };
    let [one, two, three] = [("cursor:s-one", 4), ("claude:s-two", 2), ("claude:s-one", 1)]
        .map(|(id, n)| (id.to_owned(), n));
    assert_eq!(list(&all), [one.clone(), two.clone(), three.clone()]);
    assert_eq!(list(&SessionQuery { limit: 1, ..all }), std::slice::from_ref(&one));
    assert_eq!(list(&SessionQuery { host: Some("claude"), ..all }), [two.clone(), three.clone()]);
    assert_eq!(list(&SessionQuery { prefix: Some("s-o"), ..all }), [one, three]);
    assert_eq!(list(&SessionQuery { prefix: Some("S"), ..all }), []);
    assert_eq!(list(&SessionQuery { since: Some(DAY + 4), ..all }), []);
    let first = store.sessions(&all).expect("an answer").remove(0);
    assert_eq!((first.first_at, first.last_at), (1_000, DAY + 3));
    assert_eq!((first.first_seq, first.last_seq), (1, 8));
    assert_eq!((first.prompts, first.tools, first.denied, first.asked), (1, 3, 1, 0));
    assert_eq!(first.cwd.as_deref(), Some("/home/user/shop"));
    assert_eq!(first.model.as_deref(), Some("model-2"));
    assert_eq!(first.usage.input, 1);
}

fn stats(store: &dyn Store, by: By) -> Stats {
    store.stats(None, None, by).expect("an answer")
}

fn figures(store: &dyn Store) {
    let by = |by: By| -> Vec<(String, u64, Vec<u64>)> {
        let groups = stats(store, by).groups;
        groups.into_iter().map(|it| (it.name, it.count.records, it.days)).collect()
    };
    let group =
        |name: &str, records: u64, days: [u64; 2]| (name.to_owned(), records, days.to_vec());
    assert_eq!(by(By::Host), [group("cursor", 4, [3, 1]), group("claude", 3, [1, 2])]);
    assert_eq!(by(By::Rule), [group("destructive-git", 2, [1, 1]), group("files", 2, [0, 2])]);
    let tools = [group("Bash", 3, [2, 1]), group("Edit", 2, [1, 1]), group("MCP", 1, [0, 1])];
    assert_eq!(by(By::Tool), tools);
    assert_eq!(by(By::Session), [group("s-one", 5, [3, 2]), group("s-two", 2, [1, 1])]);
    assert_eq!(by(By::Day), [group("1970-01-01", 4, [4, 0]), group("1970-01-02", 3, [0, 3])]);
    let all = stats(store, By::Host);
    assert_eq!(all.total, Count { records: 7, denied: 1, asked: 1, allowed_once: 1 });
    assert_eq!(all.lost, 3);
    let list = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    assert_eq!(all.commands, list(&[("git push", 2), ("cargo test", 1)]));
    let files = [("/etc/hosts", 2), ("/home/user/shop/a.rs", 1), ("/home/user/shop/b.rs", 1)];
    assert_eq!(all.files, list(&files));
    assert_eq!(all.last_heard, list(&[("claude", DAY + 2), ("cursor", DAY + 3)]));
    assert_eq!(all.false_alarms, list(&[("destructive-git", 1), ("files", 1)]));
    let total = all.latency.iter().find(|it| it.host == "claude" && it.phase == "total");
    let total = total.expect("the host has figures");
    assert_eq!((total.count, total.p50, total.p95, total.p99), (3, 700, 70_000, 70_000));
    let second = store.stats(Some(DAY), Some(DAY + 3), By::Host).expect("an answer");
    assert_eq!(second.total.records, 2);
    assert_eq!(second.last_heard, all.last_heard, "over all time");
}

fn policies(store: &dyn Store, wanted: &[&str]) {
    let known = store.policies().expect("an answer").expect("all of them are known");
    assert_eq!(known, wanted);
}

fn incidents(store: &mut dyn Store) {
    assert_eq!(store.incidents().expect("an answer"), []);
    store.note_incident(7, "cut off").expect("it is noted");
    assert_eq!(store.incidents().expect("an answer"), [(7, "cut off".to_owned())]);
}

fn forgetting(store: &mut dyn Store, items: &[Item]) {
    store.forget(4).expect("it is forgotten");
    assert_eq!(ask(store, &Query::default()), [8, 7, 6]);
    assert_eq!(store.get(4).expect("an answer"), None);
    let text = Query { text: Some("push"), ..Query::default() };
    assert_eq!(ask(store, &text), [8]);
    let session = store
        .sessions(&SessionQuery { prefix: Some("s-one"), limit: 1, ..SessionQuery::default() })
        .expect("an answer")
        .remove(0);
    assert_eq!((session.first_seq, session.first_at, session.records), (8, DAY + 3, 1));
    assert_eq!((session.prompts, session.cwd), (0, None));
    assert_eq!(session.model.as_deref(), Some("model-2"));
    assert_eq!(stats(store, By::Host).total.records, 3);
    policies(store, &["first"]);
    assert_eq!(store.position().expect("a position"), Some(after(items)));
    // Forgotten records do not come back, and new ones still come in.
    store.add(items, &after(items)).expect("old ones");
    let new = [item(shell(call(9, DAY + 9, "codex", "s-new"), "git push"))];
    store.add(&new, &after(&new)).expect("a new one");
    assert_eq!(ask(store, &Query::default()), [9, 8, 7, 6]);
    assert_eq!(ask(store, &text), [9, 8]);
}

fn clearing(store: &mut dyn Store, items: &[Item]) {
    store.clear().expect("it is cleared");
    assert_eq!(store.position().expect("a position"), None);
    assert_eq!(ask(store, &Query::default()), [0; 0]);
    assert_eq!(stats(store, By::Host), Stats::default());
    policies(store, &[]);
    assert_eq!(store.incidents().expect("an answer").len(), 1, "they are kept");
    store.add(items, &after(items)).expect("all of it");
    assert_eq!(ask(store, &Query::default()), [8, 7, 6, 4, 3, 2, 1]);
}
