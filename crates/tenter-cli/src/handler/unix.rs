//! Process groups and signals.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::Sender;
use std::thread;

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Message;

/// Puts the handler into a group of its own, so that its children can be reached too.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

#[derive(Clone, Copy)]
pub(super) struct Group(Option<Pid>);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        Self(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
    }

    pub(super) fn terminate(self) {
        self.send(Signal::TERM);
    }

    pub(super) fn kill(self) {
        self.send(Signal::KILL);
    }

    fn send(self, signal: Signal) {
        if let Some(pid) = self.0 {
            // The group may be gone by now, which is what we want.
            kill_process_group(pid, signal).unwrap_or_default();
        }
    }
}

/// Passes on what we are told: the handler is in a group of its own and would not hear it.
pub(super) fn forward_signals(group: Group, sender: &Sender<Message>) {
    // Without signal handling we would die and leave the handler; that is how it always was.
    let Ok(mut signals) = Signals::new([SIGTERM, SIGINT, SIGHUP]) else {
        return;
    };
    let sender = sender.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            let (name, signal) = match signal {
                SIGINT => ("SIGINT", Signal::INT),
                SIGHUP => ("SIGHUP", Signal::HUP),
                _ => ("SIGTERM", Signal::TERM),
            };
            group.send(signal);
            drop(sender.send(Message::Signalled(name)));
        }
    });
}
