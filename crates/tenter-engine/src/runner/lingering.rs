//! Ends background processes that a hook left in its process group.
//!
//! A hook may start something and exit (`notify-send ... &`). That gets a grace period, then SIGTERM, then
//! SIGKILL: a session of a thousand events must not leave a thousand processes.

use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::guardian::Guardian;
use super::{GRACE, LONGEST};

/// Polling interval. Short, so that a group id cannot be reused in between.
const TICK: Duration = Duration::from_millis(50);

/// Process groups still to be ended. A thread attends to them while there are any.
#[derive(Clone, Debug, Default)]
pub(super) struct Lingering {
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Debug, Default)]
struct Waiting {
    groups: Vec<Group>,
    attended: bool,
}

#[derive(Debug)]
struct Group {
    id: Pid,
    /// The group leader, not reaped yet because even SIGKILL took long.
    leader: Option<Child>,
    ask_at: Instant,
    asked: bool,
    guardian: Option<Arc<Guardian>>,
}

impl Lingering {
    /// Takes over a group: SIGTERM after `linger`, SIGKILL a little later.
    pub(super) fn take_over(
        &self,
        id: Pid,
        leader: Option<Child>,
        linger: Duration,
        guardian: Option<Arc<Guardian>>,
    ) {
        let group = Group {
            id,
            leader,
            ask_at: Instant::now() + linger.min(LONGEST),
            asked: false,
            guardian,
        };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.groups.push(group);
        if waiting.attended {
            return;
        }
        let shared = Arc::clone(&self.waiting);
        let started =
            thread::Builder::new().name("lingering".to_owned()).spawn(move || attend(&shared));
        // Without a thread the guardian still ends them when we exit.
        waiting.attended = started.is_ok();
    }

    /// Number of groups still alive.
    pub(super) fn count(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).groups.len()
    }

    /// Kills every group now.
    pub(super) fn end(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for mut group in waiting.groups.drain(..) {
            group.kill();
        }
    }
}

fn attend(waiting: &Arc<Mutex<Waiting>>) {
    loop {
        thread::sleep(TICK);
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.groups.retain_mut(Group::is_still_there);
        if waiting.groups.is_empty() {
            waiting.attended = false;
            return;
        }
    }
}

impl Group {
    /// Advances the group's shutdown. False once it is finished.
    fn is_still_there(&mut self) -> bool {
        if let Some(leader) = &mut self.leader
            && matches!(leader.try_wait(), Ok(Some(_)) | Err(_))
        {
            self.leader = None;
        }
        if self.leader.is_none() && test_kill_process_group(self.id).is_err() {
            self.forget();
            return false;
        }
        let late = Instant::now().saturating_duration_since(self.ask_at);
        if late > GRACE {
            self.kill();
            // A process that survives SIGKILL hangs in the kernel; nothing more can be done.
            return self.leader.is_some() && late < 2 * GRACE;
        }
        if !late.is_zero() && !self.asked {
            self.asked = true;
            kill_process_group(self.id, Signal::TERM).unwrap_or_default();
        }
        true
    }

    fn kill(&mut self) {
        kill_process_group(self.id, Signal::KILL).unwrap_or_default();
        if let Some(leader) = &mut self.leader {
            drop(leader.try_wait());
        }
        self.forget();
    }

    fn forget(&mut self) {
        if let Some(guardian) = self.guardian.take() {
            guardian.remove(self.id);
        }
    }
}
