//! Whether a human is asking, and not an agent that holds the same keyboard.
//!
//! Three things are asked, each of which an agent can only meet in part: no sign of an agent around this process
//! ([`no_agent`]), a terminal ([`present`]), and for what loosens the guard while an agent runs, words typed there
//! ([`may_loosen`]). docs/presence.md says what remains possible.

mod challenge;
mod evidence;
pub(crate) mod namespaces;
pub(crate) mod processes;

use std::io::{BufRead, IsTerminal, Write};

use crate::error::CommandError;
use evidence::Evidence;
use namespaces::Found;

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
pub(crate) fn no_agent() -> Result<(), CommandError> {
    examine().map(drop)
}

fn examine() -> Result<Evidence, CommandError> {
    hide();
    if let Some(mark) = MARKS.iter().find(|mark| std::env::var_os(mark).is_some()) {
        return Err(CommandError::failed(format!("{mark} is set, so an agent is asking; {HINT}")));
    }
    let evidence = Evidence::gather();
    if let Found::Refused(why) = evidence.of_namespaces() {
        return Err(CommandError::failed(why));
    }
    match evidence.of_agent() {
        Some(why) => Err(CommandError::failed(format!("{why}, so an agent is asking; {HINT}"))),
        None => Ok(evidence),
    }
}

/// Keeps other programs of this user from stopping us and answering in our place.
fn hide() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Where it is not possible, a tracer is still seen.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Fine, or why nobody is there to be asked.
pub(crate) fn present() -> Result<(), CommandError> {
    no_agent()?;
    if has_terminal() {
        return Ok(());
    }
    Err(CommandError::failed(format!("there is no terminal, so no human is asking; {HINT}")))
}

/// Fine, or why the guard may not be loosened; asked last, when all else is agreed. While an agent runs, the human
/// types some words. Without a terminal (CI, a package's scripts) it goes only while no agent runs.
pub(crate) fn may_loosen() -> Result<(), CommandError> {
    let evidence = examine()?;
    if has_terminal() {
        let asked = evidence.running().is_some() || evidence.of_namespaces() == Found::Doubt;
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

/// Asks a yes-or-no question on the terminal; anything but a yes is a no.
pub(crate) fn agree(question: &str) -> Result<bool, CommandError> {
    Ok(is_yes(line(&format!("{question} [y/N]"))?.as_deref()))
}

/// Whether an answer is a yes.
pub(crate) fn is_yes(answer: Option<&str>) -> bool {
    matches!(answer, Some("y" | "Y" | "yes" | "Yes" | "YES"))
}
