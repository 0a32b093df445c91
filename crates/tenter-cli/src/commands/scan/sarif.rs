//! Prints the report as SARIF 2.1.0, like `tenter lint`.

use std::path::PathBuf;

use serde_json::{Value, json};
use tenter_lint::render::{self, View};
use tenter_setup::scan::{Kind, Severity};

use super::Seen;
use super::judged::Judged;

/// A log with one run. Trusted items are suppressed results.
pub(super) fn render(seen: &Seen) -> Value {
    // One path per result, from which the URIs are made.
    let files: Vec<PathBuf> = seen.items.iter().map(|it| seen.root.join(&it.item.file)).collect();
    let view = View { files, cwd: seen.root.clone(), ..View::default() };
    let mut log = render::sarif(&view, env!("CARGO_PKG_VERSION"));
    let Some(run) = log.pointer_mut("/runs/0").and_then(Value::as_object_mut) else { return log };
    let mut places: Vec<Value> = match run.remove("artifacts") {
        Some(Value::Array(places)) => places,
        _ => Vec::new(),
    };
    let results = seen.items.iter().zip(&places).map(|(item, place)| result(item, place));
    let results: Vec<Value> = results.collect();
    places.dedup();
    run.insert("artifacts".to_owned(), Value::from(places));
    run.insert("results".to_owned(), Value::from(results));
    let driver = run.get_mut("tool").and_then(|tool| tool.get_mut("driver")?.as_object_mut());
    if let Some(driver) = driver {
        let rules: Vec<Value> = Kind::ALL.iter().map(|kind| rule(*kind)).collect();
        driver.insert("name".to_owned(), "tenter scan".into());
        driver.insert("rules".to_owned(), rules.into());
    }
    log
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Danger => "error",
    }
}

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.id(),
        "shortDescription": { "text": kind.title() },
        "fullDescription": { "text": format!("{}. To do: {}.", kind.title(), kind.fix()) },
        "help": { "text": kind.fix() },
        "defaultConfiguration": { "level": level(kind.severity()) },
    })
}

fn result(judged: &Judged, place: &Value) -> Value {
    let item = &judged.item;
    let index = Kind::ALL.iter().position(|kind| *kind == item.kind);
    let why = format!("{} as it is", judged.trust.as_str());
    let suppressions: Vec<Value> = judged
        .trust
        .is_given()
        .then(|| json!({ "kind": "external", "justification": why }))
        .into_iter()
        .collect();
    let prints = judged
        .fingerprint
        .as_ref()
        .map(|print| ("tenterScan/v1".to_owned(), print.as_str().into()));
    json!({
        "ruleId": item.kind.id(),
        "ruleIndex": index,
        "level": level(judged.severity),
        "message": { "text": message(judged) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": place.get("location"),
            "region": { "startLine": item.line },
        }}],
        "partialFingerprints": prints.into_iter().collect::<serde_json::Map<String, Value>>(),
        "suppressions": suppressions,
    })
}

fn message(judged: &Judged) -> String {
    let item = &judged.item;
    let name = if item.name.is_empty() { String::new() } else { format!(" {}", item.name) };
    let mut parts = vec![format!("{}{name}: {}", item.host, item.what)];
    parts.extend(item.command.as_ref().map(|command| format!("Command: {}", command.text)));
    parts.extend(item.url.as_ref().map(|url| format!("Address: {url}")));
    let opinions = judged.opinion.iter().chain(judged.scripts.iter().flatten());
    for opinion in opinions.filter(|opinion| opinion.decision.is_some()) {
        let (word, said) = super::verdict_of(opinion);
        parts.push(format!("The guard: {word}, {said}"));
    }
    parts.push(format!("To do: {}", item.kind.fix()));
    parts.join(". ")
}
