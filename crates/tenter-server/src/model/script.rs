//! The script the model plays.

use serde::Deserialize;
use serde_json::Value;

/// The script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// Shell commands, in order.
    commands: Vec<String>,
    /// The closing text.
    last: String,
    /// A word to look for in tool results.
    token: String,
}

/// Observations of the client.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) requests: u32,
    /// Number of steps played.
    pub(super) played: usize,
    /// Whether the token was in a result: the client passed on the hook's message.
    pub(super) told_token: bool,
    /// Whether a step could not be played because the client offers no shell.
    pub(super) without_shell: bool,
}

/// Next turn of the script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn<'s> {
    Run(&'s str),
    Say(&'s str),
}

impl Script {
    /// The next turn after these tool results.
    pub(super) fn turn(
        &self,
        results: &[&Value],
        has_shell: bool,
        report: &mut Report,
    ) -> Turn<'_> {
        let says = |result: &&Value| result.to_string().contains(&self.token);
        report.told_token |= !self.token.is_empty() && results.iter().any(says);
        match self.commands.get(results.len()) {
            Some(command) if has_shell => {
                report.played = report.played.max(results.len().saturating_add(1));
                Turn::Run(command)
            }
            // Clients send side requests, such as for a title.
            Some(_) => {
                report.without_shell = true;
                Turn::Say(&self.last)
            }
            None => Turn::Say(&self.last),
        }
    }
}

/// The offered tools with shell-like names, most likely first.
pub(super) fn pick<'n>(known: &[&'n str], offered: &[&str]) -> Option<&'n str> {
    known.iter().copied().find(|name| offered.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_results_tell_how_far_the_play_has_come() {
        let script: Script = serde_json::from_value(
            json!({ "commands": ["a", "b"], "last": "end", "token": "00ff" }),
        )
        .unwrap();
        let (first, second) = (json!("denied: 00ff"), json!({ "ok": true }));
        let mut report = Report::default();
        assert_eq!(script.turn(&[], false, &mut report), Turn::Say("end"));
        assert_eq!(script.turn(&[], true, &mut report), Turn::Run("a"));
        assert!(!report.told_token);
        assert_eq!(script.turn(&[&first], true, &mut report), Turn::Run("b"));
        assert_eq!(script.turn(&[&first, &second], true, &mut report), Turn::Say("end"));
        assert!(report.told_token && report.without_shell);
        assert_eq!(report.played, 2);
    }
}
