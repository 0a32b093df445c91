//! Prints the result as text and JSON.

use std::fmt::Write;

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_model::time;

use super::super::Style;
use super::super::log::text::squeezed;
use super::super::verdict::word;
use super::event::Why;
use super::tally::{Change, Example, Gap, Tally};
use crate::clock;

/// The request.
#[derive(Debug)]
pub(super) struct Asked {
    /// Milliseconds since 1970.
    pub(super) since: u64,
    /// The policy file; `None` for the present policies.
    pub(super) policy: Option<String>,
    pub(super) max_new_blocks: Option<u64>,
}

impl Asked {
    /// Whether more calls are newly blocked than allowed.
    pub(super) fn is_exceeded(&self, tally: &Tally) -> bool {
        self.max_new_blocks.is_some_and(|most| tally.of(Change::Blocked) > most)
    }
}

impl Why {
    /// Name in JSON.
    const fn as_str(self) -> &'static str {
        match self {
            Why::LeftOut => "left_out",
            Why::Cut => "cut",
            Why::Redacted => "redacted",
            Why::Then => "gone",
        }
    }
}

/// The JSON object; all keys are always present.
pub(super) fn json(asked: &Asked, tally: &Tally) -> Value {
    let counts: serde_json::Map<String, Value> = Change::ALL
        .iter()
        .map(|change| (change.as_str().to_owned(), tally.of(*change).into()))
        .chain([
            ("unchanged".to_owned(), tally.unchanged.into()),
            ("cannot_tell".to_owned(), tally.untold.into()),
            ("passed_over".to_owned(), tally.passed_over.into()),
            ("decided_by_others".to_owned(), tally.by_others.into()),
        ])
        .collect();
    let example = |it: &Example| {
        json!({
            "id": it.seq, "at": time::stamp(it.at), "host": it.host, "session": it.session,
            "was": word(it.was), "now": word(it.now), "subject": it.subject,
        })
    };
    let groups = tally.groups.iter().map(|group| {
        json!({
            "change": group.change.as_str(), "rule": group.rule, "count": group.count,
            "examples": group.examples.iter().map(example).collect::<Vec<_>>(),
        })
    });
    let gaps = tally.gaps.iter().map(|gap| {
        json!({
            "missing": gap.what, "why": gap.why.as_str(),
            "rule": Some(&gap.rule).filter(|rule| !rule.is_empty()), "count": gap.count,
        })
    });
    json!({
        "version": 1,
        "since": time::stamp(asked.since),
        "policy": asked.policy,
        "records": tally.records,
        "from": tally.from.map(time::stamp),
        "to": tally.from.map(|_| time::stamp(tally.to)),
        "counts": counts,
        "groups": groups.collect::<Vec<_>>(),
        "cannot_tell": gaps.collect::<Vec<_>>(),
        "max_new_blocks": asked.max_new_blocks,
        "exceeded": asked.is_exceeded(tally),
    })
}

pub(super) fn human(asked: &Asked, tally: &Tally, style: Style) -> String {
    let Some(from) = tally.from else {
        return format!(
            "no calls recorded since {}; `tenter status` shows whether hooks are wired, `tenter init` wires them\n",
            clock::day(asked.since)
        );
    };
    let mut text = String::new();
    let by = match &asked.policy {
        Some(file) => format!("judged by {}", printable(file)),
        None => "judged by the policies that hold now".to_owned(),
    };
    let _ = writeln!(
        text,
        "{} from {} to {}, {by}\n",
        calls(tally.records),
        clock::day(from),
        clock::day(tally.to)
    );
    for change in Change::ALL {
        let count = tally.of(change);
        let (colour, name, what) = words(change);
        let number = format!("{count:>10}");
        let number = if count > 0 { style.paint(colour, &number) } else { number };
        let _ = writeln!(text, "{number}  {name:14} {}", style.paint("2", what));
    }
    let _ = writeln!(text, "{:>10}  unchanged", tally.unchanged);
    let _ = writeln!(
        text,
        "{:>10}  cannot tell    {}",
        tally.untold,
        style.paint("2", "the record does not hold what a guard or rule looks at")
    );
    groups(&mut text, tally, style);
    gaps(&mut text, &tally.gaps, style);
    notes(&mut text, tally);
    if asked.is_exceeded(tally) {
        let most = asked.max_new_blocks.unwrap_or_default();
        let said = format!("{} newly blocked, more than {most}", calls(tally.of(Change::Blocked)));
        let _ = writeln!(text, "\n{}", style.paint("1;31", &said));
    }
    text
}

fn words(change: Change) -> (&'static str, &'static str, &'static str) {
    match change {
        Change::Blocked => ("1;31", "newly blocked", "let through or asked about then, denied now"),
        Change::Asked => ("1;33", "newly asked", "let through then, asked about now"),
        Change::Allowed => ("1;32", "newly allowed", "denied or asked about then, let through now"),
        Change::Eased => ("1;32", "eased", "denied then, asked about now"),
    }
}

fn calls(count: u64) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

fn groups(text: &mut String, tally: &Tally, style: Style) {
    let mut last = None;
    for group in &tally.groups {
        if last != Some(group.change) {
            last = Some(group.change);
            let _ = writeln!(text, "\n{}", style.paint("1", words(group.change).1));
        }
        let rule = if group.rule.is_empty() { "(no rule)" } else { &group.rule };
        let _ = writeln!(text, "  {:>6}  {}", group.count, style.paint("1", &printable(rule)));
        for example in &group.examples {
            // One line each.
            let subject = squeezed(&example.subject, 100);
            let at = format!("{} {}", clock::day(example.at), clock::time_of_day(example.at));
            let head = format!("#{}  {at}  {}", example.seq, printable(&example.host));
            let _ = writeln!(text, "          {}  {}", style.paint("2", &head), subject);
        }
    }
}

fn gaps(text: &mut String, gaps: &[Gap], style: Style) {
    if gaps.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", style.paint("1", "cannot tell"));
    for gap in gaps {
        let why = match gap.why {
            Why::LeftOut => "was not recorded",
            Why::Cut => "was recorded in part",
            Why::Redacted => "was redacted",
            Why::Then => "is not known as it was then",
        };
        let rule = match gap.rule.as_str() {
            "" => String::new(),
            rule => format!(", which {} may look at", printable(rule)),
        };
        let _ = writeln!(text, "  {:>6}  {} {why}{rule}", gap.count, gap.what);
    }
}

fn notes(text: &mut String, tally: &Tally) {
    let mut notes = Vec::new();
    if tally.passed_over > 0 {
        notes.push(format!(
            "{} passed over: copies, trials and what nobody could read",
            calls(tally.passed_over)
        ));
    }
    if tally.by_others > 0 {
        notes.push(format!(
            "{} had been decided by a handler or a failure; handlers are not run again, what they decided stays",
            calls(tally.by_others)
        ));
    }
    if tally.torn > 0 {
        let lines = if tally.torn == 1 { "line" } else { "lines" };
        let torn = tally.torn;
        notes.push(format!(
            "{torn} damaged {lines} of the record passed over; `tenter verify` says where"
        ));
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "\n{}", notes.join("\n"));
    }
}

/// Schema of `tenter replay --json`.
pub(crate) fn schema() -> Value {
    let number = json!({ "type": "integer", "minimum": 0 });
    let moment = json!({ "type": ["string", "null"], "format": "date-time" });
    let text = json!({ "type": ["string", "null"] });
    let names: Vec<&str> = Change::ALL
        .iter()
        .map(|change| change.as_str())
        .chain(["unchanged", "cannot_tell", "passed_over", "decided_by_others"])
        .collect();
    let counts: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), number.clone())).collect();
    let decision = json!({ "enum": ["none", "allow", "ask", "deny"] });
    let object = |properties: Value, required: Value| {
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        })
    };
    let example = object(
        json!({
            "id": number, "at": moment, "host": { "type": "string" }, "session": text,
            "was": decision, "now": decision, "subject": { "type": "string" },
        }),
        json!(["id", "at", "host", "session", "was", "now", "subject"]),
    );
    let group = object(
        json!({
            "change": { "enum": Change::ALL.map(Change::as_str) }, "rule": { "type": "string" },
            "count": number, "examples": { "type": "array", "items": example },
        }),
        json!(["change", "rule", "count", "examples"]),
    );
    let gap = object(
        json!({
            "missing": { "type": "string" }, "why": { "enum": ["left_out", "cut", "redacted", "gone"] },
            "rule": text, "count": number,
        }),
        json!(["missing", "why", "rule", "count"]),
    );
    let keys = json!({
        "version": { "const": 1 }, "since": moment, "policy": text, "records": number,
        "from": moment, "to": moment, "counts": object(Value::Object(counts), json!(names)),
        "groups": { "type": "array", "items": group }, "cannot_tell": { "type": "array", "items": gap },
        "max_new_blocks": { "type": ["integer", "null"] }, "exceeded": { "type": "boolean" },
    });
    let required = json!([
        "version",
        "since",
        "policy",
        "records",
        "from",
        "to",
        "counts",
        "groups",
        "cannot_tell",
        "max_new_blocks",
        "exceeded",
    ]);
    let mut schema = object(keys, required);
    if let Value::Object(map) = &mut schema {
        map.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        map.insert("title".to_owned(), "Replay".into());
        map.insert(
            "description".to_owned(),
            "What a policy would have done to recorded calls.".into(),
        );
    }
    schema
}
