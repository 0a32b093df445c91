//! The unified answer, and the losses of encoding it for a host.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::json::{self, Object};
use crate::text;

/// A hook's answer. All fields absent means no opinion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub decision: Option<Decision>,
    /// Reason, for the model. With a deny at `Stop`: how to go on.
    pub reason: Option<String>,
    /// Message for the user.
    pub user_message: Option<String>,
    /// Changes to the tool's input, in the unified keys.
    pub modified_input: Option<ModifiedInput>,
    /// Context for the model.
    pub additional_context: Option<String>,
}

impl Verdict {
    /// No opinion: the host goes on as if there were no hook.
    pub fn none() -> Self {
        Self::default()
    }

    pub fn allow() -> Self {
        Self { decision: Some(Decision::Allow), ..Self::default() }
    }

    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny), reason: Some(reason.into()), ..Self::default() }
    }

    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Ask), reason: Some(reason.into()), ..Self::default() }
    }

    pub fn context(text: impl Into<String>) -> Self {
        Self { additional_context: Some(text.into()), ..Self::default() }
    }

    #[must_use]
    pub fn with_user_message(mut self, message: impl Into<String>) -> Self {
        self.user_message = Some(message.into());
        self
    }

    #[must_use]
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        self.additional_context = Some(text.into());
        self
    }

    /// Sets one unified input key to a JSON value; see [`ModifiedInput`].
    #[must_use]
    pub fn with_input(mut self, key: &str, value: &impl Serialize) -> Self {
        if let Ok(value) = serde_json::value::to_raw_value(value) {
            self.modified_input.get_or_insert_default().0.push((key.to_owned(), value));
        }
        self
    }

    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Parses a handler's answer. Also returns warnings about unknown keys.
    pub fn from_json(text: &str) -> Result<(Self, Vec<String>), VerdictError> {
        if text.trim_ascii().is_empty() {
            return Ok((Self::none(), Vec::new()));
        }
        let object = Object::parse(text).map_err(|error| VerdictError::syntax(text, &error))?;
        let mut verdict = Self::none();
        let mut warnings = Vec::new();
        for (key, value) in object.entries() {
            if json::is_null(value) {
                continue;
            }
            match key.as_ref() {
                "decision" => verdict.decision = Some(Decision::from_json(value)?),
                "reason" => verdict.reason = Some(text_field("reason", value)?),
                "user_message" => verdict.user_message = Some(text_field("user_message", value)?),
                "additional_context" => {
                    verdict.additional_context = Some(text_field("additional_context", value)?);
                }
                "modified_input" => {
                    verdict.modified_input = Some(ModifiedInput::from_json(value.get())?);
                }
                unknown => warnings.push(unknown_key(unknown, value, &object)?),
            }
        }
        Ok((verdict, warnings))
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(decision) = self.decision {
            map.serialize_entry("decision", decision.as_str())?;
        }
        let texts = [
            ("reason", &self.reason),
            ("user_message", &self.user_message),
            ("additional_context", &self.additional_context),
        ];
        for (key, value) in texts {
            if let Some(value) = value {
                map.serialize_entry(key, value)?;
            }
        }
        if let Some(input) = &self.modified_input {
            map.serialize_entry("modified_input", input)?;
        }
        map.end()
    }
}

fn text_field(field: &'static str, value: &RawValue) -> Result<String, VerdictError> {
    json::string(value).map(std::borrow::Cow::into_owned).ok_or_else(|| {
        VerdictError(format!("`{field}` must be a string, got {}", excerpt(value.get())))
    })
}

/// A warning for an unknown key; an error for one that is a decision on some host, because a guard that
/// answers in a host's format would otherwise be disabled silently.
fn unknown_key(key: &str, value: &RawValue, object: &Object<'_>) -> Result<String, VerdictError> {
    let decides = matches!(
        key,
        "permission"
            | "permissionDecision"
            | "hookSpecificOutput"
            | "continue"
            | "behavior"
            | "followup_message"
    );
    let known = Field::ALL.into_iter().find(|field| field.as_str().eq_ignore_ascii_case(key));
    if let Some(field) = known {
        return Err(VerdictError(format!("`{key}` is not a key; write `{field}`")));
    }
    let denies = json::string(value).is_some_and(|word| word == "deny");
    let denied = object.str("decision").is_some_and(|word| word == "deny");
    if decides && (!object.has("decision") || (denies && !denied)) {
        return Err(VerdictError(format!(
            "`{key}` is a host's own answer, not the unified one; write `decision` instead of \
             {}",
            excerpt(&format!("\"{key}\":{}", value.get()))
        )));
    }
    let hint = match key {
        "permission" | "permissionDecision" => "; the unified key is `decision`",
        "userMessage" | "systemMessage" => "; the unified key is `user_message`",
        "additionalContext" => "; the unified key is `additional_context`",
        "updatedInput" | "updated_input" | "modifiedInput" => {
            "; the unified key is `modified_input`"
        }
        "agent_message" | "agentMessage" | "permissionDecisionReason" => {
            "; the unified key is `reason`"
        }
        _ => "",
    };
    Ok(format!("unknown key `{key}` ignored{hint}"))
}

/// The first characters of `text`, quoted for a message.
fn excerpt(text: &str) -> String {
    const LIMIT: usize = 60;
    let mut quoted = String::from("`");
    for character in text::shorten(text.trim_ascii(), LIMIT).chars() {
        if character.is_control() {
            quoted.extend(character.escape_debug());
        } else {
            quoted.push(character);
        }
    }
    quoted + "`"
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

impl Decision {
    pub const ALL: [Decision; 3] = [Decision::Allow, Decision::Deny, Decision::Ask];

    pub const fn as_str(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }

    fn from_json(value: &RawValue) -> Result<Self, VerdictError> {
        let word = json::string(value);
        let found = Decision::ALL.into_iter().find(|d| word.as_deref() == Some(d.as_str()));
        found.ok_or_else(|| {
            let hint = match word.as_deref() {
                Some("block" | "denied" | "reject") => "; did you mean \"deny\"?",
                Some("approve" | "approved" | "ok") => "; did you mean \"allow\"?",
                _ => "",
            };
            VerdictError(format!(
                "`decision` must be \"allow\", \"deny\" or \"ask\", got {}{hint}",
                excerpt(value.get())
            ))
        })
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Changes to a tool's input by key; values are unchanged JSON.
///
/// A key that is not mentioned keeps the value the host sent; `null` removes a key.
#[derive(Clone, Debug, Default)]
pub struct ModifiedInput(Vec<(String, Box<RawValue>)>);

impl ModifiedInput {
    pub fn from_json(text: &str) -> Result<Self, VerdictError> {
        let object = Object::parse(text).map_err(|_| {
            VerdictError(format!("`modified_input` must be an object, got {}", excerpt(text)))
        })?;
        let entries = object.entries().iter();
        Ok(Self(entries.map(|(key, value)| (key.to_string(), (*value).to_owned())).collect()))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_ref()))
    }
}

impl PartialEq for ModifiedInput {
    fn eq(&self, other: &Self) -> bool {
        let pairs = |input: &Self| -> Vec<(String, String)> {
            input.iter().map(|(key, value)| (key.to_owned(), value.get().to_owned())).collect()
        };
        pairs(self) == pairs(other)
    }
}

impl Serialize for ModifiedInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Why a handler's output is not a valid answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictError(String);

impl VerdictError {
    fn syntax(text: &str, error: &serde_json::Error) -> Self {
        let from_error = offset(text, error.line(), error.column());
        if error.is_syntax() && error.to_string().starts_with("trailing characters") {
            let rest = from_error.and_then(|at| text.get(at..)).unwrap_or_default();
            return Self(format!(
                "expected one JSON object, but more follows it: {}",
                excerpt(rest)
            ));
        }
        if !text.trim_ascii_start().starts_with('{') {
            return Self(format!("expected a JSON object, got {}", excerpt(text)));
        }
        Self(format!("not valid JSON ({error}): {}", excerpt(text)))
    }
}

/// The byte offset of a 1-based line and column.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    start.checked_add(column.checked_sub(1)?)
}

impl fmt::Display for VerdictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for VerdictError {}

/// How far a host enforces an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enforcement {
    /// No effect; nobody sees the answer.
    None,
    /// Text reaches the model or the user, nothing is blocked.
    Advisory,
    /// The host asks the user.
    Prompt,
    /// The host enforces it.
    Hard,
}

impl Enforcement {
    pub const ALL: [Enforcement; 4] =
        [Enforcement::Hard, Enforcement::Prompt, Enforcement::Advisory, Enforcement::None];

    pub const fn as_str(self) -> &'static str {
        match self {
            Enforcement::None => "none",
            Enforcement::Advisory => "advisory",
            Enforcement::Prompt => "prompt",
            Enforcement::Hard => "hard",
        }
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A field of the unified answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Decision,
    Reason,
    UserMessage,
    ModifiedInput,
    AdditionalContext,
}

impl Field {
    pub const ALL: [Field; 5] = [
        Field::Decision,
        Field::Reason,
        Field::UserMessage,
        Field::ModifiedInput,
        Field::AdditionalContext,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Field::Decision => "decision",
            Field::Reason => "reason",
            Field::UserMessage => "user_message",
            Field::ModifiedInput => "modified_input",
            Field::AdditionalContext => "additional_context",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Fate of a field that the host cannot take as is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// It is dropped.
    Dropped,
    /// Something weaker or safer replaces it.
    Downgraded,
}

impl LossKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            LossKind::Dropped => "dropped",
            LossKind::Downgraded => "downgraded",
        }
    }
}

/// A field of an answer that did not arrive as intended, and the alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub fields: Vec<Field>,
    pub kind: LossKind,
    pub why: String,
    /// Advice for the author; empty if there is none.
    pub instead: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, field) in self.fields.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}`{field}`")?;
        }
        write!(f, " {}: {}", self.kind.as_str(), self.why)?;
        if !self.instead.is_empty() {
            write!(f, "; {}", self.instead)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Verdict::from_json(text).unwrap_err().to_string()
    }

    #[test]
    fn nothing_printed_is_no_opinion() {
        assert_eq!(Verdict::from_json(" \n").unwrap().0, Verdict::none());
        assert_eq!(Verdict::from_json("{}").unwrap().0, Verdict::none());
        assert_eq!(Verdict::from_json(r#"{"decision":null}"#).unwrap().0, Verdict::none());
    }

    #[test]
    fn reads_every_field() {
        let text = r#"{"decision":"deny","reason":"r","user_message":"u",
            "modified_input":{"b":1.50,"a":2},"additional_context":"c"}"#;
        let (verdict, warnings) = Verdict::from_json(text).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        assert_eq!(
            serde_json::to_string(&verdict).unwrap(),
            r#"{"decision":"deny","reason":"r","user_message":"u","additional_context":"c","modified_input":{"b":1.50,"a":2}}"#
        );
    }

    #[test]
    fn errors_quote_the_offending_part() {
        assert_eq!(error("hello"), "expected a JSON object, got `hello`");
        assert_eq!(
            error("{\"decision\":\"allow\"}\n{\"decision\":\"deny\"}"),
            "expected one JSON object, but more follows it: `{\"decision\":\"deny\"}`"
        );
        assert_eq!(
            error(r#"{"decision":"block"}"#),
            "`decision` must be \"allow\", \"deny\" or \"ask\", got `\"block\"`; did you mean \"deny\"?"
        );
        assert_eq!(error(r#"{"reason":7}"#), "`reason` must be a string, got `7`");
        assert_eq!(
            error(r#"{"modified_input":[1]}"#),
            "`modified_input` must be an object, got `[1]`"
        );
        assert!(error(r#"{"decision":"#).starts_with("not valid JSON (EOF while parsing"));
    }

    #[test]
    fn an_answer_in_a_hosts_dialect_is_an_error_not_silence() {
        let text = error(r#"{"permission":"deny"}"#);
        assert!(text.starts_with("`permission` is a host's own answer"), "{text}");
        let text = error(r#"{"decision":"allow","permission":"deny"}"#);
        assert!(text.starts_with("`permission` is a host's own answer"), "{text}");
        assert_eq!(error(r#"{"Decision":"deny"}"#), "`Decision` is not a key; write `decision`");
    }

    #[test]
    fn an_extra_key_warns() {
        let (_, warnings) = Verdict::from_json(r#"{"userMessage":"x","zzz":1}"#).unwrap();
        assert_eq!(
            warnings,
            [
                "unknown key `userMessage` ignored; the unified key is `user_message`",
                "unknown key `zzz` ignored"
            ]
        );
    }
}
