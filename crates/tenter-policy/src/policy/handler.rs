//! Programs that a policy runs on events.

use serde::{Deserialize, Serialize};
use tenter_model::HostId;

use super::rule::{On, Sight, When};
use super::{FailMode, Origin};
use crate::scene::Scene;

/// What `[[handler]]` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handler {
    pub id: String,
    pub on: On,
    pub when: When,
    /// The program and its arguments; `{path}` stands for the file the event is about.
    pub run: Vec<String>,
    pub timeout_ms: u64,
    /// What its failure means, where that is not what the policy says of all handlers.
    pub fail: Option<FailMode>,
    /// It was written for a host and speaks that host's language.
    pub foreign: Option<Foreign>,
    pub origin: Origin,
    /// It comes with the project: it must not run before a human has trusted it.
    pub project: bool,
}

/// What is known of a handler that was written as a hook of a host. Texts that were not given are
/// empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    pub speaks: Speaks,
    /// The event it waits for, by the host's name; without one, the nearest to what happened.
    pub event: String,
    /// What the host would test before it runs it.
    pub matcher: String,
    /// The folder it runs in; without one, where the host would run it.
    pub cwd: String,
}

/// A host whose payloads a script reads, and in whose words it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speaks {
    Cursor,
    Claude,
}

impl Speaks {
    pub const ALL: [Speaks; 2] = [Speaks::Cursor, Speaks::Claude];

    pub const fn as_str(self) -> &'static str {
        self.host().as_str()
    }

    pub const fn host(self) -> HostId {
        match self {
            Speaks::Cursor => HostId::Cursor,
            Speaks::Claude => HostId::Claude,
        }
    }
}

/// How long a handler may take if it does not say.
pub(super) const TIMEOUT_MS: u64 = 10_000;

impl Handler {
    /// What its failure means. A project may only tighten that.
    pub fn fail_mode(&self, all: FailMode) -> FailMode {
        match self.fail {
            Some(own) if self.project => own.max(all),
            Some(own) => own,
            None => all,
        }
    }

    /// Whether it wants to see this event.
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
