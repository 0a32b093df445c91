//! Safe opening of files that others may have put in place.
//!
//! A repository can commit a link to a device, another user can leave a pipe in a shared folder, and an agent
//! can put one into our state folder. Opening or reading those may block for ever, and a hook that blocks is
//! a guard that is off. So every file is opened non-blocking, must be a regular file with an owner that fits
//! its place, and is read up to a size limit. That costs one `fstat` per file.

mod lock;
mod owner;
mod read;
mod refused;

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

pub use lock::lock_within;
pub use owner::{Whose, user};
pub use read::{read, read_named, read_text, start};
pub use refused::{Refused, is_missing};

/// Opens a file for reading.
pub fn open(path: &Path, whose: Whose<'_>) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true), whose)
}

/// Opens a file with the given `OpenOptions`. A new file is created readable by its owner only.
pub fn open_with(path: &Path, options: &mut OpenOptions, whose: Whose<'_>) -> io::Result<File> {
    open_found(path, options, whose).map(|(file, _)| file)
}

/// Opens a folder, to lock it or to fsync it. Anything else is refused without blocking.
pub fn open_folder(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}

/// The file and its size.
fn open_found(path: &Path, options: &mut OpenOptions, whose: Whose<'_>) -> io::Result<(File, u64)> {
    let file = match flags(options, false).open(path) {
        Err(error) if refused::is_link(&error) => {
            follow(path, whose)?;
            flags(options, true).open(path)
        }
        opened => opened,
    }
    .map_err(|error| unopened(path, error, whose))?;
    let found = file.metadata()?;
    // Ownership first: another user's file is refused, whatever its type.
    owner::check(path, &found, whose)?;
    if !found.is_file() {
        return Err(Refused::of_kind(&found).into());
    }
    Ok((file, found.len()))
}

/// Explains why a file cannot be opened.
fn unopened(path: &Path, error: io::Error, whose: Whose<'_>) -> io::Error {
    if is_missing(&error) || whose == Whose::Anyone {
        return Refused::explain(error);
    }
    let owner = path.symlink_metadata().map(|found| owner::check(path, &found, whose));
    match owner {
        Ok(Err(refused)) => refused.into(),
        _ => Refused::explain(error),
    }
}

/// Checks a link's target before opening it: opening a device may have side effects.
fn follow(path: &Path, whose: Whose<'_>) -> io::Result<()> {
    if whose == Whose::State {
        return Err(Refused::Link.into());
    }
    // The owner of the link chose its target.
    owner::check(path, &path.symlink_metadata()?, whose)?;
    let found = path.metadata()?;
    if found.is_file() { Ok(()) } else { Err(Refused::of_kind(&found).into()) }
}

#[cfg(unix)]
fn flags(options: &mut OpenOptions, follow: bool) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    options.mode(0o600).custom_flags(flags.bits().cast_signed())
}

#[cfg(not(unix))]
fn flags(options: &mut OpenOptions, _follow: bool) -> &mut OpenOptions {
    options
}
