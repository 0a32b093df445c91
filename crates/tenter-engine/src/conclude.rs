//! Turns one finished hook run into a conclusion; the exit-code and failure rules live here only.

use std::process::ExitStatus;
use std::time::Duration;

use tenter_model::Decision;

use crate::config::{Dialect, Hook};
use crate::judge::{Judgement, NoJudgement};
use crate::runner::{Ended, MAX_STDOUT, Trouble, killed_by};
use crate::settings::Settings;
use crate::{AnswerField, Class, Spec};
use tenter_hosts::cursor::answer::{self, Answer, Given, Said};

/// Result category of one hook run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookOutcome {
    Allow,
    Deny,
    Ask,
    /// Valid answer without a decision.
    Answered,
    /// Empty output, which is allowed here.
    NoAnswer,
    /// Failed; the action goes on.
    Failed,
    /// Its matcher did not match the event.
    NotMatched,
    /// Disabled, or meant for another operating system.
    Disabled,
}

impl HookOutcome {
    pub const ALL: [Self; 8] = [
        Self::Allow,
        Self::Deny,
        Self::Ask,
        Self::Answered,
        Self::NoAnswer,
        Self::Failed,
        Self::NotMatched,
        Self::Disabled,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Answered => "answered",
            Self::NoAnswer => "no answer",
            Self::Failed => "failed",
            Self::NotMatched => "not matched",
            Self::Disabled => "disabled",
        }
    }
}

/// Outcome, answer and diagnosis of one hook.
#[derive(Clone, Debug)]
pub(crate) struct Conclusion {
    pub(crate) outcome: HookOutcome,
    pub(crate) answer: Answer,
    /// Explanation for the user; empty when the outcome says it all.
    pub(crate) diagnosis: String,
    pub(crate) warnings: Vec<String>,
}

/// The rules of the emulated Cursor version for one hook.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'r> {
    pub(crate) hook: &'r Hook,
    pub(crate) settings: &'r Settings,
    pub(crate) timeout: Duration,
}

impl Rules<'_> {
    fn spec(&self) -> &'static Spec {
        self.hook.event.spec()
    }

    /// Conclusion of a command hook.
    pub(crate) fn command(&self, ended: &Ended) -> Conclusion {
        let status = match &ended.status {
            Ok(status) => *status,
            Err(trouble) => {
                let why = self.describe(trouble, &ended.stderr);
                let is_answer = matches!(trouble, Trouble::TooMuchOutput);
                return if is_answer { self.bad_answer(&why) } else { self.failed(&why) };
            }
        };
        if status.code() == Some(2) {
            return self.exit_two(&ended.stdout, &ended.stderr);
        }
        let said =
            answer::read(&ended.stdout, self.spec(), self.settings.reading(self.hook.dialect));
        if status.success() {
            self.success(said)
        } else {
            self.other_exit(status, said, &ended.stderr)
        }
    }

    fn success(&self, said: Said) -> Conclusion {
        match said {
            Said::Answer(answer, warnings) => Self::answered(answer, warnings),
            Said::NotJson(fault) => self.bad_answer(&format!("invalid JSON on stdout ({fault})")),
            Said::OffSchema(fault) => self.bad_answer(&format!("off-schema answer: {fault}")),
            Said::Nothing if self.spec().class == Class::Permission => {
                self.failed("it left with exit 0 and no output")
            }
            Said::Nothing => Conclusion {
                outcome: HookOutcome::NoAnswer,
                answer: Answer::default(),
                diagnosis: String::new(),
                warnings: Vec::new(),
            },
        }
    }

    fn answered(answer: Answer, warnings: Vec<String>) -> Conclusion {
        let outcome = match answer.decision() {
            Some(Decision::Deny) => HookOutcome::Deny,
            Some(Decision::Ask) => HookOutcome::Ask,
            Some(Decision::Allow) => HookOutcome::Allow,
            None if answer.is_empty() => HookOutcome::NoAnswer,
            None => HookOutcome::Answered,
        };
        Conclusion { outcome, answer, diagnosis: String::new(), warnings }
    }

    /// Exit code 2 means deny; the message is taken from stdout, else from stderr.
    fn exit_two(&self, stdout: &[u8], stderr: &[u8]) -> Conclusion {
        let stderr = String::from_utf8_lossy(stderr).trim().to_owned();
        if self.hook.dialect == Dialect::Claude && self.spec().class == Class::Stop {
            let mut answer = Answer::default();
            answer.set_text(AnswerField::FollowupMessage, stderr);
            let diagnosis = "exit 2 with a reason: the agent goes on".to_owned();
            let outcome = HookOutcome::Answered;
            return Conclusion { outcome, answer, diagnosis, warnings: Vec::new() };
        }
        if !self.hook.event.can_block() {
            return Conclusion {
                outcome: HookOutcome::NoAnswer,
                answer: Answer::default(),
                diagnosis: format!("exit 2 has no effect at {}", self.spec().name),
                warnings: Vec::new(),
            };
        }
        let mut answer = self.denial();
        let honoured = self.spec().honoured;
        let (user, agent) = answer::messages(stdout);
        let told = [(AnswerField::UserMessage, user), (AnswerField::AgentMessage, agent)];
        let told = told.into_iter().filter(|(field, _)| honoured.contains(field));
        for (field, text) in told.filter_map(|(field, text)| Some((field, text?))) {
            answer.set_text(field, text);
        }
        let is_told = answer.get(AnswerField::UserMessage).is_some()
            || answer.get(AnswerField::AgentMessage).is_some();
        if !is_told && !stderr.is_empty() {
            let channel = [AnswerField::AgentMessage, AnswerField::UserMessage];
            if let Some(field) = channel.into_iter().find(|field| honoured.contains(field)) {
                answer.set_text(field, stderr);
            }
        }
        let diagnosis = "exit 2 blocks".to_owned();
        Conclusion { outcome: HookOutcome::Deny, answer, diagnosis, warnings: Vec::new() }
    }

    fn other_exit(&self, status: ExitStatus, said: Said, stderr: &[u8]) -> Conclusion {
        let mut why = describe_exit(status);
        let stderr = String::from_utf8_lossy(stderr);
        if let Some(line) = stderr.lines().rfind(|line| !line.trim().is_empty()) {
            why = format!("{why}: {}", line.trim());
        }
        let mut conclusion = self.failed(&why);
        if let Said::Answer(answer, _) = said
            && answer.decision() == Some(Decision::Deny)
        {
            let text = "it printed a deny, which does not count with this exit code";
            conclusion.warnings.push(text.to_owned());
        }
        conclusion
    }

    /// Conclusion of a prompt hook.
    pub(crate) fn judgement(&self, judged: Result<Judgement, NoJudgement>) -> Conclusion {
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(NoJudgement::Unconfigured(_)) => return self.failed("no judge is configured"),
            Err(NoJudgement::Failed(why)) => return self.failed(&why),
        };
        let reason = judgement.reason.unwrap_or_default();
        let mut answer = Answer::default();
        match (self.spec().class, judgement.ok) {
            (Class::Permission, true) => answer.set_text(AnswerField::Permission, "allow"),
            (Class::Prompt, true) => answer.set(AnswerField::Continue, Given::Flag(true)),
            (Class::Permission | Class::Prompt, false) => {
                answer = self.denial();
                self.tell_both(&mut answer, &reason);
            }
            (Class::Stop, false) if !reason.is_empty() => {
                answer.set_text(AnswerField::FollowupMessage, reason.clone());
            }
            _ => {}
        }
        let mut conclusion = Self::answered(answer, Vec::new());
        let ok = if judgement.ok { "the model says yes" } else { "the model says no" };
        conclusion.diagnosis =
            if reason.is_empty() { ok.to_owned() } else { format!("{ok}: {reason}") };
        conclusion
    }

    /// Handles an unreadable answer: since the newest generation it blocks permission events.
    fn bad_answer(&self, why: &str) -> Conclusion {
        let blocks = self.spec().class == Class::Permission && self.settings.bad_answer_blocks();
        if blocks {
            self.blocked(why, "a bad answer to a permission event blocks")
        } else {
            self.failed(why)
        }
    }

    /// Handles a failed hook: it allows the action unless it is configured to fail closed.
    pub(crate) fn failed(&self, why: &str) -> Conclusion {
        let can_block = self.hook.event.can_block();
        if self.hook.fail_closed && can_block {
            return self.blocked(why, "failClosed is set");
        }
        let consequence = match (can_block, self.hook.fail_closed) {
            (true, _) => "; the action goes on, because failClosed is not set".to_owned(),
            (false, true) => format!("; failClosed means nothing at {}", self.spec().name),
            (false, false) => String::new(),
        };
        Conclusion {
            outcome: HookOutcome::Failed,
            answer: Answer::default(),
            diagnosis: format!("{why}{consequence}"),
            warnings: Vec::new(),
        }
    }

    fn blocked(&self, why: &str, rule: &str) -> Conclusion {
        let mut answer = self.denial();
        self.tell_both(&mut answer, &format!("Blocked because a hook failed: {why}"));
        Conclusion {
            outcome: HookOutcome::Deny,
            answer,
            diagnosis: format!("{why}; blocks, because {rule}"),
            warnings: Vec::new(),
        }
    }

    fn denial(&self) -> Answer {
        let mut answer = Answer::default();
        if self.spec().class == Class::Prompt {
            answer.set(AnswerField::Continue, Given::Flag(false));
        } else {
            answer.set_text(AnswerField::Permission, "deny");
        }
        answer
    }

    fn tell_both(&self, answer: &mut Answer, text: &str) {
        for field in [AnswerField::UserMessage, AnswerField::AgentMessage] {
            if self.spec().honoured.contains(&field) && !text.is_empty() {
                answer.set_text(field, text);
            }
        }
    }

    fn describe(&self, trouble: &Trouble, stderr: &[u8]) -> String {
        match trouble {
            Trouble::TimedOut => {
                let limit = self.timeout.as_secs_f64();
                format!("it did not end within {limit} s and was killed")
            }
            Trouble::TooMuchOutput => format!("it printed more than {MAX_STDOUT} bytes"),
            Trouble::Signalled(signal) => format!("interrupted by {signal}"),
            Trouble::Spawn(error) => {
                let directory = &self.hook.layer.directory;
                if directory.is_dir() {
                    format!("it cannot be started: {error}")
                } else {
                    format!("its working directory `{}` does not exist", directory.display())
                }
            }
            Trouble::System(error) => {
                let stderr = String::from_utf8_lossy(stderr);
                format!("it cannot be attended to: {error} {}", stderr.trim())
            }
        }
    }
}

fn describe_exit(status: ExitStatus) -> String {
    if let Some(signal) = killed_by(status) {
        return format!("it was killed by signal {signal}");
    }
    match status.code() {
        Some(126) => "exit 126 (the command is not executable)".to_owned(),
        Some(127) => "exit 127 (the command was not found)".to_owned(),
        Some(code) => format!("exit {code}"),
        None => "it ended without an exit code".to_owned(),
    }
}
