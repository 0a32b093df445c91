//! `entry-weakened`

use serde_json::Value;
use tenter_hosts::install::{Install, Role, Shape};

use crate::command;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::{Findings, Repair};
use crate::edit::{FoundHook, Hook};
use crate::plan;
use crate::survey::HookFile;

check! {
    /// Our entries in a file are not what `tenter install` wrote, and the file was changed since.
    ///
    /// The ledger knows the options of the last install, so every entry is compared with what these options
    /// come to: an event that is gone, a matcher or an `if` that keeps calls away, a shorter timeout, `async`,
    /// another command around ours, a missing `failClosed` or `onFailure`. Whatever differs where something can
    /// be stopped is an error: nobody but `tenter install` needs to change these entries. `--fix` puts them back
    /// as they were installed.
    CHECK {
        id: "entry-weakened",
        summary: "somebody changed the entries that `tenter install` wrote",
        severity: Severity::Error,
        fixable: true,
        look,
    }
}

/// Keys without effect on the hook.
const HARMLESS: &[&str] = &["statusMessage", "description", "name"];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files().filter(|file| !file.read_only) {
        let Some(changes) = changes(exam, file) else { continue };
        let Changes { gates, others, line } = changes;
        let finding = |what: &[String]| {
            let finding = CHECK
                .found(format!("changed since it was wired: {}", what.join("; ")))
                .in_file(file, line)
                .fix(install_command(file.host, file.scope));
            match exam.installed(file) {
                Some(_) => finding.repair(Repair::PutBack(file.path.clone())),
                None => finding,
            }
        };
        if !gates.is_empty() {
            out.push(
                finding(&gates)
                    .means("calls may pass that nobody has judged")
                    .kills(file.host, file.scope),
            );
        }
        if !others.is_empty() {
            out.push(
                finding(&others)
                    .severity(Severity::Warning)
                    .means("less is recorded, or a broken guard lets calls pass"),
            );
        }
    }
}

/// Differences at gates and elsewhere, and the line of our first entry.
struct Changes {
    gates: Vec<String>,
    others: Vec<String>,
    line: usize,
}

fn changes(exam: &Exam<'_>, file: &HookFile) -> Option<Changes> {
    let ledger = &exam.facts.ledger;
    let entry = ledger.entry(&file.path).or_else(|| ledger.named(&file.path))?;
    let choice = entry.choice.as_ref()?;
    if entry.leaving || entry.wrote(file.text()?) {
        return None;
    }
    let ours: Vec<(&FoundHook, command::Ours)> = file.ours().collect();
    let (first, program) = ours.first().map(|(found, ours)| (*found, ours.program.clone()))?;
    let install = tenter_hosts::host(file.host).install();
    let version = exam.survey.host(file.host).and_then(|it| it.here.version.as_deref());
    let line = command::line(&program, file.host, &[], exam.places.system);
    let mut changes = Changes { gates: Vec::new(), others: Vec::new(), line: first.line };
    for hook in plan::hooks(install, choice, version, &line) {
        let same = |(found, _): &&(&FoundHook, command::Ours)| found.event == hook.event;
        let found = ours.iter().find(same).map(|(found, _)| *found);
        let is_gate = install.wire(&hook.event).is_some_and(|wire| wire.role == Role::Gate);
        let said = match found {
            None => vec![(format!("`{}` is gone", hook.event), is_gate)],
            Some(found) => {
                let written = entry.hooks.iter().find(|it| it.event == hook.event);
                differences(install, &hook, written, found)
            }
        };
        for (text, is_grave) in said {
            let list = if is_grave { &mut changes.gates } else { &mut changes.others };
            list.push(text);
        }
    }
    (!changes.gates.is_empty() || !changes.others.is_empty()).then_some(changes)
}

/// The differences, and whether they are severe.
fn differences(
    install: &Install,
    hook: &Hook,
    written: Option<&Hook>,
    found: &FoundHook,
) -> Vec<(String, bool)> {
    let event = &hook.event;
    let is_gate = install.wire(event).is_some_and(|wire| wire.role == Role::Gate);
    let mut said = Vec::new();
    let reads_matcher =
        install.wire(event).is_some_and(|wire| wire.by_tool) || install.shape == Shape::Entries;
    if hook.matcher != found.matcher && reads_matcher && !is_all(found.matcher.as_deref()) {
        let now = found.matcher.as_deref().unwrap_or("*");
        said.push((format!("`{event}` is for `{now}` only"), is_gate));
    }
    let wanted = |key: &str| hook.fields.iter().find(|(name, _)| name == key).map(|(_, it)| it);
    for (key, value) in found.fields.as_object().into_iter().flatten() {
        let same = match (key.as_str(), wanted(key)) {
            // A longer timeout is harmless.
            ("timeout", Some(wanted)) => value.as_f64() >= wanted.as_f64() && value.is_number(),
            (_, Some(wanted)) => wanted == value,
            (_, None) => HARMLESS.contains(&key.as_str()) || value == &Value::Bool(false),
        };
        if !same {
            said.push((format!("`{event}` has `{key}`: {value}"), is_gate));
        }
    }
    for (key, _) in hook.fields.iter().filter(|(key, _)| found.fields.get(key).is_none()) {
        // The host may have been updated to a version that supports the key: it was never written, so it is
        // not missing.
        let is_new = install.closing.is_some_and(|it| it.key == key && !it.since.is_empty());
        let was_there = written.is_some_and(|hook| hook.fields.iter().any(|(name, _)| name == key));
        let grave = is_gate && (!is_new || was_there);
        said.push((format!("`{event}` has no `{key}` any more"), grave));
    }
    said
}

fn is_all(matcher: Option<&str>) -> bool {
    matches!(matcher, None | Some("" | "*" | ".*"))
}
