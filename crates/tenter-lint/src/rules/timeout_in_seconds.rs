//! `timeout-in-seconds`

use tenter_hosts::install::TimeUnit;

use super::timeout_in_milliseconds::unit;
use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::{FileModel, at, property};
use crate::rule::{Check, rule};

rule! {
    /// A `timeout` that was meant in seconds.
    ///
    /// Gemini CLI counts in milliseconds, Cursor, Claude Code and Codex in seconds. Whole numbers up to 120 are
    /// taken for seconds: no program of use answers in so few milliseconds.
    ///
    /// Bad:
    /// ```json
    /// { "type": "command", "command": "./guard.sh", "timeout": 5 }
    /// ```
    /// Good:
    /// ```json
    /// { "type": "command", "command": "./guard.sh", "timeout": 5000 }
    /// ```
    RULE {
        id: "timeout-in-seconds",
        summary: "a `timeout` that was meant in seconds",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

/// The longest timeout that is taken for seconds.
const MOST: u64 = 120;

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        if unit(model, handler) != TimeUnit::Milliseconds {
            continue;
        }
        let Some(timeout) = property(handler.object, "timeout") else { continue };
        let Some(number) = timeout.value.as_number_lit() else { continue };
        let Ok(value @ 1..=MOST) = number.value.parse::<u64>() else { continue };
        let meant = value * 1000;
        out.add(&RULE, at(number), format!("a timeout of {value} is {value} milliseconds"))
            .fix(format!("write {meant}: the unit is milliseconds"))
            .edits(vec![Edit::new(at(number), meant.to_string())]);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    fn with(timeout: &str) -> String {
        let handler = format!(r#"{{"type": "command", "command": "ls", "timeout": {timeout}}}"#);
        grouped("AfterAgent", "", &handler)
    }

    #[test]
    fn few_milliseconds_are_seconds() {
        for bad in ["1", "5", "30", "60", "120"] {
            assert_ids(HostId::Gemini, &with(bad), &["timeout-in-seconds 3:49"]);
        }
        for good in ["121", "600", "5000", "30000", "60000", "3600000"] {
            assert_ids(HostId::Gemini, &with(good), &[]);
        }
        for bad in ["0", "-1"] {
            assert_ids(HostId::Gemini, &with(bad), &["timeout-unusable 3:49"]);
        }
        let claude = with("5").replace("AfterAgent", "Stop");
        assert_ids(HostId::Claude, &claude, &[]);
    }

    #[test]
    fn milliseconds_take_their_place() {
        let file = File::new("/x.json", HostId::Gemini, Layer::Unknown, &with("5"));
        assert_eq!(fix(&[file], &Options::default()).files[0].text, with("5000"));
    }
}
