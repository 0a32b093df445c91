//! Prints the report as text: by file, with command, verdict and advice.

use std::fmt::Write as _;

use tenter_engine::diagnostic::printable;
use tenter_model::Decision;
use tenter_model::text::{counted, first_chars};
use tenter_setup::scan::{Kind, Severity};

use super::super::Style;
use super::Seen;
use super::judged::{Judged, Opinion, Trust};

/// Maximum number of lines of a command, and of characters of a line.
const MOST_LINES: usize = 6;
const WIDTH: usize = 200;

pub(super) fn render(seen: &Seen, all: bool, style: Style) -> String {
    let shown: Vec<&Judged> =
        seen.items.iter().filter(|item| all || !item.trust.is_given()).collect();
    let mut text = list(&shown, style);
    if !shown.is_empty() {
        text.push('\n');
    }
    remedies(&mut text, &shown, style);
    summary(&mut text, seen, all);
    text
}

/// The advice, once per kind.
fn remedies(text: &mut String, shown: &[&Judged], style: Style) {
    let mut kinds: Vec<Kind> = shown.iter().map(|item| item.item.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return;
    }
    let _ = writeln!(text, "{}", style.paint("1", "what to do"));
    for kind in kinds {
        let _ = writeln!(text, "  {:15} {}", kind.id(), kind.fix());
    }
    text.push('\n');
}

/// Items in file order, under headings.
pub(in super::super) fn list(items: &[&Judged], style: Style) -> String {
    let mut text = String::new();
    let mut file = "";
    for item in items {
        if item.item.file != file {
            file = &item.item.file;
            if !text.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(text, "{}", style.paint("1", &line(file)));
        }
        entry(&mut text, item, style);
    }
    text
}

fn colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Danger => "1;31",
        Severity::Warning => "1;33",
        Severity::Note => "1;36",
    }
}

/// A text of the folder on one line.
fn line(text: &str) -> String {
    printable(text).replace('\n', "\\u{a}")
}

/// One item.
fn entry(text: &mut String, judged: &Judged, style: Style) {
    let item = &judged.item;
    let head = format!("{:7}", judged.severity.as_str());
    let is_said = item.what.ends_with(&format!(" {}", item.name))
        || item.what.contains(&format!("`{}`", item.name));
    let name = if item.name.is_empty() || is_said {
        String::new()
    } else {
        format!(" {}", line(&item.name))
    };
    let _ = writeln!(
        text,
        "  {} {:>4}  {} {}{name}: {}",
        style.paint(colour(judged.severity), &head),
        item.line,
        item.host,
        item.kind.id(),
        line(&item.what)
    );
    if let Some(command) = &item.command {
        code(text, &command.text);
    }
    if let Some(url) = &item.url {
        let _ = writeln!(text, "                {}", line(url));
    }
    if let Some(opinion) = &judged.opinion {
        says(text, opinion, "                ", style);
    }
    for (script, opinion) in item.scripts.iter().zip(&judged.scripts) {
        let hash = first_chars(script.sha256.as_deref().unwrap_or_default(), 12);
        let known = match (&script.problem, hash.is_empty()) {
            (Some(problem), true) => problem.clone(),
            (Some(problem), false) => format!("sha256 {hash}, {problem}"),
            (None, _) => format!("sha256 {hash}"),
        };
        let _ = writeln!(text, "                script {} ({})", line(&script.path), line(&known));
        if let Some(opinion) = opinion {
            says(text, opinion, "                  ", style);
        }
    }
    match judged.trust {
        Trust::Changed => {
            let word = style.paint("1;31", "changed since it was trusted");
            let _ = writeln!(text, "                {word}");
        }
        Trust::Trusted => text.push_str("                trusted\n"),
        Trust::Baseline => text.push_str("                trusted by the baseline\n"),
        Trust::Untrusted => {}
    }
}

fn code(text: &mut String, command: &str) {
    for (index, part) in command.lines().enumerate() {
        if index == MOST_LINES {
            text.push_str("                ...\n");
            return;
        }
        let mut shown: String = printable(part).chars().take(WIDTH).collect();
        if part.chars().count() > WIDTH {
            shown.push_str(" ...");
        }
        let sign = if index == 0 { "$" } else { " " };
        let _ = writeln!(text, "              {sign} {shown}");
    }
}

/// The guard's verdict, if it has one.
fn says(text: &mut String, opinion: &Opinion, margin: &str, style: Style) {
    if opinion.decision.is_none() {
        return;
    }
    let (word, first) = verdict_of(opinion);
    let colour = if opinion.decision == Some(Decision::Deny) { "1;31" } else { "1;33" };
    let _ = writeln!(text, "{margin}guard: {} {}", style.paint(colour, word), line(&first));
}

/// The decision and its main finding.
pub(in super::super) fn verdict_of(opinion: &Opinion) -> (&'static str, String) {
    let word = opinion.decision.map_or("none", Decision::as_str);
    let first = opinion.findings.iter().find(|found| found.level.decision() == opinion.decision);
    let said = first.map(|found| format!("{}: {}", found.rule, found.what)).unwrap_or_default();
    (word, said)
}

fn summary(text: &mut String, seen: &Seen, all: bool) {
    if !seen.skipped.is_empty() {
        let names: Vec<String> = seen.skipped.iter().take(3).map(|name| line(name)).collect();
        let more = if seen.skipped.len() > 3 { ", ..." } else { "" };
        let _ = writeln!(
            text,
            "not looked into: {} of dependencies ({}{more}); --deep looks there too",
            counted(seen.skipped.len(), "folder"),
            names.join(", ")
        );
    }
    let given = seen.items.iter().filter(|item| item.trust.is_given()).count();
    let open: Vec<&Judged> = seen.items.iter().filter(|item| !item.trust.is_given()).collect();
    if given > 0 {
        let hint = if all { "" } else { "; --all shows them" };
        let _ = writeln!(text, "{} trusted and unchanged{hint}", counted(given, "thing"));
    }
    let looked =
        format!("{}, {} for agents", counted(seen.files, "file"), counted(seen.passages, "text"));
    if open.is_empty() {
        let rest = if given > 0 { "else " } else { "" };
        let _ =
            writeln!(text, "nothing {rest}that agents would run or obey by themselves ({looked})");
        return;
    }
    let counts: Vec<String> = [Severity::Danger, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (severity, open.iter().filter(|it| it.severity == severity).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| counted(count, severity.as_str()))
        .collect();
    let mut files: Vec<&str> = open.iter().map(|item| item.item.file.as_str()).collect();
    files.dedup();
    let _ = writeln!(text, "{} in {} ({looked})", counts.join(", "), counted(files.len(), "file"));
    let advice = match open.iter().map(|item| item.severity).max() {
        Some(Severity::Danger) => {
            "do not open this folder with an agent before you have looked at every danger"
        }
        _ => "look at them before you open this folder with an agent",
    };
    let _ = writeln!(text, "{advice}; `tenter trust` remembers what you agree to");
}
