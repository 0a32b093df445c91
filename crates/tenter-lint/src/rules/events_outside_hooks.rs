//! `events-outside-hooks`

use super::guard_outside_hooks::{self, is_guard};
use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, name_at};
use crate::rule::{Check, rule};
use crate::vocabulary::is_event;

rule! {
    /// Events at the top of the file instead of inside `hooks`.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "stop": [{ "command": "./done.sh" }] }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "stop": [{ "command": "./done.sh" }] } }
    /// ```
    RULE {
        id: "events-outside-hooks",
        summary: "an event stands beside `hooks` instead of in it",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for property in model.top.into_iter().flat_map(|top| &top.properties) {
        let key = property.name.as_str();
        // `guard-outside-hooks` reports events that void more than themselves.
        let told =
            guard_outside_hooks::RULE.applies_to(model.host()) && is_guard(key, &property.value);
        if is_event(model.host(), key) && !told {
            out.add(&RULE, name_at(property), format!("`{key}` does not stand inside `hooks`"))
                .fix(format!("move it: `\"hooks\": {{ \"{key}\": ... }}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::assert_ids;
    use tenter_model::HostId;

    #[test]
    fn an_event_belongs_inside() {
        assert_ids(
            HostId::Cursor,
            "{\"version\": 1,\n\"stop\": []}",
            &["events-outside-hooks 2:1"],
        );
        assert_ids(HostId::Claude, "{\"Stop\": []}", &["events-outside-hooks 1:2"]);
        assert_ids(HostId::Codex, "{\"Stop\": []}", &["events-outside-hooks 1:2"]);
        assert_ids(HostId::Claude, "{\"hooks\": {\"Stop\": []}}", &[]);
    }
}
