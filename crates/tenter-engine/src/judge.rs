//! Prompt hooks: asks a model through the [`Judge`] trait.
//!
//! This crate has no network access. [`ProgramJudge`] starts another program that does the request.

use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::runner::{Job, Runner, Trouble};

/// One question to a model.
#[derive(Clone, Debug)]
pub struct Question<'q> {
    /// The hook's prompt with the event's payload inserted.
    pub prompt: &'q str,
    /// The model that the hook names, if any.
    pub model: Option<&'q str>,
    pub timeout: Duration,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub ok: bool,
    pub reason: Option<String>,
}

/// Why a hook failed without a judgement, explained for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoJudgement {
    /// No hook can be judged until a human configures something; told once for all hooks.
    Unconfigured(String),
    Failed(String),
}

impl From<String> for NoJudgement {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// Asks a model.
pub trait Judge: fmt::Debug + Send + Sync {
    fn judge(&self, question: &Question<'_>, runner: &Runner) -> Result<Judgement, NoJudgement>;
}

/// Exit code of a [`ProgramJudge`] that has no usable configuration.
const UNCONFIGURED: i32 = 2;

/// A judge that runs a program: question as JSON on stdin, `{ok, reason}` on stdout.
#[derive(Clone, Debug)]
pub struct ProgramJudge {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl Judge for ProgramJudge {
    fn judge(&self, question: &Question<'_>, runner: &Runner) -> Result<Judgement, NoJudgement> {
        let request = json!({ "prompt": question.prompt, "model": question.model });
        let program = self.program.display();
        let ended = runner.run(Job {
            program: self.program.as_os_str(),
            arguments: &self.arguments,
            directory: None,
            environment: &[],
            input: request.to_string().into_bytes().into(),
            timeout: question.timeout,
        });
        let status = ended.status.map_err(|trouble| {
            NoJudgement::Failed(match trouble {
                Trouble::Spawn(error) if error.kind() == ErrorKind::NotFound => {
                    return NoJudgement::Unconfigured(format!("there is no program `{program}`"));
                }
                Trouble::Spawn(error) => {
                    format!("the judge `{program}` cannot be started: {error}")
                }
                Trouble::TimedOut => {
                    format!("the judge gave no answer within {} s", question.timeout.as_secs_f64())
                }
                Trouble::TooMuchOutput => "the judge printed too much".to_owned(),
                Trouble::Signalled(signal) => format!("interrupted by {signal}"),
                Trouble::System(error) => format!("the judge cannot be attended to: {error}"),
            })
        })?;
        if !status.success() {
            let stderr = String::from_utf8_lossy(&ended.stderr);
            let said = stderr.lines().next().unwrap_or("it said nothing").to_owned();
            return Err(match status.code() {
                Some(UNCONFIGURED) => NoJudgement::Unconfigured(said),
                _ => NoJudgement::Failed(format!("the judge failed: {said}")),
            });
        }
        let said: Value = serde_json::from_slice(&ended.stdout)
            .map_err(|error| format!("the judge `{program}` printed no JSON: {error}"))?;
        let Some(ok) = said.get("ok").and_then(Value::as_bool) else {
            return Err(format!("the judge `{program}` printed no judgement").into());
        };
        let reason = said.get("reason").and_then(Value::as_str).map(str::to_owned);
        Ok(Judgement { ok, reason })
    }
}

/// The prompt with the payload in place of its placeholder, or appended.
pub(crate) fn with_arguments(prompt: &str, payload: &str) -> String {
    const PLACE: &str = "$ARGUMENTS";
    if prompt.contains(PLACE) {
        prompt.replace(PLACE, payload)
    } else {
        format!("{prompt}\n\n{payload}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_takes_the_place_of_arguments_or_follows() {
        assert_eq!(with_arguments("Is $ARGUMENTS safe?", "{}"), "Is {} safe?");
        assert_eq!(with_arguments("Safe?", "{}"), "Safe?\n\n{}");
        assert_eq!(
            with_arguments("A $ARGUMENTS", r#"{"command":"echo $ARGUMENTS"}"#),
            r#"A {"command":"echo $ARGUMENTS"}"#,
            "what the payload says is not looked at again"
        );
    }
}
