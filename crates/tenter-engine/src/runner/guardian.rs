//! The guardian process: kills running hooks if we are killed with SIGKILL.
//!
//! Signals that can be caught are forwarded to the hooks; SIGKILL and a crash cannot be caught. So a second
//! process holds one end of a pipe and is told which process groups are running. When the pipe closes, for
//! whatever reason, it kills the groups that are left. It is a shell script because the engine is a library
//! and has no executable of its own to start.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

const SCRIPT: &str = r#"trap '' INT TERM HUP QUIT PIPE
groups=
while read -r change group; do
  if [ "$change" = + ]; then
    groups="$groups $group"
  else
    kept=
    for one in $groups; do [ "$one" = "$group" ] || kept="$kept $one"; done
    groups=$kept
  fi
done
for one in $groups; do kill -s KILL -- "-$one"; done
"#;

#[derive(Debug)]
pub(super) struct Guardian {
    process: Child,
    /// Receives lines of `+` or `-` and a group id. `None` once it is closed or the guardian is gone.
    pipe: Mutex<Option<ChildStdin>>,
}

impl Guardian {
    /// `None` when no shell can be started; hooks could not run either.
    pub(super) fn start() -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "part of the runner")]
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT])
            // Ctrl-C in a terminal goes to the foreground group; the guardian must outlive us.
            .process_group(0)
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut process = command.spawn().ok()?;
        let pipe = Mutex::new(process.stdin.take());
        Some(Self { process, pipe })
    }

    pub(super) fn add(&self, group: Pid) {
        self.tell('+', group);
    }

    pub(super) fn remove(&self, group: Pid) {
        self.tell('-', group);
    }

    fn tell(&self, change: char, group: Pid) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{change} {}\n", group.as_raw_nonzero());
        // Shorter than PIPE_BUF, so written atomically.
        let told = pipe.as_mut().is_none_or(|pipe| pipe.write_all(line.as_bytes()).is_ok());
        if !told {
            *pipe = None;
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        *self.pipe.lock().unwrap_or_else(PoisonError::into_inner) = None;
        drop(self.process.wait());
    }
}
