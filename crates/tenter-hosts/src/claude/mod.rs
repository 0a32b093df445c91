//! Claude Code: its table of events.

pub mod answer;
mod decode;
mod encode;
mod install;
mod lint;
mod sessions;
mod takeover;
mod trial;

use tenter_model::{Decision, Enforcement, Event, EventKind, HostId, Object};

use crate::capability::{Cap, Confidence, EventSpec, InputWith};
use crate::detect::Signal;
use crate::encode::{AskFallback, AskOption, Draft};
use crate::host::{Host, Profile};
use crate::trial::{Output, Reply};

/// The Claude Code host.
#[derive(Clone, Copy, Debug)]
pub struct Claude;

impl Host for Claude {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn headless(&self) -> Option<(&'static str, &'static str)> {
        Some(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"))
    }

    fn conclude(&self, event: &str, output: &Output<'_>) -> Reply {
        answer::conclude(event, output)
    }

    fn decode<'a>(&self, object: &Object<'a>) -> Event<'a> {
        decode::decode(object)
    }

    fn adjust(&self, draft: &mut Draft<'_>, on_ask: AskFallback) {
        encode::adjust(draft, on_ask);
    }
}

const PROFILE: Profile = Profile {
    recorded: "Claude Code 2.1.197, 2.1.325 and 2.1.326",
    lint: &lint::LINT,
    trial: &trial::TRIAL,
    sessions: &sessions::SESSIONS,
    ask: Some(AskOption {
        name: "claude-ask",
        help: "What becomes of an `ask` on Claude Code",
        values: "deny|ask|allow",
        default: AskFallback::Ask,
    }),
    takeover: Some(&takeover::TAKEOVER),
    silent_file_dialogs: true,
    // The empty answers print nothing: an explicit allow would skip the user's own permission prompt.
    ..Profile::new(HostId::Claude, EVENTS, SIGNALS, &install::INSTALL)
};

const SIGNALS: &[Signal] = &[
    Signal {
        weight: 6,
        what: "`transcript_path` lies in a `.claude` directory",
        test: |o| {
            let path = o.str("transcript_path").unwrap_or_default().replace('\\', "/");
            path.contains("/.claude/")
        },
    },
    Signal {
        weight: 5,
        what: "`hook_event_name` is one that only Claude Code has",
        test: |o| {
            o.str("hook_event_name").is_some_and(|name| {
                let codex = crate::host(HostId::Codex).events();
                EVENTS.iter().any(|e| e.native == name) && !codex.iter().any(|e| e.native == name)
            })
        },
    },
    Signal {
        weight: 4,
        what: "`tool_use_id` starts with `toolu_`",
        test: |o| o.str("tool_use_id").is_some_and(|id| id.starts_with("toolu_")),
    },
    Signal {
        weight: 4,
        what: "PascalCase event with `session_id`, `cwd` and `transcript_path`, but neither `turn_id` nor `model`, which Codex sends",
        test: |o| {
            let event = o.str("hook_event_name").unwrap_or_default();
            event.starts_with(|c: char| c.is_ascii_uppercase())
                && ["session_id", "cwd", "transcript_path"].iter().all(|k| o.str(k).is_some())
                && !o.has("turn_id")
                && !o.has("model")
        },
    },
    Signal {
        weight: 3,
        what: "`permission_mode` is `plan`, `acceptEdits`, `auto` or `dontAsk`, which Codex never sends",
        test: |o| {
            let mode = o.str("permission_mode").unwrap_or_default();
            ["plan", "acceptEdits", "auto", "dontAsk"].contains(&mode.as_ref())
        },
    },
    Signal {
        weight: 3,
        what: "one of `prompt_id`, `effort`, `scratchpad_dir`, `background_tasks`, `permission_suggestions`, `mcp_server`",
        test: |o| {
            [
                "prompt_id",
                "effort",
                "scratchpad_dir",
                "background_tasks",
                "permission_suggestions",
                "mcp_server",
            ]
            .iter()
            .any(|key| o.has(key))
        },
    },
];

const DENY: &[Decision] = &[Decision::Deny];
/// The reason of an allow goes only to a debug log.
const TOLD: &[Decision] = &[Decision::Deny, Decision::Ask];
const NO_CALL: Cap = Cap::nowhere("there is no tool call to change", "return it at PreToolUse");
const NO_CONTEXT: Cap =
    Cap::nowhere("this event cannot add context", "return it at UserPromptSubmit or PostToolUse");
const SYSTEM_MESSAGE: Cap = Cap::text("systemMessage");
const CONTEXT: Cap = Cap::text("hookSpecificOutput.additionalContext");
const BLOCK: Cap = Cap::set("decision", "\"block\"", Enforcement::Hard);

const OBSERVER: EventSpec = EventSpec::observer("Claude Code ignores the answer to this event", "");

const PRE_TOOL_USE: EventSpec = EventSpec {
    allow: Cap::set("hookSpecificOutput.permissionDecision", "\"allow\"", Enforcement::Hard)
        .known(Confidence::Recorded),
    deny: Cap::set("hookSpecificOutput.permissionDecision", "\"deny\"", Enforcement::Hard)
        .known(Confidence::Recorded),
    ask: Cap::set("hookSpecificOutput.permissionDecision", "\"ask\"", Enforcement::Prompt)
        .known(Confidence::Recorded),
    reason: Cap::text_when("hookSpecificOutput.permissionDecisionReason", TOLD)
        .known(Confidence::Recorded),
    user_message: SYSTEM_MESSAGE.known(Confidence::Recorded),
    modified_input: Cap::input("hookSpecificOutput.updatedInput", InputWith::Any)
        .known(Confidence::Recorded),
    additional_context: CONTEXT.known(Confidence::Recorded),
    gate: true,
    note: "an allow skips the user's permission prompt; in the modes auto, bypassPermissions and dontAsk \
           some versions are reported to approve an ask without asking (--claude-ask)",
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
    since: "2.0.45",
    note: "silence leaves the question to the user, so an ask prints nothing",
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

const PROMPT: EventSpec = EventSpec {
    gate: true,
    note: "the reason of a blocked prompt is shown to the human, not to the model",
    ..BLOCKABLE
};

const AFTER_TOOL: EventSpec = EventSpec {
    deny: Cap::set("decision", "\"block\"", Enforcement::Advisory).known(Confidence::Recorded),
    ask: Cap::turned_into(Decision::Deny, Enforcement::Advisory, "the tool has already run"),
    modified_input: Cap::nowhere("the tool has already run", "return it at PreToolUse"),
    note: "the tool has already run: a deny tells the model the reason",
    ..BLOCKABLE
};

const STOP: EventSpec = EventSpec {
    deny: BLOCK.known(Confidence::Recorded),
    ask: Cap::nowhere("there is nobody to ask when the agent stops", ""),
    reason: Cap::text_when("reason", DENY).known(Confidence::Recorded),
    // Recorded: context alone makes the agent go on, which is not what context means.
    additional_context: Cap::text_when("hookSpecificOutput.additionalContext", DENY)
        .known(Confidence::Recorded),
    user_message: SYSTEM_MESSAGE.known(Confidence::Recorded),
    note: "a deny makes the agent go on with the reason, 8 times in a row at most; context with it \
           since 2.1.163",
    ..BLOCKABLE
};

const CONTEXT_ONLY: EventSpec = EventSpec {
    reason: CONTEXT.because("told to the model as context", ""),
    additional_context: CONTEXT,
    user_message: SYSTEM_MESSAGE,
    modified_input: NO_CALL,
    ..EventSpec::observer("this event cannot stop anything", "")
};

const MESSAGE_ONLY: EventSpec = EventSpec {
    user_message: SYSTEM_MESSAGE,
    modified_input: NO_CALL,
    ..EventSpec::observer("this event only shows a message", "")
};

/// Events that honour only the exit code.
const EXIT_CODE: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: Cap::exit2(Enforcement::Hard),
    ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "this event cannot ask"),
    reason: Cap::text_when("(stderr)", DENY),
    modified_input: NO_CALL,
    ..EventSpec::observer("this event reads only the exit code and stderr", "")
};

const ELICITATION: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: Cap::set("hookSpecificOutput.action", "\"decline\"", Enforcement::Hard),
    ask: Cap::silence(Enforcement::Prompt),
    gate: true,
    since: "2.1.76",
    ..EventSpec::observer("an elicitation takes an action and nothing else", "")
};

const MODEL_SWITCH: EventSpec = EventSpec {
    modified_input: NO_CALL,
    additional_context: NO_CONTEXT,
    since: "2.1.251",
    note: "an ask outside the interactive /model is a refusal",
    ..PRE_TOOL_USE.named("PreModelSwitch", EventKind::Other).documented()
};

const EVENTS: &[EventSpec] = &[
    EventSpec {
        additional_context: CONTEXT.known(Confidence::Recorded),
        note: "`continue: false` is ignored here (recorded)",
        ..CONTEXT_ONLY.named("SessionStart", EventKind::SessionStart)
    },
    OBSERVER.named("Setup", EventKind::Other),
    EventSpec { since: "2.1.69", ..OBSERVER.named("InstructionsLoaded", EventKind::Other) },
    EventSpec {
        deny: BLOCK.known(Confidence::Recorded),
        additional_context: CONTEXT.known(Confidence::Recorded),
        ..PROMPT.named("UserPromptSubmit", EventKind::UserPromptSubmit)
    },
    PROMPT.named("UserPromptExpansion", EventKind::UserPromptSubmit),
    EventSpec { since: "2.1.152", ..OBSERVER.named("MessageDisplay", EventKind::Other) },
    PRE_TOOL_USE,
    PERMISSION_REQUEST,
    EventSpec {
        allow: Cap::set("hookSpecificOutput.retry", "true", Enforcement::Advisory),
        since: "2.1.89",
        note: "an allow tells the model that it may try again",
        ..MESSAGE_ONLY.named("PermissionDenied", EventKind::Other)
    },
    EventSpec {
        user_message: SYSTEM_MESSAGE.known(Confidence::Recorded),
        additional_context: CONTEXT.known(Confidence::Recorded),
        ..AFTER_TOOL.named("PostToolUse", EventKind::PostToolUse)
    },
    AFTER_TOOL.named("PostToolUseFailure", EventKind::PostToolUseFailure).documented(),
    EventSpec {
        deny: BLOCK,
        ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "the tools have already run"),
        note: "a deny ends the turn",
        ..AFTER_TOOL.named("PostToolBatch", EventKind::Other)
    },
    OBSERVER.named("Notification", EventKind::Notification),
    EventSpec {
        additional_context: CONTEXT.known(Confidence::Recorded),
        user_message: Cap::nowhere("a message is not shown here", "").known(Confidence::Recorded),
        ..CONTEXT_ONLY.named("SubagentStart", EventKind::SubagentStart)
    },
    EventSpec {
        user_message: Cap::nowhere("a message is not shown here", "").known(Confidence::Recorded),
        ..STOP.named("SubagentStop", EventKind::SubagentStop)
    },
    EventSpec {
        additional_context: NO_CONTEXT,
        gate: true,
        since: "2.1.84",
        ..BLOCKABLE.named("TaskCreated", EventKind::Other)
    },
    EventSpec { since: "2.1.33", ..EXIT_CODE.named("TaskCompleted", EventKind::Other) },
    STOP.named("Stop", EventKind::Stop),
    EventSpec { since: "2.1.78", ..OBSERVER.named("StopFailure", EventKind::Other) },
    EventSpec { since: "2.1.33", ..EXIT_CODE.named("TeammateIdle", EventKind::Other) },
    EventSpec {
        reason: Cap::nowhere("the reason is never shown", ""),
        user_message: Cap::nowhere("a message is discarded here", ""),
        additional_context: NO_CONTEXT,
        gate: true,
        since: "2.1.49",
        note: "policy settings cannot be blocked",
        ..BLOCKABLE.named("ConfigChange", EventKind::Other)
    },
    EventSpec { since: "2.1.83", ..MESSAGE_ONLY.named("CwdChanged", EventKind::Other) },
    EventSpec { since: "2.1.219", ..OBSERVER.named("DirectoryAdded", EventKind::Other) },
    EventSpec { since: "2.1.83", ..MESSAGE_ONLY.named("FileChanged", EventKind::Other) },
    EventSpec {
        since: "2.1.50",
        note: "a hook on this event must itself make the worktree and print its path; do not wire a \
               bridge to it",
        ..EXIT_CODE.named("WorktreeCreate", EventKind::Other)
    },
    EventSpec {
        gate: true,
        since: "2.1.50",
        ..EXIT_CODE.named("WorktreeRemove", EventKind::Other)
    },
    EventSpec {
        deny: BLOCK.known(Confidence::Recorded),
        user_message: PASTED,
        additional_context: PASTED,
        gate: true,
        note: "blocks since 2.1.105",
        ..BLOCKABLE.named("PreCompact", EventKind::PreCompact)
    },
    EventSpec { since: "2.1.76", ..OBSERVER.named("PostCompact", EventKind::PostCompact) },
    MODEL_SWITCH,
    EventSpec { since: "2.1.251", ..CONTEXT_ONLY.named("PostModelSwitch", EventKind::Other) },
    OBSERVER.named("SessionEnd", EventKind::SessionEnd),
    ELICITATION.named("Elicitation", EventKind::Other),
    EventSpec {
        ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "the user has already answered"),
        ..ELICITATION.named("ElicitationResult", EventKind::Other)
    },
];

const PASTED: Cap =
    Cap::nowhere("anything but a block is pasted into the prompt for the summary", "")
        .known(Confidence::Recorded);
