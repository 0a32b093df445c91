//! The capability matrix: events x fields x enforcement, as data and as Markdown.
//!
//! Everything here is read from the hosts' tables, the same that the encoder follows.

use std::fmt::Write;

use serde_json::{Value, json};
use tenter_model::{Enforcement, EventKind, HostId};

use crate::capability::{Cap, Confidence, EventSpec, InputWith, Way};
use crate::detect::{FOREIGN, MARGIN, THRESHOLD};
use crate::host;
use crate::host::Profile;

/// The columns of the matrix.
pub const COLUMNS: &[&str] =
    &["allow", "deny", "ask", "reason", "user_message", "modified_input", "additional_context"];

/// The cells of an event, in the order of [`COLUMNS`].
pub fn cells(spec: &EventSpec) -> [&Cap; 7] {
    [
        &spec.allow,
        &spec.deny,
        &spec.ask,
        &spec.reason,
        &spec.user_message,
        &spec.modified_input,
        &spec.additional_context,
    ]
}

/// A cell as a few characters, for terminals.
pub fn short_cell(cap: &Cap) -> String {
    let mark = cap.confidence.mark();
    match cap.way {
        Way::Nowhere => "-".to_owned(),
        Way::As(decision) => format!("as {decision} {mark}"),
        _ if cap.limit.contains("becomes deny") => format!("as deny {mark}"),
        Way::Text { when: [only], .. } => format!("on {only} {mark}"),
        Way::Text { .. } | Way::Input { .. } => format!("yes {mark}"),
        Way::Instead { path: "user_message", .. } => format!("as message {mark}"),
        Way::Instead { .. } => format!("as context {mark}"),
        _ if cap.level == Enforcement::None => format!("neutral {mark}"),
        _ => format!("{} {mark}", cap.level),
    }
}

/// A cell in words, for documents.
pub fn cell(cap: &Cap) -> String {
    if !cap.limit.is_empty() {
        return format!("{} ({})", cap.limit, cap.confidence.mark());
    }
    let level = match cap.level {
        Enforcement::None => "neutral".to_owned(),
        level => level.to_string(),
    };
    let mark = cap.confidence.mark();
    match cap.way {
        Way::Set { .. } | Way::Exit2 | Way::Carried => format!("{level} ({mark})"),
        Way::Silence if cap.level == Enforcement::None => format!("silent ({mark})"),
        Way::Silence => format!("silent, {level} ({mark})"),
        Way::WithInput { .. } => format!("only with new input ({mark})"),
        Way::As(decision) => format!("becomes {decision}, {level} ({mark})"),
        Way::Text { path, when } => {
            let when: Vec<&str> = when.iter().map(|decision| decision.as_str()).collect();
            let when = match when.len() {
                0 | 3 => String::new(),
                _ => format!(" on {}", when.join("/")),
            };
            format!("`{}`{when} ({mark})", short(path))
        }
        Way::Instead { path, .. } => format!("as `{}` ({mark})", short(path)),
        Way::Input { path, with } => {
            let with = match with {
                InputWith::Any => "",
                InputWith::AllowAdded | InputWith::AllowGiven => " with allow",
            };
            format!("`{}`{with} ({mark})", short(path))
        }
        Way::Nowhere => "-".to_owned(),
    }
}

/// The last key of a path, since table columns are narrow.
fn short(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The matrix as JSON, for one host or all.
pub fn to_json(only: Option<HostId>) -> Value {
    let hosts: Vec<Value> = selected(only)
        .map(|id| {
            let events: Vec<Value> = host(id).events().iter().map(event_json).collect();
            let signals: Vec<Value> = host(id).profile().signals
                .iter()
                .map(|signal| json!({ "weight": signal.weight, "signal": signal.what }))
                .collect();
            json!({ "host": id.as_str(), "title": id.title(), "events": events, "signals": signals })
        })
        .collect();
    let foreign: Vec<&str> = FOREIGN.iter().map(|mark| mark.what).collect();
    json!({
        "version": 1,
        "hosts": hosts,
        "detection": { "threshold": THRESHOLD, "margin": MARGIN, "foreign": foreign },
    })
}

fn selected(only: Option<HostId>) -> impl Iterator<Item = HostId> {
    HostId::ALL.into_iter().filter(move |id| only.is_none_or(|only| only == *id))
}

fn event_json(spec: &EventSpec) -> Value {
    let fields: serde_json::Map<String, Value> = COLUMNS
        .iter()
        .zip(cells(spec))
        .map(|(column, cap)| ((*column).to_owned(), cap_json(cap)))
        .collect();
    json!({
        "event": spec.native,
        "unified": spec.kind.as_str(),
        "gate": spec.gate,
        "since": spec.since,
        "note": spec.note,
        "fields": fields,
    })
}

fn cap_json(cap: &Cap) -> Value {
    let (way, path) = match cap.way {
        Way::Set { path, .. } => ("set", path),
        Way::Silence => ("silence", ""),
        Way::Exit2 => ("exit-2", ""),
        Way::Carried => ("carried", ""),
        Way::As(decision) => (decision.as_str(), ""),
        Way::Text { path, .. } => ("text", path),
        Way::Instead { path, .. } => ("instead", path),
        Way::WithInput { path, .. } => ("with-input", path),
        Way::Input { path, .. } => ("input", path),
        Way::Nowhere => ("nowhere", ""),
    };
    json!({
        "way": way,
        "path": path,
        "enforcement": cap.level.as_str(),
        "confidence": cap.confidence.as_str(),
        "limit": cap.limit,
        "why": cap.why,
        "instead": cap.instead,
    })
}

/// The JSON Schema of [`to_json`].
pub fn schema() -> Value {
    let hosts: Vec<&str> = HostId::ALL.into_iter().map(HostId::as_str).collect();
    let kinds: Vec<&str> = EventKind::ALL.into_iter().map(EventKind::as_str).collect();
    let levels: Vec<&str> = Enforcement::ALL.into_iter().map(Enforcement::as_str).collect();
    let marks: Vec<&str> = Confidence::ALL.into_iter().map(Confidence::as_str).collect();
    let text = json!({ "type": "string" });
    let cell = closed_object(&json!({
        "way": {
            "enum": ["set", "silence", "exit-2", "carried", "allow", "deny", "ask", "text", "instead",
                     "with-input", "input", "nowhere"],
            "description": "How the field is given to the host; a decision means: it becomes that one.",
        },
        "path": text,
        "enforcement": { "enum": levels },
        "confidence": { "enum": marks },
        "limit": text,
        "why": text,
        "instead": text,
    }));
    let columns: serde_json::Map<String, Value> =
        COLUMNS.iter().map(|column| ((*column).to_owned(), cell.clone())).collect();
    let event = closed_object(&json!({
        "event": text,
        "unified": { "enum": kinds },
        "gate": { "type": "boolean", "description": "True when a failure of ours may stop the action." },
        "since": text,
        "note": text,
        "fields": closed_object(&Value::Object(columns)),
    }));
    let signal = closed_object(&json!({ "weight": { "type": "integer" }, "signal": text }));
    let mut schema = closed_object(&json!({
        "version": { "const": 1 },
        "hosts": { "type": "array", "items": closed_object(&json!({
            "host": { "enum": hosts },
            "title": text,
            "events": { "type": "array", "items": event },
            "signals": { "type": "array", "items": signal },
        })) },
        "detection": closed_object(&json!({
            "threshold": { "type": "integer" },
            "margin": { "type": "integer" },
            "foreign": { "type": "array", "items": text },
        })),
    }));
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        object.insert("title".to_owned(), "Tenterhook capability matrix".into());
    }
    schema
}

/// An object with exactly these properties.
fn closed_object(properties: &Value) -> Value {
    let required: Vec<Value> = properties
        .as_object()
        .map(|map| map.keys().cloned().map(Value::from).collect())
        .unwrap_or_default();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The whole matrix as a Markdown page, with detection and stderr.
pub fn to_markdown(only: Option<HostId>) -> String {
    let mut page = String::from(
        "# What each host does with an answer\n\n\
         Printed by `tenter matrix --markdown`, from the tables the encoder follows.\n\n\
         - **hard**: the host does it. **prompt**: the host asks the user. **advisory**: text reaches \
         the model or the human, nothing is stopped. **-**: nowhere; it is dropped with a warning.\n\
         - A name in code is the field of the host's answer that carries it.\n",
    );
    let marks: Vec<String> =
        Confidence::ALL.iter().map(|c| format!("{} {}", c.mark(), c.as_str())).collect();
    put(&mut page, format_args!("- How well it is known: {}.\n", marks.join(", ")));
    for id in selected(only) {
        host_section(&mut page, id);
    }
    if only.is_none() {
        detection_section(&mut page);
        stderr_section(&mut page);
    }
    page
}

fn host_section(page: &mut String, id: HostId) {
    put(page, format_args!("\n## {}\n\n", id.title()));
    let recorded = host(id).profile().recorded;
    if !recorded.is_empty() {
        put(page, format_args!("Recorded with {recorded}.\n\n"));
    }
    put(page, format_args!("| Event | Unified | {} |\n", COLUMNS.join(" | ")));
    put(page, format_args!("|---|---|{}\n", "---|".repeat(COLUMNS.len())));
    for spec in host(id).events() {
        let cells: Vec<String> = cells(spec).into_iter().map(cell).collect();
        let kind = spec.kind;
        put(page, format_args!("| `{}` | {kind} | {} |\n", spec.native, cells.join(" | ")));
    }
    page.push('\n');
    for spec in host(id).events() {
        let since =
            if spec.since.is_empty() { String::new() } else { format!("since {}", spec.since) };
        let parts: Vec<&str> =
            [since.as_str(), spec.note].into_iter().filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            put(page, format_args!("- `{}`: {}.\n", spec.native, parts.join("; ")));
        }
    }
    dialogs(page, host(id).profile());
    if let Some(issue) = host(id).profile().unhooked_input {
        put(
            page,
            format_args!(
                "- What is typed into a program that already runs calls no hook ({issue}), so programs \
                 that wait for commands are asked about when they start (`unverified/interactive`).\n"
            ),
        );
    }
}

fn dialogs(page: &mut String, profile: &Profile) {
    if profile.silent_file_dialogs {
        page.push_str(
            "- The dialogs of file tools show the reason of an ask only after Yes. So the guard asks there only about \
             the file itself, which the dialog names; a finding in the content is a deny, which the user can \
             allow once.\n",
        );
    }
}

fn detection_section(page: &mut String) {
    put(
        page,
        format_args!(
            "\n## Telling the host from the payload\n\nThe host with the highest score is named if it \
             has at least {THRESHOLD} and leads by at least {MARGIN}; otherwise none is.\n\n\
             | Host | Weight | Signal |\n|---|---|---|\n"
        ),
    );
    for id in HostId::ALL {
        for signal in host(id).profile().signals {
            put(page, format_args!("| {id} | {} | {} |\n", signal.weight, signal.what));
        }
    }
    for mark in FOREIGN {
        put(page, format_args!("| none | ends it | {} |\n", mark.what));
    }
}

fn stderr_section(page: &mut String) {
    page.push_str(
        "\n## What stderr means\n\n\
         Diagnostics go to stderr only where the host does not read it: with exit 0 they are printed, with \
         exit 1 (no host could be told, or a mistake in the command line of `run`) they are the error, and \
         with exit 2 they are not printed.\n\n\
         | Host | Exit 0 | Exit 1 | Exit 2 |\n|---|---|---|---|\n",
    );
    for id in HostId::ALL {
        let exits = host(id).profile().exits;
        let (zero, one, two) = (exits.zero, exits.one, exits.two);
        put(page, format_args!("| {} | {zero} | {one} | {two} |\n", id.title()));
    }
}

/// The README's table: one line per unified event with the fields each host honours.
pub fn summary_markdown() -> String {
    let titles: Vec<&str> = HostId::ALL.iter().map(|id| id.title()).collect();
    let mut table = format!("| Unified event | {} |\n", titles.join(" | "));
    table.push_str(&"|---".repeat(titles.len() + 1));
    table.push_str("|\n");
    for kind in EventKind::ALL.into_iter().filter(|kind| *kind != EventKind::Other) {
        let hosts: Vec<String> = HostId::ALL.iter().map(|id| summary_cell(*id, kind)).collect();
        put(&mut table, format_args!("| {kind} | {} |\n", hosts.join(" | ")));
    }
    table
}

/// The fields honoured by the most capable event of this kind.
fn summary_cell(id: HostId, kind: EventKind) -> String {
    let specs = || host(id).events().iter().filter(|spec| spec.kind == kind);
    if specs().next().is_none() {
        return "no such event".to_owned();
    }
    let honours = |pick: fn(&EventSpec) -> &Cap| {
        specs().map(pick).any(|cap| {
            let as_it_is = cap.why.is_empty() && !cap.limit.contains("becomes");
            as_it_is && !matches!(cap.way, Way::Nowhere | Way::As(_))
        })
    };
    let deny = specs().map(|spec| spec.deny.level).max().unwrap_or(Enforcement::None);
    let mut parts = Vec::new();
    if deny != Enforcement::None {
        parts.push(format!("deny {deny}"));
    }
    if honours(|spec| &spec.ask) {
        parts.push("ask".to_owned());
    }
    for (pick, name) in [
        ((|spec| &spec.modified_input) as fn(&EventSpec) -> &Cap, "rewrite"),
        (|spec| &spec.additional_context, "context"),
        (|spec| &spec.user_message, "message"),
    ] {
        if honours(pick) {
            parts.push(name.to_owned());
        }
    }
    if parts.is_empty() { "observe".to_owned() } else { parts.join(", ") }
}

/// Appends to a string, which cannot fail.
fn put(page: &mut String, arguments: std::fmt::Arguments<'_>) {
    page.write_fmt(arguments).unwrap_or_default();
}
