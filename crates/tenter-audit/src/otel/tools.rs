//! Tool spans, each built from several records before and after the call.

use std::collections::BTreeSet;

use super::Options;
use super::ids::{SpanId, TraceId};
use super::open::{Open, Time};
use super::span::{Span, Status};
use crate::memory::told;
use crate::record::{Deed, Kept, Record};

/// Open calls remembered; past this the oldest is closed.
const MOST: usize = 128;

/// A tool call under construction.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) id: SpanId,
    pub(super) parent: SpanId,
    /// Parent spans, which are extended with it.
    pub(super) turn: Option<usize>,
    pub(super) agent: Option<usize>,
    pub(super) open: Open,
    call_id: Option<String>,
    fingerprint: Option<String>,
    /// Tool and subject, for hosts that report one call by several events.
    about: Option<String>,
    events: Vec<String>,
    is_over: bool,
    decision: &'static str,
    failed: bool,
    result: Option<String>,
}

/// Parent of a new tool span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) parent: SpanId,
    pub(super) turn: Option<usize>,
    pub(super) agent: Option<usize>,
}

/// Whether a record is about a tool call.
pub(super) fn is_call(record: &Record<'_>) -> bool {
    record.tool.is_some()
        && matches!(
            record.event.as_ref(),
            "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure"
        )
}

fn is_after(record: &Record<'_>) -> bool {
    record.event.starts_with("Post")
}

/// Tool and subject of a record; `None` if it has neither.
fn about(record: &Record<'_>) -> Option<String> {
    let subject = record.subject();
    let tool = record.tool.as_deref()?;
    (!record.actions.is_empty() && !subject.is_empty()).then(|| format!("{tool} {subject}"))
}

impl Tool {
    fn new(trace: &TraceId, record: &Record<'_>, place: Place, options: Options) -> Self {
        // Without a call id, the first record's hash identifies the call.
        let key = record.call_id.as_deref().unwrap_or(&record.hash);
        let mut name = record.native_tool.as_deref().or(record.tool.as_deref()).unwrap_or_default();
        let mut kind = "function";
        if let Some(Deed::Mcp { tool, .. }) = record.actions.first() {
            name = tool.as_deref().unwrap_or(name);
            kind = "extension";
        }
        let mut open = Open::new(format!("execute_tool {name}"), Time::of(record));
        let said = &mut open.attributes;
        said.text("gen_ai.operation.name", "execute_tool");
        said.text("gen_ai.tool.name", name);
        said.text("gen_ai.tool.type", kind);
        said.maybe("gen_ai.tool.call.id", record.call_id.as_deref());
        said.maybe("gen_ai.conversation.id", record.session_id.as_deref());
        said.text("tenterhook.host", &record.host);
        said.maybe("tenterhook.tool", record.tool.as_deref());
        if let Some(Deed::Mcp { server: Some(server), .. }) = record.actions.first() {
            said.text("tenterhook.mcp.server", server);
        }
        if options.content {
            said.text("tenterhook.subject", &record.subject());
            if !record.actions.is_empty() {
                let arguments = serde_json::to_string(&record.actions).unwrap_or_default();
                said.text("gen_ai.tool.call.arguments", &arguments);
            }
        }
        Self {
            id: SpanId::of(trace, "tool", key),
            parent: place.parent,
            turn: place.turn,
            agent: place.agent,
            open,
            call_id: record.call_id.as_deref().map(str::to_owned),
            fingerprint: record.fingerprint.as_deref().map(str::to_owned),
            about: about(record),
            events: Vec::new(),
            is_over: false,
            decision: "none",
            failed: false,
            result: None,
        }
    }

    /// Whether a record may belong to this call, being of an event it does not have yet.
    fn is_of(&self, record: &Record<'_>, about: Option<&str>, turn: Option<usize>) -> bool {
        match (&self.call_id, record.call_id.as_deref()) {
            (Some(ours), Some(theirs)) => return ours == theirs,
            (None, None) => {
                if self.fingerprint.is_none()
                    || self.fingerprint.as_deref() != record.fingerprint.as_deref()
                {
                    return false;
                }
            }
            // The host sends a call id with only one of the call's events.
            _ => {
                if self.about.is_none() || self.about.as_deref() != about || self.turn != turn {
                    return false;
                }
            }
        }
        let is_new = !self.events.iter().any(|event| *event == record.native_event);
        is_new && (is_after(record) || !self.is_over)
    }

    fn take(&mut self, record: &Record<'_>, options: Options, wanted: bool) {
        let time = if is_after(record) { Time::with_tool(record) } else { Time::of(record) };
        // A duration reported by the host never starts before the record that preceded the call.
        let start = if self.events.is_empty() { time.start } else { Time::of(record).start };
        self.open.touch(Time { start, ..time }, wanted);
        self.events.push(record.native_event.to_string());
        self.is_over |= is_after(record);
        let said = &mut self.open.attributes;
        if is_after(record) && !said.0.iter().any(|it| it.key == "tenterhook.tool.duration_ms") {
            said.number("tenterhook.tool.duration_ms", record.duration_ms.as_ref());
        }
        let exit = record.exit_code.as_ref().and_then(serde_json::Number::as_i64);
        if exit.is_some() && !said.0.iter().any(|it| it.key == "process.exit.code") {
            said.number("process.exit.code", record.exit_code.as_ref());
        }
        let code = exit.filter(|code| *code != 0).map(|code| code.to_string());
        if (record.event == "PostToolUseFailure" || code.is_some()) && !self.failed {
            self.failed = true;
            let kind = record.detail.as_deref().or(code.as_deref()).unwrap_or("_OTHER");
            said.text("error.type", kind);
            let error = record.error.as_ref().and_then(Kept::text).filter(|_| options.content);
            self.open.status = Some(Status::error(error.unwrap_or_default().to_owned()));
        }
        if options.content && self.result.is_none() {
            self.result = record.output.as_ref().and_then(Kept::text).map(str::to_owned);
        }
        self.decision = stricter(self.decision, told(record));
    }

    fn found(&self) -> ToolSpan {
        let Self { id, turn, agent, .. } = *self;
        ToolSpan { id, turn, agent, start: self.open.time.start }
    }

    fn finish(mut self, trace: &TraceId) -> Option<Span> {
        if !self.open.wanted {
            return None;
        }
        let said = &mut self.open.attributes;
        said.maybe("gen_ai.tool.call.result", self.result.as_deref());
        said.text("tenterhook.decision", self.decision);
        // Denied calls have no end; of others no result was recorded.
        said.flag("tenterhook.incomplete", !self.is_over && self.decision != "deny");
        Some(self.open.finish(trace, self.id, Some(self.parent)))
    }
}

/// The calls of one session.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: Vec<Tool>,
    /// Ids of exported spans of calls with an id: they are not created again.
    gone: BTreeSet<SpanId>,
}

/// The span of a record's tool call, and its parents.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolSpan {
    pub(super) id: SpanId,
    /// Earliest known start of the call: its parents start no later.
    pub(super) start: u64,
    pub(super) turn: Option<usize>,
    pub(super) agent: Option<usize>,
}

impl Tools {
    /// Finds or creates the tool call of a record and adds the record.
    pub(super) fn take(
        &mut self,
        trace: &TraceId,
        record: &Record<'_>,
        place: Place,
        options: Options,
        wanted: bool,
    ) -> (ToolSpan, Option<Span>) {
        let about = about(record);
        let found = self
            .open
            .iter_mut()
            .rev()
            .find(|tool| tool.is_of(record, about.as_deref(), place.turn));
        if let Some(tool) = found {
            tool.take(record, options, wanted);
            return (tool.found(), None);
        }
        let mut tool = Tool::new(trace, record, place, options);
        if self.gone.contains(&tool.id) {
            return (tool.found(), None);
        }
        tool.take(record, options, wanted);
        let found = tool.found();
        self.open.push(tool);
        let given = if self.open.len() > MOST { self.give(trace) } else { None };
        (found, given)
    }

    /// Exports the oldest finished call, or else the oldest.
    fn give(&mut self, trace: &TraceId) -> Option<Span> {
        let at = self.open.iter().position(|tool| tool.is_over).unwrap_or_default();
        let tool = self.open.remove(at);
        if tool.call_id.is_some() {
            self.gone.insert(tool.id);
        }
        tool.finish(trace)
    }

    pub(super) fn finish(self, trace: &TraceId) -> impl Iterator<Item = Span> {
        self.open.into_iter().filter_map(move |tool| tool.finish(trace))
    }
}

/// The stricter of two decisions.
pub(super) fn stricter(one: &'static str, other: &str) -> &'static str {
    let rank = |decision: &str| match decision {
        "deny" => 3,
        "ask" => 2,
        "allow" => 1,
        _ => 0,
    };
    match rank(one).max(rank(other)) {
        3 => "deny",
        2 => "ask",
        1 => "allow",
        _ => "none",
    }
}
