//! Tables of programs, sorted at compile time for binary search.
#![expect(clippy::indexing_slicing, reason = "the compiler computes it, and stops if it is wrong")]

use crate::call::{Call, Judge, Programs};

/// How many programs the tables hold together.
pub(crate) const fn count(tables: &[Programs]) -> usize {
    let (mut total, mut table) = (0, 0);
    while table < tables.len() {
        total += tables[table].len();
        table += 1;
    }
    total
}

/// The rows of all tables behind each other.
pub(crate) const fn gathered<const N: usize>(tables: &[Programs]) -> [(&'static str, Judge); N] {
    let mut all: [(&'static str, Judge); N] = [("", nothing); N];
    let (mut at, mut table) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            all[at] = tables[table][row];
            at += 1;
            row += 1;
        }
        table += 1;
    }
    all
}

/// The same rows by name. Of two with the same name the earlier one comes first.
pub(crate) const fn sorted<T: Copy, const N: usize>(
    mut all: [(&'static str, T); N],
) -> [(&'static str, T); N] {
    // A stable merge sort: the compiler limits how long it computes.
    let mut width = 1;
    while width < N {
        let from = all;
        let mut start = 0;
        while start < N {
            let middle = smaller(start + width, N);
            let end = smaller(start + 2 * width, N);
            let (mut left, mut right, mut place) = (start, middle, start);
            while place < end {
                let takes_left =
                    left < middle && (right >= end || !is_before(from[right].0, from[left].0));
                if takes_left {
                    all[place] = from[left];
                    left += 1;
                } else {
                    all[place] = from[right];
                    right += 1;
                }
                place += 1;
            }
            start += 2 * width;
        }
        width *= 2;
    }
    all
}

const fn nothing(_: &mut Call<'_, '_>) {}

const fn smaller(one: usize, other: usize) -> usize {
    if one < other { one } else { other }
}

const fn is_before(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return one[at] < other[at];
        }
        at += 1;
    }
    one.len() < other.len()
}

/// The first entry of this name in a sorted table.
pub(crate) fn find<T: Copy>(sorted: &[(&'static str, T)], name: &str) -> Option<T> {
    let at = sorted.partition_point(|(known, _)| *known < name);
    sorted.get(at).filter(|(known, _)| *known == name).map(|(_, row)| *row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(_: &mut Call<'_, '_>) {}
    fn other(_: &mut Call<'_, '_>) {}

    const TABLES: &[Programs] =
        &[&[("b", one), ("a", one), ("dd", one)], &[], &[("b", other), ("c", other)]];
    static SORTED: [(&str, Judge); count(TABLES)] = sorted(gathered(TABLES));

    #[test]
    fn tables_are_put_in_order_and_the_earlier_one_wins() {
        let names: Vec<&str> = SORTED.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["a", "b", "b", "c", "dd"]);
        assert!(std::ptr::fn_addr_eq(find(&SORTED, "b").unwrap(), one as Judge));
        assert!(std::ptr::fn_addr_eq(find(&SORTED, "c").unwrap(), other as Judge));
        assert!(find(&SORTED, "d").is_none());
        assert!(find(&SORTED, "").is_none());
    }
}
