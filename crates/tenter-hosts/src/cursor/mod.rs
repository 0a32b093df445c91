//! Cursor (editor, CLI, Tab and cloud agents): its table of events.

pub mod answer;
mod decode;
mod encode;
mod event;
mod install;
mod lint;
mod sessions;
mod takeover;
mod trial;
mod version;

pub use event::{AnswerField, Class, CursorEvent, Spec, Subject, UnknownEvent, nearest};
pub use trial::{sample, tool_input};
pub use version::Version;

/// Version in the sample payloads we build.
pub const NEWEST: &str = "3.21.16";

use tenter_model::{Decision, Enforcement, Event, EventKind, HostId, Object};

use crate::capability::{Cap, Confidence, EventSpec, InputWith};
use crate::detect::Signal;
use crate::encode::{AskFallback, AskOption, Draft};
use crate::host::{Exits, Host, Profile};
use crate::trial::{Output, Reply};

pub(crate) const CURSOR: Cursor = Cursor;

/// The Cursor host.
#[derive(Clone, Copy, Debug)]
pub struct Cursor;

impl Host for Cursor {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn conclude(&self, event: &str, output: &Output<'_>) -> Reply {
        trial::conclude(event, output)
    }

    fn decode<'a>(&self, object: &Object<'a>) -> Event<'a> {
        decode::decode(object)
    }

    fn adjust(&self, draft: &mut Draft<'_>, on_ask: AskFallback) {
        encode::adjust(draft, on_ask);
    }

    /// Also accepts the event's name in Claude's settings.
    fn spec(&self, native_event: &str) -> &'static EventSpec {
        let name = if native_event == "UserPromptSubmit" { PROMPT.native } else { native_event };
        let mut events = EVENTS.iter();
        events.find(|spec| spec.native.eq_ignore_ascii_case(name)).unwrap_or(&EventSpec::UNKNOWN)
    }
}

const PROFILE: Profile = Profile {
    empty_answer: "{}",
    // On a permission event anything else would block; other events ignore it.
    unnamed_answer: r#"{"permission":"allow"}"#,
    exits: Exits {
        zero: "shown in the Hooks log",
        one: "failed hook, the action goes on",
        two: "block; the reason if there is no JSON",
    },
    lint: &lint::LINT,
    trial: &trial::TRIAL,
    sessions: &sessions::SESSIONS,
    ask: Some(AskOption {
        name: "cursor-ask",
        help: "What becomes of an `ask` that Cursor would swallow",
        values: "deny|ask|allow",
        default: AskFallback::Deny,
    }),
    takeover: Some(&takeover::TAKEOVER),
    ..Profile::new(HostId::Cursor, EVENTS, SIGNALS, &install::INSTALL)
};

const SIGNALS: &[Signal] = &[
    Signal {
        weight: 20,
        what: "`cursor_version` is a string",
        test: |o| o.str("cursor_version").is_some(),
    },
    Signal {
        weight: 5,
        what: "`conversation_id` and `generation_id` are strings",
        test: |o| o.str("conversation_id").is_some() && o.str("generation_id").is_some(),
    },
    Signal {
        weight: 4,
        what: "`hook_event_name` is one of Cursor's (camelCase)",
        test: |o| {
            o.str("hook_event_name").is_some_and(|name| EVENTS.iter().any(|e| e.native == name))
        },
    },
    Signal {
        weight: 2,
        what: "`workspace_roots` is a list",
        test: |o| o.array("workspace_roots").is_some(),
    },
];

const DENY: &[Decision] = &[Decision::Deny];
const NO_REWRITE: Cap =
    Cap::nowhere("this event cannot change the input", "wire preToolUse and return it there");
const NO_CONTEXT: Cap =
    Cap::nowhere("this event cannot add context", "return it at SessionStart or PostToolUse");

const OBSERVER: EventSpec = EventSpec::observer(
    "Cursor ignores the answer to this event",
    "decide before the fact, or add context at PostToolUse",
);

/// Events that wait for a permission. Cursor's allow means "no objection": its own allow list still asks. An
/// answer without `permission` is off-schema and blocks, so it is always present.
const PERMISSION: EventSpec = EventSpec {
    base: Some(("permission", "\"allow\"")),
    allow: Cap::set("permission", "\"allow\"", Enforcement::None),
    deny: Cap::set("permission", "\"deny\"", Enforcement::Hard),
    ask: Cap::set("permission", "\"ask\"", Enforcement::Prompt)
        .known(Confidence::Community)
        .limited("prompt below 2.4.21, else becomes deny"),
    reason: Cap::text("agent_message"),
    user_message: Cap::text("user_message"),
    modified_input: NO_REWRITE,
    additional_context: NO_CONTEXT,
    gate: true,
    kind: EventKind::PreToolUse,
    native: "",
    since: "",
    note: "an ask that becomes a deny says that approval is needed (--cursor-ask)",
};

/// Reading a file is allowed or denied, with one text: a message to the human about a denial.
const READ: EventSpec = EventSpec {
    ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "this event cannot ask"),
    reason: Cap::instead("user_message", DENY, "shown to the human: the model is not told here")
        .or("wire preToolUse with matcher Read, which tells the model"),
    user_message: Cap::text_when("user_message", DENY),
    note: "",
    ..PERMISSION
};

/// Cursor's Tab takes a permission and nothing else.
const TAB_READ: EventSpec = EventSpec { reason: NO_TEXT, user_message: NO_TEXT, ..READ };
const NO_TEXT: Cap = Cap::nowhere("this event takes a permission and nothing else", "");

const SUBAGENT_START: EventSpec = EventSpec {
    ask: Cap::turned_into(
        Decision::Deny,
        Enforcement::Hard,
        "Cursor treats ask as a deny when a subagent starts",
    ),
    reason: Cap::instead("user_message", DENY, "shown to the human: the model is not told here"),
    modified_input: Cap::nowhere(
        "this event cannot change the input",
        "wire preToolUse with matcher Task",
    ),
    kind: EventKind::SubagentStart,
    note: "",
    ..PERMISSION
};

const PROMPT: EventSpec = EventSpec {
    base: Some(("continue", "true")),
    allow: Cap::set("continue", "true", Enforcement::None),
    deny: Cap::set("continue", "false", Enforcement::Hard),
    ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "this event cannot ask"),
    reason: Cap::instead("user_message", DENY, "shown to the human: the model is not told here"),
    user_message: Cap::text("user_message"),
    modified_input: Cap::nowhere("a prompt cannot be rewritten", ""),
    additional_context: Cap::nowhere(
        "Cursor cannot add context to a prompt",
        "return it at SessionStart",
    ),
    gate: true,
    kind: EventKind::UserPromptSubmit,
    native: "beforeSubmitPrompt",
    since: "",
    note: "not seen in the command line client's print mode",
};

const SESSION_START: EventSpec = EventSpec {
    reason: Cap::text("additional_context").because("told to the model as context", ""),
    additional_context: Cap::text("additional_context"),
    note: "Cursor does not wait for the answer; before about 2026-04 it discarded the context",
    ..EventSpec::observer("this event takes context and nothing else", "")
        .named("sessionStart", EventKind::SessionStart)
};

/// After the call a deny can only inform the model, through the one field there is.
const AFTER_TOOL: EventSpec = EventSpec {
    allow: Cap::nowhere("the tool has already run", ""),
    deny: Cap::carried(Enforcement::Advisory)
        .because("the tool has already run; the model is told the reason", "deny at PreToolUse"),
    ask: Cap::turned_into(Decision::Deny, Enforcement::Advisory, "the tool has already run"),
    reason: Cap::text_when("additional_context", DENY).because("told to the model as context", ""),
    user_message: Cap::nowhere("this event cannot tell the human", "add it at PreToolUse"),
    modified_input: Cap::nowhere("the tool has already run", "return it at PreToolUse"),
    additional_context: Cap::text("additional_context"),
    note: "before about 2026-04 the context did not reach the model",
    ..OBSERVER
};

const STOP: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: Cap::carried(Enforcement::Hard),
    ask: Cap::nowhere("there is nobody to ask when the agent stops", ""),
    reason: Cap::text_when("followup_message", DENY),
    user_message: Cap::nowhere("this event cannot tell the human", ""),
    modified_input: Cap::nowhere("there is no tool call to change", ""),
    additional_context: Cap::text_when("followup_message", DENY)
        .because("joined to the follow-up message", ""),
    note: "a deny makes the agent go on with the reason, at most `loop_limit` times (5 by default)",
    ..OBSERVER
};

const EVENTS: &[EventSpec] = &[
    SESSION_START,
    OBSERVER.named("sessionEnd", EventKind::SessionEnd),
    PROMPT,
    EventSpec {
        ask: Cap::set("permission", "\"ask\"", Enforcement::Hard)
            .limited("not enforced, becomes deny"),
        modified_input: Cap::input("updated_input", InputWith::AllowAdded),
        since: "2.4",
        ..PERMISSION.named("preToolUse", EventKind::PreToolUse)
    },
    EventSpec { since: "2.4", ..AFTER_TOOL.named("postToolUse", EventKind::PostToolUse) },
    EventSpec {
        additional_context: Cap::text("additional_context").known(Confidence::Community),
        ..AFTER_TOOL.named("postToolUseFailure", EventKind::PostToolUseFailure)
    },
    PERMISSION.named("beforeShellExecution", EventKind::PreToolUse),
    OBSERVER.named("afterShellExecution", EventKind::PostToolUse),
    PERMISSION.named("beforeMCPExecution", EventKind::PreToolUse),
    OBSERVER.named("afterMCPExecution", EventKind::PostToolUse),
    READ.named("beforeReadFile", EventKind::PreToolUse),
    OBSERVER.named("afterFileEdit", EventKind::PostToolUse),
    TAB_READ.named("beforeTabFileRead", EventKind::PreToolUse),
    OBSERVER.named("afterTabFileEdit", EventKind::PostToolUse),
    SUBAGENT_START.named("subagentStart", EventKind::SubagentStart),
    EventSpec {
        note: "a deny makes the subagent go on with the reason; only when the status is `completed`, \
               and at most `loop_limit` times (5 by default)",
        ..STOP.named("subagentStop", EventKind::SubagentStop)
    },
    EventSpec {
        user_message: Cap::text("user_message"),
        ..OBSERVER.named("preCompact", EventKind::PreCompact)
    },
    STOP.named("stop", EventKind::Stop),
    OBSERVER.named("afterAgentResponse", EventKind::AgentResponse),
    OBSERVER.named("afterAgentThought", EventKind::AgentThought),
    OBSERVER.named("workspaceOpen", EventKind::WorkspaceOpen),
];
