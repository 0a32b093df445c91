//! The database answers like the in-memory store, for arbitrary records and queries.

use proptest::collection::vec;
use proptest::option::{self, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use tenter_audit::Record;
use tenter_audit::memory::Memory;
use tenter_audit::record::{Deed, FindingRecord, Kept, Kind, Timings, Usage};
use tenter_audit::store::{By, Item, Order, Query, SessionQuery, Store};
use tenter_audit_sqlite::SqliteStore;
use tenter_testkit::store::{after, item};

const HOSTS: &[&str] = &["cursor", "claude", "codex", ""];
const EVENTS: &[&str] = &["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "Other"];
const NATIVE: &[&str] = &["preToolUse", "PRETOOLUSE", "beforeShellExecution", "stop"];
const TOOLS: &[&str] = &["Bash", "bash", "Read", "MCP"];
const TOLD: &[&str] = &["allow", "deny", "ask", "none"];
const RULES: &[&str] = &["files", "secrets", "destructive-git", "my-rule"];
const PATHS: &[&str] = &["/a", "/a/b.rs", "/a/c.rs", "b.rs", "/Ä/ö.txt"];
const COMMANDS: &[&str] = &[
    "git push --force",
    "git status",
    "A=1 /bin/ls -la /a/b.rs",
    "",
    "echo 'Ünïcödé straße ẞ ǅ İ ٣ ⅷ 東京 कि' | wc",
    "printf \"\\0\" \u{301}combining x\u{301}y",
];
const SESSIONS: &[&str] = &["s1", "s2", "s22", "S2", "x"];
const WORDS: &[&str] = &[
    "git", "GIT pu", "b.rs", "ünï", "straße", "ẞ", "İ", "i", "कि", "東", "٣", "secrets", "zzz",
    "-", "x", "y",
];

fn text(from: &'static [&'static str]) -> impl Strategy<Value = Option<&'static str>> {
    weighted(0.7, select(from))
}

fn deed() -> impl Strategy<Value = Deed<'static>> {
    let path = || weighted(0.9, select(PATHS)).prop_map(|it| it.map(Into::into));
    prop_oneof![
        select(COMMANDS).prop_map(|it| Deed::Shell { command: Kept::Whole(it.into()), cwd: None }),
        path().prop_map(|path| Deed::Read { path, content: None }),
        (path(), path()).prop_map(|(path, moved_to)| Deed::Edit {
            path,
            edits: Vec::new(),
            more: 0,
            moved_to
        }),
        Just(Deed::Shell { command: Kept::Part { text: None, bytes: 9 }, cwd: None }),
    ]
}

fn timings() -> impl Strategy<Value = Timings> {
    let time = || prop_oneof![0_u64..50, 0_u64..200_000, Just(u64::from(u32::MAX))];
    (time(), time(), time(), time()).prop_map(|(policy, read, judge, total)| Timings {
        policy,
        read,
        judge,
        total,
        ..Timings::default()
    })
}

fn record() -> impl Strategy<Value = Record<'static>> {
    let usage = || {
        option::of((0_u64..9, 0_u64..9).prop_map(|(input, cache_read)| Usage {
            input,
            cache_read,
            ..Usage::default()
        }))
    };
    let finding = select(RULES)
        .prop_map(|rule| FindingRecord { rule: rule.into(), ..FindingRecord::default() });
    let kind = prop_oneof![9 => Just(Kind::Call), 1 => Just(Kind::Closed)];
    let tools = || (text(TOOLS), text(TOOLS));
    let what = (kind, select(HOSTS), select(EVENTS), select(NATIVE), tools(), text(TOLD));
    let whose = (text(SESSIONS), text(PATHS), text(RULES), text(PATHS));
    let rest = (vec(deed(), 0..3), vec(finding, 0..3), any::<bool>(), 0_u64..3, usage(), timings());
    (what, whose, rest).prop_map(|(what, whose, rest)| {
        let (kind, host, event, native, (tool, native_tool), decision) = what;
        let (session, cwd, model, transcript) = whose;
        let (actions, findings, allowed_once, lost, usage, us) = rest;
        Record {
            kind,
            host: host.into(),
            event: event.into(),
            native_event: native.into(),
            tool: tool.map(Into::into),
            native_tool: native_tool.map(Into::into),
            decision: decision.map(Into::into),
            session_id: session.map(Into::into),
            cwd: cwd.map(Into::into),
            model: model.map(Into::into),
            transcript_path: transcript.map(Into::into),
            actions,
            findings,
            allowed_once,
            lost,
            usage,
            us,
            ..Record::default()
        }
    })
}

/// Records with increasing numbers, though not consecutive, and mostly increasing times.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let step =
        (prop_oneof![8 => 1_u64..3, 1 => 900_u64..70_000], 0_u64..40_000_000, 0_u64..90_000_000);
    vec((record(), step), 1..60).prop_map(|records| {
        let (mut seq, mut at) = (0, 0);
        let number = |(mut record, (more, later, back)): (Record<'static>, (u64, u64, u64))| {
            seq += more;
            at += later;
            (record.seq, record.at) = (seq, at.saturating_sub(back));
            item(record)
        };
        records.into_iter().map(number).collect()
    })
}

#[derive(Clone, Debug)]
struct Asked {
    since: Option<u64>,
    until: Option<u64>,
    after: Option<u64>,
    before: Option<u64>,
    host: Option<&'static str>,
    session: Option<&'static str>,
    event: Option<&'static str>,
    tool: Option<&'static str>,
    decision: Option<&'static str>,
    rule: Option<&'static str>,
    path: Option<&'static str>,
    text: Option<&'static str>,
    limit: usize,
}

fn asked() -> impl Strategy<Value = Asked> {
    let some = |from: &'static [&'static str]| weighted(0.2, select(from));
    let time = || weighted(0.3, 0_u64..900_000_000);
    let number = || weighted(0.2, 0_u64..200_000);
    let names = (some(HOSTS), some(SESSIONS), some(EVENTS), some(TOOLS), some(TOLD));
    let closures = (some(RULES), some(PATHS), weighted(0.4, select(WORDS)));
    ((time(), time(), number(), number()), names, closures, 0_usize..70).prop_map(
        |((since, until, after, before), names, (rule, path, text), limit)| {
            let (host, session, event, tool, decision) = names;
            let numbers = (since, until, after, before);
            let (since, until, after, before) = numbers;
            Asked {
                since,
                until,
                after,
                before,
                host,
                session,
                event,
                tool,
                decision,
                rule,
                path,
                text,
                limit,
            }
        },
    )
}

fn same(plain: &dyn Store, database: &dyn Store, asked: &Asked) -> Result<(), TestCaseError> {
    let Asked { since, until, after, before, host, session, event, tool, decision, text, .. } =
        *asked;
    let rule = asked.rule.map(|wanted| move |it: &str| it == wanted);
    let path = asked.path.map(|wanted| move |it: &str| it.starts_with(wanted));
    let query = Query {
        since,
        until,
        after,
        before,
        host,
        session,
        event,
        tool,
        decision,
        text,
        rule: rule.as_ref().map(|it| it as &dyn Fn(&str) -> bool),
        path: path.as_ref().map(|it| it as &dyn Fn(&str) -> bool),
    };
    for order in [Order::NewestFirst, Order::OldestFirst] {
        let found = database.find(&query, order, asked.limit).unwrap();
        prop_assert_eq!(plain.find(&query, order, asked.limit).unwrap(), found, "{:?}", asked);
    }
    let sessions = SessionQuery { since, host, prefix: session, limit: asked.limit };
    prop_assert_eq!(plain.sessions(&sessions).unwrap(), database.sessions(&sessions).unwrap());
    let all = [By::Host, By::Rule, By::Tool, By::Session, By::Day];
    for by in all.into_iter().skip(asked.limit % all.len()).take(1) {
        let found = database.stats(since, until, by).unwrap();
        prop_assert_eq!(plain.stats(since, until, by).unwrap(), found, "{:?} {:?}", by, asked);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn all_answers_are_the_same(
        items in items(),
        batch in 1_usize..30,
        questions in vec(asked(), 10),
        percent in 0_u64..100,
    ) {
        let mut plain = Memory::new();
        let mut database = SqliteStore::in_memory().unwrap();
        for batch in items.chunks(batch) {
            plain.add(batch, &after(batch)).unwrap();
            database.add(batch, &after(batch)).unwrap();
        }
        for seq in items.iter().map(|item| item.record.seq) {
            prop_assert_eq!(plain.get(seq).unwrap(), database.get(seq).unwrap());
        }
        for asked in &questions {
            same(&plain, &database, asked)?;
        }
        // The same again after pruning the first part.
        let last = items.last().map_or(0, |item| item.record.seq);
        let through = last * percent / 100;
        plain.forget(through).unwrap();
        database.forget(through).unwrap();
        for asked in &questions {
            same(&plain, &database, asked)?;
        }
    }
}
