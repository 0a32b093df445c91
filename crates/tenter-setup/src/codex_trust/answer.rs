//! What `hooks/list` answers, read leniently: versions differ, and what is missing is not made up.

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::Listed;

/// Whether Codex runs a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is the administrator's.
    Managed,
    Trusted,
    /// It was approved once and has been changed since.
    Modified,
    Untrusted,
    /// Its user turned it off in Codex.
    Disabled,
    /// It was approved once; whether it has changed since only Codex can tell.
    Approved,
    /// It stands in a project that Codex does not trust.
    ProjectUntrusted,
    /// It stands in a file, and Codex does not know of it.
    Unlisted,
    /// What a version of Codex that we do not know says.
    Other(String),
}

impl Status {
    /// Whether the hook runs, as far as that is known.
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

    /// Whether its user has to approve it.
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

/// What Codex says of its hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub hooks: Vec<Listed>,
    /// About files that it cannot use, or not well.
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

/// A hook with what only Codex needs to know.
pub(super) struct Raw {
    pub(super) listed: Listed,
    pub(super) hash: String,
    pub(super) in_background: bool,
}

/// Reads the result of `hooks/list`.
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
    // A place that is not told fits no hook of a file.
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

/// `preToolUse` as files write it.
fn capitalised(event: &str) -> String {
    let mut characters = event.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
