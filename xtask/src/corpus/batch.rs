//! Asks the guard about many commands at once, with the default policy.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::error::{Context, Error, Result};
use crate::process::spoken;
use crate::workspace::Workspace;

/// The guard's decision about one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) decision: Decision,
    pub(super) rules: Vec<String>,
    pub(super) reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// Allowed, or no opinion: the command runs.
    Pass,
    Ask,
    Deny,
}

impl Decision {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "allow" | "none" => Self::Pass,
            "ask" => Self::Ask,
            "deny" => Self::Deny,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A command and the folder it is run in.
pub(super) type Question<'a> = (&'a str, &'a str);

/// One answer per question, in order. The questions go through a file: with two pipes, a guard that answers
/// while it reads would deadlock with us.
pub(super) fn ask(
    workspace: &Workspace,
    binary: &Path,
    questions: &[Question<'_>],
) -> Result<Vec<Answer>> {
    let scratch = workspace.target.join("corpus");
    std::fs::create_dir_all(&scratch).context(format!("creating {}", scratch.display()))?;
    let file = scratch.join("questions.jsonl");
    std::fs::write(&file, lines(questions)).context(format!("writing {}", file.display()))?;
    let input = File::open(&file).context(format!("opening {}", file.display()))?;
    let mut check = Command::new(binary);
    check.args(["check", "--jsonl", "--preset", "recommended"]).current_dir(&scratch);
    // Isolated from this machine: no policy file, no setting, no secrets.
    check.env_clear().env("HOME", "/home/me").env("USER", "me").env("PATH", "/usr/bin:/bin");
    let line = spoken(&check);
    let output = check.stdin(Stdio::from(input)).output().context(format!("starting `{line}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!(
            "`{line}` failed: {}; {}",
            output.status,
            stderr.trim_end()
        )));
    }
    let text = String::from_utf8(output.stdout).context(format!("`{line}` printed no UTF-8"))?;
    answers(&text, questions.len())
}

fn lines(questions: &[Question<'_>]) -> String {
    let line = |(id, (command, cwd)): (usize, &Question<'_>)| {
        format!("{}\n", json!({ "id": id, "command": command, "cwd": cwd }))
    };
    questions.iter().enumerate().map(line).collect()
}

/// Parses the answers, which must match the questions in number and order: a guard that skips one cannot be
/// trusted about the rest.
fn answers(text: &str, count: usize) -> Result<Vec<Answer>> {
    let mut answers = Vec::with_capacity(count);
    for (at, line) in text.lines().enumerate() {
        let fault = |what: &str| Error::new(format!("answer {at} {what}: `{line}`"));
        let value: Value = serde_json::from_str(line).map_err(|_| fault("is not JSON"))?;
        if value.get("id") != Some(&json!(at)) {
            return Err(fault("has another id"));
        }
        let decision = value.get("decision").and_then(Value::as_str).and_then(Decision::parse);
        let decision = decision.ok_or_else(|| fault("decides nothing we know"))?;
        let rules = value.get("rules").and_then(Value::as_array).into_iter().flatten();
        let rules = rules.filter_map(Value::as_str).map(str::to_owned).collect();
        let reason = value.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned();
        answers.push(Answer { decision, rules, reason });
    }
    if answers.len() == count {
        return Ok(answers);
    }
    Err(Error::new(format!("{count} questions got {} answers", answers.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_one_line_whatever_the_command() {
        let text = lines(&[("cat <<E\n\"x\"\nE", "/a"), ("ls", "/b")]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        let first: Value = serde_json::from_str(lines[0]).unwrap();
        assert_eq!(first, json!({ "id": 0, "command": "cat <<E\n\"x\"\nE", "cwd": "/a" }));
    }

    #[test]
    fn answers_are_read_in_order() {
        let text = "{\"id\":0,\"decision\":\"none\",\"rules\":[]}\n\
                    {\"id\":1,\"decision\":\"deny\",\"rules\":[\"a\",\"b\"],\"reason\":\"r\"}\n";
        let read = answers(text, 2).unwrap();
        assert_eq!(read[0].decision, Decision::Pass);
        assert_eq!(read[1].rules, ["a", "b"]);
        assert_eq!(read[1].reason, "r");
    }

    #[test]
    fn an_answer_that_is_missing_or_misplaced_is_an_error() {
        let fault = |text, count| answers(text, count).unwrap_err().to_string();
        let one = "{\"id\":0,\"decision\":\"ask\"}\n";
        assert_eq!(fault(one, 2), "2 questions got 1 answers");
        assert!(fault("{\"id\":1,\"decision\":\"ask\"}\n", 1).starts_with("answer 0 has another"));
        assert!(fault("{\"id\":0,\"decision\":\"maybe\"}\n", 1).contains("nothing we know"));
        assert!(fault("oops\n", 1).contains("is not JSON"));
    }
}
