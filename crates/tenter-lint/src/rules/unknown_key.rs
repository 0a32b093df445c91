//! `unknown-key`

use jsonc_parser::ast::{Object, ObjectProp};
use tenter_hosts::install::TimeUnit;
use tenter_hosts::lint::HANDLER_TYPES;
use tenter_model::HostId;

use crate::Severity;
use crate::edit::Edit;
use crate::finding::{FindingDraft, Findings};
use crate::model::{FileModel, at, name_at, property, text_of};
use crate::names::{Meant, meant, plain};
use crate::rule::{Check, rule};
use crate::vocabulary::{Keys, group_keys, handler_keys, is_remark, of};

rule! {
    /// A key that the host does not know, mostly another spelling of one that it does.
    ///
    /// Hosts skip such keys: a `fail_closed` closes nothing, and a `timeoutMs` limits nothing. Keys
    /// for people (`description`, `name`, `$comment` and the like) are left alone.
    ///
    /// Bad:
    /// ```json
    /// { "command": "./guard.sh", "fail_closed": true }
    /// ```
    /// Good:
    /// ```json
    /// { "command": "./guard.sh", "failClosed": true }
    /// ```
    RULE {
        id: "unknown-key",
        summary: "the host does not know this key",
        severity: Severity::Warning,
        cost: "the key is skipped, so what it says does not happen",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        // The keys of an unsupported type belong to that type.
        let kind = handler.kind();
        let foreign_type =
            HANDLER_TYPES.contains(&kind) && !model.lint().readable_types.contains(&kind);
        if !foreign_type {
            check_object(model, handler.object, handler_keys(model.host()), out);
        }
    }
    for group in &model.groups {
        check_object(model, group.object, group_keys(model.host()), out);
    }
    // A host with few top-level keys is checked by `voids-file`.
    if let Some(top) = model.top.filter(|_| model.lint().top_keys.is_none())
        && property(top, "hooks").is_none()
    {
        let is_slip = |item: &&ObjectProp<'_>| {
            meant(item.name.as_str(), ["hooks"].into_iter()).is_some_and(|meant| meant.certain)
        };
        for item in top.properties.iter().filter(is_slip) {
            let key = item.name.as_str();
            let draft = out.add(&RULE, name_at(item), format!("`{key}` is not `hooks`"));
            draft.severity(Severity::Error).cost("no hook of this file runs");
            rename(draft, item, "hooks");
        }
    }
}

fn check_object(model: &FileModel<'_>, object: &Object<'_>, keys: Keys, out: &mut Findings<'_>) {
    for item in &object.properties {
        let key = item.name.as_str();
        if keys.iter().any(|(known, _)| *known == key) || is_remark(key) {
            if let Some(idle) = model.lint().idle.iter().find(|idle| idle.key == key) {
                out.add(&RULE, name_at(item), idle.message).cost(idle.cost).fix(idle.fix);
            }
            continue;
        }
        let host = model.host().title();
        if let Some((cost, fix)) = foreign(model.host(), key) {
            let message = format!("{host} does not know `{key}` here");
            out.add(&RULE, name_at(item), message).cost(cost).fix(fix);
            continue;
        }
        let Some(meant) = meant_key(key, keys) else {
            out.add(&RULE, name_at(item), format!("{host} knows no key `{key}` here"))
                .fix("remove it");
            continue;
        };
        let message = format!("{host} knows no key `{key}` here; did you mean `{}`?", meant.name);
        let draft = out.add(&RULE, name_at(item), message);
        if property(object, meant.name).is_some() {
            draft.fix(format!("remove it; `{}` is there already", meant.name));
        } else if is_milliseconds(key) && unit_of(model, object) != TimeUnit::Seconds {
            rename(draft, item, meant.name);
        } else if is_milliseconds(key) {
            draft.fix("write `timeout`, in seconds");
            draft.repair(None);
            if let Some(edits) = to_seconds(item) {
                draft.edits(edits);
            }
        } else if meant.certain {
            rename(draft, item, meant.name);
        } else {
            draft.fix(format!("rename it to `{}`", meant.name));
        }
    }
}

fn rename(draft: &mut FindingDraft, item: &ObjectProp<'_>, name: &str) {
    draft
        .fix(format!("rename it to `{name}`"))
        .edits(vec![Edit::new(name_at(item), format!("\"{name}\""))]);
}

/// The most similar key of an object.
pub(super) fn meant_key(key: &str, keys: Keys) -> Option<Meant<'static>> {
    let has = |name: &str| keys.iter().find(|(known, _)| *known == name).map(|(known, _)| *known);
    let other_word = match plain(key).as_str() {
        "cmd" | "run" | "script" | "exec" => has("command"),
        "match" | "pattern" | "regex" | "filter" => has("matcher"),
        "timeoutseconds" | "timeoutsec" | "timeouts" | "timeoutsecs" => has("timeout"),
        _ if is_milliseconds(key) => has("timeout"),
        _ => None,
    };
    if let Some(name) = other_word {
        return Some(Meant { name, certain: name == "timeout" });
    }
    meant(key, keys.iter().map(|(name, _)| *name))
}

fn is_milliseconds(key: &str) -> bool {
    matches!(plain(key).as_str(), "timeoutms" | "timeoutmillis" | "timeoutmilliseconds")
}

/// The unit of the timeout in a handler.
fn unit_of(model: &FileModel<'_>, object: &Object<'_>) -> TimeUnit {
    let kind = text_of(object, "type").map_or("command", |kind| kind.value.as_ref());
    (model.install().time_unit)(kind)
}

/// Converts milliseconds to seconds: both name and value change.
fn to_seconds(item: &ObjectProp<'_>) -> Option<Vec<Edit>> {
    let number = item.value.as_number_lit()?;
    let milliseconds: u64 = number.value.parse().ok()?;
    let seconds = milliseconds.div_ceil(1000).max(1);
    Some(vec![Edit::new(name_at(item), "\"timeout\""), Edit::new(at(number), seconds.to_string())])
}

/// Keys of other hosts and common inventions: their effect here, and the fix.
fn foreign(host: HostId, key: &str) -> Option<(&'static str, &'static str)> {
    let of_host = of(host).keys_elsewhere.iter().find(|(name, ..)| *name == key);
    if let Some((_, cost, fix)) = of_host {
        return Some((cost, fix));
    }
    let found = match key {
        "enabled" | "disabled" | "disable" => {
            ("the hook runs whatever this says", "remove the entry to switch it off")
        }
        "env" | "environment" => {
            ("the command runs without these variables", "set them in `command`, or in the hook")
        }
        "cwd" | "dir" | "workingDirectory" | "working_directory" => {
            ("the command runs where the host runs it", "write `cd ... && ...` into `command`")
        }
        "event" | "events" | "hookEventName" => {
            ("the event is the key above, whatever this says", "remove it")
        }
        _ => return None,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_ids, cursor, findings, grouped};
    use crate::{File, Layer, Options, fix};

    fn fixed(host: HostId, text: &str) -> String {
        let file = File::new("/x.json", host, Layer::Unknown, text);
        fix(&[file], &Options::default()).files[0].text.clone()
    }

    #[test]
    fn another_spelling_is_another_key() {
        let bad = cursor("stop", r#"{"command": "ls", "loopLimit": 3}"#);
        assert_ids(HostId::Cursor, &bad, &["unknown-key 2:28"]);
        assert_eq!(
            fixed(HostId::Cursor, &bad),
            cursor("stop", r#"{"command": "ls", "loop_limit": 3}"#)
        );
        for slip in ["fail_closed", "failclosed", "FailClosed", "failClosd"] {
            let bad = cursor("preToolUse", &format!(r#"{{"command": "ls", "{slip}": true}}"#));
            let good = cursor("preToolUse", r#"{"command": "ls", "failClosed": true}"#);
            assert_eq!(fixed(HostId::Cursor, &bad), good);
            assert_ids(HostId::Cursor, &good, &[]);
        }
    }

    #[test]
    fn milliseconds_change_name_and_unit() {
        let bad = cursor("stop", r#"{"command": "ls", "timeoutMs": 1500}"#);
        assert_eq!(
            fixed(HostId::Cursor, &bad),
            cursor("stop", r#"{"command": "ls", "timeout": 2}"#)
        );
    }

    #[test]
    fn keys_of_other_hosts_say_what_they_do_not_do() {
        let handler = r#"{"type": "command", "command": "ls", "matcher": "Bash"}"#;
        let found = findings(HostId::Claude, &grouped("PreToolUse", "", handler));
        assert_eq!(found[0].cost, "the handler runs for every tool");
        let found = findings(HostId::Cursor, &cursor("stop", r#"{"command": "ls", "args": []}"#));
        assert_eq!(found[0].cost, "the command runs without these arguments");
    }

    #[test]
    fn remarks_for_people_are_left_alone() {
        let remarks = r#"{"command": "ls", "description": "x", "$comment": "y", "//": "z"}"#;
        assert_ids(HostId::Cursor, &cursor("stop", remarks), &[]);
        assert_ids(HostId::Claude, "{\"permissions\": {}, \"env\": {}}", &[]);
    }

    #[test]
    fn hooks_by_another_name_are_mended() {
        assert_ids(HostId::Claude, "{\"Hooks\": {}}", &["unknown-key 1:2"]);
        assert_eq!(fixed(HostId::Claude, "{\"hook\": {}}"), "{\"hooks\": {}}");
    }
}
