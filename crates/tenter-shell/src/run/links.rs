//! Patterns below links that were there before.

use super::Machine;
use crate::target::{PathPart, PathTarget};

impl Machine<'_> {
    /// `rm -rf out/*`, where `out` is a link that was there before: the pattern is about where it leads.
    pub(super) fn below_link(&self, path: &mut PathTarget) {
        let folder = path.parts.first().and_then(|part| match part {
            PathPart::Text(text) => text.rsplit_once('/').map(|(folder, _)| folder.to_owned()),
            _ => None,
        });
        let (Some(folder), Some(cwd)) = (folder, self.shell.cwd.as_deref()) else { return };
        let Some(rest) = folder.strip_prefix(cwd).filter(|rest| rest.starts_with('/')) else {
            return;
        };
        let Some(real) = self.world.facts.real_path(&folder) else { return };
        // Where the folder itself is reached through a link, what is in it still is.
        let here = self.world.facts.real_path(cwd).unwrap_or_else(|| cwd.to_owned());
        let inside = real.strip_prefix(here.as_str());
        match inside.filter(|inside| inside.is_empty() || inside.starts_with('/')) {
            Some(inside) if inside == rest => {}
            Some(inside) => drop(path.moved(&folder, &format!("{cwd}{inside}"))),
            None => drop(path.moved(&folder, &real)),
        }
    }
}
