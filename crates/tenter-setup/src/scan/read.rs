//! Bounded reading of regular files.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use tenter_files::{Refused, Whose};

/// Maximum size of a settings or instruction file.
const MOST: u64 = 4 * 1024 * 1024;

/// Opens a regular file. A pipe or a device could block.
pub(super) fn open(path: &Path) -> Result<File, String> {
    tenter_files::open(path, Whose::Anyone).map_err(|error| match Refused::of(&error) {
        Some(Refused::Folder) => "is a folder where a file is expected".to_owned(),
        Some(Refused::Special) => "is a pipe or a device, not a file".to_owned(),
        _ => format!("cannot be read: {error}"),
    })
}

/// Reads a whole file; the error is a message.
pub(super) fn whole(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    open(path)?
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > MOST {
        return Err(format!("is larger than {} MiB", MOST / (1024 * 1024)));
    }
    Ok(bytes)
}
