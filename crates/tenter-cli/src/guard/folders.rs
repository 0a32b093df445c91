//! Paths of our own folders.

use std::cell::OnceCell;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::roots;
use tenter_files::Whose;
pub(crate) use tenter_files::is_missing as missing;

/// Our folders for one user.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// The user's policies.
    pub(crate) config: Option<PathBuf>,
    /// Session memory, stopped calls, the record.
    pub(crate) state: Option<PathBuf>,
    /// Anchors, kept away from the record.
    pub(crate) data: Option<PathBuf>,
    /// Compiled policies.
    pub(crate) cache: Option<PathBuf>,
    /// The administrator's policies.
    pub(crate) managed: PathBuf,
    /// The user's home.
    home: Option<PathBuf>,
    /// Roots named by environment variables.
    named: Vec<PathBuf>,
}

const NAME: &str = "tenterhook";

impl Folders {
    /// The folders by this environment. XDG variables are used on every Unix.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let absolute =
            |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let under = |xdg: &str, windows: &str, tail: &str| {
            let base = absolute(xdg).or_else(|| {
                if cfg!(windows) {
                    absolute(windows)
                } else {
                    home.as_ref().map(|home| home.join(tail))
                }
            });
            base.map(|base| base.join(NAME))
        };
        Self {
            config: under("XDG_CONFIG_HOME", "APPDATA", ".config"),
            state: under("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state"),
            data: under("XDG_DATA_HOME", "APPDATA", ".local/share"),
            cache: under("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache"),
            managed: managed(&absolute),
            home,
            named: Vec::new(),
        }
    }

    /// The folders of this user for a work folder, and warnings about ignored variables.
    pub(crate) fn here(cwd: Option<&Path>) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let said = |name: &str| std::env::var(name).ok();
        let home = roots::home(said("HOME"), cwd, &mut warnings);
        let named = roots::ROOTS.map(|(name, usual)| {
            let said = said(name).filter(|said| Path::new(said).is_absolute())?;
            roots::root((name, usual), said, home.as_deref(), cwd, &mut warnings)
        });
        let mut folders = Self::of(|name| {
            let root = roots::ROOTS.iter().zip(&named).find(|((root, _), _)| *root == name);
            match root {
                Some((_, said)) => said.clone(),
                None if name == "HOME" => home.clone(),
                None => said(name),
            }
        });
        folders.named = named.into_iter().flatten().map(PathBuf::from).collect();
        (folders, warnings)
    }

    /// A root that a variable puts inside the work folder, which only the payload tells: the repository may
    /// have set it.
    pub(crate) fn inside(&self, places: &[&str], cwd: Option<&str>) -> Option<&Path> {
        let home = self.home.as_deref();
        let is_in = |root: &Path, home| {
            let followed = OnceCell::new();
            let mut places = places.iter().filter(|place| Some(**place) != cwd).map(Path::new);
            places.any(|place| roots::part_of(root, &followed, Some(place), home).is_some())
        };
        let named = self.named.iter().map(PathBuf::as_path).find(|root| is_in(root, home));
        named.or_else(|| home.filter(|home| is_in(home, None) && !roots::is_recorded(home)))
    }
}

/// Whether a hook that works in `cwd` would use this home rather than that of the user database.
pub(crate) fn is_believed(home: &Path, cwd: &Path) -> bool {
    let said = home.to_str().map(str::to_owned);
    said.is_some() && roots::home(said.clone(), Some(cwd), &mut Vec::new()) == said
}

fn managed(absolute: &impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    if cfg!(target_os = "macos") {
        PathBuf::from("/Library/Application Support/Tenterhook")
    } else if cfg!(windows) {
        absolute("PROGRAMDATA").unwrap_or_else(|| PathBuf::from("C:\\ProgramData")).join(NAME)
    } else {
        Path::new("/etc").join(NAME)
    }
}

impl Folders {
    /// Path of the anchors; see [`tenter_audit::anchor`]. A missing home is not created for them, since tests
    /// of commands check which files exist.
    pub(crate) fn anchors(&self) -> Option<PathBuf> {
        let has_home = self.home.as_ref().is_none_or(|home| home.is_dir());
        self.data.as_ref().filter(|_| has_home).map(|data| data.join("anchors"))
    }
}

/// Creates a folder accessible to its owner only.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens one of our files, readable by its owner only.
pub(crate) fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    tenter_files::open_with(path, options, Whose::State)
}

/// Reads a small file of our state.
pub(crate) fn read_private(path: &Path, most: u64) -> io::Result<String> {
    tenter_files::read_text(path, most, Whose::State)
}

/// Replaces a file atomically.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    make_private(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}", std::process::id()));
    let beside = folder.join(name);
    let open = || open_private(&beside, OpenOptions::new().write(true).create(true).truncate(true));
    // A file under our temporary name is a leftover.
    let opened = open().or_else(|error| match std::fs::remove_file(&beside) {
        Ok(()) => open(),
        Err(_) => Err(error),
    });
    let written = opened
        .and_then(|mut file| io::Write::write_all(&mut file, bytes))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // Clean up; the first error is the one to report.
        drop(std::fs::remove_file(&beside));
    }
    written
}
