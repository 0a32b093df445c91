//! Answers canaries of `tenter prove` on the hook path: by their kind, independent of the policy, and without
//! leaving traces.
//!
//! An attacker can choose session ids and commands, so a canary must not help them: it can always block, but
//! it allows only the one exact call that does nothing.

use tenter_hosts::{Answer, Handled, Outcome};
use tenter_model::json::Text;
use tenter_model::{Action, Body, Decision, Event, Verdict};
use tenter_setup::canary::{Canary, FILE, FORBIDDEN, HARMLESS, PROMPT, SAMPLE, TOOL};

/// An event that is a canary.
#[derive(Debug)]
pub(crate) struct Told {
    canary: Canary,
    token: String,
    /// Whether `tenter prove` made it up; otherwise a real client sent it.
    pub(crate) made_up: bool,
}

/// The canary of an event, if it is one. Costs a look at the session id and the start of a command.
pub(crate) fn of(event: &Event<'_>) -> Option<Told> {
    if let Some((canary, token)) = event.session_id.as_deref().and_then(Canary::of_session) {
        let known = match canary {
            Canary::Deny | Canary::Exit | Canary::Fail => true,
            Canary::Pass => is_harmless(event),
            Canary::Sample => command(event) == Some(SAMPLE),
        };
        return known.then(|| Told { canary, token: token.to_owned(), made_up: true });
    }
    let rest = command(event)?.strip_prefix(FORBIDDEN)?;
    let token = rest.split([' ', ';']).next().unwrap_or_default().to_owned();
    Some(Told { canary: Canary::Deny, token, made_up: false })
}

/// The shell command, if it needs no decoding: canaries are written that way.
fn command<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event.tool_call()?.actions.first()? {
        Action::Shell { command: Text::Plain(command), .. } => Some(command),
        _ => None,
    }
}

fn is_harmless(event: &Event<'_>) -> bool {
    let action = |action: &Action<'_>| match action {
        Action::Shell { command, .. } => command == HARMLESS,
        Action::Read { path, .. }
        | Action::Write { path, .. }
        | Action::Edit { path, .. }
        | Action::Delete { path } => path.rsplit(['/', '\\']).next() == Some(FILE),
        Action::Mcp(identity) => identity.tool == TOOL,
        Action::Task { prompt, .. } => prompt.as_ref().is_none_or(|prompt| prompt == PROMPT),
        Action::Search { pattern, .. } => pattern.as_ref().is_none_or(|text| text == PROMPT),
        Action::Fetch { url } => url == "http://127.0.0.1/",
        Action::Other { .. } => false,
    };
    match &event.body {
        Body::UserPromptSubmit { prompt, .. } => prompt == PROMPT,
        Body::SubagentStart { task } => task.as_ref().is_none_or(|task| task == PROMPT),
        _ => event.tool_call().is_none_or(|call| call.actions.iter().all(action)),
    }
}

impl Told {
    /// The answer; `None` if the policy decides.
    pub(crate) fn handled(&self) -> Option<Handled> {
        let said = format!("canary {}", self.token);
        let verdict = match self.canary {
            Canary::Deny | Canary::Exit => {
                let reason = format!("{said}: denied to show that this hook works");
                Verdict {
                    decision: Some(Decision::Deny),
                    reason: Some(reason.clone()),
                    user_message: Some(reason),
                    ..Verdict::none()
                }
            }
            Canary::Fail => return Some(Err(format!("{said}: this failure was asked for"))),
            Canary::Pass => Verdict::none(),
            Canary::Sample => return None,
        };
        Some(Ok((verdict, vec![said])))
    }

    /// Removes the JSON where the exit code alone is tested.
    pub(crate) fn finish(&self, outcome: &mut Outcome) {
        if self.canary == Canary::Exit {
            outcome.answer = Answer::blocked(&format!("canary {}: stopped", self.token));
        }
    }
}
