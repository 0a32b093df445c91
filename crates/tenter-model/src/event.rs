//! The unified event: one thing that happened in an agent's loop.

use std::borrow::Cow;
use std::fmt;

use serde_json::Number;

use crate::fingerprint::Fingerprint;
use crate::host::HostId;
use crate::input::ToolCall;
use crate::json::{Json, Text};

/// One hook call in the unified vocabulary. Borrowed from the host's payload.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    pub host: HostId,
    pub host_version: Option<Cow<'a, str>>,
    /// The host's own name for this event, as sent; empty if it sent none.
    pub native_event: Cow<'a, str>,
    pub surface: Option<Surface>,
    pub session_id: Option<Cow<'a, str>>,
    pub turn_id: Option<Cow<'a, str>>,
    pub call_id: Option<Cow<'a, str>>,
    pub agent: Agent<'a>,
    pub cwd: Option<Cow<'a, str>>,
    pub workspace_roots: Vec<Cow<'a, str>>,
    pub model: Option<Cow<'a, str>>,
    pub transcript_path: Option<Cow<'a, str>>,
    pub permission_mode: Option<Cow<'a, str>>,
    /// The user's email address. For the record only: handlers do not get it.
    pub user: Option<Cow<'a, str>>,
    /// Token usage of the turn, where the host counts it. For the record only.
    pub usage: Option<Usage>,
    pub body: Body<'a>,
    /// The payload exactly as the host sent it.
    pub native: &'a str,
    /// Fields that decoding could not use.
    pub notes: Vec<Note>,
}

impl<'a> Event<'a> {
    pub fn kind(&self) -> EventKind {
        self.body.kind()
    }

    /// The tool call this event is about, for the four tool events.
    pub fn tool_call(&self) -> Option<&ToolCall<'a>> {
        match &self.body {
            Body::PreToolUse(call) | Body::PermissionRequest(call) => Some(call),
            Body::PostToolUse(result) => Some(&result.call),
            Body::PostToolUseFailure(failure) => Some(&failure.call),
            _ => None,
        }
    }

    /// A fingerprint that is equal for two events about the same tool call.
    ///
    /// Cursor fires `preToolUse` and `beforeShellExecution` for the same command; both have the same
    /// fingerprint. Computed on demand: it hashes the input.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        Fingerprint::of(self)
    }
}

/// Token usage of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Including tokens read from and written to the cache.
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

/// Where the agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    Ide,
    Cli,
    Headless,
    Cloud,
    Tab,
}

impl Surface {
    pub const ALL: [Surface; 5] =
        [Surface::Ide, Surface::Cli, Surface::Headless, Surface::Cloud, Surface::Tab];

    pub const fn as_str(self) -> &'static str {
        match self {
            Surface::Ide => "ide",
            Surface::Cli => "cli",
            Surface::Headless => "headless",
            Surface::Cloud => "cloud",
            Surface::Tab => "tab",
        }
    }
}

/// The acting agent: empty for the main one on hosts that do not name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent<'a> {
    pub id: Option<Cow<'a, str>>,
    pub kind: Option<Cow<'a, str>>,
    pub parent: Option<Cow<'a, str>>,
}

/// A remark about payload content that decoding could not use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub field: Cow<'static, str>,
    pub problem: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.problem)
    }
}

/// The part of an event that depends on its kind.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    SessionStart {
        source: Option<Cow<'a, str>>,
    },
    SessionEnd {
        reason: Option<Cow<'a, str>>,
        duration_ms: Option<Number>,
    },
    UserPromptSubmit {
        prompt: Text<'a>,
        attachments: Vec<Attachment<'a>>,
    },
    PreToolUse(ToolCall<'a>),
    PermissionRequest(ToolCall<'a>),
    PostToolUse(ToolResult<'a>),
    PostToolUseFailure(ToolFailure<'a>),
    SubagentStart {
        task: Option<Text<'a>>,
    },
    SubagentStop(StopInfo<'a>),
    PreCompact {
        trigger: Option<Cow<'a, str>>,
    },
    PostCompact {
        trigger: Option<Cow<'a, str>>,
        summary: Option<Text<'a>>,
    },
    AgentResponse {
        text: Text<'a>,
    },
    AgentThought {
        text: Text<'a>,
        duration_ms: Option<Number>,
    },
    Stop(StopInfo<'a>),
    Notification {
        message: Option<Text<'a>>,
        kind: Option<Cow<'a, str>>,
    },
    WorkspaceOpen,
    /// An event without a unified form; see `native_event` and the payload.
    Other,
}

/// A finished tool call.
#[derive(Clone, Debug)]
pub struct ToolResult<'a> {
    pub call: ToolCall<'a>,
    pub response: Option<Json<'a>>,
    pub exit_code: Option<Number>,
    pub duration_ms: Option<Number>,
}

/// A tool call that failed, timed out or was denied.
#[derive(Clone, Debug)]
pub struct ToolFailure<'a> {
    pub call: ToolCall<'a>,
    pub error: Option<Text<'a>>,
    pub failure_type: Option<Cow<'a, str>>,
    pub is_interrupt: Option<bool>,
    pub duration_ms: Option<Number>,
}

/// The end of an agent's or a subagent's turn.
#[derive(Clone, Debug, Default)]
pub struct StopInfo<'a> {
    /// `completed`, `aborted` or `error` on hosts that say; others only report completed stops.
    pub status: Option<Cow<'a, str>>,
    /// Number of times a hook has already made the agent go on.
    pub loop_count: Option<Number>,
    /// True when the agent runs because a hook made it go on.
    pub stop_hook_active: Option<bool>,
    pub last_assistant_message: Option<Text<'a>>,
    /// Task given to a subagent.
    pub task: Option<Text<'a>>,
    /// How long a subagent ran, where the host says.
    pub duration_ms: Option<Number>,
}

/// A file or rule attached to a prompt or a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub file_path: Cow<'a, str>,
}

/// The kinds of unified events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    PreCompact,
    PostCompact,
    AgentResponse,
    AgentThought,
    Stop,
    Notification,
    WorkspaceOpen,
    Other,
}

impl EventKind {
    pub const ALL: [EventKind; 17] = [
        EventKind::SessionStart,
        EventKind::SessionEnd,
        EventKind::UserPromptSubmit,
        EventKind::PreToolUse,
        EventKind::PermissionRequest,
        EventKind::PostToolUse,
        EventKind::PostToolUseFailure,
        EventKind::SubagentStart,
        EventKind::SubagentStop,
        EventKind::PreCompact,
        EventKind::PostCompact,
        EventKind::AgentResponse,
        EventKind::AgentThought,
        EventKind::Stop,
        EventKind::Notification,
        EventKind::WorkspaceOpen,
        EventKind::Other,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            EventKind::SessionStart => "SessionStart",
            EventKind::SessionEnd => "SessionEnd",
            EventKind::UserPromptSubmit => "UserPromptSubmit",
            EventKind::PreToolUse => "PreToolUse",
            EventKind::PermissionRequest => "PermissionRequest",
            EventKind::PostToolUse => "PostToolUse",
            EventKind::PostToolUseFailure => "PostToolUseFailure",
            EventKind::SubagentStart => "SubagentStart",
            EventKind::SubagentStop => "SubagentStop",
            EventKind::PreCompact => "PreCompact",
            EventKind::PostCompact => "PostCompact",
            EventKind::AgentResponse => "AgentResponse",
            EventKind::AgentThought => "AgentThought",
            EventKind::Stop => "Stop",
            EventKind::Notification => "Notification",
            EventKind::WorkspaceOpen => "WorkspaceOpen",
            EventKind::Other => "Other",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Body<'_> {
    pub fn kind(&self) -> EventKind {
        match self {
            Body::SessionStart { .. } => EventKind::SessionStart,
            Body::SessionEnd { .. } => EventKind::SessionEnd,
            Body::UserPromptSubmit { .. } => EventKind::UserPromptSubmit,
            Body::PreToolUse(_) => EventKind::PreToolUse,
            Body::PermissionRequest(_) => EventKind::PermissionRequest,
            Body::PostToolUse(_) => EventKind::PostToolUse,
            Body::PostToolUseFailure(_) => EventKind::PostToolUseFailure,
            Body::SubagentStart { .. } => EventKind::SubagentStart,
            Body::SubagentStop(_) => EventKind::SubagentStop,
            Body::PreCompact { .. } => EventKind::PreCompact,
            Body::PostCompact { .. } => EventKind::PostCompact,
            Body::AgentResponse { .. } => EventKind::AgentResponse,
            Body::AgentThought { .. } => EventKind::AgentThought,
            Body::Stop(_) => EventKind::Stop,
            Body::Notification { .. } => EventKind::Notification,
            Body::WorkspaceOpen => EventKind::WorkspaceOpen,
            Body::Other => EventKind::Other,
        }
    }
}
