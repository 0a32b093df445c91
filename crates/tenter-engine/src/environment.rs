//! What a hook's process finds in its environment, beside our own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::config::Hook;
use crate::layer::LayerKind;
use crate::payload::Payload;
use crate::settings::Settings;

/// Variables to set, or with `None` to remove: ours may come from another host's session.
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
        // A value that the system cannot hold would fail the start of the hook.
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

/// What stands before the payload on stdin, for [`in_shell`] to read.
pub(crate) const GO: &str = if cfg!(unix) { "\n" } else { "" };

/// The command in the words of the shell. PowerShell does not find `${NAME}` in the environment.
pub(crate) fn in_shell(command: &str) -> String {
    if cfg!(unix) {
        // Waits for the line that says that the guardian knows of it. Should we be killed before,
        // the input ends and so does the hook. On the same line, so that the shell's errors count
        // as if it were not there; `read` takes no more than its line from a pipe.
        return format!("read -r _||exit;{command}");
    }
    ["CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"]
        .iter()
        .fold(command.to_owned(), |text, name| {
            text.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}"))
        })
}
