//! `json-syntax`

use std::ops::Range;

use crate::Severity;
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};

rule! {
    /// Text that is not JSON; of Codex's `config.toml`, text that is not TOML.
    ///
    /// Hosts say little or nothing about it: the file is as good as empty, and so is the protection
    /// it was to give.
    ///
    /// Bad:
    /// ```text
    /// { "version": 1 "hooks": {} }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": {} }
    /// ```
    RULE {
        id: "json-syntax",
        summary: "the file is not JSON",
        severity: Severity::Error,
        cost: "no hook of this file runs",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    if model.file.unreadable.is_some() {
        return;
    }
    if let Err(error) = model.parsed {
        if model.is_toml() {
            out.add(&RULE, error.at.clone(), error.message.clone())
                .cost(model.lint().dropped.1)
                .fix("make it valid TOML from here on");
            return;
        }
        let fix = advice(model.text(), &error.message, &error.at);
        out.add(&RULE, error.at.clone(), error.message.clone()).fix(fix);
    }
}

fn advice(text: &str, message: &str, at: &Range<usize>) -> &'static str {
    let here = text.get(at.start..).unwrap_or_default();
    let before = text.get(..at.start).unwrap_or_default().trim_end();
    if message.contains("escape") {
        "write a backslash as `\\\\` inside a JSON string"
    } else if here.starts_with('\'') || message.contains("single-quoted") {
        "use double quotes"
    } else if message.contains("comma") && !here.starts_with(',') {
        "put a comma here"
    } else if here.starts_with(',') {
        "remove the comma"
    } else if message.contains("unterminated") {
        "close it, or find the bracket or quote that was opened one too many"
    } else if message.contains("nesting") {
        "no hook file is nested this deeply: look for repeated brackets"
    } else if message.contains("empty") {
        "write `{ \"hooks\": {} }`, or remove the file"
    } else if before.ends_with(':') {
        "write a value in JSON: a string in double quotes, a number, `true`, `false` or `null`"
    } else {
        "make it valid JSON from here on"
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, findings};
    use tenter_model::HostId;

    #[test]
    fn the_caret_stands_where_the_json_breaks() {
        for host in HostId::ALL {
            assert_ids(host, "{\n  \"hooks\": oops\n}", &["json-syntax 2:12"]);
            assert_ids(host, "", &["json-syntax 1:1"]);
        }
        let found = &findings(HostId::Cursor, "{\n  \"hooks\": oops\n}")[0];
        assert_eq!(found.excerpt, "  2 |   \"hooks\": oops\n    |            ^");
    }

    #[test]
    fn the_advice_fits_the_fault() {
        let fix = |text: &str| findings(HostId::Cursor, text)[0].fix.clone();
        assert!(fix("{\"a\": 1 \"b\": 2}").contains("comma here"));
        assert!(fix("{'a': 1}").contains("double quotes"));
        assert!(fix(r#"{"command": "C:\Users\x"}"#).contains("backslash"));
        assert!(fix("{\"a\": [").contains("close"));
        assert!(fix("{,}").contains("remove the comma"));
        assert!(fix("{\"a\": yes}").contains("true"));
    }

    #[test]
    fn json_is_no_mistake() {
        assert_ids(HostId::Cursor, "{\"version\": 1, \"hooks\": {}}", &[]);
        assert_ids(HostId::Claude, "{}", &[]);
        assert_ids(HostId::Codex, "{}", &[]);
    }
}
