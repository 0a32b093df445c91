//! Spark lines: one bar for one or several days.

const BARS: &[char] = &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A day without records.
const NOTHING: char = '·';

/// Bars relative to the largest number; adjacent days are summed until at most `room` are left.
pub(super) fn line(numbers: &[u64], room: usize) -> String {
    let each = each(numbers.len(), room);
    // The last group ends with the latest day.
    let first = numbers.len() % each;
    let (first, rest) = numbers.split_at_checked(first).unwrap_or((&[], numbers));
    let groups = std::iter::once(first).filter(|it| !it.is_empty()).chain(rest.chunks(each));
    let sums: Vec<u64> =
        groups.map(|it| it.iter().fold(0, |sum: u64, it| sum.saturating_add(*it))).collect();
    let most = sums.iter().copied().max().unwrap_or_default();
    let mut line = String::new();
    for sum in sums {
        let height = (u128::from(sum) * BARS.len() as u128).div_ceil(u128::from(most.max(1)));
        let bar = height.checked_sub(1).and_then(|it| BARS.get(usize::try_from(it).ok()?));
        line.push(*bar.unwrap_or(&NOTHING));
    }
    line
}

/// Number of days per bar.
pub(super) fn each(days: usize, room: usize) -> usize {
    days.div_ceil(room.max(1)).max(1)
}

/// Heading that explains a bar.
pub(super) fn heading(days: usize, room: usize) -> String {
    match each(days, room) {
        1 => "by day".to_owned(),
        each => format!("by day ({each} a bar)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_has_the_highest_bar() {
        assert_eq!(line(&[1, 2, 3, 4, 5, 6, 7, 8], 20), "▁▂▃▄▅▆▇█");
        assert_eq!(line(&[0, 1, 1000, u64::MAX], 20), "·▁▁█");
        assert_eq!(line(&[0, 0], 20), "··");
        assert_eq!(line(&[], 20), "");
        assert_eq!(line(&[7], 0), "█");
    }

    #[test]
    fn days_share_a_bar_where_there_are_too_many() {
        assert_eq!(line(&[9, 1, 1, 1, 1], 3), "█▂▂");
        assert_eq!(line(&[1; 100], 20), "████████████████████");
        assert_eq!(heading(5, 3), "by day (2 a bar)");
        assert_eq!(heading(3, 3), "by day");
    }
}
