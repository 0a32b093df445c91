//! Rebuilds the memory of sessions from their records.

use std::collections::HashMap;

use tenter_audit::Record;
use tenter_model::{Event, EventKind};
use tenter_policy::{Memo, Memory};

use super::judge::Answer;

/// Maximum number of sessions kept; the least recently used are dropped.
const MOST: usize = 4096;
/// Maximum number of denials kept per session.
const DENIED: usize = 256;
/// Maximum interval of two events about one call.
const SAME_CALL_MS: u64 = 10_000;

#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: HashMap<String, Session>,
    /// The last call of each session that Cursor may report by another event.
    announced: HashMap<String, Announced>,
}

/// A call before its execution, as one event reports it.
#[derive(Debug)]
struct Announced {
    call: String,
    at: u64,
    native_event: String,
    answer: Answer,
}

#[derive(Debug, Default)]
struct Session {
    memory: Memory,
    heard: u64,
    /// The last call that changed the memory, its time, and the memory before it.
    last: Option<(String, u64, Memory)>,
}

impl Session {
    /// The memory before this call, if an earlier event reported the call too.
    fn before(&self, call: Option<&str>, at: u64) -> Option<&Memory> {
        let (last, when, before) = self.last.as_ref()?;
        let same = call == Some(last) && at.saturating_sub(*when) <= SAME_CALL_MS;
        same.then_some(before)
    }
}

static NOTHING: Memory = Memory::new();

impl Sessions {
    /// The memory of a record's session.
    pub(super) fn memory(&self, record: &Record<'_>, event: &Event<'_>) -> &Memory {
        let Some(session) = key(record).and_then(|key| self.all.get(&key)) else {
            return &NOTHING;
        };
        let call = session.last.as_ref().and_then(|_| call(record, event));
        session.before(call.as_deref(), record.at).unwrap_or(&session.memory)
    }

    /// Adds the facts of a record.
    pub(super) fn remember(&mut self, record: &Record<'_>, event: &Event<'_>, memos: &[Memo]) {
        let Some(key) = key(record).filter(|_| !memos.is_empty()) else { return };
        if self.all.len() >= MOST && !self.all.contains_key(&key) {
            self.forget();
        }
        let session = self.all.entry(key).or_default();
        session.heard = record.seq;
        let call = call(record, event);
        // A second event about a call counts once.
        if let Some(before) = session.before(call.as_deref(), record.at) {
            session.memory = before.clone();
        }
        let before = session.memory.clone();
        for memo in memos {
            if session.memory.denied.len() < DENIED || !matches!(memo, Memo::Denied(_)) {
                session.memory.add(memo);
            }
        }
        session.last = call.map(|call| (call, record.at, before));
    }

    /// Whether another event reported the same call just before with the same answer: then it counts as one
    /// call.
    pub(super) fn is_counted(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        answer: &Answer,
    ) -> bool {
        if !event.host.tells_twice() || event.kind() != EventKind::PreToolUse {
            return false;
        }
        let Some((key, call)) = key(record).zip(call(record, event)) else { return false };
        let native_event = record.native_event.to_string();
        let is_same = self.announced.remove(&key).is_some_and(|it| {
            it.call == call
                && it.native_event != native_event
                && record.at.saturating_sub(it.at) <= SAME_CALL_MS
                && it.answer == *answer
        });
        if !is_same {
            if self.announced.len() >= MOST {
                self.announced.clear();
            }
            let answer = answer.clone();
            self.announced.insert(key, Announced { call, at: record.at, native_event, answer });
        }
        is_same
    }

    fn forget(&mut self) {
        let mut heard: Vec<u64> = self.all.values().map(|session| session.heard).collect();
        heard.sort_unstable();
        let middle = heard.get(heard.len() / 2).copied().unwrap_or_default();
        self.all.retain(|_, session| session.heard > middle);
    }
}

fn key(record: &Record<'_>) -> Option<String> {
    let session = record.session_id.as_deref().filter(|id| !id.is_empty())?;
    Some(format!("{}\n{session}", record.host))
}

/// Identity of a record's call. Cursor sends two events about one call, only one of which has an id.
fn call(record: &Record<'_>, event: &Event<'_>) -> Option<String> {
    if event.host.tells_twice() {
        return event.fingerprint().map(|it| it.to_string());
    }
    record.call_id.as_deref().or(record.fingerprint.as_deref()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(session: &str, seq: u64) -> Record<'static> {
        Record {
            host: "claude".into(),
            session_id: Some(session.to_owned().into()),
            call_id: Some(format!("call-{seq}").into()),
            seq,
            ..Record::default()
        }
    }

    fn count(sessions: &mut Sessions, record: &Record<'_>) -> u32 {
        let event = super::super::event::rebuild(record).unwrap().event;
        let before = sessions.memory(record, &event).counted("r");
        sessions.remember(record, &event, &[Memo::Counted("r".to_owned())]);
        before
    }

    #[test]
    fn sessions_are_remembered_apart_and_a_call_counts_once() {
        let mut sessions = Sessions::default();
        assert_eq!(count(&mut sessions, &record("a", 1)), 0);
        assert_eq!(count(&mut sessions, &record("b", 2)), 0);
        assert_eq!(count(&mut sessions, &record("a", 3)), 1);
        assert_eq!(count(&mut sessions, &record("a", 3)), 1);
        let later = Record { at: SAME_CALL_MS + 1, ..record("a", 3) };
        assert_eq!(count(&mut sessions, &later), 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut sessions = Sessions::default();
        for seq in 0..20_000 {
            assert_eq!(count(&mut sessions, &record(&format!("s{seq}"), seq)), 0);
        }
        assert!(sessions.all.len() <= MOST);
        assert_eq!(count(&mut sessions, &record("s19999", 20_000)), 1);
    }
}
