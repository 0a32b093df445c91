//! Parses the result of `hooks/list` leniently: versions differ, and missing values are not guessed.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::Listed;

/// Approval status of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Managed by the administrator.
    Managed,
    Trusted,
    /// Approved once and changed since.
    Modified,
    Untrusted,
    /// Disabled by the user in Codex.
    Disabled,
    /// Approved once; only Codex can tell whether it has changed since.
    Approved,
    /// In a project that Codex does not trust.
    ProjectUntrusted,
    /// In a file, but not listed by Codex.
    Unlisted,
    /// A status of an unknown Codex version.
    Other(String),
}

impl Status {
    /// Whether the hook runs, as far as known.
    pub fn runs(&self) -> Option<bool> {
        match self {
            Status::Managed | Status::Trusted => Some(true),
            Status::Approved | Status::Other(_) => None,
            Status::Modified
            | Status::Untrusted
            | Status::Disabled
            | Status::ProjectUntrusted
            | Status::Unlisted => Some(false),
        }
    }

    /// Whether the user has to approve it.
    pub fn wants_approval(&self) -> bool {
        matches!(self, Status::Modified | Status::Untrusted | Status::ProjectUntrusted)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Managed => "managed",
            Status::Trusted => "trusted",
            Status::Modified => "modified since it was trusted",
            Status::Untrusted => "untrusted",
            Status::Disabled => "turned off in Codex",
            Status::Approved => "approved once, which cannot be verified without codex",
            Status::ProjectUntrusted => "in a project that Codex does not trust",
            Status::Unlisted => "not loaded by Codex",
            Status::Other(text) => text,
        })
    }
}

/// Codex's list of hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub hooks: Vec<Listed>,
    /// About files that Codex cannot use fully.
    pub warnings: Vec<String>,
}

impl Heard {
    pub(super) fn of(answer: Answer) -> Self {
        let hooks = answer.hooks.into_iter().map(|hook| hook.listed).collect();
        Self { hooks, warnings: answer.warnings }
    }
}

pub(super) struct Answer {
    pub(super) hooks: Vec<Raw>,
    pub(super) warnings: Vec<String>,
}

/// A hook with fields that only Codex needs.
pub(super) struct Raw {
    pub(super) listed: Listed,
    pub(super) hash: String,
    pub(super) in_background: bool,
}

/// Parses the result of `hooks/list`.
pub(super) fn read(result: &Value) -> Result<Answer, String> {
    let folders = result.get("data").and_then(Value::as_array);
    let folders = folders.ok_or("codex answered in a way that we do not know")?;
    let list = |key: &str| {
        let lists = folders.iter().filter_map(|folder| folder.get(key)?.as_array());
        lists.flatten().cloned().collect::<Vec<Value>>()
    };
    let hooks: Vec<Raw> = list("hooks").iter().filter_map(hook).collect();
    let said = |value: &Value| value.as_str().map(str::to_owned);
    let errors: Vec<String> =
        list("errors").iter().filter_map(|error| said(error.get("message")?)).collect();
    match errors.first() {
        Some(error) if hooks.is_empty() => {
            Err(format!("codex cannot read its configuration: {}", super::rpc::short(error)))
        }
        _ => {
            let warnings = list("warnings").iter().filter_map(said).chain(errors).collect();
            Ok(Answer { hooks, warnings })
        }
    }
}

fn hook(value: &Value) -> Option<Raw> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    let key = value.get("key")?.as_str()?;
    let mut places = key.rsplit(':').map_while(|part| part.parse().ok());
    // A missing position matches no hook of a file.
    let handler = places.next().unwrap_or(usize::MAX);
    let group = places.next().unwrap_or(usize::MAX);
    let status = if flag("isManaged") == Some(true) {
        Status::Managed
    } else if flag("enabled") == Some(false) {
        Status::Disabled
    } else {
        status(text("trustStatus"))
    };
    let listed = Listed {
        key: key.to_owned(),
        event: capitalised(text("eventName")),
        source: PathBuf::from(text("sourcePath")),
        group,
        handler,
        command: text("command").to_owned(),
        status,
    };
    let in_background = flag("async") == Some(true);
    Some(Raw { listed, hash: text("currentHash").to_owned(), in_background })
}

fn status(text: &str) -> Status {
    match text {
        "managed" => Status::Managed,
        "trusted" => Status::Trusted,
        "modified" => Status::Modified,
        "untrusted" => Status::Untrusted,
        "" => Status::Other("not told".to_owned()),
        other => Status::Other(super::rpc::short(other)),
    }
}

/// Capitalises `preToolUse` as in files.
fn capitalised(event: &str) -> String {
    let mut characters = event.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
