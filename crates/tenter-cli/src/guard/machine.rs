//! Facts about the machine: environment, folders, clock. Read once.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tenter_policy::secrets::{encoded_secret, escaped_secret, secret_name, secret_value};
use tenter_shell::Language;
use tenter_shell::syntax::Dialect;

use super::files::Files;
use super::folders::Folders;
use crate::error::CommandError;

/// Variables with values that are not secret and often used in commands.
const VARIABLES: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "HOSTNAME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Maximum length of a value, longer than any path or search path in use.
const LONGEST_VALUE: usize = 16 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct LocalMachine {
    pub(crate) cwd: Option<String>,
    /// Language of commands.
    pub(crate) language: Language,
    variables: Vec<(String, String)>,
    secrets: Vec<(String, String)>,
    pub(crate) folders: Folders,
    /// Warnings about ignored environment variables.
    pub(crate) warnings: Vec<String>,
    /// Our own folders and files, for self-protection.
    own: Vec<String>,
    /// Seconds since 1970.
    pub(crate) now: u64,
    /// The same time in milliseconds.
    pub(crate) now_ms: u64,
    /// The file system.
    pub(crate) files: Files,
}

impl LocalMachine {
    pub(crate) fn read() -> Self {
        let mut variables = Vec::new();
        let mut secrets = Vec::new();
        for (name, value) in std::env::vars_os() {
            // A name or value that is not UTF-8 cannot occur in a command or text.
            let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else { continue };
            if VARIABLES.contains(&name.as_str()) {
                // A longer value is treated as unknown: it would be in every path that uses the variable.
                if value.len() <= LONGEST_VALUE {
                    variables.push((name, value));
                }
            } else if secret_name(&name) && secret_value(&value) {
                let hidden = [encoded_secret(&value), escaped_secret(&value)];
                secrets.extend(hidden.into_iter().flatten().map(|it| (name.clone(), it)));
                secrets.push((name, value));
            }
        }
        let cwd =
            std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok());
        let (folders, warnings) = Folders::here(cwd.as_deref().map(Path::new));
        let binary = std::env::current_exe().ok();
        let own = [&folders.config, &folders.state, &folders.data, &folders.cache]
            .into_iter()
            .flatten()
            .cloned()
            .chain([folders.managed.clone()])
            .chain(binary)
            .filter_map(|path| path.into_os_string().into_string().ok())
            .collect();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = since.as_secs();
        let now_ms = now.saturating_mul(1000).saturating_add(since.subsec_millis().into());
        let language = Language::Shell(Dialect::Bash);
        let files = Files::default();
        Self { cwd, language, variables, secrets, folders, warnings, own, now, now_ms, files }
    }

    /// The machine as seen from the folder given by `--cwd`, or the current one.
    pub(crate) fn at(cwd: Option<&str>) -> Result<Self, CommandError> {
        let mut machine = Self::read();
        if let Some(cwd) = cwd {
            // A folder of Windows is absolute on every system, as in the payload of a hook.
            let path = if tenter_shell::is_absolute(cwd) {
                Ok(cwd.into())
            } else {
                std::path::absolute(cwd)
            };
            let path = path.map_err(|error| CommandError::usage(format!("--cwd: {error}")))?;
            machine.cwd = path.into_os_string().into_string().ok();
        }
        Ok(machine)
    }

    /// The work folder, in the form that [`super::policies`] expects.
    pub(crate) fn here(&self) -> Vec<&str> {
        self.cwd.as_deref().into_iter().collect()
    }

    /// The same machine with this branch checked out.
    pub(crate) fn on_branch(&self, branch: Option<String>) -> Self {
        Self { files: Files::on_branch(branch), ..self.clone() }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn variables(&self) -> Vec<(&str, &str)> {
        pairs(&self.variables)
    }

    pub(crate) fn secrets(&self) -> Vec<(&str, &str)> {
        pairs(&self.secrets)
    }

    pub(crate) fn own(&self) -> Vec<&str> {
        self.own.iter().map(String::as_str).collect()
    }
}

fn pairs(owned: &[(String, String)]) -> Vec<(&str, &str)> {
    owned.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
