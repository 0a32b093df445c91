//! Classifies Windows paths, in their own notation and in those of WSL, Git Bash and Cygwin.

use super::paths::{components, is_drive};
use super::{Zone, elsewhere, personal, tables};

/// The zone of `C:\Windows`, `/mnt/c/Users/me`, `/c/Windows`, `C:Windows`; `None` if it is not a Windows
/// path.
pub(super) fn zone(text: &str) -> Option<Zone> {
    let mut rest = components(text);
    let first = rest.next()?;
    if is_drive(first) {
        return Some(on_drive(first, rest));
    }
    let mut further = rest.clone();
    match (first, further.next()) {
        ("mnt" | "cygdrive", Some(letter)) if is_letter(letter) => Some(on_drive(letter, further)),
        (letter, Some(tree)) if is_letter(letter) && is_windows_tree(tree) => {
            Some(on_drive(letter, rest))
        }
        // The shell has removed the backslashes.
        _ => rest.find_map(eaten),
    }
}

fn is_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter] if letter.is_ascii_alphabetic())
}

fn is_windows_tree(name: &str) -> bool {
    ["Users", "Temp", "tmp"].iter().any(|tree| name.eq_ignore_ascii_case(tree))
        || tables::WINDOWS.iter().any(|tree| tree.eq_ignore_ascii_case(name))
}

/// The zone of a component such as `WindowsSystem32`, left when the shell removed backslashes.
pub(super) fn eaten(part: &str) -> Option<Zone> {
    let (drive, rest) = part.split_at_checked(2)?;
    let known =
        |tree: &&&str| rest.get(..tree.len()).is_some_and(|start| start.eq_ignore_ascii_case(tree));
    if !is_drive(drive) {
        return None;
    }
    if rest.is_empty() {
        return Some(Zone::Root);
    }
    if rest.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("Users")) {
        return Some(Zone::Home);
    }
    let tree = tables::WINDOWS.iter().find(known);
    Some(if tree.is_some() { Zone::SystemTree } else { Zone::Outside })
}

/// Whether Windows itself is on this drive, as far as its letter tells.
fn is_system_drive(drive: &str) -> bool {
    drive.starts_with(['c', 'C'])
}

fn on_drive<'a>(drive: &str, mut rest: impl Iterator<Item = &'a str> + Clone) -> Zone {
    let Some(first) = rest.next() else {
        return Zone::Root;
    };
    let second = rest.clone().next();
    if first.eq_ignore_ascii_case("Users") || first.eq_ignore_ascii_case("Documents and Settings") {
        let _ = rest.next();
        return match rest.clone().next() {
            None => Zone::Home,
            Some(_) => personal(rest, true),
        };
    }
    // Programs and data that the user keeps on another drive are not the system's.
    let system = is_system_drive(drive) || first.eq_ignore_ascii_case("Windows");
    if system && tables::WINDOWS.iter().any(|tree| tree.eq_ignore_ascii_case(first)) {
        let temp = second.is_some_and(|name| name.eq_ignore_ascii_case("Temp"));
        let mut deeper = rest.clone();
        let _ = deeper.next();
        return match second {
            None => Zone::SystemTree,
            Some(_) if temp && deeper.next().is_some() => Zone::Temporary,
            Some(name) if name.eq_ignore_ascii_case("System32") && deeper.next().is_none() => {
                Zone::SystemTree
            }
            Some(_) => Zone::System,
        };
    }
    let temporary = first.eq_ignore_ascii_case("Temp") || first.eq_ignore_ascii_case("tmp");
    if temporary && second.is_some() {
        return Zone::Temporary;
    }
    elsewhere(std::iter::once(first).chain(rest))
}
