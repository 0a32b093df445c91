//! The `Host` trait: everything the other crates ask about a host.

use tenter_model::{Event, EventKind, HostId, Object, Verdict};

use crate::capability::EventSpec;
use crate::detect::Signal;
use crate::encode::{Answer, AskFallback, AskOption, Draft, EncodeOptions};
use crate::install::Install;
use crate::lint::Lint;
use crate::sessions::Sessions;
use crate::takeover::Takeover;
use crate::trial::{Output, Reply, Trial};

/// What a host makes of a hook's exit code and of its stderr, in words for the matrix.
#[derive(Clone, Copy, Debug)]
pub struct Exits {
    /// Stderr at exit 0.
    pub zero: &'static str,
    /// Exit 1: no host could be told, or a mistake in the command line of `run`.
    pub one: &'static str,
    pub two: &'static str,
}

/// Static data about a host.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub id: HostId,
    /// Every event this host documents.
    pub events: &'static [EventSpec],
    /// The host's answer for "no opinion".
    pub empty_answer: &'static str,
    /// Answer that lets the action go on when not even the event's name is known.
    pub unnamed_answer: &'static str,
    /// Whether JSON on stdout counts whatever the exit code. If not, an empty object beside exit code 2 changes
    /// nothing, and tells a hook that blocks from one that could not start.
    pub json_outweighs_exit: bool,
    pub exits: Exits,
    /// Versions of the client whose behaviour was recorded; empty for none.
    pub recorded: &'static str,
    /// Signals that a payload comes from this host.
    pub signals: &'static [Signal],
    /// Where to report that the host should run hooks on the text it types into running programs; `None` if
    /// it does, or never types. If set, programs that read commands from stdin are asked about when they
    /// start.
    pub unhooked_input: Option<&'static str>,
    /// Whether its dialogs for file tools show the reason of an ask only after the user has agreed.
    pub silent_file_dialogs: bool,
    /// Hook files and events, for `install` and `doctor`.
    pub install: &'static Install,
    /// Lint data for its hook files.
    pub lint: &'static Lint,
    /// Data for trying out its hooks.
    pub trial: &'static Trial,
    /// Transcripts and other session files.
    pub sessions: &'static Sessions,
    /// The option for an ask that the host cannot show to the user; without one the ask becomes a deny.
    pub ask: Option<AskOption>,
    /// Conversion of its hooks into policy handlers, where possible.
    pub takeover: Option<&'static Takeover>,
}

impl Profile {
    /// A host in Claude Code's shape.
    pub const fn new(
        id: HostId,
        events: &'static [EventSpec],
        signals: &'static [Signal],
        install: &'static Install,
    ) -> Self {
        Self {
            id,
            events,
            empty_answer: "",
            unnamed_answer: "",
            json_outweighs_exit: false,
            exits: Exits {
                zero: "debug log only (R)",
                one: "first line shown to the user",
                two: "block; stderr is the reason (R)",
            },
            recorded: "",
            signals,
            unhooked_input: None,
            silent_file_dialogs: false,
            install,
            lint: &Lint::CLAUDE_SHAPED,
            trial: &Trial::CLAUDE_SHAPED,
            sessions: &Sessions::UNKNOWN,
            ask: None,
            takeover: None,
        }
    }
}

/// A coding agent: its events, decoder and encoder.
///
/// An implementation is a folder: `mod.rs` holds the table of events, `decode.rs` decodes, `encode.rs` adds
/// rules beyond the table, `install.rs` describes the hook files. None of them does IO.
pub trait Host: Sync {
    fn profile(&self) -> &'static Profile;

    /// Decodes a payload. Never fails: unknown or odd content is passed through and noted.
    fn decode<'a>(&self, object: &Object<'a>) -> Event<'a>;

    /// Effect of a hook's answer on the call, for a hook that exited normally.
    fn conclude(&self, event: &str, output: &Output<'_>) -> Reply {
        let spec = self.spec(event);
        if spec.gate && (output.exit == Some(2) || spec.deny.is_in(output.stdout)) {
            return Reply::Stopped;
        }
        crate::claude::answer::conclude(event, output)
    }

    /// Changes a draft where version, mode or status matter. `on_ask` replaces an ask that the user would not
    /// see. Most events need no changes.
    fn adjust(&self, _draft: &mut Draft<'_>, _on_ask: AskFallback) {}

    fn install(&self) -> &'static Install {
        self.profile().install
    }

    fn lint(&self) -> &'static Lint {
        self.profile().lint
    }

    fn trial(&self) -> &'static Trial {
        self.profile().trial
    }

    fn sessions(&self) -> &'static Sessions {
        self.profile().sessions
    }

    /// The variable and value that hooks get when no user is there, so that the host denies what a hook asks
    /// about.
    fn headless(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    fn takeover(&self) -> Option<&'static Takeover> {
        self.profile().takeover
    }

    fn id(&self) -> HostId {
        self.profile().id
    }

    fn events(&self) -> &'static [EventSpec] {
        self.profile().events
    }

    /// The table's row for an event, by the host's name for it.
    fn spec(&self, native_event: &str) -> &'static EventSpec {
        let mut events = self.events().iter();
        events.find(|spec| spec.native == native_event).unwrap_or(&EventSpec::UNKNOWN)
    }

    /// The row for a decoded event; one with an unknown name may still announce a call.
    fn spec_of(&self, event: &Event<'_>) -> &'static EventSpec {
        let spec = self.spec(&event.native_event);
        if spec.is_unknown() && event.kind() == EventKind::PreToolUse {
            &EventSpec::UNKNOWN_GATE
        } else {
            spec
        }
    }

    /// Encodes an answer for this host and version.
    fn encode(&self, event: &Event<'_>, verdict: &Verdict, options: &EncodeOptions) -> Answer {
        let mut draft = Draft::new(event, self.spec_of(event), verdict);
        self.adjust(&mut draft, options.ask_on(event.host));
        draft.finish(options)
    }

    /// The answer with the same effect as no hook.
    fn neutral(&self, native_event: &str) -> String {
        match self.spec(native_event).base {
            Some((path, json)) => format!("{{\"{path}\":{json}}}"),
            None => self.profile().empty_answer.to_owned(),
        }
    }

    /// The unified kind of an event, by the host's name for it.
    fn kind(&self, native_event: &str) -> EventKind {
        self.spec(native_event).kind
    }
}
