//! Whether a human is asking, and not an agent that holds the same keyboard.

use std::io::{BufRead, IsTerminal, Write};

/// Variables that agents set for what they run.
const MARKS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CURSOR_AGENT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CODEX_SESSION_ID",
    "CODEX_TOOL_CALL_ID",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI",
    "COPILOT_CLI",
    "OPENCODE",
    "AIDER",
    "CRUSH",
    "AI_AGENT",
];

/// Programs that are agents. Editors with an agent in them are not: people have terminals there.
const AGENTS: &[&str] = &[
    "claude",
    "codex",
    "cursor-agent",
    "gemini",
    "copilot",
    "opencode",
    "aider",
    "crush",
    "goose",
    "qwen",
    "kimi",
];

const HINT: &str = "run it yourself, in a terminal of your own";

/// Fine, or why this is taken for an agent.
pub(crate) fn no_agent() -> Result<(), String> {
    if let Some(mark) = MARKS.iter().find(|mark| std::env::var_os(mark).is_some()) {
        return Err(format!("{mark} is set, so an agent is asking; {HINT}"));
    }
    if let Some(agent) = ancestor_agent() {
        return Err(format!("`{agent}` has started this, so an agent is asking; {HINT}"));
    }
    Ok(())
}

/// Fine, or why nobody is there to be asked.
pub(crate) fn present() -> Result<(), String> {
    no_agent()?;
    if has_terminal() {
        return Ok(());
    }
    Err(format!("there is no terminal, so no human is asking; {HINT}"))
}

/// Whether a question can be asked and answered.
pub(crate) fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for a line; an empty one is `None`.
pub(crate) fn line(question: &str) -> Result<Option<String>, String> {
    let mut terminal = std::io::stderr();
    let asked = write!(terminal, "{question} ").and_then(|()| terminal.flush());
    let mut answer = String::new();
    asked
        .and_then(|()| std::io::stdin().lock().read_line(&mut answer))
        .map_err(|error| format!("cannot ask: {error}"))?;
    Ok(Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}

/// Asks a yes-or-no question on the terminal; anything but a yes is a no.
pub(crate) fn agree(question: &str) -> Result<bool, String> {
    Ok(is_yes(line(&format!("{question} [y/N]"))?.as_deref()))
}

/// Whether an answer is a yes.
pub(crate) fn is_yes(answer: Option<&str>) -> bool {
    matches!(answer, Some("y" | "Y" | "yes" | "Yes" | "YES"))
}

/// An agent above us in the tree of processes, where the system shows that tree.
fn ancestor_agent() -> Option<String> {
    let mut process = std::process::id();
    for _ in 0..64 {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let parent =
            status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()?;
        if parent == 0 {
            return None;
        }
        let command = std::fs::read(format!("/proc/{parent}/cmdline")).unwrap_or_default();
        // An agent may be a script: the interpreter first, then the script.
        let mut words = command.split(|byte| *byte == 0).take(2).map(String::from_utf8_lossy);
        let found = words.find_map(|word| {
            let name = word.rsplit('/').next().unwrap_or_default();
            let name = name.strip_suffix(".js").unwrap_or(name);
            AGENTS.contains(&name).then(|| name.to_owned())
        });
        if found.is_some() {
            return found;
        }
        process = parent;
    }
    None
}
