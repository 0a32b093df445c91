//! Converts answers in Claude Code's format to Cursor's.

use serde_json::value::RawValue;

use super::super::event::{AnswerField, Class, Spec};
use super::{Answer, Given, Members, Said, shown};
use crate::one_line;

/// Claude's top-level answer keys.
const OUTER: &[&str] = &[
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "terminalSequence",
    "decision",
    "reason",
    "hookSpecificOutput",
];

/// Whether the answer can only be in Claude Code's format.
pub(super) fn is_shaped(members: &Members) -> bool {
    members.contains_key("hookSpecificOutput") || members.contains_key("decision")
}

pub(super) fn read(members: &Members, spec: &Spec) -> Said {
    let nested = match members.get("hookSpecificOutput").filter(|value| value.get() != "null") {
        None => Members::new(),
        Some(value) => match serde_json::from_str(value.get()) {
            Ok(nested) => nested,
            Err(_) => return Said::OffSchema("`hookSpecificOutput` must be an object".to_owned()),
        },
    };
    let mut translation = Translation {
        spec,
        answer: Answer::default(),
        warnings: Vec::new(),
        outer: members,
        nested: &nested,
    };
    match translation.translate() {
        Ok(()) => Said::Answer(translation.answer, translation.warnings),
        Err(fault) => Said::OffSchema(fault),
    }
}

struct Translation<'a> {
    spec: &'a Spec,
    answer: Answer,
    warnings: Vec<String>,
    outer: &'a Members,
    nested: &'a Members,
}

impl Translation<'_> {
    fn translate(&mut self) -> Result<(), String> {
        let unknown = self.outer.keys().filter(|key| !OUTER.contains(&key.as_str()));
        let unknown = unknown.filter(|key| AnswerField::ALL.iter().all(|one| one.key() != *key));
        self.warnings.extend(unknown.map(|key| format!("unknown key `{key}` has no effect")));
        self.check_event()?;
        self.permission()?;
        self.decision()?;
        if let Some(input) = self.nested.get("updatedInput") {
            if !input.get().starts_with('{') {
                return Err(format!("`updatedInput` must be an object, not {}", shown(input)));
            }
            self.set_json(AnswerField::UpdatedInput, "updatedInput", input);
        }
        if let Some(context) = text(self.nested, "additionalContext")? {
            self.set_text(AnswerField::AdditionalContext, "additionalContext", context);
        }
        if let Some(message) = text(self.outer, "systemMessage")? {
            let taken = self.spec.honoured.contains(&AnswerField::UserMessage)
                && self.answer.get(AnswerField::UserMessage).is_none();
            if taken {
                self.answer.set_text(AnswerField::UserMessage, message);
            } else {
                self.warnings.push("`systemMessage` is not shown by Cursor here".to_owned());
            }
        }
        if self.outer.get("continue").is_some_and(|value| value.get() == "false") {
            self.stop()?;
        }
        if self.spec.class == Class::Permission && self.answer.permission().is_none() {
            self.warnings.push("it decides nothing, on which some Cursors block".to_owned());
        }
        Ok(())
    }

    fn check_event(&mut self) -> Result<(), String> {
        let Some(name) = text(self.nested, "hookEventName")? else { return Ok(()) };
        if self.spec.claude != Some(name.as_str()) && name != self.spec.name {
            let text = format!("`hookEventName` is {name}, but this is {}", self.spec.name);
            self.warnings.push(text);
        }
        Ok(())
    }

    /// Converts `permissionDecision`; its reason becomes the user's message.
    fn permission(&mut self) -> Result<(), String> {
        let Some(decision) = text(self.nested, "permissionDecision")? else { return Ok(()) };
        match decision.as_str() {
            "allow" | "deny" | "ask" => {
                let known = self.spec.permissions;
                if !known.is_empty() && !known.contains(&decision.as_str()) {
                    return Err(format!("{} cannot `{decision}`", self.spec.name));
                }
                self.set_text(AnswerField::Permission, "permissionDecision", decision);
            }
            "defer" => self.warnings.push("Cursor does not know `defer`".to_owned()),
            other => return Err(format!("`permissionDecision` cannot be `{other}`")),
        }
        if let Some(reason) = text(self.nested, "permissionDecisionReason")? {
            self.set_text(AnswerField::UserMessage, "permissionDecisionReason", reason);
        }
        Ok(())
    }

    /// Converts the flat `decision`, which may also be nested.
    fn decision(&mut self) -> Result<(), String> {
        let inner = text(self.nested, "decision")?;
        let Some(decision) = text(self.outer, "decision")?.or(inner) else { return Ok(()) };
        let reason = match text(self.outer, "reason")? {
            Some(reason) => Some(reason),
            None => text(self.nested, "reason")?,
        };
        let blocks = match decision.as_str() {
            "block" => true,
            "approve" => false,
            other => return Err(format!("`decision` cannot be `{other}`")),
        };
        match self.spec.class {
            Class::Permission => {
                let permission = if blocks { "deny" } else { "allow" };
                let stands = self.answer.permission().is_some_and(|one| one != permission);
                if stands && !blocks {
                    let text = "`decision` and `permissionDecision` differ: the stricter counts";
                    self.warnings.push(text.to_owned());
                    return Ok(());
                }
                self.answer.set_text(AnswerField::Permission, permission);
                if let Some(reason) = reason {
                    self.answer.set_text(AnswerField::UserMessage, reason);
                }
            }
            Class::Prompt if blocks => {
                self.answer.set(AnswerField::Continue, Given::Flag(false));
                if let Some(reason) = reason {
                    self.answer.set_text(AnswerField::UserMessage, reason);
                }
            }
            Class::Stop if blocks => match reason {
                Some(reason) => self.answer.set_text(AnswerField::FollowupMessage, reason),
                None => self.warnings.push("a block without `reason` says nothing".to_owned()),
            },
            _ if blocks => {
                let text = format!("`decision` has no effect at Cursor's {}", self.spec.name);
                self.warnings.push(text);
            }
            _ => {}
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<(), String> {
        if self.spec.class == Class::Permission {
            // Claude would end the turn; the nearest equivalent is to deny the action.
            self.answer.set_text(AnswerField::Permission, "deny");
            self.warnings.push("`continue: false` is taken as a deny".to_owned());
        } else if self.spec.class == Class::Prompt {
            self.answer.set(AnswerField::Continue, Given::Flag(false));
        } else {
            let text = format!("`continue` has no effect at Cursor's {}", self.spec.name);
            self.warnings.push(text);
            return Ok(());
        }
        if let Some(reason) = text(self.outer, "stopReason")?
            && self.spec.honoured.contains(&AnswerField::UserMessage)
            && self.answer.get(AnswerField::UserMessage).is_none()
        {
            self.answer.set_text(AnswerField::UserMessage, reason);
        }
        Ok(())
    }

    fn set_text(&mut self, field: AnswerField, key: &str, text: String) {
        if self.accepts(field, key) {
            self.answer.set_text(field, text);
        }
    }

    fn set_json(&mut self, field: AnswerField, key: &str, value: &RawValue) {
        if self.accepts(field, key) {
            self.answer.set(field, Given::Json(one_line(value.to_owned())));
        }
    }

    fn accepts(&mut self, field: AnswerField, key: &str) -> bool {
        let honoured = self.spec.honoured.contains(&field);
        if !honoured {
            self.warnings.push(format!("`{key}` has no effect at Cursor's {}", self.spec.name));
        }
        honoured
    }
}

/// A member that must be a string if present.
fn text(members: &Members, key: &str) -> Result<Option<String>, String> {
    let Some(value) = members.get(key).filter(|value| value.get() != "null") else {
        return Ok(None);
    };
    match tenter_model::json::string(value) {
        Some(text) => Ok(Some(text.into_owned())),
        None => Err(format!("`{key}` must be a string, not {}", shown(value))),
    }
}
