//! Mistakes in policy files, with position.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Layer;

/// A mistake in a policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub severity: Severity,
    pub layer: Layer,
    pub file: String,
    /// From 1; 0 for the whole file.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// Path of the key: `guards.secrets.level`; empty if there is none.
    pub key: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The value is ignored; the rest of the file applies.
    Warning,
    /// The whole file is ignored.
    Error,
}

/// A position in a file. Lines and columns count from 1; 0 is the whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The name most similar to `word`, ignoring case, if any is similar.
pub fn nearest<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    const ENOUGH: f64 = 0.6;
    // A prefix of this length counts as similar, like a typo.
    const BEGINNING: usize = 4;
    let word = word.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let begins = word.len() >= BEGINNING && name.starts_with(&word);
        let first = name.split('-').next().unwrap_or_default();
        let slip = word.len() >= BEGINNING && strsim::damerau_levenshtein(&word, first) == 1;
        let least = if begins || slip { ENOUGH } else { 0.0 };
        strsim::normalized_damerau_levenshtein(&word, &name).max(least)
    };
    let scored = names.iter().map(|name| (likeness(name), *name));
    scored
        .filter(|(score, _)| *score >= ENOUGH)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

/// The message for an unknown word, with suggestions.
pub(crate) fn unknown(what: &str, word: &str, of: &str, names: &[&str]) -> String {
    let of = if of.is_empty() { String::new() } else { format!(" of `{of}`") };
    let meant = meant(what, word).or_else(|| nearest(word, names));
    let near = meant.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
    format!("unknown {what} `{word}`{of}; {near}known: {}", names.join(", "))
}

/// Our name for a level, or an action as the value of `on`, by the names of other tools and common misspellings.
fn meant(what: &str, word: &str) -> Option<&'static str> {
    const LEVELS: &[(&str, &[&str])] = &[
        ("deny", &["block", "error", "forbid", "reject", "refuse"]),
        ("ask", &["confirm", "prompt"]),
        ("log", &["audit", "info", "monitor", "shadow", "warn", "warning"]),
        ("off", &["allow", "disabled", "ignore", "none", "pass", "permit"]),
    ];
    const ACTIONS: &[(&str, &[&str])] = &[
        (
            "shell",
            &[
                "bash",
                "beforeshellexecution",
                "cmd",
                "command",
                "exec",
                "powershell",
                "run",
                "sh",
                "terminal",
            ],
        ),
        ("read", &["beforereadfile", "cat", "open", "readfile"]),
        ("write", &["create", "save", "writefile"]),
        ("edit", &["afterfileedit", "apply_patch", "change", "editfile", "multiedit", "patch"]),
        ("delete", &["remove", "rm", "unlink"]),
        ("search", &["find", "glob", "grep"]),
        ("fetch", &["curl", "http", "network", "url", "web", "webfetch"]),
        ("mcp", &["beforemcpexecution", "server"]),
        ("prompt", &["beforesubmitprompt", "userprompt"]),
        ("task", &["agent", "spawn_agent", "subagent"]),
        ("any", &["*", "all"]),
    ];
    let others = match what {
        "level" => LEVELS,
        "event" => ACTIONS,
        _ => return None,
    };
    let word = word.to_lowercase();
    let slip = |other: &&str| {
        *other == word || other.len() > 3 && strsim::damerau_levenshtein(other, &word) == 1
    };
    others.iter().find(|(_, others)| others.iter().any(slip)).map(|(ours, _)| *ours)
}
