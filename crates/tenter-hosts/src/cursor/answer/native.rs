//! Parses answers in Cursor's own format.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::super::event::{AnswerField, Class, Spec, nearest};
use super::{Answer, Given, Members, Reading, Said, shown};
use crate::one_line;

/// Whether any member is a field of Cursor's format.
pub(super) fn has_any(members: &Members) -> bool {
    // `continue` exists in Claude's format too.
    let mut ours = AnswerField::ALL.into_iter().filter(|field| *field != AnswerField::Continue);
    ours.any(|field| members.contains_key(field.key()))
}

pub(super) fn read(members: &Members, spec: &Spec, reading: Reading) -> Said {
    let mut answer = Answer::default();
    let mut warnings = Vec::new();
    for (key, value) in members {
        match take(key, value, spec, reading) {
            Ok(Taken::Field(field, given)) => answer.set(field, given),
            Ok(Taken::Nothing) => {}
            Ok(Taken::Oddly(taken, warning)) => {
                warnings.push(warning);
                if let Some((field, given)) = taken
                    && answer.get(field).is_none()
                {
                    answer.set(field, given);
                }
            }
            Err(fault) => return Said::OffSchema(fault),
        }
    }
    if spec.class == Class::Permission && answer.permission().is_none() {
        return Said::OffSchema(missing_permission(members));
    }
    Said::Answer(answer, warnings)
}

enum Taken {
    Field(AnswerField, Given),
    /// Accepted by the schema, without effect.
    Nothing,
    /// Accepted with a warning, and possibly with an effect.
    Oddly(Option<(AnswerField, Given)>, String),
}

fn take(key: &str, value: &RawValue, spec: &Spec, reading: Reading) -> Result<Taken, String> {
    let field =
        AnswerField::ALL.into_iter().find(|field| field.key() == key || field.alias() == Some(key));
    let Some(field) = field else {
        return unknown(key, spec, reading);
    };
    let is_alias = field.key() != key;
    if is_alias && reading.strict {
        return Err(format!("`{key}` is not a key; write `{}`", field.key()));
    }
    if value.get() == "null" && field != AnswerField::Permission {
        if reading.strict {
            return Err(format!("`{key}` is null"));
        }
        return Ok(Taken::Oddly(None, format!("`{key}` is null: better left out")));
    }
    if spec.tolerated.contains(&field) {
        if value.get() == "false" {
            let text = format!("`{key}` has no effect at {}: it does not block", spec.name);
            return Ok(Taken::Oddly(None, text));
        }
        return Ok(Taken::Nothing);
    }
    let no_context_yet = spec.name == "postToolUseFailure" && !reading.context_after_failure;
    if !spec.honoured.contains(&field) || no_context_yet {
        let text = format!("`{key}` has no effect at {}", spec.name);
        return Ok(Taken::Oddly(None, text));
    }
    let given = typed(field, value, spec)?;
    if is_alias {
        let text = format!("`{key}` should be `{}`: a strict Cursor drops it", field.key());
        return Ok(Taken::Oddly(Some((field, given)), text));
    }
    Ok(Taken::Field(field, given))
}

fn unknown(key: &str, spec: &Spec, reading: Reading) -> Result<Taken, String> {
    if reading.strict {
        return Err(format!("`{key}` is not a key of this answer"));
    }
    let meant = nearest(key, spec.honoured.iter().map(|field| field.key()));
    let hint = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    Ok(Taken::Oddly(None, format!("unknown key `{key}` has no effect{hint}")))
}

fn typed(field: AnswerField, value: &RawValue, spec: &Spec) -> Result<Given, String> {
    let wrong = |wanted: &str| format!("`{}` must be {wanted}, not {}", field.key(), shown(value));
    let json = value.get();
    match field {
        AnswerField::Permission => {
            let permission: Option<String> = serde_json::from_str(json).ok();
            let known = permission.filter(|text| spec.permissions.contains(&text.as_str()));
            known.map(Given::Text).ok_or_else(|| wrong(&spec.permissions.join(" or ")))
        }
        AnswerField::Continue => {
            serde_json::from_str(json).map(Given::Flag).map_err(|_| wrong("true or false"))
        }
        AnswerField::UserMessage
        | AnswerField::AgentMessage
        | AnswerField::AdditionalContext
        | AnswerField::FollowupMessage => {
            let text = tenter_model::json::string(value).map(Cow::into_owned);
            text.map(Given::Text).ok_or_else(|| wrong("a string"))
        }
        AnswerField::Env => serde_json::from_str(json)
            .map(Given::Variables)
            .map_err(|_| wrong("an object of strings")),
        AnswerField::PluginPaths => {
            serde_json::from_str(json).map(Given::Paths).map_err(|_| wrong("a list of paths"))
        }
        AnswerField::UpdatedInput | AnswerField::UpdatedMcpToolOutput => {
            if json.starts_with('{') {
                Ok(Given::Json(one_line(value.to_owned())))
            } else {
                Err(wrong("an object"))
            }
        }
    }
}

fn missing_permission(members: &Members) -> String {
    let text = "`permission` is missing";
    if members.contains_key("decision") || members.contains_key("hookSpecificOutput") {
        return format!("{text}: this is an answer for Claude Code");
    }
    match nearest("permission", members.keys().map(String::as_str)) {
        Some(key) => format!("{text}; is `{key}` meant to be it?"),
        None => text.to_owned(),
    }
}
