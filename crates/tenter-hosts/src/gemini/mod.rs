//! Gemini CLI: its table of events.
//!
//! It parses what a hook prints whatever the exit code, and reads stderr where stdout is empty: JSON without a
//! `decision` lifts an exit code that would block, and a note on stderr becomes the answer. So every answer
//! here is one JSON object, and an exit code that is to block leaves stdout empty.

mod answer;
mod decode;
mod encode;
mod install;
mod lint;
mod sessions;
mod trial;

use tenter_model::{Decision, Enforcement, Event, EventKind, HostId, Object};

use crate::capability::{Cap, Confidence, EventSpec, InputWith};
use crate::detect::Signal;
use crate::encode::{AskFallback, AskOption, Draft};
use crate::host::{Exits, Host, Profile};
use crate::trial::{Output, Reply};

/// The Gemini CLI host.
#[derive(Clone, Copy, Debug)]
pub struct Gemini;

impl Host for Gemini {
    fn profile(&self) -> &'static Profile {
        &PROFILE
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
    // An empty stdout would make diagnostics on stderr the answer.
    empty_answer: "{}",
    unnamed_answer: "{}",
    json_outweighs_exit: true,
    exits: Exits {
        zero: "ignored, or shown to the user if stdout is empty (R)",
        one: "shown to the user as a warning, the action goes on (R)",
        two: "block, and any higher code too; stderr is the reason, and without it, or with JSON on \
              stdout, the action goes on (R)",
    },
    recorded: "Gemini CLI 0.61.0 (2026-11-15 and 2026-11-19)",
    lint: &lint::LINT,
    trial: &trial::TRIAL,
    sessions: &sessions::SESSIONS,
    ask: Some(AskOption {
        name: "gemini-ask",
        help: "What becomes of an `ask` on Gemini CLI, which without a terminal waits for an answer forever",
        values: "deny|ask|allow",
        default: AskFallback::Deny,
    }),
    ..Profile::new(HostId::Gemini, EVENTS, SIGNALS, &install::INSTALL)
};

const SIGNALS: &[Signal] = &[
    Signal {
        weight: 8,
        what: "`hook_event_name` is one that only Gemini CLI has",
        test: |o| {
            o.str("hook_event_name").is_some_and(|name| {
                let claude = crate::host(HostId::Claude).events();
                EVENTS.iter().any(|e| e.native == name) && !claude.iter().any(|e| e.native == name)
            })
        },
    },
    Signal {
        weight: 6,
        what: "`transcript_path` lies in a `.gemini` directory",
        test: |o| {
            let path = o.str("transcript_path").unwrap_or_default().replace('\\', "/");
            path.contains("/.gemini/")
        },
    },
    Signal {
        weight: 3,
        what: "`timestamp` beside `hook_event_name` and `session_id`, without `permission_mode`, which Qwen \
               Code sends",
        test: |o| {
            ["timestamp", "hook_event_name", "session_id"].iter().all(|key| o.str(key).is_some())
                && !o.has("permission_mode")
        },
    },
];

const DENY: &[Decision] = &[Decision::Deny];
const NO_CALL: Cap = Cap::nowhere("there is no tool call to change", "return it at PreToolUse");
const NO_CONTEXT: Cap =
    Cap::nowhere("Gemini CLI ignores context here", "return it at UserPromptSubmit or PostToolUse")
        .known(Confidence::Recorded);
const SYSTEM_MESSAGE: Cap = Cap::text("systemMessage").known(Confidence::Recorded);
const CONTEXT: Cap = Cap::text("hookSpecificOutput.additionalContext").known(Confidence::Recorded);
const BLOCK: Cap = Cap::set("decision", "\"block\"", Enforcement::Hard).known(Confidence::Recorded);

const OBSERVER: EventSpec = EventSpec::observer("Gemini CLI ignores the answer to this event", "");

const BEFORE_TOOL: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: Cap::set("decision", "\"deny\"", Enforcement::Hard).known(Confidence::Recorded),
    ask: Cap::set("decision", "\"ask\"", Enforcement::Prompt)
        .known(Confidence::Recorded)
        .limited("prompt with --gemini-ask ask, else becomes deny"),
    reason: Cap::text_when("reason", DENY).known(Confidence::Recorded),
    user_message: SYSTEM_MESSAGE,
    modified_input: Cap::input("hookSpecificOutput.tool_input", InputWith::Any)
        .known(Confidence::Recorded),
    additional_context: NO_CONTEXT,
    gate: true,
    note: "an allow grants nothing: Gemini CLI's own approval decides; an ask without a terminal (`gemini -p`) \
           waits forever, so it becomes a deny; new input is merged over the arguments key by key; also fires \
           for the calls of subagents, which nothing tells apart",
    ..OBSERVER.named("BeforeTool", EventKind::PreToolUse)
};

/// `decision: "block"`, with the reason beside it.
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

const MESSAGE_ONLY: EventSpec = EventSpec {
    user_message: Cap::text("systemMessage"),
    modified_input: NO_CALL,
    ..EventSpec::observer("this event cannot stop anything", "")
};

/// Requests to the model and its answers: nothing that a policy judges.
const MODEL: EventSpec = EventSpec::observer(
    "tenter does not judge requests to the model",
    "decide at UserPromptSubmit or PreToolUse",
);

const EVENTS: &[EventSpec] = &[
    EventSpec {
        reason: CONTEXT.because("told to the model as context", ""),
        user_message: SYSTEM_MESSAGE,
        additional_context: CONTEXT,
        ..MESSAGE_ONLY.named("SessionStart", EventKind::SessionStart)
    },
    EventSpec {
        gate: true,
        note: "a blocked prompt ends `gemini -p` with exit 0; fires again, with the reason as prompt, when a \
               stop is denied",
        ..BLOCKABLE.named("BeforeAgent", EventKind::UserPromptSubmit)
    },
    EventSpec {
        note: "fires before every request",
        ..MODEL.named("BeforeModel", EventKind::Other)
    },
    EventSpec {
        note: "fires for every piece of a streamed answer",
        ..MODEL.named("AfterModel", EventKind::Other)
    },
    MODEL.named("BeforeToolSelection", EventKind::Other),
    BEFORE_TOOL,
    EventSpec {
        deny: Cap::set("decision", "\"block\"", Enforcement::Advisory).known(Confidence::Recorded),
        ask: Cap::turned_into(Decision::Deny, Enforcement::Advisory, "the tool has already run"),
        modified_input: Cap::nowhere("the tool has already run", "return it at PreToolUse"),
        note: "the tool has already run: a deny replaces the output the model sees by the reason; a failed \
               command is told from its output only",
        ..BLOCKABLE.named("AfterTool", EventKind::PostToolUse)
    },
    EventSpec {
        ask: Cap::nowhere("there is nobody to ask when the agent stops", ""),
        additional_context: Cap::nowhere("Gemini CLI ignores context here", "put it into `reason`")
            .known(Confidence::Recorded),
        note: "a deny makes the agent go on with the reason, as often as it is denied (recorded): only \
               tenter's own limit ends it",
        ..BLOCKABLE.named("AfterAgent", EventKind::Stop)
    },
    EventSpec {
        note: "fires before every request to the model, whether or not anything is compressed, so it tells of \
               no compaction",
        ..MESSAGE_ONLY.named("PreCompress", EventKind::Other)
    },
    EventSpec {
        note: "only observes: no event can answer Gemini CLI's own question",
        ..OBSERVER.named("Notification", EventKind::Notification)
    },
    MESSAGE_ONLY.named("SessionEnd", EventKind::SessionEnd),
];
