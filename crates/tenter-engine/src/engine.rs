//! The engine: loads the layers, fires events and keeps state between events.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use tenter_model::text;

use crate::conclude::{Conclusion, HookOutcome, Rules};
use crate::config::{Config, Hook, HookAction};
use crate::diagnostic::Diagnostic;
use crate::effect;
use crate::environment::{self, SHELL};
use crate::guard::Guard;
use crate::judge::{Judge, NoJudgement, Question, with_arguments};
use crate::layer::Layers;
use crate::merge::merge;
use crate::outcome::{HookRun, Outcome};
use crate::payload::Payload;
use crate::runner::{Job, Runner, Trouble};
use crate::select::Subjects;
use crate::session::Sessions;
use crate::settings::Settings;
use crate::{Answer, Given};
use crate::{AnswerField, CursorEvent};
use tenter_hosts::trial::EMBEDDED;

/// Maximum number of hooks of one event that run concurrently.
const MOST_AT_ONCE: usize = 32;

/// Loaded hooks and their runner. Can be shared between threads.
///
/// ```
/// use tenter_engine::{CursorEvent, Engine, Payload, layer::Layers};
///
/// let project = tempfile::tempdir()?;
/// std::fs::create_dir(project.path().join(".cursor"))?;
/// std::fs::write(
///     project.path().join(".cursor/hooks.json"),
///     r#"{"version": 1, "hooks": {"beforeShellExecution": [
///         {"command": "echo '{\"permission\": \"deny\"}'", "matcher": "^rm "}]}}"#,
/// )?;
/// let roots = vec![project.path().to_owned()];
/// let engine = Engine::load(Layers { roots, trusted: true, ..Layers::default() });
/// assert!(engine.diagnostics().is_empty());
///
/// let payload = Payload::parse(r#"{"command": "rm -rf /"}"#)?;
/// # #[cfg(unix)]
/// assert!(engine.fire(CursorEvent::BeforeShellExecution, payload).blocked);
///
/// let payload = Payload::parse(r#"{"command": "ls"}"#)?;
/// let outcome = engine.fire(CursorEvent::BeforeShellExecution, payload);
/// assert!(!outcome.blocked && !outcome.hooks[0].matched);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    layers: Mutex<Layers>,
    config: Mutex<Arc<Config>>,
    /// Number of reloads.
    revision: AtomicU64,
    runner: Runner,
    judge: Option<Box<dyn Judge>>,
    guard: Option<Guard>,
    sessions: Sessions,
}

impl Engine {
    /// Loads the layers and emulates the newest Cursor.
    pub fn load(layers: Layers) -> Self {
        Self::with(layers, Settings::default())
    }

    /// Loads the layers and emulates the Cursor described by the settings.
    pub fn with(layers: Layers, settings: Settings) -> Self {
        let config = Config::load(&layers, settings.generation);
        let runner = Runner::supervising(settings.linger, false);
        Self {
            settings,
            layers: Mutex::new(layers),
            config: Mutex::new(Arc::new(config)),
            revision: AtomicU64::new(0),
            runner,
            judge: None,
            guard: None,
            sessions: Sessions::default(),
        }
    }

    /// Sets the judge that prompt hooks ask. Without one they fail.
    #[must_use]
    pub fn judged_by(mut self, judge: impl Judge + 'static) -> Self {
        self.judge = Some(Box::new(judge));
        self
    }

    /// Has a guard judge and record every event, beside the configured hooks.
    ///
    /// ```no_run
    /// use tenter_engine::{Engine, Guard, layer::Layers};
    ///
    /// let engine = Engine::load(Layers::default()).guarded_by(Guard::new("/usr/local/bin/tenter"));
    /// ```
    #[must_use]
    pub fn guarded_by(mut self, guard: Guard) -> Self {
        self.settings.mark.get_or_insert(EMBEDDED);
        self.guard = Some(guard);
        self
    }

    pub fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Forwards SIGTERM, SIGINT, SIGHUP and SIGQUIT to running hooks.
    #[must_use]
    pub fn heeding_signals(mut self) -> Self {
        self.runner = Runner::supervising(self.settings.linger, true);
        self
    }

    /// The name of the termination signal we received, if any.
    pub fn interrupted(&self) -> Option<&'static str> {
        self.runner.interrupted()
    }

    /// Current problems in the configuration.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.config().diagnostics.clone()
    }

    /// The current configuration.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Number of configuration changes since loading.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    /// Number of process groups left behind by hooks that are still alive.
    pub fn lingering(&self) -> usize {
        self.runner.lingering()
    }

    /// Reloads changed files. Running events keep the configuration they started with. Every event calls this
    /// first, so it never sees the state from before a save.
    pub fn refresh(&self) {
        // Held while reading, so that two threads do not read the same change twice; `config` is not held.
        let layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(config) = self.config().reload(&layers, self.settings.generation) else { return };
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
        self.revision.fetch_add(1, Ordering::SeqCst);
    }

    /// Fires an event as Cursor does: waits for its hooks, but not at `sessionStart` and `sessionEnd`.
    /// Those run in the background, and what `sessionStart` returns counts for the events after it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tenter_engine::{CursorEvent, Dispatched, Engine, Payload, layer::Layers};
    ///
    /// let engine = Arc::new(Engine::load(Layers::default()));
    /// let start = Engine::dispatch(&engine, CursorEvent::SessionStart, Payload::default());
    /// assert!(matches!(start, Dispatched::Running(_)));
    /// let stop = Engine::dispatch(&engine, CursorEvent::Stop, Payload::default());
    /// assert!(matches!(stop, Dispatched::Done(_)));
    /// ```
    pub fn dispatch(engine: &Arc<Self>, event: CursorEvent, payload: Payload) -> Dispatched {
        if event.spec().waits {
            return Dispatched::Done(Box::new(engine.fire(event, payload)));
        }
        let own = Arc::clone(engine);
        let task = payload.clone();
        let running = thread::Builder::new().name(event.name().to_owned());
        match running.spawn(move || own.fire(event, task)) {
            Ok(running) => Dispatched::Running(running),
            // No thread available: run the hooks synchronously.
            Err(_) => Dispatched::Done(Box::new(engine.fire(event, payload))),
        }
    }

    /// Fires an event and waits for all its hooks, even where Cursor does not (see [`Engine::dispatch`]).
    ///
    /// Adds the fields that the payload lacks and the engine knows (`hook_event_name`, `cursor_version`,
    /// `workspace_roots`) to the hooks' input.
    pub fn fire(&self, event: CursorEvent, payload: Payload) -> Outcome {
        let start = Instant::now();
        self.refresh();
        let config = self.config();
        let payload = self.complete(event, payload);
        let conversation = payload.conversation();
        let variables = conversation
            .as_deref()
            .map(|conversation| self.sessions.variables(conversation))
            .unwrap_or_default();
        let unjudged = OnceLock::new();
        let firing =
            Firing { engine: self, payload: &payload, variables: &variables, unjudged: &unjudged };
        let mut parts = firing.run_all(event, config.of_event(event).cloned().collect());
        effect::drop_foreign_output(&mut parts, &payload);
        effect::limit_followups(&mut parts, &payload, self);
        let answers: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| (at, part.hook.layer.kind, &part.conclusion.answer))
            .collect();
        let merged = merge(&answers, &self.settings);
        let mut warnings = merged.warnings;
        let effect = effect::of(event, &merged.answer, &self.settings);
        warnings.extend(effect.warning);
        warnings.extend(missing_plugins(&merged.answer));
        warnings.extend(unjudged.get().map(|why| format!("prompt hooks have no judge: {why}")));
        if event.can_block() && !parts.iter().any(|part| part.ran) {
            warnings
                .push("nothing judged this event: no hook ran, and there is no guard".to_owned());
        }
        let followup = merged.answer.text(AnswerField::FollowupMessage).map(str::to_owned);
        let outcome = Outcome {
            event,
            blocked: effect.blocked,
            asks: effect.asks,
            followup,
            answer: merged.answer,
            hooks: parts.into_iter().map(Part::into_run).collect(),
            provenance: merged.provenance,
            warnings,
            duration: start.elapsed(),
        };
        self.remember(&outcome, conversation.as_deref(), &payload);
        outcome
    }

    fn complete(&self, event: CursorEvent, mut payload: Payload) -> Payload {
        payload.set("hook_event_name", &event.name());
        payload.set_if_absent("cursor_version", &self.settings.cursor_version);
        if payload.get("workspace_roots").is_none() {
            let layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
            let roots: Vec<_> =
                layers.roots.iter().map(|root| root.display().to_string()).collect();
            payload.set("workspace_roots", &roots);
        }
        if let Some(mark) = self.settings.mark {
            payload.remove(mark);
            payload.set(mark, &true);
        }
        payload
    }

    /// Stores session variables, plugin paths and follow-up counts for later events.
    fn remember(&self, outcome: &Outcome, conversation: Option<&str>, payload: &Payload) {
        if let (Some(Given::Variables(variables)), Some(conversation)) =
            (outcome.answer.get(AnswerField::Env), conversation)
        {
            self.sessions.add_variables(conversation, variables);
        }
        if let Some(Given::Paths(paths)) = outcome.answer.get(AnswerField::PluginPaths) {
            self.add_plugins(paths);
        }
        effect::count_followup(outcome, conversation, payload, &self.sessions);
        if let (CursorEvent::SessionEnd, Some(conversation)) = (outcome.event, conversation) {
            self.sessions.forget(conversation);
        }
    }

    /// Adds the plugin folders that a `workspaceOpen` hook returned.
    fn add_plugins(&self, paths: &[String]) {
        let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        for path in paths.iter().map(PathBuf::from).filter(|path| path.is_absolute()) {
            if !layers.plugins.contains(&path) {
                layers.plugins.push(path);
            }
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }
}

/// A fired event: finished, or still running.
#[derive(Debug)]
pub enum Dispatched {
    Done(Box<Outcome>),
    /// Its hooks run in the background; join the handle to wait for them.
    Running(thread::JoinHandle<Outcome>),
}

/// State of one hook while an event is being fired.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) hook: Arc<Hook>,
    pub(crate) conclusion: Conclusion,
    matched: bool,
    ran: bool,
    exit: Option<i32>,
    duration: std::time::Duration,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Part {
    /// A hook that is not run.
    fn idle(hook: Arc<Hook>, outcome: HookOutcome, matched: bool, diagnosis: String) -> Self {
        let answer = Answer::default();
        let conclusion = Conclusion { outcome, answer, diagnosis, warnings: Vec::new() };
        Self {
            hook,
            conclusion,
            matched,
            ran: false,
            exit: None,
            duration: std::time::Duration::ZERO,
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }

    fn into_run(self) -> HookRun {
        let Conclusion { outcome, diagnosis, warnings, .. } = self.conclusion;
        HookRun {
            hook: self.hook,
            matched: self.matched,
            ran: self.ran,
            exit: self.exit,
            duration: self.duration,
            outcome,
            diagnosis,
            stdout: self.stdout,
            stderr: self.stderr,
            warnings,
        }
    }
}

/// One event being fired.
struct Firing<'f> {
    engine: &'f Engine,
    payload: &'f Payload,
    variables: &'f BTreeMap<String, String>,
    /// Why no prompt hook can be judged.
    unjudged: &'f OnceLock<String>,
}

impl Firing<'_> {
    /// Runs the matching hooks concurrently; returns the parts in hook order.
    fn run_all(&self, event: CursorEvent, mut hooks: Vec<Arc<Hook>>) -> Vec<Part> {
        let subjects = Subjects::of(event, self.payload);
        hooks.splice(0..0, self.guard(event, &hooks, &subjects));
        let mut parts = Vec::with_capacity(hooks.len());
        let mut selected = Vec::new();
        for hook in hooks {
            let (part, runs) = Self::select(hook, &subjects);
            if runs {
                selected.push(parts.len());
            }
            parts.push(part);
        }
        // One shared copy: a payload may be large and the hooks many.
        let input =
            Arc::new([environment::GO, &self.payload.to_json(), "\n"].concat().into_bytes());
        if let [only] = selected.as_slice() {
            // A single hook runs on this thread.
            if let Some(part) = parts.get_mut(*only) {
                self.run(part, &input);
            }
            return parts;
        }
        self.run_together(&mut parts, &selected, &input);
        parts
    }

    /// The guard, if none of the hooks that run is the same.
    fn guard(
        &self,
        event: CursorEvent,
        hooks: &[Arc<Hook>],
        subjects: &Subjects,
    ) -> Option<Arc<Hook>> {
        let guard = self.engine.guard.as_ref()?;
        let mut same = hooks.iter().filter(|hook| hook.disabled.is_none() && guard.is_in(hook));
        if same.any(|hook| subjects.test(hook).matched) {
            return None;
        }
        let layers = self.engine.layers.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::new(guard.hook(event, layers.roots.first().map(PathBuf::as_path))))
    }

    fn select(hook: Arc<Hook>, subjects: &Subjects) -> (Part, bool) {
        if let Some(why) = hook.disabled.clone() {
            return (Part::idle(hook, HookOutcome::Disabled, false, why), false);
        }
        let found = subjects.test(&hook);
        if !found.matched {
            let matcher = hook.matcher.text().unwrap_or_default();
            let why =
                format!("matcher `{matcher}` is not in `{}`", text::one_line(subjects.shown(), 60));
            return (Part::idle(hook, HookOutcome::NotMatched, false, why), false);
        }
        let mut part = Part::idle(hook, HookOutcome::NoAnswer, true, String::new());
        part.conclusion.warnings.extend(found.warning);
        (part, true)
    }

    fn run_together(&self, parts: &mut [Part], selected: &[usize], input: &Arc<Vec<u8>>) {
        let jobs: Vec<Mutex<&mut Part>> = parts
            .iter_mut()
            .enumerate()
            .filter(|(at, _)| selected.contains(at))
            .map(|(_, part)| Mutex::new(part))
            .collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                self.run(&mut job.lock().unwrap_or_else(PoisonError::into_inner), input);
            }
        };
        thread::scope(|scope| {
            // This thread works too; if no thread can be spawned, it works alone.
            for _ in 1..jobs.len().min(MOST_AT_ONCE) {
                drop(thread::Builder::new().spawn_scoped(scope, work));
            }
            work();
        });
    }

    fn run(&self, part: &mut Part, input: &Arc<Vec<u8>>) {
        let start = Instant::now();
        let hook = Arc::clone(&part.hook);
        let settings = &self.engine.settings;
        let timeout = hook.timeout.unwrap_or(settings.default_timeout);
        let rules = Rules { hook: &hook, settings, timeout };
        part.ran = true;
        let mut conclusion = match &hook.action {
            HookAction::Command(command) => {
                let (shell, first) = SHELL;
                let mut arguments: Vec<OsString> = first.iter().map(OsString::from).collect();
                arguments.push(environment::in_shell(command).into());
                self.run_program(part, OsStr::new(shell), &arguments, rules, input)
            }
            HookAction::Guard(guard) => {
                let program = guard.program().as_os_str();
                self.run_program(part, program, &Guard::arguments(), rules, input)
            }
            HookAction::Prompt { prompt, model } => {
                let prompt = with_arguments(prompt, &self.payload.to_json());
                let question = Question { prompt: &prompt, model: model.as_deref(), timeout };
                let judged = match &self.engine.judge {
                    Some(judge) => judge.judge(&question, &self.engine.runner),
                    None => Err(NoJudgement::Unconfigured("this engine was given none".to_owned())),
                };
                if let Err(NoJudgement::Unconfigured(why)) = &judged {
                    self.unjudged.get_or_init(|| why.clone());
                }
                rules.judgement(judged)
            }
        };
        conclusion.warnings.splice(0..0, std::mem::take(&mut part.conclusion.warnings));
        part.conclusion = conclusion;
        part.duration = start.elapsed();
    }

    fn run_program(
        &self,
        part: &mut Part,
        program: &OsStr,
        arguments: &[OsString],
        rules: Rules<'_>,
        input: &Arc<Vec<u8>>,
    ) -> Conclusion {
        let settings = &self.engine.settings;
        // What a hook sets for the session is not for the guard, which may start in any folder.
        let is_guard = matches!(part.hook.action, HookAction::Guard(_));
        let none = BTreeMap::new();
        let session = if is_guard { &none } else { self.variables };
        let environment = environment::variables(&part.hook, self.payload, settings, session);
        let directory = Path::new(&part.hook.layer.directory);
        let ended = self.engine.runner.run(Job {
            program,
            arguments,
            directory: Some(directory).filter(|directory| !is_guard || directory.is_dir()),
            environment: &environment,
            input: Arc::clone(input),
            timeout: rules.timeout,
        });
        let mut conclusion = rules.command(&ended);
        if ended.left_behind {
            let linger = settings.linger.as_secs_f64();
            let text = format!("it left processes running; they are ended after {linger} s");
            conclusion.warnings.push(text);
        }
        part.ran = !matches!(ended.status, Err(Trouble::Spawn(_)));
        part.exit = ended.status.as_ref().ok().and_then(std::process::ExitStatus::code);
        part.stdout = ended.stdout;
        part.stderr = ended.stderr;
        conclusion
    }
}

/// Warning for plugin paths that are not absolute paths of folders; those are not loaded.
fn missing_plugins(answer: &Answer) -> Option<String> {
    let Some(Given::Paths(paths)) = answer.get(AnswerField::PluginPaths) else { return None };
    let is_there = |path: &Path| path.is_absolute() && path.is_dir();
    let path = paths.iter().find(|path| !is_there(Path::new(path)))?;
    Some(format!("plugin `{path}` is not loaded: it is no directory with an absolute path"))
}
