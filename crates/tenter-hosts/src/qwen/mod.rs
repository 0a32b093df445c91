//! Qwen Code: its table of events. A fork of Gemini CLI that speaks Claude Code's dialect.
//!
//! Like Gemini CLI it reads stderr where stdout is empty, so every answer here is one JSON object. Unlike it, exit
//! code 2 counts whatever stdout holds.

mod answer;
mod decode;
mod install;
mod lint;
mod sessions;
mod trial;

use tenter_model::{Decision, Enforcement, Event, EventKind, HostId, Object};

use crate::capability::{Cap, Confidence, EventSpec, InputWith};
use crate::detect::Signal;
use crate::host::{Exits, Host, Profile};
use crate::trial::{Output, Reply};

/// The Qwen Code host.
#[derive(Clone, Copy, Debug)]
pub struct Qwen;

impl Host for Qwen {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn conclude(&self, event: &str, output: &Output<'_>) -> Reply {
        answer::conclude(event, output)
    }

    fn decode<'a>(&self, object: &Object<'a>) -> Event<'a> {
        decode::decode(object)
    }
}

const PROFILE: Profile = Profile {
    // An empty stdout would make diagnostics on stderr the answer.
    empty_answer: "{}",
    unnamed_answer: "{}",
    exits: Exits {
        zero: "ignored, or shown to the user if stdout is empty",
        one: "shown to the user as a warning, the action goes on (R)",
        two: "block; stderr is the reason, and without it the action goes on (R)",
    },
    recorded: "Qwen Code 0.15.10 and 0.24.4 (2026-11-15 and 2026-11-19)",
    lint: &lint::LINT,
    trial: &trial::TRIAL,
    sessions: &sessions::SESSIONS,
    ..Profile::new(HostId::Qwen, EVENTS, SIGNALS, &install::INSTALL)
};

const SIGNALS: &[Signal] = &[
    Signal {
        weight: 10,
        what: "`transcript_path` lies in a `.qwen` directory",
        test: |o| {
            let path = o.str("transcript_path").unwrap_or_default().replace('\\', "/");
            path.contains("/.qwen/")
        },
    },
    Signal {
        weight: 8,
        what: "`timestamp` and `permission_mode` on one of Qwen Code's events",
        test: |o| {
            o.str("timestamp").is_some()
                && o.str("permission_mode").is_some()
                && o.str("hook_event_name")
                    .is_some_and(|name| EVENTS.iter().any(|e| e.native == name))
        },
    },
    Signal {
        weight: 6,
        what: "`prompt_id` holds `########`",
        test: |o| o.str("prompt_id").is_some_and(|id| id.contains("########")),
    },
    Signal {
        weight: 4,
        what: "`permission_mode` is `yolo` or `auto_edit`",
        test: |o| {
            let mode = o.str("permission_mode").unwrap_or_default();
            ["yolo", "auto_edit"].contains(&mode.as_ref())
        },
    },
];

const DENY: &[Decision] = &[Decision::Deny];
const TOLD: &[Decision] = &[Decision::Deny, Decision::Ask];
const NO_CALL: Cap = Cap::nowhere("there is no tool call to change", "return it at PreToolUse");
const NO_CONTEXT: Cap =
    Cap::nowhere("this event cannot add context", "return it at UserPromptSubmit or PostToolUse");
const SYSTEM_MESSAGE: Cap = Cap::text("systemMessage");
const CONTEXT: Cap = Cap::text("hookSpecificOutput.additionalContext");
const BLOCK: Cap = Cap::set("decision", "\"block\"", Enforcement::Hard);

const OBSERVER: EventSpec = EventSpec::observer("Qwen Code ignores the answer to this event", "");

const PRE_TOOL_USE: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: Cap::set("hookSpecificOutput.permissionDecision", "\"deny\"", Enforcement::Hard)
        .known(Confidence::Recorded),
    ask: Cap::set("hookSpecificOutput.permissionDecision", "\"ask\"", Enforcement::Prompt)
        .known(Confidence::Recorded),
    reason: Cap::text_when("hookSpecificOutput.permissionDecisionReason", TOLD)
        .known(Confidence::Recorded),
    user_message: SYSTEM_MESSAGE,
    modified_input: Cap::nowhere("Qwen Code runs the original input", "deny, and say what to run")
        .known(Confidence::Recorded),
    additional_context: Cap::nowhere(
        "the model does not see context from here",
        "return it at UserPromptSubmit or PostToolUse",
    )
    .known(Confidence::Recorded),
    gate: true,
    note: "an allow grants nothing: Qwen Code's own approval decides; an ask without a terminal (`qwen -p`) \
           is a denial with the reason, also in mode `yolo` (recorded)",
    ..OBSERVER.named("PreToolUse", EventKind::PreToolUse)
};

const PERMISSION_REQUEST: EventSpec = EventSpec {
    allow: Cap::set("hookSpecificOutput.decision.behavior", "\"allow\"", Enforcement::Hard),
    deny: Cap::set("hookSpecificOutput.decision.behavior", "\"deny\"", Enforcement::Hard),
    ask: Cap::silence(Enforcement::Prompt),
    reason: Cap::text_when("hookSpecificOutput.decision.message", DENY),
    user_message: SYSTEM_MESSAGE,
    modified_input: Cap::input("hookSpecificOutput.decision.updatedInput", InputWith::AllowGiven),
    additional_context: NO_CONTEXT,
    gate: true,
    note: "an empty object leaves the question to the user, so an ask says nothing",
    ..OBSERVER.named("PermissionRequest", EventKind::PermissionRequest)
};

/// `decision: "block"` at the top level, with the reason beside it.
const BLOCKABLE: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: BLOCK,
    ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "this event cannot ask"),
    reason: Cap::text_when("reason", DENY),
    user_message: SYSTEM_MESSAGE,
    modified_input: NO_CALL,
    additional_context: CONTEXT,
    ..OBSERVER
};

const STOP: EventSpec = EventSpec {
    ask: Cap::nowhere("there is nobody to ask when the agent stops", ""),
    additional_context: Cap::nowhere("Qwen Code ignores context here", "put it into `reason`")
        .known(Confidence::Recorded),
    note: "a deny makes the agent go on with the reason, 8 times in a row at most \
           (`QWEN_CODE_STOP_HOOK_BLOCK_CAP`)",
    ..BLOCKABLE
};

const CONTEXT_ONLY: EventSpec = EventSpec {
    reason: CONTEXT.because("told to the model as context", ""),
    additional_context: CONTEXT,
    user_message: SYSTEM_MESSAGE,
    modified_input: NO_CALL,
    ..EventSpec::observer("this event cannot stop anything", "")
};

/// Recorded: the model sees context, and neither a decision nor its reason.
const AFTER_TOOL: EventSpec = EventSpec {
    allow: Cap::nowhere("the tool has already run", ""),
    deny: Cap::nowhere("the tool has already run, and the model does not see a denial", "")
        .known(Confidence::Recorded),
    ask: Cap::nowhere("the tool has already run", ""),
    reason: CONTEXT.because("told to the model as context", ""),
    modified_input: Cap::nowhere("the tool has already run", "return it at PreToolUse"),
    note: "the tool has already run: a reason reaches the model as context",
    ..CONTEXT_ONLY
};

const EVENTS: &[EventSpec] = &[
    EventSpec {
        additional_context: CONTEXT.known(Confidence::Recorded),
        note: "absent in `qwen -p` of 0.15.10",
        ..CONTEXT_ONLY.named("SessionStart", EventKind::SessionStart)
    },
    OBSERVER.named("InstructionsLoaded", EventKind::Other),
    EventSpec {
        deny: BLOCK.known(Confidence::Recorded),
        additional_context: CONTEXT.known(Confidence::Recorded),
        gate: true,
        note: "also fires, with an empty prompt, when results of tools are sent to the model",
        ..BLOCKABLE.named("UserPromptSubmit", EventKind::UserPromptSubmit)
    },
    EventSpec { gate: true, ..BLOCKABLE.named("UserPromptExpansion", EventKind::UserPromptSubmit) },
    PRE_TOOL_USE,
    PERMISSION_REQUEST,
    OBSERVER.named("PermissionDenied", EventKind::Other),
    EventSpec {
        additional_context: CONTEXT.known(Confidence::Recorded),
        ..AFTER_TOOL.named("PostToolUse", EventKind::PostToolUse)
    },
    AFTER_TOOL.named("PostToolUseFailure", EventKind::PostToolUseFailure).documented(),
    OBSERVER.named("PostToolBatch", EventKind::Other),
    OBSERVER.named("MessageDisplay", EventKind::Other),
    OBSERVER.named("Notification", EventKind::Notification),
    CONTEXT_ONLY.named("SubagentStart", EventKind::SubagentStart),
    STOP.named("SubagentStop", EventKind::SubagentStop),
    OBSERVER.named("PreCompact", EventKind::PreCompact),
    OBSERVER.named("PostCompact", EventKind::PostCompact),
    OBSERVER.named("TodoCreated", EventKind::Other),
    OBSERVER.named("TodoCompleted", EventKind::Other),
    EventSpec {
        deny: BLOCK.known(Confidence::Recorded),
        reason: Cap::text_when("reason", DENY).known(Confidence::Recorded),
        ..STOP.named("Stop", EventKind::Stop)
    },
    OBSERVER.named("StopFailure", EventKind::Other),
    EventSpec {
        note: "not seen in `qwen -p` (recorded)",
        ..OBSERVER.named("SessionEnd", EventKind::SessionEnd)
    },
    OBSERVER.named("SessionDelete", EventKind::Other),
];
