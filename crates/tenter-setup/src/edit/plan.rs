//! Plans the edits of our hooks in a file, independent of its format.

use serde_json::{Map, Value};

use super::{FoundHook, Hook};

/// Fate of an existing hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    /// It is edited in place into the wanted hook of this index.
    Becomes(usize),
    Goes,
}

/// Properties of an existing hook that the plan needs.
#[derive(Clone, Debug)]
pub(super) struct Stock {
    pub(super) found: FoundHook,
    pub(super) ours: bool,
    /// Whether it has a matcher of its own, so that changing it affects no other hook.
    pub(super) alone: bool,
    /// Whether its matcher is not a string.
    pub(super) odd: bool,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    /// One per existing hook.
    pub(super) fates: Vec<Fate>,
    /// Wanted hooks that must be inserted.
    pub(super) fresh: Vec<usize>,
}

impl Hook {
    /// The handler's keys as a JSON object.
    pub(super) fn object(&self) -> Value {
        Value::Object(self.fields.iter().cloned().collect::<Map<_, _>>())
    }
}

/// Assigns each wanted hook a place: an equal existing hook, else one that can be edited into it.
pub(super) fn plan(stock: &[Stock], wanted: &[Hook]) -> Plan {
    let objects: Vec<Value> = wanted.iter().map(Hook::object).collect();
    let mut fates: Vec<Fate> =
        stock.iter().map(|one| if one.ours { Fate::Goes } else { Fate::Stays }).collect();
    let mut placed = vec![false; wanted.len()];
    for closeness in 0..3 {
        for (index, (hook, object)) in wanted.iter().zip(&objects).enumerate() {
            if placed.get(index) != Some(&false) {
                continue;
            }
            let fits = |one: &Stock| {
                let same_matcher = one.found.matcher == hook.matcher && !one.odd;
                one.ours
                    && one.found.event == hook.event
                    && match closeness {
                        0 => same_matcher && one.found.fields == *object,
                        1 => same_matcher,
                        _ => one.alone,
                    }
            };
            let free = fates.iter_mut().zip(stock);
            let mut free = free.filter(|(fate, one)| **fate == Fate::Goes && fits(one));
            if let (Some((fate, _)), Some(placed)) = (free.next(), placed.get_mut(index)) {
                *fate = if closeness == 0 { Fate::Stays } else { Fate::Becomes(index) };
                *placed = true;
            }
        }
    }
    let fresh = placed.iter().enumerate().filter(|(_, placed)| !**placed).map(|(index, _)| index);
    Plan { fates, fresh: fresh.collect() }
}

/// Whether exactly the wanted hooks of ours exist.
pub(super) fn holds(stock: &[Stock], wanted: &[Hook]) -> bool {
    let objects: Vec<Value> = wanted.iter().map(Hook::object).collect();
    let is = |one: &Stock, (hook, object): (&Hook, &Value)| {
        let found = &one.found;
        let same_matcher = found.matcher == hook.matcher && !one.odd;
        found.event == hook.event && same_matcher && found.fields == *object
    };
    let mut wanted = wanted.iter().zip(&objects);
    let mut mine = stock.iter().filter(|one| one.ours);
    mine.all(|one| wanted.clone().any(|hook| is(one, hook)))
        && wanted.all(|hook| stock.iter().any(|one| is(one, hook)))
}

/// The hooks of others, by event.
pub(super) fn others(stock: &[Stock]) -> Vec<(&str, Option<&str>, &Value)> {
    let others = stock.iter().filter(|one| !one.ours).map(|one| &one.found);
    let told = others.map(|it| (it.event.as_str(), it.matcher.as_deref(), &it.fields));
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(|(event, ..)| *event);
    told
}
