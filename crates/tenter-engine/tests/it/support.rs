//! Test workspace: home, enterprise, team, project and plugin folders, and an engine on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_engine::diagnostic::{Diagnostic, Severity};
use tenter_engine::layer::Layers;
use tenter_engine::{CursorEvent, Engine, Outcome, Payload, Sample, Settings};

/// Events that wait for a permission.
pub(crate) const PERMISSION: [&str; 6] = [
    "preToolUse",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
];

/// Events that cannot block anything.
pub(crate) const POWERLESS: [&str; 14] = [
    "sessionStart",
    "sessionEnd",
    "postToolUse",
    "postToolUseFailure",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "afterTabFileEdit",
    "subagentStop",
    "preCompact",
    "stop",
    "afterAgentResponse",
    "afterAgentThought",
    "workspaceOpen",
];

/// Folders for every layer. Change `layers` and `settings` before asking for an engine.
pub(crate) struct Workspace {
    folder: PathBuf,
    pub(crate) layers: Layers,
    pub(crate) settings: Settings,
    _kept: TempDir,
}

impl Workspace {
    /// A trusted workspace without any hook.
    pub(crate) fn new() -> Self {
        let kept = TempDir::new().unwrap();
        let folder = fs::canonicalize(kept.path()).unwrap();
        for name in ["enterprise", "team", "project", "home", "plugin"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        let layers = Layers {
            enterprise: Some(folder.join("enterprise")),
            team: Some(folder.join("team")),
            roots: vec![folder.join("project")],
            trusted: true,
            home: Some(folder.join("home")),
            plugins: vec![folder.join("plugin")],
            claude: true,
            only: Vec::new(),
        };
        let settings = Settings {
            default_timeout: Duration::from_secs(20),
            linger: Duration::from_secs(1),
            ..Settings::default()
        };
        Self { folder, layers, settings, _kept: kept }
    }

    /// A workspace whose project has these hooks for one event.
    pub(crate) fn with(event: &str, entries: &Value) -> Self {
        let workspace = Self::new();
        workspace.hooks("project", event, entries);
        workspace
    }

    /// A workspace with this text as the project's `hooks.json`.
    pub(crate) fn with_text(text: &str) -> Self {
        let workspace = Self::new();
        workspace.write(file_of("project"), text);
        workspace
    }

    #[must_use]
    pub(crate) fn acting(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a layer's `hooks.json` with these hooks for one event.
    pub(crate) fn hooks(&self, layer: &str, event: &str, entries: &Value) {
        let file = json!({ "version": 1, "hooks": { event: entries } });
        self.write(file_of(layer), &file.to_string());
    }

    /// Writes one of Claude's settings files with one group for one of Claude's events.
    pub(crate) fn claude(&self, file: &str, event: &str, group: &Value) {
        let settings = json!({ "hooks": { event: [group] } });
        self.write(file, &settings.to_string());
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine::with(self.layers.clone(), self.settings.clone())
    }

    /// Fires one event at a new engine.
    pub(crate) fn fire(&self, event: &str, payload: Value) -> Outcome {
        fire(&self.engine(), event, payload)
    }

    /// A complete payload of the event, as JSON.
    pub(crate) fn sample(&self, event: &str) -> Value {
        let event = CursorEvent::named(event).unwrap();
        let sample = Sample::new(event, &self.path("project"), &self.settings).finish();
        serde_json::from_str(&sample.to_json()).unwrap()
    }
}

/// Path of a layer's file.
pub(crate) fn file_of(layer: &str) -> &'static str {
    match layer {
        "enterprise" => "enterprise/hooks.json",
        "team" => "team/hooks.json",
        "project" => "project/.cursor/hooks.json",
        "user" => "home/.cursor/hooks.json",
        "plugin" => "plugin/hooks/hooks.json",
        "claude-local" => "project/.claude/settings.local.json",
        "claude-project" => "project/.claude/settings.json",
        "claude-user" => "home/.claude/settings.json",
        _ => panic!("no layer {layer}"),
    }
}

pub(crate) fn fire(engine: &Engine, event: &str, payload: Value) -> Outcome {
    let Value::Object(fields) = payload else { panic!("a payload is an object") };
    let mut payload = Payload::default();
    for (key, value) in fields {
        payload.set(&key, &value);
    }
    engine.fire(CursorEvent::named(event).unwrap(), payload)
}

/// Quotes a text as one shell word.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A command that prints a text and exits.
pub(crate) fn printing(text: &str) -> String {
    format!("printf '%s' {}", quoted(text))
}

/// An entry whose command prints this answer.
pub(crate) fn says(answer: &Value) -> Value {
    json!({ "command": printing(&answer.to_string()) })
}

/// An entry that runs this command.
pub(crate) fn runs(command: &str) -> Value {
    json!({ "command": command })
}

/// A group of Claude's with one command.
pub(crate) fn group(matcher: &str, command: &str) -> Value {
    json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] })
}

/// The merged answer.
pub(crate) fn answer(outcome: &Outcome) -> Value {
    serde_json::to_value(&outcome.answer).unwrap()
}

/// Stdout of a hook.
pub(crate) fn stdout(outcome: &Outcome, at: usize) -> String {
    String::from_utf8(outcome.hooks[at].stdout.clone()).unwrap()
}

/// The layers of the hooks, in their order.
pub(crate) fn order(outcome: &Outcome) -> Vec<&'static str> {
    outcome.hooks.iter().map(|run| run.hook.layer.kind.as_str()).collect()
}

/// How many of the hooks ran.
pub(crate) fn ran(outcome: &Outcome) -> usize {
    outcome.hooks.iter().filter(|run| run.ran).count()
}

/// Whether a warning of the outcome contains `part`.
pub(crate) fn warns(outcome: &Outcome, part: &str) -> bool {
    outcome.all_warnings().iter().any(|warning| warning.contains(part))
}

/// The diagnostic that contains `part`.
pub(crate) fn complaint(engine: &Engine, part: &str) -> Diagnostic {
    let found = engine.diagnostics();
    let wanted = found.iter().find(|one| one.to_string().contains(part));
    wanted.unwrap_or_else(|| panic!("nothing about `{part}` in {found:#?}")).clone()
}

/// Whether no diagnostic is worse than a note.
pub(crate) fn is_quiet(engine: &Engine) -> bool {
    engine.diagnostics().iter().all(|one| one.severity == Severity::Note)
}

/// Waits until the condition holds; false on timeout.
pub(crate) fn soon(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// The process id that a hook has written to a file, waiting for it.
pub(crate) fn pid_in(file: &Path) -> rustix::process::Pid {
    let mut pid = None;
    let found = soon(|| {
        pid = fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok());
        pid.is_some()
    });
    assert!(found, "no process id in {}", file.display());
    rustix::process::Pid::from_raw(pid.unwrap()).unwrap()
}

/// Whether the process exists and is not a zombie.
pub(crate) fn is_alive(pid: rustix::process::Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    match stat {
        Ok(stat) => !stat.contains(") Z "),
        Err(_) if Path::new("/proc/self/stat").exists() => false,
        Err(_) => rustix::process::test_kill_process(pid).is_ok(),
    }
}
