//! What guards and rules found, with what it means.

use std::ops::Range;

use tenter_audit::record::{Finding, Record};
use tenter_engine::diagnostic::printable;
use tenter_policy::guards::guard;

use super::label;
use super::page::Page;
use crate::commands::log::text::{one_line, width};

/// A long line of a command is cut around the words.
const WIDTH: usize = 120;

pub(super) fn show(page: &mut Page, record: &Record<'_>) {
    if record.findings.is_empty() {
        return;
    }
    page.heading("findings");
    for found in &record.findings {
        finding(page, record.command(), found);
    }
}

fn finding(page: &mut Page, command: Option<&str>, found: &Finding<'_>) {
    let style = page.style;
    let colour = if found.excepted.is_none() { label::colour(&found.level) } else { "2" };
    let level = style.paint(colour, &format!("{:4}", one_line(&found.level)));
    let rule = style.paint("1", &one_line(&found.rule));
    let what = one_line(found.what.as_deref().unwrap_or_default());
    page.line(&format!("{level}  {rule}  {what}"));
    if let Some((line, marks)) = marked(command, found.span) {
        page.line(&format!("      {line}"));
        page.line(&format!("      {}", style.paint(colour, &marks)));
    } else if let Some(subject) = found.subject.as_deref().filter(|it| !it.is_empty()) {
        page.prose(8, &format!("about: {}", one_line(subject)));
    }
    let (id, check) = found.rule.split_once('/').unwrap_or((&found.rule, ""));
    let guard = guard(id);
    if let Some(check) = guard.and_then(|guard| guard.check(check))
        && !what.contains(check.title)
    {
        page.prose(8, &format!("means: {}", check.title));
    }
    if let Some(instead) = found.instead.as_deref().filter(|it| !it.is_empty()) {
        page.prose(8, &format!("instead: {}", one_line(instead)));
    }
    if let Some(reason) = &found.excepted {
        page.prose(8, &format!("let through: {}", one_line(reason)));
    }
    let more = match guard {
        Some(guard) => format!("{}; more: tenter policy guards {id}", guard.title),
        None => "no guard of ours: a rule of the policy, or a failure on the way".to_owned(),
    };
    page.line(&format!("      {}", style.paint("2", &more)));
}

/// The line of the command that a finding stands in, and marks under its words.
fn marked(command: Option<&str>, span: Option<(u64, u64)>) -> Option<(String, String)> {
    let command = command?;
    let (start, end) = span?;
    let range: Range<usize> = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
    let before = command.get(..range.start)?;
    let after = command.get(range.end..)?;
    let words = command.get(range)?;
    let lead = before.rsplit('\n').next()?;
    let (words, goes_on) = match words.split_once('\n') {
        Some((first, _)) => (first, true),
        None => (words, false),
    };
    let rest = if goes_on { "" } else { after.split('\n').next()? };
    let skip = lead.chars().count().saturating_sub(WIDTH / 2);
    let dots = if skip > 0 { "\u{2026}" } else { "" };
    let shown = |letters: String| printable(&letters.replace('\t', " ")).into_owned();
    let lead = format!("{dots}{}", shown(lead.chars().skip(skip).collect()));
    let words = shown(words.chars().take(WIDTH).collect());
    let room = WIDTH.saturating_sub(width(&lead).saturating_add(width(&words)));
    let tail = shown(rest.chars().take(room).collect());
    let marks = " ".repeat(width(&lead)) + &"^".repeat(width(&words).max(1));
    Some((format!("{lead}{words}{tail}"), marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_marked_in_their_line() {
        let at = |command: &str, words: &str| {
            let start = command.find(words).unwrap();
            let span = (start as u64, (start + words.len()) as u64);
            let (line, marks) = marked(Some(command), Some(span)).unwrap();
            format!("{line}\n{marks}")
        };
        assert_eq!(at("cd x; rm -rf y; ls", "rm -rf y"), "cd x; rm -rf y; ls\n      ^^^^^^^^");
        assert_eq!(at("one\n\ttwo three\nfour", "two"), " two three\n ^^^");
        assert_eq!(at("a <<E\nx\nE", "<<E\nx"), "a <<E\n  ^^^");
        assert_eq!(at("echo 表; rm y", "rm y"), "echo 表; rm y\n         ^^^^");
        let long = format!("echo {}; rm y", "x".repeat(200));
        assert!(at(&long, "rm y").starts_with("\u{2026}xxx"));
        assert_eq!(marked(Some("ls"), Some((1, 9))), None);
        assert_eq!(marked(Some("ls"), Some((2, 1))), None);
        assert_eq!(marked(Some("ä"), Some((1, 2))), None);
    }
}
