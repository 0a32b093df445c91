//! Links: dotfiles are often links into a version-controlled folder.

use std::fs;
use std::os::unix::fs::symlink;

use tenter_setup::files::{self, Cause};

use super::world::{OLD, World, mode, text, wire};

#[test]
fn a_linked_file_is_replaced_where_it_lies() {
    let world = World::new();
    let real = world.file("dotfiles/claude/settings.json", OLD);
    fs::create_dir(world.home(".claude")).unwrap();
    let link = world.home(".claude/settings.json");
    // A chain of links: relative, absolute, and to folders.
    symlink("../hop/one", &link).unwrap();
    symlink("dotfiles", world.home("hop")).unwrap();
    symlink(world.home("dotfiles/two"), world.home("dotfiles/one")).unwrap();
    symlink("./claude/../claude/settings.json", world.home("dotfiles/two")).unwrap();
    let before = world.users();
    assert_eq!(files::real_path(&link).unwrap(), real);
    assert_eq!(files::read(&link).unwrap().as_deref(), Some(OLD));
    world.install(&[&link], "1").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(text(&real), Some(wire(Some(OLD), "1")));
    // The same file by its own path: one entry, one original.
    world.install(&[&real], "2").unwrap();
    assert_eq!(world.kept().1, 1);
    world.uninstall(&[&link]).unwrap();
    assert_eq!(world.users(), before);
}

#[test]
fn chains_have_an_end_and_loops_have_none() {
    for length in [1, 2, 39, 40] {
        let world = World::new();
        let mut last = world.file("real.json", OLD);
        for number in 0..length {
            let link = world.home(&format!("link{number}"));
            symlink(&last, &link).unwrap();
            last = link;
        }
        let before = world.users();
        world.install(&[&last], "1").unwrap();
        world.uninstall(&[&last]).unwrap();
        assert_eq!(world.users(), before, "{length}");
    }
    for length in [1, 2, 3, 50] {
        let world = World::new();
        for number in 0..length {
            let next = format!("link{}", (number + 1) % length);
            symlink(next, world.home(&format!("link{number}"))).unwrap();
        }
        let before = world.users();
        let in_folder = world.home("link0/settings.json");
        for path in [world.home("link0"), in_folder] {
            let trouble = world.install(&[&path], "1").unwrap_err();
            assert_eq!(trouble.cause, Cause::Link, "{trouble}");
            assert!(trouble.reason.contains("back to itself"), "{trouble}");
            assert_eq!(files::read(&path).unwrap_err().cause, Cause::Link);
        }
        assert_eq!(world.users(), before);
    }
}

#[test]
fn a_link_to_a_file_that_is_not_there_makes_it() {
    let world = World::new();
    fs::create_dir(world.home("dotfiles")).unwrap();
    let link = world.home("settings.json");
    symlink("dotfiles/settings.json", &link).unwrap();
    let before = world.users();
    world.install(&[&link], "1").unwrap();
    assert_eq!(text(&world.home("dotfiles/settings.json")), Some(wire(None, "1")));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    world.uninstall(&[&link]).unwrap();
    assert_eq!(world.users(), before);
}

#[test]
fn a_link_into_a_folder_that_is_not_there_is_refused() {
    let world = World::new();
    symlink("dotfiles/settings.json", world.home("settings.json")).unwrap();
    symlink("dotfiles", world.home(".claude")).unwrap();
    let before = world.users();
    for name in ["settings.json", ".claude/settings.json", ".claude/a/b/settings.json"] {
        let trouble = world.install(&[&world.home(name)], "1").unwrap_err();
        assert_eq!(trouble.cause, Cause::Link, "{name}: {trouble}");
        assert!(trouble.reason.contains("not there"), "{name}: {trouble}");
        assert_eq!(world.users(), before);
    }
}

#[test]
fn a_link_into_a_store_that_never_changes_is_refused_and_the_store_is_named() {
    let world = World::new();
    let real = world.file("nix/store/abc-home-manager-files/settings.json", OLD);
    mode(&real, 0o444);
    let link = world.home("settings.json");
    symlink(&real, &link).unwrap();
    let before = world.users();
    let trouble = world.install(&[&link], "1").unwrap_err();
    assert_eq!(trouble.cause, Cause::ReadOnly);
    assert!(trouble.reason.contains("/nix/store"), "{trouble}");
    assert_eq!(world.users(), before);
}

#[test]
fn a_link_that_was_turned_elsewhere_is_another_file() {
    let world = World::new();
    let first = world.file("first.json", OLD);
    let second = world.file("second.json", "{\n  \"tenter-0\": true,\n  \"mine\": 1\n}\n");
    let link = world.home("settings.json");
    symlink("first.json", &link).unwrap();
    world.install(&[&link], "1").unwrap();
    fs::remove_file(&link).unwrap();
    symlink("second.json", &link).unwrap();
    // The first file's content must not end up in the second.
    world.uninstall(&[&link]).unwrap();
    assert_eq!(text(&second).as_deref(), Some("{\n  \"mine\": 1\n}\n"));
    assert_eq!(text(&first), Some(wire(Some(OLD), "1")));
    world.uninstall(&[&first]).unwrap();
    assert_eq!(text(&first).as_deref(), Some(OLD));
}

#[test]
fn two_names_of_one_file_in_one_change_are_told_apart_from_two_changes() {
    let world = World::new();
    let file = world.file("first.json", OLD);
    let link = world.home("settings.json");
    symlink("first.json", &link).unwrap();
    world.install(&[&file, &link], "1").unwrap();
    assert_eq!(text(&file), Some(wire(Some(OLD), "1")));
    world.uninstall(&[&link, &file]).unwrap();
    assert_eq!(text(&file).as_deref(), Some(OLD));
    let change = |path: &std::path::Path, id| files::Change {
        path: path.to_owned(),
        before: Some(OLD.to_owned()),
        after: Some(wire(Some(OLD), id)),
    };
    let changes = [change(&file, "1"), change(&link, "2")];
    let judge = super::world::JUDGE;
    let trouble =
        files::apply_with(&changes, judge, &world.places, files::Steps::NONE).unwrap_err();
    assert_eq!(trouble.cause, Cause::Link, "{trouble}");
    assert_eq!(text(&file).as_deref(), Some(OLD));
}
