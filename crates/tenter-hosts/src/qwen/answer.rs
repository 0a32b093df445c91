//! Reads the answer of a hook by Qwen Code's rules.

use tenter_model::{EventKind, Object};

use crate::trial::{Output, Reply, left_with, useless};

/// Effect of a hook's answer on the call.
///
/// Exit code 2 counts with a text on stderr only, whatever stdout holds; with any other code JSON on stdout counts.
pub(super) fn conclude(event: &str, output: &Output<'_>) -> Reply {
    let spec = crate::Host::spec(&super::Qwen, event);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    let stopped = if spec.gate { Reply::Stopped } else { Reply::Passed };
    let Some(exit) = output.exit else { return Reply::Passed };
    if exit == 2 {
        return match Object::parse(&stderr) {
            _ if stderr.is_empty() => {
                useless("exit code 2 without a word on stderr does not count")
            }
            Ok(answer) => read(event, spec.kind, &answer, stopped),
            Err(_) => stopped,
        };
    }
    let said = if stdout.is_empty() { &stderr } else { &stdout };
    match Object::parse(said) {
        Ok(answer) => read(event, spec.kind, &answer, stopped),
        Err(_) if exit != 0 => left_with(exit),
        Err(_) if said.starts_with('{') => useless("it printed bad JSON"),
        Err(_) => Reply::Passed,
    }
}

fn read(event: &str, kind: EventKind, answer: &Object<'_>, stopped: Reply) -> Reply {
    let inner = answer.object("hookSpecificOutput");
    let inside = |key: &str| inner.as_ref().and_then(|inner| inner.str(key));
    let permission = inside("permissionDecision").filter(|_| kind == EventKind::PreToolUse);
    let decision = permission.or_else(|| answer.str("decision"));
    let asked = inner.as_ref().and_then(|inner| inner.object("decision"));
    let refuses = asked.is_some_and(|asked| asked.str("behavior").as_deref() == Some("deny"));
    match decision.as_deref() {
        Some("deny" | "block") => stopped,
        Some("ask") if event == "PreToolUse" => Reply::Asked,
        _ if refuses && kind == EventKind::PermissionRequest => stopped,
        _ if answer.bool("continue") == Some(false) => stopped,
        None if answer.has("permission") => {
            useless("its answer is one to Cursor, which Qwen Code does not read")
        }
        None if answer.has("permissionDecision") => {
            useless("`permissionDecision` counts in `hookSpecificOutput` only")
        }
        _ => Reply::Passed,
    }
}
