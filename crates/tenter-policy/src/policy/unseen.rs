//! Judging an event that is only partly known.

use std::borrow::Cow;

use super::Policy;
use super::rule::{Broad, Narrow, When};

/// The unknown parts of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each may be missing without the others")]
pub struct Unseen {
    /// All or part of a prompt or subagent task.
    pub prompt: bool,
    /// All or part of content written, read, sent to or returned by a tool.
    pub content: bool,
    /// Some words of a command.
    pub command: bool,
    /// The branch that is checked out.
    pub branch: bool,
}

impl Policy {
    /// The policy under the worst assumption: rules ignore conditions on unknown parts; exceptions hold only
    /// if their known conditions suffice. Its verdict is the strictest possible.
    pub fn at_worst(&self, unseen: Unseen) -> Cow<'_, Policy> {
        self.without(unseen, |policy| {
            for rule in &mut policy.rules {
                unseen.strip(&mut rule.when);
            }
        })
    }

    /// The policy under the best assumption: exceptions ignore conditions on unknown parts; rules hold only
    /// if their known conditions suffice. Its verdict is the mildest possible.
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
