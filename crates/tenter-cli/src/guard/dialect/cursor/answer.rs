//! Reads the answer of a hook by Cursor's rules.

use tenter_engine::answer::{self, Reading, Said};
use tenter_engine::runner::Ended;
use tenter_engine::{Answer, AnswerField as Field, Class, CursorEvent, Given};
use tenter_model::{Body, Decision, Event, Object, Verdict};

use tenter_policy::policy::Speaks;

use super::super::{HandlerCall, Read, code, exit, stderr};

/// The answer of a run, or why it has none.
pub(in super::super) fn read(call: &HandlerCall, event: &Event<'_>, ended: &Ended) -> Read {
    let Some(named) = CursorEvent::named(call.event) else { return Ok(Default::default()) };
    if code(ended) == Some(2) {
        return Ok(exit_two(named, ended));
    }
    let spec = named.spec();
    let said = answer::read(&ended.stdout, spec, Reading::NEWEST);
    if code(ended) != Some(0) {
        let denies =
            matches!(&said, Said::Answer(answer, _) if answer.decision() == Some(Decision::Deny));
        let note = if denies { "; the deny it printed does not count with this exit" } else { "" };
        return Err(exit(ended) + note);
    }
    match said {
        Said::Answer(answer, warnings) => Ok(verdict(call, event, &answer, warnings)),
        Said::Nothing if spec.class == Class::Permission => {
            Err("it left with exit 0 and no output".to_owned())
        }
        Said::Nothing => Ok(Default::default()),
        Said::NotJson(fault) => unreadable(call, &format!("invalid JSON on stdout ({fault})")),
        Said::OffSchema(fault) => unreadable(call, &format!("off-schema answer: {fault}")),
    }
}

/// At a permission event an unreadable answer blocks.
pub(in super::super) fn unreadable(call: &HandlerCall, why: &str) -> Read {
    let named = CursorEvent::named(call.event);
    if named.is_none_or(|named| named.spec().class != Class::Permission) {
        return Err(why.to_owned());
    }
    let verdict = Verdict::deny(format!("Blocked because a hook failed: {why}"));
    Ok((verdict, vec![format!("{why}; that blocks, as it would on Cursor")]))
}

fn exit_two(named: CursorEvent, ended: &Ended) -> (Verdict, Vec<String>) {
    if !named.can_block() {
        return (Verdict::none(), vec![format!("exit 2 has no effect at {named}")]);
    }
    let mut verdict = Verdict { decision: Some(Decision::Deny), ..Verdict::none() };
    let text = String::from_utf8_lossy(&ended.stdout);
    if let Ok(said) = Object::parse(text.trim()) {
        verdict.reason = said.str("agent_message").map(std::borrow::Cow::into_owned);
        verdict.user_message = said.str("user_message").map(std::borrow::Cow::into_owned);
    }
    if verdict.reason.is_none() && verdict.user_message.is_none() {
        verdict.reason = stderr(ended);
    }
    (verdict, Vec::new())
}

fn verdict(
    call: &HandlerCall,
    event: &Event<'_>,
    answer: &Answer,
    mut warnings: Vec<String>,
) -> (Verdict, Vec<String>) {
    let text = |field| answer.text(field).map(str::to_owned);
    let mut verdict = Verdict {
        // Cursor's allow means no objection; other hosts would treat it as a grant.
        decision: answer.decision().filter(|decision| *decision != Decision::Allow),
        reason: text(Field::AgentMessage),
        user_message: text(Field::UserMessage),
        additional_context: text(Field::AdditionalContext),
        modified_input: None,
    };
    if let Some(followup) = text(Field::FollowupMessage).filter(|text| !text.is_empty()) {
        if goes_on_already(event) {
            let why = "a hook has already made the agent go on: not again";
            warnings.push(format!("`followup_message` is dropped, because {why}"));
        } else {
            (verdict.decision, verdict.reason) = (Some(Decision::Deny), Some(followup));
        }
    }
    if let Some(Given::Json(input)) = answer.get(Field::UpdatedInput) {
        match call.input.changes(input) {
            Ok(changes) => verdict.modified_input = changes,
            Err(why) => warnings.push(format!("`updated_input` cannot be carried over: {why}")),
        }
    }
    for field in [Field::Env, Field::PluginPaths, Field::UpdatedMcpToolOutput] {
        if answer.get(field).is_some() {
            warnings.push(format!("`{}` cannot be carried over", field.key()));
        }
    }
    (verdict, warnings)
}

/// Whether a script has already made the agent go on: only Cursor limits that itself.
fn goes_on_already(event: &Event<'_>) -> bool {
    let (Body::Stop(info) | Body::SubagentStop(info)) = &event.body else { return false };
    event.host != Speaks::Cursor.host() && info.stop_hook_active == Some(true)
}
