//! Stores the progress of exports, per receiver.
//!
//! A session is sent once it is idle, so that its spans are complete. The progress is stored in our state
//! folder: the number up to which everything was sent, and the sessions beyond it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenter_audit::store::Session;
use tenter_files::Whose;
use tenter_model::hash::sha256;
use tenter_model::text::first_chars;

use super::traces::{Chosen, Known};
use crate::error::CommandError;
use crate::guard::folders;

/// Maximum size of the file: enough for thousands of sessions.
const LARGEST: u64 = 32 * 1024 * 1024;

/// Idle time after which a session counts as over.
pub(super) const QUIET_MS: u64 = 30 * 60 * 1000;

/// Progress of one receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Mark {
    /// Hash of the receiver's URL, which may contain a key.
    receiver: String,
    /// All sessions without records beyond this number were sent.
    through: u64,
    /// Sessions with later records, and up to where they were sent.
    sent: Vec<Sent>,
    /// Records without session were sent up to this number.
    loners: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    host: String,
    session: String,
    through: u64,
}

impl Mark {
    /// Selects what to send now, and the progress afterwards. `sessions` are all sessions, `last` the last
    /// record.
    pub(super) fn choose(&self, sessions: Vec<Session>, last: u64, now_ms: u64) -> (Chosen, Mark) {
        let is_quiet = |it: &Session| it.last_at.saturating_add(QUIET_MS) <= now_ms;
        // After a restart of the record the numbers are smaller.
        let fresh = Mark { receiver: self.receiver.clone(), ..Mark::default() };
        let mark = if self.loners > last { &fresh } else { self };
        let busy = sessions.iter().filter(|it| !is_quiet(it)).map(|it| it.first_seq).min();
        let through = busy.map_or(last, |first| first.saturating_sub(1)).max(mark.through);
        let mut chosen = Chosen { sessions: Vec::new(), loners: mark.loners };
        let mut sent = Vec::new();
        for session in sessions {
            let had = mark.had(&session);
            let is_due = is_quiet(&session) && session.last_seq > had;
            let had_now = if is_due { session.last_seq } else { had };
            if session.last_seq > through && had_now > 0 {
                let (host, id) = (session.host.clone(), session.id.clone());
                sent.push(Sent { host, session: id, through: had_now });
            }
            if is_due {
                chosen.sessions.push(Known { session, through: had });
            }
        }
        (chosen, Mark { receiver: self.receiver.clone(), through, sent, loners: last })
    }

    /// Up to which record a session was sent; zero if not at all.
    fn had(&self, session: &Session) -> u64 {
        let sent = self.sent.iter().find(|it| it.host == session.host && it.session == session.id);
        match sent {
            Some(sent) => sent.through,
            // It was idle then, and has continued since.
            None if session.first_seq <= self.through => self.through,
            None => 0,
        }
    }
}

/// The progress of all receivers.
pub(super) struct Marks {
    path: PathBuf,
    all: Vec<Mark>,
}

impl Marks {
    pub(super) fn read(state: &Path) -> Result<Self, CommandError> {
        let path = state.join("exported.json");
        let fault = |why: String| CommandError::internal(format!("{}: {why}", path.display()));
        let all = match tenter_files::read(&path, LARGEST, Whose::State) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                fault(format!("{error}; without this file everything is sent once more"))
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(fault(error.to_string())),
        };
        Ok(Self { path, all })
    }

    pub(super) fn of(&self, url: &str) -> Mark {
        let receiver = name(url);
        let known = self.all.iter().find(|mark| mark.receiver == receiver).cloned();
        known.unwrap_or(Mark { receiver, ..Mark::default() })
    }

    /// Stores the progress of a receiver.
    pub(super) fn keep(mut self, mark: Mark) -> Result<(), CommandError> {
        self.all.retain(|it| it.receiver != mark.receiver);
        self.all.push(mark);
        let text = serde_json::to_string(&self.all).map_err(CommandError::internal)?;
        folders::replace(&self.path, text.as_bytes())
            .map_err(|error| CommandError::internal(format!("{}: {error}", self.path.display())))
    }
}

fn name(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let base = url.strip_suffix("/v1/traces").unwrap_or(url);
    first_chars(&sha256(base.as_bytes()), 32).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, first_seq: u64, last_seq: u64, last_at: u64) -> Session {
        let host = "claude".to_owned();
        Session { host, id: id.to_owned(), first_seq, last_seq, last_at, ..Session::default() }
    }

    fn chosen(chosen: &Chosen) -> Vec<(String, u64)> {
        chosen.sessions.iter().map(|it| (it.session.id.clone(), it.through)).collect()
    }

    #[test]
    fn a_session_is_sent_once_when_it_rests_and_again_when_it_goes_on() {
        let now = 100 * QUIET_MS;
        let first = vec![
            session("old", 1, 10, 5),
            session("busy", 11, 30, now - 1),
            session("done", 12, 20, 7),
        ];
        let (sent, mark) = Mark::default().choose(first.clone(), 30, now);
        assert_eq!(chosen(&sent), [("old".to_owned(), 0), ("done".to_owned(), 0)]);
        assert_eq!((mark.through, mark.sent.len()), (10, 1));

        let (sent, same) = mark.choose(first, 30, now);
        assert_eq!((chosen(&sent), same), (vec![], mark.clone()));

        let later = now + 2 * QUIET_MS;
        let second = vec![
            session("old", 1, 40, now),
            session("busy", 11, 30, now - 1),
            session("done", 12, 20, 7),
            session("new", 41, 50, later),
        ];
        let (sent, mark) = mark.choose(second.clone(), 50, later);
        assert_eq!(chosen(&sent), [("old".to_owned(), 10), ("busy".to_owned(), 0)]);
        assert_eq!((mark.through, mark.sent.len()), (40, 0));
        let (sent, mark) = mark.choose(second, 50, later + QUIET_MS);
        assert_eq!(chosen(&sent), [("new".to_owned(), 0)]);
        assert_eq!(mark.through, 50);

        let (sent, mark) = mark.choose(vec![session("anew", 1, 2, 0)], 2, later);
        assert_eq!(chosen(&sent), [("anew".to_owned(), 0)]);
        assert_eq!(mark.through, 2);
    }
}
