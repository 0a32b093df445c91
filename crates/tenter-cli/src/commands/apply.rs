//! A plan shown, agreed to and carried out: what `install`, `uninstall` and `init` have in common.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_setup::codex_trust::{self, Status};
use tenter_setup::files::{self, Applied, Lock};
use tenter_setup::plan::{self, Plan, Step};
use tenter_setup::survey::Survey;
use tenter_setup::{Places, edit};

use super::Style;
use crate::guard::human;

/// How a plan is carried out.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) dry_run: bool,
    pub(crate) yes: bool,
    pub(crate) json: bool,
    /// The backups go too, so nobody is sent to them.
    pub(crate) purge: bool,
}

/// Whether this may go on at all. Two set-ups at once would undo each other, so only one goes on.
pub(crate) fn begin(way: &Way, places: &Places) -> Result<Option<Lock>, String> {
    if way.dry_run {
        return Ok(None);
    }
    human::no_agent()?;
    files::lock(places).map(Some).map_err(|trouble| trouble.to_string())
}

/// Says a line to the human.
pub(crate) fn say(text: &str) {
    // A human who cannot be told anything has other troubles.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Shows the plan, asks, and carries it out; `refused` says what a refusal means.
pub(crate) fn carry_out(
    way: &Way,
    plan: &Plan,
    places: &Places,
    question: &str,
    refused: &str,
) -> Result<(), String> {
    let changes = plan.changes();
    let wants_diff = way.dry_run || !way.yes;
    let shown = shown(plan, wants_diff);
    if !way.json && !shown.is_empty() {
        print(&shown);
    }
    let applied = if way.dry_run {
        Applied::default()
    } else {
        // Without a change it still finishes what an earlier run was kept from finishing.
        if !way.yes && changes.iter().any(|change| change.before != change.after) {
            agree(question)?;
        }
        let check = |path: &std::path::Path, text: &str| parses(plan, path, text);
        files::apply_moving(&changes, &plan.moved, &check, places)
            .map_err(|trouble| trouble.to_string())?
    };
    if way.json {
        print(&as_json(way, plan, &applied));
    } else {
        for (path, backup) in applied.backups.iter().filter(|_| !way.purge) {
            say(&format!("the old {} is kept in {}", path.display(), backup.display()));
        }
    }
    for note in &applied.notes {
        say(&printable(note));
    }
    for refusal in &plan.refusals {
        say(&format!("{refused}: {}", printable(&refusal.to_string())));
    }
    Ok(())
}

fn agree(question: &str) -> Result<(), String> {
    if !human::has_terminal() {
        return Err(
            "there is no terminal to ask on; nothing was changed (--yes does it unasked)".into()
        );
    }
    if human::agree(question)? { Ok(()) } else { Err("nothing was changed".to_owned()) }
}

/// What was written must be readable again, or it is put back.
fn parses(plan: &Plan, path: &std::path::Path, text: &str) -> Result<(), String> {
    let Some(step) = plan.steps.iter().find(|step| step.path == path) else { return Ok(()) };
    let style = edit::Style::of(step.host, edit::Format::of(path));
    edit::read(text, &style).map(drop).map_err(|fault| fault.to_string())
}

fn print(text: &str) {
    // What cannot be shown has been said on stderr.
    let _ = super::print(text);
}

/// The plan for people.
fn shown(plan: &Plan, wants_diff: bool) -> String {
    let style = Style::of_stdout();
    let mut text = String::new();
    for step in &plan.steps {
        let title = tenter_hosts::host(step.host).install().title;
        let what = match &step.change {
            None => "already so".to_owned(),
            Some(change) if change.after.is_none() => "removed".to_owned(),
            Some(_) if step.events.is_empty() => "without tenter".to_owned(),
            Some(change) if change.before.is_none() => {
                format!("new file, {} events", step.events.len())
            }
            Some(_) => format!("{} events", step.events.len()),
        };
        let path = step.path.display().to_string();
        let head = format!("{title}, {}: {} ({what})", step.scope, printable(&path));
        let _ = writeln!(text, "{}", style.paint("1", &head));
        if let Some(change) = step.change.as_ref().filter(|_| wants_diff) {
            text.push_str(&coloured(&plan::diff(change), style));
        }
        for note in &step.notes {
            let _ = writeln!(text, "  note: {}", printable(note));
        }
    }
    for change in &plan.own {
        let what = match (&change.before, &change.after) {
            (None, _) => "new file",
            (Some(_), None) => "removed",
            (Some(_), Some(_)) => "changed",
        };
        let head = format!("Policy: {} ({what})", printable(&change.path.display().to_string()));
        let _ = writeln!(text, "{}", style.paint("1", &head));
        if wants_diff {
            text.push_str(&coloured(&plan::diff(change), style));
        }
    }
    if plan.steps.is_empty() && plan.own.is_empty() && plan.refusals.is_empty() {
        text.push_str("nothing to change\n");
    }
    text
}

fn coloured(diff: &str, style: Style) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let code = match line.chars().next() {
            Some('+') => Some("32"),
            Some('-') => Some("31"),
            Some('@') => Some("36"),
            _ => None,
        };
        let line = printable(line);
        let _ = match code {
            Some(code) => writeln!(text, "{}", style.paint(code, &line)),
            None => writeln!(text, "{line}"),
        };
    }
    text
}

fn as_json(way: &Way, plan: &Plan, applied: &Applied) -> String {
    let step = |step: &Step| -> Value {
        let backup = applied.backups.iter().find(|(path, _)| *path == step.path);
        json!({
            "host": step.host.as_str(),
            "scope": step.scope.as_str(),
            "path": step.path.display().to_string(),
            "events": step.events,
            "changed": step.change.is_some() && !way.dry_run,
            "diff": step.change.as_ref().map(plan::diff),
            "backup": backup.map(|(_, backup)| backup.display().to_string()),
            "notes": step.notes,
        })
    };
    let own = |change: &files::Change| {
        json!({
            "path": change.path.display().to_string(),
            "changed": !way.dry_run,
            "diff": plan::diff(change),
        })
    };
    let refused = |refusal: &plan::Refusal| json!({ "host": refusal.host.as_str(), "reason": refusal.message });
    let object = json!({
        "dry_run": way.dry_run,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "own": plan.own.iter().map(own).collect::<Vec<_>>(),
        "refused": plan.refusals.iter().map(refused).collect::<Vec<_>>(),
    });
    object.to_string()
}

/// What Codex thinks of our hooks, and what the user has to do about it.
pub(crate) fn codex(plan: &Plan, survey: &Survey, places: &Places, grant: bool) {
    let step = plan.steps.iter().find(|step| step.host == HostId::Codex);
    // What the administrator lays down is trusted as it is.
    let Some(step) = step.filter(|step| step.scope != Scope::Managed) else { return };
    let now = survey.again(places);
    let Some(state) = now.host(HostId::Codex) else { return };
    let cwd = places.project.as_deref().unwrap_or(&places.root);
    let trust = codex_trust::look(state, places, cwd);
    // One that cannot be granted would keep the others from it.
    let waits = |hook: &&codex_trust::Listed| {
        let is_ours = hook.command == step.command && hook.is_ours(places);
        let waits = hook.status.wants_approval() && hook.status != Status::ProjectUntrusted;
        waits && is_ours && hook.source == step.path
    };
    let keys: Vec<String> = trust.hooks.iter().filter(waits).map(|hook| hook.key.clone()).collect();
    if let Some(why) = &trust.unverified {
        say(&format!("whether Codex trusts these hooks could not be asked: {}", printable(why)));
    }
    let asks = grant && !keys.is_empty();
    if let Some(program) = state.here.program.as_deref().filter(|_| asks) {
        match codex_trust::grant(program, places, cwd, &step.command, &keys) {
            Ok(granted) => {
                say(&format!("Codex trusts these {} hooks from now on", granted.len()));
                return;
            }
            Err(why) => say(&format!("Codex was not told to trust them: {}", printable(&why))),
        }
    }
    if let Some(hint) = codex_trust::approve_hint(&trust.hooks, places) {
        for line in hint.lines() {
            say(&printable(line));
        }
    }
}
