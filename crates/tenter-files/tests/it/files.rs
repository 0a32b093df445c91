//! Files of every type and owner in place of the expected one; each must be answered without blocking.
#![cfg(unix)]

use std::fs::OpenOptions;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenter_files::{Refused, Whose, is_missing, lock_within, open_with, read, read_text, start};

const MOST: u64 = 1024;

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

fn refused(path: &Path, whose: Whose<'_>) -> Option<Refused> {
    read(path, MOST, whose).err().and_then(|error| Refused::of(&error))
}

/// One file of every non-regular type, by name.
fn zoo(folder: &Path) -> Vec<(PathBuf, Refused)> {
    let at = |name: &str| folder.join(name);
    pipe(&at("pipe"));
    drop(UnixListener::bind(at("socket")).unwrap());
    std::fs::create_dir(at("folder")).unwrap();
    for (name, to) in [
        ("terminal", "/dev/ptmx"),
        ("zero", "/dev/zero"),
        ("null", "/dev/null"),
        ("to-pipe", "pipe"),
        ("to-folder", "folder"),
    ] {
        symlink(to, at(name)).unwrap();
    }
    let special = ["pipe", "socket", "terminal", "zero", "null", "to-pipe"];
    let mut all: Vec<_> = special.map(|name| (at(name), Refused::Special)).into();
    all.extend(["folder", "to-folder"].map(|name| (at(name), Refused::Folder)));
    all
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    for (path, why) in zoo(scratch.path()) {
        for whose in [Whose::Settings, Whose::Project(scratch.path()), Whose::Anyone] {
            assert_eq!(refused(&path, whose), Some(why), "{}", path.display());
        }
        // A link in our state is not followed.
        let is_link = path.is_symlink();
        let expected = if is_link { Refused::Link } else { why };
        assert_eq!(refused(&path, Whose::State), Some(expected), "{}", path.display());
        for options in [
            OpenOptions::new().append(true).read(true).create(true),
            OpenOptions::new().write(true).create(true).truncate(true),
        ] {
            let opened = open_with(&path, options, Whose::State);
            let error = opened.err().unwrap();
            assert_eq!(Refused::of(&error), Some(expected), "{}: {error}", path.display());
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn regular_files_are_read_whole_up_to_the_bound() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("file");
    for length in [0, 1, 511, 1023, 1024] {
        std::fs::write(&path, "x".repeat(length)).unwrap();
        assert_eq!(read_text(&path, MOST, Whose::State).unwrap().len(), length);
        assert_eq!(start(&path, 100, Whose::State).unwrap().len(), length.min(100));
    }
    std::fs::write(&path, "x".repeat(1025)).unwrap();
    assert_eq!(refused(&path, Whose::State), Some(Refused::TooLarge { most: MOST }));
    assert!(is_missing(&read(&path.join("below"), MOST, Whose::State).unwrap_err()));
    assert!(is_missing(&read(&scratch.path().join("none"), MOST, Whose::State).unwrap_err()));
    // A file in `/proc` that reports size 0 but has content.
    assert!(!start(Path::new("/proc/self/status"), 64, Whose::Anyone).unwrap().is_empty());
    assert!(read(Path::new("/proc/self/status"), 65536, Whose::Anyone).unwrap().len() > 64);
}

#[test]
fn links_to_files_are_followed_outside_our_state() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("file"), "text").unwrap();
    let link = scratch.path().join("link");
    symlink("file", &link).unwrap();
    assert_eq!(read_text(&link, MOST, Whose::Settings).unwrap(), "text");
    assert_eq!(refused(&link, Whose::State), Some(Refused::Link));
    let nowhere = scratch.path().join("nowhere");
    symlink("none", &nowhere).unwrap();
    assert!(is_missing(&read(&nowhere, MOST, Whose::Settings).unwrap_err()));
}

/// Only root can change a file's owner.
#[test]
fn files_of_others_are_refused() {
    use std::os::unix::fs::{PermissionsExt, chown, lchown};
    const OTHER: u32 = 4711;
    if tenter_files::user() != 0 {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let shared = scratch.path().join("shared");
    let work = shared.join("work");
    std::fs::create_dir_all(&work).unwrap();
    let (file, link) = (shared.join("tenter.toml"), shared.join("link.toml"));
    std::fs::write(&file, "x").unwrap();
    chown(&file, Some(OTHER), None).unwrap();
    let other = Some(Refused::Owner(OTHER));
    for whose in [Whose::State, Whose::Settings, Whose::Project(&work)] {
        assert_eq!(refused(&file, whose), other, "{whose:?}");
    }
    assert_eq!(refused(&file, Whose::Anyone), None);
    // The link is theirs, its target is ours.
    std::fs::write(work.join("own"), "x").unwrap();
    symlink("work/own", &link).unwrap();
    lchown(&link, Some(OTHER), None).unwrap();
    assert_eq!(refused(&link, Whose::Project(&work)), other);
    // In a work folder of theirs their file is accepted, unless others can write there.
    chown(&shared, Some(OTHER), None).unwrap();
    chown(&work, Some(OTHER), None).unwrap();
    assert_eq!(refused(&file, Whose::Project(&work)), None);
    assert_eq!(refused(&file, Whose::Settings), other);
    for (mode, expected) in [(0o775, None), (0o777, other), (0o1777, other)] {
        std::fs::set_permissions(&shared, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(refused(&file, Whose::Project(&work)), expected, "{mode:o}");
    }
}

#[test]
fn a_lock_that_is_held_is_not_waited_for_long() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("lock");
    let open =
        || open_with(&path, OpenOptions::new().write(true).create(true), Whose::State).unwrap();
    let held = open();
    lock_within(&held, Duration::ZERO).unwrap();
    let begun = Instant::now();
    assert!(lock_within(&open(), Duration::from_millis(20)).is_err());
    assert!(begun.elapsed() < Duration::from_secs(2));
    drop(held);
    lock_within(&open(), Duration::ZERO).unwrap();
}
