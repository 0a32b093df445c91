//! `prompt-without-type`

use crate::Severity;
use crate::edit::insert_first;
use crate::finding::Findings;
use crate::model::{FileModel, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// A `prompt` in an entry whose `type` is not said to be `prompt`.
    ///
    /// Without a `type`, Cursor takes the entry for a command, and a command without `command` does
    /// not run.
    ///
    /// Bad:
    /// ```json
    /// { "prompt": "Is this command safe?" }
    /// ```
    /// Good:
    /// ```json
    /// { "type": "prompt", "prompt": "Is this command safe?" }
    /// ```
    RULE {
        id: "prompt-without-type",
        summary: "a `prompt` without `\"type\": \"prompt\"`",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let Some(prompt) = property(handler.object, "prompt") else { continue };
        if property(handler.object, "type").is_some() {
            continue;
        }
        let has_command = property(handler.object, "command").is_some();
        if !has_command {
            let wanted = "\"type\": \"prompt\"";
            out.add(&RULE, name_at(prompt), "`prompt` without a `type`")
                .fix(format!("add `{wanted}`"))
                .edits(insert_first(model.text(), handler.object, wanted));
        } else if !model.lint().type_required {
            out.add(&RULE, name_at(prompt), "`prompt` beside a `command`")
                .cost("the entry counts as a command; the prompt is never asked")
                .fix("make two entries of it, one of them with `\"type\": \"prompt\"`");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    #[test]
    fn a_prompt_says_that_it_is_one() {
        let bad = cursor("preToolUse", r#"{"prompt": "ok?"}"#);
        let good = cursor("preToolUse", r#"{"type": "prompt", "prompt": "ok?"}"#);
        assert_ids(HostId::Cursor, &bad, &["prompt-without-type 2:17"]);
        assert_ids(HostId::Cursor, &good, &[]);
        let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, &bad);
        assert_eq!(fix(&[file], &Options::default()).files[0].text, good);
        let both = cursor("preToolUse", r#"{"command": "ls", "prompt": "ok?"}"#);
        assert_ids(HostId::Cursor, &both, &["prompt-without-type 2:34"]);
        let claude = grouped("PreToolUse", "", r#"{"prompt": "ok?"}"#);
        assert_ids(HostId::Claude, &claude, &["prompt-without-type 3:2"]);
    }
}
