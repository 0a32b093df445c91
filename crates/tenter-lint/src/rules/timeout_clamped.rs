//! `timeout-clamped`

use super::timeout_in_milliseconds::milliseconds;
use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, at, property};
use crate::rule::{Check, rule};

rule! {
    /// A `timeout` at `SessionEnd` that is longer than the host waits there.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "SessionEnd": [{ "hooks": [{ "type": "command", "command": "./upload.sh", "timeout": 30 }] }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "SessionEnd": [{ "hooks": [{ "type": "command", "command": "./queue.sh", "timeout": 3 }] }] } }
    /// ```
    RULE {
        id: "timeout-clamped",
        summary: "a `timeout` longer than the host allows at `SessionEnd`",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Some(most) = model.lint().longest_at_end else { return };
    for handler in model.handlers.iter().filter(|handler| handler.event == "SessionEnd") {
        let Some(timeout) = property(handler.object, "timeout") else { continue };
        let Some(number) = timeout.value.as_number_lit() else { continue };
        let too_long = number.value.parse::<f64>().is_ok_and(|seconds| seconds > most);
        if too_long && milliseconds(number.value).is_none() {
            out.add(&RULE, at(number), format!("`SessionEnd` lasts {most} seconds at most"))
                .fix("note down what is to be done, and do it elsewhere");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, grouped};
    use tenter_model::HostId;

    #[test]
    fn the_end_of_a_session_is_short() {
        let with = |timeout| {
            let handler =
                format!(r#"{{"type": "command", "command": "ls", "timeout": {timeout}}}"#);
            grouped("SessionEnd", "", &handler)
        };
        assert_ids(HostId::Codex, &with(30), &["timeout-clamped 3:49"]);
        assert_ids(HostId::Codex, &with(3), &[]);
        assert_ids(HostId::Claude, &with(90), &["timeout-clamped 3:49"]);
        assert_ids(HostId::Claude, &with(30), &[]);
    }
}
