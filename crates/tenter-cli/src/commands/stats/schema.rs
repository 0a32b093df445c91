//! Schema of `stats --json`.

use serde_json::{Value, json};

use super::Key;
use crate::commands::schema::parts::Field::{self, Always};
use crate::commands::schema::parts::{document, list, moment, number, object, or_null, text, word};

pub(crate) fn schema() -> Value {
    let named = |name: &'static str| {
        list(object([Always(name, text("What is counted")), Always("count", number("How often"))]))
    };
    let [events, denied, asked, once] = counts();
    let fields = [
        Always("since", moment("The beginning of the time that is asked about")),
        Always("until", moment("Its end, which is not in it")),
        Always("by", word(&Key::ALL.map(Key::name))),
        events,
        denied,
        asked,
        once,
        Always("lost", number("How many calls left no record")),
        Always("groups", list(group())),
        Always("days", list(counted(Always("day", text("A day of UTC, as 2026-11-16"))))),
        Always("latency", list(latency())),
        Always("commands", named("command")),
        Always("files", named("path")),
        Always("false_alarms", named("rule")),
        Always(
            "last_heard",
            list(object([
                Always("host", text("A host")),
                Always("at", moment("When it was last heard, over all time")),
            ])),
        ),
        Always("silent", list(silent())),
    ];
    document("Figures", "What `tenter stats --json` prints", object(fields))
}

fn counts() -> [Field; 4] {
    [
        Always("events", number("How many records")),
        Always("denied", number("How many of them were denied")),
        Always("asked", number("How many a human was asked about")),
        Always("allowed_once", number("How many a human had allowed once")),
    ]
}

fn counted(name: Field) -> Value {
    object(std::iter::once(name).chain(counts()))
}

fn group() -> Value {
    let name = Always("name", text("The host, rule, tool, session or day"));
    let days = json!({
        "type": "array", "items": { "type": "integer", "minimum": 0 },
        "description": "How many records on each day of `days`",
    });
    object(std::iter::once(name).chain(counts()).chain([Always("days", days)]))
}

fn latency() -> Value {
    let phases = tenter_audit::record::Timings::default().phases().map(|(phase, _)| phase);
    object([
        Always("host", text("A host")),
        Always("phase", word(&phases)),
        Always("calls", number("How many calls")),
        Always("p50_us", number("Microseconds that half of the calls do not exceed")),
        Always("p95_us", number("Microseconds that 95 of 100 do not exceed")),
        Always("p99_us", number("Microseconds that 99 of 100 do not exceed")),
    ])
}

fn silent() -> Value {
    object([
        Always("host", text("A host that is no longer heard")),
        Always("last_at", moment("When it was last heard")),
        Always("others_ms", number("For how long others were heard after it, in milliseconds")),
        Always("usual_days", or_null(number("Its longest pause before, in days"))),
    ])
}
