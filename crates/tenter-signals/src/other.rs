//! Where there are no signals, only a panic ends in last words.

use std::io::Write;
use std::time::Duration;

/// Does nothing here.
pub fn arm() {}

/// Does nothing here: the host's own timeout holds.
pub fn deadline(_within: Duration) {}

/// Does nothing here.
pub fn release() {}

pub(crate) fn write(file: i32, bytes: &[u8]) {
    // There is nobody left to tell if this fails.
    match file {
        1 => drop(std::io::stdout().write_all(bytes)),
        2 => drop(std::io::stderr().write_all(bytes)),
        _ => {}
    }
}

pub(crate) fn exit(code: i32) -> ! {
    std::process::exit(code)
}
