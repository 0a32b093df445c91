//! Times as people tell them.

/// How long ago a time in milliseconds was, as seen from one in seconds.
pub(crate) fn ago(at_ms: u64, now: u64) -> String {
    let seconds = now.saturating_sub(at_ms / 1000);
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::ago;

    #[test]
    fn the_largest_unit_that_fits_is_named() {
        let now = 1_000_000;
        for (seconds, text) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7199, "1 hour ago"),
            (86_400, "1 day ago"),
            (90_000 * 2, "2 days ago"),
        ] {
            assert_eq!(ago((now - seconds) * 1000, now), text);
        }
        assert_eq!(ago((now + 50) * 1000, now), "just now", "a clock may be ahead");
    }
}
