//! Compares paths by components without copying.

use std::str::Split;

/// The components of a path; with a drive letter also split at backslashes.
#[derive(Clone)]
pub(super) struct Components<'a>(Split<'a, fn(char) -> bool>);

impl<'a> Iterator for Components<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0.find(|part| !part.is_empty() && *part != ".")
    }
}

impl Components<'_> {
    /// Steps over the drive at the start of a path, in any form: `D:`, `/d`, `/mnt/d`, `/cygdrive/d`. Returns
    /// its letter in lower case.
    pub(super) fn drive(&mut self) -> Option<u8> {
        let first = self.next()?;
        let name = if matches!(first, "mnt" | "cygdrive") { self.next()? } else { first };
        match name.as_bytes() {
            [letter] | [letter, b':'] if letter.is_ascii_alphabetic() => {
                Some(letter.to_ascii_lowercase())
            }
            _ => None,
        }
    }
}

fn starts_with_drive(path: &Components<'_>) -> bool {
    path.clone().next().is_some_and(is_drive)
}

pub(super) fn components(path: &str) -> Components<'_> {
    let start = path.get(..2).unwrap_or_default();
    let separator: fn(char) -> bool = if is_drive(start) || start == "\\\\" {
        |letter| letter == '/' || letter == '\\'
    } else {
        |letter| letter == '/'
    };
    Components(path.split(separator))
}

/// `C:`
pub(super) fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Relation of two paths.
pub(super) enum Relation<'a> {
    Same,
    /// Inside the other; the remaining components.
    Below(Components<'a>),
    /// A parent of the other.
    Above,
    Apart,
}

pub(super) fn relation<'a>(path: &'a str, other: &'a str, fold: bool) -> Relation<'a> {
    let (mut path, mut other) = (components(path), components(other));
    let mut fold = fold;
    // `D:/x` and `/d/x` or `/mnt/d/x` may be the same place.
    if starts_with_drive(&path) != starts_with_drive(&other) {
        let (mut one, mut two) = (path.clone(), other.clone());
        match (one.drive(), two.drive()) {
            (Some(its), Some(letter)) if its == letter => (path, other, fold) = (one, two, true),
            _ => return Relation::Apart,
        }
    }
    loop {
        let rest = path.clone();
        match (path.next(), other.next()) {
            (None, None) => return Relation::Same,
            (Some(_), None) => return Relation::Below(rest),
            (None, Some(_)) => return Relation::Above,
            (Some(own), Some(its)) => {
                fold |= is_drive(own);
                if !equal(own, its, fold) {
                    return Relation::Apart;
                }
            }
        }
    }
}

pub(super) fn same(path: &str, other: &str, fold: bool) -> bool {
    matches!(relation(path, other, fold), Relation::Same)
}

/// The components from `folder` down to `path`, if it is inside.
pub(super) fn below<'a>(path: &'a str, folder: &'a str, fold: bool) -> Option<Components<'a>> {
    match relation(path, folder, fold) {
        Relation::Below(rest) => Some(rest),
        _ => None,
    }
}

/// Whether `path` equals `folder`: a plain comparison for long tables; both are literal.
pub(super) fn is(path: &str, folder: &str, fold: bool) -> bool {
    path.len() == folder.len() && equal(path, folder, fold)
}

/// Whether `path` is inside `folder`.
pub(super) fn lies_in(path: &str, folder: &str, fold: bool) -> bool {
    path.as_bytes().get(folder.len()) == Some(&b'/')
        && path.get(..folder.len()).is_some_and(|start| equal(start, folder, fold))
}

pub(super) fn equal(one: &str, other: &str, fold: bool) -> bool {
    one == other || (fold && one.eq_ignore_ascii_case(other))
}
