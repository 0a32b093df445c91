//! Where the user's home and our folders are, whatever the environment says.
//!
//! A repository can set variables for the agent that works in it, and with them for us: a `HOME` inside the
//! repository would bring its own policy along and leave the user's behind. So a home must be the user's own folder
//! outside the work, and what the user database says takes the place of one that is not.

use std::path::{Path, PathBuf};

/// The variables that name a root of ours, and where it is without them.
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
    let why = match path.metadata() {
        Ok(found) if found.is_dir() && found.uid() != tenter_files::user() => {
            "belongs to another user"
        }
        Ok(_) if is_work(path, cwd) => "is inside the workspace",
        _ => return Some(said),
    };
    match recorded() {
        Some(home) if Path::new(&home) == path => Some(said),
        Some(home) => {
            warnings.push(format!("HOME is not used: {said} {why}; {home} is used instead"));
            Some(home)
        }
        // Somebody whom the database does not know, as in some containers.
        None => (!is_work(path, cwd)).then(|| said.clone()),
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

/// A root of ours that a variable names; none if it lies where the agent works, or is the usual one.
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
    let works_at_home = home.zip(cwd).is_some_and(|(home, cwd)| home.starts_with(cwd));
    if works_at_home || !is_inside(Path::new(&said), cwd) {
        return Some(said);
    }
    warnings.push(format!("{name} is not used: {said} is inside the workspace"));
    None
}

/// Whether a home is part of the work. Who works in a home folder as such has no repository there.
#[cfg(unix)]
fn is_work(home: &Path, cwd: Option<&Path>) -> bool {
    let is_cwd = || cwd.is_some_and(|cwd| home == cwd || real(home) == cwd);
    let is_checkout = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    is_inside(home, cwd) && (!is_cwd() || real(home).ancestors().any(is_checkout))
}

/// Whether a path leads into the folder that work happens in.
fn is_inside(path: &Path, cwd: Option<&Path>) -> bool {
    let Some(cwd) = cwd.filter(|cwd| cwd.parent().is_some()) else { return false };
    if path.starts_with(cwd) {
        return true;
    }
    !is_usual(path) && real(path).starts_with(cwd)
}

/// Homes as systems make them need no further look: nobody else can put a link there.
fn is_usual(path: &Path) -> bool {
    let parent = path.parent().unwrap_or(Path::new(""));
    path == Path::new("/root") || ["/home", "/Users"].iter().any(|it| parent == Path::new(it))
}

/// Where links lead, as far as the path exists.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|it| Some((it, it.canonicalize().ok()?)));
    let Some((part, real)) = there else { return path.to_owned() };
    path.strip_prefix(part).map_or_else(|_| real.clone(), |rest| real.join(rest))
}

/// The home that the user database has for us.
#[cfg(unix)]
fn recorded() -> Option<String> {
    const MOST: u64 = 16 * 1024 * 1024;
    let file = Path::new("/etc/passwd");
    let text = tenter_files::read(file, MOST, tenter_files::Whose::Settings).ok()?;
    of_user(&String::from_utf8_lossy(&text), tenter_files::user())
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
    fn a_path_into_the_workspace_is_seen_through_links() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (work, link) = (root.join("work"), root.join("link"));
        std::fs::create_dir_all(work.join("sub")).unwrap();
        std::os::unix::fs::symlink(&work, &link).unwrap();
        for inside in [work.clone(), work.join("new/cfg"), link.join("sub"), link.join("none/x")] {
            assert!(is_inside(&inside, Some(&work)), "{}", inside.display());
        }
        for outside in [root.clone(), root.join("workshop"), PathBuf::from("/home/me")] {
            assert!(!is_inside(&outside, Some(&work)), "{}", outside.display());
        }
        assert!(!is_inside(&work, Some(Path::new("/"))), "everything is in there");
    }
}
