//! Reads the answer of a hook by Gemini CLI's rules.

use tenter_model::{Object, json};

use crate::trial::{Output, Reply, left_with, useless};

/// Effect of a hook's answer on the call.
///
/// The text is stdout, or stderr if that is empty. JSON counts whatever the exit code; other text is a reason to
/// block with every exit code above 1.
pub(super) fn conclude(event: &str, output: &Output<'_>) -> Reply {
    let gate = crate::Host::spec(&super::Gemini, event).gate;
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    let said = if stdout.is_empty() { stderr } else { stdout };
    // Recorded: a hook that was killed counts as one that exited with 0.
    let exit = output.exit.unwrap_or_default();
    if said.is_empty() {
        return if exit == 0 { Reply::Passed } else { left_with(exit) };
    }
    let Some(answer) = object(&said) else {
        return match exit {
            0 if said.starts_with(['{', '[']) => useless("it printed bad JSON"),
            0 => Reply::Passed,
            1 => left_with(exit),
            _ if gate => Reply::Stopped,
            _ => Reply::Passed,
        };
    };
    let answer = Object::parse(&answer).ok();
    let has = |key: &str| answer.as_ref().is_some_and(|answer| answer.has(key));
    let decision = answer.as_ref().and_then(|answer| answer.str("decision"));
    let ends = answer.as_ref().and_then(|answer| answer.bool("continue")) == Some(false);
    match decision.as_deref() {
        Some("deny" | "block") if gate => Reply::Stopped,
        _ if ends && gate => Reply::Stopped,
        Some("ask") if event == "BeforeTool" => Reply::Asked,
        None if has("permission") => {
            useless("its answer is one to Cursor, which Gemini CLI does not read")
        }
        None if answer.as_ref().is_some_and(is_claudes) => useless(
            "its answer is one to Claude Code, and without `decision` it lets everything pass",
        ),
        None if exit > 1 => useless(format!(
            "JSON without `decision` lets everything pass, whatever the exit code ({exit})"
        )),
        _ => Reply::Passed,
    }
}

fn is_claudes(answer: &Object<'_>) -> bool {
    let inner = answer.object("hookSpecificOutput");
    answer.has("permissionDecision") || inner.is_some_and(|inner| inner.has("permissionDecision"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// The object that the text holds; JSON inside a string is unpacked once.
fn object(said: &str) -> Option<String> {
    let text = match serde_json::from_str::<&serde_json::value::RawValue>(said) {
        Ok(raw) => json::string(raw).map_or_else(|| said.to_owned(), std::borrow::Cow::into_owned),
        Err(_) => return None,
    };
    Object::parse(&text).is_ok().then_some(text)
}
