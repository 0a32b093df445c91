//! Parses and formats times in the user's time zone.

use std::cell::Cell;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_model::text::counted;
use tenter_model::time;

use crate::error::CommandError;

const DAY: u64 = 86_400;

/// A time on the command line: relative, or a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Ago(Duration),
    /// Milliseconds since 1970.
    At(u64),
}

impl When {
    /// Parses `90s`, `30m`, `2h`, `7d`, `2w`, `today`, `2026-11-16` or `2026-11-16T13:48`.
    pub(crate) fn parse(text: &str) -> Result<Self, CommandError> {
        if let Some(ago) = ago(text) {
            return Ok(Self::Ago(ago));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if let Some(at) = named_day(text, now, &offset) {
            return Ok(Self::At(at));
        }
        let at = date_and_time(text, &offset).ok_or_else(|| {
            CommandError::usage(
                "expected how long ago (90s, 30m, 2h, 7d, 2w), `today`, `yesterday` or a time \
             (2026-11-16, 2026-11-16T13:48, 2026-11-16T13:48:05; with Z for UTC, or +02:00)",
            )
        })?;
        Ok(Self::At(at))
    }

    /// The time in milliseconds since 1970.
    pub(crate) fn moment(self, now_ms: u64) -> u64 {
        match self {
            Self::Ago(ago) => {
                now_ms.saturating_sub(u64::try_from(ago.as_millis()).unwrap_or(u64::MAX))
            }
            Self::At(at) => at,
        }
    }
}

/// Parses a number with a unit.
fn ago(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: u64 =
        digits.bytes().all(|it| it.is_ascii_digit()).then(|| digits.parse().ok())??;
    let unit = match text.strip_prefix(digits)? {
        "ms" => return Some(Duration::from_millis(number)),
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    Some(Duration::from_secs(number.saturating_mul(unit)))
}

/// Local midnight of today or yesterday, in milliseconds since 1970.
fn named_day(text: &str, now: u64, offset: &dyn Fn(i64) -> i64) -> Option<u64> {
    let back = match text {
        "today" => 0,
        "yesterday" => 1,
        _ => return None,
    };
    let here = now.saturating_add_signed(offset(i64::try_from(now).ok()?));
    let (year, month, day) =
        time::date((here / DAY).saturating_sub(back).saturating_mul(DAY * 1000));
    date_and_time(&format!("{year:04}-{month:02}-{day:02}"), offset)
}

/// Parses a date with optional time of day, in local time unless it ends in `Z` or a UTC offset; in
/// milliseconds since 1970.
fn date_and_time(text: &str, offset: &dyn Fn(i64) -> i64) -> Option<u64> {
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (clock, ahead) = match clock {
        Some(clock) => zone(clock)?,
        None => ("00:00", None),
    };
    let (clock, millis) = match clock.split_once('.') {
        Some((clock, fraction)) if clock.len() == "13:48:05".len() => {
            (clock, thousandths(fraction)?)
        }
        Some(_) => return None,
        None => (clock, 0),
    };
    let [hour, minute, second] = if clock.len() > "13:48".len() {
        numbers(clock, ':', [2, 2, 2])?
    } else {
        let [hour, minute] = numbers(clock, ':', [2, 2])?;
        [hour, minute, 0]
    };
    let days = time::days(year, month, day)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let naive = days * DAY + hour * 3600 + minute * 60 + second;
    let naive = i64::try_from(naive).ok()?;
    let ahead = ahead.unwrap_or_else(|| {
        // Use the offset of an approximate time to find the real one, and that one's own offset.
        offset(naive.saturating_sub(offset(naive)))
    });
    let at = u64::try_from(naive.saturating_sub(ahead)).ok()?;
    at.checked_mul(1000)?.checked_add(millis)
}

/// Splits the UTC offset in seconds from a time of day.
fn zone(clock: &str) -> Option<(&str, Option<i64>)> {
    if let Some(clock) = clock.strip_suffix('Z') {
        return Some((clock, Some(0)));
    }
    let Some((at, sign)) = clock.char_indices().find(|(_, letter)| "+-".contains(*letter)) else {
        return Some((clock, None));
    };
    let (clock, place) = clock.split_at_checked(at)?;
    let [hours, minutes] = numbers(place.get(1..)?, ':', [2, 2])?;
    let ahead = i64::try_from(hours * 3600 + minutes * 60).ok()?;
    let is_place = hours < 24 && minutes < 60;
    is_place.then_some((clock, Some(if sign == '-' { -ahead } else { ahead })))
}

/// Parses fractional seconds to milliseconds; more digits are dropped.
fn thousandths(fraction: &str) -> Option<u64> {
    let digits =
        (1..=9).contains(&fraction.len()) && fraction.bytes().all(|it| it.is_ascii_digit());
    digits.then(|| format!("{fraction}00").get(..3)?.parse().ok())?
}

/// Parses as many numbers as there are widths, each of exactly that width.
fn numbers<const N: usize>(text: &str, between: char, widths: [usize; N]) -> Option<[u64; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (place, width) in found.iter_mut().zip(widths) {
        let part = parts.next().filter(|part| part.len() == width)?;
        *place = part.bytes().all(|it| it.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(found)
}

/// Local UTC offset at a time in seconds since 1970; 0 if the system does not tell.
fn offset(at: i64) -> i64 {
    thread_local! {
        /// Cache of the last quarter of an hour, within which no zone changes its offset.
        static LAST: Cell<Option<(i64, i64)>> = const { Cell::new(None) };
    }
    let quarter = at.div_euclid(900);
    if let Some((known, offset)) = LAST.get()
        && known == quarter
    {
        return offset;
    }
    let moment = ::time::OffsetDateTime::from_unix_timestamp(quarter.saturating_mul(900)).ok();
    let found = moment.and_then(|it| ::time::UtcOffset::local_offset_at(it).ok());
    let offset = found.map_or(0, |it| i64::from(it.whole_seconds()));
    LAST.set(Some((quarter, offset)));
    offset
}

/// A time shifted by the local offset.
fn local(at_ms: u64) -> u64 {
    let at = i64::try_from(at_ms / 1000).unwrap_or(i64::MAX);
    at_ms.saturating_add_signed(offset(at).saturating_mul(1000))
}

/// Local time of day: `14:03:22`.
pub(crate) fn time_of_day(at_ms: u64) -> String {
    let (hour, minute, second, _) = time::clock(local(at_ms));
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// Local date: `2026-11-16`.
pub(crate) fn day(at_ms: u64) -> String {
    let (year, month, day) = time::date(local(at_ms));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A duration in one or two units: `350 ms`, `12 s`, `3 m 20 s`, `2 h 5 m`, `3 d 4 h`.
pub(crate) fn length(ms: u64) -> String {
    let (s, m, h) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{s} s"),
        60_000..3_600_000 => format!("{m} m {} s", s % 60),
        3_600_000..86_400_000 => format!("{h} h {} m", m % 60),
        _ => format!("{} d {} h", h / 24, h % 24),
    }
}

/// How long ago a time in milliseconds was, relative to one in seconds.
pub(crate) fn long_ago(at_ms: u64, now: u64) -> String {
    let seconds = now.saturating_sub(at_ms / 1000);
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    counted(count, unit) + " ago"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_ago_has_a_number_and_a_unit() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("2h", 7200),
            ("36h", 129_600),
            ("7d", 604_800),
            ("2w", 1_209_600),
            ("0s", 0),
        ] {
            assert_eq!(When::parse(text), Ok(When::Ago(Duration::from_secs(seconds))), "{text}");
        }
        assert_eq!(When::parse("500ms"), Ok(When::Ago(Duration::from_millis(500))));
        assert_eq!(When::Ago(Duration::from_secs(u64::MAX)).moment(5), 0);
        assert_eq!(When::Ago(Duration::from_secs(2)).moment(5000), 3000);
        assert_eq!(When::At(7).moment(5000), 7);
    }

    #[test]
    fn what_is_no_time_is_answered_with_what_is() {
        for text in [
            "",
            "2",
            "h",
            "-2h",
            "2y",
            "1.5h",
            "+2h",
            "2026",
            "2026-1-1",
            "2026-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-11-16T",
            "2026-11-16Z",
            "2026-11-16T24:00",
            "2026-11-16T13:60",
            "2026-11-16T13:48:60",
            "2026-11-16T13:48:05.",
            "2026-11-16T13:48.5",
            "2026-11-16T13:48:05.x",
            "2026-11-16T13:48+2",
            "2026-11-16T13:48+24:00",
            "2026-11-16+02:00",
            "tomorrow",
            "2026-11-16T1:48",
            "1969-12-31",
            "99999999999999999999d",
            "２h",
        ] {
            let fault = When::parse(text).expect_err(text).to_string();
            assert!(fault.contains("2h") && fault.contains("2026-11-16T13:48"), "{fault}");
        }
    }

    #[test]
    fn dates_are_of_this_place_unless_they_end_in_z() {
        // One hour ahead, two from 2026-03-29 01:00 UTC on.
        let change = 1_774_746_000;
        let zone = |at: i64| if at < change { 3600 } else { 7200 };
        let stamp = |text: &str| date_and_time(text, &zone).map(time::stamp).unwrap_or_default();
        for (text, wanted) in [
            ("2026-01-01", "2025-12-31T23:00:00.000Z"),
            ("2026-07-01", "2026-06-30T22:00:00.000Z"),
            ("2026-03-29T01:59:59", "2026-03-29T00:59:59.000Z"),
            ("2026-03-29T03:00", "2026-03-29T01:00:00.000Z"),
            ("2026-03-29 03:00:07", "2026-03-29T01:00:07.000Z"),
            ("2026-07-01T12:30Z", "2026-07-01T12:30:00.000Z"),
            ("2028-02-29T23:59:59Z", "2028-02-29T23:59:59.000Z"),
            // The format of `log --csv`, `show --json` and other programs.
            ("2026-07-01T12:30:05.656Z", "2026-07-01T12:30:05.656Z"),
            ("2026-07-01T12:30:05.6", "2026-07-01T10:30:05.600Z"),
            ("2026-07-01T12:30:05.123456789Z", "2026-07-01T12:30:05.123Z"),
            ("2026-07-01T12:30:05+05:30", "2026-07-01T07:00:05.000Z"),
            ("2026-07-01T12:30-08:00", "2026-07-01T20:30:00.000Z"),
        ] {
            assert_eq!(stamp(text), wanted, "{text}");
        }
        // Half past midnight in summer, on the day after the clock change.
        let now = 1_774_823_400;
        let day = |text: &str| named_day(text, now, &zone).map(time::stamp).unwrap_or_default();
        assert_eq!(day("today"), "2026-03-29T22:00:00.000Z");
        assert_eq!(day("yesterday"), "2026-03-28T23:00:00.000Z");
    }

    #[test]
    fn every_day_of_four_hundred_years_is_read_as_it_is_written() {
        for days in 0..146_097 {
            let (year, month, day) = time::date(days * DAY * 1000);
            assert_eq!(time::days(year, month, day), Some(days));
        }
    }

    #[test]
    fn how_long_ago_is_said_in_the_largest_unit_that_fits() {
        let now = 1_000_000;
        for (seconds, text) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7199, "1 hour ago"),
            (86_400, "1 day ago"),
            (90_000 * 2, "2 days ago"),
        ] {
            assert_eq!(long_ago((now - seconds) * 1000, now), text);
        }
        assert_eq!(long_ago((now + 50) * 1000, now), "just now", "a clock may be ahead");
    }
}
