//! Finds the scope that a sign of life came through.

use tenter_hosts::install::Scope;
use tenter_setup::doctor::Sign;
use tenter_setup::survey::{HookFile, Survey};

/// The scopes whose hooks may have sent this sign. A call does not tell its scope: the commands are
/// identical, since approvals are bound to their text. So if several scopes have the event, it may be any of
/// them.
pub(super) fn carriers(survey: &Survey, sign: &Sign) -> Vec<Scope> {
    let has = |scope: Scope, event: Option<&str>| {
        let files = survey.host(sign.wired_as).into_iter().flat_map(|state| state.in_scope(scope));
        let mut ours = files.flat_map(HookFile::ours);
        ours.any(|(found, _)| event.is_none_or(|event| found.event == event))
    };
    let with = |event: Option<&str>| -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| has(*scope, event)).collect()
    };
    let named = with(Some(&sign.event));
    // Cursor reports Claude's events by its own names.
    if named.is_empty() { with(None) } else { named }
}

/// The scopes as text: `project or user`.
pub(super) fn words(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" or ")
}
