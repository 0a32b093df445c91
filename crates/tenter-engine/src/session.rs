//! Per-conversation state: session variables and follow-up counts.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use crate::config::Hook;
use crate::payload::Payload;

/// Maximum number of sessions kept: an agent may run for months without ending its sessions.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: Mutex<HashMap<String, Session>>,
}

#[derive(Debug, Default)]
struct Session {
    /// Event number of the last use.
    used: u64,
    variables: BTreeMap<String, String>,
    followups: HashMap<Loop, u64>,
}

/// Key of a follow-up count: the hook, and for a subagent also its task, since it has no id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Loop {
    place: String,
    name: String,
    task: Option<String>,
}

impl Loop {
    pub(crate) fn new(hook: &Hook, payload: &Payload) -> Self {
        let task = payload.text("task").or_else(|| payload.text("subagent_type"));
        // Without the line number, which an edit above would change.
        let place = format!("{} {} {}", hook.event, hook.layer.kind, hook.layer.file.display());
        Self { place, name: hook.name().to_owned(), task }
    }
}

impl Sessions {
    /// Session variables passed to the hooks of a conversation.
    pub(crate) fn variables(&self, conversation: &str) -> BTreeMap<String, String> {
        self.with(conversation, |session| session.variables.clone())
    }

    /// Stores the variables that `sessionStart` returned.
    pub(crate) fn add_variables(&self, conversation: &str, variables: &BTreeMap<String, String>) {
        self.with(conversation, |session| session.variables.extend(variables.clone()));
    }

    /// Number of follow-ups a hook has caused; the payload's own count is used when we have none.
    pub(crate) fn followups(&self, conversation: &str, one: &Loop, told: u64) -> u64 {
        self.with(conversation, |session| *session.followups.entry(one.clone()).or_insert(told))
    }

    pub(crate) fn count_followup(&self, conversation: &str, one: &Loop) {
        self.with(conversation, |session| {
            *session.followups.entry(one.clone()).or_default() += 1;
        });
    }

    pub(crate) fn forget(&self, conversation: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(conversation);
    }

    fn with<T>(&self, conversation: &str, use_it: impl FnOnce(&mut Session) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(conversation) {
            let oldest = known.iter().min_by_key(|(_, session)| session.used);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                known.remove(&oldest);
            }
        }
        let latest = known.values().map(|session| session.used).max().unwrap_or(0);
        let session = known.entry(conversation.to_owned()).or_default();
        session.used = latest + 1;
        use_it(session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_conversations_are_remembered() {
        let sessions = Sessions::default();
        let variables = BTreeMap::from([("A".to_owned(), "1".to_owned())]);
        sessions.add_variables("first", &variables);
        for number in 0..MOST {
            sessions.add_variables("kept", &variables);
            sessions.add_variables(&number.to_string(), &variables);
        }
        assert!(sessions.variables("first").is_empty());
        assert_eq!(sessions.variables("kept"), variables);
    }
}
