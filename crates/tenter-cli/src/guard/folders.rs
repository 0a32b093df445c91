//! Where our own files are.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The folders of one user.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// Policies the user writes.
    pub(crate) config: Option<PathBuf>,
    /// What sessions remember, what waits to be allowed.
    pub(crate) state: Option<PathBuf>,
    /// What can be made again.
    pub(crate) cache: Option<PathBuf>,
    /// Policies of the administrator.
    pub(crate) managed: PathBuf,
}

const NAME: &str = "tenterhook";

impl Folders {
    /// The folders of this environment. XDG variables count on every Unix.
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
            cache: under("XDG_CACHE_HOME", "LOCALAPPDATA", ".cache"),
            managed: managed(&absolute),
        }
    }
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

/// Whether there is no such file; a path that leads through a file has none either.
pub(crate) fn missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Makes a folder that only its owner can look into.
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

/// Opens a file that only its owner can read, for the given way of writing.
pub(crate) fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Replaces a file as a whole: a reader sees the old one or the new one, never a part.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    make_private(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}", std::process::id()));
    let beside = folder.join(name);
    let written = open_private(&beside, OpenOptions::new().write(true).create(true).truncate(true))
        .and_then(|mut file| io::Write::write_all(&mut file, bytes))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // Nothing of ours should lie about; the first error is the one to tell.
        drop(std::fs::remove_file(&beside));
    }
    written
}
