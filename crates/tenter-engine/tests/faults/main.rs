//! Fault injection: a thousand events with hooks that crash, hang, fork and flood, and an engine that is
//! killed. Nothing may hang, nothing may be left behind, and every run must be reported.
//!
//! A separate program: descriptors, children and peak memory are counted for the whole process, and other
//! tests would be counted too.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![expect(clippy::print_stdout, reason = "the figures, for whoever asks with `--nocapture`")]
// Leftovers are counted in `/proc`.
#![cfg(target_os = "linux")]

mod leftovers;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tenter_engine::layer::Layers;
use tenter_engine::{CursorEvent, Engine, HookOutcome, Outcome, Payload, Settings};

use plan::{AT_A_TIME, EVENTS, Fate, KINDS, Plan};

const FIRED: usize = 1000;
const THREADS: usize = 4;

/// Allowed growth of the engine's memory, in kilobytes. Four events run concurrently with eight hooks each,
/// and a megabyte of each hook's output may be kept.
const MOST_MEMORY: usize = 64 * 1024;

/// Longer than any hook may take, grace period included, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs one test at a time: descriptors, children and memory belong to the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parameters of an event, derived from its number.
struct Shot {
    event: usize,
    set: usize,
    code: i32,
}

impl Shot {
    fn new(number: usize, plan: &Plan) -> Self {
        let event = number % EVENTS.len();
        let set = number / EVENTS.len() % plan.sets(event);
        Self { event, set, code: i32::try_from(number % 256).unwrap() }
    }

    fn fire(&self, number: usize, engine: &Engine) -> Outcome {
        // Every seventh is larger than a pipe buffer.
        let filler = "x".repeat(if number.is_multiple_of(7) { 300_000 } else { 10 });
        let mut payload = json!({
            "conversation_id": format!("conversation-{}", number % 20),
            "transcript_path": format!("/{}", self.code),
            "status": "completed",
            "filler": filler,
        });
        if let Some(field) = EVENTS[self.event].1 {
            payload[field] = json!(format!("set-{}", self.set));
        }
        engine.fire(EVENTS[self.event].0, Payload::parse(&payload.to_string()).unwrap())
    }

    /// Checks every run against the expectation for its kind; counts the kinds.
    fn check(&self, outcome: &Outcome, plan: &Plan, seen: &mut Seen) {
        let set = plan.set(self.event, self.set);
        let (ran, idle): (Vec<_>, Vec<_>) = outcome.hooks.iter().partition(|run| run.ran);
        let all = plan.sets(self.event) * AT_A_TIME;
        assert_eq!((ran.len(), idle.len()), (AT_A_TIME, all - AT_A_TIME));
        assert!(idle.iter().all(|run| run.outcome == HookOutcome::NotMatched));
        for (run, hook) in ran.iter().zip(set) {
            let name = hook.kind.name;
            assert_eq!(run.hook.name(), hook.command(), "the hooks are not in their order");
            let (wanted, words) = hook.expected(outcome.event, self.code);
            let about = format!("{name} at {}: {run:?}", outcome.event);
            assert_eq!(run.outcome, wanted, "{about}");
            assert_eq!(run.exit, hook.exit(self.code), "{about}");
            assert!(run.diagnosis.contains(&words), "{about}");
            let left = run.warnings.iter().any(|warning| warning.contains("left processes"));
            assert!(hook.kind.leaves.is_none_or(|leaves| left == leaves), "{about}");
            assert!(run.stdout.len() <= 1024 * 1024 && run.stderr.len() <= 64 * 1024);
            *seen.kinds.entry(name).or_default() += 1;
            if hook.kind.fate == Fate::Exits {
                seen.codes.extend(run.exit);
            }
        }
        let denied = ran.iter().any(|run| run.outcome == HookOutcome::Deny);
        assert_eq!(outcome.blocked, denied, "{outcome:?}");
        seen.slowest = seen.slowest.max(outcome.duration);
    }
}

#[derive(Default)]
struct Seen {
    kinds: BTreeMap<&'static str, usize>,
    codes: BTreeSet<i32>,
    slowest: Duration,
}

/// Fires all events, several concurrently, and fails on a hang instead of waiting for it.
fn fire_all(engine: &Arc<Engine>, plan: &Plan) -> Seen {
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, outcomes) = mpsc::channel();
    let shots: Arc<Vec<Shot>> = Arc::new((0..FIRED).map(|n| Shot::new(n, plan)).collect());
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (engine, next) = (Arc::clone(engine), Arc::clone(&next));
            let (shots, sender) = (Arc::clone(&shots), sender.clone());
            thread::spawn(move || {
                while let Some((number, shot)) = take(&next, &shots) {
                    sender.send((number, shot.fire(number, &engine))).unwrap();
                }
            })
        })
        .collect();
    let mut seen = Seen::default();
    for _ in 0..FIRED {
        let (number, outcome) = outcomes.recv_timeout(PATIENCE).expect("an event hangs");
        shots[number].check(&outcome, plan, &mut seen);
    }
    for thread in threads {
        thread.join().unwrap();
    }
    seen
}

fn take<'s>(next: &AtomicUsize, shots: &'s [Shot]) -> Option<(usize, &'s Shot)> {
    let number = next.fetch_add(1, Ordering::SeqCst);
    shots.get(number).map(|shot| (number, shot))
}

#[test]
fn a_thousand_events_with_faulty_hooks_leave_nothing_behind() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan::draw(7);
    let layers = plan.write(folder.path());
    let project = folder.path().join("project");
    let descriptors = leftovers::descriptors();
    let linger = Duration::from_millis(300);
    let engine = Engine::with(layers, Settings { linger, ..Settings::default() });
    assert_eq!(engine.diagnostics(), []);
    leftovers::forget_peak();
    let before = leftovers::peak();
    let start = Instant::now();
    let engine = Arc::new(engine);
    let seen = fire_all(&engine, &plan);
    let took = start.elapsed();
    let grown = leftovers::peak() - before;
    println!(
        "{FIRED} events, {} hooks in {took:.1?}, the slowest event {:.1?}; memory grew by {grown} kB",
        FIRED * AT_A_TIME,
        seen.slowest
    );
    for kind in &KINDS {
        let count = seen.kinds.get(kind.name).copied().unwrap_or(0);
        println!("{count:>6} {}", kind.name);
        assert!(count >= 5, "{} was hardly tried", kind.name);
    }
    assert_eq!(seen.codes, (0..=255).collect(), "every exit code was tried");
    assert!(seen.slowest < PATIENCE / 4 && took < 4 * PATIENCE);
    assert!(grown < MOST_MEMORY, "memory grew by {grown} kB");
    let lingering = || vec![String::from("a group"); engine.lingering()];
    assert_eq!(leftovers::after(PATIENCE, lingering), [""; 0]);
    // A daemonised process may still be about to exit.
    let left = leftovers::after(Duration::from_secs(5), || leftovers::of_project(&project));
    assert_eq!(left, [""; 0]);
    drop(Arc::into_inner(engine).unwrap());
    assert_eq!(leftovers::children(), [""; 0], "somebody was not waited for");
    assert_eq!(leftovers::descriptors(), descriptors, "somebody left a descriptor open");
}

/// Hooks that are running when the engine is dropped or killed: some ignore SIGTERM, some are leftovers of
/// finished hooks.
const STUBBORN: [&str; 8] = [
    "sleep 300",
    "cat; sleep 300",
    "trap '' TERM HUP INT; while :; do sleep 300; done",
    "(sleep 300 & sleep 300 & wait) & sleep 300",
    "exec >&- 2>&- <&-; sleep 300",
    "sleep 300 & echo '{\"permission\": \"allow\"}'",
    "(trap '' TERM HUP; sleep 300) >/dev/null 2>&1 </dev/null & echo '{\"permission\": \"allow\"}'",
    "kill -s STOP $$",
];

fn write_hooks(project: &Path, commands: &[&str]) -> Layers {
    let entries: Vec<_> = commands.iter().map(|command| json!({ "command": command })).collect();
    let file = json!({ "version": 1, "hooks": { "beforeShellExecution": entries } });
    std::fs::create_dir_all(project.join(".cursor")).unwrap();
    std::fs::write(project.join(".cursor/hooks.json"), file.to_string()).unwrap();
    layers_of(project)
}

fn layers_of(project: &Path) -> Layers {
    Layers { roots: vec![project.to_owned()], trusted: true, ..Layers::default() }
}

fn fire(engine: &Engine) -> Outcome {
    let payload = Payload::parse(r#"{"command": "ls"}"#).unwrap();
    engine.fire(CursorEvent::BeforeShellExecution, payload)
}

#[test]
fn a_dropped_engine_takes_what_hooks_left_with_it() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let linger = Duration::from_mins(5);
    let layers = write_hooks(folder.path(), &STUBBORN[5..7]);
    let engine = Engine::with(layers, Settings { linger, ..Settings::default() });
    assert!(fire(&engine).hooks.iter().all(|run| run.outcome == HookOutcome::Allow));
    assert_eq!(engine.lingering(), 2);
    assert!(leftovers::of_project(folder.path()).len() >= 2, "they were given time");
    drop(engine);
    let look = || leftovers::of_project(folder.path());
    assert_eq!(leftovers::after(Duration::from_secs(5), look), [""; 0]);
    assert_eq!(leftovers::children(), [""; 0]);
}

/// Passes the project folder to the process that plays the engine.
const PROJECT: &str = "TENTER_FAULTS_PROJECT";

/// Not a test of its own: the next tests run it in another process, which they kill.
#[test]
#[ignore = "other tests run it as the engine that they kill"]
fn acts_as_an_engine() {
    #[expect(clippy::disallowed_methods, reason = "how a test process is told its part")]
    let Some(project) = std::env::var_os(PROJECT) else { return };
    let settings = Settings { linger: Duration::from_mins(5), ..Settings::default() };
    let engine = Engine::with(layers_of(project.as_ref()), settings);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| fire(&engine));
        }
    });
}

/// Starts an engine and waits until `running` processes of its hooks exist.
fn start_engine(project: &Path, running: usize) -> Child {
    #[expect(clippy::disallowed_methods, reason = "the engine that is to be killed")]
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "acts_as_an_engine", "--ignored"]).env(PROJECT, project);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let engine = command.spawn().unwrap();
    let start = Instant::now();
    while leftovers::of_project(project).len() < running {
        assert!(start.elapsed() < PATIENCE, "not all hooks came to run");
    }
    engine
}

/// Kills an engine with SIGKILL and checks that its hooks end too.
fn kill(mut engine: Child, project: &Path) {
    engine.kill().unwrap();
    engine.wait().unwrap();
    let look = || leftovers::of_project(project);
    assert_eq!(leftovers::after(Duration::from_secs(10), look), [""; 0]);
}

#[test]
fn a_killed_engine_leaves_no_hooks_behind() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    write_hooks(folder.path(), &STUBBORN);
    // Three events with eight hooks each, every one with a running process.
    let engine = start_engine(folder.path(), 3 * STUBBORN.len());
    kill(engine, folder.path());
}

#[test]
fn an_engine_that_is_killed_while_it_starts_hooks_leaves_none_behind() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    write_hooks(folder.path(), &STUBBORN);
    for round in 0..40 {
        let engine = start_engine(folder.path(), 1);
        thread::sleep(Duration::from_micros(round * 500));
        kill(engine, folder.path());
    }
}
