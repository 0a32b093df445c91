//! Report as JSON.

use serde_json::{Value, json};

use super::View;
use crate::{Finding, Mended};

/// The report as one object; its `version` changes when the meaning of a field changes.
pub fn json(view: &View) -> Value {
    let paths: Vec<String> = view.files.iter().map(|path| path.display().to_string()).collect();
    let notes = view
        .notes
        .iter()
        .map(|(path, text)| json!({ "file": path.display().to_string(), "text": text }));
    json!({
        "version": 1,
        "files": paths,
        "findings": view.report.findings.iter().map(finding).collect::<Vec<Value>>(),
        "fixed": view.mended.iter().map(fixed).collect::<Vec<Value>>(),
        "notes": notes.collect::<Vec<Value>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "id": finding.rule.id,
        "severity": finding.severity.as_str(),
        "host": finding.host.as_str(),
        "file": finding.file.display().to_string(),
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "message": finding.message,
        "cost": finding.cost,
        "fix": finding.fix,
        "fixable": finding.repair.is_some(),
    })
}

fn fixed(mended: &Mended) -> Value {
    json!({
        "id": mended.rule,
        "file": mended.file.display().to_string(),
        "line": mended.line,
        "message": mended.message,
    })
}
