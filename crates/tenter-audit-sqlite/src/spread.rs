//! Percentiles of very many numbers in bounded memory.

use std::collections::BTreeMap;

/// Numbers below this are counted in an array.
const LOW: usize = 1 << 14;
/// Distinct large numbers kept exactly.
const HIGH: usize = 100_000;
/// Leading bits kept of a number when there are more.
const BITS: u32 = 11;

/// A histogram.
///
/// Percentiles are exact, unless there are more than 100,000 different numbers of at least 16,384 (16 ms in
/// microseconds); those are then too low by at most one thousandth.
#[derive(Debug, Default)]
pub(crate) struct Spread {
    low: Vec<u64>,
    high: BTreeMap<u64, u64>,
    is_coarse: bool,
    count: u64,
}

impl Spread {
    pub(crate) fn add(&mut self, number: u64) {
        self.count = self.count.saturating_add(1);
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        if index < LOW {
            if self.low.len() <= index {
                self.low.resize((index + 1).next_power_of_two(), 0);
            }
            if let Some(count) = self.low.get_mut(index) {
                *count = count.saturating_add(1);
            }
            return;
        }
        let number = if self.is_coarse { coarse(number) } else { number };
        let count = self.high.entry(number).or_default();
        *count = count.saturating_add(1);
        if self.high.len() > HIGH && !self.is_coarse {
            self.is_coarse = true;
            for (number, count) in std::mem::take(&mut self.high) {
                let sum = self.high.entry(coarse(number)).or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The smallest number that `percent` percent do not exceed.
    pub(crate) fn percentile(&self, percent: u64) -> u64 {
        let rank = self.count.saturating_mul(percent).div_ceil(100).max(1);
        let low = self.low.iter().zip(0_u64..).map(|(count, number)| (number, *count));
        let high = self.high.iter().map(|(number, count)| (*number, *count));
        let mut seen = 0_u64;
        for (number, count) in low.chain(high) {
            seen = seen.saturating_add(count);
            if seen >= rank {
                return number;
            }
        }
        0
    }
}

/// The number rounded down to its leading bits.
fn coarse(number: u64) -> u64 {
    let rest = (u64::BITS - number.leading_zeros()).saturating_sub(BITS);
    number >> rest << rest
}

#[cfg(test)]
mod tests {
    use tenter_audit::memory::percentile;

    use super::*;

    /// Deterministic random numbers.
    fn numbers(count: u64, most: u64) -> Vec<u64> {
        (0..count).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % most).collect()
    }

    fn compare(mut numbers: Vec<u64>, tolerance: u64) {
        let mut spread = Spread::default();
        for number in &numbers {
            spread.add(*number);
        }
        numbers.sort_unstable();
        for percent in [1, 50, 95, 99, 100] {
            let exact = percentile(&numbers, percent);
            let found = spread.percentile(percent as u64);
            let most = exact.checked_div(tolerance).unwrap_or_default();
            assert!(found <= exact && exact - found <= most, "{percent}%: {found}, not {exact}");
        }
        assert_eq!(spread.count(), numbers.len() as u64);
        assert!(spread.high.len() <= HIGH + 1);
    }

    #[test]
    fn percentiles_are_those_of_the_plain_way() {
        compare(vec![7], 0);
        compare(vec![0, 0, 0, u64::MAX], 0);
        compare(numbers(100_000, 3_000), 0);
        compare(numbers(100_000, 60_000_000), 0);
    }

    #[test]
    fn far_too_many_numbers_are_rounded_a_little() {
        compare(numbers(400_000, u64::MAX), 1000);
    }

    #[test]
    fn nothing_has_no_percentiles() {
        assert_eq!(Spread::default().percentile(50), 0);
    }
}
