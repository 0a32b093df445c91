//! Builds the steps of a session from its records.

use std::collections::VecDeque;

use serde::Serialize;
use tenter_audit::Record;

use super::chains;
use super::step::{By, Kind, Limits, Step, is_before, subject};

/// Maximum number of steps held; older ones are printed and not joined any more.
pub(super) const WINDOW: usize = 2_000;

/// Maximum number of steps searched for joining.
const BACK: usize = 400;

/// Maximum number of agents.
const AGENTS: usize = 1_000;

/// Counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Counts {
    pub(super) prompts: u64,
    pub(super) tools: u64,
    pub(super) denied: u64,
    pub(super) asked: u64,
    pub(super) failed: u64,
    pub(super) subagents: u64,
    pub(super) compactions: u64,
}

impl Counts {
    pub(super) fn add(&mut self, step: &Step) {
        let more = |count: &mut u64, yes: bool| *count = count.saturating_add(u64::from(yes));
        more(&mut self.prompts, step.kind == Kind::Prompt && step.agent.is_none());
        more(&mut self.tools, step.kind == Kind::Tool);
        // An agent told to go on was not denied anything.
        let goes_on = matches!(step.kind, Kind::Stop | Kind::SubagentStop);
        more(&mut self.denied, step.is_denied() && !goes_on);
        more(&mut self.asked, step.is_asked());
        more(&mut self.failed, step.kind == Kind::Tool && step.is_failure());
        more(&mut self.subagents, step.kind == Kind::SubagentStart);
        more(&mut self.compactions, step.kind == Kind::Compaction);
    }
}

#[derive(Debug)]
struct Known {
    id: Option<String>,
    kind: Option<String>,
    label: String,
    depth: usize,
    started: Option<u64>,
    open: bool,
}

impl Known {
    fn by(&self) -> By {
        By { id: self.id.clone(), label: self.label.clone(), depth: self.depth }
    }
}

/// The steps so far.
#[derive(Debug)]
pub(super) struct Story {
    limits: Limits,
    steps: VecDeque<Step>,
    agents: Vec<Known>,
    group: u64,
    turn: Option<u64>,
    turn_id: Option<String>,
    /// Position after an omitted part.
    gap: Option<usize>,
}

impl Story {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            steps: VecDeque::new(),
            agents: Vec::new(),
            group: 0,
            turn: Some(0),
            turn_id: None,
            gap: None,
        }
    }

    /// Adds the next record.
    pub(super) fn push(&mut self, record: &Record<'_>) {
        if let Some(step) = self.joined(record).and_then(|place| self.steps.get_mut(place)) {
            let subject = subject(record, self.limits);
            // Another event may include the tool's server.
            let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
            if step.tool.as_deref() == Some("MCP") && length(&subject) > length(&step.subject) {
                step.subject = subject;
            }
            step.add(record, self.limits);
            return;
        }
        let mut step = Step::new(record, self.limits);
        self.turn_of(record, &step);
        step.group = self.group;
        step.turn = self.turn;
        step.agent = self.agent_of(record, &mut step);
        self.steps.push_back(step);
    }

    /// Removes the oldest step if too many are held.
    pub(super) fn pop_excess(&mut self) -> Option<Step> {
        if self.steps.len() > WINDOW { self.pop() } else { None }
    }

    /// Notes that records are omitted here.
    pub(super) fn leave_out(&mut self) {
        self.gap = Some(self.steps.len());
        // The number of omitted turns is unknown.
        self.turn = None;
        self.turn_id = None;
        self.group = self.group.saturating_add(1);
    }

    /// Start of the part after the gap.
    pub(super) fn gap(&self) -> Option<usize> {
        self.gap
    }

    /// Notes that the gap was printed.
    pub(super) fn close_gap(&mut self) {
        self.gap = None;
    }

    /// Removes the oldest step.
    pub(super) fn pop(&mut self) -> Option<Step> {
        let then = chains::after(&self.steps, 0, self.gap);
        let mut step = self.steps.pop_front()?;
        step.then = then;
        self.gap = self.gap.map(|gap| gap.saturating_sub(1));
        Some(step)
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter()
    }

    /// A user prompt starts a turn; on hosts without prompt events, so does a new turn of the main agent.
    fn turn_of(&mut self, record: &Record<'_>, step: &Step) {
        let outside = matches!(step.kind, Kind::SessionStart | Kind::SessionEnd);
        if record.agent.id.is_some() || outside {
            return;
        }
        let other = match (record.turn_id.as_deref(), self.turn_id.as_deref()) {
            (Some(one), Some(other)) => one != other,
            (Some(_), None) => !self.in_turn(),
            _ => false,
        };
        if step.kind == Kind::Prompt || other {
            self.group = self.group.saturating_add(1);
            self.turn = self.turn.map(|turn| turn.saturating_add(1));
        }
        if let Some(id) = record.turn_id.as_deref() {
            self.turn_id = Some(id.to_owned());
        }
    }

    /// Whether a turn without name has begun.
    fn in_turn(&self) -> bool {
        self.turn.is_none_or(|turn| turn > 0)
    }

    /// The step that a record belongs to, unless it is a new one.
    fn joined(&self, record: &Record<'_>) -> Option<usize> {
        let tool = matches!(
            &*record.event,
            "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure"
        );
        if !tool && !record.again && record.event != "PostCompact" {
            return None;
        }
        let subject = subject(record, self.limits);
        let recent = self.steps.iter().enumerate().rev().take(BACK);
        // Across the omitted part only calls with an id are joined.
        let after_gap = |place: usize| self.gap.is_none_or(|gap| place >= gap);
        let mut best = None;
        for (place, step) in recent {
            if tool && step.kind == Kind::Tool {
                match fit(step, record, subject.as_deref()) {
                    Fit::Sure => return Some(place),
                    Fit::Likely if best.is_none() && after_gap(place) => {
                        // The newest match, unless there is a certain one.
                        best = (step.group == self.group).then_some(place);
                    }
                    _ => {}
                }
            } else if !tool && after_gap(place) && is_copy(step, record, self.limits) {
                return Some(place);
            }
        }
        best
    }

    /// The acting agent; starts and ends of agents are noted.
    fn agent_of(&mut self, record: &Record<'_>, step: &mut Step) -> Option<By> {
        let id = record.agent.id.as_deref();
        match step.kind {
            Kind::SubagentStart => {
                let depth = self.starter(record).saturating_add(1);
                let place = self.known(id, record.agent.kind.as_deref(), depth);
                let agent = self.agents.get_mut(place)?;
                agent.started = Some(record.at);
                agent.open = true;
                Some(agent.by())
            }
            Kind::SubagentStop => {
                let kind = record.agent.kind.as_deref();
                let place = match id {
                    Some(_) => self.known(id, kind, 1),
                    // Some hosts do not name the agent: take the last started of its type.
                    None => self
                        .agents
                        .iter()
                        .rposition(|agent| agent.open && agent.kind.as_deref() == kind)
                        .unwrap_or_else(|| self.known(None, kind, 1)),
                };
                let agent = self.agents.get_mut(place)?;
                agent.open = false;
                if let (None, Some(started)) = (step.duration_ms, agent.started) {
                    step.duration_ms = Some(record.at.saturating_sub(started));
                    step.duration_from_records = true;
                }
                Some(agent.by())
            }
            _ => {
                let place = self.known(Some(id?), record.agent.kind.as_deref(), 1);
                self.agents.get(place).map(Known::by)
            }
        }
    }

    /// Depth of the agent that started a subagent by a tool call.
    fn starter(&mut self, record: &Record<'_>) -> usize {
        let name = record.call_id.as_deref();
        let by_name = |step: &Step| name.is_some() && step.call_id.as_deref() == name;
        let is_task = |step: &Step| step.kind == Kind::Tool && step.tool.as_deref() == Some("Task");
        let open = |step: &Step| is_task(step) && !step.claimed && !step.is_denied();
        let mut recent: Vec<&mut Step> = self.steps.iter_mut().rev().take(BACK).collect();
        let place = recent
            .iter()
            .position(|step| is_task(step) && by_name(step))
            .or_else(|| recent.iter().rposition(|step| open(step) && step.until == step.at))
            .or_else(|| recent.iter().position(|step| open(step)));
        let Some(task) = place.and_then(|place| recent.get_mut(place)) else { return 0 };
        task.claimed = true;
        task.agent.as_ref().map_or(0, |agent| agent.depth)
    }

    /// Index of an agent; a new one is added.
    fn known(&mut self, id: Option<&str>, kind: Option<&str>, depth: usize) -> usize {
        let same = |agent: &Known| id.is_some() && agent.id.as_deref() == id;
        if let Some(place) = self.agents.iter().rposition(same) {
            return place;
        }
        let kind = kind.filter(|kind| !kind.is_empty());
        let before = self.agents.iter().filter(|agent| agent.kind.as_deref() == kind).count();
        let name = kind.unwrap_or("subagent");
        let label = match before {
            0 => name.to_owned(),
            _ => format!("{name} {}", before.saturating_add(1)),
        };
        if self.agents.len() >= AGENTS {
            self.agents.remove(0);
        }
        let (id, kind) = (id.map(str::to_owned), kind.map(str::to_owned));
        self.agents.push(Known { id, kind, label, depth, started: None, open: false });
        self.agents.len().saturating_sub(1)
    }
}

/// How well a record matches a step.
enum Fit {
    Sure,
    Likely,
    Not,
}

fn fit(step: &Step, record: &Record<'_>, subject: Option<&str>) -> Fit {
    let event = &*record.native_event;
    let seen = step.events.iter().any(|known| known == event);
    let finished = step.outcome != super::step::StepOutcome::Unknown;
    // A call before its execution cannot belong to a finished one.
    let comes_too_late = is_before(record) && finished && !record.again;
    if let (Some(one), Some(other)) = (step.call_id.as_deref(), record.call_id.as_deref()) {
        let same = one == other && !comes_too_late;
        return if same { Fit::Sure } else { Fit::Not };
    }
    if comes_too_late || (seen && !record.again) || !same_agent(step, record) {
        return Fit::Not;
    }
    let prints = (step.fingerprint.as_deref(), record.fingerprint.as_deref());
    let is_same_tool = same_tool(step.tool.as_deref(), record.tool.as_deref());
    if let (Some(one), Some(other)) = prints
        && one == other
        && is_same_tool
    {
        return Fit::Likely;
    }
    let same_subject = match (step.subject.as_deref(), subject) {
        (Some(one), Some(other)) => one == other || same_mcp_tool(step, one, other),
        _ => false,
    };
    if same_subject && is_same_tool { Fit::Likely } else { Fit::Not }
}

fn same_agent(step: &Step, record: &Record<'_>) -> bool {
    let id = step.agent.as_ref().and_then(|agent| agent.id.as_deref());
    id == record.agent.id.as_deref()
}

/// Not every event about an MCP tool names its server.
fn same_mcp_tool(step: &Step, one: &str, other: &str) -> bool {
    let tail = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|server| server.ends_with('/'))
    };
    step.tool.as_deref() == Some("MCP") && (tail(one, other) || tail(other, one))
}

/// Hosts report a write as an edit once it is done.
fn same_tool(one: Option<&str>, other: Option<&str>) -> bool {
    let changes = |tool: Option<&str>| matches!(tool, Some("Write" | "Edit"));
    one == other || (changes(one) && changes(other))
}

/// Whether a record is a copy or second part of the same prompt, stop or start.
fn is_copy(step: &Step, record: &Record<'_>, limits: Limits) -> bool {
    let other = Step::new(record, limits);
    if step.kind != other.kind || !same_agent(step, record) {
        return false;
    }
    if step.kind == Kind::Compaction {
        let first = step.events.len() == 1;
        return first && record.event == "PostCompact" && step.detail == other.detail;
    }
    record.again && step.text == other.text
}
