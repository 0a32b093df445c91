//! Records as CSV: `export --format csv` and `log --csv`.
//!
//! RFC 4180 with line feeds. A value that a spreadsheet would treat as a formula is prefixed with an
//! apostrophe, and control characters are escaped.

use tenter_audit::memory;
use tenter_audit::record::Record;
use tenter_engine::diagnostic::printable;
use tenter_model::time;

/// The columns in order. New ones are only appended.
pub(crate) const COLUMNS: &[&str] = &[
    "id",
    "time",
    "host",
    "session",
    "turn",
    "agent",
    "event",
    "native_event",
    "tool",
    "decision",
    "enforcement",
    "rules",
    "subject",
    "folder",
    "model",
    "exit_code",
    "duration_ms",
    "policy",
];

/// The header line.
pub(crate) fn header() -> String {
    let mut line = COLUMNS.join(",");
    line.push('\n');
    line
}

/// A record as one row. Absent fields are empty.
pub(crate) fn row(record: &Record<'_>) -> String {
    let mut rules: Vec<&str> = record.findings.iter().map(|found| found.rule.as_ref()).collect();
    rules.sort_unstable();
    rules.dedup();
    let number = |number: &Option<serde_json::Number>| {
        number.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    let mut line = record.seq.to_string();
    let mut plain = |text: &str| {
        line.push(',');
        line.push_str(text);
    };
    plain(&time::stamp(record.at));
    let mut text = |text: &str| plain(&field(text));
    text(&record.host);
    text(record.session_id.as_deref().unwrap_or_default());
    text(record.turn_id.as_deref().unwrap_or_default());
    text(record.agent.id.as_deref().or(record.agent.kind.as_deref()).unwrap_or_default());
    text(&record.event);
    text(&record.native_event);
    text(record.tool.as_deref().unwrap_or_default());
    text(memory::told(record));
    text(&record.enforcement);
    text(&rules.join(" "));
    text(&record.subject());
    text(record.cwd.as_deref().unwrap_or_default());
    text(record.model.as_deref().unwrap_or_default());
    // Numbers need no escaping, and a minus sign is no formula.
    plain(&number(&record.exit_code));
    plain(&number(&record.duration_ms));
    plain(&field(&record.policy));
    line.push('\n');
    line
}

/// One text as a field.
fn field(text: &str) -> String {
    let shown = printable(text);
    // Spreadsheets ignore blanks before a formula.
    let is_formula = shown.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let mark = if is_formula { "'" } else { "" };
    if shown.contains([',', '"', '\n', ';', '\'']) || shown.trim() != shown {
        format!("\"{mark}{}\"", shown.replace('"', "\"\""))
    } else {
        format!("{mark}{shown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_quoted_where_it_must_be() {
        for (text, wanted) in [
            ("", ""),
            ("ls -la", "ls -la"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            (" led by a blank", "\" led by a blank\""),
            ("=1+1", "'=1+1"),
            ("-rf", "'-rf"),
            ("@x,y", "\"'@x,y\""),
            (" \n=cmd()", "\"' \n=cmd()\""),
            ("\t+1", "\\u{9}+1"),
            ("a\u{1b}[31mb\r", "a\\u{1b}[31mb\\u{d}"),
        ] {
            assert_eq!(field(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_row_has_a_field_for_every_column() {
        let line = r#"{"v":1,"at":1763300894123,"level":"standard","host":"claude","event":"PostToolUse","native_event":"PostToolUse","session_id":"s","turn_id":"t","tool":"Bash","actions":[{"do":"shell","command":"=rm","cwd":"/w"}],"cwd":"/w","model":"m","exit_code":-1,"duration_ms":1.5,"decision":"deny","enforcement":"hard","policy":"p","findings":[{"rule":"b/2","level":"deny"},{"rule":"a/1","level":"ask"},{"rule":"b/2","level":"log"}],"agent":{"type":"Explore"},"seq":7}"#;
        let record = Record::parse(line).unwrap();
        assert_eq!(
            row(&record),
            "7,2025-11-16T13:48:14.123Z,claude,s,t,Explore,PostToolUse,PostToolUse,Bash,deny,hard,\
             a/1 b/2,'=rm,/w,m,-1,1.5,p\n"
        );
        let fields = row(&Record::default()).matches(',').count();
        assert_eq!(fields, header().matches(',').count());
        assert_eq!(fields + 1, COLUMNS.len());
    }
}
