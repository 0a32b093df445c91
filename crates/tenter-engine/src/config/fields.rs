//! Typed access to the fields of a hook entry, with diagnostics for wrong types.

use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Source;
use crate::nearest;

/// Upper limit for a hook's timeout, whatever its file says.
const LONGEST: Duration = Duration::from_hours(24);

/// Collects the diagnostics of one file.
#[derive(Debug)]
pub(super) struct Complaints<'s> {
    pub(super) source: &'s Source,
    pub(super) found: Vec<Diagnostic>,
}

impl<'s> Complaints<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Self { source, found: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        severity: Severity,
        at: &impl Ranged,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let offset = at.range().start;
        self.found.push(Diagnostic::at(severity, self.source, offset, message.into()).help(help));
    }

    pub(super) fn error(
        &mut self,
        at: &impl Ranged,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Error, at, message, help);
    }

    pub(super) fn warning(
        &mut self,
        at: &impl Ranged,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Warning, at, message, help);
    }

    /// An object's properties; of duplicate keys the last wins, as in `JSON.parse`.
    pub(super) fn properties<'v, 'a>(
        &mut self,
        object: &'v Object<'a>,
    ) -> Vec<(&'v str, &'v ObjectProp<'a>)> {
        let mut kept: Vec<(&str, &ObjectProp<'_>)> = Vec::new();
        for property in &object.properties {
            let name = property.name.as_str();
            if let Some(at) = kept.iter().position(|(known, _)| *known == name) {
                let (_, earlier) = kept.remove(at);
                self.error(
                    &earlier.name,
                    format!("`{name}` stands twice in this object: the first one is lost"),
                    "join the two into one",
                );
            }
            kept.push((name, property));
        }
        kept
    }

    /// Reports a key that is not supported here; it is skipped.
    pub(super) fn unknown_key(&mut self, property: &ObjectProp<'_>, known: &[&str], whose: &str) {
        let name = property.name.as_str();
        let help = match nearest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("{whose} knows: {}", known.join(", ")),
        };
        self.warning(&property.name, format!("unknown key `{name}` is ignored"), help);
    }

    pub(super) fn string<'v>(&mut self, name: &str, value: &'v Value<'_>) -> Option<&'v str> {
        match value {
            Value::StringLit(text) => Some(&text.value),
            _ => self.wrong(name, value, "a string"),
        }
    }

    pub(super) fn boolean(&mut self, name: &str, value: &Value<'_>) -> Option<bool> {
        match value {
            Value::BooleanLit(flag) => Some(flag.value),
            _ => self.wrong(name, value, "true or false"),
        }
    }

    pub(super) fn number(&mut self, name: &str, value: &Value<'_>) -> Option<f64> {
        match value {
            Value::NumberLit(number) => number.value.parse().ok(),
            _ => self.wrong(name, value, "a number"),
        }
    }

    /// Timeout in seconds; fractions are allowed.
    pub(super) fn timeout(&mut self, value: &Value<'_>) -> Option<Duration> {
        let seconds = self.number("timeout", value)?;
        let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        let Some(timeout) = timeout else {
            let text = format!("`timeout` cannot be {seconds}: the default is used");
            self.warning(value, text, "give it in seconds");
            return None;
        };
        if seconds >= 1000.0 {
            let minutes = seconds / 60.0;
            self.warning(
                value,
                format!("`timeout` is in seconds: this waits {minutes:.0} minutes"),
                format!("if milliseconds were meant, write {}", seconds / 1000.0),
            );
        }
        Some(timeout.min(LONGEST))
    }

    fn wrong<T>(&mut self, name: &str, value: &Value<'_>, wanted: &str) -> Option<T> {
        self.warning(value, format!("`{name}` must be {wanted}: it is ignored"), "");
        None
    }
}
