//! How many tokens a session took, and what they cost by the lists.

use serde::Serialize;
use tenter_audit::record::Usage;

use super::prices;

/// What one model took. The input is what no cache had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) usage: Usage,
    /// The part of what was written to the cache that stays for an hour.
    pub(super) for_an_hour: u64,
}

/// Where the numbers come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// The host's stop events.
    #[default]
    Record,
    /// The transcript that the host keeps.
    Transcript,
}

/// All that is known about the tokens of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) source: Source,
    pub(super) models: Vec<Model>,
    /// What could not be counted, and why.
    pub(super) notes: Vec<String>,
}

impl Tokens {
    /// Adds what a model took.
    pub(super) fn add(&mut self, name: &str, usage: Usage, for_an_hour: u64) {
        let place = self.models.iter().position(|model| model.name == name);
        let place = place.unwrap_or_else(|| {
            self.models.push(Model { name: name.to_owned(), ..Model::default() });
            self.models.len().saturating_sub(1)
        });
        if let Some(model) = self.models.get_mut(place) {
            model.usage = sum(model.usage, usage);
            model.for_an_hour = model.for_an_hour.saturating_add(for_an_hour);
        }
    }

    /// The models in the order of their names.
    pub(super) fn sorted(mut self) -> Self {
        self.models.sort_by(|one, other| one.name.cmp(&other.name));
        self
    }

    /// All models together.
    pub(super) fn total(&self) -> Usage {
        self.models.iter().fold(Usage::default(), |total, model| sum(total, model.usage))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total() == Usage::default()
    }

    /// The cost in millionths of a dollar; none as soon as one model has no price.
    pub(super) fn cost(&self) -> Option<u64> {
        self.models.iter().try_fold(0_u64, |cost, model| Some(cost.saturating_add(model.cost()?)))
    }

    /// The models without a price.
    pub(super) fn unpriced(&self) -> Vec<&str> {
        let unknown = self.models.iter().filter(|model| model.cost().is_none());
        unknown.map(|model| model.name.as_str()).collect()
    }
}

impl Model {
    pub(super) fn cost(&self) -> Option<u64> {
        Some(prices::of(&self.name)?.cost(self.usage, self.for_an_hour))
    }
}

fn sum(one: Usage, other: Usage) -> Usage {
    Usage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cache_read: one.cache_read.saturating_add(other.cache_read),
        cache_write: one.cache_write.saturating_add(other.cache_write),
    }
}

/// Takes out of the input what came from the cache or went into it: some hosts count it in both.
pub(super) fn beyond_cache(usage: Usage) -> Usage {
    let cached = usage.cache_read.saturating_add(usage.cache_write);
    Usage { input: usage.input.saturating_sub(cached), ..usage }
}
