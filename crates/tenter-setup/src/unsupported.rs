//! Agents that this version cannot guard: found and named, so that nobody takes silence for protection.

use tenter_hosts::install::System;

use crate::Places;

/// Titles of agents, and the programs that start them.
const AGENTS: &[(&str, &[&str])] = &[
    ("Aider", &["aider"]),
    ("Amp", &["amp"]),
    ("Antigravity", &["antigravity"]),
    ("Augment", &["auggie"]),
    ("Cline", &["cline"]),
    ("CodeBuddy", &["codebuddy"]),
    ("Crush", &["crush"]),
    ("Factory Droid", &["droid"]),
    ("GitHub Copilot CLI", &["copilot"]),
    ("Goose", &["goose"]),
    ("Grok Build", &["grok"]),
    ("Hermes", &["hermes"]),
    ("Kilo", &["kilo", "kilocode"]),
    ("Kimi Code", &["kimi"]),
    ("Kiro", &["kiro", "kiro-cli"]),
    ("Mistral Vibe", &["vibe"]),
    ("OpenCode", &["opencode"]),
    ("Qoder", &["qoder", "qodercli"]),
    ("Windsurf", &["windsurf"]),
];

/// Titles of the agents on `PATH` that have no support here.
pub fn found(places: &Places) -> Vec<&'static str> {
    let endings: &[&str] =
        if places.system == System::Windows { &[".exe", ".cmd", ".bat"] } else { &[""] };
    let is_here = |programs: &[&str]| {
        let names =
            programs.iter().flat_map(|name| endings.iter().map(move |it| format!("{name}{it}")));
        names.into_iter().any(|name| places.find_program(&name).is_some())
    };
    AGENTS.iter().filter(|(_, programs)| is_here(programs)).map(|(title, _)| *title).collect()
}
