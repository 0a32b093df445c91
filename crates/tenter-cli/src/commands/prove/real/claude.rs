//! Claude Code's files for a run.

use std::path::PathBuf;

use serde_json::{Map, Value};
use tenter_hosts::install::Scope;

use super::scratch::Scratch;
use super::{Client, copy};

/// What turns hooks off in any file; the administrator's own switches are in files that stay in force.
const SWITCHES: &[&str] = &["disableAllHooks"];

/// Writes a settings file for every one that the user or the project has.
pub(super) fn settle(client: &Client<'_>, scratch: &Scratch) -> Result<(), String> {
    for file in client.state.files.iter().filter(|file| file.scope != Scope::Managed) {
        let Some(name) = file.path.file_name() else { continue };
        let folder = match file.scope {
            Scope::Project => scratch.project().join(".claude"),
            Scope::User | Scope::Managed => folder(scratch),
        };
        let mut settings = Map::new();
        for key in SWITCHES {
            if let Some(value) = file.settings.get(key) {
                settings.insert((*key).to_owned(), value.clone());
            }
        }
        if file.path == client.file.path {
            settings.insert("hooks".to_owned(), copy::hooks(file).0);
        }
        if !settings.is_empty() {
            scratch.write(&folder.join(name), &Value::Object(settings).to_string())?;
        }
    }
    Ok(())
}

/// The folder that stands for the user's.
pub(super) fn folder(scratch: &Scratch) -> PathBuf {
    scratch.home().join(".claude")
}

pub(super) fn arguments() -> Vec<&'static str> {
    vec!["-p", "Play the canary", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
}

pub(super) fn environment(url: &str, scratch: &Scratch) -> Vec<(&'static str, String)> {
    let on = || "1".to_owned();
    vec![
        ("CLAUDE_CONFIG_DIR", folder(scratch).display().to_string()),
        ("ANTHROPIC_BASE_URL", url.to_owned()),
        ("ANTHROPIC_API_KEY", "none".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
        ("DISABLE_AUTOUPDATER", on()),
        ("DISABLE_ERROR_REPORTING", on()),
        ("DISABLE_TELEMETRY", on()),
    ]
}
