//! Distinguishes faults from valid answers.

use serde_json::Value;

use super::call::{Call, Ran};
use super::world::{Trace, World};

/// The fault of a call, if any. `before` is the trace of the environment before it.
pub(super) fn fault(call: &Call, ran: &Ran, world: &World, before: &Trace) -> Option<String> {
    if let Some(signal) = ran.signal {
        let what = if signal == 9 { "did not end in time" } else { "died" };
        return Some(format!("{what} (signal {signal}) after {} ms", ran.took.as_millis()));
    }
    let Some(exit @ (0 | 2)) = ran.exit else {
        return Some(format!("exit {:?}: {}", ran.exit, ran.stderr));
    };
    let answer = match answer(&ran.stdout) {
        Ok(answer) => answer,
        Err(what) => return Some(what),
    };
    if !ran.untouched {
        return Some("the settings of the guard have changed".to_owned());
    }
    if call.danger && exit == 0 && !answer.as_ref().is_some_and(stops) {
        let answer = String::from_utf8_lossy(&ran.stdout);
        return Some(format!("a danger passed: {answer} {}", ran.stderr));
    }
    if world.recorded && world.trace() == *before {
        return Some(format!("no trace of the call: exit {exit}, {}", ran.stderr));
    }
    None
}

fn answer(stdout: &[u8]) -> Result<Option<Value>, String> {
    if stdout.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice::<Value>(stdout).map(Some).map_err(|error| {
        format!("the answer is no JSON ({error}): {}", String::from_utf8_lossy(stdout))
    })
}

/// Whether the answer makes its host block or ask, by the fields that recordings show to work.
fn stops(answer: &Value) -> bool {
    let word = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
    let asks = |word: Option<&str>| matches!(word, Some("deny" | "ask" | "block"));
    asks(word("/permission"))
        || asks(word("/decision"))
        || asks(word("/hookSpecificOutput/permissionDecision"))
        || answer.get("continue") == Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_host_obeys_counts_as_stopped() {
        for (answer, stopped) in [
            (r#"{"permission":"deny"}"#, true),
            (r#"{"permission":"allow"}"#, false),
            (r#"{"hookSpecificOutput":{"permissionDecision":"ask"}}"#, true),
            (r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#, false),
            (r#"{"decision":"block","reason":"r"}"#, true),
            (r#"{"systemMessage":"deny"}"#, false),
            ("{}", false),
        ] {
            assert_eq!(stops(&serde_json::from_str(answer).unwrap()), stopped, "{answer}");
        }
    }
}
