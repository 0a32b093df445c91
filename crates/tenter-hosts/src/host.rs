//! What a host is to the rest of the program.

use tenter_model::{Event, EventKind, HostId, Object, Verdict};

use crate::capability::EventSpec;
use crate::detect::Signal;
use crate::encode::{Answer, AskFallback, Draft, EncodeOptions};
use crate::install::Install;
use crate::lint::Lint;
use crate::sessions::Sessions;
use crate::takeover::Takeover;
use crate::trial::{Output, Reply, Trial};

/// What is known of a host, as data.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub id: HostId,
    /// Every event this host documents.
    pub events: &'static [EventSpec],
    /// What the host wants to read when there is nothing to say.
    pub empty_answer: &'static str,
    /// What lets the action go on when not even the event's name is known.
    pub unnamed_answer: &'static str,
    /// What in a payload speaks for this host.
    pub signals: &'static [Signal],
    /// Where the host is asked to hook what it types into programs that already run; none if it does,
    /// or never types. Programs that read commands from their input are then asked about when they
    /// start.
    pub unhooked_input: Option<&'static str>,
}

/// A coding agent: its events, how to read them and how to answer them.
///
/// An implementation is a folder: `mod.rs` holds the table of events, `decode.rs` reads, `encode.rs`
/// adds what the table cannot say, `install.rs` says how it is wired. None touches anything outside
/// memory.
pub trait Host: Sync {
    fn profile(&self) -> &'static Profile;

    /// How we are wired to it.
    fn install(&self) -> &'static Install;

    /// What may stand in its hook files.
    fn lint(&self) -> &'static Lint {
        &Lint::CLAUDE_SHAPED
    }

    /// Reads a payload. Never fails: what is unknown or odd is passed through and noted.
    fn decode<'a>(&self, object: &Object<'a>) -> Event<'a>;

    /// How its hooks are tried out.
    fn trial(&self) -> &'static Trial {
        &Trial::CLAUDE_SHAPED
    }

    /// What becomes of a call at which a hook that left by itself gave this answer.
    fn conclude(&self, event: &str, output: &Output<'_>) -> Reply {
        let spec = self.spec(event);
        if spec.gate && (output.exit == Some(2) || spec.deny.is_in(output.stdout)) {
            return Reply::Stopped;
        }
        crate::claude::answer::conclude(event, output)
    }

    /// What it keeps of its sessions.
    fn sessions(&self) -> &'static Sessions {
        &Sessions::UNKNOWN
    }

    /// What becomes of an ask that the host cannot put to anybody.
    fn ask(&self, _options: &EncodeOptions) -> AskFallback {
        AskFallback::Deny
    }

    /// A short session, one payload a line, for `tenter demo`.
    fn demo(&self) -> &'static str {
        ""
    }

    /// How its hooks become handlers of a policy, where a policy can run them.
    fn takeover(&self) -> Option<&'static Takeover> {
        None
    }

    /// Changes a draft where version, mode or status matter. Most events need nothing.
    fn adjust(&self, _draft: &mut Draft<'_>, _options: &EncodeOptions) {}

    fn id(&self) -> HostId {
        self.profile().id
    }

    fn events(&self) -> &'static [EventSpec] {
        self.profile().events
    }

    /// The table's row for an event, by the host's own name for it.
    fn spec(&self, native_event: &str) -> &'static EventSpec {
        let mut events = self.events().iter();
        events.find(|spec| spec.native == native_event).unwrap_or(&EventSpec::UNKNOWN)
    }

    /// The row for an event that was read: one with an unknown name may still tell of a call ahead.
    fn spec_of(&self, event: &Event<'_>) -> &'static EventSpec {
        let spec = self.spec(&event.native_event);
        if spec.is_unknown() && event.kind() == EventKind::PreToolUse {
            &EventSpec::UNKNOWN_GATE
        } else {
            spec
        }
    }

    /// Writes an answer this host and version obeys.
    fn encode(&self, event: &Event<'_>, verdict: &Verdict, options: &EncodeOptions) -> Answer {
        let mut draft = Draft::new(event, self.spec_of(event), verdict);
        self.adjust(&mut draft, options);
        draft.finish(options)
    }

    /// The answer that leaves everything as it would be without a hook.
    fn neutral(&self, native_event: &str) -> String {
        match self.spec(native_event).base {
            Some((path, json)) => format!("{{\"{path}\":{json}}}"),
            None => self.profile().empty_answer.to_owned(),
        }
    }

    /// The unified kind of an event, by the host's own name for it.
    fn kind(&self, native_event: &str) -> EventKind {
        self.spec(native_event).kind
    }
}
