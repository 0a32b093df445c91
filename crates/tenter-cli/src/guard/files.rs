//! What the file system says about the paths of an event.
//!
//! A command can name paths without end, so every question is counted: past [`MOST_WORK`] questions
//! or [`MOST_BYTES`] bytes nothing is answered any more, and the call is judged as unverified.

use std::cell::{Cell, RefCell};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use tenter_files::Whose;
use tenter_shell::{Facts, PathKind};

#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// The branch that is taken to be checked out, whatever the files say.
    pub(crate) branch: Option<String>,
    /// Folders that links were followed to: the paths of a call are mostly in the same few.
    followed: RefCell<Vec<(PathBuf, Real)>>,
    /// Files that were read, with the text of those that were read twice: a manifest is asked about once
    /// for each package.
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
    /// What is in it, if it was asked for again.
    again: Option<Rc<str>>,
}

/// More folders than a call names; a batch of calls starts anew then.
const MOST_FOLLOWED: usize = 256;

/// Files whose text is kept for the next question, and the bytes of all of them.
const MOST_TEXTS: usize = 16;
const MOST_KEPT: usize = 16 * 1024 * 1024;

/// The longest path a system call takes (`PATH_MAX` of Linux; shorter elsewhere).
const LONGEST: usize = 4096;

/// Questions about one call, each weighed by the length of its path: some ten milliseconds.
const MOST_WORK: u32 = 16 * 1024;

/// Bytes of files that are looked at in one call, kept ones counted again: looking takes the time.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// A path with its links followed.
#[derive(Clone, Debug)]
struct Real {
    path: PathBuf,
    /// False below what is not there, or may not be looked at: no question is left to ask.
    there: bool,
}

impl Files {
    /// The files of a machine where this branch is checked out.
    pub(crate) fn on_branch(branch: Option<String>) -> Self {
        Self { branch, ..Self::default() }
    }

    /// Starts the count for another call.
    pub(crate) fn begin(&self) {
        self.work.set(0);
        self.bytes.set(0);
        self.exhausted.set(false);
        self.texts.borrow_mut().clear();
    }

    /// Counts a question about this path; false when it must not be asked.
    fn may_ask(&self, path: &Path) -> bool {
        let length = path.as_os_str().len();
        // The kernel looks at every part of a path again.
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

    /// A path with all links in it followed, one question to the system for each of its parts. No system
    /// call takes a path longer than [`LONGEST`], so what comes after that stays as it is written. Without
    /// recursion: a path may have thousands of parts.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let (near, far) = cut(path);
        let (mut real, mut folder) = self.nearest(near)?;
        let mut parts = near.components().skip(folder.components().count()).peekable();
        while let Some(part) = parts.next() {
            let was_there = real.there;
            folder.push(part);
            real = self.below(real, part)?;
            // Below what is not there nothing is asked, so there is nothing to remember either.
            if was_there && parts.peek().is_some() {
                self.remember(&folder, &real);
            }
        }
        if !far.as_os_str().is_empty() {
            real.path.push(far);
        }
        Some(real.path)
    }

    /// The nearest folder above a path that links were followed to, and how it is called there. By bytes: taking
    /// paths apart costs more than all the rest.
    fn nearest(&self, path: &Path) -> Option<(Real, PathBuf)> {
        let followed = self.followed.borrow();
        let bytes = path.as_os_str().as_encoded_bytes();
        // What follows looks at every part of the path.
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

    /// One part further down.
    fn below(&self, mut real: Real, part: Component<'_>) -> Option<Real> {
        match part {
            // `a/..` is where `a` leads to, which only what is there can say.
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
            // Without an answer, the path is judged as it is written.
            real.there = false;
            return Some(real);
        }
        real.there = match real.path.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                let leads_to = self.may_ask(&real.path).then(|| real.path.canonicalize().ok());
                // A link to nowhere is where it stands.
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

/// A path as far as a system call takes it, and the rest.
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

impl Facts for Files {
    /// Where links lead, also for a path whose last parts do not exist yet.
    fn real_path(&self, path: &str) -> Option<String> {
        let real = match Path::new(path) {
            path if path.is_absolute() => self.real(path),
            path => self.real(&std::path::absolute(path).ok()?),
        };
        real?.into_os_string().into_string().ok()
    }

    fn exhausted(&self) -> bool {
        self.exhausted.get()
    }

    fn kind(&self, path: &str) -> Option<PathKind> {
        let path = Path::new(path);
        if !self.may_ask(path) {
            return None;
        }
        match path.metadata() {
            Ok(found) if found.is_dir() => Some(PathKind::Directory),
            Ok(found) if found.is_file() => Some(PathKind::File),
            Ok(_) => Some(PathKind::Device),
            // In a folder that is not here either, nothing can be told: the call may be another
            // machine's.
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
            // A worktree's `.git` is a file that says where the real one is.
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
            // Asked twice, since the second answer may come from what the first has left.
            for _ in 0..2 {
                let asked = root.join(path);
                let answer = files.real_path(asked.to_str().unwrap()).unwrap();
                assert_eq!(Path::new(&answer), root.join(real), "{path}");
            }
        }
        assert_eq!(files.real_path("/").as_deref(), Some("/"));
    }
}
