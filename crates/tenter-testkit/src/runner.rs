//! Runs the built binary as a host would.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// The binary under test, in an environment of its own.
#[derive(Clone, Debug)]
pub struct Tenter {
    binary: String,
}

/// A home without policy or state. Files block the paths of our folders, so that not even root can create
/// them.
fn empty_home() -> PathBuf {
    let home = std::env::temp_dir().join("tenter-tests-empty-home");
    for folder in [".config", ".local", ".cache"] {
        let file = home.join(folder);
        if !file.is_file() {
            fs::create_dir_all(&home).expect("the temporary folder takes folders");
            fs::write(file, "").expect("the temporary folder takes files");
        }
    }
    home
}

/// A user database with the empty home, so that agents that work in the developer's own home do not count.
#[cfg(unix)]
fn users() -> PathBuf {
    use std::os::unix::fs::MetadataExt;
    let home = empty_home();
    let file = home.join("users");
    if !file.is_file() {
        let user = fs::metadata(&home).expect("the home is there").uid();
        let line = format!("test:x:{user}:0::{}:/bin/sh\n", home.display());
        // Another test may write the same at this moment.
        let beside = home.join(format!("users.{}", std::process::id()));
        fs::write(&beside, line).expect("the temporary folder takes files");
        fs::rename(&beside, &file).expect("the temporary folder takes files");
    }
    file
}

/// Output and exit code of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// The exit code, or -1 when a signal ended the process.
    pub exit: i32,
}

impl Tenter {
    /// `binary` is `env!("CARGO_BIN_EXE_tenter")` in the CLI's tests.
    pub fn new(binary: &str) -> Self {
        Self { binary: binary.to_owned() }
    }

    /// A command with fixed terminal width, to be extended.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .env("COLUMNS", "100")
            .env("HOME", empty_home())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_CACHE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        command.env("TENTER_TEST_USERS", users());
        command
    }

    /// Runs with `stdin` and waits.
    pub fn run(&self, arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Ran {
        Self::finish(self.command(arguments), stdin)
    }

    /// Runs a prepared command with `stdin` and waits.
    pub fn finish(mut command: Command, stdin: impl Into<Vec<u8>>) -> Ran {
        let stdin = stdin.into();
        // A program that was just copied may still be held open by a process that another test forks.
        let busy = |tried: &io::Result<_>| matches!(tried, Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy);
        let mut tries = std::iter::repeat_with(|| command.spawn()).take(100);
        let child = tries.find(|tried| {
            let wait = busy(tried);
            if wait {
                thread::sleep(Duration::from_millis(20));
            }
            !wait
        });
        let mut child = child.expect("the binary is not busy").expect("the binary starts");
        let mut pipe = child.stdin.take().expect("stdin is piped");
        // The program may exit without reading its stdin.
        let writer = thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().expect("the binary ends");
        writer.join().expect("the writer ends");
        Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            exit: output.status.code().unwrap_or(-1),
        }
    }
}
