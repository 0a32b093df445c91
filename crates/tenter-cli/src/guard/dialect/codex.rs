//! Codex's format: Claude Code's payloads, with edits as patches and without tools that Codex does not have.

use tenter_engine::Payload;
use tenter_model::{Event, EventKind};
use tenter_policy::policy::Foreign;

use super::input::Input;
use super::{HandlerCall, claude, portable};

/// The calls that Codex would make of this event, or why it has none.
pub(super) fn calls(event: &Event<'_>, foreign: &Foreign) -> Result<Vec<HandlerCall>, String> {
    let kind = event.kind();
    if matches!(kind, EventKind::PostToolUseFailure | EventKind::Notification) {
        return Err(format!("Codex has no event like `{}`", event.native_event));
    }
    let calls = claude::calls(event, foreign)?;
    if event.host == foreign.speaks.host() {
        return Ok(calls);
    }
    Ok(calls.into_iter().map(|call| adapted(event, call)).collect())
}

/// A call in Claude Code's format as Codex would make it.
fn adapted(event: &Event<'_>, mut call: HandlerCall) -> HandlerCall {
    let mut payload = Payload::parse(&call.json).unwrap_or_default();
    payload.set("model", &event.model.as_deref().unwrap_or("default"));
    if !matches!(event.kind(), EventKind::SessionStart | EventKind::SessionEnd) {
        payload.set("turn_id", &event.turn_id.as_deref().unwrap_or_default());
    }
    let input = payload.get("tool_input").and_then(|raw| Payload::parse(raw.get()).ok());
    let input = input.unwrap_or_default();
    let text = |key: &str| input.text(key).unwrap_or_default();
    let path = text("file_path");
    let (tool, aliases, made): (_, &[&str], _) = match payload.text("tool_name").as_deref() {
        Some("Bash") => ("Bash", &[], ("command", text("command"))),
        Some("Read") => {
            ("Bash", &[], ("command", format!("cat -- '{}'", path.replace('\'', r"'\''"))))
        }
        Some("Write") => {
            let body = format!("*** Add File: {path}\n{}", lines("+", &text("content")));
            ("apply_patch", PATCH, ("command", patch(&body)))
        }
        Some("Edit") => {
            let (old, new) = (text("old_string"), text("new_string"));
            let change = lines("-", &old) + &lines("+", &new);
            let body = format!("*** Update File: {path}\n@@\n{change}");
            ("apply_patch", PATCH, ("command", patch(&body)))
        }
        Some("Agent") => ("spawn_agent", &["Agent"], ("message", text("prompt"))),
        // Other functions have their own names, in Codex too.
        _ => {
            call.json = portable(&payload);
            return call;
        }
    };
    let is_same = call.subjects.iter().any(|subject| subject == tool);
    let mut sent = Payload::default();
    sent.set(made.0, &made.1);
    payload.set("tool_name", &tool);
    payload.set("tool_input", &sent);
    if let Some(response) = payload.get("tool_response") {
        let printed = super::input::printed(Some(response));
        payload.set("tool_response", &printed);
    }
    call.subjects = [tool].iter().chain(aliases).map(|name| (*name).to_owned()).collect();
    if !is_same {
        call.input = Input::default();
    }
    call.json = portable(&payload);
    call
}

/// Names that Codex's matchers take for a patch.
const PATCH: &[&str] = &["Write", "Edit"];

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

/// Every line of a text with a mark before it.
fn lines(mark: &str, text: &str) -> String {
    text.lines().flat_map(|line| [mark, line, "\n"]).collect()
}
