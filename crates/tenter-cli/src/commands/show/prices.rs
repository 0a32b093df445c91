//! Token prices, which the user keeps in a file; without it no cost is shown.

use std::collections::BTreeMap;

use serde::Deserialize;
use tenter_audit::record::Usage;
use tenter_files::Whose;
use tenter_model::pattern;

use crate::guard::folders::{self, Folders};

/// The file's name in the configuration folder.
pub(super) const FILE: &str = "prices.json";

/// Maximum size of the file.
const LARGEST: u64 = 1024 * 1024;

/// A price list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prices {
    /// The date of the list.
    #[serde(default)]
    pub(super) as_of: Option<String>,
    /// Prices by pattern of model names.
    models: BTreeMap<String, Price>,
}

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Price {
    input: f64,
    output: f64,
    /// Cached tokens cost as much as others where the list does not say.
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    /// Price of cache writes with one-hour lifetime.
    cache_write_hour: Option<f64>,
}

impl Prices {
    /// Reads the list; `None` without a file.
    pub(super) fn read(folders: &Folders) -> Result<Option<Self>, String> {
        let Some(path) = folders.config.as_ref().map(|config| config.join(FILE)) else {
            return Ok(None);
        };
        let bytes = match tenter_files::read(&path, LARGEST, Whose::Settings) {
            Ok(bytes) => bytes,
            Err(error) if folders::missing(&error) => return Ok(None),
            Err(error) => return Err(format!("`{FILE}` cannot be read: {error}")),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("`{FILE}`: {error}"))
    }

    /// The price of a model: that of the longest pattern that matches its name.
    pub(super) fn of(&self, model: &str) -> Option<Price> {
        let fitting = self.models.iter().filter(|(known, _)| pattern::matches(known, model));
        fitting.max_by_key(|(known, _)| known.len()).map(|(_, price)| *price)
    }
}

impl Price {
    /// Cost of these tokens in millionths of a dollar. The input excludes cached tokens. `for_an_hour` is the
    /// part of cache writes with one-hour lifetime.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate; casts of floats stop at the limits"
    )]
    pub(super) fn cost(self, usage: Usage, for_an_hour: u64) -> u64 {
        let cache_write = self.cache_write.unwrap_or(self.input);
        let long = usage.cache_write.min(for_an_hour);
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read.unwrap_or(self.input)),
            (usage.cache_write - long, cache_write),
            (long, self.cache_write_hour.unwrap_or(cache_write)),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>().round() as u64
    }
}

/// Formats dollars.
pub(super) fn dollars(micros: u64) -> String {
    if micros == 0 {
        return "$0.00".to_owned();
    }
    if micros < 10_000 {
        return "less than $0.01".to_owned();
    }
    let cents = micros.saturating_add(5_000) / 10_000;
    format!("${}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Prices {
        let text = r#"{"models": {
            "gpt-5": {"input": 1.25, "output": 10},
            "claude-opus-*": {"input": 15, "output": 75},
            "claude-opus-5*": {"input": 5, "output": 25, "cache_read": 0.5, "cache_write": 6.25, "cache_write_hour": 10}
        }}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_longest_pattern_that_matches_counts() {
        let list = list();
        let input = |model: &str| list.of(model).map(|price| price.input);
        assert_eq!(input("claude-opus-5-20260801"), Some(5.0));
        assert_eq!(input("claude-opus-4-8"), Some(15.0));
        assert_eq!(input("anthropic/claude-opus-4-8"), Some(15.0));
        assert_eq!(input("gpt-5"), Some(1.25));
        assert_eq!(input("gpt-5.7"), None);
        assert_eq!(input(""), None);
    }

    #[test]
    fn tokens_are_multiplied_with_their_own_price() {
        let usage = Usage {
            input: 1_000_000,
            output: 200_000,
            cache_read: 3_000_000,
            cache_write: 400_000,
        };
        let price = list().of("claude-opus-5").unwrap();
        // 5 + 5 + 1.5 + 2.5 dollars; one-hour cache writes cost 10 instead of 6.25.
        assert_eq!(price.cost(usage, 0), 14_000_000);
        assert_eq!(price.cost(usage, 100_000), 14_375_000);
        assert_eq!(price.cost(Usage { input: u64::MAX, ..usage }, u64::MAX), u64::MAX);
        assert_eq!(list().of("gpt-5").unwrap().cost(usage, 0), 7_500_000);
        assert_eq!(dollars(14_375_000), "$14.38");
        assert_eq!(dollars(9_999), "less than $0.01");
    }
}
