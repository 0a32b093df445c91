//! What a host makes of an answer, by the host's own rules.

use serde_json::{Map, Value};
use tenter_engine::CursorEvent;
use tenter_engine::answer::{self, Reading, Said};
use tenter_model::{Decision, HostId};

/// What becomes of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Stopped,
    Asked,
    Passed,
    /// The host cannot use the answer, and why. Most then let the call pass.
    Useless(String),
}

/// Reads an answer to an event as its host does. `exit` is `None` for a program that did not leave by
/// itself.
pub fn read(host: HostId, event: &str, exit: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Reply {
    let Some(exit) = exit else { return useless("it did not end by itself") };
    match host {
        HostId::Cursor => cursor(event, exit, stdout),
        HostId::Claude => claude(event, exit, stdout),
        HostId::Codex => codex(event, exit, stdout, stderr),
    }
}

fn useless(why: impl Into<String>) -> Reply {
    Reply::Useless(why.into())
}

fn left_with(exit: i32) -> Reply {
    useless(format!("it left with exit code {exit}"))
}

fn cursor(event: &str, exit: i32, stdout: &[u8]) -> Reply {
    let Some(event) = CursorEvent::named(event) else { return useless("Cursor has no such event") };
    match exit {
        0 => {}
        2 if event.can_block() => return Reply::Stopped,
        2 => return Reply::Passed,
        other => return left_with(other),
    }
    match answer::read(stdout, event.spec(), Reading::NEWEST) {
        Said::Answer(answer, _) => match answer.decision() {
            Some(Decision::Deny) => Reply::Stopped,
            Some(Decision::Ask) => Reply::Asked,
            Some(Decision::Allow) | None => Reply::Passed,
        },
        // Some versions of Cursor block on silence, others go on.
        Said::Nothing if event.can_block() => useless("it answered nothing"),
        Said::Nothing => Reply::Passed,
        Said::NotJson(fault) => useless(format!("its answer is no JSON: {fault}")),
        Said::OffSchema(fault) => useless(format!("its answer is not one to Cursor: {fault}")),
    }
}

/// The object on stdout, `None` where there is only text or nothing.
fn object(stdout: &[u8]) -> Result<Option<Map<String, Value>>, Reply> {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|_| useless("its answer is no JSON"))
}

fn text<'o>(object: &'o Map<String, Value>, key: &str) -> Option<&'o str> {
    object.get(key).and_then(Value::as_str)
}

fn inner(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.get("hookSpecificOutput").and_then(Value::as_object)
}

fn claude(event: &str, exit: i32, stdout: &[u8]) -> Reply {
    let can_exit = matches!(event, "PreToolUse" | "UserPromptSubmit");
    if exit == 2 && can_exit {
        return Reply::Stopped;
    }
    let object = match object(stdout) {
        Ok(Some(object)) => object,
        Ok(None) if exit == 0 => return Reply::Passed,
        Ok(None) => return left_with(exit),
        Err(reply) => return reply,
    };
    let specific = inner(&object);
    if let Some(specific) = specific
        && text(specific, "hookEventName") != Some(event)
    {
        return useless("its answer is one to another event");
    }
    let permission = specific.and_then(|specific| text(specific, "permissionDecision"));
    let behaviour = specific.and_then(|specific| specific.get("decision")?.get("behavior"));
    match (event, text(&object, "decision"), permission) {
        ("PreToolUse" | "UserPromptSubmit", Some("block"), _)
        | ("PreToolUse", _, Some("deny" | "defer")) => Reply::Stopped,
        ("PreToolUse", _, Some("ask")) => Reply::Asked,
        ("PermissionRequest", _, _) if behaviour == Some(&Value::from("deny")) => Reply::Stopped,
        _ if permission.is_none() && object.contains_key("permission") => {
            useless("its answer is one to Cursor, which Claude Code does not read")
        }
        _ => Reply::Passed,
    }
}

fn is_gate(event: &str) -> bool {
    matches!(event, "PreToolUse" | "UserPromptSubmit" | "PermissionRequest")
}

/// All that Codex knows at the top of an answer; one more key, and nothing of it counts.
const CODEX_OUTER: &[&str] = &[
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
];
const CODEX_INNER: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "decision",
];

fn codex(event: &str, exit: i32, stdout: &[u8], stderr: &[u8]) -> Reply {
    match exit {
        0 => {}
        2 if stderr.trim_ascii().is_empty() => {
            return useless("exit code 2 without a word on stderr does not count");
        }
        2 if is_gate(event) => return Reply::Stopped,
        2 => return Reply::Passed,
        other => return left_with(other),
    }
    let object = match object(stdout) {
        Ok(Some(object)) => object,
        Ok(None) => return Reply::Passed,
        Err(reply) => return reply,
    };
    let specific = inner(&object);
    let no_fields = Map::new();
    let inside = specific.unwrap_or(&no_fields);
    let stranger = object.keys().find(|key| !CODEX_OUTER.contains(&key.as_str()));
    let inner_stranger = inside.keys().find(|key| !CODEX_INNER.contains(&key.as_str()));
    if let Some(key) = stranger.or(inner_stranger) {
        return useless(format!("Codex knows no `{key}` in an answer and drops it whole"));
    }
    if specific.is_some() && text(inside, "hookEventName") != Some(event) {
        return useless("its answer is one to another event");
    }
    let said = |object: &Map<String, Value>, key: &str| {
        text(object, key).is_some_and(|reason| !reason.trim().is_empty())
    };
    let permission = text(inside, "permissionDecision");
    let behaviour = inside.get("decision").and_then(|decision| decision.get("behavior"));
    match (event, text(&object, "decision"), permission) {
        ("PreToolUse" | "UserPromptSubmit", Some("block"), _) if said(&object, "reason") => {
            Reply::Stopped
        }
        ("PreToolUse", None, Some("deny")) if said(inside, "permissionDecisionReason") => {
            Reply::Stopped
        }
        (_, Some("block"), _) | (_, _, Some("deny")) => useless("a denial without a reason"),
        ("PreToolUse", _, Some("ask")) => useless("Codex does not ask"),
        (_, Some(other), _) => useless(format!("Codex knows no decision `{other}`")),
        ("PermissionRequest", _, _) if behaviour == Some(&Value::from("deny")) => Reply::Stopped,
        _ => Reply::Passed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// What the real clients did with every answer that was tried on them.
    #[test]
    fn answers_are_read_as_the_recorded_clients_read_them() {
        let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tenter-hosts/src");
        let mut tried = 0;
        for (host, folder) in [
            (HostId::Claude, "claude/fixtures/claude-code-2.1.325"),
            (HostId::Codex, "codex/fixtures/codex-cli-0.166.0"),
        ] {
            let text = std::fs::read_to_string(hosts.join(folder).join("outcomes.json")).unwrap();
            let outcomes: Map<String, Value> = serde_json::from_str(&text).unwrap();
            for (name, outcome) in &outcomes {
                let Some(given) = outcome["reply"].get("PreToolUse") else { continue };
                // A program that sleeps gives no answer; a rewritten call leaves other traces.
                if given.get("sleep").is_some() || name.starts_with("rewrite") {
                    continue;
                }
                let bytes = |key: &str| given[key].as_str().unwrap_or_default().as_bytes().to_vec();
                let exit = given["exit"].as_i64().unwrap_or(0).try_into().unwrap();
                let reply =
                    read(host, "PreToolUse", Some(exit), &bytes("stdout"), &bytes("stderr"));
                let stops = reply == Reply::Stopped;
                let asks = reply == Reply::Asked;
                let ran = outcome["tool_ran"].as_bool().unwrap();
                assert!(asks || stops != ran, "{host} {name}: {reply:?}, but it ran: {ran}");
                tried += 1;
            }
        }
        assert!(tried > 40, "{tried}");
    }

    #[test]
    fn cursor_wants_a_permission_and_takes_exit_2_for_a_deny() {
        let shell = |exit, stdout: &str| {
            read(HostId::Cursor, "beforeShellExecution", Some(exit), stdout.as_bytes(), b"")
        };
        assert_eq!(shell(0, r#"{"permission":"deny"}"#), Reply::Stopped);
        assert_eq!(shell(0, r#"{"permission":"ask"}"#), Reply::Asked);
        assert_eq!(shell(0, r#"{"permission":"allow"}"#), Reply::Passed);
        assert_eq!(shell(2, ""), Reply::Stopped);
        assert!(matches!(shell(0, ""), Reply::Useless(_)));
        assert!(matches!(shell(0, "fine"), Reply::Useless(_)));
        assert!(matches!(shell(127, r#"{"permission":"deny"}"#), Reply::Useless(_)));
        let prompt =
            read(HostId::Cursor, "beforeSubmitPrompt", Some(0), br#"{"continue":false}"#, b"");
        assert_eq!(prompt, Reply::Stopped);
        assert_eq!(read(HostId::Cursor, "stop", Some(0), b"", b""), Reply::Passed);
    }

    #[test]
    fn other_gates_have_words_of_their_own() {
        let blocked = br#"{"decision":"block","reason":"no"}"#;
        let denied = br#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#;
        for host in [HostId::Claude, HostId::Codex] {
            assert_eq!(read(host, "UserPromptSubmit", Some(0), blocked, b""), Reply::Stopped);
            assert_eq!(read(host, "PermissionRequest", Some(0), denied, b""), Reply::Stopped);
            assert_eq!(read(host, "Stop", Some(0), b"", b""), Reply::Passed);
        }
        let exit = read(HostId::Claude, "PermissionRequest", Some(2), b"", b"no");
        assert!(matches!(exit, Reply::Useless(_)), "exit 2 is ignored there: {exit:?}");
    }
}
