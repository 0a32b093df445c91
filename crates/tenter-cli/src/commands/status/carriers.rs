//! Which wiring a sign of life may have come through.

use tenter_hosts::install::Scope;
use tenter_setup::doctor::Sign;
use tenter_setup::survey::{HookFile, Survey};

/// The scopes whose hooks may have sent the call that left this sign. A call does not say which of them it
/// comes through: their commands are the same to the letter, since hosts bind their trust to it. So where
/// several scopes have the event, it was any of them.
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
    // Cursor has names of its own for the events of Claude's hooks that it runs.
    if named.is_empty() { with(None) } else { named }
}

/// The scopes in words: `project or user`.
pub(super) fn words(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" or ")
}
