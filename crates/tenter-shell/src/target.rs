//! Targets of effects.

use std::borrow::Cow;
use std::rc::Rc;

use crate::drive::{self, is_windows};
use crate::flow::Source;
use crate::value::{Field, Part};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing in particular.
    None,
    Path(PathTarget),
    /// A host, an address or a URL as written.
    Host(String),
    /// Anything else with a name: a branch, a package, a table, a service, a bucket.
    Name(String),
}

/// A path, absolute and without `.` and `..` as far as that can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTarget {
    pub parts: Vec<PathPart>,
    /// As written in the command.
    pub written: String,
    /// The path with links resolved, if different and the path is exact.
    pub real: Option<String>,
    /// On another machine or in a container, and not shared with this one.
    pub elsewhere: bool,
    /// The only file that the unknown part comes from.
    pub list: Option<Rc<str>>,
}

/// A path is text in which patterns and unknown stretches stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPart {
    Text(String),
    Glob(String),
    Unknown(String),
}

impl Target {
    pub fn name(text: impl Into<String>) -> Self {
        Self::Name(text.into())
    }

    /// Text for people and for `--json`.
    pub fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Path(path) => path.shown(),
            Self::Host(text) | Self::Name(text) => Cow::Borrowed(text),
        }
    }

    pub fn path(&self) -> Option<&PathTarget> {
        match self {
            Self::Path(path) => Some(path),
            _ => None,
        }
    }
}

impl PathTarget {
    /// Makes a path of a field, relative to `cwd` where that is known.
    pub fn resolve(field: &Field, cwd: Option<&str>) -> Self {
        let mut parts = Vec::with_capacity(field.parts.len() + 1);
        let first = field.prefix();
        let starts_unknown = matches!(field.parts.first(), Some(Part::Unknown(_)));
        let windows = is_windows(first);
        let on_drive = windows || cwd.is_some_and(is_windows);
        if !first.starts_with('/') && !starts_unknown && !windows {
            match cwd {
                Some(cwd) => parts.push(PathPart::Text(format!("{}/", cwd.trim_end_matches('/')))),
                None => {
                    parts.push(PathPart::Unknown("$PWD".into()));
                    parts.push(PathPart::Text("/".into()));
                }
            }
        }
        for part in &field.parts {
            // Text that stands together is one part: a plain path then needs no more work.
            if let (Part::Text { text, .. }, Some(PathPart::Text(before))) =
                (part, parts.last_mut())
            {
                before.push_str(text);
                continue;
            }
            match part {
                // Behind the directory it is one text, in which mostly nothing is to be done.
                Part::Text { text, .. } => match parts.last_mut() {
                    Some(PathPart::Text(before)) => before.push_str(text),
                    _ => parts.push(PathPart::Text(text.clone())),
                },
                Part::Glob(pattern) => parts.push(PathPart::Glob(pattern.clone())),
                Part::Unknown(unknown) => {
                    parts.push(PathPart::Unknown(unknown.name.to_string()));
                }
            }
        }
        if on_drive {
            on_one_drive(&mut parts);
        }
        let mut path = Self::of(normalise(parts), field.shown());
        path.list = list_of(field);
        path
    }

    fn of(parts: Vec<PathPart>, written: String) -> Self {
        Self { parts, written, real: None, elsewhere: false, list: None }
    }

    /// A path known from elsewhere; it must be absolute.
    pub fn absolute(path: &str) -> Self {
        Self::of(normalise(vec![PathPart::Text(path.to_owned())]), path.to_owned())
    }

    /// Puts `outside` in place of `inside` where the path is below that; false if it is not.
    pub(crate) fn moved(&mut self, inside: &str, outside: &str) -> bool {
        let alone = self.parts.len() == 1;
        let Some(PathPart::Text(text)) = self.parts.first_mut() else {
            return false;
        };
        let Some(rest) = text.strip_prefix(inside.trim_end_matches('/')) else {
            return false;
        };
        if !rest.is_empty() && !rest.starts_with('/') {
            return false;
        }
        let rest = if rest == "/" && alone { "" } else { rest };
        let whole = format!("{}{rest}", outside.trim_end_matches('/'));
        *text = if whole.is_empty() { "/".to_owned() } else { whole };
        true
    }

    /// The path, if every byte of it is known.
    pub fn exact(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [PathPart::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The path of a folder to work in: exact, or one of `mktemp`, whose made up part stands for itself.
    pub(crate) fn folder(&self) -> Option<Cow<'_, str>> {
        let made = |part: &PathPart| match part {
            PathPart::Text(_) => true,
            PathPart::Unknown(name) => name == "$(mktemp)",
            PathPart::Glob(_) => false,
        };
        match self.exact() {
            Some(path) => Some(Cow::Borrowed(path)),
            None if self.parts.iter().all(made) => {
                Some(self.shown().replace("$(mktemp)", "mktemp").into())
            }
            None => None,
        }
    }

    pub fn has_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, PathPart::Unknown(_)))
    }

    pub fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, PathPart::Glob(_)))
    }

    pub fn shown(&self) -> Cow<'_, str> {
        match self.parts.as_slice() {
            [PathPart::Text(text)] => Cow::Borrowed(text),
            parts => Cow::Owned(
                parts
                    .iter()
                    .map(|part| match part {
                        PathPart::Text(text) | PathPart::Glob(text) | PathPart::Unknown(text) => {
                            text.as_str()
                        }
                    })
                    .collect(),
            ),
        }
    }

    /// Whether the path can be `path` itself: a pattern may match it, an unknown part may be it.
    pub fn may_be(&self, path: &str) -> bool {
        let real = self.real.as_deref().is_some_and(|real| real == path);
        real || crate::glob::parts_match(&self.parts, path)
    }
}

/// The file that an unknown part comes from, if it is one and nothing else.
fn list_of(field: &Field) -> Option<Rc<str>> {
    if !field.has_unknown() {
        return None;
    }
    let mut files = field.flow.sources().iter().filter_map(|source| match source {
        Source::File(file) => Some(Some(file)),
        Source::Variable(_) | Source::Program(_) => None,
        _ => Some(None),
    });
    match (files.next(), files.next()) {
        (Some(Some(file)), None) if is_absolute(file) => Some(Rc::clone(file)),
        _ => None,
    }
}

/// Whether a path begins at a root or at a drive.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

/// Gives a path on Windows its usual form: slashes, and drives as `D:`.
fn on_one_drive(parts: &mut [PathPart]) {
    for (index, part) in parts.iter_mut().enumerate() {
        if let PathPart::Text(text) = part {
            let usual = if index == 0 {
                drive::usual(text, true)
            } else {
                text.contains('\\').then(|| text.replace('\\', "/"))
            };
            *text = usual.unwrap_or_else(|| std::mem::take(text));
        }
    }
}

/// Removes `//`, `.` and `..` from the text, where no pattern or unknown part stands in the way.
/// `..` after a pattern or an unknown part removes that component: a link could lead elsewhere,
/// which the facts about links correct for exact paths.
fn normalise(parts: Vec<PathPart>) -> Vec<PathPart> {
    if let [PathPart::Text(text)] = parts.as_slice()
        && !needs_work(text)
    {
        return parts;
    }
    // Components are separated by slashes in text parts only.
    let mut components: Vec<Vec<PathPart>> = vec![Vec::new()];
    for part in parts {
        let PathPart::Text(text) = part else {
            if let Some(last) = components.last_mut() {
                last.push(part);
            }
            continue;
        };
        for (index, piece) in text.split('/').enumerate() {
            if index > 0 {
                components.push(Vec::new());
            }
            if !piece.is_empty()
                && let Some(last) = components.last_mut()
            {
                last.push(PathPart::Text(piece.to_owned()));
            }
        }
    }
    let rooted = components.first().is_some_and(Vec::is_empty);
    let mut kept: Vec<Vec<PathPart>> = Vec::new();
    for component in components {
        match component.as_slice() {
            [] => {}
            [PathPart::Text(text)] if text == "." => {}
            // Above the start of a path that does not begin at the root nothing is known.
            [PathPart::Text(text)] if text == ".." && (rooted || goes_down(&kept)) => {
                kept.pop();
            }
            // `D:/..` is `D:/`.
            [PathPart::Text(text)] if text == ".." && is_drive(&kept) => {}
            _ => kept.push(component),
        }
    }
    join(&kept, rooted)
}

/// Whether nothing but a drive is kept.
fn is_drive(kept: &[Vec<PathPart>]) -> bool {
    matches!(kept, [only] if matches!(only.as_slice(), [PathPart::Text(text)] if drive::names_drive(text)))
}

/// Whether the last component of a path that does not begin at the root leads down from its start.
fn goes_down(kept: &[Vec<PathPart>]) -> bool {
    let up = |component: &Vec<PathPart>| matches!(component.as_slice(), [PathPart::Text(text)] if text == "..");
    kept.len() > 1 && !kept.last().is_some_and(up)
}

fn needs_work(text: &str) -> bool {
    text.contains("//") || text.contains("/.") || (text.len() > 1 && text.ends_with('/'))
}

fn join(components: &[Vec<PathPart>], rooted: bool) -> Vec<PathPart> {
    let mut parts = Vec::new();
    let mut text = String::new();
    if rooted && components.is_empty() {
        text.push('/');
    }
    for (index, component) in components.iter().enumerate() {
        if rooted || index > 0 {
            text.push('/');
        }
        for part in component {
            match part {
                PathPart::Text(piece) => text.push_str(piece),
                other => {
                    if !text.is_empty() {
                        parts.push(PathPart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(other.clone());
                }
            }
        }
    }
    if !text.is_empty() {
        parts.push(PathPart::Text(text));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn resolved(text: &str, cwd: Option<&str>) -> String {
        PathTarget::resolve(&Field::text(text, Span::default()), cwd).shown().into_owned()
    }

    #[test]
    fn a_path_is_made_absolute_and_plain() {
        assert_eq!(resolved("a/../b", Some("/w")), "/w/b");
        assert_eq!(resolved("..", Some("/w/x")), "/w");
        assert_eq!(resolved("../../../..", Some("/w/x")), "/");
        assert_eq!(resolved("/a//b/./c/", None), "/a/b/c");
        assert_eq!(resolved("/", None), "/");
        assert_eq!(resolved("x", None), "$PWD/x");
        assert_eq!(resolved("../x", None), "$PWD/../x");
        assert_eq!(resolved("../../x", None), "$PWD/../../x");
        assert_eq!(resolved("../x/..", None), "$PWD/..");
        assert_eq!(resolved(".", Some("/w")), "/w");
    }

    #[test]
    fn patterns_and_unknown_parts_stay_where_they_are() {
        let field = Field {
            parts: vec![
                Part::Text { text: "/a/b/../".into(), at: None },
                Part::Glob("*".into()),
                Part::Text { text: "/../c".into(), at: None },
            ],
            ..Field::default()
        };
        assert_eq!(PathTarget::resolve(&field, None).shown(), "/a/c");
    }

    #[test]
    fn a_pattern_may_be_a_protected_path() {
        let field = Field {
            parts: vec![Part::Text { text: "/et".into(), at: None }, Part::Glob("?".into())],
            ..Field::default()
        };
        let path = PathTarget::resolve(&field, None);
        assert!(path.may_be("/etc"));
        assert!(!path.may_be("/etcx"));
        assert!(!path.may_be("/usr"));
    }
}
