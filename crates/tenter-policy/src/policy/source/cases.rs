//! Parses the tests of a policy file.

use tenter_model::HostId;
use toml::de::DeTable;

use super::super::case::{Case, Expect, KINDS};
use super::super::problem::{Place, unknown};
use super::reader::{Reader, join};
use super::values;

pub(crate) const KEYS: &[&str] = &[
    "expect",
    "rule",
    "content",
    "cwd",
    "branch",
    "host",
    "agent_type",
    "permission_mode",
    "budget",
];

pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    key: &str,
) -> Option<Case> {
    let kinds = KINDS.map(|(name, _)| name);
    let known: Vec<&str> = kinds.iter().chain(KEYS).copied().collect();
    reader.known(table, key, &known);
    let given: Vec<usize> = (0..KINDS.len())
        .filter(|at| kinds.get(*at).is_some_and(|it| table.contains_key(*it)))
        .collect();
    let [index] = given.as_slice() else {
        let count =
            if given.is_empty() { "nothing happens" } else { "more than one thing happens" };
        let message = format!("{count} in this test; give one of {}", kinds.join(", "));
        reader.problem(place, key, message);
        return None;
    };
    let (name, kind) = KINDS.get(*index).copied()?;
    let text = reader.text(table.get(name)?, &join(key, name));
    let mut optional = |name: &str| {
        let node = table.get(name)?;
        reader.text(node, &join(key, name))
    };
    let (content, cwd, branch) = (optional("content"), optional("cwd"), optional("branch"));
    let (agent_type, mode) = (optional("agent_type"), optional("permission_mode"));
    let (rule, host, budget) = (optional("rule"), optional("host"), optional("budget"));
    if let Some(host) = host.as_ref().filter(|host| host.value.parse::<HostId>().is_err()) {
        let message = unknown("host", &host.value, "", &HostId::ALL.map(HostId::as_str));
        reader.problem(host.at, &join(key, "host"), message);
    }
    let budget_ms = budget.and_then(|budget| {
        let value = values::duration(&budget.value);
        if value.is_none() {
            let message = format!("`{}` is no duration; write `5ms` or `1s`", budget.value);
            reader.problem(budget.at, &join(key, "budget"), message);
        }
        value
    });
    let expect = expect(reader, table, place, key)?;
    let value = |text: Option<super::Told<String>>| text.map(|text| text.value);
    Some(Case {
        kind,
        text: text?.value,
        content: value(content),
        cwd: value(cwd),
        branch: value(branch),
        host: value(host),
        agent_type: value(agent_type),
        permission_mode: value(mode),
        expect,
        rule: value(rule),
        budget_ms,
        layer: reader.layer,
        file: reader.file.to_owned(),
        place,
    })
}

fn expect(reader: &mut Reader<'_>, table: &DeTable<'_>, place: Place, key: &str) -> Option<Expect> {
    let names = Expect::ALL.map(|(name, _)| name);
    let Some(node) = table.get("expect") else {
        let message = format!("`expect` is missing; one of {}", names.join(", "));
        reader.problem(place, key, message);
        return None;
    };
    let choice = reader.choice(node, &join(key, "expect"), "answer", &names)?;
    Expect::ALL.get(choice.value).map(|(_, expect)| *expect)
}
