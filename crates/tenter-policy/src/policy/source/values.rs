//! Parses dates and durations.

use tenter_model::time;

/// A number and its unit.
fn quantity(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit.trim()))
}

/// Days of `90d`, `12w`.
pub(super) fn days(text: &str) -> Option<u32> {
    let (number, unit) = quantity(text)?;
    let factor = match unit {
        "d" => 1,
        "w" => 7,
        _ => return None,
    };
    u32::try_from(number.checked_mul(factor)?).ok()
}

/// Milliseconds of `500ms`, `5s`, `2m`.
pub(super) fn duration(text: &str) -> Option<u64> {
    let (number, unit) = quantity(text)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" | "min" => 60_000,
        _ => return None,
    };
    number.checked_mul(factor)
}

/// Seconds since 1970 at the end of `2026-12-31`, or at `2026-12-31T12:00:00Z`.
pub(super) fn moment(text: &str) -> Option<u64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let days = date_days(date)?;
    let seconds = match time {
        None => days.checked_add(1)?.checked_mul(86_400)?,
        Some(time) => days.checked_mul(86_400)?.checked_add(clock(time)?)?,
    };
    u64::try_from(seconds).ok()
}

/// Days since 1970.
fn date_days(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let (year, month, day) =
        (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let number = |digits: i64| u64::try_from(digits).ok();
    let days = time::days(number(year)?, number(month)?, number(day)?)?;
    if parts.next().is_some() { None } else { i64::try_from(days).ok() }
}

/// Seconds of `12:30`, `12:30:15.5`, `12:30:15Z`, `12:30:15+02:00`; without an offset it is UTC.
fn clock(time: &str) -> Option<i64> {
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at_checked(at)?,
        None => (time, "Z"),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = match parts.next() {
        Some(second) => digits(second.split('.').next()?, 2)?,
        None => 0,
    };
    let fits = hour < 24 && minute < 60 && second <= 60 && parts.next().is_none();
    let ahead = match offset.strip_prefix(['+', '-']) {
        None if offset.eq_ignore_ascii_case("z") => 0,
        None => return None,
        Some(ahead) => {
            let (hours, minutes) = ahead.split_once(':')?;
            let ahead = digits(hours, 2)? * 3_600 + digits(minutes, 2)? * 60;
            if offset.starts_with('-') { -ahead } else { ahead }
        }
    };
    fits.then_some(hour * 3_600 + minute * 60 + second - ahead)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let fits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_end_with_their_day() {
        let cases = [
            ("1970-01-01", Some(86_400)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29", Some(951_868_800)),
            ("2026-12-31", Some(1_798_761_600)),
            ("2026-12-31T12:00:00Z", Some(1_798_718_400)),
            ("2026-12-31 12:00:00+02:00", Some(1_798_711_200)),
            ("2026-12-31T12:00:00.5-00:30", Some(1_798_720_200)),
            ("2026-12-31T12:00", Some(1_798_718_400)),
            ("2026-02-29", None),
            ("2026-13-01", None),
            ("2026-1-1", None),
            ("1969-12-31", None),
            ("2026-12-31T25:00:00Z", None),
            ("tomorrow", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(moment(text), expected, "{text}");
        }
    }

    #[test]
    fn durations_need_a_unit() {
        let cases = [
            ("5s", Some(5_000)),
            ("500ms", Some(500)),
            ("2m", Some(120_000)),
            ("5", None),
            ("s", None),
            ("5h", None),
            ("99999999999999999999s", None),
            ("18446744073709551615m", None),
        ];
        for (text, expected) in cases {
            assert_eq!(duration(text), expected, "{text}");
        }
    }

    #[test]
    fn days_come_alone_or_in_weeks() {
        let cases = [
            ("90d", Some(90)),
            (" 12 w ", Some(84)),
            ("0d", Some(0)),
            ("90", None),
            ("90D", None),
            ("2m", None),
            ("4294967296d", None),
            ("18446744073709551615w", None),
        ];
        for (text, expected) in cases {
            assert_eq!(days(text), expected, "{text}");
        }
    }
}
