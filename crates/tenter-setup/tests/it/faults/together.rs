//! Concurrent installs, and others who write to the same files.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tenter_setup::files::{self, Cause, Change, Steps};

use super::crash::{process, task};
use super::world::{JUDGE, OLD, World, left_over, text, unwire, wire};

/// Checks that every installer's line is present exactly once, everything else is unchanged, and all can be
/// undone.
fn is_whole(world: &World, file: &std::path::Path, installers: usize) {
    let now = text(file).unwrap();
    for id in 0..installers {
        assert_eq!(now.matches(&format!("\"tenter-{id}\"")).count(), 1, "{now}");
    }
    assert_eq!(now.matches("tenter-").count(), installers, "{now}");
    assert_eq!(unwire(&now).trim_end(), OLD, "{now}");
    assert_eq!(left_over(world), [] as [String; 0]);
    world.uninstall(&[file]).unwrap();
    assert_eq!(text(file).as_deref(), Some(OLD));
}

#[test]
fn installers_in_threads_do_not_interleave() {
    for (installers, rounds) in [(2, 20), (8, 10)] {
        for _ in 0..rounds {
            let world = World::new();
            let file = world.file("settings.json", OLD);
            std::thread::scope(|scope| {
                for id in 0..installers {
                    let (world, file) = (&world, &file);
                    scope.spawn(move || world.install(&[file], &id.to_string()).unwrap());
                }
            });
            is_whole(&world, &file, installers);
        }
        println!("{rounds} times {installers} threads");
    }
}

#[test]
fn installers_in_processes_do_not_interleave() {
    for (installers, rounds) in [(2, 10), (8, 5)] {
        for _ in 0..rounds {
            let world = World::new();
            let file = world.file("settings.json", OLD);
            let start = |id: usize| {
                process("faults::together::install_once", &world, &id.to_string()).spawn().unwrap()
            };
            let children: Vec<_> = (0..installers).map(start).collect();
            for child in children {
                let output = child.wait_with_output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            }
            is_whole(&world, &file, installers);
        }
        println!("{rounds} times {installers} processes");
    }
}

#[test]
#[ignore = "a process of another test"]
fn install_once() {
    let Some((world, id)) = task() else { return };
    world.install(&[&world.home("settings.json")], &id).unwrap();
}

/// Installers without the lock notice that the file has changed, and try again.
#[test]
fn without_the_lock_nobody_overwrites_anybody() {
    let world = World::new();
    let file = world.file("settings.json", OLD);
    std::thread::scope(|scope| {
        for id in 0..8 {
            let (world, file) = (&world, &file);
            scope.spawn(move || {
                loop {
                    let before = files::read(file).unwrap();
                    let after = Some(wire(before.as_deref(), &id.to_string()));
                    let change = Change { path: file.clone(), before, after };
                    match files::apply_with(&[change], JUDGE, &world.places, Steps::NONE) {
                        Ok(_) => break,
                        Err(trouble) => assert_eq!(trouble.cause, Cause::Changed, "{trouble}"),
                    }
                }
            });
        }
    });
    is_whole(&world, &file, 8);
}

/// Two users share a project: each has its own lock and ledger, only the folder's lock is shared.
#[test]
fn set_ups_of_two_users_do_not_interleave() {
    let (one, two) = (World::new(), World::new());
    let file = one.file("project/settings.json", OLD);
    std::thread::scope(|scope| {
        for (world, first) in [(&one, 0), (&two, 4)] {
            for id in first..first + 4 {
                let file = &file;
                scope.spawn(move || {
                    while let Err(trouble) = world.install(&[file], &id.to_string()) {
                        assert_eq!(trouble.cause, Cause::Changed, "{trouble}");
                    }
                });
            }
        }
    });
    let now = text(&file).unwrap();
    assert_eq!(now.matches("tenter-").count(), 8, "{now}");
    // Neither knows a text without the other's line, so both remove lines.
    one.uninstall(&[&file]).unwrap();
    assert_eq!(unwire(&text(&file).unwrap()).trim_end(), OLD);
    assert_eq!(left_over(&one), [] as [String; 0]);
}

/// A host that keeps rewriting its settings by renaming: its last version wins.
#[test]
fn a_host_that_writes_at_the_same_time_has_the_last_word() {
    let world = World::new();
    let file = world.file("settings.json", "{ \"count\": 0 }\n");
    let done = AtomicBool::new(false);
    let (mut installed, mut refused) = (0, 0);
    let last = std::thread::scope(|scope| {
        let host = scope.spawn(|| {
            let mut last = String::new();
            for count in 1.. {
                last = format!("{{ \"count\": {count} }}\n");
                let beside = file.with_file_name("host.tmp");
                std::fs::write(&beside, &last).unwrap();
                std::fs::rename(&beside, &file).unwrap();
                if done.load(Ordering::Relaxed) {
                    break;
                }
                std::thread::sleep(Duration::from_micros(count % 700));
            }
            last
        });
        while installed + refused < 400 {
            match world.install(&[&file], "1") {
                Ok(_) => installed += 1,
                Err(trouble) => {
                    assert_eq!(trouble.cause, Cause::Changed, "{trouble}");
                    refused += 1;
                }
            }
        }
        done.store(true, Ordering::Relaxed);
        host.join().unwrap()
    });
    assert_eq!(text(&file), Some(last));
    println!("{installed} installs while a host wrote, {refused} gave way");
    assert!(refused > 0, "they met");
}

#[test]
fn who_waits_too_long_learns_for_whom() {
    let world = World::new();
    let held = files::lock(&world.places).unwrap();
    let trouble = files::lock_within(&world.places, Duration::from_millis(50)).unwrap_err();
    assert_eq!(trouble.cause, Cause::Busy);
    assert!(trouble.to_string().contains(&std::process::id().to_string()), "{trouble}");
    drop(held);
    files::lock(&world.places).unwrap();
}
