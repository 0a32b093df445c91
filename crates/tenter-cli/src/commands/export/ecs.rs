//! Records as events of the Elastic Common Schema, which SIEMs read: one JSON object a line.

use serde_json::{Map, Value, json};
use tenter_audit::memory;
use tenter_audit::record::{Deed, Record};
use tenter_model::time;

const VERSION: &str = "8.11.0";

/// A record as one event.
pub(super) fn event(record: &Record<'_>) -> Value {
    let told = memory::told(record);
    let mut rules: Vec<&str> = record.stopping_rules();
    if rules.is_empty() {
        rules = record.findings.iter().map(|found| &*found.rule).collect();
        rules.dedup();
    }
    let (category, kinds) = class(record, told);
    let outcome = match (&*record.event, told) {
        ("PostToolUseFailure", _) | (_, "deny") => "failure",
        ("PostToolUse", _) | (_, "allow") => "success",
        _ => "unknown",
    };
    let text = |text: &Option<tenter_audit::record::Str<'_>>| text.as_deref().map(str::to_owned);
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        let is_empty = value.as_array().is_some_and(Vec::is_empty) || value == "";
        if !value.is_null() && !is_empty {
            fields.insert(name.to_owned(), value);
        }
    };
    put("@timestamp", time::stamp(record.at).into());
    put("ecs.version", VERSION.into());
    put("event.kind", if matches!(told, "deny" | "ask") { "alert" } else { "event" }.into());
    put("event.category", category.into());
    put("event.type", json!(kinds));
    put("event.outcome", outcome.into());
    put("event.action", record.event.to_string().into());
    put("event.code", record.native_event.to_string().into());
    put("event.module", "tenterhook".into());
    put("event.dataset", "tenterhook.calls".into());
    put("event.sequence", record.seq.into());
    put("event.hash", record.hash.clone().into());
    put("event.severity", severity(told, &rules).into());
    put("event.reason", record.verdict.reason.as_ref().and_then(|it| it.text()).into());
    put("observer.vendor", "Tenterhook".into());
    put("observer.type", "agent-guard".into());
    put("observer.version", env!("CARGO_PKG_VERSION").into());
    put("message", record.subject().into_owned().into());
    put("rule.name", json!(rules));
    put("user.email", text(&record.user).into());
    put("process.working_directory", text(&record.cwd).into());
    put("process.command_line", record.command().into());
    put("process.exit_code", record.exit_code.as_ref().map_or(Value::Null, |it| json!(it)));
    let paths: Vec<String> = record.full_paths().map(std::borrow::Cow::into_owned).collect();
    put("file.path", json!(paths));
    put("url.original", url(record).into());
    put("tenterhook.host", record.host.to_string().into());
    put("tenterhook.host_version", text(&record.host_version).into());
    put("tenterhook.session", text(&record.session_id).into());
    put("tenterhook.turn", text(&record.turn_id).into());
    put("tenterhook.call", text(&record.call_id).into());
    put("tenterhook.agent", text(&record.agent.id).or_else(|| text(&record.agent.kind)).into());
    put("tenterhook.model", text(&record.model).into());
    put("tenterhook.tool", text(&record.tool).into());
    put("tenterhook.decision", told.into());
    put("tenterhook.enforcement", record.enforcement.to_string().into());
    put("tenterhook.allowed_once", record.allowed_once.then_some(true).into());
    put("tenterhook.canary", record.canary.then_some(true).into());
    put("tenterhook.policy", record.policy.to_string().into());
    put("tenterhook.previous_hash", record.prev.clone().into());
    put("tenterhook.lost", Some(record.lost).filter(|lost| *lost > 0).into());
    Value::Object(fields)
}

/// Category and types; only values that the schema allows.
fn class(record: &Record<'_>, told: &str) -> (&'static str, Vec<&'static str>) {
    let (category, kind) = match record.actions.first() {
        Some(Deed::Shell { .. }) => ("process", "start"),
        Some(Deed::Read { .. } | Deed::Search { .. }) => ("file", "access"),
        Some(Deed::Write { .. } | Deed::Edit { .. }) => ("file", "change"),
        Some(Deed::Delete { .. }) => ("file", "deletion"),
        Some(Deed::Fetch { .. }) => ("network", "connection"),
        Some(Deed::Mcp { .. }) => ("api", "access"),
        Some(Deed::Task { .. } | Deed::Other { .. }) => ("process", "info"),
        None => match &*record.event {
            "SessionStart" => ("session", "start"),
            "SessionEnd" => ("session", "end"),
            _ => ("session", "info"),
        },
    };
    let mut kinds = vec![kind];
    match told {
        "deny" => kinds.push("denied"),
        "allow" => kinds.push("allowed"),
        _ => {}
    }
    (category, kinds)
}

/// 0 for ordinary calls, 21 for findings that only log, 47 for questions, 73 for denials.
const fn severity(told: &str, rules: &[&str]) -> u8 {
    match told.as_bytes() {
        b"deny" => 73,
        b"ask" => 47,
        _ if !rules.is_empty() => 21,
        _ => 0,
    }
}

fn url(record: &Record<'_>) -> Option<String> {
    record.actions.iter().find_map(|deed| match deed {
        Deed::Fetch { url } => url.text().map(str::to_owned),
        _ => None,
    })
}
