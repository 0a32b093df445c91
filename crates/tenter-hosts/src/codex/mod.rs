//! OpenAI Codex CLI: its table of events.
//!
//! Its answers are checked against a closed schema: one unknown key anywhere voids the whole answer, and the
//! action goes on. So this table names only what was recorded or is in Codex's source.

mod answer;
mod decode;
mod install;
mod lint;
pub mod notify;
pub mod patch;
mod sessions;
mod trial;

use tenter_model::{Decision, Enforcement, Event, EventKind, HostId, Object};

use crate::capability::{Cap, Confidence, EventSpec, InputWith};
use crate::detect::Signal;
use crate::encode::{AskFallback, AskOption};
use crate::host::{Exits, Host, Profile};
use crate::trial::{Output, Reply};

/// The Codex host.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

impl Host for Codex {
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
    unhooked_input: Some("https://github.com/openai/codex/issues/46372"),
    exits: Exits {
        zero: "ignored (R)",
        one: "failed hook, the action goes on (R)",
        two: "block; stderr is the reason, and without it the action goes on (R)",
    },
    recorded: "Codex CLI 0.166.0 and 0.169.0",
    lint: &lint::LINT,
    trial: &trial::TRIAL,
    sessions: &sessions::SESSIONS,
    ask: Some(AskOption {
        name: "codex-ask",
        help: "What becomes of an `ask` on Codex, which has no word for it",
        values: "deny|allow",
        default: AskFallback::Deny,
    }),
    ..Profile::new(HostId::Codex, EVENTS, SIGNALS, &install::INSTALL)
};

const SIGNALS: &[Signal] = &[
    Signal {
        weight: 10,
        what: "`type` is `agent-turn-complete` (the `notify` form)",
        test: |o| o.str("type").is_some_and(|kind| kind == notify::TURN_COMPLETE),
    },
    Signal {
        weight: 6,
        what: "`turn_id` on one of Codex's events",
        test: |o| {
            o.str("turn_id").is_some()
                && o.str("hook_event_name")
                    .is_some_and(|name| EVENTS.iter().any(|e| e.native == name))
        },
    },
    Signal {
        weight: 6,
        what: "the file name of `transcript_path` starts with `rollout-`",
        test: |o| {
            let path = o.str("transcript_path").unwrap_or_default().replace('\\', "/");
            path.rsplit('/').next().is_some_and(|name| name.starts_with("rollout-"))
        },
    },
    Signal {
        weight: 4,
        what: "`tool_name` is `apply_patch` or `spawn_agent`",
        test: |o| {
            let agents = ["spawn_agent", "collaborationspawn_agent", "collaboration.spawn_agent"];
            o.str("tool_name").is_some_and(|n| n == patch::TOOL || agents.contains(&n.as_ref()))
        },
    },
    Signal {
        weight: 3,
        what: "`model` on an event other than SessionStart",
        test: |o| {
            let event = o.str("hook_event_name").unwrap_or_default();
            o.str("model").is_some()
                && event != "SessionStart"
                && EVENTS.iter().any(|e| e.native == event)
        },
    },
];

const DENY: &[Decision] = &[Decision::Deny];
const NO_CALL: Cap = Cap::nowhere("there is no tool call to change", "return it at PreToolUse");
const NO_CONTEXT: Cap =
    Cap::nowhere("this event cannot add context", "return it at UserPromptSubmit or PostToolUse");
const SYSTEM_MESSAGE: Cap = Cap::text("systemMessage").known(Confidence::Recorded);
const CONTEXT: Cap = Cap::text("hookSpecificOutput.additionalContext").known(Confidence::Recorded);
const BLOCK: Cap = Cap::set("decision", "\"block\"", Enforcement::Hard).known(Confidence::Recorded);
const STOP_ALL: Cap = Cap::set("continue", "false", Enforcement::Hard).known(Confidence::Recorded);

const OBSERVER: EventSpec = EventSpec::observer("Codex ignores the answer to this event", "");

const PRE_TOOL_USE: EventSpec = EventSpec {
    allow: Cap::with_input("hookSpecificOutput.permissionDecision", "\"allow\"")
        .because("Codex rejects an allow without new input; its own approval decides", "")
        .known(Confidence::Recorded),
    deny: Cap::set("hookSpecificOutput.permissionDecision", "\"deny\"", Enforcement::Hard)
        .known(Confidence::Recorded),
    ask: Cap::turned_into(
        Decision::Deny,
        Enforcement::Hard,
        "Codex rejects ask and would run the call",
    )
    .known(Confidence::Recorded),
    reason: Cap::text_when("hookSpecificOutput.permissionDecisionReason", DENY)
        .known(Confidence::Recorded),
    user_message: SYSTEM_MESSAGE,
    modified_input: Cap::input("hookSpecificOutput.updatedInput", InputWith::AllowAdded)
        .known(Confidence::Recorded),
    additional_context: CONTEXT,
    gate: true,
    note: "runs only if the hook is trusted; `codex exec` skips an untrusted one without a word",
    ..OBSERVER.named("PreToolUse", EventKind::PreToolUse)
};

const PERMISSION_REQUEST: EventSpec = EventSpec {
    allow: Cap::set("hookSpecificOutput.decision.behavior", "\"allow\"", Enforcement::Hard),
    deny: Cap::set("hookSpecificOutput.decision.behavior", "\"deny\"", Enforcement::Hard),
    ask: Cap::silence(Enforcement::Prompt),
    reason: Cap::text_when("hookSpecificOutput.decision.message", DENY),
    user_message: Cap::text("systemMessage"),
    modified_input: Cap::nowhere("Codex rejects new input here", "return it at PreToolUse"),
    additional_context: NO_CONTEXT,
    gate: true,
    note: "silence leaves the question to the user, so an ask prints nothing; never fires in \
           `codex exec`",
    ..OBSERVER.named("PermissionRequest", EventKind::PermissionRequest)
};

const BLOCKABLE: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: BLOCK,
    ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "this event cannot ask"),
    reason: Cap::text_when("reason", DENY).known(Confidence::Recorded),
    user_message: SYSTEM_MESSAGE,
    modified_input: NO_CALL,
    additional_context: CONTEXT,
    ..OBSERVER
};

const STOP: EventSpec = EventSpec {
    ask: Cap::nowhere("there is nobody to ask when the agent stops", ""),
    additional_context: Cap::text("systemMessage")
        .because(
            "Codex voids an answer with context here; shown to the human instead",
            "put it into `reason`",
        )
        .known(Confidence::Recorded),
    note: "a deny makes the agent go on with the reason",
    ..BLOCKABLE
};

const MESSAGE_ONLY: EventSpec = EventSpec {
    user_message: SYSTEM_MESSAGE,
    modified_input: NO_CALL,
    ..EventSpec::observer("this event cannot stop anything", "")
};

const EVENTS: &[EventSpec] = &[
    EventSpec {
        allow: Cap::silence(Enforcement::None),
        deny: STOP_ALL,
        ask: Cap::nowhere("this event cannot ask, and a deny would end the session", ""),
        reason: Cap::text_when("stopReason", DENY).known(Confidence::Recorded),
        additional_context: CONTEXT,
        note: "a deny ends the session; also fires after a compaction",
        ..MESSAGE_ONLY.named("SessionStart", EventKind::SessionStart)
    },
    EventSpec {
        gate: true,
        note: "`codex exec` shows no text of a blocked prompt, only `hook: UserPromptSubmit Blocked` on \
               stderr (nothing with --json), and exits 0 (recorded with 0.169.0); `tenter log` has the \
               reason",
        ..BLOCKABLE.named("UserPromptSubmit", EventKind::UserPromptSubmit)
    },
    PRE_TOOL_USE,
    PERMISSION_REQUEST,
    EventSpec {
        deny: Cap::set("decision", "\"block\"", Enforcement::Advisory).known(Confidence::Recorded),
        ask: Cap::turned_into(Decision::Deny, Enforcement::Advisory, "the tool has already run"),
        modified_input: Cap::nowhere("the tool has already run", "return it at PreToolUse"),
        note: "the tool has already run: a deny replaces the output the model sees by the reason; does \
               not fire for a patch inside a shell command",
        ..BLOCKABLE.named("PostToolUse", EventKind::PostToolUse)
    },
    EventSpec {
        allow: Cap::silence(Enforcement::None),
        deny: STOP_ALL.because("Codex ends the turn as well as the compaction", ""),
        ask: Cap::nowhere("this event cannot ask", ""),
        reason: Cap::text_when("stopReason", DENY).known(Confidence::Recorded),
        ..MESSAGE_ONLY.named("PreCompact", EventKind::PreCompact)
    },
    EventSpec {
        deny: Cap::nowhere("the compaction is already done", "deny at PreCompact"),
        ..MESSAGE_ONLY.named("PostCompact", EventKind::PostCompact)
    },
    EventSpec {
        reason: CONTEXT.because("told to the model as context", ""),
        additional_context: CONTEXT,
        ..MESSAGE_ONLY.named("SubagentStart", EventKind::SubagentStart)
    },
    STOP.named("SubagentStop", EventKind::SubagentStop),
    STOP.named("Stop", EventKind::Stop),
    EventSpec {
        user_message: Cap::text("systemMessage"),
        since: "0.150.0",
        note: "the human stopped the turn, and no Stop follows; killed after 3 seconds whatever is \
               configured",
        ..MESSAGE_ONLY.named("Interrupt", EventKind::Other)
    },
    EventSpec {
        note: "killed after 3 seconds whatever is configured",
        ..OBSERVER.named("SessionEnd", EventKind::SessionEnd)
    },
    EventSpec {
        note: "the older `notify` setting: JSON as the last argument, result ignored",
        ..OBSERVER.named(notify::TURN_COMPLETE, EventKind::Stop)
    },
];
