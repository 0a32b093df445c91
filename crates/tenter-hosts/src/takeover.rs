//! Taking the hooks of other tools over into a policy, which then runs them on every host.

use serde_json::Value;

/// How a hook of this host becomes a handler of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Takeover {
    /// Why a handler with these fields cannot be taken over.
    pub refused: fn(&Value) -> Option<String>,
    /// The unified tools of an event that is about some only, or why the event cannot be taken over.
    pub tools: fn(&str) -> Result<&'static [&'static str], &'static str>,
    /// Unified events that stand for an event, where its own kind does not.
    pub instead: &'static [(&'static str, &'static str)],
    /// The handler is told which of the host's events it was written for.
    pub names_event: bool,
    /// Hooks of the user and the administrator start in the folder of their file.
    pub in_own_folder: bool,
}
