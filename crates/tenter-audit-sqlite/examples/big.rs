//! Generates a large record and reports how fast it is read: `big FOLDER [RECORDS]`.
//!
//! The folder is used as our state folder, so that `tenter` can be run on it too. Without RECORDS the
//! existing record is used.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use tenter_audit::chain::{Link, Seal, seal};
use tenter_audit::ingest::catch_up;
use tenter_audit::record::{Deed, FindingRecord, Kept, Kind, Timings, VERSION};
use tenter_audit::store::{By, Order, Query, SessionQuery, Store};
use tenter_audit::{Record, Spool, spool};
use tenter_audit_sqlite::SqliteStore;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("big FOLDER [RECORDS]")?;
    let folder = Path::new(&folder);
    let records: u64 = args.next().map_or(Ok(0), |text| text.parse())?;
    let spool = Spool::of_state(folder);
    if records > 0 {
        timed("made the spool", || generate(spool.folder(), records))?;
    }
    let mut store = SqliteStore::open(&spool.folder().join("index.sqlite"))?;
    let begun = Instant::now();
    let caught = catch_up(&spool, &mut store, 0, &mut |_, _| {})?;
    let seconds = begun.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = caught.records as f64 / seconds;
    say(&format!("took in {} records in {seconds:.1} s: {rate:.0} a second", caught.records))?;
    say(&format!("peak memory {}", memory()))?;
    drop(store);
    ask(&spool)?;
    say(&format!("peak memory {}", memory()))
}

fn say(text: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn timed<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    let done = run()?;
    let ms = begun.elapsed().as_secs_f64() * 1000.0;
    say(&format!("{what:<44} {ms:9.1} ms"))?;
    Ok(done)
}

/// Peak memory of this process.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |it| it.trim().to_owned())
}

fn ask(spool: &Spool) -> Result<()> {
    let path = spool.folder().join("index.sqlite");
    let store = timed("open", || Ok(SqliteStore::open(&path)?))?;
    let all = Query::default();
    let newest = store.find(&all, Order::NewestFirst, 1)?;
    let last = newest.first().map_or(0, |hit| hit.seq);
    let now = newest.first().map_or(Ok(None), |hit| spool.record(hit.place))?.map_or(0, |it| it.at);
    let middle = store.get(last / 2)?.map_or(Ok(None), |hit| spool.record(hit.place))?;
    let session = middle.as_ref().and_then(|it| it.session_id.as_deref()).unwrap_or_default();
    let glob = |path: &str| path.ends_with("/mod_7.rs");
    let project = |path: &str| path.contains("/project-3/");
    let many = |path: &str| Path::new(path).extension().is_some_and(|it| it == "rs");
    let never = |_: &str| false;
    let rule = |rule: &str| rule == "destructive-git";
    let rare = |rule: &str| rule == "rare-rule";
    let day = now.saturating_sub(86_400_000);
    let queries: &[(&str, Query<'_>)] = &[
        ("log", all),
        ("log --since 1d", Query { since: Some(day), ..all }),
        (
            "log --until (a month ago)",
            Query { until: Some(day.saturating_sub(30 * 86_400_000)), ..all },
        ),
        ("log --host codex", Query { host: Some("codex"), ..all }),
        ("log --host nobody", Query { host: Some("nobody"), ..all }),
        ("log --session ID", Query { session: Some(session), ..all }),
        ("log --event Stop", Query { event: Some("Stop"), ..all }),
        ("log --decision deny", Query { decision: Some("deny"), ..all }),
        (
            "log --host codex --decision deny",
            Query { host: Some("codex"), decision: Some("deny"), ..all },
        ),
        (
            "log --tool Fetch --decision deny (none)",
            Query { tool: Some("Fetch"), decision: Some("deny"), ..all },
        ),
        ("log --rule destructive-git", Query { rule: Some(&rule), ..all }),
        ("log --rule rare-rule", Query { rule: Some(&rare), ..all }),
        ("log --rule R --host claude", Query { rule: Some(&rule), host: Some("claude"), ..all }),
        ("log --path '**/mod_7.rs'", Query { path: Some(&glob), ..all }),
        ("log --path 'project-3/**'", Query { path: Some(&project), ..all }),
        ("log --path '**/*.rs'", Query { path: Some(&many), ..all }),
        (
            "log --path '**/*.rs' --decision deny",
            Query { path: Some(&many), decision: Some("deny"), ..all },
        ),
        ("log --path (none fits)", Query { path: Some(&never), ..all }),
        ("log --command cargo", Query { text: Some("cargo"), ..all }),
        ("log --command c", Query { text: Some("c"), ..all }),
        (
            "log --command 'git push' --decision deny",
            Query { text: Some("git push"), decision: Some("deny"), ..all },
        ),
        ("log --command needle (two of all)", Query { text: Some("needle"), ..all }),
        ("log --command nowhere (none)", Query { text: Some("nowherexyz"), ..all }),
        (
            "log --command cargo --rule rare-rule",
            Query { text: Some("cargo"), rule: Some(&rare), ..all },
        ),
    ];
    for (what, query) in queries {
        let found = timed(what, || Ok(store.find(query, Order::NewestFirst, 50)?))?;
        for hit in &found {
            spool.record(hit.place)?;
        }
        say(&format!("{:>50}", format!("{} found", found.len())))?;
    }
    timed("a page of 4096 by number", || Ok(store.find(&all, Order::OldestFirst, 4096)?))?;
    timed("get", || Ok(store.get(last / 3)?))?;
    let latest = SessionQuery { limit: 50, ..SessionQuery::default() };
    timed("sessions", || Ok(store.sessions(&latest)?))?;
    let prefix = session.get(..8);
    timed("show PREFIX", || Ok(store.sessions(&SessionQuery { prefix, ..latest })?))?;
    timed("stats of a day", || Ok(store.stats(Some(day), None, By::Host)?))?;
    timed("stats of all by host", || Ok(store.stats(None, None, By::Host)?))?;
    timed("stats of all by rule", || Ok(store.stats(None, None, By::Rule)?))?;
    timed("stats of all by session", || Ok(store.stats(None, None, By::Session)?))?;
    Ok(())
}

/// Deterministic random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let index = usize::try_from(self.roll(from.len() as u64)).unwrap_or_default();
        from.get(index).copied().unwrap_or_default()
    }
}

const PROGRAMS: &[&str] = &[
    "cargo test -p",
    "cargo check -p",
    "git status",
    "git diff -- src/",
    "git push origin",
    "npm run build --workspace",
    "rg -n 'fn main' crates/",
    "ls -la",
    "sed -n 1,80p",
    "python3 scripts/check.py --only",
    "pytest -q tests/test_",
    "docker compose up -d",
    "kubectl get pods -n",
    "curl -sS https://example.com/api/v1/",
    "make -j8",
    "cat",
];
const RULES: &[&str] =
    &["destructive-git", "secrets", "files-outside", "network", "package-install"];

/// A session in progress.
struct Open {
    id: String,
    host: &'static str,
    project: u64,
    left: u64,
}

fn open_session(dice: &mut Dice) -> Open {
    Open {
        id: format!(
            "{:08x}-{:04x}-4{:03x}-9{:03x}-{:012x}",
            dice.roll(1 << 31),
            dice.roll(1 << 16),
            dice.roll(1 << 12),
            dice.roll(1 << 12),
            dice.roll(1 << 31)
        ),
        host: ["cursor", "claude", "codex"]
            .get(usize::try_from(dice.roll(3)).unwrap_or_default())
            .unwrap_or(&"cursor"),
        project: dice.roll(40),
        left: 20 + dice.roll(380),
    }
}

fn path_of(dice: &mut Dice, project: u64) -> String {
    let ending = dice.pick(&["rs", "ts", "py", "md", "toml"]);
    format!(
        "/home/user/code/project-{project}/src/part_{}/mod_{}.{ending}",
        dice.roll(60),
        dice.roll(20)
    )
}

fn command_of(dice: &mut Dice, project: u64, seq: u64) -> String {
    if seq % 2_000_003 == 7 {
        return "echo needle in the haystack".to_owned();
    }
    let program = dice.pick(PROGRAMS);
    format!(
        "cd /home/user/code/project-{project} && {program} part_{} 2>&1 | tail -{}",
        dice.roll(60),
        dice.roll(90)
    )
}

fn deeds(dice: &mut Dice, session: &Open, tool: Option<&str>, seq: u64) -> Vec<Deed<'static>> {
    match tool {
        None => Vec::new(),
        Some("Bash") => vec![Deed::Shell {
            command: Kept::Whole(command_of(dice, session.project, seq).into()),
            cwd: None,
        }],
        Some("Read") => {
            vec![Deed::Read { path: Some(path_of(dice, session.project).into()), content: None }]
        }
        Some("Edit") => vec![Deed::Write {
            path: Some(path_of(dice, session.project).into()),
            content: Kept::Part { text: None, bytes: dice.roll(9000) },
        }],
        Some("Fetch") => vec![Deed::Fetch {
            url: Kept::Whole(format!("https://docs.example.com/page/{}", dice.roll(5000)).into()),
        }],
        Some("MCP") => vec![Deed::Mcp {
            server: Some("github".into()),
            tool: Some(format!("tool_{}", dice.roll(30)).into()),
            command: None,
            url: None,
            input: None,
        }],
        Some(_) => vec![Deed::Search {
            pattern: Some(Kept::Whole("struct Session".into())),
            path: Some(path_of(dice, session.project).into()),
        }],
    }
}

fn record(dice: &mut Dice, session: &Open, at: u64, seq: u64) -> Record<'static> {
    let total = 400 + dice.roll(500) + if dice.roll(50) == 0 { dice.roll(90_000) } else { 0 };
    let mut record = Record {
        v: VERSION,
        at,
        host: session.host.into(),
        host_version: Some("2.1.0".into()),
        session_id: Some(session.id.clone().into()),
        turn_id: Some(format!("turn-{}", seq / 9).into()),
        call_id: Some(format!("call_{seq:020}").into()),
        cwd: Some(format!("/home/user/code/project-{}", session.project).into()),
        model: Some("a-model-4".into()),
        transcript_path: Some(format!("/home/user/.agent/transcripts/{}.jsonl", session.id).into()),
        policy: "3f2b6a1c9d8e7f60".into(),
        enforcement: "hard".into(),
        us: Timings {
            policy: 40 + dice.roll(60),
            read: 20 + dice.roll(90),
            judge: 90 + dice.roll(250),
            answer: 10,
            handlers: 0,
            total,
        },
        ..Record::default()
    };
    let kind = dice.roll(100);
    let (event, native, tool) = match kind {
        0..2 => ("UserPromptSubmit", "beforeSubmitPrompt", None),
        2..4 => ("Stop", "stop", None),
        4..45 => (
            "PreToolUse",
            "preToolUse",
            Some(dice.pick(&["Bash", "Bash", "Read", "Edit", "Search", "MCP"])),
        ),
        _ => (
            "PostToolUse",
            "postToolUse",
            Some(dice.pick(&["Bash", "Bash", "Read", "Edit", "Search", "Fetch"])),
        ),
    };
    record.event = event.into();
    record.native_event = native.into();
    record.tool = tool.map(Into::into);
    record.actions = deeds(dice, session, tool, seq);
    if event == "UserPromptSubmit" {
        record.prompt = Some(Kept::Whole(
            format!(
                "please mend the failing test in part_{} and explain what was wrong",
                dice.roll(60)
            )
            .into(),
        ));
    }
    if event == "PreToolUse" && dice.roll(40) == 0 {
        let rule = if seq % 700_001 < 40 { "rare-rule" } else { dice.pick(RULES) };
        record.findings = vec![FindingRecord {
            rule: rule.into(),
            level: "deny".into(),
            what: Some("overwrites what others have pushed".into()),
            ..FindingRecord::default()
        }];
        record.decision = Some(dice.pick(&["deny", "ask", "allow"]).into());
        record.allowed_once = dice.roll(20) == 0;
    }
    record
}

/// Writes segments as the spool would, without its locks.
fn generate(folder: &Path, records: u64) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut dice = Dice(7);
    let mut open: Vec<Open> = (0..6).map(|_| open_session(&mut dice)).collect();
    let mut link = Link::start();
    let mut at = 1_760_000_000_000_u64;
    while link.seq < records {
        let first = link.seq + 1;
        let name = folder.join(format!("{first:012}.jsonl"));
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&name)?);
        let mut size = 0;
        while size < spool::SEGMENT && link.seq < records {
            at += dice.roll(4000);
            let index = usize::try_from(dice.roll(open.len() as u64)).unwrap_or_default();
            let Some(session) = open.get_mut(index) else { continue };
            session.left = session.left.saturating_sub(1);
            let body = serde_json::to_string(&record(&mut dice, session, at, link.seq + 1))?;
            if session.left == 0 {
                *session = open_session(&mut dice);
            }
            size += write_line(&mut file, body, &mut link, Seal::default())?;
        }
        if link.seq < records {
            let closed = Record { v: VERSION, at, kind: Kind::Closed, ..Record::default() };
            let seal = Seal { closed: true, ..Seal::default() };
            write_line(&mut file, serde_json::to_string(&closed)?, &mut link, seal)?;
            file.flush()?;
        } else {
            file.flush()?;
            std::fs::rename(&name, folder.join("current.jsonl"))?;
        }
    }
    Ok(())
}

fn write_line(file: &mut impl Write, body: String, link: &mut Link, how: Seal) -> io::Result<u64> {
    let (mut line, next) = seal(body, link, how);
    line.push('\n');
    file.write_all(line.as_bytes())?;
    *link = next;
    Ok(line.len() as u64)
}
