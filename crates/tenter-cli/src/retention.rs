//! Retention: records that are older than the policy keeps, and files of sessions that are over.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_audit::prune::{Order, prune};
use tenter_engine::diagnostic::printable;
use tenter_files::Whose;

use crate::guard::{LocalMachine, folders, policies};
use crate::reading::Reading;

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// A session that was silent for so long is over.
const SESSION: Duration = Duration::from_hours(30 * 24);
/// Calls that were stopped wait a day, those that were allowed less.
const STOPPED: Duration = Duration::from_hours(2 * 24);
/// An index that was damaged is of use to whoever looks into it soon, and as large as a whole one.
const SET_ASIDE: Duration = Duration::from_hours(7 * 24);
/// A policy that was kept just now may be that of a call which is not recorded yet.
const POLICY: Duration = Duration::from_hours(24);

/// Says at most once a day that there are records which the policy no longer keeps. Readers of the record call it;
/// only `tenter prune` clears them away.
pub(crate) fn remind(machine: &LocalMachine, reading: &mut Reading) {
    let spool = &reading.spool;
    let stamp = spool.folder().join("reminded");
    if !spool.folder().is_dir() || !is_due(&stamp, machine.now_ms) {
        return;
    }
    // Without the stamp the same is said again, which does no harm.
    drop(folders::replace(&stamp, machine.now_ms.to_string().as_bytes()));
    let Some(days) = kept(machine) else { return };
    let before = machine.now_ms.saturating_sub(u64::from(days).saturating_mul(DAY_MS));
    let order = Order { before, now: machine.now_ms, dry_run: true, ..Order::default() };
    // A broken record is for `tenter verify` to tell.
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

/// For how many days records are kept; none if for ever. A policy that cannot be read may have said so.
pub(crate) fn kept(machine: &LocalMachine) -> Option<u32> {
    // A project has no say in it, so none is asked.
    let policy = policies::load(&machine.folders, &[]).policy;
    if policy.broken.is_empty() { policy.record.keep_days } else { None }
}

/// Whether the last time was a day ago or more. A time that is still to come was written by a wrong clock.
fn is_due(stamp: &Path, now_ms: u64) -> bool {
    let last = folders::read_private(stamp, 64).ok().and_then(|it| it.trim().parse::<u64>().ok());
    last.is_none_or(|last| now_ms < last || now_ms.saturating_sub(last) >= DAY_MS)
}

/// Clears away what sessions and stopped calls left behind, and says how many files that were.
pub(crate) fn sweep(state: &Path, now_ms: u64) -> u64 {
    let now = UNIX_EPOCH.checked_add(Duration::from_millis(now_ms)).unwrap_or(UNIX_EPOCH);
    let mut gone = 0_u64;
    let mut clear = |folder: &str, age: Duration, goes: &dyn Fn(&Path) -> bool| {
        let Ok(entries) = std::fs::read_dir(state.join(folder)) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            // What stays does no harm.
            if is_old(&path, now, age) && goes(&path) && std::fs::remove_file(&path).is_ok() {
                gone = gone.saturating_add(1);
            }
        }
    };
    let is_lock = |path: &Path| path.extension().is_some_and(|it| it == "lock");
    clear("sessions", SESSION, &|path| !is_lock(path));
    // A lock is never written to, so only the file that it stands for tells its age.
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

/// Clears away policies that no record mentions any more, and says how many that were. A call that is judged by
/// one of them later keeps it again.
pub(crate) fn sweep_policies(state: &Path, now_ms: u64, reading: &Reading) -> u64 {
    // Who does not know all records does not know what they mention.
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
