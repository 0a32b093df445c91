//! What our own failure means, decided in one place.

use std::fmt;

use tenter_model::{Decision, Verdict};

use crate::capability::EventSpec;

/// What happens when a handler or we ourselves fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailMode {
    /// The action goes on as if there were no hook.
    Open,
    /// The action is stopped.
    Closed,
    /// The human is asked; where the host cannot ask, the action is stopped.
    Ask,
}

impl FailMode {
    pub const ALL: [FailMode; 3] = [FailMode::Open, FailMode::Closed, FailMode::Ask];

    pub const fn as_str(self) -> &'static str {
        match self {
            FailMode::Open => "open",
            FailMode::Closed => "closed",
            FailMode::Ask => "ask",
        }
    }

    /// The verdict that stands in for the one a failed hook did not give.
    ///
    /// Only a gate can be closed. After the fact there is nothing left to stop, and at `Stop` a
    /// closed gate would send the agent round in circles on a broken hook.
    pub fn verdict(self, spec: &EventSpec, failure: &str) -> Verdict {
        let decision = match self {
            FailMode::Closed if spec.gate => Decision::Deny,
            FailMode::Ask if spec.gate => Decision::Ask,
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

impl fmt::Display for FailMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
