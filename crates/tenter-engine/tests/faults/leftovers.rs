//! Counts the processes, descriptors and memory still held, from `/proc`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

fn numbers() -> Vec<u32> {
    let names = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).collect()
}

/// Processes that run hooks of this project, or descend from one: every hook gets the project folder in its
/// environment and passes it on.
pub(crate) fn of_project(project: &Path) -> Vec<String> {
    let marker = format!("CURSOR_PROJECT_DIR={}\0", project.display());
    let is_ours = |number: &u32| {
        let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.windows(marker.len()).any(|window| window == marker.as_bytes())
    };
    numbers().into_iter().filter(is_ours).map(describe).collect()
}

/// Our child processes, including zombies.
pub(crate) fn children() -> Vec<String> {
    let is_ours = |number: &u32| {
        let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // The name before it is in parentheses and may contain anything.
        let parent = status.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent.and_then(|parent| parent.parse().ok()) == Some(std::process::id())
    };
    numbers().into_iter().filter(is_ours).map(describe).collect()
}

fn describe(number: u32) -> String {
    let command = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
    let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    format!("{} | {}", String::from_utf8_lossy(&command).replace('\0', " "), status.trim())
}

/// Number of open descriptors.
pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Peak memory since the last `forget_peak`, in kilobytes.
pub(crate) fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// Resets the peak to the current memory.
pub(crate) fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// Polls until nothing is found, and returns what is left when the time is up.
pub(crate) fn after(patience: Duration, mut look: impl FnMut() -> Vec<String>) -> Vec<String> {
    let start = Instant::now();
    loop {
        let found = look();
        if found.is_empty() || start.elapsed() > patience {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
