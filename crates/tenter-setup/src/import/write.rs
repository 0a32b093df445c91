//! Handlers as the text of a policy.

use std::fmt::Write as _;

use tenter_model::HostId;
use toml_edit::{DocumentMut, InlineTable, Item, Value};

use super::{Handler, Importable, unlike};

/// What becomes of the entries in the hosts' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Originals {
    /// They stay: their own host runs them, and the handlers are for the others.
    Stay,
    /// They are taken out: the handlers are for all hosts.
    Removed,
}

/// The `[[handler]]` tables of all that can be taken over, for hosts other than their own.
pub fn handlers(found: &[Importable]) -> String {
    handlers_with(found, Originals::Stay, &[])
}

/// The same with a choice, and with ids unlike those that are `taken`.
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
        // What stays because its file is not ours to write must not run twice either.
        let stays = originals == Originals::Stay || one.read_only;
        table(one, handler, &id, stays, &mut text);
    }
    text
}

fn table(one: &Importable, handler: &Handler, id: &str, stays: bool, text: &mut String) {
    let (path, line) = (one.path.display(), one.found.line);
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
        let others = HostId::ALL.into_iter().filter(|host| *host != one.host);
        let others: Vec<String> = others.map(|host| host.to_string()).collect();
        when.insert("host", list(&others));
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

/// One line for people, whatever a path holds.
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

/// The ids that a policy has given to its rules and handlers.
pub fn ids(policy: &str) -> Vec<String> {
    let document: DocumentMut = policy.parse().unwrap_or_default();
    let tables = ["handler", "rule"].into_iter().filter_map(|name| document.get(name));
    let tables = tables.filter_map(Item::as_array_of_tables).flatten();
    tables.filter_map(|table| Some(table.get("id")?.as_str()?.to_owned())).collect()
}

/// Those that a policy does not have yet.
pub fn missing(found: &[Importable], policy: &str) -> Vec<Importable> {
    let document: DocumentMut = policy.parse().unwrap_or_default();
    let there = document.get("handler").and_then(Item::as_array_of_tables);
    let is_there = |one: &Importable, handler: &Handler| {
        there.into_iter().flatten().any(|table| {
            let same = |name: &str, text: Option<&str>| {
                table.get(name).and_then(Item::as_str).unwrap_or_default()
                    == text.unwrap_or_default()
            };
            let run = table.get("run").and_then(Item::as_array);
            let run = run.into_iter().flatten().map(|word| word.as_str().unwrap_or_default());
            same("speaks", Some(one.host.as_str()))
                && same("event", handler.event.as_deref())
                && same("matcher", handler.matcher.as_deref())
                && table.get("on").is_some_and(|on| is_list(on, &handler.on))
                && run.eq(handler.run.iter().map(String::as_str))
        })
    };
    let new = |one: &&Importable| !one.handler.as_ref().is_ok_and(|it| is_there(one, it));
    found.iter().filter(new).cloned().collect()
}

/// Whether an item holds these texts.
fn is_list(item: &Item, texts: &[String]) -> bool {
    match item.as_array() {
        Some(array) => array.iter().map(|word| word.as_str().unwrap_or_default()).eq(texts),
        None => texts.len() == 1 && texts.first().map(String::as_str) == item.as_str(),
    }
}
