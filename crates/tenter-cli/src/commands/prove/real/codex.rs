//! Prepares Codex's files for a run.
//!
//! Codex stores an approval under the hook's file path and position. The copy has another path, so each
//! approval of our hooks is copied to its new key, unchanged: Codex compares the hash itself, and a hook it
//! does not trust in the user's file is not trusted here either.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::Scope;
use tenter_setup::codex_trust;
use tenter_setup::edit::{self, Format, FoundHook, Hook, Style};
use tenter_setup::survey::HookFile;

use super::{Client, Depth, Driver, copy};
use crate::commands::scratch::Scratch;
use crate::error::CommandError;

pub(super) const DRIVER: Driver =
    Driver { depths: &[Depth::Hooks], settle, arguments, environment };

fn settle(client: &Client<'_>, scratch: &Scratch, _depth: Depth) -> Result<(), CommandError> {
    let file = client.file;
    let folder = match file.scope {
        Scope::Project => scratch.project().join(".codex"),
        Scope::User | Scope::Managed => folder(scratch),
    };
    let name = file.path.file_name().unwrap_or_default();
    let copied = folder.join(name);
    let (hooks, mut places) = copy::hooks(file, false);
    let mut config = config(client, scratch);
    match file.format {
        _ if file.scope == Scope::Managed => places.clear(),
        Format::Json => {
            // Any other top-level key voids the file, so it is kept.
            let mut top = file.settings.as_object().cloned().unwrap_or_default();
            top.insert("hooks".to_owned(), hooks);
            scratch.write(&copied, Value::Object(top).to_string())?;
        }
        Format::Toml => {
            let (text, moved) = in_toml(file, &places)?;
            places = moved;
            if file.scope == Scope::User {
                config.push_str(&text);
            } else {
                scratch.write(&copied, &text)?;
            }
        }
    }
    for (found, group, handler) in places {
        config.push_str(&approval(client, &copied, found, group, handler));
    }
    scratch.write(&folder_file(scratch), &config)
}

/// The scratch folder for the user's.
fn folder(scratch: &Scratch) -> PathBuf {
    scratch.home().join(".codex")
}

fn folder_file(scratch: &Scratch) -> PathBuf {
    folder(scratch).join("config.toml")
}

fn config(client: &Client<'_>, scratch: &Scratch) -> String {
    let settings = user_settings(client);
    let mut text = String::from(
        "model = \"gpt-5.1-codex\"\nmodel_provider = \"tenter\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
         [analytics]\nenabled = false\n",
    );
    text.push_str("[features]\n");
    for key in ["hooks", "codex_hooks"] {
        let value = settings.and_then(|settings| settings.get("features")?.get(key)?.as_bool());
        if let Some(value) = value {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    // Codex ignores the hooks of a project that is not marked as trusted.
    let trusts = client.file.scope != Scope::Project
        || codex_trust::project_is_trusted(client.state, client.stage.cwd);
    if trusts {
        let project = quoted(&scratch.project().display().to_string());
        let _ = writeln!(text, "[projects.{project}]\ntrust_level = \"trusted\"");
    }
    text
}

/// Configures the model provider on the command line, since its port is not known earlier.
fn arguments(url: &str) -> Vec<String> {
    let provider = format!(
        "model_providers.tenter={{name=\"tenter\",base_url=\"{url}/v1\",wire_api=\"responses\",env_key=\"TENTER_MODEL_KEY\"}}"
    );
    let words = ["exec", "--skip-git-repo-check", "--json", "-c", &provider, "Play the canary"];
    words.map(str::to_owned).to_vec()
}

fn environment(_url: &str, scratch: &Scratch) -> Vec<(&'static str, String)> {
    vec![
        ("CODEX_HOME", folder(scratch).display().to_string()),
        ("TENTER_MODEL_KEY", "none".to_owned()),
    ]
}

/// The user's `config.toml`, with approvals and settings.
fn user_settings<'c>(client: &Client<'c>) -> Option<&'c Value> {
    let is_config = |file: &&HookFile| file.format == Format::Toml;
    client.state.in_scope(Scope::User).find(is_config).map(|file| &file.settings)
}

/// The approval of a hook under its new key, if any.
fn approval(
    client: &Client<'_>,
    copied: &Path,
    found: &FoundHook,
    group: usize,
    handler: usize,
) -> String {
    let approvals = user_settings(client).and_then(|settings| settings.get("hooks")?.get("state"));
    let own = &client.file.path;
    let real = own.canonicalize();
    let mut names = [Some(own.as_path()), real.as_deref().ok()].into_iter().flatten();
    let Some(approved) = names.find_map(|path| approvals?.get(codex_trust::key(path, found)))
    else {
        return String::new();
    };
    let moved = FoundHook { group, handler, ..found.clone() };
    let mut text = format!("[hooks.state.{}]\n", quoted(&codex_trust::key(copied, &moved)));
    if let Some(hash) = approved.get("trusted_hash").and_then(Value::as_str) {
        let _ = writeln!(text, "trusted_hash = {}", quoted(hash));
    }
    if let Some(enabled) = approved.get("enabled").and_then(Value::as_bool) {
        let _ = writeln!(text, "enabled = {enabled}");
    }
    text
}

type Places<'f> = Vec<(&'f FoundHook, usize, usize)>;

/// The hooks as TOML, with their positions.
fn in_toml<'f>(
    file: &HookFile,
    places: &[(&'f FoundHook, usize, usize)],
) -> Result<(String, Places<'f>), CommandError> {
    let hooks: Vec<Hook> = places.iter().map(|(found, _, _)| Hook::from(*found)).collect();
    let style = Style::of(file.host, Format::Toml);
    let text = edit::wire("", &style, &hooks, &|_| true).map_err(CommandError::failed)?;
    let there = edit::read(&text, &style).map_err(CommandError::failed)?;
    let mut moved: Places<'f> = Vec::new();
    for (found, _, _) in places {
        let before = moved.iter().filter(|(known, _, _)| known.event == found.event).count();
        let place = there.iter().filter(|it| it.event == found.event).nth(before);
        let place = place.ok_or_else(|| CommandError::failed("a hook got lost in its copy"))?;
        moved.push((found, place.group, place.handler));
    }
    Ok((text, moved))
}

/// A TOML string: JSON strings are valid TOML.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
