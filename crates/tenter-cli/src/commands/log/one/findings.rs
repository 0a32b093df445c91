//! Prints findings of guards and rules with their explanations.

use tenter_audit::record::{FindingRecord, Record};
use tenter_policy::guards::guard;

use super::label;
use super::page::Page;
use crate::commands::log::text::{marked, one_line, width};

pub(super) fn show(page: &mut Page, record: &Record<'_>) {
    if record.findings.is_empty() {
        return;
    }
    page.heading("findings");
    for found in &record.findings {
        finding(page, record.command(), found);
    }
}

fn finding(page: &mut Page, command: Option<&str>, found: &FindingRecord<'_>) {
    let style = page.style;
    let colour = if found.excepted.is_none() { label::colour(&found.level) } else { "2" };
    let level = style.paint(colour, &format!("{:4}", one_line(&found.level)));
    let rule = style.paint("1", &one_line(&found.rule));
    let what = one_line(found.what.as_deref().unwrap_or_default());
    let head = width(&found.rule).saturating_add(width(&what)).saturating_add(10);
    if page.has_room(head) {
        page.line(&format!("{level}  {rule}  {what}"));
    } else {
        page.line(&format!("{level}  {rule}"));
        page.prose(8, &what);
    }
    let words = found
        .span
        .and_then(|(start, end)| Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
    if let Some((line, marks)) = command.zip(words).and_then(|(text, words)| marked(text, words)) {
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
    page.aside(8, &more);
}
