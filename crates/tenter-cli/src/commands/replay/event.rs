//! Rebuilds the event of a record, and lists its missing parts.

use std::borrow::Cow;

use tenter_audit::Record;
use tenter_audit::record::{Change, Deed, Kept};
use tenter_model::RecordLevel;
use tenter_model::{
    Action, Agent, Body, Edit, Event, EventKind, HostId, Json, McpIdentity, Object, StopInfo, Text,
    Tool, ToolCall, ToolFailure, ToolResult,
};
use tenter_policy::scene::PassageKind;

use super::marks::{mark, unmarked};

/// Why part of an event is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// Dropped by the record level.
    LeftOut,
    /// Truncated.
    Cut,
    /// Redacted.
    Redacted,
    /// It was in a file whose content may have changed.
    Then,
}

/// A missing or incomplete text.
#[derive(Clone, Debug)]
pub(super) struct Hidden<'r> {
    pub(super) kind: PassageKind,
    pub(super) path: Option<&'r str>,
    pub(super) why: Why,
}

/// An event as far as a record contains it.
#[derive(Debug)]
pub(super) struct Rebuilt<'r> {
    pub(super) event: Event<'r>,
    pub(super) hidden: Vec<Hidden<'r>>,
    /// A missing part without which the call cannot be judged at all.
    pub(super) blank: Option<(&'static str, Why)>,
}

/// The event of a record; `None` if its host is unknown.
pub(super) fn rebuild<'r>(record: &'r Record<'_>) -> Option<Rebuilt<'r>> {
    let host: HostId = record.host.parse().ok()?;
    let mut builder = Builder { record, hidden: Vec::new(), blank: None };
    let body = builder.body();
    let text = |text: &'r Option<Cow<'_, str>>| text.as_deref().map(Cow::Borrowed);
    let event = Event {
        host,
        host_version: text(&record.host_version),
        native_event: Cow::Borrowed(&record.native_event),
        surface: None,
        session_id: text(&record.session_id),
        turn_id: text(&record.turn_id),
        call_id: text(&record.call_id),
        agent: Agent {
            id: text(&record.agent.id),
            kind: text(&record.agent.kind),
            parent: text(&record.agent.parent),
        },
        cwd: text(&record.cwd),
        workspace_roots: record.workspace_roots.iter().map(|it| Cow::Borrowed(&**it)).collect(),
        model: text(&record.model),
        transcript_path: text(&record.transcript_path),
        permission_mode: text(&record.permission_mode),
        user: None,
        usage: None,
        body,
        native: "{}",
        notes: Vec::new(),
    };
    Some(Rebuilt { event, hidden: builder.hidden, blank: builder.blank })
}

struct Builder<'r, 'a> {
    record: &'r Record<'a>,
    hidden: Vec<Hidden<'r>>,
    blank: Option<(&'static str, Why)>,
}

impl<'r> Builder<'r, '_> {
    fn body(&mut self) -> Body<'r> {
        let record = self.record;
        let detail = || record.detail.as_deref().map(Cow::Borrowed);
        let kind = EventKind::ALL.into_iter().find(|kind| kind.as_str() == record.event);
        match kind.unwrap_or(EventKind::Other) {
            EventKind::SessionStart => Body::SessionStart { source: detail() },
            EventKind::SessionEnd => Body::SessionEnd { reason: detail(), duration_ms: None },
            EventKind::UserPromptSubmit => Body::UserPromptSubmit {
                prompt: self.text(PassageKind::Prompt, record.prompt.as_ref()),
                attachments: Vec::new(),
            },
            EventKind::PreToolUse => Body::PreToolUse(self.call(true)),
            EventKind::PermissionRequest => Body::PermissionRequest(self.call(true)),
            EventKind::PostToolUse => {
                let call = self.call(false);
                let response = self.json(PassageKind::Output, record.output.as_ref());
                Body::PostToolUse(ToolResult { call, response, exit_code: None, duration_ms: None })
            }
            EventKind::PostToolUseFailure => {
                let call = self.call(false);
                let error =
                    record.error.as_ref().map(|it| self.text(PassageKind::Output, Some(it)));
                Body::PostToolUseFailure(ToolFailure {
                    call,
                    error,
                    failure_type: detail(),
                    is_interrupt: None,
                    duration_ms: None,
                })
            }
            EventKind::SubagentStart => Body::SubagentStart {
                task: record.text.as_ref().map(|it| self.text(PassageKind::Task, Some(it))),
            },
            EventKind::SubagentStop => Body::SubagentStop(self.stop()),
            EventKind::Stop => Body::Stop(self.stop()),
            EventKind::PreCompact => Body::PreCompact { trigger: detail() },
            EventKind::PostCompact => Body::PostCompact { trigger: detail(), summary: None },
            // No guard examines agent responses.
            EventKind::AgentResponse => Body::AgentResponse { text: "".into() },
            EventKind::AgentThought => Body::AgentThought { text: "".into(), duration_ms: None },
            EventKind::Notification => Body::Notification { message: None, kind: detail() },
            EventKind::WorkspaceOpen => Body::WorkspaceOpen,
            EventKind::Other => Body::Other,
        }
    }

    fn stop(&self) -> StopInfo<'r> {
        let status = self.record.detail.as_deref().map(Cow::Borrowed);
        StopInfo { status, ..StopInfo::default() }
    }

    fn hide(&mut self, kind: PassageKind, path: Option<&'r str>, why: Why) {
        self.hidden.push(Hidden { kind, path, why });
    }

    fn missing(&mut self, what: &'static str, why: Why) {
        self.blank.get_or_insert((what, why));
    }

    /// A text of the event as far as recorded.
    fn text(&mut self, kind: PassageKind, kept: Option<&'r Kept<'_>>) -> Text<'r> {
        self.text_of(kind, None, kept)
    }

    fn text_of(
        &mut self,
        kind: PassageKind,
        path: Option<&'r str>,
        kept: Option<&'r Kept<'_>>,
    ) -> Text<'r> {
        let Some(kept) = kept else {
            return Text::from("");
        };
        let text = kept.text().unwrap_or_default();
        match kept {
            Kept::Part { text: None, bytes: 0 } | Kept::Whole(_) => {}
            Kept::Part { text: None, .. } => self.hide(kind, path, Why::LeftOut),
            Kept::Part { .. } => self.hide(kind, path, Why::Cut),
        }
        if mark(text).is_none() {
            return Text::from(text);
        }
        self.hide(kind, path, Why::Redacted);
        Text::from(unmarked(text))
    }

    fn json(&mut self, kind: PassageKind, kept: Option<&'r Kept<'_>>) -> Option<Json<'r>> {
        let text = self.text(kind, Some(kept?)).into_cow();
        if text.is_empty() {
            return None;
        }
        // Truncated or redacted JSON may be invalid; its words are still useful.
        serde_json::from_str(&text).ok().map(Json::Owned).or_else(|| Json::from_text(&text))
    }

    fn call(&mut self, before: bool) -> ToolCall<'r> {
        let record = self.record;
        let mut call = ToolCall::new(tool(record.tool.as_deref().unwrap_or_default()));
        call.native_tool = record.native_tool.as_deref().map(Cow::Borrowed);
        for deed in &record.actions {
            let action = self.action(deed, &mut call, before);
            call.actions.extend(action);
        }
        if record.more_actions > 0 {
            self.missing("files of the call", Why::Cut);
        }
        call
    }

    /// A file action cannot be judged without its path.
    fn path(&mut self, path: Option<&'r Cow<'_, str>>) -> Option<&'r str> {
        if path.is_none() {
            self.missing("path", Why::LeftOut);
        }
        path.map(AsRef::as_ref)
    }

    fn action(
        &mut self,
        deed: &'r Deed<'_>,
        call: &mut ToolCall<'r>,
        before: bool,
    ) -> Option<Action<'r>> {
        Some(match deed {
            Deed::Shell { command, cwd } => {
                let cwd = cwd.as_deref().map(Cow::Borrowed);
                Action::Shell { command: self.command(command), cwd }
            }
            Deed::Read { path, content } => {
                let path = self.path(path.as_ref())?;
                let content = content.as_ref();
                if content.is_none() && before {
                    self.hide(PassageKind::Read, Some(path), Why::Then);
                }
                let content =
                    content.map(|it| self.text_of(PassageKind::Read, Some(path), Some(it)));
                Action::Read { path: path.into(), content }
            }
            Deed::Write { path, content } => {
                let path = self.path(path.as_ref())?;
                let content = self.written(path, content, before);
                Action::Write { path: path.into(), content }
            }
            Deed::Edit { path, edits, more, moved_to } => {
                let path = self.path(path.as_ref())?;
                if *more > 0 && before {
                    self.hide(PassageKind::Written, Some(path), Why::Cut);
                }
                let edits = edits.iter().map(|it| self.edit(path, it, before)).collect();
                let moved_to = moved_to.as_deref().map(Cow::Borrowed);
                Action::Edit { path: path.into(), edits, moved_to }
            }
            Deed::Delete { path } => Action::Delete { path: self.path(path.as_ref())?.into() },
            Deed::Search { path, .. } => {
                // The lowest level does not tell whether there was a path.
                if self.record.level == RecordLevel::Minimal {
                    self.missing("path", Why::LeftOut);
                }
                Action::Search { pattern: None, path: path.as_deref().map(Cow::Borrowed) }
            }
            Deed::Fetch { url } => match url {
                Kept::Whole(_) => Action::Fetch { url: self.text(PassageKind::Url, Some(url)) },
                Kept::Part { .. } => {
                    self.missing("URL", why(url));
                    return None;
                }
            },
            Deed::Mcp { input, .. } => {
                self.input(input.as_ref(), call, before);
                Action::Mcp(self.mcp(deed)?)
            }
            Deed::Task { agent_type, prompt } => Action::Task {
                agent_type: agent_type.as_deref().map(Cow::Borrowed),
                prompt: prompt.as_ref().map(|it| self.text(PassageKind::Task, Some(it))),
            },
            Deed::Other { name, input } => {
                self.input(input.as_ref(), call, before);
                Action::Other { name: Cow::Borrowed(name) }
            }
        })
    }

    fn command(&mut self, command: &'r Kept<'_>) -> Text<'r> {
        let Kept::Whole(text) = command else {
            self.missing("command", why(command));
            return Text::from("");
        };
        if mark(text).is_none() {
            return Text::from(&**text);
        }
        self.hide(PassageKind::Command, None, Why::Redacted);
        Text::from(unmarked(text))
    }

    fn written(&mut self, path: &'r str, kept: &'r Kept<'_>, before: bool) -> Text<'r> {
        if before { self.text_of(PassageKind::Written, Some(path), Some(kept)) } else { "".into() }
    }

    fn edit(&mut self, path: &'r str, change: &'r Change<'_>, before: bool) -> Edit<'r> {
        let new = self.written(path, &change.new, before);
        // No guard examines replaced text.
        Edit { old: "".into(), new, replace_all: change.all }
    }

    fn mcp(&mut self, deed: &'r Deed<'_>) -> Option<McpIdentity<'r>> {
        let Deed::Mcp { server, tool, command, url, .. } = deed else {
            return None;
        };
        let Some(tool) = tool.as_deref() else {
            self.missing("MCP tool", Why::LeftOut);
            return None;
        };
        let native = self.record.native_tool.as_deref().and_then(McpIdentity::from_tool_name);
        Some(McpIdentity {
            server: server.as_deref().map(Cow::Borrowed),
            tool: tool.into(),
            plugin: native.and_then(|native| native.plugin),
            url: url.as_deref().map(Cow::Borrowed),
            command: command.as_deref().map(Cow::Borrowed),
        })
    }

    /// The input of a tool without known actions.
    fn input(&mut self, kept: Option<&'r Kept<'_>>, call: &mut ToolCall<'r>, before: bool) {
        let Some(kept) = kept.filter(|_| before) else { return };
        let text = self.text(PassageKind::Input, Some(kept)).into_cow();
        if let Ok(object) = Object::parse(&text) {
            let owned = |key: &str| Cow::Owned(key.to_owned());
            let entries = object.entries().iter();
            let entries = entries.map(|(key, raw)| (owned(key), Json::Owned((*raw).to_owned())));
            call.input = entries.collect();
        } else if let Some(words) = Json::from_text(&text).filter(|_| !text.is_empty()) {
            call.input.push((Cow::Borrowed("input"), words));
        }
    }
}

fn why(kept: &Kept<'_>) -> Why {
    if kept.text().is_some() { Why::Cut } else { Why::LeftOut }
}

fn tool(name: &str) -> Tool<'_> {
    match name {
        "Bash" => Tool::Bash,
        "Read" => Tool::Read,
        "Write" => Tool::Write,
        "Edit" => Tool::Edit,
        "Delete" => Tool::Delete,
        "Search" => Tool::Search,
        "Fetch" => Tool::Fetch,
        "MCP" => Tool::Mcp,
        "Task" => Tool::Task,
        native => Tool::Native(Cow::Borrowed(native)),
    }
}
