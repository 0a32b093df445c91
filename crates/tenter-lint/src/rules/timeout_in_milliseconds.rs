//! `timeout-in-milliseconds`

use tenter_hosts::install::TimeUnit;

use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::{FileModel, Handler, at, property};
use crate::rule::{Check, rule};

rule! {
    /// A `timeout` that was meant in milliseconds.
    ///
    /// Cursor, Claude Code and Codex count in seconds. Round numbers from 1000 on are taken for milliseconds;
    /// whole hours and the like (1800, 3600, 7200) are not. Gemini CLI counts in milliseconds: there the
    /// rule is `timeout-in-seconds`.
    ///
    /// Bad:
    /// ```json
    /// { "command": "./format.sh", "timeout": 5000 }
    /// ```
    /// Good:
    /// ```json
    /// { "command": "./format.sh", "timeout": 5 }
    /// ```
    RULE {
        id: "timeout-in-milliseconds",
        summary: "a `timeout` that was meant in milliseconds",
        severity: Severity::Warning,
        cost: "the host waits seconds: a hook that hangs holds the agent up for as long",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        if unit(model, handler) != TimeUnit::Seconds {
            continue;
        }
        let Some(timeout) = property(handler.object, "timeout") else { continue };
        let Some(number) = timeout.value.as_number_lit() else { continue };
        let Some(value) = milliseconds(number.value) else { continue };
        let seconds = value.div_ceil(1000);
        out.add(&RULE, at(number), format!("a timeout of {value} is {}", duration(value)))
            .cost(format!("a hook that hangs holds the agent up for {}", duration(value)))
            .fix(format!("write {seconds}: the unit is seconds"))
            .edits(vec![Edit::new(at(number), seconds.to_string())]);
    }
}

/// The unit of a handler's timeout.
pub(super) fn unit(model: &FileModel<'_>, handler: &Handler<'_>) -> TimeUnit {
    (model.install().time_unit)(handler.kind())
}

/// The value in milliseconds of a number that looks like one.
pub(super) fn milliseconds(number: &str) -> Option<u64> {
    const HALF_HOUR: u64 = 1800;
    let value: u64 = number.parse().ok()?;
    let round = value >= 1000 && value.is_multiple_of(500);
    let huge = value >= 10_000 && !value.is_multiple_of(HALF_HOUR);
    (round || huge).then_some(value)
}

/// Formats seconds in the largest suitable unit.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7200 => format!("{} minutes", seconds / 60),
        7200..172_800 => format!("{} hours", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_ids, cursor, findings, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    fn with(timeout: &str) -> String {
        cursor("stop", &format!(r#"{{"command": "ls", "timeout": {timeout}}}"#))
    }

    #[test]
    fn round_thousands_are_milliseconds_and_hours_are_not() {
        for value in ["1000", "1500", "5000", "9000", "30000", "60000", "12345"] {
            assert!(milliseconds(value).is_some(), "{value}");
        }
        for value in
            ["1", "30", "600", "999", "1200", "1800", "3600", "7200", "86400", "2.5", "-5000"]
        {
            assert!(milliseconds(value).is_none(), "{value}");
        }
    }

    #[test]
    fn the_cost_is_said_in_minutes() {
        assert_ids(HostId::Cursor, &with("5000"), &["timeout-in-milliseconds 2:39"]);
        assert_ids(HostId::Cursor, &with("5"), &[]);
        let found = &findings(HostId::Cursor, &with("5000"))[0];
        assert_eq!(found.message, "a timeout of 5000 is 83 minutes");
        let claude =
            grouped("Stop", "", r#"{"type": "command", "command": "ls", "timeout": 60000}"#);
        assert!(findings(HostId::Claude, &claude)[0].message.contains("16 hours"));
    }

    #[test]
    fn seconds_take_their_place() {
        let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, &with("1500"));
        assert_eq!(fix(&[file], &Options::default()).files[0].text, with("2"));
    }
}
