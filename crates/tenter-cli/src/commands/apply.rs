//! Shows a plan, asks, and applies it: shared by `install`, `uninstall` and `init`.

mod loosening;

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_hosts::install::Scope;
use tenter_model::text::counted;
use tenter_setup::codex_trust::{self, Status};
use tenter_setup::doctor;
use tenter_setup::files::{self, Applied, Lock};
use tenter_setup::plan::{self, Plan, Step};
use tenter_setup::survey::Survey;
use tenter_setup::{Places, edit};

use super::Style;
use super::log::text::wrapped;
use crate::error::CommandError;
use crate::guard::human;
use crate::table;

/// How to apply a plan.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) dry_run: bool,
    pub(crate) yes: bool,
    pub(crate) json: bool,
    /// Backups are removed too, so do not mention them.
    pub(crate) purge: bool,
}

/// Takes the install lock; `None` for a dry run. Concurrent installs would undo each other.
pub(crate) fn begin(way: &Way, places: &Places) -> Result<Option<Lock>, CommandError> {
    if way.dry_run {
        return Ok(None);
    }
    human::no_agent()?;
    files::lock(places)
        .map(Some)
        .map_err(|trouble| CommandError::failed(format!("{trouble}; nothing was changed")))
}

/// Prints a line on stderr.
pub(crate) fn say(text: &str) {
    // Ignore write errors: there is nowhere else to report them.
    drop(writeln!(std::io::stderr(), "{}", super::fit::for_stderr(text)));
}

/// Shows the plan, asks, and applies it; `refused` is the message when the user declines.
pub(crate) fn carry_out(
    way: &Way,
    plan: &Plan,
    places: &Places,
    question: &str,
    refused: &str,
) -> Result<Applied, CommandError> {
    let changes = plan.changes();
    let diff = Diff::of(way, plan);
    let shown = shown(plan, diff);
    if !way.json && !shown.is_empty() {
        print(&shown);
    }
    let applied = if way.dry_run {
        Applied::default()
    } else {
        // Even without changes it completes an interrupted earlier run.
        if !way.yes && changes.iter().any(|change| change.before != change.after) {
            agree(question, plan, diff)?;
        }
        if loosening::is(plan) {
            human::may_loosen()?;
        }
        let check = |path: &std::path::Path, text: &str| parses(plan, path, text);
        files::apply_choosing(&changes, &plan.moved, &plan.choices(), &check, places).map_err(
            |trouble| {
                let whole = if trouble.left.is_empty() { "; nothing was changed" } else { "" };
                let is_managed = plan.steps.iter().any(|step| step.scope == Scope::Managed);
                let sudo = if is_managed && doctor::user().is_some_and(|user| user != 0) {
                    "; the administrator's files are written with sudo"
                } else {
                    ""
                };
                CommandError::failed(format!("{trouble}{whole}{sudo}"))
            },
        )?
    };
    if let Some(line) = kept(&applied).filter(|_| !way.purge && !way.json) {
        say(&line);
    }
    for note in &applied.notes {
        say(&printable(note));
    }
    for (step, fault) in plan.steps.iter().filter_map(|step| Some((step, step.fault.as_ref()?))) {
        let title = tenter_hosts::host(step.host).install().title;
        say(&format!("not protected: {title}: {}", printable(fault)));
    }
    for refusal in &plan.refusals {
        say(&format!("{refused}: {}", printable(&refusal.to_string())));
    }
    Ok(applied)
}

/// Prints the result as JSON; `proof` is the proof made by `tenter init`.
pub(crate) fn tell(way: &Way, plan: &Plan, applied: &Applied, proof: Option<Value>) {
    if way.json {
        print(&as_json(way, plan, applied, proof));
    }
}

/// How much of the diff is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Diff {
    None,
    Whole,
    /// Number of lines, shown when the user asks for them.
    OnRequest(usize),
}

impl Diff {
    /// Diffs with more lines are shown on request only, to keep the question on the screen.
    const SHORT: usize = 40;

    fn of(way: &Way, plan: &Plan) -> Self {
        if way.yes && !way.dry_run {
            return Self::None;
        }
        let lines = plan.changes().iter().map(|change| plan::diff(change).lines().count()).sum();
        let asks = !way.dry_run && human::has_terminal();
        if asks && lines > Self::SHORT { Self::OnRequest(lines) } else { Self::Whole }
    }
}

fn agree(question: &str, plan: &Plan, diff: Diff) -> Result<(), CommandError> {
    if !human::has_terminal() {
        return Err(CommandError::failed(
            "there is no terminal to ask on; nothing was changed (--yes does it unasked)",
        ));
    }
    let agreed = match diff {
        Diff::OnRequest(lines) => {
            let question_with_diff = format!("{question} [y/N, d: the diff of {lines} lines]");
            match human::line(&question_with_diff)?.as_deref() {
                Some("d" | "D" | "diff") => {
                    print(&shown(plan, Diff::Whole));
                    human::agree(question)?
                }
                answer => human::is_yes(answer),
            }
        }
        Diff::None | Diff::Whole => human::agree(question)?,
    };
    if agreed { Ok(()) } else { Err(CommandError::failed("nothing was changed")) }
}

/// The folder of the backups.
fn kept(applied: &Applied) -> Option<String> {
    let (path, backup) = applied.backups.first()?;
    Some(match applied.backups.len() {
        1 => format!("the old {} is kept in {}", path.display(), backup.display()),
        count => {
            let folder = backup.parent().unwrap_or(backup);
            format!("the {count} old files are kept in {}", folder.display())
        }
    })
}

/// Checks that a written file can be parsed; if not, it is restored.
fn parses(plan: &Plan, path: &std::path::Path, text: &str) -> Result<(), edit::Fault> {
    let Some(step) = plan.steps.iter().find(|step| step.path == path) else { return Ok(()) };
    let style = edit::Style::of(step.host, edit::Format::of(path));
    edit::read(text, &style).map(drop)
}

fn print(text: &str) {
    // Printing errors were reported on stderr.
    let _ = super::print(text);
}

/// An indented line, wrapped at blanks on a terminal.
fn indented(line: &str) -> String {
    let room =
        std::io::stdout().is_terminal().then(|| usize::from(table::width()).saturating_sub(4));
    let lines = wrapped(&printable(line), room);
    format!("  {}\n", lines.join("\n    "))
}

/// The plan as text.
fn shown(plan: &Plan, diff: Diff) -> String {
    let style = Style::of_stdout();
    let mut text = String::new();
    for step in &plan.steps {
        let title = tenter_hosts::host(step.host).install().title;
        let what = match &step.change {
            None => "already so".to_owned(),
            Some(change) if change.after.is_none() => "removed".to_owned(),
            Some(_) if step.events.is_empty() => "without tenter".to_owned(),
            Some(change) if change.before.is_none() => {
                format!("new file, {}", counted(step.events.len(), "event"))
            }
            Some(_) => counted(step.events.len(), "event"),
        };
        let path = step.path.display().to_string();
        let head = format!("{title}, {}: {} ({what})", step.scope, printable(&path));
        let _ = writeln!(text, "{}", style.paint("1", &head));
        match (&step.change, diff) {
            (Some(change), Diff::Whole) => text.push_str(&coloured(&plan::diff(change), style)),
            (Some(_), Diff::OnRequest(_)) if !step.events.is_empty() => {
                let line = format!("`{}` at {}", step.command, step.events.join(", "));
                text.push_str(&indented(&line));
            }
            _ => {}
        }
        for note in &step.notes {
            text.push_str(&indented(&format!("note: {note}")));
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
        if diff == Diff::Whole {
            text.push_str(&coloured(&plan::diff(change), style));
        }
    }
    for note in &plan.notes {
        text.push_str(indented(note).trim_start());
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

fn as_json(way: &Way, plan: &Plan, applied: &Applied, proof: Option<Value>) -> String {
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
            "fault": step.fault,
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
    let mut object = json!({
        "dry_run": way.dry_run,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "own": plan.own.iter().map(own).collect::<Vec<_>>(),
        "notes": plan.notes,
        "refused": plan.refusals.iter().map(refused).collect::<Vec<_>>(),
    });
    if let (Some(proof), Some(object)) = (proof, object.as_object_mut()) {
        object.insert("proof".to_owned(), proof);
    }
    object.to_string()
}

/// Reports Codex's approval state of our hooks and the user's next step. Approves them if `grant` is set, or
/// if the user at the terminal agrees. False if approval was requested and is missing.
pub(crate) fn codex(way: &Way, plan: &Plan, survey: &Survey, places: &Places, grant: bool) -> bool {
    let step = plan.steps.iter().find(|step| codex_trust::asks(step.host));
    // Managed hooks need no approval.
    let Some(step) = step.filter(|step| step.scope != Scope::Managed) else { return true };
    let now = survey.again(places);
    let Some(state) = now.host(step.host) else { return !grant };
    let cwd = places.project.as_deref().unwrap_or(&places.root);
    let trust = codex_trust::look(state, places, cwd);
    // A hook that cannot be approved would block the others.
    let waits = |hook: &&codex_trust::Listed| {
        let is_ours = hook.command == step.command && hook.is_ours(places);
        let waits = hook.status.wants_approval() && hook.status != Status::ProjectUntrusted;
        waits && is_ours && hook.source == step.path
    };
    let keys: Vec<String> = trust.hooks.iter().filter(waits).map(|hook| hook.key.clone()).collect();
    let unlisted = |hook: &&codex_trust::Listed| {
        hook.status == Status::Unlisted && hook.source == step.path && hook.is_ours(places)
    };
    let is_unlisted = trust.hooks.iter().any(|hook| unlisted(&hook));
    if is_unlisted {
        let hint = codex_trust::unlisted_hint(&step.path, step.scope, places);
        say(&printable(&format!("Codex has not loaded these hooks; {hint}")));
    }
    if let Some(why) = &trust.unverified {
        say(&format!("whether Codex trusts these hooks could not be asked: {}", printable(why)));
    }
    let hint = codex_trust::approve_hint(&trust.hooks, places).unwrap_or_default();
    // First the hooks, then the manual steps.
    let steps = hint.find("\n1. ").map_or(hint.len(), |at| at + 1);
    let (what, how) = hint.split_at_checked(steps).unwrap_or((&hint, ""));
    let program = state.here.program.as_deref().filter(|_| !keys.is_empty());
    let may_ask = !way.yes && !way.json && human::has_terminal();
    let asks = !grant && may_ask && trust.unverified.is_none();
    let mut rest = vec![what, how];
    let mut granted = grant;
    if asks && program.is_some() {
        say_lines(what);
        rest = vec![how];
        let question = "Have Codex trust them now, through its own interface?";
        granted = human::agree(question).unwrap_or(false);
    }
    if let Some(program) = program.filter(|_| granted) {
        match codex_trust::grant(program, places, cwd, &step.command, &keys) {
            Ok(granted) => {
                say(&format!("Codex trusts these {} hooks from now on", granted.len()));
                return true;
            }
            Err(why) => say(&format!("Codex was not told to trust them: {}", printable(&why))),
        }
    }
    rest.into_iter().for_each(say_lines);
    !grant || keys.is_empty() && !is_unlisted && trust.unverified.is_none()
}

fn say_lines(text: &str) {
    for line in text.lines() {
        say(&printable(line));
    }
}
