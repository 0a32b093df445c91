//! Counters and examples.

use tenter_audit::Record;
use tenter_model::Decision;

use super::event::Why;
use super::judge::{Answer, deciding, decision, noted_level};

/// Kind of a changed verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// Denied now, but not then.
    Blocked,
    /// Asked about now, allowed then.
    Asked,
    /// Allowed now, denied or asked about then.
    Allowed,
    /// Asked about now, denied then.
    Eased,
}

impl Change {
    pub(super) const ALL: [Change; 4] =
        [Change::Blocked, Change::Asked, Change::Allowed, Change::Eased];

    /// Name in JSON.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Change::Blocked => "newly_blocked",
            Change::Asked => "newly_asked",
            Change::Allowed => "newly_allowed",
            Change::Eased => "eased",
        }
    }

    fn between(was: Option<Decision>, now: Option<Decision>) -> Option<Self> {
        match (strength(was), strength(now)) {
            (0 | 1, 2) => Some(Change::Blocked),
            (0, 1) => Some(Change::Asked),
            (1 | 2, 0) => Some(Change::Allowed),
            (2, 1) => Some(Change::Eased),
            _ => None,
        }
    }
}

/// Rank of a decision; allow equals no opinion.
fn strength(decision: Option<Decision>) -> u8 {
    match decision {
        None | Some(Decision::Allow) => 0,
        Some(Decision::Ask) => 1,
        Some(Decision::Deny) => 2,
    }
}

/// A call with a changed verdict.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) seq: u64,
    pub(super) at: u64,
    pub(super) host: String,
    pub(super) session: Option<String>,
    pub(super) was: Option<Decision>,
    pub(super) now: Option<Decision>,
    pub(super) subject: String,
}

/// Calls with the same change by the same rule.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) change: Change,
    pub(super) rule: String,
    pub(super) count: u64,
    /// The latest ones.
    pub(super) examples: Vec<Example>,
}

/// Calls without answer, for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) what: &'static str,
    pub(super) why: Why,
    pub(super) rule: String,
    pub(super) count: u64,
}

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) records: u64,
    pub(super) changed: [u64; 4],
    pub(super) unchanged: u64,
    pub(super) untold: u64,
    /// Copies of calls, canaries, and unreadable payloads.
    pub(super) passed_over: u64,
    /// Lines that are not records.
    pub(super) torn: u64,
    /// Of those: decided by a handler or a failure.
    pub(super) by_others: u64,
    pub(super) groups: Vec<Group>,
    pub(super) gaps: Vec<Gap>,
    pub(super) from: Option<u64>,
    pub(super) to: u64,
}

/// Maximum number of groups; more, from a damaged record, are counted together.
const GROUPS: usize = 2000;
/// Maximum length of a subject, for recognition only.
const SUBJECT: usize = 400;

impl Tally {
    pub(super) fn of(&self, change: Change) -> u64 {
        self.changed.get(change as usize).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, record: &Record<'_>, answer: Answer, examples: usize) {
        self.records = self.records.saturating_add(1);
        self.from = Some(self.from.map_or(record.at, |from| from.min(record.at)));
        self.to = self.to.max(record.at);
        let (now, rule) = match answer {
            Answer::Told { decision, rule } => (decision, rule),
            Answer::Untold { what, why, rule } => return self.gap(what, why, rule),
        };
        let was = decision(record.verdict.decision.as_deref());
        let own = own(record);
        let now = if strength(own) == strength(was) {
            now
        } else {
            self.by_others = self.by_others.saturating_add(1);
            with_others(now, was)
        };
        let Some(change) = Change::between(was, now) else {
            self.unchanged = self.unchanged.saturating_add(1);
            return;
        };
        if let Some(count) = self.changed.get_mut(change as usize) {
            *count = count.saturating_add(1);
        }
        let rule = match change {
            Change::Blocked | Change::Asked => rule,
            Change::Allowed | Change::Eased => deciding(record),
        };
        self.group(change, rule, examples, || Example::of(record, was, now));
    }

    fn group(
        &mut self,
        change: Change,
        rule: String,
        examples: usize,
        example: impl FnOnce() -> Example,
    ) {
        let full = self.groups.len() >= GROUPS;
        let found = self.groups.iter().position(|it| it.change == change && it.rule == rule);
        let index = found.unwrap_or_else(|| {
            if !full {
                self.groups.push(Group { change, rule, count: 0, examples: Vec::new() });
            }
            self.groups.len().saturating_sub(1)
        });
        if let Some(group) = self.groups.get_mut(index) {
            group.count = group.count.saturating_add(1);
            if examples > 0 {
                // Keep the latest calls, which users remember.
                if group.examples.len() >= examples {
                    group.examples.remove(0);
                }
                group.examples.push(example());
            }
        }
    }

    fn gap(&mut self, what: &'static str, why: Why, rule: String) {
        self.untold = self.untold.saturating_add(1);
        let same = |gap: &&mut Gap| gap.what == what && gap.why == why && gap.rule == rule;
        if let Some(gap) = self.gaps.iter_mut().find(same) {
            gap.count = gap.count.saturating_add(1);
        } else if self.gaps.len() < GROUPS {
            self.gaps.push(Gap { what, why, rule, count: 1 });
        }
    }

    /// Sorts by frequency.
    pub(super) fn sort(&mut self) {
        self.groups.sort_by(|one, other| {
            (one.change, other.count, &one.rule).cmp(&(other.change, one.count, &other.rule))
        });
        self.gaps.sort_by(|one, other| {
            (other.count, one.what, one.why, &one.rule).cmp(&(
                one.count,
                other.what,
                other.why,
                &other.rule,
            ))
        });
    }
}

impl Example {
    fn of(record: &Record<'_>, was: Option<Decision>, now: Option<Decision>) -> Self {
        let subject = record.subject();
        let end = subject.floor_char_boundary(SUBJECT);
        Self {
            seq: record.seq,
            at: record.at,
            host: record.host.to_string(),
            session: record.session_id.as_deref().map(str::to_owned),
            was,
            now,
            subject: subject.get(..end).unwrap_or_default().to_owned(),
        }
    }
}

/// The decision by guards and rules alone.
fn own(record: &Record<'_>) -> Option<Decision> {
    if record.allowed_once {
        return None;
    }
    let after = matches!(&*record.event, "PostToolUse" | "PostToolUseFailure");
    // After the call only rules decide; a rule's name has no slash.
    let deciding = record
        .findings
        .iter()
        .filter(|noted| !after || !noted.rule.contains('/') || noted.rule.starts_with("policy/"));
    deciding.map(noted_level).max().and_then(tenter_policy::Level::decision)
}

/// The new decision where a handler or a failure decided then: they may tighten, and allow what would be
/// asked.
fn with_others(now: Option<Decision>, was: Option<Decision>) -> Option<Decision> {
    match (now, was) {
        (Some(Decision::Ask), Some(Decision::Allow)) => was,
        (_, None) => now,
        _ if strength(was) > strength(now) => was,
        _ => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Decision::{Allow, Ask, Deny};

    #[test]
    fn a_change_is_told_from_what_was_and_is() {
        let cases = [
            (None, Some(Deny), Some(Change::Blocked)),
            (Some(Allow), Some(Deny), Some(Change::Blocked)),
            (Some(Ask), Some(Deny), Some(Change::Blocked)),
            (None, Some(Ask), Some(Change::Asked)),
            (Some(Deny), None, Some(Change::Allowed)),
            (Some(Ask), None, Some(Change::Allowed)),
            (Some(Deny), Some(Ask), Some(Change::Eased)),
            (None, Some(Allow), None),
            (Some(Deny), Some(Deny), None),
        ];
        for (was, now, expected) in cases {
            assert_eq!(Change::between(was, now), expected, "{was:?} {now:?}");
        }
    }

    #[test]
    fn what_a_handler_decided_stays_decided() {
        for (now, was, expected) in [
            (None, Some(Deny), Some(Deny)),
            (Some(Ask), Some(Deny), Some(Deny)),
            (Some(Ask), Some(Allow), Some(Allow)),
            (Some(Deny), Some(Allow), Some(Deny)),
            (Some(Deny), Some(Ask), Some(Deny)),
            (Some(Ask), None, Some(Ask)),
        ] {
            assert_eq!(with_others(now, was), expected, "{now:?} {was:?}");
        }
    }

    #[test]
    fn examples_are_the_latest_and_groups_are_bounded() {
        let mut tally = Tally::default();
        for seq in 0..5000_u64 {
            let record = Record { seq, host: "claude".into(), ..Record::default() };
            let rule = if seq < 100 { "r".to_owned() } else { format!("r{seq}") };
            let answer = Answer::Told { decision: Some(Deny), rule };
            tally.add(&record, answer, 3);
        }
        tally.sort();
        assert_eq!(tally.of(Change::Blocked), 5000);
        assert!(tally.groups.len() <= GROUPS);
        let group = tally.groups.iter().find(|group| group.rule == "r").unwrap();
        let seqs: Vec<u64> = group.examples.iter().map(|example| example.seq).collect();
        assert_eq!((group.count, seqs), (100, vec![97, 98, 99]));
    }
}
