//! Texts of every kind, and file attributes.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tenter_setup::files::{self, Cause};

use super::world::{OLD, World, mode, text, wire};

/// Install, install another version, uninstall: the original bytes are restored.
#[test]
fn texts_of_every_kind_come_back_to_the_byte() {
    let long = format!(
        "{{\n{}}}",
        "  // seventy characters of somebody's settings, again and again\n".repeat(170_000)
    );
    assert!(long.len() > 10 << 20, "ten megabytes");
    let kinds: &[(&str, &str)] = &[
        ("plain", OLD),
        ("empty object", "{}"),
        ("windows line ends", "{\r\n  \"a\": 1\r\n}\r\n"),
        ("mixed line ends", "{\n  \"a\": 1\r\n}\n\r\n"),
        ("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"),
        ("tabs", "{\n\t\"a\":\t1\n}\n\n\n"),
        ("one line", "{\"a\":{\"b\":[1,2,3]}}"),
        ("duplicate keys", "{\"a\":1,\"a\":2}\n"),
        ("a null character", "{\"a\":\"\0\"}\n"),
        ("other letters", "{\"ä\":\"日本語 \u{1f600}\"}\n"),
        ("ten megabytes", &long),
    ];
    for (name, old) in kinds {
        let world = World::new();
        let file = world.file("settings.json", old);
        let before = world.users();
        world.install(&[&file], "1").unwrap();
        world.install(&[&file], "2").unwrap();
        let twice = wire(Some(&wire(Some(old), "1")), "2");
        assert!(text(&file) == Some(twice), "{name}");
        world.uninstall(&[&file]).unwrap();
        assert!(world.users() == before, "{name}");
    }
    println!("{} kinds of texts", kinds.len());
}

#[test]
fn what_is_no_text_is_refused_with_the_reason() {
    let world = World::new();
    let folder = world.home("folder");
    fs::create_dir(&folder).unwrap();
    let socket = world.home("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let large = world.home("large");
    fs::File::create(&large).unwrap().set_len(files::LARGEST + 1).unwrap();
    let limit = world.home("limit");
    fs::write(&limit, " ".repeat(usize::try_from(files::LARGEST).unwrap())).unwrap();
    let latin = world.home("latin");
    fs::write(&latin, b"{\n\"a\": \"caf\xe9\"}").unwrap();
    let wide = world.home("wide");
    fs::write(&wide, b"\xff\xfe{\0}\0").unwrap();
    let below = world.file("file", "{}").join("settings.json");
    let before = world.users();
    let cases: [(&Path, Cause, &str); 7] = [
        (&folder, Cause::NotAFile, "it is a folder"),
        (&socket, Cause::NotAFile, "it is not an ordinary file"),
        (Path::new("/dev/null"), Cause::NotAFile, "it is not an ordinary file"),
        (&large, Cause::TooLarge, "larger than 32 MB"),
        (&latin, Cause::NotText, "not UTF-8 (line 2)"),
        (&wide, Cause::NotText, "UTF-16"),
        (&below, Cause::NotAFile, "is not a folder"),
    ];
    for (path, cause, words) in cases {
        let trouble = files::read(path).unwrap_err();
        assert_eq!(trouble.cause, cause, "{trouble}");
        assert!(trouble.reason.contains(words), "{trouble}");
        assert!(trouble.to_string().contains(path.to_str().unwrap()), "{trouble}");
        assert_eq!(world.install(&[path], "1").unwrap_err().cause, cause);
    }
    assert!(files::read(&limit).unwrap().is_some());
    assert_eq!(files::read(&world.home("none")).unwrap(), None);
    assert_eq!(files::read(&world.home("no/folder/either")).unwrap(), None);
    assert!(world.users() == before);
}

/// Opening a pipe without a writer would block for ever.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_not_waited_for() {
    let world = World::new();
    let pipe = world.home("settings.json");
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, 0o600.into(), 0).unwrap();
    assert_eq!(world.install(&[&pipe], "1").unwrap_err().cause, Cause::NotAFile);
}

#[test]
fn mode_owner_and_attributes_stay() {
    let world = World::new();
    for bits in [0o600, 0o644, 0o664, 0o666, 0o200 | 0o444, 0o755] {
        let file = world.file("settings.json", OLD);
        mode(&file, bits);
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            std::os::unix::fs::chown(&file, Some(1234), Some(4321)).unwrap();
        }
        let flags = rustix::fs::XattrFlags::empty();
        let has_attributes = rustix::fs::setxattr(&file, "user.colour", b"green", flags).is_ok();
        let was = fs::metadata(&file).unwrap();
        world.install(&[&file], "1").unwrap();
        let new = fs::metadata(&file).unwrap();
        assert_ne!(was.ino(), new.ino(), "it is another file");
        let facts = |it: &fs::Metadata| (it.mode(), it.uid(), it.gid());
        assert_eq!(facts(&new), facts(&was));
        if has_attributes {
            let mut value = [0; 10];
            let length = rustix::fs::getxattr(&file, "user.colour", value.as_mut_slice()).unwrap();
            assert_eq!(&value[..length], b"green");
        } else {
            eprintln!("NOT TESTED: no extended attributes on this file system");
        }
        world.uninstall(&[&file]).unwrap();
        assert_eq!(facts(&fs::metadata(&file).unwrap()), facts(&was));
        assert_eq!(text(&file).as_deref(), Some(OLD));
    }
}

/// Adds an access list that lets one more user read.
#[cfg(target_os = "linux")]
#[test]
fn an_access_list_stays() {
    let world = World::new();
    let file = world.file("settings.json", OLD);
    // Version 2; owner rw, user 1234 r, group none, mask r, others none.
    let mut list = vec![2, 0, 0, 0];
    for (tag, bits, id) in [
        (1_u16, 6_u16, u32::MAX),
        (2, 4, 1234),
        (4, 0, u32::MAX),
        (16, 4, u32::MAX),
        (32, 0, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(bits.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let name = "system.posix_acl_access";
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(&file, name, &list, flags).is_err() {
        eprintln!("NOT TESTED: no access lists on this file system");
        return;
    }
    world.install(&[&file], "1").unwrap();
    let mut value = [0; 100];
    let length = rustix::fs::getxattr(&file, name, value.as_mut_slice()).unwrap();
    assert_eq!(&value[..length], list);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
}

#[test]
fn backups_and_ledger_are_for_their_owner_alone() {
    let world = World::new();
    let file = world.file("settings.json", OLD);
    mode(&file, 0o644);
    let applied = world.install(&[&file], "1").unwrap();
    let [(named, backup)] = applied.backups.as_slice() else { panic!("{applied:?}") };
    assert_eq!(named, &file);
    assert_eq!(text(backup).as_deref(), Some(OLD));
    let name = backup.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("20260202T024000Z-"), "{name}");
    assert!(name.ends_with("%home%settings.json"), "{name}");
    let bits = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(bits(backup), 0o600);
    assert_eq!(bits(&world.state().join("installed.json")), 0o600);
    assert_eq!(bits(backup.parent().unwrap()), 0o700);
    assert_eq!(bits(world.state()), 0o700);
}

#[test]
fn the_other_names_of_a_file_keep_the_old_text_and_that_is_said() {
    let world = World::new();
    let file = world.file("settings.json", OLD);
    let other = world.home("other.json");
    fs::hard_link(&file, &other).unwrap();
    let applied = world.install(&[&file], "1").unwrap();
    assert!(applied.notes[0].contains("2 names"), "{applied:?}");
    assert_eq!(text(&other).as_deref(), Some(OLD));
    assert_eq!(text(&file), Some(wire(Some(OLD), "1")));
    world.uninstall(&[&file]).unwrap();
    assert_eq!(text(&file).as_deref(), Some(OLD));
}

#[test]
fn what_root_makes_belongs_to_whose_folder_it_is_in() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT TESTED: only root makes files for others");
        return;
    }
    let world = World::new();
    let home = world.home("");
    std::os::unix::fs::chown(&home, Some(1234), Some(4321)).unwrap();
    let file = world.home(".cursor/hooks.json");
    world.install(&[&file], "1").unwrap();
    for path in [&file, &world.home(".cursor")] {
        let metadata = fs::metadata(path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (1234, 4321), "{}", path.display());
    }
    // Managed files are for everyone.
    let managed = world.root().join("etc/cursor/hooks.json");
    fs::create_dir(world.root().join("etc")).unwrap();
    world.install(&[&managed], "1").unwrap();
    assert_eq!(fs::metadata(&managed).unwrap().mode() & 0o777, 0o644);
    assert_eq!(fs::metadata(managed.parent().unwrap()).unwrap().mode() & 0o777, 0o755);
}
