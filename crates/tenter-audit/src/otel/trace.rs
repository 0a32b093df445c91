//! Converts a session's records, one after the other, to a trace.

use super::Options;
use super::ids::{SpanId, TraceId};
use super::open::{Open, Time};
use super::span::{Link, Span};
use super::tools::{self, Place, Tools};
use super::turn::{About, Agent, Sums, Turn};
use super::words::{decision, product, root};
use crate::record::{Kept, Record};

/// A session being converted. Keeps its turns and agents in memory, but only a few tool calls.
#[derive(Debug)]
pub struct Trace {
    id: TraceId,
    options: Options,
    host: String,
    session: String,
    root: Option<Open>,
    sums: Sums,
    end: Option<String>,
    turns: Vec<Turn>,
    /// The turn of records without turn id.
    current: Option<usize>,
    agents: Vec<Agent>,
    tools: Tools,
}

impl Trace {
    /// The trace of a session of a host.
    pub fn new(host: &str, session: &str, options: Options) -> Self {
        Self {
            id: TraceId::of_session(host, session),
            options,
            host: host.to_owned(),
            session: session.to_owned(),
            root: None,
            sums: Sums::default(),
            end: None,
            turns: Vec::new(),
            current: None,
            agents: Vec::new(),
            tools: Tools::default(),
        }
    }

    /// Adds the next record. Records that are not `wanted` only determine parents and create no spans.
    /// Finished spans are pushed to `out`.
    pub fn take(&mut self, record: &Record<'_>, wanted: bool, out: &mut Vec<Span>) {
        let mut time = Time::of(record);
        let turn = self.turn_of(record);
        let agent = self.agent_of(record, turn);
        let (mut turn, mut agent) = (turn, agent);
        let mut parent = self.parent(turn, agent);
        if tools::is_call(record) {
            let place = Place { parent, turn, agent };
            let (found, given) = self.tools.take(&self.id, record, place, self.options, wanted);
            out.extend(given);
            (parent, turn, agent) = (found.id, found.turn, found.agent);
            time = Time { start: found.start.min(time.start), ..time };
        }
        self.touch(record, time, wanted, turn, agent);
        if wanted {
            let id = SpanId::of(&self.id, "decision", &record.hash);
            out.push(decision(record, self.options).finish(&self.id, id, Some(parent)));
        }
    }

    /// Pushes the remaining spans. Call it last.
    pub fn finish(self, out: &mut Vec<Span>) {
        let Self { id, host, session, root, sums, end, turns, agents, tools, .. } = self;
        out.extend(tools.finish(&id));
        let root_id = SpanId::of_session(&id);
        let about = About { host: &host, session: &session };
        for agent in agents.into_iter().filter(|agent| agent.open.wanted) {
            let (span, parent) = (agent.id, agent.parent);
            out.push(agent.say(&about).finish(&id, span, Some(parent)));
        }
        for turn in turns.into_iter().filter(|turn| turn.open.wanted) {
            let span = turn.id;
            out.push(turn.say(&about).finish(&id, span, Some(root_id)));
        }
        if let Some(mut root) = root.filter(|root| root.wanted) {
            sums.say(&mut root.attributes);
            root.attributes.flag("tenterhook.session.ended", end.is_some());
            root.attributes.maybe("tenterhook.session.end", end.as_deref());
            out.push(root.finish(&id, root_id, None));
        }
    }

    fn parent(&self, turn: Option<usize>, agent: Option<usize>) -> SpanId {
        let agent = agent.and_then(|at| self.agents.get(at)).map(|agent| agent.id);
        let turn = turn.and_then(|at| self.turns.get(at)).map(|turn| turn.id);
        agent.or(turn).unwrap_or_else(|| SpanId::of_session(&self.id))
    }

    /// The turn of a record; creates it if needed.
    fn turn_of(&mut self, record: &Record<'_>) -> Option<usize> {
        let name = record.turn_id.as_deref();
        if let Some(name) = name {
            let known = self.turns.iter().rposition(|turn| turn.name.as_deref() == Some(name));
            if known.is_some() {
                self.current = known;
                return known;
            }
        } else {
            let begins = match record.event.as_ref() {
                "UserPromptSubmit" => true,
                "SessionStart" | "SessionEnd" | "WorkspaceOpen" => return None,
                "PreToolUse" | "PermissionRequest" => self.current.is_none(),
                _ => false,
            };
            if !begins {
                // Events between two turns belong to neither.
                let goes_on = |at: &usize| {
                    let is_over = self.turns.get(*at).is_some_and(|turn| turn.is_over);
                    !is_over || tools::is_call(record) || record.event.starts_with("Subagent")
                };
                return self.current.filter(goes_on);
            }
        }
        // Without a turn id, the first record's hash identifies the turn.
        let key = name.unwrap_or(&record.hash);
        let open = Open::new(format!("invoke_agent {}", product(&self.host)), Time::of(record));
        let id = SpanId::of(&self.id, "turn", key);
        self.turns.push(Turn::new(id, name, open, &self.host));
        self.current = self.turns.len().checked_sub(1);
        self.current
    }

    /// The subagent that a record is about or comes from.
    fn agent_of(&mut self, record: &Record<'_>, turn: Option<usize>) -> Option<usize> {
        let is_stop = record.event == "SubagentStop";
        let is_about = is_stop || record.event == "SubagentStart";
        let (name, kind) = (record.agent.id.as_deref(), record.agent.kind.as_deref());
        let known = match name {
            Some(_) => self.agents.iter().rposition(|agent| agent.name.as_deref() == name),
            // Some hosts do not name the agent: take the last started of its type.
            None if is_stop => self
                .agents
                .iter()
                .rposition(|agent| agent.kind.as_deref() == kind && !agent.is_over),
            None if is_about => None,
            None => return None,
        };
        let at = known.unwrap_or_else(|| self.add_agent(record, turn));
        if let Some(agent) = self.agents.get_mut(at) {
            agent.is_over |= is_stop;
            if agent.kind.is_none() {
                agent.kind = kind.map(str::to_owned);
            }
        }
        Some(at)
    }

    fn add_agent(&mut self, record: &Record<'_>, turn: Option<usize>) -> usize {
        let above = record.agent.parent.as_deref().and_then(|parent| {
            self.agents.iter().rposition(|agent| agent.name.as_deref() == Some(parent))
        });
        let mut open = Open::new(String::new(), Time::of(record));
        if let Some(parent) = record.agent.parent.as_deref()
            && above.is_none()
            && parent != self.session
        {
            // The parent session.
            let trace_id = TraceId::of_session(&self.host, parent);
            open.links.push(Link { trace_id, span_id: SpanId::of_session(&trace_id) });
        }
        if self.options.content {
            open.attributes
                .maybe("gen_ai.agent.description", record.text.as_ref().and_then(Kept::text));
        }
        let key = record.agent.id.as_deref().unwrap_or(&record.hash);
        self.agents.push(Agent {
            id: SpanId::of(&self.id, "agent", key),
            parent: self.parent(turn, above),
            turn,
            above,
            name: record.agent.id.as_deref().map(str::to_owned),
            kind: None,
            is_over: false,
            open,
        });
        self.agents.len().saturating_sub(1)
    }

    /// Extends all parents of a record.
    fn touch(
        &mut self,
        record: &Record<'_>,
        time: Time,
        wanted: bool,
        turn: Option<usize>,
        agent: Option<usize>,
    ) {
        let (host, session, options) = (&self.host, &self.session, self.options);
        let root = self.root.get_or_insert_with(|| root(host, session, record, options));
        root.touch(time, wanted);
        self.sums.add(record);
        if record.event == "SessionEnd" {
            self.end = Some(record.detail.as_deref().unwrap_or_default().to_owned());
        }
        let mut turns: Vec<usize> = turn.into_iter().collect();
        let mut next = agent;
        // An agent is never its own ancestor, but the data may be wrong.
        for _ in 0..self.agents.len() {
            let Some(agent) = next.and_then(|at| self.agents.get_mut(at)) else { break };
            agent.open.touch(time, wanted);
            turns.extend(agent.turn);
            next = agent.above;
        }
        for at in turns {
            if let Some(turn) = self.turns.get_mut(at) {
                turn.open.touch(time, wanted);
            }
        }
        if let Some(turn) = turn.and_then(|at| self.turns.get_mut(at)) {
            turn.take(record, self.options);
        }
    }
}
