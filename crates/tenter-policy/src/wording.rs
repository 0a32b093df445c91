//! The words: what to do instead for the model; what was stopped and how to allow it for the human.

use std::fmt::Write;

use tenter_model::{Decision, Verdict};

use crate::finding::Finding;
use crate::level::Level;
use crate::policy::Policy;
use crate::scene::Scene;
use crate::secrets::{self, Exposed, Known};

/// More findings than this are only counted.
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
    let (shown, more) = grave.split_at_checked(SHOWN).unwrap_or((&grave, &[]));
    let verb = if decision == Decision::Deny { "stopped" } else { "asks about" };
    let mut reason = format!("tenter {verb} this");
    let mut message = format!("tenter {verb} {}", call(scene));
    let command = scene.command.as_deref().unwrap_or_default();
    let exposed = Exposed::of(command, &Known { values: scene.world.secrets });
    for (index, found) in shown.iter().enumerate() {
        let separator = if index == 0 { ":" } else { ";" };
        let quoted = quoted(found, scene, &exposed);
        let what = plain(&exposed.hide(&found.what));
        let _ = write!(reason, "{separator} {quoted}{what} ({})", found.rule);
        let rule = policy.rule(&found.rule, found.origin).filter(|rule| !rule.message.is_empty());
        let what = rule.map_or(what, |rule| plain(&rule.message));
        let _ = write!(message, "{separator} {quoted}{what} ({})", found.rule);
    }
    if !more.is_empty() {
        let _ = write!(reason, "; and {} more", more.len());
        let _ = write!(message, "; and {} more", more.len());
    }
    reason.push('.');
    message.push('.');
    let mut said: Vec<&str> = Vec::new();
    for found in shown {
        if !found.instead.is_empty() && !said.contains(&found.instead.as_ref()) {
            let _ = write!(reason, " Instead: {}.", plain(&exposed.hide(&found.instead)));
            said.push(&found.instead);
        }
    }
    let rule = shown.first().map(|found| found.rule.as_ref()).unwrap_or_default();
    if decision == Decision::Deny {
        reason.push_str(
            " Do not look for another way to the same effect; if it is really needed, ask the user to do \
             it or to allow it.",
        );
    }
    let _ = write!(
        message,
        " Allow this one call: tenter allow once {code}; from now on: tenter allow rule {rule}."
    );
    Verdict {
        decision: Some(decision),
        reason: Some(reason),
        user_message: Some(message),
        ..Verdict::none()
    }
}

/// What the model should know about a text it is about to read.
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

/// The program and arguments that say it, with a blank behind them, if they are not all there is.
fn quoted(found: &Finding, scene: &Scene<'_>, exposed: &Exposed<'_>) -> String {
    let Some(span) = found.span else { return String::new() };
    // A finding often stands on one argument, which alone says little.
    let commands = scene.analysis.commands.iter().map(|ran| ran.span);
    let around = commands.filter(|command| command.contains(span));
    let span =
        around.min_by_key(|command| command.end.saturating_sub(command.start)).unwrap_or(span);
    let words = scene.words(span);
    let is_all = scene.command.as_deref().is_some_and(|command| command.trim() == words.trim());
    let is_said = found.what.contains(&format!("`{words}`"));
    let clean = exposed.hide(words);
    // Nothing is said by what is nothing but a secret.
    let is_secret = clean != words && clean.starts_with('[') && clean.ends_with(']');
    if words.is_empty() || is_all || is_said || is_secret {
        return String::new();
    }
    format!("`{}` ", excerpt(&clean, scene))
}

/// What was about to happen, in a few words.
fn call(scene: &Scene<'_>) -> String {
    if let Some(command) = &scene.command {
        return format!("`{}`", excerpt(command, scene));
    }
    if let Some(mcp) = scene.mcp {
        return format!("the tool `{}`", plain(&mcp.canonical()));
    }
    if let Some(url) = &scene.url {
        return format!("the fetch of `{}`", excerpt(url, scene));
    }
    let file = scene.event.tool_call().and_then(|call| call.files().next());
    match file {
        Some(file) => format!("the {} of `{}`", file.op.as_str(), excerpt(file.path, scene)),
        None if scene.event.tool_call().is_some() => "this call".to_owned(),
        None => "this prompt".to_owned(),
    }
}

/// The start of a text on one line, without its secrets and without characters that a terminal
/// would obey.
fn excerpt(text: &str, scene: &Scene<'_>) -> String {
    const LIMIT: usize = 120;
    // Enough to recognise a secret that the cut would tear.
    let end = text.char_indices().nth(LIMIT * 8).map_or(text.len(), |(at, _)| at);
    let start = text.get(..end).unwrap_or(text);
    let clean = secrets::redact(start, &Known { values: scene.world.secrets });
    let mut shown = plain(&clean);
    if let Some((at, _)) = shown.char_indices().nth(LIMIT) {
        shown.truncate(at);
        shown.push_str("...");
    }
    shown
}

/// Control and invisible characters replaced, so that no message can draw on a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => ' ',
            '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => '\u{fffd}',
            character if character.is_control() => '\u{fffd}',
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
