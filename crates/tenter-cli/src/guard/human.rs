//! Checks that a human is asking, and not an agent with the same keyboard.
//!
//! Three checks, each of which an agent can pass only partly: no sign of an agent around this process
//! ([`no_agent`]), a terminal ([`present`]), and, for loosening the guard while an agent runs, words typed at
//! that terminal ([`may_loosen`]). docs/presence.md describes the remaining gaps.

mod challenge;
mod evidence;
pub(crate) mod namespaces;
pub(crate) mod processes;

use std::io::{BufRead, IsTerminal, Write};

use crate::error::CommandError;
use evidence::Evidence;
use namespaces::NamespaceCheck;

/// Variables that agents set for child processes.
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

/// Names of agent programs. Editors with agents are not included: people use their terminals.
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

/// Fails with the sign of an agent, if there is one.
pub(crate) fn no_agent() -> Result<(), CommandError> {
    examine().map(drop)
}

fn examine() -> Result<Evidence, CommandError> {
    hide();
    if let Some(mark) = MARKS.iter().find(|mark| std::env::var_os(mark).is_some()) {
        return Err(CommandError::failed(format!("{mark} is set, so an agent is asking; {HINT}")));
    }
    let evidence = Evidence::gather();
    if let NamespaceCheck::Refused(why) = evidence.of_namespaces() {
        return Err(CommandError::failed(why));
    }
    match evidence.of_agent() {
        Some(why) => Err(CommandError::failed(format!("{why}, so an agent is asking; {HINT}"))),
        None => Ok(evidence),
    }
}

/// Prevents other programs of this user from tracing us and answering for the user.
fn hide() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Where that is not possible, a tracer is still detected.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Fails if there is no terminal.
pub(crate) fn present() -> Result<(), CommandError> {
    no_agent()?;
    if has_terminal() {
        return Ok(());
    }
    Err(CommandError::failed(format!("there is no terminal, so no human is asking; {HINT}")))
}

/// Fails if the guard may not be loosened; checked last. While an agent runs, the user types some words.
/// Without a terminal (CI, package scripts) it is allowed only while no agent runs.
pub(crate) fn may_loosen() -> Result<(), CommandError> {
    let evidence = examine()?;
    if has_terminal() {
        let asked =
            evidence.running().is_some() || evidence.of_namespaces() == NamespaceCheck::Doubt;
        return if asked { challenge::pass() } else { Ok(()) };
    }
    match evidence.running_lately() {
        None => Ok(()),
        Some(agent) => Err(CommandError::failed(format!(
            "an agent is running or has ended just now (`{}`, process {}), and without a terminal a human cannot be \
             told from it; {HINT}",
            agent.name, agent.pid
        ))),
    }
}

/// Whether a question can be asked and answered.
pub(crate) fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for a line; an empty one is `None`.
pub(crate) fn line(question: &str) -> Result<Option<String>, CommandError> {
    let mut terminal = std::io::stderr();
    let asked = write!(terminal, "{question} ").and_then(|()| terminal.flush());
    let mut answer = String::new();
    asked
        .and_then(|()| std::io::stdin().lock().read_line(&mut answer))
        .map_err(|error| CommandError::internal(format!("cannot ask: {error}")))?;
    Ok(Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}

/// Asks a yes-or-no question on the terminal; anything but yes means no.
pub(crate) fn agree(question: &str) -> Result<bool, CommandError> {
    Ok(is_yes(line(&format!("{question} [y/N]"))?.as_deref()))
}

/// Whether an answer means yes.
pub(crate) fn is_yes(answer: Option<&str>) -> bool {
    matches!(answer, Some("y" | "Y" | "yes" | "Yes" | "YES"))
}
