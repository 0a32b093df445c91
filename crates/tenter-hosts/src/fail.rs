//! Computes the verdict of the fail mode.

use tenter_model::{Decision, FailMode, Verdict};

use crate::capability::EventSpec;

impl EventSpec {
    /// The verdict used when a hook failed to give one.
    ///
    /// Only a gate can be closed. After the call there is nothing left to stop, and at `Stop` a closed gate
    /// would send the agent round in circles on a broken hook.
    pub fn verdict_on_failure(&self, mode: FailMode, failure: &str) -> Verdict {
        let decision = match mode {
            FailMode::Closed if self.gate => Decision::Deny,
            FailMode::Ask if self.gate => Decision::Ask,
            _ => return Verdict::none(),
        };
        let text = format!("the hook that guards this failed: {failure}");
        Verdict {
            decision: Some(decision),
            reason: Some(text.clone()),
            user_message: Some(text),
            ..Verdict::default()
        }
    }
}
