//! Coding agents and their environment, by which their hooks are found.

use super::{Environment, Machine};
use crate::analysis::Ran;
use crate::expand::Variable;
use crate::span::Span;
use crate::value::Field;

/// Variables that move the settings an agent reads, and their defaults below the home directory.
pub const MOVERS: &[(&str, &str)] = &[
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("CURSOR_CONFIG_DIR", ".cursor"),
];

/// Whether a program, or a package run by `npx`, is a coding agent that can run hooks.
pub fn is_agent(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(
        name.split('@').next().unwrap_or(name),
        "claude"
            | "claude-code"
            | "codex"
            | "copilot"
            | "cursor-agent"
            | "droid"
            | "gemini"
            | "gemini-cli"
            | "grok"
            | "kimi"
            | "kimi-cli"
            | "opencode"
            | "opencode-ai"
            | "qwen"
            | "qwen-code"
    )
}

impl Machine<'_> {
    /// Variables set for a program. For an agent also those the shell has changed before, by
    /// `export` or `unset`; an empty value stands for a variable that is not set.
    pub(super) fn set_for(&self, program: &str) -> Vec<(String, Field)> {
        let mut set = self.assignments.clone();
        // `export RAILS_ENV=production`: says for all that follow where they work.
        for slot in self.shell.variables.iter().filter(|slot| slot.exported) {
            let says = slot.name.ends_with("_ENV") || slot.name.ends_with("ENVIRONMENT");
            if let Some(Variable::Scalar(value)) = slot.values.first().filter(|_| says)
                && !set.iter().any(|(name, _)| **name == *slot.name)
            {
                set.push((slot.name.to_string(), value.clone()));
            }
        }
        if !is_agent(program) {
            return set;
        }
        let mover = |name: &str| MOVERS.iter().any(|(known, _)| *known == name);
        let empty = || Field::text("", Span::default());
        for slot in self.shell.variables.iter().filter(|slot| mover(&slot.name)) {
            // An assignment in front of the program hides the shell's own value.
            if self.assignments.iter().any(|(name, _)| **name == *slot.name) {
                continue;
            }
            for value in &slot.values {
                match value {
                    Variable::Scalar(field) => set.push((slot.name.to_string(), field.clone())),
                    Variable::Unset => set.push((slot.name.to_string(), empty())),
                    Variable::Array(_) | Variable::Unknown => {}
                }
            }
        }
        if self.shell.environment == Environment::Emptied
            && !set.iter().any(|(name, _)| name == "HOME")
        {
            set.push(("HOME".to_owned(), empty()));
        }
        set
    }
}

/// The option that switches off the questions of an agent.
pub fn unattended_option(ran: &Ran) -> Option<&Field> {
    let flags = unattended(&ran.program)?;
    let off = |field: &&Field| {
        let text = field.prefix();
        let value = text.rsplit_once('=').map_or(text, |(_, value)| value);
        flags.iter().any(|flag| *flag == text || *flag == value)
    };
    ran.argv.iter().skip(1).find(off)
}

/// Options that disable an agent's confirmations; `None` if the program is not an agent.
fn unattended(program: &str) -> Option<&'static [&'static str]> {
    let name = program.rsplit('/').next().unwrap_or(program);
    Some(match name.split('@').next().unwrap_or(name) {
        "claude" | "claude-code" => &[
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "bypassPermissions",
        ],
        "codex" => &["--yolo", "--dangerously-bypass-approvals-and-sandbox", "danger-full-access"],
        "gemini" | "gemini-cli" | "qwen" | "qwen-code" | "crush" | "cline" | "kilocode" => {
            &["--yolo", "-y", "yolo"]
        }
        "cursor-agent" => &["--force", "-f", "--yolo"],
        "copilot" => &["--allow-all-tools", "--allow-all", "--yolo"],
        "amp" => &["--dangerously-allow-all"],
        "aider" => &["--yes-always"],
        "droid" => &["--skip-permissions-unsafe"],
        "opencode" => &["--dangerously-skip-permissions"],
        "kiro-cli" | "q" => &["--trust-all-tools"],
        _ => return None,
    })
}
