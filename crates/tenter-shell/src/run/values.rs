//! Paths from a file: `rm $(cat list)`, `xargs rm < list`, `while read f; do rm "$f"; done < list`.
//!
//! Where a path comes from one file and nothing else, each line of that file may be it. The file is
//! read only when something happens to such a path.

use super::Machine;
use crate::effect::{Certainty, Effect, Kind};
use crate::span::Span;
use crate::target::{PathPart, PathTarget, Target};
use crate::value::Field;
use crate::world::Use;

/// Lines of one file that are followed, and effects that they add in all.
const MAX_VALUES: usize = 64;
const MAX_ADDED: usize = 256;
/// Files that are read for their lines.
const MAX_LISTS: usize = 8;

impl Machine<'_> {
    /// Adds what happens to the paths that the lists hold.
    pub(super) fn follow_lists(&mut self) {
        let mut lists: Vec<(String, Vec<String>)> = Vec::new();
        let mut more: Vec<Effect> = Vec::new();
        for effect in &self.effects {
            let Some((list, path)) = from_list(effect) else { continue };
            if lists.iter().all(|(known, _)| known != list) {
                if lists.len() >= MAX_LISTS {
                    break;
                }
                let text = self.world.facts.text(list, Use::Values).map(|found| found.text);
                lists.push((list.to_owned(), values(&text.unwrap_or_default())));
            }
            let known = lists.iter().find(|(known, _)| known == list);
            for value in known.map(|(_, values)| values.as_slice()).unwrap_or_default() {
                if more.len() >= MAX_ADDED {
                    break;
                }
                let Some(found) = self.with_value(effect, path, value) else { continue };
                let mut effect = effect.clone();
                effect.certainty = effect.certainty.min(Certainty::Possible);
                effect.target = Target::Path(found);
                more.push(effect);
            }
        }
        self.effects.append(&mut more);
    }

    /// The path with the unknown part replaced by the value.
    fn with_value(&self, effect: &Effect, path: &PathTarget, value: &str) -> Option<PathTarget> {
        let mut whole = String::new();
        let mut open = true;
        for part in &path.parts {
            match part {
                PathPart::Text(text) => whole.push_str(text),
                PathPart::Unknown(_) if std::mem::take(&mut open) => whole.push_str(value),
                _ => return None,
            }
        }
        let ran = effect.command.and_then(|at| self.commands.get(at as usize));
        let cwd = ran.and_then(|ran| ran.cwd.as_deref()).or(self.world.cwd);
        let mut found = PathTarget::resolve(&Field::text(whole, Span::default()), cwd);
        found.real = found.exact().and_then(|exact| {
            let real = self.world.facts.real_path(exact)?;
            (real != exact).then_some(real)
        });
        Some(found)
    }
}

impl Machine<'_> {
    /// Settings of the guard, or folders above them, that a path which is not exact may be.
    pub(crate) fn guarded_by(&self, path: &PathTarget) -> Vec<String> {
        let Some(PathPart::Text(start)) = path.parts.first() else { return Vec::new() };
        if path.elsewhere || path.exact().is_some() {
            return Vec::new();
        }
        let folder = start.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut found: Vec<String> = Vec::new();
        for file in self.world.facts.guarded(folder) {
            let mut name = file.as_str();
            while name.len() > folder.len().saturating_add(1) {
                if path.may_be(name) && !found.iter().any(|known| known == name) {
                    found.push(name.to_owned());
                    break;
                }
                name = name.rsplit_once('/').map_or("", |(above, _)| above);
            }
        }
        found
    }
}

/// The file that the path of an effect comes from.
fn from_list(effect: &Effect) -> Option<(&str, &PathTarget)> {
    let path = effect.target.path().filter(|path| !path.elsewhere && path.has_unknown())?;
    let list = path.list.as_deref()?;
    (effect.kind != Kind::Execute).then_some((list, path))
}

/// The lines of a list, and the paths that stand in longer lines.
fn values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let separators = |letter: char| letter.is_whitespace() || "\"',;=()[]{}<>|".contains(letter);
    for line in text.split(['\n', '\0']).map(str::trim).filter(|line| !line.is_empty()) {
        let parts = line.split(separators);
        let paths = parts.filter(|part| part.len() > 1 && part.contains('/') && *part != line);
        for value in std::iter::once(line).chain(paths) {
            if values.len() >= MAX_VALUES {
                return values;
            }
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn a_list_holds_lines_and_the_paths_in_them() {
        assert_eq!(values("a\n\nb c\n"), ["a", "b c"]);
        assert_eq!(values("x: \"/etc/y\", z\n/a b"), ["x: \"/etc/y\", z", "/etc/y", "/a b", "/a"]);
        assert_eq!(values("a\0/b\0"), ["a", "/b"]);
    }
}
