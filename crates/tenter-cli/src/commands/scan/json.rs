//! Prints the report as JSON.

use serde_json::{Value, json};
use tenter_model::Decision;
use tenter_setup::scan::{Script, Severity};

use super::Seen;
use super::judged::{Judged, Opinion};

/// The report as one object; its `version` changes when the meaning of a field changes.
pub(super) fn render(seen: &Seen) -> Value {
    let open = |severity: Severity| {
        let fits = |item: &&Judged| !item.trust.is_given() && item.severity == severity;
        seen.items.iter().filter(fits).count()
    };
    json!({
        "version": 1,
        "root": seen.root.display().to_string(),
        "files": seen.files,
        "items": seen.items.iter().map(item).collect::<Vec<Value>>(),
        "not_looked_into": seen.skipped,
        "untrusted": {
            "danger": open(Severity::Danger),
            "warning": open(Severity::Warning),
            "note": open(Severity::Note),
        },
    })
}

fn item(judged: &Judged) -> Value {
    let item = &judged.item;
    let scripts = item.scripts.iter().zip(&judged.scripts);
    json!({
        "file": item.file,
        "line": item.line,
        "kind": item.kind.id(),
        "severity": judged.severity.as_str(),
        "host": item.host,
        "name": item.name,
        "what": item.what,
        "command": item.command.as_ref().map(|command| &command.text),
        "url": item.url,
        "verdict": judged.opinion.as_ref().map(verdict),
        "scripts": scripts.map(|(it, opinion)| script(it, opinion.as_ref())).collect::<Vec<Value>>(),
        "trust": judged.trust.as_str(),
        "fingerprint": judged.fingerprint,
        "fix": item.kind.fix(),
    })
}

fn script(script: &Script, opinion: Option<&Opinion>) -> Value {
    json!({
        "path": script.path,
        "sha256": script.sha256,
        "bytes": script.size,
        "problem": script.problem,
        "verdict": opinion.map(verdict),
    })
}

fn verdict(opinion: &Opinion) -> Value {
    let findings = opinion.findings.iter().map(
        |found| json!({ "rule": found.rule, "level": found.level.as_str(), "what": found.what }),
    );
    json!({
        "decision": opinion.decision.map_or("none", Decision::as_str),
        "findings": findings.collect::<Vec<Value>>(),
    })
}
