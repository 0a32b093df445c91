//! Parses the `[[handler]]` tables of a policy file.

use toml::de::{DeTable, DeValue};

use super::super::handler::{Foreign, Handler, Speaks, TIMEOUT_MS};
use super::super::problem::Place;
use super::super::{FailMode, Layer};
use super::reader::{Reader, join};
use super::rules::{id, scope};
use super::when::Of;
use super::{Source, Told, values};

pub(crate) const KEYS: &[&str] =
    &["id", "on", "when", "run", "timeout", "fail", "speaks", "event", "matcher", "cwd"];

/// Keys of scripts written for a host.
const FOREIGN: &[&str] = &["event", "matcher", "cwd"];

pub(super) fn read(reader: &mut Reader<'_>, root: &DeTable<'_>, source: &mut Source) {
    for (table, place) in reader.tables(root, "handler") {
        if let Some(handler) = handler(reader, table, place, source) {
            source.handlers.push(handler);
        }
    }
}

fn handler(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: Place,
    source: &Source,
) -> Option<Told<Handler>> {
    reader.known(table, "handler", KEYS);
    let taken = |id: &str| source.handlers.iter().find(|it| it.value.id == id).map(|it| it.at);
    let id = id(reader, table, place, "handler.id", taken);
    let (on, conditions) = scope(reader, table, place, "handler", Of::Handler);
    let run = program(reader, table, place);
    let timeout_ms = timeout(reader, table);
    let modes = FailMode::ALL.map(FailMode::as_str);
    let fail = table.get("fail");
    let fail = fail.and_then(|node| reader.choice(node, "handler.fail", "fail mode", &modes));
    let foreign = foreign(reader, table);
    let (run, foreign) = in_project(run?, foreign, source);
    let handler = Handler {
        id: id?.value,
        on,
        when: conditions,
        run,
        timeout_ms,
        fail: fail.and_then(|mode| FailMode::ALL.get(mode.value).copied()),
        foreign,
        origin: source.origin(place),
        project: source.layer == Layer::Project,
    };
    Some(Told { value: handler, at: place })
}

/// Replaces `{project}` by the folder of a project's policy, so that the file need not name it.
fn in_project(
    mut run: Vec<String>,
    mut foreign: Option<Foreign>,
    source: &Source,
) -> (Vec<String>, Option<Foreign>) {
    const PROJECT: &str = "{project}";
    let folder = source.file.rsplit_once(['/', '\\']).map(|(folder, _)| folder);
    if let Some(folder) = folder.filter(|_| source.layer == Layer::Project) {
        let cwd = foreign.as_mut().map(|foreign| &mut foreign.cwd);
        for text in run.iter_mut().chain(cwd) {
            *text = text.replace(PROJECT, folder);
        }
    }
    (run, foreign)
}

/// Properties of a script written for a host.
fn foreign(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Foreign> {
    let names = Speaks::ALL.map(Speaks::as_str);
    let Some(node) = table.get("speaks") else {
        for &name in FOREIGN {
            if let Some(node) = table.get(name) {
                let message = format!(
                    "`{name}` needs `speaks`: it is for scripts that were written for a host"
                );
                reader.problem(reader.at(node), &join("handler", name), message);
            }
        }
        return None;
    };
    let speaks = reader.choice(node, "handler.speaks", "language", &names);
    let mut text = |name: &str| {
        let text = table.get(name).and_then(|node| reader.text(node, &join("handler", name)));
        text.map(|text| text.value).unwrap_or_default()
    };
    let (event, matcher, cwd) = (text("event"), text("matcher"), text("cwd"));
    let speaks = speaks.and_then(|speaks| Speaks::ALL.get(speaks.value).copied())?;
    Some(Foreign { speaks, event, matcher, cwd })
}

fn program(reader: &mut Reader<'_>, table: &DeTable<'_>, place: Place) -> Option<Vec<String>> {
    let example = "a list of words such as [\"prettier\", \"--write\", \"{path}\"]";
    let Some(node) = table.get("run") else {
        reader.problem(place, "handler.run", format!("`run` is missing; {example}"));
        return None;
    };
    let DeValue::Array(array) = node.get_ref() else {
        return reader.wrong(node, "handler.run", example);
    };
    if array.is_empty() {
        reader.problem(reader.at(node), "handler.run", format!("`run` is empty; {example}"));
        return None;
    }
    let words: Vec<_> = array.iter().filter_map(|node| reader.text(node, "handler.run")).collect();
    (words.len() == array.len()).then(|| words.into_iter().map(|word| word.value).collect())
}

fn timeout(reader: &mut Reader<'_>, table: &DeTable<'_>) -> u64 {
    let Some(node) = table.get("timeout") else {
        return TIMEOUT_MS;
    };
    let Some(text) = reader.text(node, "handler.timeout") else {
        return TIMEOUT_MS;
    };
    values::duration(&text.value).filter(|value| *value > 0).unwrap_or_else(|| {
        let message = format!("`{}` is no duration; write `5s`, `500ms` or `2m`", text.value);
        reader.problem(text.at, "handler.timeout", message);
        TIMEOUT_MS
    })
}
