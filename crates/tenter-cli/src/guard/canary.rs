//! Canaries of `tenter prove` on the hook path: they are answered by their kind, whatever the policy
//! says, and leave nothing behind.
//!
//! Who can name a session or write a command must gain nothing by it. So a canary can always be
//! stopped, but it passes only if it is the one call, known to the letter, that does nothing.

use tenter_hosts::{Answer, Handled, Outcome};
use tenter_model::json::Text;
use tenter_model::{Action, Body, Decision, Event, Verdict};
use tenter_setup::canary::{Canary, FILE, FORBIDDEN, HARMLESS, PROMPT, SAMPLE, TOOL};

/// An event that is a canary.
#[derive(Debug)]
pub(crate) struct Told {
    canary: Canary,
    token: String,
    /// Made up by `tenter prove`; otherwise a client was made to send it.
    pub(crate) made_up: bool,
}

/// The canary that an event is. Costs a look at the session and the first letters of a command.
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

/// The command of a shell, if there is nothing to decode in it: canaries are written that way.
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
    /// What is answered; `None` when that is for the policy to say.
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

    /// Takes the words away where the exit code alone is to speak.
    pub(crate) fn finish(&self, outcome: &mut Outcome) {
        if self.canary == Canary::Exit {
            outcome.answer = Answer::blocked(&format!("canary {}: stopped", self.token));
        }
    }
}
