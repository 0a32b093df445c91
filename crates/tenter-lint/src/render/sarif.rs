//! Report as SARIF 2.1.0, which code hosts show beside the lines.

use std::path::Path;

use serde_json::{Value, json};

use super::View;
use crate::{Finding, RULES, Rule, Severity};

/// A log with one run.
pub fn sarif(view: &View, version: &str) -> Value {
    let results: Vec<Value> =
        view.report.findings.iter().map(|finding| result(view, finding)).collect();
    let artifacts: Vec<Value> =
        view.files.iter().map(|path| json!({ "location": location(view, path) })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "tenter lint",
                "version": version,
                "rules": RULES.iter().map(rule).collect::<Vec<Value>>(),
            }},
            "artifacts": artifacts,
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "%SRCROOT%": { "uri": file_uri(&view.cwd, true) } },
            "results": results,
        }],
    })
}

const fn level(severity: Severity) -> &'static str {
    severity.as_str()
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": super::page::what(rule) },
        "help": { "text": super::page::body(rule), "markdown": super::page::body(rule) },
        "defaultConfiguration": { "level": level(rule.severity) },
    })
}

fn result(view: &View, finding: &Finding) -> Value {
    let index = RULES.iter().position(|rule| rule.id == finding.rule.id);
    let text = format!("{}. Cost: {}. Fix: {}.", finding.message, finding.cost, finding.fix);
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [{ "physicalLocation": {
            "artifactLocation": location(view, &finding.file),
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column,
            },
        }}],
    })
}

/// Relative to the working folder, so that the log is valid on another machine.
fn location(view: &View, path: &Path) -> Value {
    match path.strip_prefix(&view.cwd) {
        Ok(relative) => {
            json!({ "uri": encoded(&relative.display().to_string()), "uriBaseId": "%SRCROOT%" })
        }
        Err(_) => json!({ "uri": file_uri(path, false) }),
    }
}

fn file_uri(path: &Path, folder: bool) -> String {
    let text = encoded(&path.display().to_string());
    let slash = if text.starts_with('/') { "" } else { "/" };
    let end = if folder && !text.ends_with('/') { "/" } else { "" };
    format!("file://{slash}{text}{end}")
}

fn encoded(path: &str) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for byte in path.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let view = View { cwd: "/w".into(), ..View::default() };
        assert_eq!(location(&view, Path::new("/w/a b/x.json"))["uri"], "a%20b/x.json");
        assert_eq!(location(&view, Path::new("/v/x.json"))["uri"], "file:///v/x.json");
        assert_eq!(file_uri(Path::new("/w"), true), "file:///w/");
        assert_eq!(file_uri(Path::new("C:\\w"), false), "file:///C:/w");
        assert_eq!(encoded("ä"), "%C3%A4");
    }
}
