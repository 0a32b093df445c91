//! Reads processes from `/proc`; other systems show none.

use std::path::Path;

use tenter_files::Whose;

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    /// Number of its controlling terminal; 0 without one.
    pub(crate) tty: u32,
    /// Start time in clock ticks since boot.
    pub(crate) start: u64,
    pub(crate) name: String,
}

/// Maximum depth of the process tree.
const DEEPEST: usize = 128;

/// Our parent process.
pub(crate) fn parent() -> Option<u32> {
    #[cfg(target_os = "linux")]
    return u32::try_from(rustix::process::getppid()?.as_raw_nonzero().get()).ok();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Content of a file in `/proc`.
fn about(file: &str) -> Option<Vec<u8>> {
    tenter_files::start(Path::new(file), 256 * 1024, Whose::Anyone).ok()
}

fn text(file: &str) -> Option<String> {
    about(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub(crate) fn read(pid: u32) -> Option<Process> {
    let text = text(&format!("/proc/{pid}/stat"))?;
    // The name is in parentheses and may contain anything.
    let (head, tail) = text.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<i64>().ok();
    Some(Process {
        pid,
        parent: u32::try_from(number(1)?).ok()?,
        session: u32::try_from(number(3)?).ok()?,
        tty: u32::try_from(number(4)?).unwrap_or(0),
        start: fields.get(19)?.parse().ok()?,
        name: name.to_owned(),
    })
}

/// A process and its ancestors.
pub(crate) fn ancestors(pid: u32) -> Vec<Process> {
    let mut chain: Vec<Process> = Vec::new();
    let mut next = pid;
    while next != 0
        && chain.len() < DEEPEST
        && let Some(process) = read(next)
    {
        next = process.parent;
        chain.push(process);
    }
    chain
}

/// All processes.
pub(super) fn all() -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The first words of its command line.
pub(super) fn words(pid: u32, count: usize) -> Vec<String> {
    let line = about(&format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).take(count);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The first of these variables in its initial environment.
pub(super) fn variable<'n>(pid: u32, names: &'n [&'n str]) -> Option<&'n str> {
    let all = about(&format!("/proc/{pid}/environ"))?;
    let mut variables = all.split(|byte| *byte == 0);
    variables.find_map(|variable| {
        let name = variable.split(|byte| *byte == b'=').next()?;
        names.iter().copied().find(|known| known.as_bytes() == name)
    })
}

/// Uptime in clock ticks.
pub(super) fn ticks() -> u64 {
    let text = text("/proc/uptime").unwrap_or_default();
    let uptime = text.split_ascii_whitespace().next().unwrap_or_default();
    let (seconds, parts) = uptime.split_once('.').unwrap_or((uptime, ""));
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    number(seconds).saturating_mul(100).saturating_add(number(parts))
}

/// Whether `/proc` is the kernel's, and of our PID namespace.
#[cfg(target_os = "linux")]
pub(super) fn are_ours() -> bool {
    let kernel = rustix::fs::statfs("/proc").is_ok_and(|about| about.f_type == 0x9fa0);
    let own = std::process::id().to_string();
    kernel && std::fs::read_link("/proc/self").is_ok_and(|it| it == Path::new(&own))
}

/// Mount points of our mount namespace.
#[cfg(target_os = "linux")]
pub(super) fn mounts() -> Vec<String> {
    let lines = text("/proc/self/mountinfo").unwrap_or_default();
    let place = |line: &str| line.split(' ').nth(4).map(|it| it.replace("\\040", " "));
    lines.lines().filter_map(place).collect()
}

/// The process that traces us, if any.
pub(super) fn tracer() -> Option<u32> {
    let status = text("/proc/self/status")?;
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    tracer.trim().parse().ok().filter(|pid| *pid != 0)
}

/// Control group and login session, which a process shares with all its descendants.
pub(super) fn family(pid: u32) -> (String, String) {
    let of = |name: &str| text(&format!("/proc/{pid}/{name}")).unwrap_or_default();
    (of("cgroup"), of("sessionid"))
}

/// Number of the pseudo terminal, if the controlling terminal is one.
pub(super) fn pseudo_terminal(tty: u32) -> Option<u32> {
    let major = (tty >> 8) & 0xfff;
    let minor = (tty & 0xff) | ((tty >> 12) & 0xf_ff00);
    (136..=143).contains(&major).then(|| (major - 136) * 256 + minor)
}

/// Processes that hold the other end of a pseudo terminal: they can read and type.
pub(super) fn holders(terminal: u32) -> Vec<u32> {
    let holds = |pid: &u32| {
        let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        files.flatten().any(|file| {
            let leads = std::fs::read_link(file.path());
            leads.is_ok_and(|it| it == Path::new("/dev/ptmx") || it == Path::new("/dev/pts/ptmx"))
                && index(*pid, &file.file_name().to_string_lossy()) == Some(terminal)
        })
    };
    all().into_iter().filter(holds).collect()
}

/// Number of the terminal of an open master.
fn index(pid: u32, file: &str) -> Option<u32> {
    let about = text(&format!("/proc/{pid}/fdinfo/{file}"))?;
    about.lines().find_map(|line| line.strip_prefix("tty-index:"))?.trim().parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_and_those_above_it_are_read() {
        let own = std::process::id();
        let chain = ancestors(own);
        assert_eq!(chain.first().map(|it| it.pid), Some(own));
        assert_eq!(chain.get(1).map(|it| Some(it.pid)), Some(parent()));
        assert!(chain.iter().all(|it| !it.name.is_empty()));
        assert!(all().contains(&own));
        assert_eq!(variable(own, &["NO_SUCH_VARIABLE_HERE"]), None);
    }

    #[test]
    fn terminals_are_known_by_their_number() {
        assert_eq!(pseudo_terminal((136 << 8) | 3), Some(3));
        assert_eq!(pseudo_terminal((137 << 8) | 1), Some(257));
        assert_eq!(pseudo_terminal((4 << 8) | 1), None);
        assert_eq!(pseudo_terminal(0), None);
    }
}
