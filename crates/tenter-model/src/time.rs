//! Date and time conversion, in UTC.

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Year, month and day of a time in milliseconds since 1970.
pub fn date(at_ms: u64) -> (u64, u64, u64) {
    // Days are counted in eras of 400 years, with years starting in March.
    let days = (at_ms / DAY_MS).saturating_add(719_468);
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

/// Hour, minute, second and millisecond of a time in milliseconds since 1970.
pub fn clock(at_ms: u64) -> (u64, u64, u64, u64) {
    let ms = at_ms % DAY_MS;
    (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

/// Formats a time as RFC 3339: `2026-11-16T13:48:14.123Z`.
pub fn stamp(at_ms: u64) -> String {
    let (year, month, day) = date(at_ms);
    let (hour, minute, second, ms) = clock(at_ms);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Days from 1970 to a date; `None` for an invalid date, or one before 1970.
pub fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that start in March have their leap day at the end.
    let (year_from_march, month_from_march) =
        if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year_from_march * 365 + year_from_march / 4 - year_from_march / 100
        + year_from_march / 400
        + (153 * month_from_march + 2) / 5
        + day
        - 1;
    let days = days.checked_sub(719_468)?;
    // The 31st of a 30-day month would become another day.
    (date(days * DAY_MS) == (year, month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_calendar_says() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_763_300_894_123, "2025-11-16T13:48:14.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(stamp(at), text);
        }
    }
}
