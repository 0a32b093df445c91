//! Reads an answer by the host's own rules.

use tenter_hosts::trial::{Output, Reply};
use tenter_model::HostId;

/// Reads an answer to an event as its host does. `exit` is `None` for a program that was killed.
pub fn read(host: HostId, event: &str, exit: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Reply {
    if exit.is_none() {
        return Reply::Useless("it did not end by itself".to_owned());
    }
    tenter_hosts::host(host).conclude(event, &Output { exit, stdout, stderr })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};
    use std::path::Path;

    /// Reactions of the real clients to every answer that was tried on them.
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
                // A sleeping program gives no answer; a rewritten call leaves other traces.
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
