//! Values of the environment, matched exactly.

use super::Known;
use super::trigram::{self, Rows};

/// How many values are looked for in one pass.
pub(super) const BATCH: usize = 64;

/// Where the rarest bytes of one value are.
#[derive(Clone, Copy, Default)]
struct Place {
    code: u16,
    at: usize,
    value: usize,
}

/// A batch of values, ready to be looked for.
pub(super) struct Places {
    places: [Place; BATCH],
    len: usize,
}

impl Places {
    /// The batch that begins with this value; its places are marked in `rows`.
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

    /// The longest value that is here: its index, its start and its end.
    pub(super) fn here(
        &self,
        known: &Known<'_>,
        bytes: &[u8],
        third: usize,
        code: u16,
    ) -> Option<(usize, usize, usize)> {
        let places = self.places.get(..self.len)?;
        places
            .iter()
            .filter(|place| place.code == code)
            .filter_map(|place| {
                let (_, value) = known.values.get(place.value)?;
                let start = third.checked_sub(2)?.checked_sub(place.at)?;
                let end = start.checked_add(value.len())?;
                let same = value.len() >= 3 && bytes.get(start..end)? == value.as_bytes();
                same.then_some((place.value, start, end))
            })
            .max_by_key(|(_, start, end)| end.saturating_sub(*start))
    }
}
