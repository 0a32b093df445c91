//! `voids-file`

use crate::Severity;
use crate::edit::{Edit, remove};
use crate::finding::Findings;
use crate::model::{FileModel, name_at, property};
use crate::names::meant;
use crate::rule::{Check, rule};
use crate::vocabulary::{is_event, is_remark};

rule! {
    /// A key that makes the host drop the whole file.
    ///
    /// Codex takes only `description` and `hooks` at the top of `hooks.json`; anything else, even the
    /// `version` that Cursor wants or a `$schema`, drops every hook in it.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "Stop": [] } }
    /// ```
    /// Good:
    /// ```json
    /// { "description": "our hooks", "hooks": { "Stop": [] } }
    /// ```
    RULE {
        id: "voids-file",
        summary: "a key that makes the host drop the whole file",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let (Some(top), Some(known)) = (model.top, model.lint().top_keys) else { return };
    let host = model.host().title();
    for item in &top.properties {
        let key = item.name.as_str();
        if known.contains(&key) || is_event(model.host(), key) {
            continue;
        }
        let message = format!("{host} knows no top-level key `{key}`");
        let draft = out.add(&RULE, name_at(item), message);
        match meant(key, known.iter().copied()) {
            Some(meant) if property(top, meant.name).is_none() => {
                draft.fix(format!("rename it to `{}`", meant.name));
                if meant.certain {
                    draft.edits(vec![Edit::new(name_at(item), format!("\"{}\"", meant.name))]);
                }
            }
            // These keys never have an effect on the host, so removing them loses nothing.
            _ if key == "version" || is_remark(key) => {
                draft.fix("remove it").edits(remove(model.text(), top, item));
            }
            _ => {
                let known: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
                draft.fix(format!("remove it; only {} may stand here", known.join(" and ")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::assert_ids;
    use crate::{File, Layer, Options};
    use tenter_model::HostId;

    #[test]
    fn codex_takes_two_keys() {
        assert_ids(HostId::Codex, "{\n\"version\": 1,\n\"hooks\": {}}", &["voids-file 2:1"]);
        assert_ids(HostId::Codex, "{\"hook\": {}}", &["voids-file 1:2"]);
        assert_ids(HostId::Codex, "{\"description\": \"x\", \"hooks\": {}}", &[]);
        assert_ids(HostId::Claude, "{\"permissions\": {}, \"hooks\": {}}", &[]);
    }

    #[test]
    fn what_means_nothing_there_can_go() {
        let fixed = |text: &str| {
            let file = File::new("/x.json", HostId::Codex, Layer::Unknown, text);
            crate::fix(&[file], &Options::default()).files[0].text.clone()
        };
        assert_eq!(fixed("{\n  \"version\": 1,\n  \"hooks\": {}\n}"), "{\n  \"hooks\": {}\n}");
        assert_eq!(fixed("{\"Hooks\": {}}"), "{\"hooks\": {}}");
        assert_eq!(fixed("{\"owner\": 1, \"hooks\": {}}"), "{\"owner\": 1, \"hooks\": {}}");
    }
}
