//! House rules: one hook for Cursor, Claude Code, Codex, Gemini CLI and Qwen Code, in Rust.
//!
//! The same rules as the Python, TypeScript and bash handlers in `examples/`, but a hook of its own:
//! [`serve`] speaks the host's dialect, so no `tenter run` stands in between. Build it with
//! `cargo build --release -p tenter-hosts --example house_rules` and give this line to the host as the
//! command of a hook:
//!
//! ```text
//! Cursor       /path/to/house_rules --host cursor
//! Claude Code  /path/to/house_rules --host claude
//! Codex        /path/to/house_rules --host codex
//! Gemini CLI   /path/to/house_rules --host gemini
//! Qwen Code    /path/to/house_rules --host qwen
//! ```
//!
//! The configuration files are in `examples/README.md`.

use std::process::ExitCode;

use tenter_hosts::author::{Response, serve};
use tenter_hosts::model::{Body, Event, StopInfo, ToolCall};

fn main() -> ExitCode {
    serve(respond)
}

fn respond(event: &Event<'_>) -> Response {
    match &event.body {
        Body::SessionStart { .. } => Response::context(
            "House rules: no rm -rf, no secrets, ask before you write files from the shell.",
        ),
        Body::PreToolUse(call) => before_tool(call),
        Body::PostToolUseFailure(_) => {
            Response::context("That failed; read the error before you try again.")
        }
        Body::Stop(info) => at_stop(info),
        _ => Response::none(),
    }
}

fn before_tool(call: &ToolCall<'_>) -> Response {
    if call.files().any(|file| base_name(file.path) == Some(".env")) {
        return Response::deny("secrets stay out of the conversation")
            .with_user_message("Kept the agent away from a secrets file.");
    }
    match call.command() {
        Some(command) if command.contains("rm -rf") => Response::deny("rm -rf is blocked"),
        Some(command) if command.contains(" > ") => {
            Response::ask("this writes a file from the shell")
        }
        Some(command) if command.starts_with("npm install") => {
            Response::none().with_input("command", &format!("p{command}"))
        }
        _ => Response::none(),
    }
}

fn at_stop(info: &StopInfo<'_>) -> Response {
    let last = info.last_assistant_message.as_ref();
    let left_open = last.is_some_and(|text| text.get().contains("TODO"));
    if left_open && info.stop_hook_active != Some(true) {
        // A deny at `Stop` means: go on, and do what the reason says.
        return Response::deny("You left a TODO; finish it.");
    }
    Response::none()
}

fn base_name(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next()
}
