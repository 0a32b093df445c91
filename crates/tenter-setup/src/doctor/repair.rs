//! Applies the fixes of `--fix` and reports them.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::EntryOptions;
use tenter_model::HostId;

use super::exam::Exam;
use super::finding::{Finding, Repair};
use crate::command;
use crate::edit::{self, FoundHook, Hook, Style};
use crate::files::{self, Change};
use crate::survey::{Content, HookFile};

/// Result of one fix.
#[derive(Clone, Debug)]
pub struct Mended {
    /// The check that requested it.
    pub check: &'static str,
    pub file: PathBuf,
    /// Description of what was done, or the error.
    pub result: Result<String, String>,
}

/// What was done.
type Done = Result<String, Box<dyn Error>>;

/// Applies fixes; those that change foreign entries only with consent. Equal fixes are applied once. The
/// caller has held [`files::lock`] since before the checks.
pub fn mend(exam: &Exam<'_>, findings: &[Finding], consent: bool) -> Vec<Mended> {
    let mut done: Vec<&Repair> = Vec::new();
    let mut mended = Vec::new();
    let mut edited: Vec<&Path> = Vec::new();
    for finding in findings {
        let Some(repair) = &finding.repair else { continue };
        if done.contains(&repair) || !(consent || repair.is_safe()) {
            continue;
        }
        done.push(repair);
        let (file, result) = match repair {
            Repair::MakePrivate(path) => (path, make_private(path)),
            Repair::MakeExecutable(path) => (path, make_executable(path)),
            Repair::Remove(path) => (path, remove(path)),
            Repair::PutAside(path) => (path, put_aside(exam, path)),
            Repair::PutBack(path) => (path, put_back(exam, path)),
            Repair::Rewire(path) | Repair::RemoveEntry { file: path, .. } => {
                // All edits of a hook file are made at once.
                if edited.contains(&path.as_path()) {
                    continue;
                }
                edited.push(path);
                (path, edit(exam, path, findings, consent))
            }
        };
        let result = result.map_err(|error| error.to_string());
        mended.push(Mended { check: finding.check.id, file: file.clone(), result });
    }
    mended
}

#[cfg(unix)]
fn make_private(path: &Path) -> Done {
    let mode = if path.is_dir() { 0o700 } else { 0o600 };
    set_mode(path, mode)?;
    Ok(format!("made private (mode {mode:o})"))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Done {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(path)?;
    let mode = found.permissions().mode();
    // Executable for everyone who may read it.
    let mode = mode | ((mode & 0o444) >> 2);
    set_mode(path, mode & 0o7777)?;
    Ok("made executable".to_owned())
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn make_private(_path: &Path) -> Done {
    Err("not known how on this system".into())
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Done {
    Err("not known how on this system".into())
}

fn remove(path: &Path) -> Done {
    let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let removed = if is_folder { std::fs::remove_dir(path) } else { std::fs::remove_file(path) };
    match removed {
        Ok(()) => Ok("removed; the next call makes a new one".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok("gone already".to_owned()),
        Err(error) => Err(error.into()),
    }
}

/// Moves a file to our private backups.
fn put_aside(exam: &Exam<'_>, path: &Path) -> Done {
    let state = exam.places.state.as_ref().ok_or("there is no folder for it")?;
    let folder = state.join("backups");
    let name = path.file_name().ok_or("it has no name")?.to_string_lossy();
    let kept = folder.join(format!("{}-{name}", exam.places.now));
    let moved = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::copy(path, &kept))
        .and_then(|_| std::fs::remove_file(path));
    moved?;
    // The folder is private already; its own mode is a second protection.
    drop(make_private(state));
    drop(make_private(&kept));
    Ok(format!("moved to {}", kept.display()))
}

/// Restores our entries as installed; the rest of the file stays.
fn put_back(exam: &Exam<'_>, path: &Path) -> Done {
    let file = exam.survey.files().find(|file| file.path == path).ok_or("it is gone")?;
    let mut hooks = exam.installed(file).ok_or("the installed entries are not known")?.to_vec();
    let order = order(file.host);
    let place = |key: &String| order.iter().position(|known| known == key).unwrap_or(usize::MAX);
    for hook in &mut hooks {
        hook.fields.sort_by_key(|(key, _)| place(key));
    }
    let before = match &file.content {
        Content::Missing => None,
        _ => Some(file.text().ok_or("it cannot be read")?.to_owned()),
    };
    let style = Style::of(file.host, file.format);
    let ours = |found: &FoundHook| command::ours(found).is_some();
    let text = edit::wire(before.as_deref().unwrap_or_default(), &style, &hooks, &ours);
    let change = Change { path: path.to_owned(), before, after: Some(text?) };
    let check = |_: &Path, text: &str| edit::read(text, &style).map(drop);
    files::apply(&[change], &check, exam.places)?;
    Ok(format!("put {} entries of tenter back", hooks.len()))
}

/// Order of the keys in the host's entries, which the ledger does not keep.
fn order(host: HostId) -> Vec<&'static str> {
    let install = tenter_hosts::host(host).install();
    let Some(wire) = install.wires.first() else { return Vec::new() };
    let draft = EntryOptions { wire, command: "", version: None, fail_closed: true };
    (install.handler)(&draft).into_iter().map(|(key, _)| key).collect()
}

/// Applies all edits of a hook file with the safe writer.
fn edit(exam: &Exam<'_>, path: &Path, findings: &[Finding], consent: bool) -> Done {
    let file = exam.survey.files().find(|file| file.path == path).ok_or("it is gone")?;
    let before = file.text().ok_or("it cannot be read")?;
    let style = Style::of(file.host, file.format);
    let wanted = findings.iter().filter_map(|finding| finding.repair.as_ref());
    let mut text = before.to_owned();
    let mut done = Vec::new();
    let orphans: Vec<&Repair> = wanted
        .clone()
        .filter(|repair| {
            consent && matches!(repair, Repair::RemoveEntry { file, .. } if file == path)
        })
        .collect();
    if !orphans.is_empty() {
        text = edit::unwire(&text, &style, &|found| orphans.iter().any(|it| is_meant(it, found)))?
            .text;
        done.push(match orphans.len() {
            1 => "took 1 entry out".to_owned(),
            count => format!("took {count} entries out"),
        });
    }
    if wanted.clone().any(|repair| matches!(repair, Repair::Rewire(file) if file == path)) {
        let hooks = rewired(exam, file);
        text = edit::wire(&text, &style, &hooks, &|found| command::ours(found).is_some())?;
        done.push(format!("points to {} now", exam.facts.running.display()));
    }
    let change =
        Change { path: path.to_owned(), before: Some(before.to_owned()), after: Some(text) };
    let check = |_: &Path, text: &str| edit::read(text, &style).map(drop);
    // Entries removed with consent must not come back on uninstall.
    let apply = if orphans.is_empty() { files::apply } else { files::apply_for_others };
    let applied = apply(&[change], &check, exam.places)?;
    done.extend(
        applied.backups.iter().map(|(_, kept)| format!("the old file is {}", kept.display())),
    );
    Ok(done.join("; "))
}

fn is_meant(repair: &Repair, found: &FoundHook) -> bool {
    let Repair::RemoveEntry { event, group, handler, command, .. } = repair else { return false };
    found.event == *event
        && (found.group, found.handler) == (*group, *handler)
        && found.command() == Some(command)
}

/// Our hooks of a file, with another program.
fn rewired(exam: &Exam<'_>, file: &HookFile) -> Vec<Hook> {
    let hook = |(found, ours): (&FoundHook, command::Ours)| {
        let running = &exam.facts.running;
        let command = if found.fields.get("args").is_some() {
            running.to_string_lossy().into_owned()
        } else {
            command::line(running, ours.host, &ours.options, exam.places.system)
        };
        let fields = found.fields.as_object().into_iter().flatten().map(|(key, value)| {
            let value = if key == "command" { Value::from(command.clone()) } else { value.clone() };
            (key.clone(), value)
        });
        Hook {
            event: found.event.clone(),
            matcher: found.matcher.clone(),
            fields: fields.collect(),
        }
    };
    file.ours().map(hook).collect()
}
