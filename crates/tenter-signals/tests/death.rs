//! A dying process writes its mark and its last words. Without a test harness: signals concern the main
//! thread, as in the program.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::process::{Command, Output};
use std::time::Duration;

use tenter_signals::Words;

const WAY: &str = "TENTER_TEST_DEATH";

fn main() {
    if let Ok(way) = std::env::var(WAY) {
        dies(&way);
    } else if cfg!(unix) {
        the_mark_names_the_cause_and_the_words_are_said_once();
    }
}

/// Runs `dies` in a process of its own.
fn die(way: &str, file: &std::path::Path) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(WAY, way).env("TENTER_TEST_FILE", file).output().unwrap()
}

fn dies(way: &str) {
    let file = std::fs::File::create(std::env::var("TENTER_TEST_FILE").unwrap()).unwrap();
    tenter_signals::arm();
    tenter_signals::say(&Words { before: "<", after: ">\n", stdout: "said", exit: 7 });
    tenter_signals::on_death_write(number(&file), "{\"died\":\"", "\"}\n");
    match way {
        "abort" => std::process::abort(),
        "deadline" => {
            tenter_signals::deadline(Duration::from_millis(20));
            std::thread::sleep(Duration::from_secs(30));
        }
        "answered" => {
            tenter_signals::answered(3);
            std::process::abort();
        }
        _ => {}
    }
}

#[cfg(unix)]
fn number(file: &std::fs::File) -> i32 {
    std::os::fd::AsRawFd::as_raw_fd(file)
}

#[cfg(not(unix))]
fn number(_file: &std::fs::File) -> i32 {
    -1
}

fn the_mark_names_the_cause_and_the_words_are_said_once() {
    let folder = std::env::temp_dir().join(format!("tenter-death-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mark");
    for (way, mark, cause, exit) in [
        ("abort", "{\"died\":\"signal 6\"}\n", "<aborted", 7),
        ("deadline", "{\"died\":\"deadline\"}\n", "<no verdict", 7),
        ("answered", "", "", 3),
    ] {
        let output = die(way, &file);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{way}: {stderr}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), mark, "{way}");
        assert!(stderr.contains(cause), "{way}: {stderr}");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(stdout.contains("said"), way != "answered", "{way}: {stdout}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
