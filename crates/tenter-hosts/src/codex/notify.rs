//! The older `notify` mechanism: one JSON object as the last argument, stdin empty, result ignored.

use tenter_model::Object;

/// The only `type` that Codex sends today; others are passed through as `Other`.
pub const TURN_COMPLETE: &str = "agent-turn-complete";

/// Whether `argument` is a notification and not an argument of a user's command.
pub fn is_notification(argument: &str) -> bool {
    argument.trim_ascii_start().starts_with('{')
        && Object::parse(argument)
            .is_ok_and(|object| object.str("type").is_some() && !object.has("hook_event_name"))
}
