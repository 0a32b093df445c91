//! Finds hosts that have gone silent while others are active.

use tenter_audit::store::{By, Result, Stats};

use super::Span;
use crate::reading::Reading;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Minimum silence in days relative to other hosts.
const LEAST_DAYS: u64 = 3;
/// Minimum silence as a multiple of the host's longest pause.
const TIMES: u64 = 2;

/// A silent host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Silent {
    pub(super) host: String,
    pub(super) last_at: u64,
    /// Time that others were active after its last record.
    pub(super) others_ms: u64,
    /// Its longest earlier pause in days; `None` if it has no record in the range.
    pub(super) usual_days: Option<u64>,
}

/// Hosts active before, and silent for much longer than their usual pauses while others were active.
pub(super) fn hosts(reading: &Reading, stats: &Stats, span: Span) -> Result<Vec<Silent>> {
    let heard: Vec<&(String, u64)> =
        stats.last_heard.iter().filter(|(host, _)| !host.is_empty()).collect();
    let latest = heard.iter().map(|(_, at)| *at).max().unwrap_or_default();
    let late = |at: u64| latest.saturating_sub(at) > LEAST_DAYS.saturating_mul(DAY_MS);
    if !heard.iter().any(|(_, at)| late(*at)) {
        return Ok(Vec::new());
    }
    let by_host = reading.store.stats(Some(span.since), Some(span.until), By::Host)?;
    let silent = |(host, at): &&(String, u64)| {
        let others_ms = latest.saturating_sub(*at);
        let group = by_host.groups.iter().find(|group| group.name == *host);
        let usual_days = group.map(|group| longest_pause(&by_host.days, &group.days));
        let least = usual_days.unwrap_or_default().saturating_mul(TIMES).max(LEAST_DAYS);
        (others_ms > least.saturating_mul(DAY_MS)).then(|| Silent {
            host: host.clone(),
            last_at: *at,
            others_ms,
            usual_days,
        })
    };
    Ok(heard.iter().filter_map(silent).collect())
}

/// The longest interval in days between two days with records, counting only days with others' records.
fn longest_pause<T>(days: &[(String, T)], records: &[u64]) -> u64 {
    let mut pause = 0_u64;
    let mut longest = 1;
    for ((_, _), records) in days.iter().zip(records) {
        pause = pause.saturating_add(1);
        if *records > 0 {
            longest = longest.max(pause);
            pause = 0;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_counts_until_the_next_record() {
        let days: Vec<(String, ())> = (1..=8).map(|day| (day.to_string(), ())).collect();
        assert_eq!(longest_pause(&days, &[1, 1, 1, 1, 0, 0, 0, 0]), 1);
        assert_eq!(longest_pause(&days, &[1, 0, 0, 1, 0, 0, 0, 0]), 3);
        assert_eq!(longest_pause(&days, &[]), 1);
    }
}
