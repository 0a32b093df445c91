//! Parses option values, for both the hook path (which has no argument parser) and clap.

use std::time::Duration;

use tenter_hosts::{AskFallback, AskOption, FailMode};
use tenter_policy::policy::Speaks;

use crate::error::CommandError;

/// Default limit for stdin.
pub(crate) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum duration of an option: a day.
const LONGEST: Duration = Duration::from_hours(24);

pub(crate) fn fail_mode(text: &str) -> Result<FailMode, CommandError> {
    one_of(text, [FailMode::Open, FailMode::Closed, FailMode::Ask], FailMode::as_str)
}

/// Parses `--cursor-ask` and the like.
pub(crate) fn ask_fallback(text: &str, option: &AskOption) -> Result<AskFallback, CommandError> {
    option.value(text).ok_or_else(|| {
        CommandError::usage(format!("expected one of: {}", option.values.replace('|', ", ")))
    })
}

pub(crate) fn speaks(text: &str) -> Result<Speaks, CommandError> {
    one_of(text, Speaks::ALL, Speaks::as_str)
}

pub(crate) fn deny_exit(text: &str) -> Result<u8, CommandError> {
    match text {
        "0" => Ok(0),
        "2" => Ok(2),
        _ => Err(CommandError::usage("expected 0 or 2")),
    }
}

/// Parses a duration such as `30s`, `500ms`, `2m` or `1.5` (seconds).
pub(crate) fn duration(text: &str) -> Result<Duration, CommandError> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.strip_prefix(digits).unwrap_or_default();
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        _ => return Err(CommandError::usage(format!("unknown unit `{unit}`; use ms, s or m"))),
    };
    let number: f64 =
        digits.parse().map_err(|_| CommandError::usage("expected a time such as 30s or 500ms"))?;
    match Duration::try_from_secs_f64(number * scale) {
        Ok(time) if !time.is_zero() && time <= LONGEST => Ok(time),
        _ => Err(CommandError::usage("expected a time greater than zero and up to 1440m")),
    }
}

/// Parses a size such as `65536`, `512K` or `64M`.
pub(crate) fn bytes(text: &str) -> Result<u64, CommandError> {
    let (digits, scale) = match text.strip_suffix(['K', 'M']) {
        Some(digits) if text.ends_with('K') => (digits, 1024),
        Some(digits) => (digits, 1024 * 1024),
        None => (text, 1),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| CommandError::usage("expected a size such as 65536, 512K or 64M"))?;
    number
        .checked_mul(scale)
        .filter(|size| *size > 0)
        .ok_or_else(|| CommandError::usage("out of range"))
}

fn one_of<T: Copy, const N: usize>(
    text: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, CommandError> {
    all.into_iter().find(|value| name(*value) == text).ok_or_else(|| {
        let names: Vec<&str> = all.into_iter().map(name).collect();
        CommandError::usage(format!("expected one of: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_and_sizes() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_mins(2)));
        assert!(duration("0s").is_err());
        assert!(duration("-1s").is_err());
        assert!(duration("5h").is_err());
        assert!(duration("1e300").is_err());
        assert!(duration("1e19").is_err());
        assert_eq!(bytes("64M"), Ok(MAX_BYTES));
        assert_eq!(bytes("512K"), Ok(512 * 1024));
        assert!(bytes("0").is_err());
        assert!(bytes("99999999999999999999M").is_err());
    }
}
