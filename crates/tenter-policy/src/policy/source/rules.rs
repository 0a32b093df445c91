//! Parses the `[[rule]]` and `[[allow]]` tables of a policy file.

use toml::de::{DeTable, DeValue};

use super::super::case::Expect;
use super::super::exception::Exception;
use super::super::problem::{Place, unknown};
use super::super::rule::{On, Rule, When};
use super::reader::{Reader, join};
use super::when::{self, Of};
use super::{Source, Told, cases, guards, values};
use crate::guards::{GUARDS, guard};

pub(crate) const RULE_KEYS: &[&str] =
    &["id", "on", "when", "decide", "reason", "message", "instead", "limit", "expires", "test"];
pub(crate) const ALLOW_KEYS: &[&str] = &["rule", "when", "reason", "expires"];

pub(super) fn read(reader: &mut Reader<'_>, root: &DeTable<'_>, source: &mut Source) {
    for (table, place) in reader.tables(root, "rule") {
        if let Some(rule) = rule(reader, table, place, source) {
            source.rules.push(rule);
        }
    }
    for (table, place) in reader.tables(root, "allow") {
        source.exceptions.extend(exception(reader, table, place, source));
    }
}

/// A required key.
fn required(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    key: &str,
) -> Option<Told<String>> {
    let (kind, name) = key.rsplit_once('.').unwrap_or(("", key));
    match table.get(name) {
        Some(node) => reader.words(node, key),
        None => {
            let message = format!("`{name}` is missing; every [[{kind}]] needs one");
            reader.problem(place, key, message);
            None
        }
    }
}

/// The id of a rule or handler.
pub(super) fn id(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    key: &str,
    taken: impl Fn(&str) -> Option<Place>,
) -> Option<Told<String>> {
    const LONGEST: usize = 64;
    let id = required(reader, table, place, key)?;
    let name = id.value.as_str();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.len() > LONGEST || !name.bytes().all(plain) {
        let message = format!(
            "`{name}` cannot be an id: at most {LONGEST} letters, digits, `-`, `_` and `.`"
        );
        reader.problem(id.at, key, message);
        return None;
    }
    if guard(name).is_some() || name == "policy" {
        reader.problem(id.at, key, format!("`{name}` is the name of a guard; choose another id"));
        return None;
    }
    if let Some(first) = taken(name) {
        let message = format!("the id `{name}` is taken by line {}; choose another", first.line);
        reader.problem(id.at, key, message);
        return None;
    }
    Some(id)
}

fn rule(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    source: &mut Source,
) -> Option<Told<Rule>> {
    reader.known(table, "rule", RULE_KEYS);
    let taken = |id: &str| source.rules.iter().find(|it| it.value.id == id).map(|it| it.at);
    let id = id(reader, table, place, "rule.id", taken);
    let (on, conditions) = scope(reader, table, place, "rule", Of::Rule);
    let decide = match table.get("decide") {
        Some(node) => guards::level(reader, node, "rule.decide"),
        None => {
            let message = "`decide` is missing; one of off, log, ask, deny".to_owned();
            reader.problem(place, "rule.decide", message);
            None
        }
    };
    let mut text = |name: &str| {
        let key = join("rule", name);
        table.get(name).and_then(|node| reader.words(node, &key)).map(|text| text.value)
    };
    let (reason, message, instead) = (text("reason"), text("message"), text("instead"));
    let limit = table.get("limit").and_then(|node| reader.number(node, "rule.limit"));
    let expires = expires(reader, table, "rule");
    let mut tests = tests(reader, table);
    let (id, decide) = (id?, decide?);
    for test in &mut tests {
        let same = test.expect.as_str() == decide.value.as_str();
        if test.rule.is_none() && same && matches!(test.expect, Expect::Ask | Expect::Deny) {
            test.rule = Some(id.value.clone());
        }
    }
    source.tests.append(&mut tests);
    let rule = Rule {
        id: id.value,
        origin: source.origin(place),
        on,
        when: conditions,
        level: decide.value,
        reason: reason.unwrap_or_default(),
        message: message.unwrap_or_default(),
        instead: instead.unwrap_or_default(),
        limit: limit.map(|limit| u32::try_from(limit.value).unwrap_or(u32::MAX)),
        expires,
    };
    Some(Told { value: rule, at: place })
}

/// `on` and `when`, of which one is required.
pub(super) fn scope(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    key: &str,
    of: Of,
) -> (On, When) {
    let on = match table.get("on") {
        Some(node) => when::on(reader, node, &join(key, "on")),
        None => On::default(),
    };
    let conditions = match table.get("when") {
        Some(node) => when::read(reader, node, &join(key, "when"), of, &on),
        None => When::default(),
    };
    if !table.contains_key("on") && !table.contains_key("when") {
        let message = format!("[[{key}]] has neither `on` nor `when`: it would fit every event");
        reader.problem(place, key, message);
    }
    (on, conditions)
}

fn tests(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<super::Case> {
    let Some(node) = table.get("test").filter(|_| reader.with_tests) else {
        return Vec::new();
    };
    let DeValue::Array(array) = node.get_ref() else {
        reader.wrong::<()>(node, "rule.test", "a list of tables");
        return Vec::new();
    };
    let mut tests = Vec::new();
    for item in array {
        let place = reader.at(item);
        if let Some(table) = reader.table(item, "rule.test") {
            tests.extend(cases::read(reader, table, place, "rule.test"));
        }
    }
    tests
}

fn expires(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Option<u64> {
    let node = table.get("expires")?;
    let key = join(key, "expires");
    let text = match node.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        _ => return reader.wrong(node, &key, "a date such as 2026-12-31"),
    };
    let moment = values::moment(&text);
    if moment.is_none() {
        let message = format!("`{text}` is no date; write it as 2026-12-31");
        reader.problem(reader.at(node), &key, message);
    }
    moment
}

fn exception(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    source: &Source,
) -> Option<Told<Exception>> {
    reader.known(table, "allow", ALLOW_KEYS);
    let rule = required(reader, table, place, "allow.rule");
    let rule = rule.filter(|rule| is_rule(reader, rule));
    let conditions = match table.get("when") {
        Some(node) => when::read(reader, node, "allow.when", Of::Exception, &On::default()),
        None => When::default(),
    };
    let reason = required(reader, table, place, "allow.reason");
    let expires = expires(reader, table, "allow");
    let exception = Exception {
        rule: rule?.value,
        when: conditions,
        reason: reason?.value,
        expires,
        origin: source.origin(place),
    };
    Some(Told { value: exception, at: place })
}

/// Whether this can be the name of a guard, a check or a rule. Rules of other files are unknown here.
fn is_rule(reader: &mut Reader<'_>, rule: &Told<String>) -> bool {
    let names: Vec<&str> = GUARDS.iter().map(|guard| guard.id).collect();
    let (name, check) = rule.value.split_once('/').unwrap_or((&rule.value, ""));
    let message = match guard(name) {
        Some(guard) if check.is_empty() || guard.check(check).is_some() => None,
        Some(guard) => {
            let checks: Vec<&str> = guard.checks.iter().map(|check| check.id).collect();
            Some(unknown("check", check, guard.id, &checks))
        }
        None if rule.value.contains('/') => Some(unknown("guard", name, "", &names)),
        None => None,
    };
    let Some(message) = message else {
        return true;
    };
    reader.problem(rule.at, "allow.rule", message);
    false
}
