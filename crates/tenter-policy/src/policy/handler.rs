//! Handlers: programs that a policy runs on events.

use serde::{Deserialize, Serialize};
use tenter_model::HostId;

use super::rule::{On, Sight, When};
use super::{FailMode, Origin};
use crate::scene::Scene;

/// A `[[handler]]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handler {
    pub id: String,
    pub on: On,
    pub when: When,
    /// The program and its arguments; `{path}` is replaced by the event's file.
    pub run: Vec<String>,
    pub timeout_ms: u64,
    /// Its fail mode, if it differs from the policy's.
    pub fail: Option<FailMode>,
    /// Set for a script written for a host.
    pub foreign: Option<Foreign>,
    pub origin: Origin,
    /// From a project's policy: it must not run before the user has trusted it.
    pub project: bool,
}

/// Properties of a handler written as a hook of a host. Missing texts are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    pub speaks: Speaks,
    /// The event it expects, by the host's name; empty for the nearest to the actual event.
    pub event: String,
    /// The matcher that the host would test first.
    pub matcher: String,
    /// Its working folder; empty for the host's default.
    pub cwd: String,
}

/// A host whose payload format a script reads and answers in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speaks {
    Cursor,
    Claude,
    Codex,
}

impl Speaks {
    pub const ALL: [Speaks; 3] = [Speaks::Cursor, Speaks::Claude, Speaks::Codex];

    pub const fn as_str(self) -> &'static str {
        self.host().as_str()
    }

    pub const fn host(self) -> HostId {
        match self {
            Speaks::Cursor => HostId::Cursor,
            Speaks::Claude => HostId::Claude,
            Speaks::Codex => HostId::Codex,
        }
    }
}

/// Default timeout.
pub(super) const TIMEOUT_MS: u64 = 10_000;

impl Handler {
    /// Its fail mode. A project may only tighten it.
    pub fn fail_mode(&self, all: FailMode) -> FailMode {
        match self.fail {
            Some(own) if self.project => own.max(all),
            Some(own) => own,
            None => all,
        }
    }

    /// Whether it handles this event.
    pub fn fits(&self, scene: &Scene<'_>) -> bool {
        let sight = Sight::new(scene);
        let Some(mask) = sight.concerns(&self.on) else {
            return false;
        };
        let mut hits = Vec::new();
        sight.hits(&self.when, mask, &mut hits);
        !hits.is_empty()
    }
}
