//! Refused changes, which leave everything unchanged.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use tenter_setup::files::{self, Cause, Change, Judge, Steps};

use super::crash;
use super::world::{self, JUDGE, OLD, World, mode, no_brace, ours, text, wire};

#[test]
fn a_file_that_nobody_may_write_is_left_alone() {
    for bits in [0o444, 0o400, 0o555, 0o000] {
        let world = World::in_memory();
        let file = world.file("settings.json", OLD);
        let other = world.file("other.json", OLD);
        mode(&file, bits);
        let before = world.users();
        // The other file could be changed, but then only half would be done.
        let trouble = world.install(&[&other, &file], "1").unwrap_err();
        assert_eq!(trouble.cause, Cause::ReadOnly, "{trouble}");
        assert!(trouble.to_string().contains(file.to_str().unwrap()), "{trouble}");
        assert_eq!(world.users(), before, "{bits:o}");
        assert_eq!(world.kept(), (0, 0), "{bits:o}");
        assert!(files::replace(&file, OLD, "{}").is_err());
        assert_eq!(world.users(), before, "{bits:o}");
    }
}

#[test]
fn a_folder_that_takes_no_files_is_left_alone() {
    let world = World::in_memory();
    let file = world.file("closed/settings.json", OLD);
    let folder = world.home("closed");
    mode(&folder, 0o555);
    let before = world.users();
    for target in [file.clone(), world.home("closed/new.json"), world.home("closed/a/b.json")] {
        let trouble = world.install(&[&target], "1").unwrap_err();
        assert_eq!(trouble.cause, Cause::ReadOnly, "{trouble}");
        assert!(trouble.reason.contains("takes no new files"), "{trouble}");
        assert_eq!(world.users(), before);
    }
    assert_eq!(files::replace(&file, OLD, "{}").unwrap_err().cause, Cause::ReadOnly);
    mode(&folder, 0o755);
}

/// Not even root may replace it, which only shows when tried.
#[test]
fn a_file_that_is_locked_up_is_left_alone() {
    let world = World::new();
    let (other, file) = (world.file("other.json", OLD), world.file("settings.json", OLD));
    if !super::disk::run("chattr", &["+i", file.to_str().unwrap()]) {
        eprintln!("NOT TESTED: files cannot be locked up here");
        return;
    }
    let before = world.users();
    let done = world.install(&[&other, &world.home("made/hooks.json"), &file], "1");
    let after = world.users();
    assert!(super::disk::run("chattr", &["-i", file.to_str().unwrap()]));
    let trouble = done.unwrap_err();
    assert_eq!(trouble.cause, Cause::ReadOnly, "{trouble}");
    assert_eq!(trouble.left, [] as [String; 0]);
    assert_eq!(after, before);
    assert_eq!(world.kept(), (0, 0));
}

/// The same as a user who may not write everything.
#[test]
fn what_belongs_to_others_is_left_alone() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT TESTED: only root can become somebody else");
        return;
    }
    let world = World::in_memory();
    mode(world.root(), 0o755);
    let home = world.home("");
    let others = world.file("others.json", OLD);
    mode(&others, 0o644);
    // It is writable, but a file renamed over it would have another owner.
    let open = world.file("open.json", OLD);
    mode(&open, 0o666);
    let hidden = world.file("hidden.json", OLD);
    mode(&hidden, 0o600);
    let locked = world.file("folder/settings.json", OLD);
    mode(&locked, 0o666);
    let own = world.file("own.json", OLD);
    for path in [&home, &own] {
        chown(path, Some(65534), Some(65534)).unwrap();
    }
    let before = world.users();
    let mut command = crash::process("faults::refused::as_somebody_else", &world, "");
    let output = match command.uid(65534).gid(65534).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("NOT TESTED: others cannot run this test's program ({error})");
            return;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("four refusals"), "{said}");
    assert_eq!(world.users(), before);
}

#[test]
#[ignore = "a process of another test"]
fn as_somebody_else() {
    let Some((world, _)) = crash::task() else { return };
    let own = world.home("own.json");
    for name in ["others.json", "open.json", "hidden.json", "folder/settings.json"] {
        let trouble = world.install(&[&own, &world.home(name)], "1").unwrap_err();
        assert_eq!(trouble.cause, Cause::ReadOnly, "{name}: {trouble}");
    }
    println!("four refusals");
    world.install(&[&own], "1").unwrap();
    world.uninstall(&[&own]).unwrap();
}

#[test]
fn without_a_home_nothing_is_done() {
    let mut world = World::in_memory();
    let file = world.file("settings.json", OLD);
    world.places.state = None;
    let trouble = files::lock(&world.places).unwrap_err();
    assert_eq!(trouble.cause, Cause::NoHome);
    assert!(trouble.reason.contains("HOME"), "{trouble}");
    let change = Change { path: file.clone(), before: Some(OLD.to_owned()), after: None };
    assert!(files::apply(&[change], &|_, _| Ok(()), &world.places).is_err());
    assert_eq!(text(&file).as_deref(), Some(OLD));
}

#[test]
fn a_new_text_that_does_not_pass_its_check_is_not_put_in_place() {
    let world = World::in_memory();
    let (first, made) = (world.file("first.json", OLD), world.home("a/made.json"));
    let before = world.users();
    let change = |path: &Path, before: Option<&str>| Change {
        path: path.to_owned(),
        before: before.map(str::to_owned),
        after: Some(wire(before, "1")),
    };
    let changes = [change(&first, Some(OLD)), change(&made, None)];
    let check = |path: &Path, text: &str| {
        assert!(ours(path, text), "the new text is what is looked at");
        if path.ends_with("made.json") { Err(no_brace()) } else { Ok(()) }
    };
    let judge = Judge { check: &check, ours: Some(&ours), moved: &[], chosen: &[] };
    let trouble = files::apply_with(&changes, judge, &world.places, Steps::NONE).unwrap_err();
    assert_eq!(trouble.cause, Cause::Refused);
    assert!(trouble.reason.contains("line 3, column 4"), "{trouble}");
    assert_eq!(world.users(), before);
    assert_eq!(world.kept(), (0, 0));
}

/// At every step somebody changes, removes or creates the file after it was read.
#[test]
fn a_file_that_changed_meanwhile_keeps_the_change() {
    const THEIRS: &str = "{ \"theirs\": true }\n";
    /// A change by others to the existing and to the created file.
    type Deed = fn(&Path, &Path);
    let deeds: [(&str, Deed); 5] = [
        ("written", |file, _| fs::write(file, THEIRS).unwrap()),
        ("replaced", |file, _| {
            let beside = file.with_file_name("beside");
            fs::write(&beside, THEIRS).unwrap();
            fs::rename(beside, file).unwrap();
        }),
        ("removed", |file, _| fs::remove_file(file).unwrap()),
        ("made", |_, made| {
            fs::create_dir_all(made.parent().unwrap()).unwrap();
            fs::write(made, THEIRS).unwrap();
        }),
        ("folder removed", |file, _| fs::remove_dir_all(file.parent().unwrap()).unwrap()),
    ];
    let mut runs = 0;
    for can_exchange in world::WAYS {
        for (name, deed) in deeds {
            for step in 0.. {
                runs += 1;
                let world = World::in_memory();
                let file = world.file("a/settings.json", OLD);
                let made = world.home("b/hooks.json");
                let counter = world::Counter::new();
                let expected = std::cell::RefCell::new(None);
                let listen = |step_name: &'static str| {
                    if counter.next() == step {
                        deed(&file, &made);
                        *expected.borrow_mut() = Some((text(&file), text(&made), step_name));
                    }
                    world::way(can_exchange, step_name)
                };
                let changes = [&file, &made].map(|path| Change {
                    path: path.clone(),
                    before: text(path),
                    after: Some(wire(text(path).as_deref(), "1")),
                });
                let steps = Steps::each(&listen);
                let done = files::apply_with(&changes, JUDGE, &world.places, steps);
                let Some((theirs, their_made, at)) = expected.take() else { break };
                let place = format!("{name} at {at} ({step}), exchange {can_exchange}: {done:?}");
                let kept = backups(&world);
                for (path, their) in [(&file, theirs), (&made, their_made)] {
                    let now = text(path);
                    let is_ours = now == Some(wire(None, "1")) || now == Some(wire(Some(OLD), "1"));
                    // Their version is in place, or ours with a backup of theirs; their text is never lost.
                    let is_safe = match their.as_deref() {
                        Some(THEIRS) => now.as_deref() == Some(THEIRS),
                        Some(their) => {
                            now.as_deref() == Some(their)
                                || kept.iter().any(|it| it == their)
                                || now.as_deref() == Some(OLD)
                                || is_ours
                        }
                        None => true,
                    };
                    assert!(is_safe, "{place}: {} holds {now:?}", path.display());
                }
                if done.is_ok() {
                    continue;
                }
                // Nothing of ours is left in files that were given up.
                for path in [&file, &made] {
                    assert!(!text(path).is_some_and(|text| ours(path, &text)), "{place}");
                }
            }
        }
    }
    println!("{runs} runs in which somebody else wrote");
    assert!(runs > 200, "{runs}");
}

fn backups(world: &World) -> Vec<String> {
    let folder = fs::read_dir(world.state().join("backups"));
    let paths: Vec<PathBuf> = folder.into_iter().flatten().map(|it| it.unwrap().path()).collect();
    paths.iter().filter_map(|path| text(path)).collect()
}
