//! The guards, one file each.

use crate::guard::{Check, Guard};
use crate::level::Weight;

mod bypass;
mod databases;
mod destructive_files;
mod destructive_git;
mod disk_and_system;
mod exfiltration;
mod infrastructure;
mod mcp;
mod packages;
mod permissions;
mod pii;
mod prompt_injection;
mod remote_code;
mod rows;
mod secrets;
mod self_protection;
mod sensitive_files;
mod unverified;
mod workaround;

/// All guards, in the order of the documentation.
pub static GUARDS: &[&Guard] = &[
    &destructive_files::GUARD,
    &destructive_git::GUARD,
    &disk_and_system::GUARD,
    &permissions::GUARD,
    &remote_code::GUARD,
    &exfiltration::GUARD,
    &sensitive_files::GUARD,
    &secrets::GUARD,
    &pii::GUARD,
    &databases::GUARD,
    &infrastructure::GUARD,
    &packages::GUARD,
    &mcp::GUARD,
    &prompt_injection::GUARD,
    &bypass::GUARD,
    &self_protection::GUARD,
    &workaround::GUARD,
    &unverified::GUARD,
];

/// The owner of the settings at a path, if self-protection guards it.
pub fn settings_of(path: &str) -> Option<&'static str> {
    self_protection::settings_of(path)
}

/// Whether a shell or a session reads this file when it starts.
pub fn is_startup(path: &str) -> bool {
    self_protection::startup::is_startup(path)
}

pub fn guard(id: &str) -> Option<&'static Guard> {
    GUARDS.iter().copied().find(|guard| guard.id == id)
}

/// Whether `tenter allow rule` may switch this guard, check or rule off for good: nothing grave, and nothing that
/// protects the guard itself.
pub fn may_be_excepted(rule: &str) -> bool {
    let (id, check) = rule.split_once('/').unwrap_or((rule, ""));
    let covered = |known: &&Check| check.is_empty() || known.id == check;
    guard(id).is_none_or(|guard| {
        id != "self-protection"
            && !guard.checks.iter().filter(covered).any(|known| known.weight == Weight::Grave)
    })
}
