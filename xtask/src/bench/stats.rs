//! Medians and percentiles of measured runs.

use std::time::Duration;

/// One run of one program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) wall: Duration,
    /// CPU time of the process and its children, where the system reports it.
    pub(super) cpu: Option<Duration>,
}

/// Statistics of many runs, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) runs: usize,
    pub(super) median: f64,
    pub(super) p95: f64,
    pub(super) min: f64,
    pub(super) cpu_median: Option<f64>,
}

impl Summary {
    pub(super) fn of(samples: &[Sample]) -> Self {
        let walls = sorted(samples.iter().map(|sample| sample.wall));
        let cpus = sorted(samples.iter().filter_map(|sample| sample.cpu));
        Self {
            runs: walls.len(),
            median: median(&walls),
            p95: p95(&walls),
            min: walls.first().copied().unwrap_or_default(),
            cpu_median: (!cpus.is_empty()).then(|| median(&cpus)),
        }
    }
}

fn sorted(durations: impl Iterator<Item = Duration>) -> Vec<f64> {
    let mut micros: Vec<f64> = durations.map(|duration| duration.as_secs_f64() * 1e6).collect();
    micros.sort_by(f64::total_cmp);
    micros
}

/// The median, or the mean of the middle two.
fn median(sorted: &[f64]) -> f64 {
    let high = sorted.len() / 2;
    let low = sorted.len().saturating_sub(1) / 2;
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    f64::midpoint(at(low), at(high))
}

/// The 95th percentile.
fn p95(sorted: &[f64]) -> f64 {
    let rank = (sorted.len() * 95).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_odd_and_even_lists() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }

    #[test]
    fn the_95th_percentile_is_a_value_of_the_list() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(p95(&hundred), 95.0);
        let twenty: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(p95(&twenty), 19.0);
        assert_eq!(p95(&[7.0]), 7.0);
        assert_eq!(p95(&[]), 0.0);
    }

    #[test]
    fn a_summary_counts_in_microseconds() {
        let sample = |wall, cpu: Option<u64>| Sample {
            wall: Duration::from_micros(wall),
            cpu: cpu.map(Duration::from_micros),
        };
        let summary = Summary::of(&[sample(300, Some(20)), sample(100, None), sample(200, None)]);
        assert_eq!((summary.runs, summary.median, summary.min), (3, 200.0, 100.0));
        assert_eq!(summary.cpu_median, Some(20.0));
        assert_eq!(Summary::of(&[]).cpu_median, None);
    }
}
