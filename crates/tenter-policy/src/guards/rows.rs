//! Tables from action to check and message.

use tenter_shell::Act;
use tenter_shell::Effect;

use crate::finding::{At, Found};
use crate::guard::Check;

/// An action, its check, and the message as a clause.
pub(in crate::guards) type Row = (Act, &'static Check, &'static str);

/// The row of an action.
pub(in crate::guards) fn row(
    rows: &'static [Row],
    action: Act,
) -> Option<(&'static Check, &'static str)> {
    rows.iter().find(|(known, ..)| *known == action).map(|(_, check, what)| (*check, *what))
}

/// Adds the finding of this effect's row, if it has one.
pub(in crate::guards) fn by_row(found: &mut Found<'_>, effect: &Effect, rows: &'static [Row]) {
    if let Some((check, what)) = row(rows, effect.action) {
        tell(found, effect, check, what);
    }
}

/// Adds a finding about the effect's target.
pub(in crate::guards) fn tell(found: &mut Found<'_>, effect: &Effect, check: &Check, what: &str) {
    let subject = effect.target.shown();
    tell_of(found, effect, check, what, &subject);
}

/// Adds a finding with another subject than the effect's target.
pub(in crate::guards) fn tell_of(
    found: &mut Found<'_>,
    effect: &Effect,
    check: &Check,
    what: &str,
    subject: &str,
) {
    let what = if subject.is_empty() { what.to_owned() } else { format!("{what}: `{subject}`") };
    found.add(check, At::effect(effect, subject), what);
}
