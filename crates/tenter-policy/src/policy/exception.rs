//! Exceptions: `[[allow]]` tables.

use serde::{Deserialize, Serialize};

use super::Origin;
use super::rule::{Sight, When};
use crate::finding::Finding;
use crate::scene::Scene;

/// An `[[allow]]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exception {
    /// A guard, `guard/check`, or the id of a rule.
    pub rule: String,
    pub when: When,
    pub reason: String,
    /// Expiry, in seconds since 1970.
    pub expires: Option<u64>,
    pub origin: Origin,
}

impl Exception {
    /// Whether it covers this rule.
    pub fn names(&self, rule: &str) -> bool {
        let rest = rule.strip_prefix(self.rule.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// The first exception that covers the finding.
pub(super) fn find<'e>(
    exceptions: &'e [Exception],
    finding: &Finding,
    scene: &Scene<'_>,
) -> Option<&'e Exception> {
    let mut sight = None;
    exceptions.iter().find(|exception| {
        exception.names(&finding.rule)
            && exception.expires.is_none_or(|end| scene.world.now < end)
            && (exception.when.is_empty()
                || sight.get_or_insert_with(|| Sight::new(scene)).covers(&exception.when, finding))
    })
}
