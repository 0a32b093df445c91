//! A fictitious host for tests of what a new host needs: Claude Code's shape and one event of its own.

use serde_json::{Value, json};
use tenter_model::{Decision, Enforcement, Event, EventKind, HostId, Object};

use crate::capability::{Cap, EventSpec};
use crate::claude_shape;
use crate::detect::Signal;
use crate::host::{Host, Profile};
use crate::install::{Install, Scope, Wire};
use crate::lint::{FileName, Layer, Lint};
use crate::trial::{Trial, claude_shaped};

/// The invented host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Invented;

impl Host for Invented {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn decode<'a>(&self, object: &Object<'a>) -> Event<'a> {
        claude_shape::decode(HostId::Invented, object, claude_shape::tool_call)
    }
}

const PROFILE: Profile = Profile {
    lint: &LINT,
    trial: &TRIAL,
    ..Profile::new(HostId::Invented, EVENTS, SIGNALS, &INSTALL)
};

const SIGNALS: &[Signal] = &[Signal {
    weight: 20,
    what: "`invented_version` is a string",
    test: |object| object.str("invented_version").is_some(),
}];

const OBSERVER: EventSpec = EventSpec::observer("the invented agent ignores this answer", "");

const GATE: EventSpec = EventSpec {
    allow: Cap::silence(Enforcement::None),
    deny: Cap::set("hookSpecificOutput.permissionDecision", "\"deny\"", Enforcement::Hard),
    ask: Cap::set("hookSpecificOutput.permissionDecision", "\"ask\"", Enforcement::Prompt),
    reason: Cap::text("hookSpecificOutput.permissionDecisionReason"),
    gate: true,
    ..OBSERVER
};

const EVENTS: &[EventSpec] = &[
    OBSERVER.named("SessionStart", EventKind::SessionStart),
    GATE.named("PreToolUse", EventKind::PreToolUse),
    // The special event: an ordinary call, with different words in the answer.
    EventSpec {
        deny: Cap::set("verdict", "\"stop\"", Enforcement::Hard),
        ask: Cap::turned_into(Decision::Deny, Enforcement::Hard, "this event cannot ask"),
        reason: Cap::text("because"),
        ..GATE.named("BeforeDeploy", EventKind::PreToolUse)
    },
    OBSERVER.named("PostToolUse", EventKind::PostToolUse),
    OBSERVER.named("Stop", EventKind::Stop),
];

const INSTALL: Install = Install {
    title: "Invented Agent",
    programs: &["invented"],
    folder: ".invented",
    wires: &[
        Wire::gate("PreToolUse").by_tool(),
        Wire::gate("BeforeDeploy"),
        Wire::record("PostToolUse").by_tool(),
        Wire::record("SessionStart"),
        Wire::record("Stop"),
    ],
    file: |roots, scope| match scope {
        Scope::Project => Some(roots.project?.join(".invented/settings.json")),
        Scope::User => Some(roots.home?.join(".invented/settings.json")),
        Scope::Managed => None,
    },
    ..Install::CLAUDE_SHAPED
};

const LINT: Lint = Lint {
    costs: &[("unknown-event", "these hooks never run")],
    files: &[FileName { folder: ".invented", name: "settings.json", layer: Layer::Project }],
    ..Lint::CLAUDE_SHAPED
};

const TRIAL: Trial = Trial {
    payload: |call| {
        let mut fields = claude_shaped(call);
        fields.insert("invented_version".to_owned(), json!("1.0"));
        if call.event == "BeforeDeploy" {
            fields.insert("tool_name".to_owned(), json!("Bash"));
            fields.insert("tool_input".to_owned(), json!({ "command": call.command }));
        }
        Value::Object(fields).to_string()
    },
    ..Trial::CLAUDE_SHAPED
};
