//! What Claude Code's table cannot say: permission modes, and who reads what on a blocked prompt.

use tenter_model::{Decision, Enforcement, EventKind, Field, LossKind};

use crate::encode::{AskFallback, Draft, EncodeOptions};

pub(super) fn adjust(draft: &mut Draft<'_>, options: &EncodeOptions) {
    if draft.verdict.decision == Some(Decision::Ask) && draft.spec.ask.level == Enforcement::Prompt
    {
        adjust_ask(draft, options.claude_ask);
    }
    if draft.spec.kind == EventKind::UserPromptSubmit {
        tell_the_human(draft);
    }
}

/// A blocked prompt shows `reason` to the human and nothing else to anybody (recorded).
fn tell_the_human(draft: &mut Draft<'_>) {
    if draft.verdict.decision == Some(Decision::Ask) {
        // The reason becomes part of the message, unless the hook brought a message of its own.
        let kept = draft.verdict.user_message.is_some().then(|| draft.verdict.reason.clone());
        draft.deny_for_approval(draft.spec.ask.why, "");
        draft.verdict.reason = kept.flatten();
    }
    if draft.verdict.decision == Some(Decision::Deny)
        && let Some(message) = draft.verdict.user_message.take()
    {
        draft.verdict.reason = Some(match draft.verdict.reason.take() {
            Some(reason) if reason != message => format!("{message}\n\n{reason}"),
            _ => message,
        });
    }
}

fn adjust_ask(draft: &mut Draft<'_>, fallback: AskFallback) {
    if fallback != AskFallback::Ask {
        draft.fall_back(fallback, "--claude-ask says so", "");
        return;
    }
    let mode = draft.event.permission_mode.as_deref().unwrap_or_default();
    if matches!(mode, "auto" | "bypassPermissions" | "dontAsk") {
        draft.level_at_most = Enforcement::Advisory;
        let why = format!(
            "in permission mode `{mode}` some versions (reported for 2.1.199 to 2.1.234) approve an \
             ask without asking"
        );
        let instead = "--claude-ask deny makes it a deny";
        draft.lose(Field::Decision, LossKind::Downgraded, &why, instead);
    }
}
