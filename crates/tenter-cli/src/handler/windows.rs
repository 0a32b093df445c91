//! Process trees. Windows has no groups that a console program can be asked to leave, so the tree
//! below the handler is ended by `taskkill`; Ctrl-C reaches the handler through the shared console.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;

use super::Message;

pub(super) fn own_group(_command: &mut Command) {}

#[derive(Clone, Copy)]
pub(super) struct Group(u32);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        Self(child.id())
    }

    /// A console program cannot be asked politely from outside: this ends the whole tree.
    pub(super) fn terminate(self) {
        // By its full path: a bare name could run a file of the working directory.
        let root = std::env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
        let taskkill = PathBuf::from(root).join("System32").join("taskkill.exe");
        let ended = Command::new(taskkill)
            .args(["/T", "/F", "/PID", &self.0.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        drop(ended);
    }

    pub(super) fn kill(self) {
        self.terminate();
    }
}

pub(super) fn forward_signals(_group: Group, _sender: &Sender<Message>) {}
