//! What is to happen to every hook of ours in a file, whatever the file is written in.

use serde_json::{Map, Value};

use super::{Found, Hook};

/// What becomes of a hook that stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    /// It becomes the wanted hook of this index, where it stands.
    Becomes(usize),
    Goes,
}

/// One hook in a file, as far as the plan must know it.
#[derive(Clone, Debug)]
pub(super) struct Stock {
    pub(super) found: Found,
    pub(super) ours: bool,
    /// Its matcher is its own: no other hook would get a new one with it.
    pub(super) alone: bool,
    /// It has a matcher that is not even a text.
    pub(super) odd: bool,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    /// One for each hook of the stock.
    pub(super) fates: Vec<Fate>,
    /// Wanted hooks that need a place of their own.
    pub(super) fresh: Vec<usize>,
}

impl Hook {
    /// The keys of the handler as a JSON object.
    pub(super) fn object(&self) -> Value {
        Value::Object(self.fields.iter().cloned().collect::<Map<_, _>>())
    }
}

/// Gives each wanted hook a place: where it stands already, else where one stands that can become it.
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

/// Whether all wanted hooks are there, and no other hook of ours.
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

/// The hooks of others, event by event.
pub(super) fn others(stock: &[Stock]) -> Vec<(&str, Option<&str>, &Value)> {
    let others = stock.iter().filter(|one| !one.ours).map(|one| &one.found);
    let told = others.map(|it| (it.event.as_str(), it.matcher.as_deref(), &it.fields));
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(|(event, ..)| *event);
    told
}
