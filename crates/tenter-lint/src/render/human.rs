//! Report as text for people.

use std::fmt::Write;

use tenter_model::text::counted;

use super::View;
use crate::{Finding, Severity};

/// Escape sequences, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Colour,
}

impl Style {
    fn paint(self, severity: Severity, text: &str) -> String {
        let code = match (self, severity) {
            (Self::Plain, _) => return text.to_owned(),
            (Self::Colour, Severity::Error) => "1;31",
            (Self::Colour, Severity::Warning) => "1;33",
            (Self::Colour, Severity::Note) => "1;36",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn strong(self, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\u{1b}[1m{text}\u{1b}[0m"),
        }
    }
}

/// Every finding with position, source line, cost and fix, then a summary line.
pub fn human(view: &View, style: Style) -> String {
    let mut text = String::new();
    for mended in &view.mended {
        let place = format!("{}:{}", view.shown(&mended.file), mended.line);
        line(&mut text, &format!("fixed[{}]: {place}: {}", mended.rule, mended.message));
    }
    if !view.mended.is_empty() {
        text.push('\n');
    }
    for finding in &view.report.findings {
        block(&mut text, view, finding, style);
    }
    for (path, note) in &view.notes {
        line(&mut text, &format!("note: {}: {note}", view.shown(path)));
    }
    text.push_str(&summary(view));
    text
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

fn block(text: &mut String, view: &View, finding: &Finding, style: Style) {
    let head = format!("{}[{}]", finding.severity.as_str(), finding.rule.id);
    let head = style.paint(finding.severity, &head);
    line(text, &format!("{head}: {}", style.strong(&finding.message)));
    let place = (view.shown(&finding.file), finding.start.line, finding.start.column);
    line(text, &format!(" --> {}:{}:{}", place.0, place.1, place.2));
    if !finding.excerpt.is_empty() {
        line(text, &finding.excerpt);
    }
    line(text, &format!("  cost: {}", finding.cost));
    let by_itself = if finding.repair.is_some() { " (--fix does it)" } else { "" };
    line(text, &format!("  fix: {}{by_itself}", finding.fix));
    text.push('\n');
}

fn summary(view: &View) -> String {
    let mut text = String::new();
    let report = &view.report;
    if report.is_clean() {
        for path in &view.files {
            line(&mut text, &format!("looked at {}", view.shown(path)));
        }
        text.push_str("no findings\n");
        return text;
    }
    let counts =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(severity, name)| (report.count(severity), name))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| counted(count, name))
        .collect();
    let fixable = report.findings.iter().filter(|finding| finding.repair.is_some()).count();
    let files = counted(view.files.len(), "file");
    // Writing to a string cannot fail.
    let _ = write!(text, "{} in {files}", counts.join(", "));
    if fixable > 0 {
        let _ = write!(text, "; --fix mends {fixable}");
    }
    text.push('\n');
    text
}
