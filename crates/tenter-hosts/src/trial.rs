//! Trying out a hook: a canary payload, how the host starts the hook, and how it reads the answer.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::install::Scope;

/// A command without any effect.
pub const HARMLESS: &str = ": tenter-canary";
/// Prompt, or task of a subagent.
pub const PROMPT: &str = "tenter canary: nothing to do here";
/// File name used in canaries; no file is accessed.
pub const FILE: &str = "tenter-canary.txt";
/// Tool of an MCP server that does not exist.
pub const TOOL: &str = "tenter_canary";
/// A command every reasonable policy blocks. It is only judged, never run.
pub const SAMPLE: &str = "rm -rf /";

/// Last key of a payload that `tenter fire` made up: the call is judged and leaves no trace.
pub const TRIAL: &str = "tenter_trial";
/// Last key of a payload from an agent that embeds the engine: the call is no sign of life of the host whose
/// payloads it sends.
pub const EMBEDDED: &str = "tenter_embedded";

/// Whether a payload ends with this key, set to true. Only who writes the payload can put it there: in a text
/// or an inner object the end would look different.
pub fn is_marked(payload: &str, key: &str) -> bool {
    let rest = payload.trim_end().strip_suffix("\":true}");
    rest.and_then(|rest| rest.strip_suffix(key)).is_some_and(|rest| rest.ends_with(",\""))
}

/// Parameters of a canary call.
#[derive(Clone, Copy, Debug)]
pub struct TrialCall<'c> {
    pub event: &'c str,
    /// Text for the event's matcher.
    pub subject: &'c str,
    /// Shell command.
    pub command: &'c str,
    pub session: &'c str,
    /// Unique call id.
    pub id: &'c str,
    pub turn: &'c str,
    /// Working directory of the host.
    pub cwd: &'c Path,
}

/// Output of a hook process.
#[derive(Clone, Copy, Debug)]
pub struct Output<'o> {
    /// `None` if the program was killed.
    pub exit: Option<i32>,
    pub stdout: &'o [u8],
    pub stderr: &'o [u8],
}

/// Effect on the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Stopped,
    Asked,
    Passed,
    /// The host cannot use the answer, and why. Most then allow the call.
    Useless(String),
}

pub(crate) fn useless(why: impl Into<String>) -> Reply {
    Reply::Useless(why.into())
}

pub(crate) fn left_with(exit: i32) -> Reply {
    useless(format!("it left with exit code {exit}"))
}

/// How a host starts a hook.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Scopes whose hooks run in the folder of their file; others run in the session's folder.
    pub in_own_folder: &'static [Scope],
    /// Environment variables with the session's folder.
    pub project_variables: &'static [&'static str],
    pub variables: &'static [(&'static str, &'static str)],
    /// Handler keys with a separate command for Windows.
    pub windows_keys: &'static [&'static str],
    /// Shell on Windows, with its flags.
    pub windows: &'static [&'static str],
    /// Whether a handler can request PowerShell by the key `shell`.
    pub names_shell: bool,
    /// Whether other systems use the session's shell.
    pub own_shell: bool,
    /// Default timeout of an event.
    pub timeout: fn(&str) -> Duration,
}

/// PowerShell command line used by hosts on Windows.
pub const POWERSHELL: &[&str] =
    &["powershell.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"];

/// Data for trying out a host's hooks.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Matcher subjects of an event, the most common first; empty if matchers are ignored.
    pub subjects: fn(&str) -> &'static [&'static str],
    /// Names that match a subject although they are never sent.
    pub aliases: &'static [(&'static str, &'static [&'static str])],
    /// The payload as the host would send it, on one line.
    pub payload: fn(&TrialCall<'_>) -> String,
    pub launch: Launch,
    /// Name of the event for shell commands.
    pub shell_event: &'static str,
    /// Why `prove --real` has no driver for the real client; unused if it has one.
    pub undriven: &'static str,
}

impl Trial {
    pub const CLAUDE_SHAPED: Self = Self {
        subjects: |event| match event {
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => {
                &["Bash", "Write", "Edit", "Read"]
            }
            "SessionStart" => &["startup"],
            "SessionEnd" => &["other"],
            "PreCompact" | "PostCompact" => &["manual", "auto"],
            _ => &[],
        },
        aliases: &[],
        payload: |call| Value::Object(claude_shaped(call)).to_string(),
        launch: Launch {
            in_own_folder: &[],
            project_variables: &[],
            variables: &[],
            windows_keys: &[],
            windows: POWERSHELL,
            names_shell: false,
            own_shell: false,
            timeout: |_| Duration::from_mins(1),
        },
        shell_event: "PreToolUse",
        undriven: "cannot be driven",
    };
}

impl TrialCall<'_> {
    pub(crate) fn file(&self) -> String {
        self.cwd.join(FILE).display().to_string()
    }

    /// Input of the tool that is the subject.
    pub(crate) fn tool_input(&self) -> Value {
        let file = self.file();
        match self.subject {
            "Bash" | "Shell" | "run_shell_command" => json!({ "command": self.command }),
            "apply_patch" => json!({
                "command": format!("*** Begin Patch\n*** Add File: {FILE}\n+x\n*** End Patch\n")
            }),
            "Write" | "write_file" => json!({ "file_path": file, "content": "x\n" }),
            "Edit" | "replace" | "edit" => {
                json!({ "file_path": file, "old_string": "x", "new_string": "y" })
            }
            "Read" | "read_file" | "Delete" => json!({ "file_path": file }),
            "Grep" | "grep_search" | "Glob" | "glob" => json!({ "pattern": PROMPT }),
            "web_fetch" => json!({ "prompt": "http://127.0.0.1/" }),
            "WebFetch" => json!({ "url": "http://127.0.0.1/", "prompt": PROMPT }),
            "WebSearch" => json!({ "query": PROMPT }),
            "Agent" | "agent" | "Task" | "spawn_agent" | "invoke_agent" => {
                json!({ "description": "canary", "prompt": PROMPT, "message": PROMPT })
            }
            _ => json!({}),
        }
    }
}

/// A payload in Claude Code's shape.
pub(crate) fn claude_shaped(call: &TrialCall<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    set("session_id", json!(call.session));
    set("transcript_path", Value::Null);
    set("cwd", json!(call.cwd.display().to_string()));
    set("hook_event_name", json!(call.event));
    if call.event != "SessionEnd" {
        set("permission_mode", json!("default"));
    }
    match call.event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
        | "PermissionDenied" => {
            set("tool_name", json!(call.subject));
            set("tool_input", call.tool_input());
            if call.event != "PermissionRequest" {
                set("tool_use_id", json!(call.id));
            }
            if call.event == "PostToolUse" {
                set("tool_response", json!(""));
            }
            if call.event == "PostToolUseFailure" {
                set("error", json!("canary"));
            }
        }
        "UserPromptSubmit" => set("prompt", json!(PROMPT)),
        "SessionStart" => set("source", json!("startup")),
        "SessionEnd" => set("reason", json!("other")),
        "PreCompact" | "PostCompact" => set("trigger", json!(call.subject)),
        "SubagentStart" | "SubagentStop" => {
            set("agent_id", json!(call.turn));
            set("agent_type", json!(call.subject));
        }
        "Notification" => {
            set("message", json!(PROMPT));
            set("notification_type", json!(call.subject));
        }
        _ => {}
    }
    if matches!(call.event, "Stop" | "SubagentStop") {
        set("stop_hook_active", json!(false));
        set("last_assistant_message", json!(PROMPT));
    }
    fields
}
