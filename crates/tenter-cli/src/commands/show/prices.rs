//! Token prices from public price lists, as of the date below.
//!
//! Surcharges for long prompts, fast modes, batches and contracts are not included.

use tenter_audit::record::Usage;

/// Month of the price lists.
pub(super) const AS_OF: &str = "2026-11";

/// Price of a million tokens, in thousandths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Price {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

const fn price(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Price {
    Price { input, output, cache_read, cache_write }
}

/// Models by name as normalised by [`normal`]: dashes only, family before version.
const PRICES: &[(&str, Price)] = &[
    // Anthropic. Cache writes are for five minutes.
    ("claude-fable-5-1", price(10_000, 50_000, 250, 12_500)),
    ("claude-mythos-5-1", price(10_000, 50_000, 250, 12_500)),
    ("claude-fable-5", price(10_000, 50_000, 1_000, 12_500)),
    ("claude-mythos-5", price(10_000, 50_000, 1_000, 12_500)),
    ("claude-opus-5-5", price(4_000, 20_000, 200, 5_000)),
    ("claude-opus-5", price(5_000, 25_000, 500, 6_250)),
    ("claude-opus-4-8", price(5_000, 25_000, 500, 6_250)),
    ("claude-opus-4-7", price(5_000, 25_000, 500, 6_250)),
    ("claude-opus-4-6", price(5_000, 25_000, 500, 6_250)),
    ("claude-opus-4-5", price(5_000, 25_000, 500, 6_250)),
    ("claude-opus-4-1", price(15_000, 75_000, 1_500, 18_750)),
    ("claude-opus-4", price(15_000, 75_000, 1_500, 18_750)),
    ("claude-sonnet-5-5", price(2_000, 10_000, 100, 2_500)),
    ("claude-sonnet-5", price(2_000, 10_000, 200, 2_500)),
    ("claude-sonnet-4-6", price(3_000, 15_000, 300, 3_750)),
    ("claude-sonnet-4-5", price(3_000, 15_000, 300, 3_750)),
    ("claude-sonnet-4", price(3_000, 15_000, 300, 3_750)),
    ("claude-sonnet-3-7", price(3_000, 15_000, 300, 3_750)),
    ("claude-haiku-5-5", price(100, 500, 10, 125)),
    ("claude-haiku-4-5", price(1_000, 5_000, 100, 1_250)),
    ("claude-haiku-3-5", price(800, 4_000, 80, 1_000)),
    // OpenAI. Before GPT-5.6 cache writes cost no more than input.
    ("gpt-6-1-sol", price(2_000, 10_000, 100, 2_500)),
    ("gpt-6-1-terra", price(1_000, 5_000, 50, 1_250)),
    ("gpt-6-astra", price(10_000, 50_000, 1_000, 12_500)),
    ("gpt-6-sol", price(2_000, 10_000, 200, 2_500)),
    ("gpt-6-luna", price(100, 500, 10, 125)),
    ("gpt-5-6-sol", price(4_000, 20_000, 400, 5_000)),
    ("gpt-5-6-terra", price(2_000, 12_000, 200, 2_500)),
    ("gpt-5-6-luna", price(200, 1_200, 20, 250)),
    ("gpt-5-5", price(5_000, 30_000, 500, 5_000)),
    ("gpt-5-4-mini", price(750, 4_500, 75, 750)),
    ("gpt-5-4-nano", price(200, 1_250, 20, 200)),
    ("gpt-5-4", price(2_500, 15_000, 250, 2_500)),
    ("gpt-5-3-codex", price(1_750, 14_000, 175, 1_750)),
    ("gpt-5-2-codex", price(1_750, 14_000, 175, 1_750)),
    ("gpt-5-2", price(1_750, 14_000, 175, 1_750)),
    ("gpt-5-1-codex-max", price(1_250, 10_000, 125, 1_250)),
    ("gpt-5-1-codex", price(1_250, 10_000, 125, 1_250)),
    ("gpt-5-1", price(1_250, 10_000, 125, 1_250)),
    ("gpt-5-codex", price(1_250, 10_000, 125, 1_250)),
    ("gpt-5-mini", price(250, 2_000, 25, 250)),
    ("gpt-5-nano", price(50, 400, 5, 50)),
    ("gpt-5", price(1_250, 10_000, 125, 1_250)),
    ("gpt-4-1", price(2_000, 8_000, 500, 2_000)),
    ("o3", price(2_000, 8_000, 500, 2_000)),
    ("o4-mini", price(1_100, 4_400, 275, 1_100)),
    // Google. Flash from 3.6 on costs twice as much from 2027.
    ("gemini-3-8-flash", price(750, 3_750, 75, 750)),
    ("gemini-3-7-flash", price(750, 3_750, 75, 750)),
    ("gemini-3-6-flash", price(750, 3_750, 75, 750)),
    ("gemini-3-5-flash-lite", price(300, 2_500, 30, 300)),
    ("gemini-3-5-flash", price(1_500, 9_000, 150, 1_500)),
    ("gemini-3-1-flash-lite", price(250, 1_500, 25, 250)),
    ("gemini-3-1-pro", price(2_000, 12_000, 200, 2_000)),
    ("gemini-3-pro", price(2_000, 12_000, 200, 2_000)),
    ("gemini-3-flash", price(500, 3_000, 50, 500)),
    ("gemini-2-5-flash-lite", price(100, 400, 10, 100)),
    ("gemini-2-5-flash", price(300, 2_500, 30, 300)),
    ("gemini-2-5-pro", price(1_250, 10_000, 125, 1_250)),
];

/// Suffixes that do not change the model.
const SAME: &[&str] =
    &["latest", "preview", "thinking", "minimal", "none", "low", "medium", "high", "xhigh", "max"];

/// The price of a model, if listed.
pub(super) fn of(model: &str) -> Option<Price> {
    let name = normal(model);
    let fitting = PRICES.iter().filter(|(known, _)| {
        name.strip_prefix(known).is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix('-').is_some_and(|rest| rest.split('-').all(same))
        })
    });
    fitting.max_by_key(|(known, _)| known.len()).map(|(_, price)| *price)
}

/// Whether a suffix does not affect the price: effort, date or revision.
fn same(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // A single digit would be another version.
    SAME.contains(&word)
        || (digits(word) && word.len() > 1)
        || word.strip_prefix('v').is_some_and(|rest| rest.split(':').all(digits))
}

/// Normalises the names of models used by hosts and clouds.
fn normal(model: &str) -> String {
    let model = model.trim().to_ascii_lowercase();
    let bare = model.rsplit('/').next().unwrap_or_default();
    let bare = bare.split_once("anthropic.").map_or(bare, |(_, rest)| rest);
    let bare = bare.split('[').next().unwrap_or_default();
    let dashed = bare.replace(['.', '@', ' '], "-");
    // `claude-4.5-sonnet` equals `claude-sonnet-4-5`.
    let Some(rest) = dashed.strip_prefix("claude-") else { return dashed };
    let words: Vec<&str> = rest.split('-').collect();
    let version = words.iter().take_while(|word| word.len() == 1).count();
    match (words.get(..version), words.get(version), words.get(version.saturating_add(1)..)) {
        (Some(number @ [_, ..]), Some(family), Some(more)) => {
            let all: Vec<&str> =
                ["claude", *family].iter().chain(number).chain(more).copied().collect();
            all.join("-")
        }
        _ => dashed,
    }
}

impl Price {
    /// Cost of these tokens in millionths of a dollar. The input excludes cached tokens. `for_an_hour` is the
    /// part of cache writes with one-hour lifetime, at twice the input price.
    pub(super) fn cost(self, usage: Usage, for_an_hour: u64) -> u64 {
        let short = usage.cache_write.saturating_sub(for_an_hour);
        let long = usage.cache_write.saturating_sub(short);
        [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (short, self.cache_write),
            (long, self.input.saturating_mul(2)),
        ]
        .iter()
        .fold(0_u64, |sum, (tokens, price)| sum.saturating_add(tokens.saturating_mul(*price)))
            / 1000
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

    #[test]
    fn a_model_is_found_under_the_names_that_hosts_give_it() {
        for (name, known) in [
            ("claude-opus-4-5-20251101", "claude-opus-4-5"),
            ("claude-4.5-sonnet-thinking", "claude-sonnet-4-5"),
            ("claude-opus-5[1m]", "claude-opus-5"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
            ("anthropic/claude-haiku-4.5", "claude-haiku-4-5"),
            ("claude-sonnet-4@20250514", "claude-sonnet-4"),
            ("gpt-5.1-codex-max", "gpt-5-1-codex-max"),
            ("gpt-5.1-codex-high", "gpt-5-1-codex"),
            ("gpt-5-2026-04-01", "gpt-5"),
            ("GPT-5.6-Sol", "gpt-5-6-sol"),
            ("google/gemini-2.5-flash-lite-preview-09-2025", "gemini-2-5-flash-lite"),
        ] {
            let price = PRICES.iter().find(|(model, _)| *model == known).map(|(_, price)| *price);
            assert!(price.is_some(), "{known}");
            assert_eq!(of(name), price, "{name}");
        }
    }

    #[test]
    fn a_model_that_is_not_in_the_table_has_no_price() {
        for name in [
            "",
            "default",
            "auto",
            "composer-2.5",
            "claude-opus-4-9",
            "claude-opus-6",
            "gpt-5.7",
            "gpt-5.5-pro",
            "claude-opus-4-8-fast",
            "o3-pro",
            "gpt-6",
            "<synthetic>",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn tokens_are_multiplied_with_their_own_price() {
        let usage = Usage {
            input: 1_000_000,
            output: 200_000,
            cache_read: 3_000_000,
            cache_write: 400_000,
        };
        let price = of("claude-opus-5").unwrap();
        // 5 + 5 + 1.5 + 2.5 dollars; one-hour cache writes cost 10 instead of 6.25.
        assert_eq!(price.cost(usage, 0), 14_000_000);
        assert_eq!(price.cost(usage, 100_000), 14_375_000);
        assert_eq!(price.cost(Usage { input: u64::MAX, ..usage }, u64::MAX), u64::MAX / 1000);
        assert_eq!(dollars(14_375_000), "$14.38");
        assert_eq!(dollars(9_999), "less than $0.01");
    }

    #[test]
    fn every_name_in_the_table_is_in_its_normal_form_and_once() {
        for (index, (name, _)) in PRICES.iter().enumerate() {
            assert_eq!(normal(name), *name);
            assert!(PRICES.iter().skip(index + 1).all(|(other, _)| other != name), "{name}");
        }
    }
}
