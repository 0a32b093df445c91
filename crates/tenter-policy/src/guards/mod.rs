//! The guards, one file each.

use crate::guard::Guard;

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
