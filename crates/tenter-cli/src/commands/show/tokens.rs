//! Token counts of a session, and their cost by the user's price list.

use serde::Serialize;
use tenter_audit::record::Usage;

use super::prices::Prices;

/// Tokens of one model. The input excludes cached tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) usage: Usage,
    /// The part of cache writes with one-hour lifetime.
    pub(super) for_an_hour: u64,
}

/// Source of the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// The host's stop events.
    #[default]
    Record,
    /// The host's transcript.
    Transcript,
}

/// Token counts of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    pub(super) source: Source,
    pub(super) models: Vec<Model>,
    /// Missing counts and prices, with the reason.
    pub(super) notes: Vec<String>,
    pub(super) prices: Option<Prices>,
}

impl Tokens {
    /// Adds tokens of a model.
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

    /// Sorts the models by name.
    pub(super) fn sorted(mut self) -> Self {
        self.models.sort_by(|one, other| one.name.cmp(&other.name));
        self
    }

    /// The sum over all models.
    pub(super) fn total(&self) -> Usage {
        self.models.iter().fold(Usage::default(), |total, model| sum(total, model.usage))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.total() == Usage::default()
    }

    /// The cost in millionths of a dollar; `None` if a model has no price.
    pub(super) fn cost(&self) -> Option<u64> {
        self.models
            .iter()
            .try_fold(0_u64, |cost, model| Some(cost.saturating_add(self.cost_of(model)?)))
    }

    /// The models without a price.
    pub(super) fn unpriced(&self) -> Vec<&str> {
        let unknown = self.models.iter().filter(|model| self.cost_of(model).is_none());
        unknown.map(|model| model.name.as_str()).collect()
    }

    pub(super) fn cost_of(&self, model: &Model) -> Option<u64> {
        let price = self.prices.as_ref()?.of(&model.name)?;
        Some(price.cost(model.usage, model.for_an_hour))
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

/// Subtracts cached tokens from the input: some hosts include them in both.
pub(super) fn beyond_cache(usage: Usage) -> Usage {
    let cached = usage.cache_read.saturating_add(usage.cache_write);
    Usage { input: usage.input.saturating_sub(cached), ..usage }
}
