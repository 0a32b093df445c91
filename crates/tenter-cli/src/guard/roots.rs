//! Finds the user's home and our folders without trusting the environment.
//!
//! A repository can set variables for the agent that works in it, and so for us: a `HOME` inside the
//! repository would replace the user's policy by its own. So a home must be a folder of the user's outside
//! the work folder; otherwise the one in the user database is used.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Variables that name our roots, and their defaults.
pub(super) const ROOTS: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The home folder.
#[cfg(unix)]
pub(super) fn home(
    said: Option<String>,
    cwd: Option<&Path>,
    warnings: &mut Vec<String>,
) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let Some(said) = said.filter(|said| Path::new(said).is_absolute()) else {
        return recorded().or_else(|| std::env::home_dir()?.into_os_string().into_string().ok());
    };
    let path = Path::new(&said);
    let own = path.metadata().is_ok_and(|it| it.is_dir() && it.uid() == tenter_files::user());
    let work = part_of_work(path, cwd, None);
    let Some(why) = work.or((!own).then_some("is no folder of this user")) else {
        return Some(said);
    };
    match recorded() {
        Some(home) if Path::new(&home) == path => Some(said),
        Some(home) => {
            warnings.push(format!("HOME is not used: {said} {why}; {home} is used instead"));
            Some(home)
        }
        // The user database may not contain the user, as in some containers.
        None => work.is_none().then_some(said),
    }
}

#[cfg(not(unix))]
pub(super) fn home(
    said: Option<String>,
    _cwd: Option<&Path>,
    _warnings: &mut Vec<String>,
) -> Option<String> {
    said
}

/// A root named by a variable; `None` if it is in the work folder, or the default.
pub(super) fn root(
    (name, usual): (&str, &str),
    said: String,
    home: Option<&str>,
    cwd: Option<&Path>,
    warnings: &mut Vec<String>,
) -> Option<String> {
    let home = home.map(Path::new);
    if home.is_some_and(|home| home.join(usual) == Path::new(&said)) {
        return None;
    }
    let Some(why) = part_of_work(Path::new(&said), cwd, home) else { return Some(said) };
    warnings.push(format!("{name} is not used: {said} {why}"));
    None
}

/// Why a path from the environment may be chosen by the repository; `None` if it cannot. `home` is the user's
/// real home, if known: a work folder above it makes nothing inside suspect.
pub(super) fn part_of_work(
    path: &Path,
    work: Option<&Path>,
    home: Option<&Path>,
) -> Option<&'static str> {
    part_of(path, &OnceCell::new(), work, home)
}

/// The same for several work folders: the path's links are followed once.
pub(super) fn part_of(
    path: &Path,
    followed: &OnceCell<PathBuf>,
    work: Option<&Path>,
    home: Option<&Path>,
) -> Option<&'static str> {
    // Such a path differs by process, and needs no knowledge of the machine.
    if ["/proc", "/dev"].iter().any(|it| path.starts_with(it)) {
        return Some("depends on the process that reads it");
    }
    let work = work.filter(|work| work.parent().is_some())?;
    // Usual home folders are not part of a repository, unless they are the repository itself.
    if is_usual(path) && !path.starts_with(work) {
        return None;
    }
    let above_home = |folder: &Path| home.is_some_and(|home| home.starts_with(folder));
    let real = followed.get_or_init(|| real(path));
    if (path.starts_with(work) || real.starts_with(work)) && *real != work && !above_home(work) {
        return Some("is inside the workspace");
    }
    // A path above or beside the work folder belongs to it if they share a checkout.
    let is_common = |folder: &&Path| work.starts_with(folder) && !above_home(folder);
    let is_project = |folder: &Path| folder.parent().is_some() && is_project(folder);
    let project = real.ancestors().filter(is_common).any(is_project);
    project.then_some("is in the project that work happens in")
}

/// Whether a folder is a checkout, or sets variables for those who work in it.
fn is_project(folder: &Path) -> bool {
    const MARKS: &[&str] = &[
        ".git",
        ".hg",
        ".jj",
        ".svn",
        ".envrc",
        ".env",
        ".devcontainer",
        "mise.toml",
        ".mise.toml",
    ];
    const SETTINGS: &[&str] = &[
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".vscode/settings.json",
        ".vscode/tasks.json",
    ];
    const MOST: u64 = 1024 * 1024;
    let sets = |name: &&str| {
        let file = folder.join(name);
        let text = tenter_files::read_text(&file, MOST, tenter_files::Whose::Settings);
        text.is_ok_and(|text| text.contains("\"HOME\"") || text.contains("\"XDG_"))
    };
    MARKS.iter().any(|name| folder.join(name).symlink_metadata().is_ok())
        || SETTINGS.iter().any(sets)
}

/// Whether it is a usual home folder, where only the administrator can put a link.
fn is_usual(path: &Path) -> bool {
    let parent = path.parent().unwrap_or(Path::new(""));
    path == Path::new("/root") || ["/home", "/Users"].iter().any(|it| parent == Path::new(it))
}

/// Resolves links as far as the path exists.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|it| Some((it, it.canonicalize().ok()?)));
    let Some((part, real)) = there else { return path.to_owned() };
    path.strip_prefix(part).map_or_else(|_| real.clone(), |rest| real.join(rest))
}

/// Whether the user database contains this home for us.
pub(super) fn is_recorded(home: &Path) -> bool {
    recorded().is_some_and(|recorded| Path::new(&recorded) == home)
}

#[cfg(not(unix))]
pub(super) fn recorded() -> Option<String> {
    None
}

/// Our home in the user database.
#[cfg(unix)]
pub(super) fn recorded() -> Option<String> {
    const MOST: u64 = 16 * 1024 * 1024;
    let file = user_database();
    let text = tenter_files::read(&file, MOST, tenter_files::Whose::Settings).ok()?;
    of_user(&String::from_utf8_lossy(&text), tenter_files::user())
}

/// The user database; in tests one of their own, so that agents in the developer's home do not count.
#[cfg(unix)]
fn user_database() -> PathBuf {
    let of_test = if cfg!(debug_assertions) { std::env::var_os("TENTER_TEST_USERS") } else { None };
    of_test.map_or_else(|| PathBuf::from("/etc/passwd"), PathBuf::from)
}

/// `name:password:number:group:about:home:shell`
#[cfg(unix)]
fn of_user(text: &str, user: u32) -> Option<String> {
    let home = text.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let is_theirs = fields.next()?.parse() == Ok(user);
        fields.nth(2).filter(|_| is_theirs)
    })?;
    Path::new(home).is_absolute().then(|| home.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_asked_by_number() {
        let text = "root:x:0:0:root:/root:/bin/sh\nbroken\nme:x:1000:1000:Me,,:/home/me:/bin/sh\n";
        assert_eq!(of_user(text, 1000).as_deref(), Some("/home/me"));
        assert_eq!(of_user(text, 0).as_deref(), Some("/root"));
        assert_eq!(of_user(text, 7), None);
    }

    #[test]
    fn a_path_of_the_work_is_seen_through_links_and_from_subfolders() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (work, link) = (root.join("work"), root.join("link"));
        let sub = work.join("sub/deep");
        std::fs::create_dir_all(&sub).unwrap();
        std::os::unix::fs::symlink(&work, &link).unwrap();
        let why = |path: &Path, from: &Path| part_of_work(path, Some(from), None);
        for inside in [work.join("new/cfg"), link.join("sub"), link.join("none/x")] {
            assert!(why(&inside, &work).is_some(), "{}", inside.display());
        }
        for outside in [root.clone(), root.join("workshop"), PathBuf::from("/home/me")] {
            assert_eq!(why(&outside, &work), None, "{}", outside.display());
        }
        assert_eq!(why(&work, Path::new("/")), None, "everything is in there");
        assert_eq!(why(&work, &work), None, "a home that is no repository");
        assert_eq!(why(&work, &sub), None, "a home with work in it");
        for process in ["/proc/self/cwd", "/proc/self/cwd/..", "/proc/1/root/x", "/dev/fd/3"] {
            assert!(why(Path::new(process), &work).is_some(), "{process}");
        }
        let sets = r#"{"env": {"HOME": "/w"}}"#;
        std::fs::create_dir(work.join(".claude")).unwrap();
        for mark in [".git", ".hg", ".jj", ".svn", ".envrc", ".env", ".claude/settings.json"] {
            let mark = work.join(mark);
            std::fs::write(&mark, sets).unwrap();
            for path in [work.clone(), work.join(".cfg"), work.join("sub/../x"), link.join("y")] {
                assert!(why(&path, &sub).is_some(), "{} {}", mark.display(), path.display());
            }
            let at_home = part_of_work(&work.join(".cfg"), Some(&sub), Some(&work));
            assert_eq!(at_home, None, "a home that is kept in git");
            std::fs::remove_file(mark).unwrap();
        }
    }
}
