//! Encoding rules of Cursor beyond its table: versions, and the status of a subagent's stop.

use tenter_model::{Body, Decision, Enforcement, Field, LossKind};

use super::version::Version;
use crate::encode::{AskFallback, Draft};

/// The first editor version whose `ask` does not ask any more.
const ASK_BROKE_IN: Version = Version::Ide(2, 4, 21);
/// The last version in which `ask` was seen to allow.
const ASK_ALLOWED_IN: Version = Version::Ide(3, 2, 16);

pub(super) fn adjust(draft: &mut Draft<'_>, on_ask: AskFallback) {
    if draft.verdict.decision == Some(Decision::Ask) {
        adjust_ask(draft, on_ask);
    }
    if let Body::SubagentStop(info) = &draft.event.body
        && let Some(status) = info.status.as_deref().filter(|status| *status != "completed")
    {
        let why = format!("a subagent's stop with status `{status}` ignores a follow-up");
        for field in [Field::Decision, Field::Reason, Field::AdditionalContext] {
            draft.drop_field(field, &why, "");
        }
    }
}

fn adjust_ask(draft: &mut Draft<'_>, fallback: AskFallback) {
    let version = draft.event.host_version.as_deref();
    let parsed = version.and_then(Version::parse);
    let shown = version.unwrap_or("(version unknown)");
    let why = match draft.spec.native {
        "preToolUse" => "Cursor reads `ask` on preToolUse and does not act on it".to_owned(),
        "beforeShellExecution" | "beforeMCPExecution" => match parsed {
            Some(version @ Version::Ide(..)) if version < ASK_BROKE_IN => return,
            Some(Version::Ide(2, ..)) => format!("Cursor {shown} silently turns `ask` into a deny"),
            Some(version @ Version::Ide(..)) if version <= ASK_ALLOWED_IN => {
                format!("Cursor {shown} silently turns `ask` into an allow")
            }
            _ => format!("Cursor {shown} does not ask in every run mode, and the mode is not told"),
        },
        // The other events do not support `ask`: the table has the replacement.
        _ => return,
    };
    match fallback {
        AskFallback::Deny => draft.deny_for_approval(&why, "--cursor-ask ask sends it as it is"),
        AskFallback::Allow => draft.downgrade(Decision::Allow, &why, "allowed on request"),
        AskFallback::Ask => {
            draft.level_at_most = Enforcement::None;
            draft.lose(Field::Decision, LossKind::Downgraded, &why, "sent as it is, on request");
        }
    }
}
