//! Answers the guard's questions about files.
//!
//! A command can name any number of paths, so questions are counted: after [`MOST_WORK`] questions or
//! [`MOST_BYTES`] bytes no more are answered, and the call is judged as unverified.

use std::cell::{Cell, RefCell};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use tenter_files::Whose;
use tenter_shell::{FileFacts, PathKind};

#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Overrides the checked-out branch.
    pub(crate) branch: Option<String>,
    /// Cache of folders with resolved links: a call's paths share few folders.
    followed: RefCell<Vec<(PathBuf, Real)>>,
    /// Files read, with the text of those read twice: a manifest is read once per package.
    texts: RefCell<Vec<Text>>,
    work: Cell<u32>,
    bytes: Cell<usize>,
    exhausted: Cell<bool>,
}

/// A file that was read.
#[derive(Clone, Debug)]
struct Text {
    path: String,
    limit: usize,
    /// Its text, if requested again.
    again: Option<Rc<str>>,
}

/// Maximum size of the folder cache; a batch of calls then starts anew.
const MOST_FOLLOWED: usize = 256;

/// Maximum number of files whose text is cached, and their total size.
const MOST_TEXTS: usize = 16;
const MOST_KEPT: usize = 16 * 1024 * 1024;

/// Maximum length of a path for system calls (`PATH_MAX` of Linux; shorter elsewhere).
const LONGEST: usize = 4096;

/// Maximum work per call, weighted by path length: about ten milliseconds.
const MOST_WORK: u32 = 16 * 1024;

/// Maximum number of bytes examined per call, including cached ones, since examining takes the time.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// A path with links resolved.
#[derive(Clone, Debug)]
struct Real {
    path: PathBuf,
    /// False below a missing or inaccessible folder, where nothing more can be asked.
    there: bool,
}

impl Files {
    /// Files of a machine with this branch checked out.
    pub(crate) fn on_branch(branch: Option<String>) -> Self {
        Self { branch, ..Self::default() }
    }

    /// Resets the counters for another call.
    pub(crate) fn begin(&self) {
        self.work.set(0);
        self.bytes.set(0);
        self.exhausted.set(false);
        self.texts.borrow_mut().clear();
    }

    /// Counts a question about this path; false when the limit is exceeded.
    fn may_ask(&self, path: &Path) -> bool {
        let length = path.as_os_str().len();
        // The kernel resolves every component again.
        let weight = u32::try_from(1 + length / 256).unwrap_or(u32::MAX);
        self.spend(weight) && length < LONGEST
    }

    fn spend(&self, weight: u32) -> bool {
        let work = self.work.get().saturating_add(weight);
        self.work.set(work);
        let within = work <= MOST_WORK;
        if !within {
            self.exhausted.set(true);
        }
        within
    }

    /// A path with all links resolved, one system call per component. Paths longer than [`LONGEST`] are left
    /// unresolved beyond that. Not recursive: a path may have thousands of components.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let (near, far) = cut(path);
        let (mut real, mut folder) = self.nearest(near)?;
        let mut parts = near.components().skip(folder.components().count()).peekable();
        while let Some(part) = parts.next() {
            let was_there = real.there;
            folder.push(part);
            real = self.below(real, part)?;
            // Nothing to cache below a missing folder.
            if was_there && parts.peek().is_some() {
                self.remember(&folder, &real);
            }
        }
        if !far.as_os_str().is_empty() {
            real.path.push(far);
        }
        Some(real.path)
    }

    /// The nearest cached parent folder, and the rest of the path. Works on bytes, since splitting paths
    /// costs more than everything else.
    fn nearest(&self, path: &Path) -> Option<(Real, PathBuf)> {
        let followed = self.followed.borrow();
        let bytes = path.as_os_str().as_encoded_bytes();
        // The following code examines every component.
        let weight = u32::try_from(1 + bytes.len() / 64).unwrap_or(u32::MAX);
        if !followed.is_empty() && !self.spend(weight) {
            return None;
        }
        let is_above = |folder: &Path| {
            let folder = folder.as_os_str().as_encoded_bytes();
            let rest = bytes.strip_prefix(folder).unwrap_or_default();
            rest.first() == Some(&b'/') || (folder == b"/" && !rest.is_empty())
        };
        let above = followed.iter().filter(|(folder, _)| is_above(folder));
        let nearest = above.max_by_key(|(folder, _)| folder.as_os_str().len());
        Some(match nearest {
            Some((folder, real)) => (real.clone(), folder.clone()),
            None => (Real { path: PathBuf::new(), there: true }, PathBuf::new()),
        })
    }

    fn remember(&self, folder: &Path, real: &Real) {
        let mut followed = self.followed.borrow_mut();
        if followed.len() >= MOST_FOLLOWED {
            followed.clear();
        }
        followed.push((folder.to_owned(), real.clone()));
    }

    /// Resolves one more component.
    fn below(&self, mut real: Real, part: Component<'_>) -> Option<Real> {
        match part {
            // `a/..` depends on where `a` leads, which only an existing folder tells.
            Component::ParentDir if !real.there => return None,
            Component::ParentDir => {
                real.path.pop();
                return Some(real);
            }
            Component::CurDir => return Some(real),
            Component::Prefix(_) | Component::RootDir => {
                real.path.push(part);
                return Some(real);
            }
            Component::Normal(name) => real.path.push(name),
        }
        if !real.there {
            return Some(real);
        }
        if !self.may_ask(&real.path) {
            // Without an answer, the path is judged as written.
            real.there = false;
            return Some(real);
        }
        real.there = match real.path.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                let leads_to = self.may_ask(&real.path).then(|| real.path.canonicalize().ok());
                // A broken link counts as the link itself.
                match leads_to.flatten() {
                    Some(path) => {
                        real.path = path;
                        true
                    }
                    None => false,
                }
            }
            Ok(_) => true,
            Err(_) => false,
        };
        Some(real)
    }
}

/// Splits a path at the maximum length for system calls.
fn cut(path: &Path) -> (&Path, &Path) {
    let Some(text) = path.to_str().filter(|text| text.len() >= LONGEST) else {
        return (path, Path::new(""));
    };
    let start = text.get(..text.floor_char_boundary(LONGEST - 1)).unwrap_or_default();
    match start.rfind(std::path::is_separator).and_then(|at| text.split_at_checked(at)) {
        Some((near, far)) if !near.is_empty() => {
            (Path::new(near), Path::new(far.trim_start_matches(std::path::is_separator)))
        }
        _ => (path, Path::new("")),
    }
}

impl FileFacts for Files {
    /// Resolves links, also for a path whose last components do not exist.
    fn real_path(&self, path: &str) -> Option<String> {
        // `D:\work` is no path here, and `/d/work` none on Windows: nothing is known of them.
        let path = Some(Path::new(path)).filter(|path| path.is_absolute())?;
        let real = self.real(path)?.into_os_string().into_string().ok()?;
        // What Windows puts before a resolved path.
        Some(real.strip_prefix(r"\\?\").map(str::to_owned).unwrap_or(real))
    }

    fn exhausted(&self) -> bool {
        self.exhausted.get()
    }

    fn kind(&self, path: &str) -> Option<PathKind> {
        let path = Path::new(path);
        if !path.is_absolute() || !self.may_ask(path) {
            return None;
        }
        match path.metadata() {
            Ok(found) if found.is_dir() => Some(PathKind::Directory),
            Ok(found) if found.is_file() => Some(PathKind::File),
            Ok(_) => Some(PathKind::Device),
            // If the folder is missing too, nothing is known: the call may be on another machine.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                path.parent()?.is_dir().then_some(PathKind::Missing)
            }
            Err(_) => None,
        }
    }
}

impl tenter_policy::Facts for Files {
    fn read(&self, path: &str, limit: usize) -> Option<String> {
        if !self.may_ask(Path::new(path)) {
            return None;
        }
        let left = MOST_BYTES.saturating_sub(self.bytes.get());
        let text = match self.kept(path, limit) {
            Some(text) => text.to_string(),
            None => {
                let text = text(path, limit.min(left.saturating_add(1)))?;
                self.keep(path, limit, &text);
                text
            }
        };
        self.bytes.set(self.bytes.get().saturating_add(text.len()));
        if text.len() > left {
            self.exhausted.set(true);
            return None;
        }
        Some(text)
    }

    fn list(&self, path: &str) -> Option<tenter_policy::Listing> {
        super::listing::list(path)
    }

    #[cfg(unix)]
    fn doubled(&self, path: &str) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        let path = Path::new(path);
        let about = self.may_ask(path).then(|| path.metadata().ok()).flatten()?;
        (about.is_file() && about.nlink() > 1).then(|| (about.dev(), about.ino()))
    }

    fn branch(&self, folder: &str) -> Option<String> {
        if self.branch.is_some() || folder.len() >= LONGEST {
            return self.branch.clone();
        }
        let git = Path::new(folder).ancestors().find_map(|folder| {
            let git = folder.join(".git");
            if !self.may_ask(&git) {
                return None;
            }
            let kind = git.metadata().ok()?;
            if kind.is_dir() {
                return Some(git);
            }
            // A worktree's `.git` file contains the path of the real one.
            let text = self.read(git.to_str()?, 4096)?;
            Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
        })?;
        let head = self.read(git.join("HEAD").to_str()?, 4096)?;
        Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
    }
}

impl Files {
    fn kept(&self, path: &str, limit: usize) -> Option<Rc<str>> {
        let texts = self.texts.borrow();
        texts.iter().find(|it| it.path == path && it.limit == limit)?.again.clone()
    }

    fn keep(&self, path: &str, limit: usize, text: &str) {
        let mut texts = self.texts.borrow_mut();
        let kept: usize = texts.iter().flat_map(|it| &it.again).map(|it| it.len()).sum();
        let is_room = texts.len() < MOST_TEXTS;
        match texts.iter_mut().find(|it| it.path == path && it.limit == limit) {
            Some(it) if kept.saturating_add(text.len()) <= MOST_KEPT => {
                it.again = Some(Rc::from(text));
            }
            None if is_room => texts.push(Text { path: path.to_owned(), limit, again: None }),
            _ => {}
        }
    }
}

/// The start of a file.
fn text(path: &str, limit: usize) -> Option<String> {
    let bytes = tenter_files::start(Path::new(path), limit as u64, Whose::Anyone).ok()?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_wherever_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        std::fs::write(root.join("real/deep/file"), "").unwrap();
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
        link("real", "link");
        link("../../real/deep/file", "real/deep/again");
        link("nowhere", "dangling");
        link("round", "round");
        let files = Files::default();
        for (path, real) in [
            ("real/deep/file", "real/deep/file"),
            ("link/deep/file", "real/deep/file"),
            ("link/deep/new/file", "real/deep/new/file"),
            ("link/deep/again", "real/deep/file"),
            ("link/../real", "real"),
            ("link/deep/../new", "real/new"),
            ("dangling", "dangling"),
            ("dangling/below", "dangling/below"),
            ("round/below", "round/below"),
            ("missing/below", "missing/below"),
            ("link", "real"),
        ] {
            // Twice, since the second answer may come from the cache.
            for _ in 0..2 {
                let asked = root.join(path);
                let answer = files.real_path(asked.to_str().unwrap()).unwrap();
                assert_eq!(Path::new(&answer), root.join(real), "{path}");
            }
        }
        assert_eq!(files.real_path("/").as_deref(), Some("/"));
    }
}
