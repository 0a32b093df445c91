//! `json-comments`

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::Severity;
use crate::edit::{Edit, comma_after};
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};

rule! {
    /// Comments and trailing commas, which JSON does not have.
    ///
    /// Editors let them pass in settings files, a plain JSON reader does not. Claude Code and Codex read plain
    /// JSON (recorded with 2.1.325 and 0.166.0); Cursor does not document what it reads.
    ///
    /// Bad:
    /// ```text
    /// { "version": 1, /* mine */ "hooks": {}, }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": {} }
    /// ```
    RULE {
        id: "json-comments",
        summary: "comments or trailing commas, which plain JSON does not have",
        severity: Severity::Warning,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Ok(parsed) = model.parsed else { return };
    // TOML ignores the byte order mark.
    if model.lint().refuses_mark && !model.is_toml() && model.file.text.starts_with('\u{feff}') {
        out.add(&RULE, 0..0, "a byte order mark is not JSON")
            .fix("save the file as UTF-8 without a byte order mark");
    }
    if model.lint().comments {
        let mut edits = Vec::new();
        trailing_commas(model.text(), &parsed.value, &mut edits);
        if let Some(first) = edits.first() {
            out.add(&RULE, first.range.clone(), "a trailing comma is not JSON")
                .fix("remove the comma")
                .edits(edits);
        }
        return;
    }
    let Some((what, at)) = &parsed.beyond_json else { return };
    let draft = out.add(&RULE, at.clone(), format!("{what} is not JSON"));
    if *what == "a comment" {
        draft.fix("remove the comments, or keep them in a key such as `$comment`");
    } else {
        let mut edits = Vec::new();
        trailing_commas(model.text(), &parsed.value, &mut edits);
        draft.fix("remove the comma").edits(edits);
    }
}

/// Collects trailing commas of all arrays and objects.
fn trailing_commas(text: &str, value: &Value<'_>, edits: &mut Vec<Edit>) {
    let last = match value {
        Value::Array(array) => {
            array.elements.iter().for_each(|item| trailing_commas(text, item, edits));
            array.elements.last().map(|item| item.range().end)
        }
        Value::Object(object) => {
            object.properties.iter().for_each(|item| trailing_commas(text, &item.value, edits));
            object.properties.last().map(|item| item.range.end)
        }
        _ => None,
    };
    let comma = last.and_then(|end| comma_after(text, end, value.range().end));
    edits.extend(comma.map(|at| Edit::new(at..at + 1, "")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_ids, findings};
    use crate::{File, Layer, Options};
    use tenter_model::HostId;

    #[test]
    fn what_json_lacks_is_said_once_a_file() {
        assert_ids(HostId::Codex, "{ // why\n // and how\n}", &["json-comments 1:3"]);
        assert_ids(HostId::Claude, "{\"hooks\": {},}", &["json-comments 1:13"]);
        assert_ids(HostId::Claude, "{\"hooks\": {}}", &[]);
        assert_ids(HostId::Codex, "\u{feff}{}", &["json-comments 1:1"]);
        assert_ids(HostId::Claude, "\u{feff}{}", &[]);
        for (host, drops) in
            [(HostId::Cursor, false), (HostId::Claude, true), (HostId::Codex, true)]
        {
            let found = &findings(host, "{\"version\": 1} // x")[0];
            let severity = if drops { Severity::Error } else { Severity::Warning };
            assert_eq!((found.drops_file, found.severity), (drops, severity), "{host}");
        }
    }

    #[test]
    fn trailing_commas_can_go() {
        let text = "{\"model\": [1, [2,],], \"hooks\": {},\n}";
        let file = File::new("/x.json", HostId::Claude, Layer::Unknown, text);
        let fixed = crate::fix(&[file], &Options::default());
        assert_eq!(fixed.files[0].text, "{\"model\": [1, [2]], \"hooks\": {}\n}");
    }
}
