//! Shared vocabulary of the workspace: events, actions, verdicts.
//!
//! Nothing here knows a host, a policy or does IO. Text from a host is borrowed from its payload and decoded
//! on demand, so that a hook call costs little more than reading its input.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod action;
mod event;
mod fingerprint;
pub mod hash;
mod host;
mod input;
pub mod json;
pub mod leaves;
mod mode;
pub mod pattern;
pub mod schema;
pub mod text;
pub mod time;
mod verdict;
mod wire;

pub use action::{Action, Edit, FileOp, FileTouch, McpIdentity, Tool};
pub use event::{
    Agent, Attachment, Body, Event, EventKind, Note, StopInfo, Surface, ToolFailure, ToolResult,
    Usage,
};
pub use fingerprint::Fingerprint;
pub use host::{HostId, UnknownHost};
pub use input::{InputError, ToolCall};
pub use json::{Json, Object, Text};
pub use mode::{EmailMode, FailMode, RecordLevel};
pub use verdict::{
    Decision, Enforcement, Field, Loss, LossKind, ModifiedInput, Verdict, VerdictError,
};
