//! What a policy says to an event of which not everything is known any more.

use std::borrow::Cow;

use super::Policy;
use super::rule::{Broad, Narrow, When};

/// What is not known of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each may be missing without the others")]
pub struct Unseen {
    /// A prompt, or what a subagent is told, or a part of it.
    pub prompt: bool,
    /// What is written, read, sent to or returned by a tool, or a part of it.
    pub content: bool,
    /// Some of the words of a command.
    pub command: bool,
    /// The branch that is checked out.
    pub branch: bool,
}

impl Policy {
    /// The policy as it would be if all that is not seen were as bad as can be: rules do not ask for it.
    /// Exceptions hold where what is seen is enough for them. What it says is the most that this policy
    /// can have said.
    pub fn at_worst(&self, unseen: Unseen) -> Cow<'_, Policy> {
        self.without(unseen, |policy| {
            for rule in &mut policy.rules {
                unseen.strip(&mut rule.when);
            }
        })
    }

    /// The policy as it would be if all that is not seen were harmless: exceptions do not ask for it. Rules
    /// hold where what is seen is enough for them. What it says is the least that this policy can have
    /// said.
    pub fn at_best(&self, unseen: Unseen) -> Cow<'_, Policy> {
        self.without(unseen, |policy| {
            for exception in &mut policy.exceptions {
                unseen.strip(&mut exception.when);
            }
        })
    }

    fn without(&self, unseen: Unseen, change: impl FnOnce(&mut Policy)) -> Cow<'_, Policy> {
        let packed = self.packed.all().flatten().any(|rule| unseen.is_asked_for(&rule.when));
        let rules = self.rules.iter().map(|rule| &rule.when);
        let mut all = rules.chain(self.exceptions.iter().map(|exception| &exception.when));
        if !packed && !all.any(|when| unseen.is_asked_for(when)) {
            return Cow::Borrowed(self);
        }
        let mut policy = self.clone().unpacked();
        change(&mut policy);
        Cow::Owned(policy)
    }
}

impl Unseen {
    fn is_asked_for(self, when: &When) -> bool {
        when.event.iter().any(|it| self.hides(it))
            || when.thing.iter().any(|it| self.hides_thing(it))
    }

    fn strip(self, when: &mut When) {
        when.event.retain(|it| !self.hides(it));
        when.thing.retain(|it| !self.hides_thing(it));
    }

    fn hides(self, condition: &Broad) -> bool {
        match condition {
            Broad::Prompt(_) => self.prompt,
            Broad::Content(_) => self.content,
            Broad::Command(_) => self.command,
            _ => false,
        }
    }

    fn hides_thing(self, condition: &Narrow) -> bool {
        self.branch && matches!(condition, Narrow::Branch(_))
    }
}
