//! Files that run under another name: as a well-known program, through `PATH`, or from an unknown folder.

use super::Machine;
use super::code::is_installed;
use crate::expand::Variable;
use crate::target::{PathPart, PathTarget};
use crate::value::Field;
use crate::world::Use;
use crate::{tools, wrappers};

/// Folders of `PATH` before those of the system that are looked into.
const MAX_FOLDERS: usize = 4;
/// Files of the session that a path may be.
const MAX_CANDIDATES: usize = 4;

impl Machine<'_> {
    /// `./gradlew`, `bin/rails`: the file runs, whatever programs of that name do.
    pub(super) fn run_namesake(&mut self, name: &str, argv: &[Field]) {
        let is_known = tools::find(name).is_some() || wrappers::find(name).is_some();
        let Some(program) = argv.first().filter(|_| is_known) else { return };
        let path = self.path(program);
        if !is_installed(&path) {
            self.run_file_as(name, argv, &path);
        }
    }

    /// `PATH=.:$PATH x.sh`
    pub(super) fn run_through_path(&mut self, name: &str, argv: &[Field]) {
        let assigned = self.assignments.iter().rev().find(|(name, _)| name == "PATH");
        let folders = match (assigned, self.shell.slot("PATH").and_then(|it| it.values.first())) {
            (Some((_, value)), _) | (None, Some(Variable::Scalar(value))) => value.clone(),
            _ => return,
        };
        let known = folders.prefix();
        for folder in known.split(':').take(MAX_FOLDERS) {
            let cut = folders.exact().is_none() && known.ends_with(folder);
            if cut && !folder.is_empty() {
                return;
            }
            let folder = if folder.is_empty() { "." } else { folder };
            let file = Field::text(format!("{folder}/{name}"), folders.span);
            let path = self.path(&file);
            if is_installed(&path) {
                return;
            }
            if self.written(&path).is_none() && self.run_file_as(name, argv, &path) {
                return;
            }
        }
    }

    /// Reads the file as the program that `argv` runs; false if there is nothing to read.
    fn run_file_as(&mut self, name: &str, argv: &[Field], path: &PathTarget) -> bool {
        let span = argv.first().map(|first| first.span).unwrap_or_default();
        let outer = self.opened.take();
        let content = self.on_disk(path, Use::Script, span);
        let found = content.is_some();
        if let Some(content) = content {
            let index = self.record(name, argv);
            self.run_as_program(argv, path, &content, index);
            self.close_script();
        }
        self.opened = outer;
        found
    }

    /// Candidates for an unknown path: files of the session by name, files beside the running script, and
    /// files where the command started.
    pub(super) fn may_stand_for(&self, path: &PathTarget) -> Vec<String> {
        let Some(PathPart::Text(last)) = path.parts.last() else { return Vec::new() };
        let mut folders: Vec<&str> = Vec::new();
        if matches!(path.parts.as_slice(), [PathPart::Unknown(_), PathPart::Text(_)]) {
            folders.extend(self.running_script().and_then(|it| it.rsplit_once('/')).map(|it| it.0));
            folders.extend(self.world.cwd);
            folders.dedup();
        }
        let mut names: Vec<String> = self.world.facts.of_session("/");
        names.retain(|file| path.may_be(file));
        names.truncate(MAX_CANDIDATES);
        for folder in folders {
            let file = PathTarget::absolute(&format!("{folder}/{last}"));
            names.extend(file.exact().map(str::to_owned).filter(|file| !names.contains(file)));
        }
        names
    }

    /// `$BASH_SOURCE`: the script, as `$0` names it.
    pub(super) fn source_file(&self) -> Variable {
        match self.shell.slot("0").and_then(|slot| slot.values.first()) {
            Some(Variable::Scalar(name)) => Variable::Scalar(name.clone()),
            _ => Variable::Unknown,
        }
    }

    /// The folder of the repository around this one, where that can be told.
    pub(crate) fn repository_root(&self) -> Option<String> {
        let mut folder = self.shell.cwd.as_deref().filter(|_| !self.shell.elsewhere)?;
        loop {
            let git = format!("{}/.git", folder.trim_end_matches('/'));
            match self.world.facts.kind(&git)? {
                crate::world::PathKind::Missing => {}
                _ => return Some(folder.to_owned()),
            }
            folder = folder.rsplit_once('/')?.0;
            if folder.is_empty() {
                return None;
            }
        }
    }
}
