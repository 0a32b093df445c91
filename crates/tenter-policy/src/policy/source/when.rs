//! Parses the conditions of a rule, an exception or a handler.

use tenter_model::HostId;
use tenter_shell::Act;
use tenter_shell::Kind;
use toml::de::{DeTable, DeValue};

use super::super::problem::unknown;
use super::super::rule::{ACTIONS, Broad, EffectName, Names, Narrow, On, Void, When, Word};
use super::Told;
use super::reader::{Node, Reader, join};

/// The keys of `when`.
pub(crate) const KEYS: &[&str] = &[
    "program",
    "args",
    "effect",
    "path",
    "url",
    "mcp",
    "prompt",
    "content",
    "command",
    "tool",
    "host",
    "agent_type",
    "permission_mode",
    "branch",
    "cwd",
    "via",
    "certain",
];

/// Conditions that can be tested only before a tool runs.
const BEFORE: &[&str] = &["program", "args", "effect", "via", "certain"];

/// Table that contains the conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Rule,
    Exception,
    Handler,
}

pub(super) fn on(reader: &mut Reader<'_>, node: &Node<'_>, key: &str) -> On {
    let mut on = On::NONE;
    let mut missed = false;
    for name in reader.texts(node, key) {
        let message = match on.add(&name.value) {
            Ok(()) => continue,
            Err(Void::Never(why)) => why,
            Err(Void::Unknown) => {
                let mut names: Vec<&str> = ACTIONS.to_vec();
                names.push("any");
                names.extend(tenter_model::EventKind::ALL.map(tenter_model::EventKind::as_str));
                let word = name.value.split(':').next().unwrap_or_default();
                unknown("event", word, "", &names)
            }
        };
        reader.problem(name.at, key, message);
        missed = true;
    }
    // Report a mistake once.
    if missed { On::default() } else { on }
}

pub(super) fn read(reader: &mut Reader<'_>, node: &Node<'_>, key: &str, of: Of, on: &On) -> When {
    let mut when = When::default();
    let Some(table) = reader.table(node, key) else {
        return when;
    };
    reader.known(table, key, KEYS);
    fitting(reader, table, key, of, on);
    if table.is_empty() {
        let message = "`when` holds no condition; leave it out or add one".to_owned();
        reader.problem(reader.at(node), key, message);
    }
    // In order of selectivity.
    for name in ["program", "via", "effect", "args", "path", "url", "cwd", "branch"] {
        if let Some(node) = table.get(name)
            && let Some(condition) = narrow(reader, node, name, &join(key, name))
        {
            when.push(condition);
        }
    }
    if let Some(node) = table.get("certain") {
        match reader.switch(node, &join(key, "certain")) {
            Some(Told { value: false, at }) => {
                let message = "`certain` can only be true; leave it out otherwise".to_owned();
                reader.problem(at, &join(key, "certain"), message);
            }
            Some(_) => when.push(Narrow::Certain),
            None => {}
        }
    }
    let broad_keys =
        ["host", "tool", "agent_type", "permission_mode", "mcp", "prompt", "command", "content"];
    for name in broad_keys {
        if let Some(node) = table.get(name) {
            when.event.extend(broad(reader, node, name, &join(key, name)));
        }
    }
    when
}

/// Warns about conditions that never hold, or that an attacker could satisfy.
fn fitting(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, of: Of, on: &On) {
    for (found, _) in table {
        let name = found.get_ref().as_ref();
        if of == Of::Exception && matches!(name, "command" | "content") {
            let message = format!(
                "`{name}` cannot be used in an exception: a comment would be enough to fit it; use \
                 `program`, `args` or `path`"
            );
            reader.problem(reader.at(found), &join(key, name), message);
        }
        if of != Of::Exception && on.only_after() && BEFORE.contains(&name) {
            let message = format!(
                "`{name}` can only be told before a tool runs; use `command`, `tool`, `path` or `prompt` \
                 here, or another `on`"
            );
            reader.problem(reader.at(found), &join(key, name), message);
        }
    }
}

fn narrow(reader: &mut Reader<'_>, node: &Node<'_>, name: &str, key: &str) -> Option<Narrow> {
    let texts = reader.texts(node, key);
    if name == "args" {
        for text in texts.iter().filter(|text| text.value.contains(char::is_whitespace)) {
            let words: Vec<String> =
                text.value.split_whitespace().map(|word| format!("\"{word}\"")).collect();
            let message = format!("`args` holds single words; write [{}]", words.join(", "));
            reader.problem(text.at, key, message);
        }
    }
    if name == "effect" {
        let effects = texts.iter().filter_map(|text| effect(reader, text, key)).collect();
        return Some(Narrow::Effect(effects));
    }
    let texts: Vec<String> = texts.into_iter().map(|text| text.value).collect();
    if texts.is_empty() {
        return None;
    }
    Some(match name {
        "program" => Narrow::Program(Names::new(texts)),
        "args" => Narrow::Args(texts),
        "via" => Narrow::Via(Names::new(texts)),
        "path" => Narrow::Path(texts),
        "url" => Narrow::Url(texts),
        "cwd" => Narrow::Cwd(texts),
        _ => Narrow::Branch(texts),
    })
}

fn effect(reader: &mut Reader<'_>, text: &Told<String>, key: &str) -> Option<EffectName> {
    let (kind, action) = text.value.split_once('/').unwrap_or((&text.value, ""));
    let Some(kind) = Kind::named(kind) else {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        reader.problem(text.at, key, unknown("effect", kind, "", &names));
        return None;
    };
    if action.is_empty() {
        return Some(EffectName { kind: kind as u8, action: None });
    }
    let Some(found) = Act::named(action).filter(|found| found.is_of(kind)) else {
        let of_kind = Act::ALL.iter().filter(|known| known.is_of(kind));
        let names: Vec<&str> = of_kind.map(|known| known.name()).collect();
        let whose = kind.name();
        reader.problem(text.at, key, unknown("action", action, whose, &names));
        return None;
    };
    Some(EffectName { kind: kind as u8, action: Some(found as u16) })
}

fn broad(reader: &mut Reader<'_>, node: &Node<'_>, name: &str, key: &str) -> Option<Broad> {
    if matches!(name, "prompt" | "content" | "command") {
        let words = words(reader, node, key);
        return match name {
            _ if words.is_empty() => None,
            "prompt" => Some(Broad::Prompt(words)),
            "content" => Some(Broad::Content(words)),
            _ => Some(Broad::Command(words)),
        };
    }
    let texts = reader.texts(node, key);
    for text in &texts {
        let word = text.value.as_str();
        if name == "host" && word.parse::<HostId>().is_err() {
            let names = HostId::ALL.map(HostId::as_str);
            reader.problem(text.at, key, unknown("host", word, "", &names));
        }
        if name == "mcp" && !word.contains('/') {
            let message = format!(
                "`{word}` names no tool; write `server/tool`, or `{word}/*` for all tools of a server"
            );
            reader.problem(text.at, key, message);
        }
    }
    let texts: Vec<String> = texts.into_iter().map(|text| text.value).collect();
    Some(match name {
        _ if texts.is_empty() => return None,
        "host" => Broad::Host(texts),
        "tool" => Broad::Tool(texts),
        "agent_type" => Broad::AgentType(texts),
        "permission_mode" => Broad::PermissionMode(texts),
        _ => Broad::Mcp(texts),
    })
}

/// A string, `{ matches = "..." }`, or a list of these.
fn words(reader: &mut Reader<'_>, node: &Node<'_>, key: &str) -> Vec<Word> {
    let nodes = match node.get_ref() {
        DeValue::Array(array) => array,
        _ => std::slice::from_ref(node),
    };
    nodes.iter().filter_map(|node| word(reader, node, key)).collect()
}

fn word(reader: &mut Reader<'_>, node: &Node<'_>, key: &str) -> Option<Word> {
    let table = match node.get_ref() {
        DeValue::String(_) => return reader.words(node, key).map(|text| Word::holds(&text.value)),
        DeValue::Table(table) => table,
        _ => return reader.wrong(node, key, "a string or { matches = \"...\" }"),
    };
    reader.known(table, key, &["matches"]);
    let key = join(key, "matches");
    let regex = reader.words(table.get("matches")?, &key)?;
    match Word::matches(&regex.value) {
        Ok(word) => Some(word),
        Err(error) => {
            let message = format!("`{}` is no regular expression: {error}", regex.value);
            reader.problem(regex.at, &key, message);
            None
        }
    }
}
