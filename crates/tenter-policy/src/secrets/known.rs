//! Exact matches of environment values.

use super::Known;
use super::trigram::{self, Rows};

/// Number of values searched in one pass.
pub(super) const BATCH: usize = 64;

/// Position of the rarest bytes of one value.
#[derive(Clone, Copy, Default)]
struct Place {
    code: u16,
    at: usize,
    value: usize,
}

/// A batch of values to search.
pub(super) struct Places {
    places: [Place; BATCH],
    len: usize,
}

impl Places {
    /// The batch that begins with this value; marks its positions in `rows`.
    pub(super) fn new(known: &Known<'_>, first: usize, rows: &mut Rows) -> Self {
        let mut places = Self { places: [Place::default(); BATCH], len: 0 };
        let values = known.values.iter().enumerate().skip(first).take(BATCH);
        for ((index, (_, value)), place) in values.zip(&mut places.places) {
            let (at, code) = trigram::rarest_of(value.as_bytes()).unwrap_or_default();
            *place = Place { code, at, value: index };
            places.len = places.len.saturating_add(1);
            if value.len() >= 3 {
                trigram::mark(rows, code);
            }
        }
        places
    }

    /// The value whose rarest three bytes end at `third`, if it is here: its index, start and end.
    pub(super) fn here(
        &self,
        known: &Known<'_>,
        bytes: &[u8],
        third: usize,
    ) -> Option<(usize, usize, usize)> {
        let code = trigram::code_at(bytes, third);
        let start = self.places.get(..self.len)?.iter().find_map(|place| {
            let (_, value) = known.values.get(place.value)?;
            let start = third.checked_sub(2)?.checked_sub(place.at)?;
            let same = place.code == code && value.len() >= 3;
            (same && bytes.get(start..)?.starts_with(value.as_bytes())).then_some(start)
        })?;
        let rest = bytes.get(start..)?;
        let (index, (_, value)) = longest(known, |value| rest.starts_with(value.as_bytes()))?;
        Some((index, start, start.checked_add(value.len())?))
    }
}

/// The longest matching value.
pub(super) fn longest<'k>(
    known: &Known<'k>,
    fits: impl Fn(&str) -> bool,
) -> Option<(usize, &'k (&'k str, &'k str))> {
    let values = known.values.iter().enumerate();
    values.filter(|(_, (_, value))| fits(value)).max_by_key(|(_, (_, value))| value.len())
}
