//! `timeout-too-long`

use super::timeout_in_milliseconds::{duration, milliseconds};
use super::timeout_unusable::wait;
use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, at, property};
use crate::rule::{Check, rule};

rule! {
    /// A `timeout` of more than ten minutes.
    ///
    /// Cursor waits for its hooks, so one that hangs stops the agent for all that time. A number that
    /// was meant in milliseconds has a finding of its own.
    ///
    /// Bad:
    /// ```json
    /// { "command": "./format.sh", "timeout": 900 }
    /// ```
    /// Good:
    /// ```json
    /// { "command": "./format.sh", "timeout": 60 }
    /// ```
    RULE {
        id: "timeout-too-long",
        summary: "a `timeout` of more than ten minutes",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

const MOST: u64 = 600;

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let Some(timeout) = property(handler.object, "timeout") else { continue };
        let Some(number) = timeout.value.as_number_lit() else { continue };
        let Some(time) = wait(number.value) else { continue };
        let too_long = time > std::time::Duration::from_secs(MOST);
        if too_long && milliseconds(number.value).is_none() {
            let message = format!("a timeout of {} is longer than 10 minutes", number.value);
            out.add(&RULE, at(number), message)
                .cost(format!(
                    "a hook that hangs holds the agent up for {}",
                    duration(time.as_secs())
                ))
                .fix(format!("write {MOST} or less: the unit is seconds"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, findings, grouped};
    use tenter_model::HostId;

    fn with(timeout: &str) -> String {
        cursor("stop", &format!(r#"{{"command": "ls", "timeout": {timeout}}}"#))
    }

    #[test]
    fn ten_minutes_are_enough() {
        for long in ["601", "600.5", "900", "999", "1200", "3600", "7e2"] {
            assert_ids(HostId::Cursor, &with(long), &["timeout-too-long 2:39"]);
        }
        for fine in ["1", "60", "600", "600.0"] {
            assert_ids(HostId::Cursor, &with(fine), &[]);
        }
        assert_ids(HostId::Cursor, &with("5000"), &["timeout-in-milliseconds 2:39"]);
        let found = &findings(HostId::Cursor, &with("900"))[0];
        assert_eq!(found.message, "a timeout of 900 is longer than 10 minutes");
        assert!(found.cost.ends_with("for 15 minutes"), "{}", found.cost);
    }

    #[test]
    fn the_others_have_ten_minutes_as_their_default() {
        let handler = r#"{"type": "command", "command": "ls", "timeout": 900}"#;
        assert_ids(HostId::Claude, &grouped("Stop", "", handler), &[]);
        assert_ids(HostId::Codex, &grouped("Stop", "", handler), &[]);
    }
}
