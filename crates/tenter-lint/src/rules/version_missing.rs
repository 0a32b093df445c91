//! `version-missing`

use crate::edit::insert_first;
use crate::finding::Findings;
use crate::model::{FileModel, head, property};
use crate::rule::{Check, rule};
use crate::{Layer, Severity};

rule! {
    /// A `hooks.json` of Cursor's without `version`.
    ///
    /// The newest text of Cursor's page calls it required, a positive integer; use 1. Files of
    /// plugins may leave it out.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "stop": [{ "command": "./done.sh" }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "stop": [{ "command": "./done.sh" }] } }
    /// ```
    RULE {
        id: "version-missing",
        summary: "Cursor's file has no `version`",
        severity: Severity::Warning,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Some(top) = model.top else { return };
    if model.file.layer == Layer::Plugin || property(top, "version").is_some() {
        return;
    }
    out.add(&RULE, head(top), "the file has no `version`")
        .fix("add `\"version\": 1`")
        .edits(insert_first(model.text(), top, "\"version\": 1"));
}

#[cfg(test)]
mod tests {
    use crate::testing::assert_ids;
    use crate::{File, Layer, Options, fix, lint};
    use tenter_model::HostId;

    #[test]
    fn only_cursor_wants_one_and_not_from_plugins() {
        assert_ids(HostId::Cursor, "\n{\"hooks\": {}}", &["version-missing 2:1"]);
        assert_ids(HostId::Cursor, "{\"version\": 1, \"hooks\": {}}", &[]);
        assert_ids(HostId::Codex, "{\"hooks\": {}}", &[]);
        let plugin = File::new("/p/hooks/hooks.json", HostId::Cursor, Layer::Plugin, "{}");
        assert!(lint(&[plugin], &Options::default()).is_clean());
    }

    #[test]
    fn it_is_added_in_the_layout_of_the_file() {
        let text = "{\n    \"hooks\": {}\n}\n";
        let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, text);
        let fixed = fix(&[file], &Options::default());
        assert_eq!(fixed.files[0].text, "{\n    \"version\": 1,\n    \"hooks\": {}\n}\n");
    }
}
