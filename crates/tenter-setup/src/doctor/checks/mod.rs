//! The checks, one per file: documentation, properties, function and test.

mod agent_unsupported;
mod cache_damaged;
mod calls_died;
mod calls_unseen;
mod clock;
mod codex_two_files;
mod codex_untrusted;
mod cursor_reads_claude;
mod disk_full;
mod entry_altered;
mod entry_broken;
mod entry_gone;
mod entry_old;
mod entry_weakened;
mod event_too_new;
mod file_broken;
mod file_void;
mod folder_moved;
mod folder_not_writable;
mod foreign_owner;
mod gate_missing;
mod general_and_special;
mod gone_quiet;
mod hardening_gone;
mod host_absent;
mod install_interrupted;
mod managed_unread;
mod mod_loaded;
mod never_seen;
mod not_proved;
pub(super) mod nothing_wired;
mod other_entry;
mod out_of_sight;
mod policy_error;
mod program_by_name;
pub(crate) mod program_in_passing;
mod program_missing;
mod program_not_executable;
mod program_strange;
mod program_version;
mod record_lost;
mod settings_env;
mod state_exposed;
mod switched_off;
mod wired_twice;
mod wrong_host;

use super::Check;

/// Every check: files, settings, our entries, the program, signs of life, our own folders.
pub const CHECKS: &[Check] = &[
    nothing_wired::CHECK,
    agent_unsupported::CHECK,
    file_broken::CHECK,
    file_void::CHECK,
    event_too_new::CHECK,
    switched_off::CHECK,
    managed_unread::CHECK,
    mod_loaded::CHECK,
    codex_untrusted::CHECK,
    program_missing::CHECK,
    program_not_executable::CHECK,
    program_strange::CHECK,
    program_version::CHECK,
    program_by_name::CHECK,
    program_in_passing::CHECK,
    wrong_host::CHECK,
    entry_altered::CHECK,
    entry_broken::CHECK,
    entry_gone::CHECK,
    entry_weakened::CHECK,
    out_of_sight::CHECK,
    entry_old::CHECK,
    gate_missing::CHECK,
    never_seen::CHECK,
    gone_quiet::CHECK,
    calls_unseen::CHECK,
    wired_twice::CHECK,
    general_and_special::CHECK,
    cursor_reads_claude::CHECK,
    codex_two_files::CHECK,
    other_entry::CHECK,
    host_absent::CHECK,
    folder_moved::CHECK,
    settings_env::CHECK,
    policy_error::CHECK,
    cache_damaged::CHECK,
    folder_not_writable::CHECK,
    disk_full::CHECK,
    record_lost::CHECK,
    calls_died::CHECK,
    state_exposed::CHECK,
    foreign_owner::CHECK,
    hardening_gone::CHECK,
    clock::CHECK,
    install_interrupted::CHECK,
    not_proved::CHECK,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn every_check_is_complete_and_named_once() {
        let mut ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
        let kebab = |id: &&str| id.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(ids.iter().all(kebab));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CHECKS.len());
        for check in CHECKS {
            assert!(!check.summary.ends_with('.'), "{}", check.id);
            assert!(check.docs.contains("\n\n"), "{} says what, but not why", check.id);
        }
    }

    #[test]
    fn a_well_wired_machine_has_no_findings() {
        for host in HostId::ALL {
            let scene = Scene::wired(host);
            // In a test the program is always in a temporary folder.
            let found: Vec<_> = scene.findings();
            let found: Vec<&str> = found.iter().map(|found| found.check.id).collect();
            assert_eq!(found, ["program-in-passing"], "{host}");
            let guards = scene.guards();
            assert_eq!(guards.len(), 1);
            assert_eq!((guards[0].host, guards[0].scope), (host, Scope::User));
            assert!(guards[0].dead.is_empty());
        }
    }

    #[test]
    fn every_finding_says_what_it_means_and_what_to_do() {
        let mut scene = Scene::wired(HostId::Cursor);
        scene.wire_command(HostId::Claude, Scope::User, "./tenter hook codex || true");
        scene.lay(&scene.file(HostId::Codex, Scope::User), "{");
        scene.places.state = None;
        let found = scene.findings();
        assert!(found.len() > 5, "{found:?}");
        for finding in found {
            assert!(!finding.meaning.is_empty() && !finding.fix.is_empty(), "{finding:?}");
            for text in [&finding.message, &finding.meaning, &finding.fix] {
                assert!(!text.ends_with('.'), "{text}");
            }
        }
    }
}
