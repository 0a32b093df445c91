//! `duplicate-key`

use std::collections::BTreeSet;

use jsonc_parser::ast::Object;

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, name_at};
use crate::rule::{Check, rule};

rule! {
    /// A key that stands twice in one object.
    ///
    /// JSON readers keep the last one and say nothing, so an event that is listed twice loses its
    /// first list of hooks. Codex refuses the whole file.
    ///
    /// Bad:
    /// ```text
    /// { "hooks": { "stop": [{ "command": "./a.sh" }], "stop": [{ "command": "./b.sh" }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "stop": [{ "command": "./a.sh" }, { "command": "./b.sh" }] } }
    /// ```
    RULE {
        id: "duplicate-key",
        summary: "a key stands twice in one object",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let entries = model.handlers.iter().map(|handler| handler.object);
    let groups = model.groups.iter().map(|group| group.object);
    for object in model.top.into_iter().chain(model.hooks).chain(groups).chain(entries) {
        check_object(object, out);
    }
}

fn check_object(object: &Object<'_>, out: &mut Findings<'_>) {
    let mut seen = BTreeSet::new();
    for property in object.properties.iter().rev() {
        let name = property.name.as_str();
        if !seen.insert(name) {
            out.add(&RULE, name_at(property), format!("`{name}` stands again further down"))
                .fix("join the two, or remove one");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::assert_ids;
    use tenter_model::HostId;

    #[test]
    fn the_earlier_one_is_named() {
        let twice =
            "{\"version\": 1, \"hooks\": {\n\"stop\": [],\n\"preCompact\": [],\n\"stop\": []}}";
        assert_ids(HostId::Cursor, twice, &["duplicate-key 2:1"]);
        let entry = "{\"version\": 1, \"hooks\": {\n\"stop\": [{\"timeout\": 1, \"command\": \"ls\", \"timeout\": 2}]}}";
        assert_ids(HostId::Cursor, entry, &["duplicate-key 2:11"]);
        assert_ids(HostId::Cursor, "{\"version\": 1, \"hooks\": {\"stop\": []}}", &[]);
    }
}
