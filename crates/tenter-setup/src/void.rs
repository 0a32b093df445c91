//! For which mistakes a host drops a whole file.

use tenter_lint::{Finding, Severity};
use tenter_model::HostId;

/// From here on Claude Code passes over an event that it does not know, and an entry it cannot read.
const CLAUDE_EVENTS: [u32; 3] = [2, 1, 101];
const CLAUDE_ENTRIES: [u32; 3] = [2, 1, 122];

/// Whether the host drops the file for this; `version` is the host's, where it is known.
pub(crate) fn voids(host: HostId, version: Option<[u32; 3]>, finding: &Finding) -> bool {
    let before = |first| version.is_some_and(|here| here < first);
    match (host, finding.rule.id) {
        (HostId::Cursor, "unknown-event" | "version-missing") => {
            finding.severity == Severity::Error
        }
        (HostId::Codex, _) => finding.drops_file,
        (HostId::Claude, "unknown-event") => before(CLAUDE_EVENTS),
        (HostId::Claude, "wrong-type") => before(CLAUDE_ENTRIES),
        _ => false,
    }
}
