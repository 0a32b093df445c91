//! Programs that a policy runs on events.

use serde::{Deserialize, Serialize};

use super::rule::{On, Sight, When};
use super::{Layer, Origin};
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
    pub origin: Origin,
    /// It comes with the project: it must not run before a human has trusted it.
    pub project: bool,
}

/// How long a handler may take if it does not say.
pub(super) const TIMEOUT_MS: u64 = 10_000;

impl Handler {
    pub fn layer(&self) -> Option<Layer> {
        self.origin.layer()
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
