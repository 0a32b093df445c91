//! Writes handlers as policy text.

use std::fmt::Write as _;

use tenter_model::HostId;
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

use super::{Handler, Importable, unlike};

/// Fate of the entry in the host's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Originals {
    /// It stays: its own host runs it, and the handler is for the others.
    Stay,
    /// It is removed: the handler runs on all hosts.
    Removed,
}

/// The `[[handler]]` tables of all convertible hooks, for the other hosts.
pub fn handlers(found: &[Importable]) -> String {
    handlers_with(found, Originals::Stay, &[])
}

/// The same with a choice about the originals, and ids different from `taken`.
pub fn handlers_with(found: &[Importable], originals: Originals, taken: &[&str]) -> String {
    let mut text = String::new();
    let mut taken: Vec<String> = taken.iter().map(|id| (*id).to_owned()).collect();
    for one in found {
        let Ok(handler) = &one.handler else { continue };
        let names: Vec<&str> = taken.iter().map(String::as_str).collect();
        let id = unlike(&handler.id, &names);
        taken.push(id.clone());
        if !text.is_empty() {
            text.push('\n');
        }
        // A hook in a read-only file stays, and must not run twice.
        let stays = originals == Originals::Stay || one.read_only;
        table(one, handler, &id, stays, &mut text);
    }
    text
}

fn table(one: &Importable, handler: &Handler, id: &str, stays: bool, text: &mut String) {
    let root = one.shared.as_deref();
    let path = root.and_then(|root| one.path.strip_prefix(root).ok()).unwrap_or(&one.path);
    let (path, line) = (path.display(), one.found.line);
    comment(text, &format!("{} of {}, {path}, line {line}", one.found.event, one.host.title()));
    text.push_str("[[handler]]\n");
    let mut key = |name: &str, value: Value| {
        let _ = writeln!(text, "{name} = {value}");
    };
    key("id", id.into());
    key("speaks", one.host.as_str().into());
    for (name, value) in [("event", &handler.event), ("matcher", &handler.matcher)] {
        if let Some(value) = value {
            key(name, value.as_str().into());
        }
    }
    key("on", list(&handler.on));
    let mut when = InlineTable::new();
    if stays {
        when.insert("host", list(&others(one.host)));
    }
    if let Some(project) = &handler.project {
        when.insert("cwd", project.to_string_lossy().as_ref().into());
    }
    if !when.is_empty() {
        key("when", when.into());
    }
    key("run", words(&handler.run));
    if let Some(cwd) = &handler.cwd {
        key("cwd", cwd.to_string_lossy().as_ref().into());
    }
    let milliseconds = format!("{:.0}", handler.timeout * 1000.0);
    let whole = milliseconds.strip_suffix("000").map(|seconds| format!("{seconds}s"));
    key("timeout", whole.unwrap_or_else(|| format!("{milliseconds}ms")).into());
    if handler.fail_closed {
        key("fail", "closed".into());
    }
    if let Some(had) = handler.had {
        let why = "hosts do not wait longer for us";
        comment(text, &format!("it had {had} s; {why}"));
    }
}

/// Writes a one-line comment, escaping line breaks.
fn comment(text: &mut String, line: &str) {
    let _ = writeln!(text, "# {}", line.replace(char::is_control, " "));
}

fn list(texts: &[String]) -> Value {
    match texts {
        [one] => one.as_str().into(),
        several => words(several),
    }
}

fn words(texts: &[String]) -> Value {
    Value::Array(texts.iter().map(String::as_str).collect())
}

/// The ids of a policy's rules and handlers.
pub fn ids(policy: &str) -> Vec<String> {
    let document: DocumentMut = policy.parse().unwrap_or_default();
    let tables = ["handler", "rule"].into_iter().filter_map(|name| document.get(name));
    let tables = tables.filter_map(Item::as_array_of_tables).flatten();
    tables.filter_map(|table| Some(table.get("id")?.as_str()?.to_owned())).collect()
}

/// The hooks that a policy does not contain yet.
pub fn missing(found: &[Importable], policy: &str) -> Vec<Importable> {
    let document: DocumentMut = policy.parse().unwrap_or_default();
    let there = document.get("handler").and_then(Item::as_array_of_tables);
    let is_there = |one: &Importable, handler: &Handler| {
        there.into_iter().flatten().any(|table| is_it(one, handler, table))
    };
    let new = |one: &&Importable| !one.handler.as_ref().is_ok_and(|it| is_there(one, it));
    found.iter().filter(new).cloned().collect()
}

/// The policy with the handlers of these hooks limited to other hosts, or no longer limited: an entry that
/// stays is run by its own host and would run twice.
pub fn restated(found: &[Importable], policy: &str, originals: Originals) -> Option<String> {
    let mut document: DocumentMut = policy.parse().ok()?;
    let handlers = document.get_mut("handler")?.as_array_of_tables_mut()?;
    for table in handlers.iter_mut() {
        let is_of = |one: &&Importable| one.handler.as_ref().is_ok_and(|it| is_it(one, it, table));
        let Some(one) = found.iter().find(is_of) else { continue };
        let others = list(&others(one.host));
        let when = table.get("when").and_then(Item::as_inline_table).cloned().unwrap_or_default();
        let said = when.get("host").map(|host| host.to_string().trim().to_owned());
        let mut new = when;
        match originals {
            Originals::Stay if said.is_none() => drop(new.insert("host", others)),
            Originals::Removed if said.as_deref() == Some(others.to_string().trim()) => {
                new.remove("host");
            }
            _ => continue,
        }
        if new.is_empty() {
            table.remove("when");
        } else {
            table.insert("when", Item::Value(new.into()));
        }
    }
    Some(document.to_string()).filter(|text| text != policy)
}

fn others(host: HostId) -> Vec<String> {
    let others = HostId::ALL.into_iter().filter(|other| *other != host);
    others.map(|host| host.to_string()).collect()
}

/// Whether a policy table is the handler of this hook.
fn is_it(one: &Importable, handler: &Handler, table: &Table) -> bool {
    let same = |name: &str, text: Option<&str>| {
        table.get(name).and_then(Item::as_str).unwrap_or_default() == text.unwrap_or_default()
    };
    let run = table.get("run").and_then(Item::as_array);
    let run = run.into_iter().flatten().map(|word| word.as_str().unwrap_or_default());
    same("speaks", Some(one.host.as_str()))
        && same("event", handler.event.as_deref())
        && same("matcher", handler.matcher.as_deref())
        && table.get("on").is_some_and(|on| is_list(on, &handler.on))
        && run.eq(handler.run.iter().map(String::as_str))
}

/// Whether an item is a list of these strings.
fn is_list(item: &Item, texts: &[String]) -> bool {
    match item.as_array() {
        Some(array) => array.iter().map(|word| word.as_str().unwrap_or_default()).eq(texts),
        None => texts.len() == 1 && texts.first().map(String::as_str) == item.as_str(),
    }
}
