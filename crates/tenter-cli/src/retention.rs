//! Retention: records older than the policy keeps, and files of finished sessions.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_audit::prune::{Order, prune};
use tenter_engine::diagnostic::printable;
use tenter_files::Whose;

use crate::guard::{LocalMachine, folders, policies};
use crate::reading::Reading;

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Age of a finished session.
const SESSION: Duration = Duration::from_hours(30 * 24);
/// Age from which stopped and allowed calls are obsolete.
const STOPPED: Duration = Duration::from_hours(2 * 24);
/// Age from which a damaged index is deleted: it is only for debugging, and large.
const SET_ASIDE: Duration = Duration::from_hours(7 * 24);
/// Minimum age of an unused policy: a recent one may belong to a call not recorded yet.
const POLICY: Duration = Duration::from_hours(24);

/// Reminds at most once a day of records that the policy does not keep any more. Called by readers of the
/// record; only `tenter prune` deletes them.
pub(crate) fn remind(machine: &LocalMachine, reading: &mut Reading) {
    let spool = &reading.spool;
    let stamp = spool.folder().join("reminded");
    if !spool.folder().is_dir() || !is_due(&stamp, machine.now_ms) {
        return;
    }
    // Without the stamp the reminder is only repeated.
    drop(folders::replace(&stamp, machine.now_ms.to_string().as_bytes()));
    let Some(days) = kept(machine) else { return };
    let before = machine.now_ms.saturating_sub(u64::from(days).saturating_mul(DAY_MS));
    let order = Order { before, now: machine.now_ms, dry_run: true, ..Order::default() };
    // `tenter verify` reports a broken record.
    let Ok(due) = prune(&reading.spool, reading.store.as_mut(), order) else { return };
    if due.records > 0 {
        let records = due.records;
        let text = format!(
            "{records} records are older than {days} days (`[record] keep` in your policy); clear them away: \
             `tenter prune`"
        );
        drop(writeln!(std::io::stderr(), "tenter: {}", printable(&text)));
    }
}

/// Number of days that records are kept; `None` means for ever, also if the policy is unreadable.
pub(crate) fn kept(machine: &LocalMachine) -> Option<u32> {
    // A project's policy cannot set it.
    let policy = policies::load(&machine.folders, &[]).policy;
    if policy.broken.is_empty() { policy.record.keep_days } else { None }
}

/// Whether the last time is at least a day ago. A time in the future was written by a wrong clock.
fn is_due(stamp: &Path, now_ms: u64) -> bool {
    let last = folders::read_private(stamp, 64).ok().and_then(|it| it.trim().parse::<u64>().ok());
    last.is_none_or(|last| now_ms < last || now_ms.saturating_sub(last) >= DAY_MS)
}

/// Deletes leftovers of sessions and stopped calls; returns the number of files.
pub(crate) fn sweep(state: &Path, now_ms: u64) -> u64 {
    let now = UNIX_EPOCH.checked_add(Duration::from_millis(now_ms)).unwrap_or(UNIX_EPOCH);
    let mut gone = 0_u64;
    let mut clear = |folder: &str, age: Duration, goes: &dyn Fn(&Path) -> bool| {
        let Ok(entries) = std::fs::read_dir(state.join(folder)) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            // Leftovers do no harm.
            if is_old(&path, now, age) && goes(&path) && std::fs::remove_file(&path).is_ok() {
                gone = gone.saturating_add(1);
            }
        }
    };
    let is_lock = |path: &Path| path.extension().is_some_and(|it| it == "lock");
    clear("sessions", SESSION, &|path| !is_lock(path));
    // A lock file is never written, so the locked file's age counts.
    clear("sessions", SESSION, &|path| {
        is_lock(path)
            && !path.with_extension("").exists()
            && tenter_files::open(path, Whose::State).is_ok_and(|lock| lock.try_lock().is_ok())
    });
    clear("stopped", STOPPED, &|_| true);
    clear("once", STOPPED, &|_| true);
    clear("audit", SET_ASIDE, &|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("index.sqlite.broken-"))
    });
    gone
}

/// Deletes policies that no record refers to; returns their number. A call judged by one of them later stores
/// it again.
pub(crate) fn sweep_policies(state: &Path, now_ms: u64, reading: &Reading) -> u64 {
    // References are known only if all records are indexed.
    if !reading.is_whole {
        return 0;
    }
    let Ok(Some(mentioned)) = reading.store.policies() else { return 0 };
    let now = UNIX_EPOCH.checked_add(Duration::from_millis(now_ms)).unwrap_or(UNIX_EPOCH);
    let mut gone = 0_u64;
    for (name, path) in policies::all_kept(state) {
        if !mentioned.contains(&name)
            && is_old(&path, now, POLICY)
            && std::fs::remove_file(&path).is_ok()
        {
            gone = gone.saturating_add(1);
        }
    }
    gone
}

fn is_old(path: &Path, now: SystemTime, age: Duration) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    found.is_file()
        && found.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|since| since > age))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn touch(path: &Path, days_ago: u64, now_ms: u64) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(path).unwrap();
        let at = now_ms - days_ago * DAY_MS;
        file.set_modified(UNIX_EPOCH + Duration::from_millis(at)).unwrap();
    }

    #[test]
    fn what_sessions_left_behind_goes_when_they_are_over() {
        let state = tempfile::tempdir().unwrap();
        let now = 1_800_000_000_000;
        let files = [
            ("sessions/claude-a", 31, false),
            ("sessions/claude-a.lock", 31, false),
            ("sessions/claude-b", 29, true),
            ("sessions/claude-b.lock", 300, true),
            ("sessions/claude-c.lock", 31, false),
            ("sessions/claude-d.lock", 1, true),
            ("stopped/AAAA-BBBB", 3, false),
            ("stopped/CCCC-DDDD", 1, true),
            ("once/AAAA-BBBB", 3, false),
            ("once/CCCC-DDDD", 1, true),
            ("seen/claude.Stop", 400, true),
            ("audit/index.sqlite.broken-17", 8, false),
            ("audit/index.sqlite.broken-18", 6, true),
            ("audit/index.sqlite", 400, true),
            ("audit/current.jsonl", 400, true),
        ];
        for (name, days, _) in files {
            touch(&state.path().join(name), days, now);
        }
        let held = state.path().join("sessions/claude-e.lock");
        touch(&held, 31, now);
        let lock = File::open(&held).unwrap();
        lock.try_lock().unwrap();
        assert_eq!(sweep(state.path(), now), 6);
        for (name, _, stays) in files {
            assert_eq!(state.path().join(name).exists(), stays, "{name}");
        }
        assert!(held.exists(), "somebody holds it");
    }

    #[test]
    fn its_turn_comes_once_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let stamp = folder.path().join("reminded");
        let now = 1_800_000_000_000;
        assert!(is_due(&stamp, now));
        for (text, expected) in [
            (now.to_string(), false),
            ((now - DAY_MS + 1).to_string(), false),
            ((now - DAY_MS).to_string(), true),
            ((now + 1).to_string(), true),
            ("soon".to_owned(), true),
        ] {
            std::fs::write(&stamp, &text).unwrap();
            assert_eq!(is_due(&stamp, now), expected, "{text}");
        }
    }
}
