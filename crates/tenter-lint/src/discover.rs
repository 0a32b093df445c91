//! Finds the hook files that the hosts would read.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{Install, Roots, Scope, System};
use tenter_model::HostId;

use crate::{Options, identify};

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookFiles {
    /// Existing files, including folders and broken links with such a name: those are findings too.
    pub files: Vec<PathBuf>,
    /// Every path that was checked.
    pub looked: Vec<PathBuf>,
}

/// Folders that are skipped: third-party code and build output.
const NOT_ENTERED: &[&str] = &["node_modules", "target", "vendor", "dist", "build"];
const DEPTH: usize = 8;
const MOST_FOLDERS: usize = 20_000;

/// The files of the project around `cwd`, of the user and of the system.
pub fn discover(cwd: &Path, options: &Options) -> HookFiles {
    let mut found = HookFiles::default();
    let root = project_root(cwd, options);
    found.look_in_project(&root);
    for install in installs() {
        with_roots(None, options, |roots| {
            found.look_at((install.file)(roots, Scope::User));
            found.look_at_toml((install.toml)(roots, Scope::User));
        });
    }
    for install in installs() {
        with_roots(None, options, |roots| {
            found.look_at_toml((install.toml)(roots, Scope::Managed));
            for more in (install.more)(roots, Scope::Managed) {
                found.look_at_toml(Some(more));
            }
        });
    }
    for install in installs() {
        let file = with_roots(None, options, |roots| (install.file)(roots, Scope::Managed));
        let drop_in = file.as_ref().map(|path| path.with_extension("d"));
        found.look_at(file);
        for file in drop_in.iter().flat_map(|folder| json_files(folder)) {
            found.look(file);
        }
    }
    found
}

/// The project files in a folder and in every folder below it.
pub fn below(folder: &Path) -> HookFiles {
    let mut found = HookFiles::default();
    let is_dot_folder = installs().any(|install| folder.ends_with(install.folder));
    let top = if is_dot_folder { folder.parent().unwrap_or(folder) } else { folder };
    let mut waiting = vec![(top.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = waiting.pop() {
        seen += 1;
        found.look_in_project(&folder);
        if is_dot_folder || depth == DEPTH || seen >= MOST_FOLDERS {
            continue;
        }
        let mut inner = folders(&folder);
        inner.sort_unstable_by(|one, other| other.cmp(one));
        waiting.extend(inner.into_iter().map(|folder| (folder, depth + 1)));
    }
    // Paths checked in the root folder only: the list for a whole tree would be too long.
    found.looked = in_project(top);
    found
}

impl HookFiles {
    fn look_in_project(&mut self, root: &Path) {
        for path in in_project(root) {
            self.look(path);
        }
        let plugin = root.join("hooks").join("hooks.json");
        let has_manifest = installs().any(|install| {
            let manifest = format!("{}-plugin", install.folder);
            root.join(manifest).join("plugin.json").is_file()
        });
        if has_manifest {
            self.look(plugin);
        }
        for install in installs() {
            let options = Options::default();
            with_roots(Some(root), &options, |roots| {
                self.look_at_toml((install.toml)(roots, Scope::Project));
            });
        }
    }

    fn look_at(&mut self, path: Option<PathBuf>) {
        if let Some(path) = path {
            self.look(path);
        }
    }

    fn look(&mut self, path: PathBuf) {
        if is_there(&path) && !self.files.contains(&path) {
            self.files.push(path.clone());
        }
        self.looked.push(path);
    }

    /// Adds a TOML file only if it contains hooks: most do not.
    fn look_at_toml(&mut self, path: Option<PathBuf>) {
        let Some(path) = path else { return };
        let bytes = crate::read::whole(&path, crate::read::MOST_OF_HOOKS).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let speaks = text.lines().any(|line| {
            let line = line.trim_start().trim_start_matches('[').trim_start();
            line.starts_with("hooks")
        });
        if speaks {
            self.look(path);
        }
    }
}

fn installs() -> impl Iterator<Item = &'static Install> {
    HostId::ALL.into_iter().map(|host| tenter_hosts::host(host).install())
}

fn with_roots<T>(
    project: Option<&Path>,
    options: &Options,
    with: impl FnOnce(&Roots<'_>) -> T,
) -> T {
    let variable = |name: &str| {
        let moved = options.moved.iter().find(|(by, _)| by == name);
        moved.map(|(_, folder)| folder.to_string_lossy().into_owned())
    };
    let home = options.home.as_deref();
    with(&Roots { system: System::HERE, root: Path::new("/"), home, project, variable: &variable })
}

/// Paths of hook files in a project.
fn in_project(root: &Path) -> Vec<PathBuf> {
    let of_host = |install: &Install| {
        with_roots(Some(root), &Options::default(), |roots| {
            let file = (install.file)(roots, Scope::Project);
            file.into_iter().chain((install.more)(roots, Scope::Project)).collect::<Vec<_>>()
        })
    };
    installs().flat_map(of_host).collect()
}

/// Whether the path exists, be it a folder or a broken link.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The nearest folder from `cwd` upwards that has hooks or is a repository root.
fn project_root(cwd: &Path, options: &Options) -> PathBuf {
    let is_root = |folder: &Path| {
        folder.join(".git").exists() || in_project(folder).iter().any(|path| is_there(path))
    };
    let below_home = |folder: &&Path| Some(*folder) != options.home.as_deref();
    let root = cwd.ancestors().take_while(below_home).find(|folder| is_root(folder));
    root.unwrap_or(cwd).to_owned()
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| identify(path, &Options::default()).0.is_some())
        .collect();
    files.sort();
    files
}

/// Subfolders that may contain a project; links are not followed.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            !name.starts_with('.') && !NOT_ENTERED.contains(&name.as_ref())
        })
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lay;

    fn names(found: &[PathBuf], root: &Path) -> Vec<String> {
        let name = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
        found.iter().filter(|path| path.starts_with(root)).map(name).collect()
    }

    #[test]
    fn files_of_project_and_user_are_found_from_a_folder_inside() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        lay(
            root,
            &[
                "home/.cursor/hooks.json",
                "home/.claude/settings.json",
                "home/code/shop/.cursor/hooks.json",
                "home/code/shop/.claude/settings.local.json",
                "home/code/shop/src/x",
            ],
        );
        let options = Options { home: Some(root.join("home")), ..Options::default() };
        let found = discover(&root.join("home/code/shop/src"), &options);
        assert_eq!(
            names(&found.files, root),
            [
                "home/code/shop/.cursor/hooks.json",
                "home/code/shop/.claude/settings.local.json",
                "home/.cursor/hooks.json",
                "home/.claude/settings.json",
            ]
        );
        let none = discover(&root.join("home"), &options);
        assert_eq!(names(&none.files, root).len(), 2, "the home folder is no project");
    }

    #[test]
    fn a_folder_means_the_projects_in_and_below_it() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        lay(
            root,
            &[
                ".cursor/hooks.json",
                "apps/web/.codex/hooks.json",
                "node_modules/x/.cursor/hooks.json",
                "plug/.cursor-plugin/plugin.json",
                "plug/hooks/hooks.json",
                "other/hooks/hooks.json",
            ],
        );
        let wanted = [".cursor/hooks.json", "apps/web/.codex/hooks.json", "plug/hooks/hooks.json"];
        assert_eq!(names(&below(root).files, root), wanted);
        let inside = below(&root.join(".cursor"));
        assert_eq!(names(&inside.files, root), [".cursor/hooks.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_has_the_name_of_a_hook_file_is_found_whatever_it_is() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        lay(root, &[".cursor/x", ".codex/hooks.json/x"]);
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, root.join(name)).unwrap();
        link("nowhere", ".cursor/hooks.json");
        lay(root, &[".claude/x"]);
        link("/dev/zero", ".claude/settings.json");
        link("/dev/zero", ".codex/config.toml");
        let wanted = [".cursor/hooks.json", ".claude/settings.json", ".codex/hooks.json"];
        assert_eq!(names(&below(root).files, root), wanted);
        let found = discover(&root.join(".cursor"), &Options::default());
        assert_eq!(names(&found.files, root), wanted, "they make a project too");
    }
}
