//! Benchmarks of the engine: prints raw durations for `cargo xtask bench`, which compares them.
//!
//! Prints a JSON object from measurement name to durations in microseconds. Compared variants are run
//! alternately, so that other load on the machine affects both equally.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_engine::layer::Layers;
use tenter_engine::{CursorEvent, Engine, HookOutcome, Payload};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A small hook script of typical shape: reads stdin, greps, prints an answer.
const HOOK: &str = r#"input=$(cat)
case $input in
  *'rm -rf /'*) printf '{"permission":"deny","user_message":"no"}' ;;
  *) printf '{"permission":"allow"}' ;;
esac"#;
const SLOW_HOOK: &str = r#"sleep 0.05; printf '{"permission":"allow"}'"#;
const ANSWER: &[u8] = br#"{"permission":"allow"}"#;

/// Total number of hook entries over all layers.
const ENTRIES: usize = 200;
const LAYERS: usize = 7;

/// Divisor for the number of runs of measurements that take tens of milliseconds.
const SLOW_SHARE: usize = 5;

#[derive(Default)]
struct Measured(BTreeMap<&'static str, Vec<f64>>);

impl Measured {
    fn add(&mut self, name: &'static str, took: Duration) {
        self.0.entry(name).or_default().push(took.as_secs_f64() * 1e6);
    }
}

fn main() -> Result<()> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(300), |runs| runs.parse())?;
    let slow_runs = (runs / SLOW_SHARE).max(5);
    let mut measured = Measured::default();
    one_hook(runs, &mut measured)?;
    eight_hooks(slow_runs, &mut measured)?;
    loading(runs, &mut measured)?;
    reloading(slow_runs, &mut measured)?;
    let mut text = serde_json::to_string(&measured.0)?;
    text.push('\n');
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Writes a layer file atomically, as an editor does.
fn write(file: &Path, content: &Value) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = file.with_extension("new");
    fs::write(&new, serde_json::to_string_pretty(content)?)?;
    fs::rename(new, file)?;
    Ok(())
}

fn hooks_file(entries: &[Value]) -> Value {
    json!({ "version": 1, "hooks": { "beforeShellExecution": entries } })
}

/// All folders that Cursor reads hooks from, below `root`.
fn layers(root: &Path) -> Layers {
    Layers {
        enterprise: Some(root.join("enterprise")),
        team: Some(root.join("team")),
        roots: vec![root.join("project")],
        trusted: true,
        home: Some(root.join("home")),
        plugins: vec![root.join("plugin")],
        claude: true,
        ..Layers::default()
    }
}

fn project_file(root: &Path) -> PathBuf {
    root.join("project/.cursor/hooks.json")
}

/// An event as Cursor sends it, of about 1 KB.
fn payload(root: &Path) -> Result<Payload> {
    let command = format!("cargo test --workspace {}", "--package some-crate ".repeat(30));
    let payload = json!({
        "conversation_id": "0b4a6d5e-6d3c-4f6e-9a53-8f5f2c1d7e90",
        "generation_id": "5f0d9f0c-5a3f-4d0b-8f55-3e8f0d1b2a77",
        "model": "some-model",
        "hook_event_name": "beforeShellExecution",
        "cursor_version": "3.21.16",
        "workspace_roots": [root.join("project")],
        "user_email": "somebody@example.com",
        "transcript_path": null,
        "command": command,
        "cwd": root.join("project"),
        "sandbox": false,
    });
    Ok(Payload::parse(&payload.to_string())?)
}

/// Fires an event whose hooks must all allow it.
fn fire(engine: &Engine, payload: &Payload, hooks: usize) -> Result<Duration> {
    let payload = payload.clone();
    let start = Instant::now();
    let outcome = black_box(engine.fire(CursorEvent::BeforeShellExecution, payload));
    let took = start.elapsed();
    let allowed = outcome.hooks.iter().filter(|run| run.outcome == HookOutcome::Allow).count();
    if allowed == hooks {
        return Ok(took);
    }
    Err(format!("{allowed} of {hooks} hooks allowed it: {:?}", outcome.hooks).into())
}

/// Baseline: the same script started directly, without the engine.
fn bare(script: &str, directory: &Path, input: &[u8]) -> Result<Duration> {
    let start = Instant::now();
    #[expect(clippy::disallowed_methods, reason = "the yardstick for the runner")]
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input)?;
    }
    let Output { status, stdout, .. } = child.wait_with_output()?;
    let took = start.elapsed();
    if status.success() && stdout == ANSWER { Ok(took) } else { Err("a wrong answer".into()) }
}

fn one_hook(runs: usize, measured: &mut Measured) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    write(&project_file(root), &hooks_file(&[json!({ "command": HOOK, "matcher": "^cargo " })]))?;
    let engine = Engine::load(layers(root));
    let payload = payload(root)?;
    let input = payload.to_json() + "\n";
    let project = root.join("project");
    for _ in 0..5 {
        bare(HOOK, &project, input.as_bytes())?;
        fire(&engine, &payload, 1)?;
    }
    for _ in 0..runs {
        measured.add("engine-bare", bare(HOOK, &project, input.as_bytes())?);
        measured.add("engine-fire", fire(&engine, &payload, 1)?);
    }
    Ok(())
}

fn eight_hooks(runs: usize, measured: &mut Measured) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    let entries = vec![json!({ "command": SLOW_HOOK }); 8];
    write(&project_file(root), &hooks_file(&entries))?;
    let engine = Engine::load(layers(root));
    let payload = payload(root)?;
    fire(&engine, &payload, 8)?;
    for _ in 0..runs {
        measured.add("engine-eight", fire(&engine, &payload, 8)?);
    }
    Ok(())
}

/// `count` entries over seven layers, four in Cursor's format, one plugin, two in Claude's.
fn write_layers(root: &Path, count: usize) -> Result<()> {
    let entry = |number: usize| {
        json!({
            "command": format!("./hooks/check-{number}.sh --strict"),
            "matcher": format!("^(npm|yarn|pnpm) run step-{number}"),
            "timeout": 10,
            "failClosed": number.is_multiple_of(2),
        })
    };
    let group = |number: usize| {
        let command = format!("./hooks/check-{number}.sh --strict");
        json!({ "matcher": "Bash", "hooks": [{ "type": "command", "command": command }] })
    };
    let share = |layer: usize| (0..count).filter(move |number| number % LAYERS == layer);
    let places = ["enterprise", "team", "project/.cursor", "home/.cursor", "plugin/hooks"];
    for (layer, place) in places.iter().enumerate() {
        let entries: Vec<_> = share(layer).map(entry).collect();
        write(&root.join(place).join("hooks.json"), &hooks_file(&entries))?;
    }
    for (layer, place) in [(5, "project/.claude"), (6, "home/.claude")] {
        let groups: Vec<_> = share(layer).map(group).collect();
        let settings = json!({ "hooks": { "PreToolUse": groups } });
        write(&root.join(place).join("settings.json"), &settings)?;
    }
    Ok(())
}

fn loading(runs: usize, measured: &mut Measured) -> Result<()> {
    for (name, count) in [("engine-load", ENTRIES), ("engine-load-each", LAYERS * ENTRIES)] {
        let folder = tempfile::tempdir()?;
        write_layers(folder.path(), count)?;
        let layers = layers(folder.path());
        for run in 0..runs + 3 {
            let layers = layers.clone();
            let start = Instant::now();
            let engine = black_box(Engine::load(layers));
            let took = start.elapsed();
            let config = engine.config();
            if config.hooks.len() != count || !config.diagnostics.is_empty() {
                let problems = &config.diagnostics;
                return Err(format!("{} hooks loaded: {problems:?}", config.hooks.len()).into());
            }
            // The first three runs are warm-up.
            if run >= 3 {
                measured.add(name, took);
            }
        }
    }
    Ok(())
}

/// Measures an event with and without another thread that keeps rewriting a large file.
fn reloading(runs: usize, measured: &mut Measured) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    write(&project_file(root), &hooks_file(&[json!({ "command": SLOW_HOOK })]))?;
    let other = root.join("home/.cursor/hooks.json");
    let entries: Vec<_> = (0..ENTRIES)
        .map(|number| json!({ "command": "true", "matcher": format!("^no-{number}$") }))
        .collect();
    let large = hooks_file(&entries);
    write(&other, &large)?;
    let engine = Engine::load(layers(root));
    let payload = payload(root)?;
    fire(&engine, &payload, 1)?;
    for _ in 0..runs {
        measured.add("engine-still", fire(&engine, &payload, 1)?);
        let before = engine.revision();
        let stop = AtomicBool::new(false);
        let took = thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    if write(&other, &large).is_ok() {
                        engine.refresh();
                    }
                }
            });
            let took = fire(&engine, &payload, 1);
            stop.store(true, Ordering::SeqCst);
            took
        })?;
        if engine.revision() < before + 3 {
            return Err("the file was not read again while the event ran".into());
        }
        measured.add("engine-reloading", took);
    }
    Ok(())
}
