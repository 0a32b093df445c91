//! Lists the effective policy, each value with its origin.

use std::fmt::Write;

use tenter_model::time;

use super::{Origin, Policy, Problem, Severity};
use crate::guards::GUARDS;
use crate::policy::source::FAILS;

/// One value of the effective policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `fail`, `record`, `stop`, `guards`, `rule`, `allow` or `handler`.
    pub section: &'static str,
    /// `destructive-git/discard-changes`, `secrets.allow`, the id of a rule.
    pub key: String,
    pub value: String,
    /// `the user policy, /home/me/policy.toml:12`.
    pub origin: String,
    /// Whether a line of a file says so, and not only a preset.
    pub is_own: bool,
}

/// All values, in the order of the documentation.
pub fn show(policy: &Policy) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = |section, key: String, value: String, origin| {
        let is_own = matches!(origin, Origin::File(..));
        lines.push(Line { section, key, value, origin: policy.says(origin), is_own });
    };
    let origin = |key: &str| {
        let given = policy.given.iter().find(|given| given.key == key);
        given.map_or(Origin::BuiltIn, |given| given.origin)
    };
    for (name, mode) in FAILS.iter().zip(policy.fail.modes()) {
        let origin = origin(&format!("fail.{name}"));
        line("fail", (*name).to_owned(), mode.as_str().to_owned(), origin);
    }
    let record = &policy.record;
    let values = [
        ("level", record.level.as_str().to_owned()),
        ("email", record.email.as_str().to_owned()),
        ("keep", record.keep()),
        ("sync", record.sync.as_str().to_owned()),
    ];
    for (name, value) in values {
        line("record", name.to_owned(), value, origin(&format!("record.{name}")));
    }
    for given in policy.given.iter().filter(|given| given.key == "record.redact") {
        line("record", "redact".to_owned(), given.value.clone(), given.origin);
    }
    line("stop", "most".to_owned(), policy.stop_most.to_string(), origin("stop.most"));
    for (guard, setting) in GUARDS.iter().zip(&policy.settings) {
        for (check, (level, origin)) in guard.checks.iter().zip(&setting.levels) {
            line("guards", format!("{}/{}", guard.id, check.id), level.to_string(), *origin);
        }
        let prefix = format!("guards.{}.", guard.id);
        for given in &policy.given {
            if let Some(name) = given.key.strip_prefix(&prefix) {
                let key = format!("{}.{name}", guard.id);
                line("guards", key, given.value.clone(), given.origin);
            }
        }
    }
    for rule in &policy.rules {
        let mut value = format!("{} on {}", rule.level, rule.on.names().join(", "));
        if let Some(limit) = rule.limit {
            let _ = write!(value, ", after the first {limit}");
        }
        value.push_str(&until(rule.expires));
        line("rule", rule.id.clone(), value, rule.origin);
    }
    for exception in &policy.exceptions {
        let value = format!("{}{}", exception.reason, until(exception.expires));
        line("allow", exception.rule.clone(), value, exception.origin);
    }
    for handler in &policy.handlers {
        let mut value = handler.run.join(" ");
        if let Some(foreign) = &handler.foreign {
            let _ = write!(value, ", as a hook of {}", foreign.speaks.as_str());
        }
        line("handler", handler.id.clone(), value, handler.origin);
    }
    lines
}

/// `, until 2027-01-31`; empty without an end.
pub fn until(expires: Option<u64>) -> String {
    expires.map_or_else(String::new, |end| format!(", until {}", last_day(end)))
}

/// The last day before this second.
fn last_day(end: u64) -> String {
    let (year, month, day) = time::date(end.saturating_sub(1).saturating_mul(1000));
    format!("{year:04}-{month:02}-{day:02}")
}

/// Warnings for expired rules and exceptions.
pub fn expired(policy: &Policy, now: u64) -> Vec<Problem> {
    let over = |expires: Option<u64>| expires.filter(|end| now >= *end);
    let rules = policy.rules.iter().filter_map(|rule| {
        Some(("rule", format!("the rule `{}`", rule.id), over(rule.expires)?, rule.origin))
    });
    let exceptions = policy.exceptions.iter().filter_map(|exception| {
        let what = format!("the exception for `{}`", exception.rule);
        Some(("allow", what, over(exception.expires)?, exception.origin))
    });
    let problem = |(key, what, end, origin): (&str, String, u64, Origin)| {
        let Origin::File(layer, spot) = origin else { return None };
        let (_, file) = policy.files.get(usize::from(spot.file))?;
        let message = format!("{what} has expired on {}; it is not used any more", last_day(end));
        Some(Problem {
            severity: Severity::Warning,
            layer,
            file: file.clone(),
            line: spot.line,
            column: 1,
            key: format!("{key}.expires"),
            message,
        })
    };
    rules.chain(exceptions).filter_map(problem).collect()
}
