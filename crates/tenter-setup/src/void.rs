//! Decides which mistakes make a host drop a whole file.

use tenter_hosts::install::{Mistake, numbers};
use tenter_lint::{Finding, Severity};
use tenter_model::HostId;

use crate::survey::{Content, HookFile, HostState};
use crate::{Places, command, judged};

/// Whether the host drops the file for this; `version` is the host's, if known.
pub(crate) fn voids(host: HostId, version: Option<[u32; 3]>, finding: &Finding) -> bool {
    (tenter_hosts::host(host).install().voids)(&Mistake {
        rule: finding.rule.id,
        is_error: finding.severity == Severity::Error,
        drops_file: finding.drops_file,
        version,
    })
}

/// An event that the host supports only in later versions.
pub(crate) struct TooNew<'f> {
    pub(crate) event: &'f str,
    pub(crate) since: [u32; 3],
    pub(crate) line: usize,
    /// Whether the hook is ours.
    pub(crate) ours: bool,
    /// Whether the host may drop the whole file for it.
    pub(crate) voids: bool,
}

/// Events of a file that the installed version does not support yet, each once.
pub(crate) fn too_new<'f>(state: &HostState, file: &'f HookFile) -> Vec<TooNew<'f>> {
    let host = tenter_hosts::host(state.host);
    let version = state.here.version.as_deref();
    let Some(here) = version.and_then(numbers) else { return Vec::new() };
    let unknown =
        Mistake { rule: "unknown-event", is_error: true, drops_file: false, version: Some(here) };
    let voids = (host.install().voids)(&unknown);
    let mut all: Vec<TooNew<'_>> = Vec::new();
    for found in file.hooks() {
        let since = match host.install().wire(&found.event) {
            Some(wire) if (host.install().knows)(wire, version) => None,
            Some(wire) => wire.since,
            None => numbers(host.spec(&found.event).since).filter(|since| *since > here),
        };
        let Some(since) = since else { continue };
        let event = found.event.as_str();
        let ours = command::ours(found).is_some();
        match all.iter_mut().find(|known| known.event == event) {
            Some(known) => known.ours &= ours,
            None => all.push(TooNew { event, since, line: found.line, ours, voids }),
        }
    }
    all
}

impl TooNew<'_> {
    /// Description and fix.
    pub(crate) fn told(&self, state: &HostState, file: &HookFile) -> (String, String) {
        let [major, minor, patch] = self.since;
        let (named, event) = (state.named(), self.event);
        let what =
            format!("{named} does not know `{event}` yet, which came with {major}.{minor}.{patch}");
        let fix = if self.ours {
            command::install_again(file.host, file.scope)
        } else {
            format!("update {}, or take the event out", state.host.title())
        };
        (what, fix)
    }
}

/// Mistakes in a file that make its host drop all of it; `version` is the host's.
pub(crate) fn findings(file: &HookFile, version: Option<&str>, places: &Places) -> Vec<Finding> {
    let judged = file.text().and_then(|text| judged::file(file, text));
    let version = version.and_then(numbers);
    let mut found = judged::lint(judged.as_slice(), places);
    found.retain(|finding| voids(file.host, version, finding));
    found
}

/// Whether the files explain why the host has not loaded this one's hooks.
pub fn is_unread(state: &HostState, file: &HookFile, places: &Places) -> bool {
    let broken = |file: &HookFile| matches!(file.content, Content::Broken(_));
    let dropped = |file: &HookFile| reason(state, file, places).is_some();
    state.silenced(file.scope).is_some()
        || state.in_scope(file.scope).any(|file| broken(file) || dropped(file))
}

/// Why the host ignores a file, with the line, if it does.
pub fn reason(state: &HostState, file: &HookFile, places: &Places) -> Option<String> {
    let version = state.here.version.as_deref();
    let first = findings(file, version, places).into_iter().next()?;
    Some(format!("{}, line {}: {}", file.path.display(), first.start.line, first.message))
}
