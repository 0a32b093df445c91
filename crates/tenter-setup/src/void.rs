//! For which mistakes a host drops a whole file.

use tenter_hosts::install::numbers;
use tenter_lint::{Finding, Severity};
use tenter_model::HostId;

use crate::survey::{HookFile, HostState};
use crate::{Places, judged};

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
        (HostId::Claude, _) if finding.drops_file => true,
        (HostId::Claude, "unknown-event") => before(CLAUDE_EVENTS),
        (HostId::Claude, "wrong-type") => before(CLAUDE_ENTRIES),
        _ => false,
    }
}

/// The mistakes in a file for which its host drops all of it; `version` is the host's.
pub(crate) fn findings(file: &HookFile, version: Option<&str>, places: &Places) -> Vec<Finding> {
    let judged = file.text().and_then(|text| judged::file(file, text));
    let version = version.and_then(numbers);
    let mut found = judged::lint(judged.as_slice(), places);
    found.retain(|finding| voids(file.host, version, finding));
    found
}

/// Why the host reads nothing of a file, with the line, if that is so.
pub fn reason(state: &HostState, file: &HookFile, places: &Places) -> Option<String> {
    let version = state.here.version.as_deref();
    let first = findings(file, version, places).into_iter().next()?;
    Some(format!("{}, line {}: {}", file.path.display(), first.start.line, first.message))
}
