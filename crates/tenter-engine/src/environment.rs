//! Environment variables and shell of a hook's process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::config::Hook;
use crate::layer::LayerKind;
use crate::payload::Payload;
use crate::settings::Settings;

/// Variables to set, or with `None` to remove: ours may stem from another host's session.
pub(crate) fn variables(
    hook: &Hook,
    payload: &Payload,
    settings: &Settings,
    session: &BTreeMap<String, String>,
) -> Vec<(String, Option<OsString>)> {
    let project = hook.layer.project.clone().or_else(|| first_root(payload));
    let project = project.map(PathBuf::into_os_string);
    let text = |key: &str| payload.text(key).map(OsString::from);
    let version = text("cursor_version").unwrap_or_else(|| settings.cursor_version.clone().into());
    let email = text("user_email").or_else(|| settings.user_email.clone().map(OsString::from));
    let is_plugin = hook.layer.kind == LayerKind::Plugin;
    let plugin = is_plugin.then(|| hook.layer.directory.clone().into_os_string());
    let mut variables: Vec<(String, Option<OsString>)> =
        session.iter().map(|(name, value)| (name.clone(), Some(value.into()))).collect();
    for (name, value) in [
        ("CURSOR_PROJECT_DIR", project.clone()),
        ("CLAUDE_PROJECT_DIR", project),
        ("CURSOR_VERSION", Some(version)),
        ("CURSOR_USER_EMAIL", email),
        ("CURSOR_TRANSCRIPT_PATH", text("transcript_path")),
        ("CURSOR_CODE_REMOTE", settings.remote.then(|| "true".into())),
        ("CURSOR_PLUGIN_ROOT", plugin.clone()),
        ("CLAUDE_PLUGIN_ROOT", plugin),
    ] {
        // A value with NUL cannot be passed and would make the hook's start fail.
        let value = value.filter(|value| !value.to_string_lossy().contains('\0'));
        variables.push((name.to_owned(), value));
    }
    variables
}

fn first_root(payload: &Payload) -> Option<PathBuf> {
    payload.texts("workspace_roots")?.first().map(PathBuf::from)
}

/// The shell that runs commands, and its arguments before the command.
#[cfg(unix)]
pub(crate) const SHELL: (&str, &[&str]) = ("/bin/sh", &["-c"]);
/// The shell that runs commands, and its arguments before the command.
#[cfg(not(unix))]
pub(crate) const SHELL: (&str, &[&str]) = (
    "powershell.exe",
    &["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"],
);

/// Prefix on stdin that [`in_shell`] waits for before it runs the command.
pub(crate) const GO: &str = if cfg!(unix) { "\n" } else { "" };

/// Wraps the command for the shell. PowerShell does not expand `${NAME}` from the environment.
pub(crate) fn in_shell(command: &str) -> String {
    if cfg!(unix) {
        // Waits for the line that says that the guardian has registered the group. If we are killed before
        // that, stdin ends and the hook exits. Kept on the same line so that line numbers in shell errors
        // stay right; `read` consumes no more than its line from a pipe.
        return format!("read -r _||exit;{command}");
    }
    ["CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]
        .iter()
        .fold(command.to_owned(), |text, name| {
            text.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}"))
        })
}
