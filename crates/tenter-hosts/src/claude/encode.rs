//! Encoding rules of Claude Code beyond its table: permission modes, and the messages of a blocked prompt.

use std::borrow::Cow;

use tenter_model::{Decision, Enforcement, EventKind, Field, LossKind, Object};

use crate::capability::Way;
use crate::encode::{AskFallback, Draft};

pub(super) fn adjust(draft: &mut Draft<'_>, on_ask: AskFallback) {
    let sends_ask = matches!(draft.spec.ask.way, Way::Set { .. });
    if draft.verdict.decision == Some(Decision::Ask) && sends_ask {
        adjust_ask(draft, on_ask);
    }
    if draft.spec.native == "ConfigChange" && source(draft).as_deref() == Some("policy_settings") {
        draft.drop_field(Field::Decision, "policy settings cannot be blocked", "");
    }
    if draft.spec.kind == EventKind::UserPromptSubmit {
        tell_the_human(draft, on_ask);
    }
}

/// A blocked prompt shows `reason` to the user and nothing else to anybody (recorded).
fn tell_the_human(draft: &mut Draft<'_>, on_ask: AskFallback) {
    if draft.verdict.decision == Some(Decision::Ask) && on_ask != AskFallback::Allow {
        // The reason becomes part of the message, unless the hook set a message itself.
        let kept = draft.verdict.user_message.is_some().then(|| draft.verdict.reason.clone());
        draft.deny_for_approval(draft.spec.ask.why, "");
        draft.verdict.reason = kept.flatten();
    }
    if draft.verdict.decision == Some(Decision::Deny)
        && let Some(message) = draft.verdict.user_message.take()
    {
        draft.verdict.reason = Some(match draft.verdict.reason.take() {
            Some(reason) if reason != message => {
                format!("{message}\n\n{}", news(&reason, &message))
            }
            _ => message,
        });
    }
}

/// The part of a reason that the message does not contain: the alternative.
fn news<'r>(reason: &'r str, message: &str) -> &'r str {
    let both = reason.starts_with("tenter ") && message.starts_with("tenter ");
    let instead = reason.find(" Instead: ").filter(|_| both);
    instead.and_then(|at| reason.get(at..)).unwrap_or(reason).trim_start()
}

/// The `source` of a changed setting.
fn source<'d>(draft: &Draft<'d>) -> Option<Cow<'d, str>> {
    Object::parse(draft.event.native).ok()?.str("source")
}

fn adjust_ask(draft: &mut Draft<'_>, fallback: AskFallback) {
    match fallback {
        AskFallback::Deny => return draft.deny_for_approval("--claude-ask deny", ""),
        AskFallback::Allow => {
            // An allow would be a grant that no hook gave; silence leaves it to the user's own rules.
            let why = "--claude-ask allow leaves it to Claude Code's own permission rules";
            return draft.drop_field(Field::Decision, why, "");
        }
        AskFallback::Ask => {}
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
