//! The words: what to do instead for the model; what was stopped and how to allow it for the human.

use std::fmt::Write;

use tenter_model::{Decision, Verdict, text};
use tenter_shell::Span;

use crate::finding::Finding;
use crate::level::Level;
use crate::policy::{Layer, Policy};
use crate::scene::Scene;
use crate::secrets::{self, Exposed, Known};

/// Maximum number of findings shown; more are only counted.
const SHOWN: usize = 3;

/// The verdict over a call that is not simply let through.
pub(crate) fn stopped(
    decision: Decision,
    policy: &Policy,
    findings: &[Finding],
    scene: &Scene<'_>,
    code: &str,
) -> Verdict {
    let level = if decision == Decision::Deny { Level::Deny } else { Level::Ask };
    let grave: Vec<&Finding> = findings.iter().filter(|found| found.effective() == level).collect();
    let told = told(&grave);
    let (shown, more) = told.split_at_checked(SHOWN).unwrap_or((&told, &[]));
    let verb = if decision == Decision::Deny { "stopped" } else { "asks about" };
    let mut reason = format!("tenter {verb} this");
    let quotable = secrets::quotable(scene.event, scene.command.as_deref());
    let exposed = Exposed::of(&quotable, &Known { values: scene.world.secrets });
    let mut message = format!("tenter {verb} {}", call(scene, shown, &exposed));
    for (index, (found, rules)) in shown.iter().enumerate() {
        let separator = if index == 0 { ":" } else { ";" };
        let quoted = quoted(found, scene, &exposed);
        let what = plain(&exposed.hide(&found.what));
        let _ = write!(reason, "{separator} {quoted}{what} ({rules})");
        let rule = policy.rule(&found.rule, found.origin).filter(|rule| !rule.message.is_empty());
        let what = rule.map_or(what, |rule| plain(&rule.message));
        let _ = write!(message, "{separator} {quoted}{what} ({rules})");
    }
    if !more.is_empty() {
        let _ = write!(reason, "; and {} more", more.len());
        let _ = write!(message, "; and {} more", more.len());
    }
    reason.push('.');
    message.push('.');
    let mut said: Vec<&str> = Vec::new();
    for (found, _) in shown {
        if !found.instead.is_empty() && !said.contains(&found.instead.as_ref()) {
            let _ = write!(reason, " Instead: {}.", plain(&exposed.hide(&found.instead)));
            said.push(&found.instead);
        }
    }
    let rule = shown.first().map(|(found, _)| found.rule.as_ref()).unwrap_or_default();
    if decision == Decision::Deny {
        reason.push_str(
            " Do not look for another way to the same effect; if it is really needed, ask the user to do \
             it or to allow it.",
        );
    }
    let above = shown.first().and_then(|(found, _)| found.origin.layer());
    let _ = write!(message, " Allow this one call: tenter allow once {code}; ");
    let _ = match above {
        _ if rule == crate::judge::BROKEN => {
            write!(message, "see what to mend: tenter policy check.")
        }
        // Your own policy cannot loosen what stands above it.
        Some(layer @ (Layer::Managed | Layer::Team)) => {
            write!(message, "from now on: ask those who keep the {layer} policy.")
        }
        _ => write!(message, "from now on: tenter allow rule {rule}."),
    };
    beside(findings, shown, &mut message);
    Verdict {
        decision: Some(decision),
        reason: Some(reason),
        user_message: Some(message),
        ..Verdict::none()
    }
}

/// Mentions a broken policy file even where another finding decides.
fn beside(findings: &[Finding], shown: &[(&Finding, String)], message: &mut String) {
    let broken = |found: &&Finding| found.rule == crate::judge::BROKEN;
    let told = shown.iter().any(|(found, _)| broken(found));
    for found in findings.iter().filter(broken).take(usize::from(!told)) {
        let _ = write!(message, " It {}.", plain(&found.what));
    }
}

/// The findings shown, each merged with others on the same words: what several guards report about one thing
/// is shown once, by the most severe.
fn told<'f>(findings: &[&'f Finding]) -> Vec<(&'f Finding, String)> {
    let mut told: Vec<(&Finding, String)> = Vec::new();
    for found in findings {
        let same = |(other, _): &&mut (&Finding, String)| match (found.span, other.span) {
            (Some(span), Some(known)) => span == known,
            (None, None) => !found.subject.is_empty() && found.subject == other.subject,
            _ => false,
        };
        // The origin of code is another matter than its effect, and rules have their own messages.
        let apart = found.by_rule
            || found.rule.starts_with("remote-code/")
            || told.iter().any(|(other, _)| other.by_rule);
        match told.iter_mut().find(same).filter(|_| !apart) {
            Some((_, rules)) => {
                let _ = write!(rules, ", {}", found.rule);
            }
            None => told.push((found, found.rule.to_string())),
        }
    }
    told
}

/// Advice for the model about a text it is about to read.
pub(crate) fn advice(findings: &[&Finding]) -> String {
    let mut text = String::from("tenter:");
    let (shown, more) = findings.split_at_checked(SHOWN).unwrap_or((findings, &[]));
    for (index, found) in shown.iter().enumerate() {
        let separator = if index == 0 { " this" } else { "; it" };
        let _ = write!(text, "{separator} {} ({})", plain(&found.what), found.rule);
    }
    if !more.is_empty() {
        let _ = write!(text, "; and {} more", more.len());
    }
    text.push('.');
    if let Some(found) = shown.iter().find(|found| !found.instead.is_empty()) {
        let _ = write!(text, " {}.", capital(&plain(&found.instead)));
    }
    text
}

/// The quoted program and arguments, followed by a blank, unless they are the whole command.
fn quoted(found: &Finding, scene: &Scene<'_>, exposed: &Exposed<'_>) -> String {
    let Some(span) = found.span else { return String::new() };
    // Code and queries contain no programs: a name or number alone is not informative.
    if scene.analysis.commands.is_empty() {
        return String::new();
    }
    let words = scene.words(around(span, scene)).trim();
    let is_all = scene.command.as_deref().is_some_and(|command| command.trim() == words);
    let is_said = found.what.contains(&format!("`{words}`"));
    let clean = exposed.hide(words);
    // Do not quote text that is only a secret.
    let is_secret = clean != words && clean.starts_with('[') && clean.ends_with(']');
    if words.is_empty() || is_all || is_said || is_secret {
        return String::new();
    }
    format!("`{}` ", excerpt(&clean, scene))
}

/// Extends a span to informative text: the command that it is part of, the commands that it spans, or the
/// whole word.
fn around(span: Span, scene: &Scene<'_>) -> Span {
    let commands = || scene.analysis.commands.iter().map(|ran| ran.span);
    let size = |command: &Span| command.end.saturating_sub(command.start);
    if let Some(command) = commands().filter(|command| command.contains(span)).min_by_key(size) {
        return command;
    }
    let holds = |command: &Span, at| command.start <= at && at <= command.end;
    let first = commands().filter(|command| holds(command, span.start)).min_by_key(size);
    let last = commands().filter(|command| holds(command, span.end)).min_by_key(size);
    let text = scene.command.as_deref().unwrap_or_default();
    let before = text.get(..span.range().start).unwrap_or_default();
    let blank = before.rfind(char::is_whitespace).map_or(0, |at| at.saturating_add(1));
    let word = u32::try_from(blank).unwrap_or(span.start);
    let start = first.map_or(word, |command| command.start);
    Span { start: start.min(span.start), end: last.map_or(span.end, |last| last.end.max(span.end)) }
}

/// A short description of the call.
fn call(scene: &Scene<'_>, told: &[(&Finding, String)], exposed: &Exposed<'_>) -> String {
    if let Some(command) = &scene.command {
        let command = exposed.hide(command);
        let by = scene.mcp.map(|mcp| {
            format!(" by the tool `{}`", excerpt(&exposed.hide(&mcp.canonical()), scene))
        });
        return format!("`{}`{}", excerpt(&command, scene), by.unwrap_or_default());
    }
    if let Some(mcp) = scene.mcp {
        return format!("the tool `{}`", excerpt(&exposed.hide(&mcp.canonical()), scene));
    }
    if let Some(url) = scene.urls.first() {
        return format!("the fetch of `{}`", excerpt(url, scene));
    }
    let file = scene.event.tool_call().and_then(|call| call.files().next());
    match file {
        // The message names the file already.
        Some(file) if told.iter().any(|(found, _)| found.what.contains(file.path)) => {
            format!("this {}", file.op.as_str())
        }
        Some(file) => format!("the {} of `{}`", file.op.as_str(), excerpt(file.path, scene)),
        None if scene.event.tool_call().is_some() => "this call".to_owned(),
        None => "this prompt".to_owned(),
    }
}

/// The start of a text on one line, without secrets and terminal controls.
fn excerpt(text: &str, scene: &Scene<'_>) -> String {
    const LIMIT: usize = 120;
    // Long enough to recognise a secret that the cut would split.
    let start = text::first_chars(text, LIMIT * 8);
    let clean = secrets::redact(start, &Known { values: scene.world.secrets });
    text::shorten(&plain(&clean), LIMIT).into_owned()
}

/// Replaces control and invisible characters, so that a message cannot control the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => ' ',
            character if character.is_control() || text::is_hidden(character) => '\u{fffd}',
            character => character,
        })
        .collect()
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
