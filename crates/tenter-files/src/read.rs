//! Reading files up to a size limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::{Refused, Whose, open_found};

/// Initial buffer for files of reported size 0: those in `/proc` report 0 whatever they contain.
const FIRST: usize = 4096;

/// Reads a whole file; one larger than `most` bytes is refused.
pub fn read(path: &Path, most: u64, whose: Whose<'_>) -> io::Result<Vec<u8>> {
    let (file, size) = open_found(path, OpenOptions::new().read(true), whose)?;
    if size > most {
        return Err(Refused::TooLarge { most }.into());
    }
    let bytes = take(&file, size, most.saturating_add(1))?;
    // It may have grown since the `fstat`.
    if bytes.len() as u64 > most {
        return Err(Refused::TooLarge { most }.into());
    }
    Ok(bytes)
}

/// Reads a whole file as text.
pub fn read_text(path: &Path, most: u64, whose: Whose<'_>) -> io::Result<String> {
    let bytes = read(path, most, whose)?;
    String::from_utf8(bytes).map_err(|error| {
        let why = format!("not UTF-8: {error}");
        io::Error::new(io::ErrorKind::InvalidData, why)
    })
}

/// Reads at most the first `most` bytes of a file.
pub fn start(path: &Path, most: u64, whose: Whose<'_>) -> io::Result<Vec<u8>> {
    let (file, size) = open_found(path, OpenOptions::new().read(true), whose)?;
    take(&file, size, most)
}

/// Reads a file named on the command line; also a pipe, as in `<(command)`, which may block.
pub fn read_named(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Refused::TooLarge { most }.into());
    }
    Ok(bytes)
}

fn take(mut file: &File, size: u64, most: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    // One byte more than the size: a short read then proves the end of file and saves a call.
    let room = if size == 0 { FIRST } else { size.saturating_add(1) };
    let mut bytes = vec![0; room.min(most)];
    let mut filled = 0_usize;
    loop {
        if filled == bytes.len() {
            if filled >= most {
                break;
            }
            bytes.resize(filled.saturating_mul(2).min(most), 0);
        }
        match file.read(bytes.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(more) => filled = filled.saturating_add(more),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if filled == size && filled < bytes.len() {
            break;
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
