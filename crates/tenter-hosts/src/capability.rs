//! Capability tables: what a host does with each field of an answer, event by event.
//!
//! A host's table of [`EventSpec`]s *is* its encoder: `encode.rs` follows it, and `matrix.rs` prints it.
//! Rules that depend on versions, modes or status are in the host's own `encode.rs`.

use tenter_model::{Decision, Enforcement, EventKind, Field};

/// Evidence for a statement about a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Recorded from the real client.
    Recorded,
    /// In the vendor's documentation or open source.
    Documented,
    /// Reported by users.
    Community,
    /// Not established; a conservative assumption.
    Assumed,
}

impl Confidence {
    pub const ALL: [Confidence; 4] =
        [Confidence::Recorded, Confidence::Documented, Confidence::Community, Confidence::Assumed];

    pub const fn as_str(self) -> &'static str {
        match self {
            Confidence::Recorded => "recorded",
            Confidence::Documented => "documented",
            Confidence::Community => "community",
            Confidence::Assumed => "assumed",
        }
    }

    /// Symbol used in tables.
    pub const fn mark(self) -> &'static str {
        match self {
            Confidence::Recorded => "R",
            Confidence::Documented => "D",
            Confidence::Community => "C",
            Confidence::Assumed => "?",
        }
    }
}

/// Where one field of an answer is written. Paths are dotted keys of the host's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A decision written as this JSON literal at this path.
    Set { path: &'static str, json: &'static str },
    /// A decision expressed by printing nothing.
    Silence,
    /// A decision expressed only by exit code 2, with the reason on stderr.
    Exit2,
    /// A decision implied by another field: a follow-up message means "go on".
    Carried,
    /// A decision the host cannot express; this one is the nearest safe one.
    As(Decision),
    /// Text at this path, for these decisions; for all if the list is empty.
    Text { path: &'static str, when: &'static [Decision] },
    /// Text without a path of its own, written here if the path is unused.
    Instead { path: &'static str, when: &'static [Decision] },
    /// A decision the host accepts only together with new input; otherwise it is not printed.
    WithInput { path: &'static str, json: &'static str },
    /// The complete input object at this path, together with one of these decisions.
    Input { path: &'static str, with: InputWith },
    /// Not supported.
    Nowhere,
}

/// Which decision must accompany new input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputWith {
    /// Any but deny, or none.
    Any,
    /// Allow, added by us if there is no decision: on this host it grants nothing.
    AllowAdded,
    /// Allow given by the hook itself: on this host it is a grant.
    AllowGiven,
}

/// One cell of the matrix: a field of the answer on one event of one host.
#[derive(Clone, Copy, Debug)]
pub struct Cap {
    pub way: Way,
    pub level: Enforcement,
    pub confidence: Confidence,
    /// Why the field is not taken as is; empty if it is.
    pub why: &'static str,
    /// Alternative for the author; may be empty.
    pub instead: &'static str,
    /// Versions or modes it holds for; empty for all.
    pub limit: &'static str,
}

impl Cap {
    /// Whether an encoded answer contains this field in its place.
    pub(crate) fn is_in(&self, answer: &[u8]) -> bool {
        let Way::Set { path, json } = self.way else { return false };
        let Ok(answer) = serde_json::from_slice::<serde_json::Value>(answer) else { return false };
        let pointer = format!("/{}", path.replace('.', "/"));
        answer.pointer(&pointer).is_some_and(|value| {
            serde_json::from_str::<serde_json::Value>(json).is_ok_and(|said| *value == said)
        })
    }

    pub const fn set(path: &'static str, json: &'static str, level: Enforcement) -> Self {
        Self::new(Way::Set { path, json }, level)
    }

    pub const fn text(path: &'static str) -> Self {
        Self::text_when(path, &[])
    }

    pub const fn text_when(path: &'static str, when: &'static [Decision]) -> Self {
        Self::new(Way::Text { path, when }, Enforcement::Advisory)
    }

    pub const fn input(path: &'static str, with: InputWith) -> Self {
        Self::new(Way::Input { path, with }, Enforcement::Hard)
    }

    pub const fn silence(level: Enforcement) -> Self {
        Self::new(Way::Silence, level)
    }

    pub const fn carried(level: Enforcement) -> Self {
        Self::new(Way::Carried, level)
    }

    pub const fn exit2(level: Enforcement) -> Self {
        Self::new(Way::Exit2, level)
    }

    pub const fn instead(path: &'static str, when: &'static [Decision], why: &'static str) -> Self {
        Self::new(Way::Instead { path, when }, Enforcement::Advisory).because(why, "")
    }

    pub const fn turned_into(decision: Decision, level: Enforcement, why: &'static str) -> Self {
        Self::new(Way::As(decision), level).because(why, "")
    }

    pub const fn nowhere(why: &'static str, instead: &'static str) -> Self {
        Self::new(Way::Nowhere, Enforcement::None).because(why, instead)
    }

    pub const fn with_input(path: &'static str, json: &'static str) -> Self {
        Self::new(Way::WithInput { path, json }, Enforcement::None)
    }

    #[must_use]
    pub const fn limited(mut self, limit: &'static str) -> Self {
        self.limit = limit;
        self
    }

    /// Adds why the author does not get the field, and the alternative.
    #[must_use]
    pub const fn because(mut self, why: &'static str, instead: &'static str) -> Self {
        self.why = why;
        self.instead = instead;
        self
    }

    /// Adds an alternative for the author.
    #[must_use]
    pub const fn or(mut self, instead: &'static str) -> Self {
        self.instead = instead;
        self
    }

    #[must_use]
    pub const fn known(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    const fn new(way: Way, level: Enforcement) -> Self {
        Self { way, level, confidence: Confidence::Documented, why: "", instead: "", limit: "" }
    }
}

/// One event of one host.
#[derive(Clone, Copy, Debug)]
pub struct EventSpec {
    /// The host's name for the event.
    pub native: &'static str,
    pub kind: EventKind,
    /// Written into every answer, unless a decision overwrites it.
    pub base: Option<(&'static str, &'static str)>,
    pub allow: Cap,
    pub deny: Cap,
    pub ask: Cap,
    pub reason: Cap,
    pub user_message: Cap,
    pub modified_input: Cap,
    pub additional_context: Cap,
    /// Whether something waits for this answer and may be blocked when we fail. False where blocking would do
    /// harm of its own: a failure never makes an agent go on after `Stop`, which would loop, and never ends a
    /// session or a turn.
    pub gate: bool,
    /// The host version that introduced the event, or empty.
    pub since: &'static str,
    /// Note for authors; may be empty.
    pub note: &'static str,
}

impl EventSpec {
    /// Placeholder for an event that is not in a host's table.
    pub const UNKNOWN: EventSpec = EventSpec::observer(
        "this event is not known, so its answer is left neutral",
        "check the event's name, or update tenter",
    );

    /// Placeholder for an unknown event that announces a tool call. The exit code is the one thing that stops
    /// it on all hosts.
    pub const UNKNOWN_GATE: EventSpec = EventSpec {
        deny: Cap::exit2(Enforcement::Hard).known(Confidence::Assumed),
        ask: Cap::turned_into(
            Decision::Deny,
            Enforcement::Hard,
            "whether this event can ask is not known",
        )
        .known(Confidence::Assumed),
        reason: Cap::text_when("(stderr)", &[Decision::Deny]).known(Confidence::Assumed),
        gate: true,
        ..EventSpec::UNKNOWN
    };

    /// Whether this is one of the placeholders for unknown events.
    pub const fn is_unknown(&self) -> bool {
        self.native.is_empty()
    }

    /// An event on which no field is supported, for the same reason.
    pub const fn observer(why: &'static str, instead: &'static str) -> Self {
        let nowhere = Cap::nowhere(why, instead);
        Self {
            native: "",
            kind: EventKind::Other,
            base: None,
            allow: nowhere,
            deny: nowhere,
            ask: nowhere,
            reason: nowhere,
            user_message: nowhere,
            modified_input: nowhere,
            additional_context: nowhere,
            gate: false,
            since: "",
            note: "",
        }
    }

    /// The same row under another name.
    #[must_use]
    pub const fn named(mut self, native: &'static str, kind: EventKind) -> Self {
        self.native = native;
        self.kind = kind;
        self
    }

    /// The same cells with confidence `Documented`.
    #[must_use]
    pub const fn documented(mut self) -> Self {
        self.allow.confidence = Confidence::Documented;
        self.deny.confidence = Confidence::Documented;
        self.ask.confidence = Confidence::Documented;
        self.reason.confidence = Confidence::Documented;
        self.user_message.confidence = Confidence::Documented;
        self.modified_input.confidence = Confidence::Documented;
        self.additional_context.confidence = Confidence::Documented;
        self
    }

    pub const fn decision(&self, decision: Decision) -> &Cap {
        match decision {
            Decision::Allow => &self.allow,
            Decision::Deny => &self.deny,
            Decision::Ask => &self.ask,
        }
    }

    /// The cell of a field other than the decision.
    pub const fn field(&self, field: Field) -> &Cap {
        match field {
            Field::Decision => &self.deny,
            Field::Reason => &self.reason,
            Field::UserMessage => &self.user_message,
            Field::ModifiedInput => &self.modified_input,
            Field::AdditionalContext => &self.additional_context,
        }
    }
}
