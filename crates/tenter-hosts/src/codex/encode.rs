//! What Codex's table cannot say: the wirer's choice for an ask.

use tenter_model::Decision;

use crate::encode::{AskFallback, Draft, EncodeOptions};

pub(super) fn adjust(draft: &mut Draft<'_>, options: &EncodeOptions) {
    let asks = draft.verdict.decision == Some(Decision::Ask) && draft.spec.gate;
    let has_no_form = matches!(draft.spec.ask.way, crate::Way::As(_));
    if asks && has_no_form && options.codex_ask == AskFallback::Allow {
        draft.downgrade(Decision::Allow, draft.spec.ask.why, "allowed on request");
    }
}
