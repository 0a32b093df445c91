//! Prints a diagnosis as text and JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_model::HostId;
use tenter_model::text::counted;
use tenter_setup::Places;
use tenter_setup::doctor::{Diagnosis, Facts, Finding, Guard, Mended, Repair, Severity};

use super::super::Style;
use super::super::protection::Protection;
use crate::clock::long_ago;
use crate::table::Table;

pub(super) struct View<'v> {
    pub(super) diagnosis: &'v Diagnosis,
    pub(super) mended: &'v [Mended],
    pub(super) facts: &'v Facts,
    pub(super) places: &'v Places,
}

impl View<'_> {
    pub(super) fn human(&self, style: Style) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for mended in self.mended {
            let (word, what) = match &mended.result {
                Ok(done) => (style.paint("1;32", "fixed"), done),
                Err(why) => (style.paint("1;31", "not fixed"), why),
            };
            let file = self.shown(&mended.file);
            let _ = writeln!(text, "{word}[{}]: {file}: {}", mended.check, visible(what));
        }
        if !self.mended.is_empty() {
            text.push('\n');
        }
        let said = said(&self.diagnosis.findings);
        for (finding, message) in &said {
            self.block(&mut text, finding, message, style);
        }
        if !self.diagnosis.guards.is_empty() {
            text.push_str(&self.guards(style));
            text.push('\n');
        }
        text.push_str(&summary(&said));
        text
    }

    fn block(&self, text: &mut String, finding: &Finding, message: &str, style: Style) {
        let code = match finding.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;36",
        };
        let head = format!("{}[{}]", finding.severity.as_str(), finding.check.id);
        let message = style.paint("1", &visible(message));
        let _ = writeln!(text, "{}: {message}", style.paint(code, &head));
        if let Some(place) = &finding.place {
            let _ = write!(text, " --> {}", self.shown(&place.file));
            for number in [place.line, place.column].into_iter().take_while(|number| *number > 0) {
                let _ = write!(text, ":{number}");
            }
            text.push('\n');
        }
        let _ = writeln!(text, "  means: {}", visible(&finding.meaning));
        let by_itself = super::by_itself(finding.repair.as_ref());
        let _ = writeln!(text, "  fix: {}{by_itself}\n", visible(&finding.fix));
    }

    fn guards(&self, style: Style) -> String {
        let mut table = Table::compact(&["guard", "scope", "state", "last fired", "why"]);
        for guard in &self.diagnosis.guards {
            let (state, _) = Protection::of_guard(guard, self.diagnosis);
            let fired = self.last(guard.host).map(|at| long_ago(at, self.places.now));
            table.row(vec![
                guard.host.title().to_owned(),
                guard.scope.to_string(),
                state.word().to_owned(),
                fired.unwrap_or_else(|| "never".to_owned()),
                guard.dead.join(", "),
            ]);
        }
        let colour = |line: &str| match line {
            line if line.contains(" not protected ") => style.paint("31", line),
            line if line.contains(" after approval ") => style.paint("33", line),
            line if line.contains(" protected ") => style.paint("32", line),
            line => line.to_owned(),
        };
        table.render().lines().map(|line| colour(line.trim_end()) + "\n").collect()
    }

    /// Time of the host's last sign of life, in milliseconds since 1970.
    fn last(&self, host: HostId) -> Option<u64> {
        self.facts.signs.iter().filter(|sign| sign.host == host).map(|sign| sign.at_ms).max()
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "version": 1,
            "well": super::is_well(self.diagnosis, self.mended),
            "guards": self.diagnosis.guards.iter().map(|it| self.guard_json(it)).collect::<Vec<_>>(),
            "findings": self.diagnosis.findings.iter().map(finding_json).collect::<Vec<_>>(),
            "fixed": self.mended.iter().map(mended_json).collect::<Vec<_>>(),
        })
    }

    fn guard_json(&self, guard: &Guard) -> Value {
        json!({
            "host": guard.host.as_str(),
            "scope": guard.scope.as_str(),
            "state": Protection::of_guard(guard, self.diagnosis).0,
            "dead": guard.dead,
            "last_fired_ms": self.last(guard.host),
        })
    }

    /// A path for display, relative to the project where possible.
    fn shown(&self, path: &Path) -> String {
        let below = self.places.project.as_deref().and_then(|it| path.strip_prefix(it).ok());
        visible(&below.unwrap_or(path).display().to_string())
    }
}

/// The findings to print: one finding for equal ones at several events of a file.
fn said(findings: &[Finding]) -> Vec<(&Finding, String)> {
    // Splits "`stop`: there is no such program" into event and message.
    fn parts(finding: &Finding) -> Option<(&str, &str)> {
        finding.message.strip_prefix('`')?.split_once("`: ")
    }
    let alike = |one: &Finding, other: &Finding| {
        let file = |finding: &Finding| finding.place.as_ref().map(|place| place.file.clone());
        let rest = |finding: &Finding| parts(finding).map(|(_, rest)| rest.to_owned());
        let same = (one.check.id, one.severity, &one.meaning, &one.fix)
            == (other.check.id, other.severity, &other.meaning, &other.fix);
        same && rest(one).is_some() && rest(one) == rest(other) && file(one) == file(other)
    };
    let mut said: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for finding in findings {
        let event = parts(finding).map(|(event, _)| event);
        match said.iter_mut().find(|(known, _)| alike(known, finding)) {
            Some((_, events)) => events.extend(event),
            None => said.push((finding, event.into_iter().collect())),
        }
    }
    let message = |(finding, events): (&'_ Finding, Vec<&str>)| match parts(finding) {
        Some((_, rest)) => format!("`{}`: {rest}", events.join("`, `")),
        None => finding.message.clone(),
    };
    said.into_iter().map(|(finding, events)| (finding, message((finding, events)))).collect()
}

fn summary(said: &[(&Finding, String)]) -> String {
    if said.is_empty() {
        return "nothing is wrong; `tenter prove` shows that the hooks fire and block\n".to_owned();
    }
    let count = |severity| said.iter().filter(|(finding, _)| finding.severity == severity).count();
    let counts =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(severity, name)| (count(severity), name))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| counted(count, name))
        .collect();
    let mends = |finding: &Finding| finding.repair.as_ref().is_some_and(Repair::is_safe);
    let fixable = said.iter().filter(|(finding, _)| mends(finding)).count();
    let mut text = counts.join(", ");
    if fixable > 0 {
        let _ = write!(text, "; --fix mends {fixable}");
    }
    text + "\n"
}

/// Escapes text from files, so that it cannot break the line or control the terminal.
fn visible(text: &str) -> String {
    printable(text).replace('\n', "\\u{a}")
}

fn finding_json(finding: &Finding) -> Value {
    let place = finding.place.as_ref();
    let number = |number: usize| (number > 0).then_some(number);
    let kills: Vec<Value> = finding
        .kills
        .iter()
        .map(|(host, scope)| json!({ "host": host.as_str(), "scope": scope.as_str() }))
        .collect();
    json!({
        "id": finding.check.id,
        "severity": finding.severity.as_str(),
        "host": finding.host.map(HostId::as_str),
        "scope": finding.scope.map(tenter_hosts::install::Scope::as_str),
        "file": place.map(|place| place.file.display().to_string()),
        "line": place.and_then(|place| number(place.line)),
        "column": place.and_then(|place| number(place.column)),
        "message": finding.message,
        "meaning": finding.meaning,
        "fix": finding.fix,
        "fixable": finding.repair.as_ref().is_some_and(Repair::is_safe),
        "kills": kills,
    })
}

fn mended_json(mended: &Mended) -> Value {
    json!({
        "id": mended.check,
        "file": mended.file.display().to_string(),
        "done": mended.result.as_ref().ok(),
        "failed": mended.result.as_ref().err(),
    })
}
