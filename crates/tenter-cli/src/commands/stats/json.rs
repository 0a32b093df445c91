//! The statistics as JSON.

use serde_json::{Value, json};
use tenter_audit::store::{Count, Stats};

use super::Span;
use super::silent::Silent;

/// Times are milliseconds since 1970; durations are in milliseconds, or microseconds where the name says so.
pub(super) fn object(stats: &Stats, silent: &[Silent], span: Span, by: &str) -> Value {
    let named = |key: &str, list: &[(String, u64)]| -> Vec<Value> {
        list.iter().map(|(name, count)| json!({ key: name, "count": count })).collect()
    };
    let groups = stats.groups.iter().map(|group| {
        let mut value = counted("name", &group.name, &group.count);
        if let Some(object) = value.as_object_mut() {
            object.insert("days".to_owned(), json!(group.days));
        }
        value
    });
    let latency = stats.latency.iter().map(|it| {
        json!({
            "host": it.host, "phase": it.phase, "calls": it.count,
            "p50_us": it.p50, "p95_us": it.p95, "p99_us": it.p99,
        })
    });
    let silent = silent.iter().map(|it| {
        json!({ "host": it.host, "last_at": it.last_at, "others_ms": it.others_ms,
                "usual_days": it.usual_days })
    });
    let heard = stats.last_heard.iter().map(|(host, at)| json!({ "host": host, "at": at }));
    let days = stats.days.iter().map(|(day, count)| counted("day", day, count));
    json!({
        "since": span.since,
        "until": span.until,
        "by": by,
        "events": stats.total.records,
        "denied": stats.total.denied,
        "asked": stats.total.asked,
        "allowed_once": stats.total.allowed_once,
        "lost": stats.lost,
        "groups": groups.collect::<Vec<_>>(),
        "days": days.collect::<Vec<_>>(),
        "latency": latency.collect::<Vec<_>>(),
        "commands": named("command", &stats.commands),
        "files": named("path", &stats.files),
        "false_alarms": named("rule", &stats.false_alarms),
        "last_heard": heard.collect::<Vec<_>>(),
        "silent": silent.collect::<Vec<_>>(),
    })
}

fn counted(key: &str, name: &str, count: &Count) -> Value {
    json!({
        key: name,
        "events": count.records,
        "denied": count.denied,
        "asked": count.asked,
        "allowed_once": count.allowed_once,
    })
}
