//! The `[[allow]]` tables of the user's own policy file, as text.

use std::path::{Path, PathBuf};

use tenter_policy::policy::{Exception, Layer, LayerText, Origin, Policy};

use crate::error::CommandError;
use crate::guard::{LocalMachine, folders, policies, wiring};

/// The user's policy file and its text; empty if there is none yet.
pub(super) fn own(machine: &LocalMachine) -> Result<(PathBuf, String), CommandError> {
    let Some(config) = &machine.folders.config else {
        return Err(CommandError::internal("no folder for your policy: HOME is not set"));
    };
    let file = config.join(policies::FILE);
    match policies::own(&file) {
        Ok(text) => Ok((file, text)),
        Err(error) if folders::missing(&error) => Ok((file, String::new())),
        Err(error) => Err(CommandError::internal(format!("{}: {error}", file.display()))),
    }
}

pub(super) fn write(machine: &LocalMachine, file: &Path, text: &str) -> Result<(), CommandError> {
    if tenter_setup::harden::is_immutable(file) {
        let why = format!("{} is hardened", file.display());
        return Err(CommandError::failed(why).hint("sudo tenter harden --undo"));
    }
    wiring::by_us(machine, || folders::replace(file, text.as_bytes()))
        .map_err(|error| CommandError::internal(format!("{}: {error}", file.display())))
}

/// The exceptions in a text, with the line of each; none if the text is broken.
pub(super) fn of(file: &Path, text: &str) -> Vec<(u32, Exception)> {
    read(file, text).unwrap_or_default()
}

fn read(file: &Path, text: &str) -> Option<Vec<(u32, Exception)>> {
    let path = file.display().to_string();
    let policy = Policy::load(&[LayerText { layer: Layer::User, path: &path, text: Ok(text) }]);
    let line = |exception: Exception| match exception.origin {
        Origin::File(_, spot) => Some((spot.line, exception)),
        _ => None,
    };
    policy.broken.is_empty().then(|| policy.exceptions.into_iter().filter_map(line).collect())
}

/// The table that begins at this line, numbered from one, with its last line of content.
pub(super) fn table(text: &str, line: u32) -> Option<(usize, usize)> {
    let first = usize::try_from(line).ok()?.checked_sub(1)?;
    let content = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut last = first;
    for (index, line) in text.lines().enumerate().skip(first) {
        if index > first && line.starts_with('[') {
            break;
        }
        if content(line) {
            last = index;
        }
    }
    text.lines().nth(first).filter(|line| line.trim() == "[[allow]]").map(|_| (first, last))
}

/// The text without the table at this line; `None` if more or less than that one would go.
pub(super) fn without(file: &Path, text: &str, line: u32) -> Option<String> {
    let (first, last) = table(text, line)?;
    let mut kept: Vec<&str> = text.split_inclusive('\n').collect();
    let end = last.saturating_add(1).min(kept.len());
    kept.drain(first..end);
    // One blank line between what stood before and after it is enough.
    let is_blank = |line: Option<&&str>| line.is_some_and(|line| line.trim().is_empty());
    if is_blank(kept.get(first)) && (first == 0 || is_blank(kept.get(first.saturating_sub(1)))) {
        kept.remove(first);
    }
    let after = kept.concat();
    let rules = |text: &str, skip: Option<u32>| -> Option<Vec<Exception>> {
        let all = read(file, text)?.into_iter().filter(|(at, _)| Some(*at) != skip);
        Some(all.map(|(_, it)| Exception { origin: Origin::BuiltIn, ..it }).collect())
    };
    (rules(text, Some(line))? == rules(&after, None)?).then_some(after)
}
