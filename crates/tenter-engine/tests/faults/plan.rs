//! Faulty hooks of every kind, drawn by a deterministic generator, and the expected result of each.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use tenter_engine::layer::Layers;
use tenter_engine::{Class, CursorEvent, HookOutcome};

/// Number of hooks per event.
pub(crate) const AT_A_TIME: usize = 8;
/// Number of different hook sets per event; the payload selects one.
const SETS: usize = 12;

/// The events, and the payload field that selects a set. Without one there is a single set.
pub(crate) const EVENTS: [(CursorEvent, Option<&str>); 10] = [
    (CursorEvent::PreToolUse, Some("tool_name")),
    (CursorEvent::PostToolUse, Some("tool_name")),
    (CursorEvent::PostToolUseFailure, Some("tool_name")),
    (CursorEvent::BeforeShellExecution, Some("command")),
    (CursorEvent::AfterShellExecution, Some("command")),
    (CursorEvent::BeforeMcpExecution, Some("tool_name")),
    (CursorEvent::AfterMcpExecution, Some("tool_name")),
    (CursorEvent::SubagentStart, Some("subagent_type")),
    (CursorEvent::SubagentStop, Some("subagent_type")),
    (CursorEvent::BeforeSubmitPrompt, None),
];

/// How a hook ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Answers,
    SaysNothing,
    /// Exit 0 and invalid JSON.
    Babbles,
    Floods,
    /// Exits with the code that the payload asks for.
    Exits,
    /// The program does not exist.
    IsNotFound,
    Dies(i32),
    Hangs,
}

/// One kind of fault.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    script: &'static str,
    pub(crate) fate: Fate,
    /// Whether it leaves processes behind; `None` where it depends on timing.
    pub(crate) leaves: Option<bool>,
    /// Relative frequency.
    weight: usize,
}

const fn kind(name: &'static str, weight: usize, fate: Fate, script: &'static str) -> Kind {
    Kind { name, script, fate, leaves: Some(false), weight }
}

impl Kind {
    const fn leaving(self) -> Self {
        Self { leaves: Some(true), ..self }
    }

    const fn maybe_leaving(self) -> Self {
        Self { leaves: None, ..self }
    }
}

/// `ANSWER` is replaced by a command that prints a valid answer.
const ANSWER: &str = r#"printf '{"permission":"allow"}'"#;

/// The first is in every set. Slow or expensive ones are rare.
pub(crate) const KINDS: [Kind; 29] = [
    kind("every exit code", 0, Fate::Exits, r#"exit "${CURSOR_TRANSCRIPT_PATH#/}""#),
    kind("reads and answers", 80, Fate::Answers, "cat >/dev/null; ANSWER"),
    kind("never reads", 60, Fate::Answers, "ANSWER"),
    kind("never reads, slowly", 30, Fate::Answers, "sleep 0.02; ANSWER"),
    kind("closes stdin", 40, Fate::Answers, "exec <&-; ANSWER"),
    kind("closes stderr", 20, Fate::Answers, "exec 2>&-; cat >/dev/null; ANSWER"),
    kind("empty", 40, Fate::SaysNothing, "cat >/dev/null"),
    kind("blank", 20, Fate::SaysNothing, r"printf '\n \t\n'"),
    kind("closes stdout", 20, Fate::SaysNothing, "exec >&-; cat >/dev/null"),
    kind("garbage", 40, Fate::Babbles, r"printf '\377\376\000\033[31m}{\n'"),
    kind("half a JSON", 40, Fate::Babbles, r#"printf '{"permission":"al'"#),
    kind("two JSONs", 20, Fate::Babbles, "ANSWER; ANSWER"),
    kind("not found", 20, Fate::IsNotFound, "exec tenter-no-such-program"),
    kind("killed", 30, Fate::Dies(9), "kill -s KILL $$"),
    kind("segmentation fault", 30, Fate::Dies(11), "ulimit -c 0; kill -s SEGV $$"),
    kind("aborts after its answer", 30, Fate::Dies(6), "ulimit -c 0; ANSWER; kill -s ABRT $$"),
    kind("hangs", 16, Fate::Hangs, "sleep 60"),
    kind("hangs with children", 10, Fate::Hangs, "(sleep 60 & sleep 60 & wait) & sleep 60"),
    kind("hangs in half a JSON", 8, Fate::Hangs, "printf '{\"perm'; sleep 60"),
    kind("hangs without outputs", 8, Fate::Hangs, "exec >&- 2>&-; sleep 60"),
    kind("hangs, prints when asked to end", 8, Fate::Hangs, "trap 'ANSWER; exit 0' TERM; sleep 60"),
    kind("ignores the request to end", 4, Fate::Hangs, "trap '' TERM; while :; do sleep 60; done"),
    kind("stops itself", 2, Fate::Hangs, "kill -s STOP $$; ANSWER"),
    kind("floods stdout", 12, Fate::Floods, "head -c 100000000 /dev/zero"),
    kind("floods stderr", 5, Fate::Answers, "head -c 100000000 /dev/zero >&2; ANSWER"),
    kind("leaves a child", 30, Fate::Answers, "sleep 60 >/dev/null 2>&1 </dev/null & ANSWER")
        .leaving(),
    kind("leaves a child that holds stdout", 30, Fate::Answers, "sleep 60 & ANSWER").leaving(),
    kind(
        "leaves one that ignores requests",
        15,
        Fate::Dies(9),
        "(trap '' TERM; sleep 60) & kill -s KILL $$",
    )
    .leaving(),
    kind("daemonises", 20, Fate::Answers, "setsid sleep 0.3 >/dev/null 2>&1 </dev/null & ANSWER")
        .maybe_leaving(),
];

/// One configured hook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faulty {
    pub(crate) kind: &'static Kind,
    pub(crate) fail_closed: bool,
    /// Timeout in milliseconds, for those that hang.
    timeout: Option<usize>,
}

/// The hooks of every event and set.
#[derive(Debug)]
pub(crate) struct Plan {
    /// By event, then by set.
    hooks: Vec<Vec<[Faulty; AT_A_TIME]>>,
}

/// Deterministic random numbers.
struct Lot(u64);

impl Lot {
    /// A number below `end`.
    fn draw(&mut self, end: usize) -> usize {
        // Knuth's constants; the low bits of such a sequence are poor.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn kind(&mut self) -> &'static Kind {
        let drawn = self.draw(KINDS.iter().map(|kind| kind.weight).sum());
        let mut sum = 0;
        let is_it = |kind: &&Kind| {
            sum += kind.weight;
            drawn < sum
        };
        KINDS.iter().find(is_it).unwrap()
    }

    fn set(&mut self) -> [Faulty; AT_A_TIME] {
        let exits = self.draw(AT_A_TIME);
        std::array::from_fn(|at| {
            let kind = if at == exits { &KINDS[0] } else { self.kind() };
            let timeout = (kind.fate == Fate::Hangs).then(|| 50 + self.draw(150));
            Faulty { kind, fail_closed: self.draw(4) == 0, timeout }
        })
    }
}

impl Plan {
    pub(crate) fn draw(seed: u64) -> Self {
        let mut lot = Lot(seed);
        let sets = |field: Option<&str>| if field.is_some() { SETS } else { 1 };
        let mut event = |field| (0..sets(field)).map(|_| lot.set()).collect();
        Self { hooks: EVENTS.iter().map(|(_, field)| event(*field)).collect() }
    }

    pub(crate) fn sets(&self, event: usize) -> usize {
        self.hooks[event].len()
    }

    pub(crate) fn set(&self, event: usize, set: usize) -> &[Faulty; AT_A_TIME] {
        &self.hooks[event][set]
    }

    /// Writes the hooks of each set into four layers, two into each.
    pub(crate) fn write(&self, root: &Path) -> Layers {
        let directories = ["enterprise", "team", "project/.cursor", "home/.cursor"];
        for (layer, directory) in directories.iter().enumerate() {
            let directory = root.join(directory);
            fs::create_dir_all(&directory).unwrap();
            let mut file = String::from("{\"version\": 1, \"hooks\": {");
            for (at, (event, _)) in EVENTS.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                write!(file, "{comma}\n\"{event}\": [{}]", self.entries(at, layer)).unwrap();
            }
            fs::write(directory.join("hooks.json"), file + "}}\n").unwrap();
        }
        Layers {
            enterprise: Some(root.join("enterprise")),
            team: Some(root.join("team")),
            roots: vec![root.join("project")],
            trusted: true,
            home: Some(root.join("home")),
            ..Layers::default()
        }
    }

    fn entries(&self, event: usize, layer: usize) -> String {
        let mut entries = Vec::new();
        for (number, set) in self.hooks[event].iter().enumerate() {
            for hook in &set[2 * layer..2 * layer + 2] {
                let command = serde_json::to_string(&hook.command()).unwrap();
                let mut entry = format!("{{\"command\": {command}");
                if EVENTS[event].1.is_some() {
                    write!(entry, ", \"matcher\": \"set-{number}$\"").unwrap();
                }
                if let Some(timeout) = hook.timeout {
                    write!(entry, ", \"timeout\": 0.{timeout:03}").unwrap();
                }
                entries.push(format!("{entry}, \"failClosed\": {}}}", hook.fail_closed));
            }
        }
        entries.join(",\n")
    }
}

impl Faulty {
    pub(crate) fn command(&self) -> String {
        self.kind.script.replace("ANSWER", ANSWER)
    }

    /// The exit code, if the hook exits normally.
    pub(crate) fn exit(&self, code: i32) -> Option<i32> {
        match self.kind.fate {
            Fate::Answers | Fate::SaysNothing | Fate::Babbles => Some(0),
            Fate::Exits => Some(code),
            Fate::IsNotFound => Some(127),
            Fate::Floods | Fate::Dies(_) | Fate::Hangs => None,
        }
    }

    /// The expected outcome, and words that the diagnosis must contain.
    pub(crate) fn expected(&self, event: CursorEvent, code: i32) -> (HookOutcome, String) {
        let waits = event.spec().class == Class::Permission;
        let closed = self.fail_closed && event.can_block();
        let failed = if closed { HookOutcome::Deny } else { HookOutcome::Failed };
        let bad = if waits { HookOutcome::Deny } else { failed };
        let nothing = if waits { failed } else { HookOutcome::NoAnswer };
        let answers = if waits { HookOutcome::Allow } else { HookOutcome::NoAnswer };
        let two = if event.can_block() { HookOutcome::Deny } else { HookOutcome::NoAnswer };
        let nothing_said = if waits { "no output" } else { "" };
        let (outcome, diagnosis) = match self.kind.fate {
            Fate::Answers => (answers, ""),
            Fate::SaysNothing => (nothing, nothing_said),
            Fate::Exits if code == 0 => (nothing, nothing_said),
            Fate::Exits if code == 2 => (two, "exit 2"),
            Fate::Exits => return (failed, format!("exit {code}")),
            Fate::IsNotFound => (failed, "exit 127"),
            Fate::Babbles => (bad, "invalid JSON"),
            Fate::Floods => (bad, "printed more than"),
            Fate::Dies(signal) => return (failed, format!("killed by signal {signal}")),
            Fate::Hangs => (failed, "did not end within"),
        };
        (outcome, diagnosis.to_owned())
    }
}
