//! Paths compared part by part, without making copies.

use std::str::Split;

/// The parts of a path: of one with a drive also between backslashes.
#[derive(Clone)]
pub(super) struct Components<'a>(Split<'a, fn(char) -> bool>);

impl<'a> Iterator for Components<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0.find(|part| !part.is_empty() && *part != ".")
    }
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

/// How one path lies to another.
pub(super) enum Relation<'a> {
    Same,
    /// It is in the other; these parts lead from there to it.
    Below(Components<'a>),
    /// It holds the other.
    Above,
    Apart,
}

pub(super) fn relation<'a>(path: &'a str, other: &'a str, fold: bool) -> Relation<'a> {
    let (mut path, mut other) = (components(path), components(other));
    let mut fold = fold;
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

/// The parts that lead from `folder` down to `path`, if it lies there.
pub(super) fn below<'a>(path: &'a str, folder: &'a str, fold: bool) -> Option<Components<'a>> {
    match relation(path, folder, fold) {
        Relation::Below(rest) => Some(rest),
        _ => None,
    }
}

/// Whether `path` is the known `folder`: a plain comparison, for the long tables. Both are plain.
pub(super) fn is(path: &str, folder: &str, fold: bool) -> bool {
    path.len() == folder.len() && equal(path, folder, fold)
}

/// Whether `path` lies in the known `folder`.
pub(super) fn lies_in(path: &str, folder: &str, fold: bool) -> bool {
    path.as_bytes().get(folder.len()) == Some(&b'/')
        && path.get(..folder.len()).is_some_and(|start| equal(start, folder, fold))
}

pub(super) fn equal(one: &str, other: &str, fold: bool) -> bool {
    one == other || (fold && one.eq_ignore_ascii_case(other))
}
