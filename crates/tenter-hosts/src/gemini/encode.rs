//! Encoding rules of Gemini CLI beyond its table: who is asked, and what a deny hides.

use tenter_model::{Decision, EventKind, Field, LossKind};

use crate::encode::{AskFallback, Draft};

/// Recorded with 0.61.0 and `--approval-mode yolo`: the client hangs until it is killed.
const WAITS: &str = "without a terminal Gemini CLI waits for the answer forever, and the payload does not \
                     tell whether it has one";

pub(super) fn adjust(draft: &mut Draft<'_>, on_ask: AskFallback) {
    match (draft.spec.kind, draft.verdict.decision) {
        (EventKind::PreToolUse, Some(Decision::Ask)) if !draft.spec.is_unknown() => {
            adjust_ask(draft, on_ask);
        }
        (EventKind::PostToolUse, Some(Decision::Deny)) => join_context(draft),
        _ => {}
    }
}

fn adjust_ask(draft: &mut Draft<'_>, on_ask: AskFallback) {
    match on_ask {
        AskFallback::Deny => {
            draft.deny_for_approval(WAITS, "--gemini-ask ask asks in the terminal");
        }
        AskFallback::Allow => draft.downgrade(Decision::Allow, WAITS, "allowed on request"),
        AskFallback::Ask => {
            // The dialog shows the message and never the reason.
            let reason = draft.verdict.reason.take();
            let message = &mut draft.verdict.user_message;
            *message = message.take().or(reason);
            draft.lose(Field::Decision, LossKind::Downgraded, WAITS, "sent as it is, on request");
        }
    }
}

/// The result that a deny replaces takes the context with it (recorded).
fn join_context(draft: &mut Draft<'_>) {
    let Some(context) = draft.verdict.additional_context.take() else { return };
    let reason = draft.verdict.reason.take();
    draft.verdict.reason = Some(match reason {
        Some(reason) => format!("{reason}\n\n{context}"),
        None => context,
    });
    let why = "a denied result takes no context; joined to the reason";
    draft.lose(Field::AdditionalContext, LossKind::Downgraded, why, "");
}
