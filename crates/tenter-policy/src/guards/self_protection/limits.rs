//! Checks resource limits and debuggers applied to the process that starts hooks, and modes that lock out a
//! folder's owner.

use tenter_shell::{Field, Kind, Ran, Role};

use super::LIMITS;
use crate::finding::{At, Found};
use crate::scene::Scene;

/// Limits of `prlimit` that affect a running process.
const STARVE: &[&str] = &[
    "--as",
    "--core",
    "--cpu",
    "--data",
    "--fsize",
    "--memlock",
    "--nofile",
    "--nproc",
    "--rss",
    "--stack",
    "-c",
    "-d",
    "-f",
    "-l",
    "-m",
    "-n",
    "-s",
    "-t",
    "-u",
    "-v",
];

/// Size of a file that leaves no room for the record, in bytes.
const FILLS: u64 = 20 << 30;

/// Whether the disk is filled so that nothing can be recorded: `yes > ~/fill`, `fallocate -l 100G x`.
fn fills(scene: &Scene<'_>, at: usize, ran: &Ran) -> bool {
    let own = u32::try_from(at).ok();
    match () {
        () if ran.is(Role::Endless) => scene.effects().iter().any(|effect| {
            let writes = matches!(effect.kind, Kind::Write | Kind::Append | Kind::Overwrite);
            let shown = effect.target.shown();
            writes
                && effect.command == own
                && shown.starts_with(['/', '$'])
                && !shown.starts_with("/dev/")
        }),
        () if ran.is(Role::Allocates) => ran.argv.iter().skip(1).any(|field| {
            let text = field.prefix();
            let size = text.strip_prefix("--length=").or(text.strip_prefix("-l")).unwrap_or(text);
            bytes(size).is_some_and(|size| size >= FILLS)
        }),
        () => false,
    }
}

/// `100G`, `100GiB`, `107374182400`
fn bytes(size: &str) -> Option<u64> {
    let end = size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len());
    let (number, unit) = size.split_at_checked(end)?;
    let shift = match unit.to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

pub(super) fn look(scene: &Scene<'_>, at: usize, ran: &Ran, found: &mut Found<'_>) {
    if fills(scene, at, ran) {
        let what = format!("fills the disk, so that no call can be recorded: {ran}");
        found.add(&LIMITS, At::program(ran), what);
    }
    let words = || ran.argv.iter().skip(1);
    let limits = |text: &str| {
        let is = |known: &&str| {
            text.strip_prefix(*known).is_some_and(|rest| {
                rest.starts_with('=') || !known.starts_with("--") && !rest.is_empty()
            })
        };
        STARVE.iter().any(is)
    };
    let starves = ran.is(Role::SetsLimits)
        && words().any(|field| is_pid_option(field.prefix()))
        && words().any(|field| limits(field.prefix()));
    let is_parent = |field: &Field| field.shown().contains("PPID");
    let by_parent = words().any(is_parent);
    let takes = by_parent && ran.is(Role::Debugs);
    if starves || takes {
        let what = if takes {
            "stops the process that runs the hooks"
        } else {
            "limits a running process"
        };
        found.add(&LIMITS, At::program(ran), format!("{what}: {ran}"));
    }
}

fn is_pid_option(text: &str) -> bool {
    text.starts_with("--pid") || text.starts_with("-p")
}

/// Whether a mode removes a right of a folder's owner: `000`, `u-x`, `-w`, `u=r`.
pub(super) fn takes_rights(mode: &str) -> bool {
    let digits = mode.trim_start_matches('=');
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let owner = digits.len().checked_sub(3).and_then(|at| digits.as_bytes().get(at));
        return owner != Some(&b'7');
    }
    mode.split(',').any(|clause| {
        let Some(at) = clause.find(['+', '-', '=']) else { return false };
        let (who, change) = clause.split_at_checked(at).unwrap_or_default();
        let of_owner = who.is_empty() || who.contains(['u', 'a']);
        let known = who.bytes().all(|byte| b"ugoa".contains(&byte));
        let rights = change.get(1..).unwrap_or_default();
        let plain = rights.bytes().all(|byte| b"rwxXst".contains(&byte));
        let takes = match change.as_bytes().first() {
            Some(b'-') => rights.contains(['r', 'w', 'x']),
            Some(b'=') => {
                !(rights.contains('r') && rights.contains('w') && rights.contains(['x', 'X']))
            }
            _ => false,
        };
        of_owner && known && plain && takes
    })
}
