//! Classifies paths with patterns or unknown parts.

use tenter_shell::PathTarget;
use tenter_shell::target::PathPart;

use super::{Places, Zone, tables};

/// One component of a path.
#[derive(Clone, Debug, Default)]
struct Piece {
    /// As written, including patterns and names of unknown parts.
    text: String,
    /// Whether it contains known text.
    plain: bool,
    glob: bool,
    unknown: bool,
}

impl Piece {
    /// Whether it is a pattern that matches every name.
    fn takes_all(&self) -> bool {
        self.glob
            && !self.unknown
            && !self.text.is_empty()
            && self.text.bytes().all(|byte| b"*?.[]!^".contains(&byte))
            && self.text.contains('*')
    }

    fn is_exact(&self) -> bool {
        !self.glob && !self.unknown
    }
}

/// Probable meaning of an unknown variable, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Home,
    Workspace,
    Temporary,
    Generated,
    System,
    User,
    Nothing,
}

impl Places<'_> {
    /// Whether the location depends on a value whose name tells nothing.
    pub fn depends(&self, path: &PathTarget) -> bool {
        // A home, whoever the user is.
        if let [PathPart::Text(folder), PathPart::Unknown(_)] = path.parts.as_slice()
            && tables::HOMES.contains(&folder.trim_end_matches('/'))
        {
            return false;
        }
        path.parts.iter().any(|part| match part {
            PathPart::Unknown(name) if default(name).is_some() => meaning(name) == Meaning::Nothing,
            PathPart::Unknown(name) => {
                matches!(meaning(name), Meaning::Nothing | Meaning::Temporary | Meaning::Generated)
            }
            _ => false,
        })
    }

    /// Whether the path is a pattern for everything in a folder.
    pub fn takes_all(&self, path: &PathTarget) -> bool {
        path.has_glob() && pieces(&path.parts).last().is_some_and(Piece::takes_all)
    }

    /// The zone of a path that is not literal.
    pub(super) fn pattern(&self, path: &PathTarget) -> Zone {
        let mut all = pieces(&path.parts);
        for piece in &mut all {
            // `/home/$USER` is a home, whoever it is.
            if piece.unknown && !piece.plain && meaning(&piece.text) == Meaning::User {
                piece.unknown = false;
            }
            // `${OUT:-dist}` counts as its default.
            if piece.unknown
                && !piece.plain
                && let Some(value) = default(&piece.text)
                && meaning(&piece.text) == Meaning::Generated
            {
                (piece.text, piece.unknown) = (value.to_owned(), false);
            }
        }
        if all.iter().skip(1).any(|piece| piece.text == "..") {
            // `$HERE/../dist`
            let made = |piece: &Piece| super::inside(std::iter::once(piece.text.as_str()));
            let generated = all.last().is_some_and(|last| made(last) == Zone::Generated);
            return if generated { Zone::Generated } else { Zone::Unknown };
        }
        match path.parts.first() {
            // `"$BUILD_DIR/"` is `/` if the variable is unset.
            Some(PathPart::Unknown(name))
                if all.len() == 1 && path.written.ends_with('/') && !must_be_set(name) =>
            {
                self.led_by(name, &all).min(Zone::Unknown)
            }
            Some(PathPart::Unknown(name)) => self.led_by(name, &all),
            _ => self.rooted(&all, path),
        }
    }

    /// A path that begins with an unknown value.
    fn led_by(&self, name: &str, all: &[Piece]) -> Zone {
        let Some((first, rest)) = all.split_first() else {
            return Zone::Unknown;
        };
        if first.plain {
            return Zone::Unknown;
        }
        let folder = match meaning(name) {
            Meaning::Home => self.home.unwrap_or("/home/me"),
            Meaning::Workspace => {
                return match self.cwd {
                    Some(cwd) => self.below(cwd, rest, true),
                    None if rest.iter().all(Piece::takes_all) => Zone::Workspace,
                    None => super::inside(rest.iter().map(|piece| piece.text.as_str())),
                };
            }
            // If unset, `$X/*` is everything, unless that is an error.
            Meaning::Temporary if must_be_set(name) => return Zone::Temporary,
            Meaning::Generated if must_be_set(name) => return Zone::Generated,
            _ if !rest.is_empty() && rest.iter().all(Piece::takes_all) => return Zone::Root,
            Meaning::Temporary => return Zone::Temporary,
            Meaning::Generated => return Zone::Generated,
            Meaning::System if rest.is_empty() => return Zone::SystemTree,
            Meaning::System => return Zone::System,
            Meaning::User | Meaning::Nothing if rest.is_empty() => return Zone::Unknown,
            Meaning::User | Meaning::Nothing => {
                let names = rest.iter().map(|piece| piece.text.as_str());
                let zone = super::inside(names);
                // `$X/bin` is the system's own if it is unset.
                let system = matches!(rest, [only] if only.text == "bin") && !must_be_set(name);
                return if zone == Zone::Inside || system {
                    self.below("", rest, false).min(Zone::Unknown)
                } else {
                    zone
                };
            }
        };
        self.below(folder, rest, false)
    }

    /// The zone of `rest` below a known folder.
    fn below(&self, folder: &str, rest: &[Piece], relative: bool) -> Zone {
        let kept = rest.len() - rest.iter().rev().take_while(|piece| piece.takes_all()).count();
        let mut text = folder.trim_end_matches('/').to_owned();
        for piece in rest.iter().take(kept) {
            text.push('/');
            text.push_str(&piece.text);
        }
        if text.is_empty() {
            text.push('/');
        }
        self.exact(&text, if relative { "." } else { &text })
    }

    /// An absolute path.
    fn rooted(&self, all: &[Piece], path: &PathTarget) -> Zone {
        let relative = if path.written.starts_with(['/', '~']) { "/" } else { "." };
        let last = all.iter().rposition(|piece| !piece.takes_all()).map_or(0, |last| last + 1);
        let (kept, stripped) = all.split_at_checked(last).unwrap_or((all, &[]));
        let whole = joined(kept);
        if kept.iter().all(Piece::is_exact) {
            let zone = self.exact(&whole, relative);
            let temporary = tables::TEMPORARY.iter().any(|folder| *folder == whole);
            // Everything in a folder for temporary files includes other users' files.
            return if temporary && !stripped.is_empty() { Zone::Outside } else { zone };
        }
        let mut zone = self.exact(&whole, relative);
        let first = kept.iter().position(|piece| !piece.is_exact()).unwrap_or(0);
        let folder = joined(kept.get(..first).unwrap_or_default());
        let deep = kept.iter().any(|piece| piece.glob && piece.text == "**");
        if deep && !tables::TEMPORARY.contains(&folder.as_str()) {
            zone = zone.min(match self.exact(&folder, relative) {
                Zone::Root | Zone::SystemTree => Zone::System,
                Zone::Home if zone != Zone::Generated => Zone::Personal,
                _ => zone,
            });
        }
        // An unknown last component may be empty, which means the folder itself, except in a folder for
        // temporary files.
        let open = kept.last().is_some_and(|piece| piece.unknown && !piece.plain);
        if open && first + 1 == kept.len() && zone != Zone::Temporary {
            zone = zone.min(self.exact(&folder, relative));
        }
        zone.min(self.candidates(&trimmed(path, stripped.len())))
    }

    /// The most severe of the protected places that a pattern may match.
    fn candidates(&self, path: &PathTarget) -> Zone {
        let mut zone = Zone::Nothing;
        // Only places with the pattern's prefix can match.
        let start = match path.parts.first() {
            Some(PathPart::Text(text)) => text.as_str(),
            _ => "",
        };
        let mut consider = |place: &str, its: Zone| {
            if its < zone && place.starts_with(start) && path.may_be(place) {
                zone = its;
            }
        };
        for tree in tables::TREES {
            consider(tree, Zone::SystemTree);
        }
        for homes in tables::HOMES.iter().chain(tables::ROOTS_HOME) {
            consider(homes, Zone::Home);
        }
        // A folder made for temporary files is never the home, even beside it.
        let made =
            |part: &PathPart| matches!(part, PathPart::Unknown(name) if name.contains("mktemp"));
        if let Some(home) = self.home.filter(|_| !path.parts.iter().any(made)) {
            consider(home, Zone::Home);
        }
        for root in &self.roots {
            consider(root, Zone::Workspace);
            let root = root.trim_end_matches('/');
            if start.strip_prefix(root).is_some_and(|rest| "/.git".starts_with(rest)) {
                consider(&format!("{root}/.git"), Zone::Repository);
            }
        }
        zone
    }

    /// Whether a pattern may match `other` or a parent of it.
    pub(super) fn pattern_reaches(path: &PathTarget, other: &str) -> bool {
        let all = pieces(&path.parts);
        let Some(last) = all.iter().rposition(|piece| !piece.takes_all()) else {
            return matches!(path.parts.first(), Some(PathPart::Text(_) | PathPart::Glob(_)));
        };
        // A completely unknown name does not count.
        if all.get(last).is_some_and(|piece| piece.unknown && !piece.plain && !piece.glob) {
            return false;
        }
        let folder = trimmed(path, all.len() - last - 1);
        let mut above = other.trim_end_matches('/');
        loop {
            if folder.may_be(above) || path.may_be(above) {
                return true;
            }
            match above.rfind('/') {
                Some(at) if at > 0 => above = above.get(..at).unwrap_or_default(),
                _ => return false,
            }
        }
    }
}

/// The path without its last parts.
fn trimmed(path: &PathTarget, count: usize) -> PathTarget {
    let mut path = PathTarget { real: None, ..path.clone() };
    for _ in 0..count {
        // Back to the slash before the last name.
        while let Some(part) = path.parts.pop() {
            let cut = match &part {
                PathPart::Text(text) => text.rfind('/').and_then(|at| text.get(..at)),
                PathPart::Glob(glob) if glob == "**/" => Some(""),
                PathPart::Glob(_) | PathPart::Unknown(_) => None,
            };
            if let Some(kept) = cut {
                if !kept.is_empty() {
                    path.parts.push(PathPart::Text(kept.to_owned()));
                }
                break;
            }
        }
    }
    path
}

fn joined(pieces: &[Piece]) -> String {
    let mut text = String::new();
    let drive = pieces.first().is_some_and(|piece| super::paths::is_drive(&piece.text));
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 || !drive {
            text.push('/');
        }
        text.push_str(&piece.text);
    }
    if text.is_empty() {
        text.push('/');
    }
    text
}

fn pieces(parts: &[PathPart]) -> Vec<Piece> {
    let mut all = vec![Piece::default()];
    for part in parts {
        let (text, glob, unknown) = match part {
            PathPart::Text(text) => (text, false, false),
            PathPart::Glob(text) => (text, true, false),
            PathPart::Unknown(text) => (text, false, true),
        };
        if unknown {
            if let Some(last) = all.last_mut() {
                last.text.push_str(text);
                last.unknown = true;
            }
            continue;
        }
        for (index, piece) in text.split(['/', '\\']).enumerate() {
            if index > 0 && all.last().is_some_and(|last| !last.text.is_empty()) {
                all.push(Piece::default());
            }
            if let Some(last) = all.last_mut() {
                last.text.push_str(piece);
                last.glob |= glob && !piece.is_empty();
                last.plain |= !glob && !piece.is_empty();
            }
        }
    }
    all.retain(|piece| !piece.text.is_empty());
    all
}

/// The default of a variable: `dist` in `${OUT:-dist}`.
fn default(name: &str) -> Option<&str> {
    let (_, value) = name.strip_prefix("${")?.strip_suffix('}')?.split_once(":-")?;
    (!value.contains(['$', '`', '/']) && !value.is_empty()).then_some(value)
}

/// Whether the shell stops if the variable is unset: `${X:?}`.
fn must_be_set(name: &str) -> bool {
    name.contains(":?")
}

pub(super) fn meaning(name: &str) -> Meaning {
    if default(name).is_some_and(|value| super::made_again(value) || super::made_in_project(value))
    {
        return Meaning::Generated;
    }
    if name.contains("mktemp") {
        return Meaning::Temporary;
    }
    let name = name.trim_start_matches(['$', '{', '%']);
    let name = name.strip_prefix("env:").unwrap_or(name);
    let end = name.find(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric());
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or(name);
    match name {
        "HOME" | "USERPROFILE" | "HOMEPATH" => return Meaning::Home,
        "PWD" | "GITHUB_WORKSPACE" | "CI_PROJECT_DIR" | "WORKSPACE" | "PROJECT_ROOT" => {
            return Meaning::Workspace;
        }
        "USER" | "LOGNAME" | "USERNAME" | "SUDO_USER" => return Meaning::User,
        "SystemRoot" | "SystemDrive" | "windir" | "ProgramFiles" | "ProgramData" => {
            return Meaning::System;
        }
        _ => {}
    }
    let mut meaning = Meaning::Nothing;
    for word in name.split('_') {
        let is = |known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
        if is(&["tmp", "tmpdir", "temp", "tempdir", "tmpfile", "tempfile", "scratch"]) {
            return Meaning::Temporary;
        }
        if is(&["build", "builddir", "dist", "distdir", "cache", "cachedir", "venv", "coverage"]) {
            meaning = Meaning::Generated;
        }
        // `OUT_DIR`, `TARGET_DIR`: only together with a word for folder.
        if is(&["out", "outdir", "output", "target"]) && name.to_ascii_lowercase().contains("dir") {
            meaning = Meaning::Generated;
        }
    }
    meaning
}
