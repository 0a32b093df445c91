//! Converts the hooks of other tools into policy handlers, which then run on every host.

use serde_json::Value;

/// How hooks of this host are converted.
#[derive(Clone, Copy, Debug)]
pub struct Takeover {
    /// Why a handler with these fields cannot be converted.
    pub refused: fn(&Value) -> Option<String>,
    /// The unified tools of an event that concerns only some, or why the event cannot be converted.
    pub tools: fn(&str) -> Result<&'static [&'static str], &'static str>,
    /// Unified events used instead of an event's own kind.
    pub instead: &'static [(&'static str, &'static str)],
    /// Whether the handler is passed the name of the host's event.
    pub names_event: bool,
    /// Whether user and managed hooks run in the folder of their file.
    pub in_own_folder: bool,
}
