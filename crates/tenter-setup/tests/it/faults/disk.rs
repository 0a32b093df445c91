//! Failing and full disks.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tenter_setup::files::{self, Cause, Steps};

use super::world::{self, Counter, OLD, WAYS, World, left_over, text, wire};

/// A world where one file is replaced, one created and one untouched.
fn scene() -> (World, PathBuf, PathBuf) {
    let world = World::in_memory();
    let file = world.file("a/settings.json", OLD);
    world::mode(&file, 0o640);
    world.file("a/notes.txt", "mine");
    let made = world.home("b/c/hooks.json");
    (world, file, made)
}

/// Step N fails, for all N: either everything is done, or everything is as before.
#[test]
fn a_step_that_fails_undoes_all_others() {
    let mut runs = 0;
    for can_exchange in WAYS {
        for after in [false, true] {
            for step in 0.. {
                runs += 1;
                if one_failure(step, can_exchange, after) {
                    break;
                }
            }
        }
    }
    println!("{runs} runs with a step that failed");
    assert!(runs > 100, "{runs}");
}

/// Whether step N did not exist any more. `after`: an uninstall fails, not the install.
fn one_failure(step: usize, can_exchange: bool, after: bool) -> bool {
    let (world, file, made) = scene();
    let first = world.users();
    if after {
        world.install(&[&file, &made], "1").unwrap();
    }
    let (before, kept) = (world.users(), world.kept());
    let counter = Counter::new();
    let failed = std::cell::Cell::new("");
    let listen = |name: &'static str| {
        if counter.next() == step {
            failed.set(name);
            return Err(io::ErrorKind::StorageFull.into());
        }
        world::way(can_exchange, name)
    };
    let steps = Steps::each(&listen);
    let done = if after {
        world::uninstall(&world.places, &[&file, &made], steps)
    } else {
        world::install(&world.places, &[&file, &made], "1", steps)
    };
    let place = format!("step {step} ({}), exchange {can_exchange}", failed.get());
    match done {
        Err(trouble) => {
            assert_eq!(trouble.cause, Cause::Full, "{place}: {trouble}");
            assert_eq!(trouble.left, [] as [String; 0], "{place}");
            assert_eq!(world.users(), before, "{place}");
            assert_eq!(world.kept(), kept, "{place}");
        }
        Ok(_) if after => assert_eq!(text(&file).as_deref(), Some(OLD), "{place}"),
        Ok(_) => assert_eq!(text(&file), Some(wire(Some(OLD), "1")), "{place}"),
    }
    // Leftovers of the failed run are removed now.
    world.install(&[&file, &made], "2").unwrap();
    world.uninstall(&[&file, &made]).unwrap();
    assert_eq!(world.users(), first, "{place}");
    assert_eq!(left_over(&world), [] as [String; 0], "{place}");
    failed.get().is_empty()
}

/// From step N on all operations fail, so nothing can be rolled back either: the error says where the old
/// text is.
#[test]
fn a_disk_that_fails_for_good_still_has_every_text() {
    let mut runs = 0;
    for can_exchange in WAYS {
        for step in 0.. {
            runs += 1;
            let (world, file, made) = scene();
            let counter = Counter::new();
            let listen = |name: &'static str| {
                if counter.next() >= step {
                    return Err(io::Error::other("gone"));
                }
                world::way(can_exchange, name)
            };
            let done = world::install(&world.places, &[&file, &made], "1", Steps::each(&listen));
            let now = text(&file).unwrap();
            let new = wire(Some(OLD), "1");
            assert!(now == OLD || now == new, "step {step}: {now:?}");
            match &done {
                Err(trouble) if now == new => {
                    let kept = files::backups(world.state(), &file);
                    assert_eq!(text(&kept[0]).as_deref(), Some(OLD));
                    let shown = trouble.to_string();
                    assert!(shown.contains("could not be put back"), "{shown}");
                    assert!(shown.contains(kept[0].to_str().unwrap()), "{shown}");
                }
                Err(_) => {}
                Ok(_) => assert_eq!(now, new),
            }
            world.uninstall(&[&file, &made]).unwrap();
            assert_eq!(text(&file).as_deref(), Some(OLD), "step {step}");
            assert!(!world.home("b").exists(), "step {step}");
            if done.is_ok() && counter.next() < step {
                break;
            }
        }
    }
    println!("{runs} runs with a disk that failed for good");
    assert!(runs > 50, "{runs}");
}

/// A small file system in memory, unmounted when dropped.
struct Mount(PathBuf);

impl Mount {
    /// `None`, with a message, if we may not mount.
    fn new(path: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mounted = run("mount", &["-t", "tmpfs", "-o", options, "none", path.to_str().unwrap()]);
        if !mounted {
            eprintln!("NOT TESTED: only root can mount a small file system");
        }
        mounted.then(|| Self(path.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        run("umount", &["-l", self.0.to_str().unwrap()]);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "there is no other way to mount and to lock a file up"
)]
pub(crate) fn run(program: &str, arguments: &[&str]) -> bool {
    let output = std::process::Command::new(program).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// Fills a file system up to this many free pages.
fn fill(folder: &Path, free: usize) {
    let filler = folder.join("filler");
    let mut page = 0_usize;
    let file = fs::File::create(&filler).unwrap();
    let mut file = &file;
    while io::Write::write_all(&mut file, &[7; 4096]).is_ok() {
        page += 1;
    }
    file.set_len((page.saturating_sub(free) * 4096) as u64).unwrap();
}

/// The user's files, our state, or both are on a disk with N free pages, for N from none to enough.
#[test]
fn a_full_disk_changes_nothing() {
    let (mut full, mut done) = (0, 0);
    for on_disk in ["home", "home/.local/state", "home/a"] {
        for free in 0..24 {
            let world = World::in_memory();
            let Some(_mount) = Mount::new(&world.root().join(on_disk), "size=256k") else { return };
            let big =
                format!("{{\n{}}}", "  // a long line of the user's own settings\n".repeat(250));
            let file = world.file("a/settings.json", &big);
            let made = world.home("a/b/hooks.json");
            fill(&world.root().join(on_disk), free);
            let before = world.users();
            match world.install(&[&file, &made], "1") {
                Ok(_) => {
                    done += 1;
                    assert_eq!(text(&file), Some(wire(Some(&big), "1")));
                    assert_eq!(text(&made), Some(wire(None, "1")));
                    // Restoring needs space for a ledger and a backup, so it may fail.
                    match world.uninstall(&[&file, &made]) {
                        Ok(_) => assert_eq!(world.users(), before, "{on_disk}, {free} pages"),
                        Err(trouble) => {
                            assert_eq!(trouble.cause, Cause::Full, "{trouble}");
                            assert_eq!(text(&file), Some(wire(Some(&big), "1")));
                        }
                    }
                }
                Err(trouble) => {
                    full += 1;
                    assert_eq!(trouble.cause, Cause::Full, "{on_disk}, {free} pages: {trouble}");
                    assert_eq!(world.users(), before, "{on_disk}, {free} pages");
                    assert_eq!(left_over(&world), [] as [String; 0], "{on_disk}, {free} pages");
                }
            }
            fs::remove_file(world.root().join(on_disk).join("filler")).unwrap();
            world.install(&[&file, &made], "2").unwrap();
            world.uninstall(&[&file, &made]).unwrap();
            assert_eq!(text(&file), Some(big));
            assert!(!world.home("a/b").exists());
        }
    }
    println!("{full} times the disk was full, {done} times there was room");
    assert!(full > 10 && done > 10, "full {full}, done {done}");
}

#[test]
fn a_disk_without_room_for_another_file_changes_nothing() {
    for inodes in 4..14 {
        let world = World::in_memory();
        let options = format!("size=1m,nr_inodes={inodes}");
        let Some(_mount) = Mount::new(&world.root().join("home"), &options) else { return };
        let file = world.file("settings.json", OLD);
        let before = world.users();
        match world.install(&[&file], "1") {
            Ok(_) => assert_eq!(text(&file), Some(wire(Some(OLD), "1"))),
            Err(trouble) => {
                assert_eq!(trouble.cause, Cause::Full, "{trouble}");
                assert_eq!(world.users(), before, "{inodes}");
            }
        }
    }
}

#[test]
fn a_file_system_that_cannot_be_written_to_is_named_as_the_reason() {
    let world = World::in_memory();
    let file = world.file("disk/settings.json", "");
    let folder = world.home("disk");
    let Some(_mount) = Mount::new(&folder, "size=1m") else { return };
    fs::write(&file, OLD).unwrap();
    assert!(run("mount", &["-o", "remount,ro", folder.to_str().unwrap()]));
    let before = world.users();
    for target in [file, world.home("disk/new/hooks.json")] {
        let trouble = world.install(&[&target], "1").unwrap_err();
        assert_eq!(trouble.cause, Cause::ReadOnly, "{trouble}");
        assert_eq!(world.users(), before);
        assert_eq!(world.kept(), (0, 0));
    }
}
