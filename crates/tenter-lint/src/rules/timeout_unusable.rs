//! `timeout-unusable`

use std::time::Duration;

use super::timeout_in_milliseconds::{milliseconds, unit};
use tenter_hosts::install::TimeUnit;

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, at, property};
use crate::rule::{Check, rule};
use crate::vocabulary::Kind;

rule! {
    /// A `timeout` that is 0, negative or too large to be used.
    ///
    /// It does not mean "no limit". For no limit of your own leave the key out; the host then uses
    /// its default.
    ///
    /// Bad:
    /// ```json
    /// { "command": "./format.sh", "timeout": 0 }
    /// ```
    /// Good:
    /// ```json
    /// { "command": "./format.sh", "timeout": 30 }
    /// ```
    RULE {
        id: "timeout-unusable",
        summary: "a `timeout` of 0, less than 0 or beyond measure",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let Some(timeout) = property(handler.object, "timeout") else { continue };
        let Some(number) = timeout.value.as_number_lit() else { continue };
        // Where an integer is required, other numbers are reported as a wrong type.
        let counted = !model.lint().handler_keys.contains(&("timeout", Kind::Integer))
            || number.value.parse() == Ok(0_u64);
        let unit = unit(model, handler);
        let meant = unit == TimeUnit::Seconds && milliseconds(number.value).is_some();
        if counted && wait(number.value).is_none() && !meant {
            out.add(&RULE, at(number), format!("`timeout` cannot be {}", number.value))
                .fix(format!("give it in {}, or leave it out for the default", unit.name()));
        }
    }
}

/// A timeout in seconds as duration, if it is usable.
pub(super) fn wait(number: &str) -> Option<Duration> {
    let seconds = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, grouped};
    use tenter_model::HostId;

    #[test]
    fn a_timeout_is_more_than_nothing() {
        let with = |timeout: &str| {
            cursor("stop", &format!(r#"{{"command": "ls", "timeout": {timeout}}}"#))
        };
        for bad in ["0", "0.0", "-0", "-1", "-2.5", "1e-30", "1e300", "1e999"] {
            assert_ids(HostId::Cursor, &with(bad), &["timeout-unusable 2:39"]);
        }
        for good in ["1", "0.5", "30"] {
            assert_ids(HostId::Cursor, &with(good), &[]);
        }
    }

    #[test]
    fn a_number_has_one_finding_on_every_host() {
        let with = |timeout: &str| {
            let handler =
                format!(r#"{{"type": "command", "command": "ls", "timeout": {timeout}}}"#);
            grouped("Stop", "", &handler)
        };
        for bad in ["0", "-1"] {
            assert_ids(HostId::Claude, &with(bad), &["timeout-unusable 3:49"]);
        }
        assert_ids(HostId::Codex, &with("0"), &["timeout-unusable 3:49"]);
        assert_ids(HostId::Codex, &with("-1"), &["wrong-type 3:49"]);
    }
}
