//! Prepares Claude Code's files for a run.

use std::path::PathBuf;

use serde_json::{Map, Value};
use tenter_hosts::install::Scope;
use tenter_model::text::first_chars;

use super::{Client, Depth, Driver, copy};
use crate::commands::scratch::Scratch;
use crate::error::CommandError;

/// Settings that disable hooks in any file; managed ones stay in effect by themselves.
const SWITCHES: &[&str] = &["disableAllHooks"];

/// Settings that run something, or change model and account.
const NOT_COPIED: &[&str] =
    &["agent", "forceLoginMethod", "forceLoginOrgUUID", "model", "parentSettingsBehavior"];

pub(super) const DRIVER: Driver =
    Driver { depths: &[Depth::Shape, Depth::Hooks], settle, arguments, environment };

/// Writes a scratch copy of each settings file of user and project.
fn settle(client: &Client<'_>, scratch: &Scratch, depth: Depth) -> Result<(), CommandError> {
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
            if depth == Depth::Shape {
                settings.extend(shape(&file.settings));
            }
            settings.insert("hooks".to_owned(), copy::hooks(file, depth == Depth::Shape).0);
        }
        if !settings.is_empty() {
            scratch.write(&folder.join(name), Value::Object(settings).to_string())?;
        }
    }
    Ok(())
}

/// The structure of the settings without anything that runs, is secret or has an effect here: plain values
/// are copied, lists emptied, and of objects only the permissions.
fn shape(settings: &Value) -> Map<String, Value> {
    let is_command =
        |key: &str| ["Helper", "Refresh", "Export"].iter().any(|end| key.ends_with(end));
    let mut shape = Map::new();
    for (key, value) in settings.as_object().into_iter().flatten() {
        let copy = match value {
            Value::String(_) if is_command(key) || NOT_COPIED.contains(&key.as_str()) => continue,
            Value::Array(_) => Value::Array(Vec::new()),
            Value::Object(_) if key == "permissions" => Value::Object(self::shape(value)),
            Value::Object(_) => continue,
            plain => plain.clone(),
        };
        shape.insert(key.clone(), copy);
    }
    shape
}

/// The client's message about a scratch settings file that it did not load.
pub(super) fn complaint(stderr: &str, scratch: &Scratch) -> Option<String> {
    let mut lines = stderr.lines().skip_while(|line| !line.contains("did not load"));
    let root = scratch.home().parent()?.display().to_string();
    let line = lines.find(|line| line.contains(&root))?;
    // `/tmp/.../settings.json (permissions.allow): Expected array, but received string`
    let (_, what) = line.split_once(".json")?;
    Some(first_chars(what.trim_start_matches(':').trim(), 200).to_owned())
}

/// The scratch folder for the user's.
fn folder(scratch: &Scratch) -> PathBuf {
    scratch.home().join(".claude")
}

fn arguments(_url: &str) -> Vec<String> {
    let words =
        ["-p", "Play the canary", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
    words.map(str::to_owned).to_vec()
}

fn environment(url: &str, scratch: &Scratch) -> Vec<(&'static str, String)> {
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
