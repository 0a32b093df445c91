//! What a host would send for a canary: its own event in its own words.

use std::path::Path;

use serde_json::{Map, Value, json};
use tenter_engine::{CursorEvent, Payload, Sample, Settings};
use tenter_model::HostId;

use super::{Canary, FILE, HARMLESS, PROMPT, SAMPLE, TOOL};

/// One call to be made up.
#[derive(Clone, Copy, Debug)]
pub(super) struct CanaryCall<'c> {
    pub(super) host: HostId,
    pub(super) event: &'c str,
    /// What the matcher of the event is tested against.
    pub(super) subject: &'c str,
    pub(super) canary: Canary,
    pub(super) token: &'c str,
    /// The folder that the host works in.
    pub(super) cwd: &'c Path,
}

impl CanaryCall<'_> {
    /// The payload, on one line.
    pub(super) fn payload(&self) -> String {
        match self.host {
            HostId::Cursor => self.cursor(),
            HostId::Claude | HostId::Codex => Value::Object(self.claude_shaped()).to_string(),
        }
    }

    fn command(&self) -> &str {
        match self.canary {
            Canary::Sample => SAMPLE,
            _ if self.subject == SAMPLE => SAMPLE,
            _ => HARMLESS,
        }
    }

    fn file(&self) -> String {
        self.cwd.join(FILE).display().to_string()
    }

    fn call_id(&self) -> String {
        format!("call-{}-{}", self.canary.as_str(), self.token)
    }

    fn cursor(&self) -> String {
        let settings = Settings::default();
        let session = self.canary.session(self.token);
        let Some(event) = CursorEvent::named(self.event) else {
            // No Cursor sends it; it must be known as a canary all the same.
            let payload = json!({
                "hook_event_name": self.event, "cursor_version": "0", "conversation_id": session,
                "session_id": session, "generation_id": self.token,
            });
            return payload.to_string();
        };
        let mut payload = Sample::new(event, self.cwd, &settings).finish();
        for key in ["conversation_id", "session_id"] {
            payload.set(key, &session);
        }
        payload.set("generation_id", &self.token);
        let mut replace = |key: &str, value: &Value| {
            if payload.get(key).is_some() {
                payload.set(key, value);
            }
        };
        replace("tool_use_id", &json!(self.call_id()));
        replace("tool_call_id", &json!(self.call_id()));
        replace("command", &json!(self.command()));
        replace("file_path", &json!(self.file()));
        replace("content", &json!("nothing\n"));
        replace("prompt", &json!(PROMPT));
        replace("task", &json!(PROMPT));
        replace("text", &json!(PROMPT));
        replace("attachments", &json!([]));
        match event {
            CursorEvent::PreToolUse
            | CursorEvent::PostToolUse
            | CursorEvent::PostToolUseFailure => {
                replace("tool_name", &json!(self.subject));
                replace("tool_input", &self.tool_input());
            }
            CursorEvent::BeforeMcpExecution | CursorEvent::AfterMcpExecution => {
                replace("tool_name", &json!(TOOL));
                replace("tool_input", &json!("{}"));
                replace("mcp_server_name", &json!("tenter"));
                replace("command", &json!("tenter-canary"));
            }
            CursorEvent::SubagentStart | CursorEvent::SubagentStop => {
                replace("subagent_type", &json!(self.subject));
            }
            _ => {}
        }
        Payload::to_json(&payload)
    }

    fn claude_shaped(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut set = |key: &str, value: Value| {
            fields.insert(key.to_owned(), value);
        };
        set("session_id", json!(self.canary.session(self.token)));
        set("transcript_path", Value::Null);
        set("cwd", json!(self.cwd.display().to_string()));
        set("hook_event_name", json!(self.event));
        if self.event != "SessionEnd" {
            set("permission_mode", json!("default"));
            if self.host == HostId::Codex {
                set("model", json!("canary"));
            }
        }
        if self.host == HostId::Codex && !self.event.starts_with("Session") {
            set("turn_id", json!(self.token));
        }
        match self.event {
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
            | "PermissionDenied" => {
                set("tool_name", json!(self.subject));
                set("tool_input", self.tool_input());
                if self.event != "PermissionRequest" {
                    set("tool_use_id", json!(self.call_id()));
                }
                if self.event == "PostToolUse" {
                    set("tool_response", json!(""));
                }
                if self.event == "PostToolUseFailure" {
                    set("error", json!("canary"));
                }
            }
            "UserPromptSubmit" => set("prompt", json!(PROMPT)),
            "SessionStart" => set("source", json!("startup")),
            "SessionEnd" => set("reason", json!("other")),
            "PreCompact" | "PostCompact" => set("trigger", json!(self.subject)),
            "SubagentStart" | "SubagentStop" => {
                set("agent_id", json!(self.token));
                set("agent_type", json!(self.subject));
            }
            "Notification" => {
                set("message", json!(PROMPT));
                set("notification_type", json!(self.subject));
            }
            _ => {}
        }
        if matches!(self.event, "Stop" | "SubagentStop") {
            set("stop_hook_active", json!(false));
            set("last_assistant_message", json!(PROMPT));
        }
        fields
    }

    fn tool_input(&self) -> Value {
        let file = self.file();
        match self.subject {
            "Bash" | "Shell" => json!({ "command": self.command() }),
            "apply_patch" => json!({
                "command": format!("*** Begin Patch\n*** Add File: {FILE}\n+x\n*** End Patch\n")
            }),
            "Write" => json!({ "file_path": file, "content": "x\n" }),
            "Edit" => json!({ "file_path": file, "old_string": "x", "new_string": "y" }),
            "Read" | "Delete" => json!({ "file_path": file }),
            "Grep" | "Glob" => json!({ "pattern": PROMPT }),
            "WebFetch" => json!({ "url": "http://127.0.0.1/", "prompt": PROMPT }),
            "WebSearch" => json!({ "query": PROMPT }),
            "Agent" | "Task" | "spawn_agent" => {
                json!({ "description": "canary", "prompt": PROMPT, "message": PROMPT })
            }
            _ => json!({}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_model::Object;

    fn call<'c>(host: HostId, event: &'c str, subject: &'c str, canary: Canary) -> CanaryCall<'c> {
        CanaryCall { host, event, subject, canary, token: "00ff", cwd: Path::new("/w/shop") }
    }

    #[test]
    fn every_event_decodes_as_its_own_with_a_session_and_no_notes() {
        for id in HostId::ALL {
            let host = tenter_hosts::host(id);
            let install = host.install();
            for wire in install.wires.iter().chain(install.others) {
                let subject = super::super::matching::subject(id, wire.event, None).unwrap();
                let text = call(id, wire.event, subject, Canary::Deny).payload();
                let object = Object::parse(&text).unwrap();
                let event = host.decode(&object);
                assert_eq!(event.native_event, wire.event, "{id}");
                assert_eq!(event.session_id.as_deref(), Some("tenter-canary-deny-00ff"), "{text}");
                assert!(event.notes.is_empty(), "{id} {}: {:?}", wire.event, event.notes);
                let kind = host.spec(wire.event).kind;
                assert_eq!(kind, event.kind(), "{id} {}", wire.event);
            }
        }
    }

    #[test]
    fn the_sample_is_in_the_shell_and_nowhere_else() {
        for (host, event, subject) in [
            (HostId::Cursor, "preToolUse", "Shell"),
            (HostId::Cursor, "beforeShellExecution", HARMLESS),
            (HostId::Claude, "PreToolUse", "Bash"),
            (HostId::Codex, "PreToolUse", "Bash"),
        ] {
            let sample = call(host, event, subject, Canary::Sample).payload();
            assert!(sample.contains(SAMPLE), "{sample}");
            for canary in [Canary::Deny, Canary::Pass] {
                let other = call(host, event, subject, canary).payload();
                assert!(other.contains(HARMLESS) && !other.contains(SAMPLE), "{other}");
            }
        }
    }
}
