//! The ledger: what it stores, and that a wrong one is not trusted.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_setup::files::{self, Change, Judge, Steps};

use super::world::{JUDGE, OLD, World, text, unwire, wire};

/// A world with one changed file, one created file, and files that must never be deleted.
fn scene() -> (World, PathBuf, PathBuf) {
    let world = World::in_memory();
    let file = world.file("a/settings.json", OLD);
    let made = world.home("b/c/hooks.json");
    world.file("notes.txt", "mine");
    fs::create_dir(world.home("empty")).unwrap();
    world.install(&[&file, &made], "1").unwrap();
    (world, file, made)
}

fn ledger_file(world: &World) -> PathBuf {
    world.state().join("installed.json")
}

/// Checks after an uninstall with a possibly wrong ledger: our lines are gone, everything else is there.
fn is_safe(world: &World, file: &Path, made: &Path, place: &str) {
    world.uninstall(&[file, made]).unwrap_or_else(|trouble| panic!("{place}: {trouble}"));
    let now = text(file).unwrap();
    assert!(now == OLD || now == format!("{OLD}\n"), "{place}: {now:?}");
    let rest = text(made);
    assert!(rest.as_deref().is_none_or(|rest| rest == "{\n}\n"), "{place}: {rest:?}");
    assert_eq!(text(&world.home("notes.txt")).as_deref(), Some("mine"), "{place}");
    assert!(world.home("empty").is_dir(), "{place}");
}

#[test]
fn a_ledger_cut_short_anywhere_does_no_harm() {
    let (world, file, made) = scene();
    let whole = fs::read(ledger_file(&world)).unwrap();
    let installed = [&file, &made].map(|path| text(path).unwrap());
    for length in 0..whole.len() - 1 {
        for (path, text) in [&file, &made].into_iter().zip(&installed) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::write(ledger_file(&world), &whole[..length]).unwrap();
        let note = files::ledger(&world.places).unwrap().note;
        // Without its last line feed it is still complete.
        assert!(note.is_some() || length == whole.len() - 1, "{length}");
        is_safe(&world, &file, &made, &format!("{length} bytes"));
    }
    println!("{} ledgers cut short", whole.len() - 1);
}

#[test]
fn a_ledger_with_a_wrong_byte_does_no_harm() {
    let (world, file, made) = scene();
    let whole = fs::read(ledger_file(&world)).unwrap();
    let installed = [&file, &made].map(|path| text(path).unwrap());
    let mut runs = 0;
    for at in 0..whole.len() {
        for byte in [b'/', whole[at] ^ 1] {
            let mut wrong = whole.clone();
            if wrong[at] == byte {
                continue;
            }
            wrong[at] = byte;
            for (path, text) in [&file, &made].into_iter().zip(&installed) {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            fs::write(ledger_file(&world), &wrong).unwrap();
            is_safe(&world, &file, &made, &format!("byte {at} is {byte}"));
            runs += 1;
        }
    }
    println!("{runs} ledgers with a wrong byte");
}

#[test]
fn a_ledger_of_a_later_version_is_set_aside() {
    let (world, file, made) = scene();
    let text_of = fs::read_to_string(ledger_file(&world)).unwrap();
    let later = text_of.replacen("\"version\": 1", "\"version\": 2", 1);
    assert_ne!(later, text_of);
    fs::write(ledger_file(&world), &later).unwrap();
    let note = files::ledger(&world.places).unwrap().note.unwrap();
    assert!(note.contains("version 2"), "{note}");
    assert_eq!(files::ledger(&world.places).unwrap().entries(), []);
    let applied = world.install(&[&file], "2").unwrap();
    assert!(applied.notes[0].contains("version 2"), "{applied:?}");
    let aside = world.state().join("installed.json.unread-20260202T024000Z");
    assert_eq!(text(&aside), Some(later));
    is_safe(&world, &file, &made, "later version");
}

#[test]
fn a_ledger_that_tells_lies_removes_nothing_of_others() {
    let (world, file, made) = scene();
    let theirs = world.file("theirs/keep.json", "{ \"mine\": 1 }");
    let truth = fs::read_to_string(ledger_file(&world)).unwrap();
    let folders = format!("{:?}", [world.home("b"), world.home("b/c")]);
    let listed = serde_json::from_str::<serde_json::Value>(&truth).unwrap();
    let listed = listed["files"][1]["created_folders"].clone();
    assert_eq!(listed.to_string().replace(',', ", "), folders);
    let mut lie: serde_json::Value = serde_json::from_str(&truth).unwrap();
    // Folders unrelated to the file, and the file itself.
    lie["files"][1]["created_folders"] = serde_json::json!([
        world.home("empty"),
        world.home("theirs"),
        theirs,
        made,
        world.home("b"),
        world.home("b/c"),
    ]);
    lie["files"][0]["original"]["backup"] = serde_json::json!("../../../../../theirs/keep.json");
    fs::write(ledger_file(&world), lie.to_string()).unwrap();
    is_safe(&world, &file, &made, "lies");
    assert_eq!(text(&theirs).as_deref(), Some("{ \"mine\": 1 }"));
    assert!(!world.home("b").exists());
}

#[test]
fn without_its_backup_only_our_lines_are_taken_out() {
    for damage in ["missing", "changed", "empty"] {
        let (world, file, made) = scene();
        let backup = files::ledger(&world.places).unwrap().backup(&file).unwrap();
        match damage {
            "missing" => fs::remove_file(&backup).unwrap(),
            "changed" => fs::write(&backup, OLD.replace("opus", "else")).unwrap(),
            _ => fs::write(&backup, "").unwrap(),
        }
        let installed = text(&file).unwrap();
        assert_eq!(files::ledger(&world.places).unwrap().original(&file, &installed), None);
        world.uninstall(&[&file, &made]).unwrap();
        assert_eq!(text(&file), Some(format!("{OLD}\n")), "{damage}");
        assert!(!world.home("b").exists(), "{damage}");
    }
}

#[test]
fn a_file_that_others_changed_since_keeps_their_changes() {
    let (world, file, made) = scene();
    let changed = text(&file).unwrap().replace("opus", "haiku");
    fs::write(&file, &changed).unwrap();
    assert!(!files::ledger(&world.places).unwrap().is_untouched(&file, &changed));
    // Our second version is written over their change: no text is the original any more.
    world.install(&[&file, &made], "2").unwrap();
    let installed = text(&file).unwrap();
    assert_eq!(files::ledger(&world.places).unwrap().original(&file, &installed), None);
    // Nor after a third.
    world.install(&[&file], "3").unwrap();
    world.uninstall(&[&file]).unwrap();
    assert_eq!(text(&file), Some(format!("{}\n", OLD.replace("opus", "haiku"))));
    world.uninstall(&[&made]).unwrap();
    assert!(!world.home("b").exists());
}

#[test]
fn who_takes_our_lines_out_by_hand_gets_that_text_back_next_time() {
    let (world, file, made) = scene();
    let by_hand = "{ \"by\": \"hand\" }";
    fs::write(&file, by_hand).unwrap();
    fs::write(&made, by_hand).unwrap();
    world.install(&[&file, &made], "1").unwrap();
    world.uninstall(&[&file, &made]).unwrap();
    assert_eq!(text(&file).as_deref(), Some(by_hand));
    // We created it, but its present content is theirs.
    assert_eq!(text(&made).as_deref(), Some(by_hand));
}

/// A fix of foreign entries is not undone by an uninstall.
#[test]
fn what_was_changed_for_others_stays_when_we_leave() {
    let world = World::in_memory();
    let file = world.file("settings.json", OLD);
    let mended = |text: &str| text.replace("opus", "haiku");
    let mend = |judge: Judge<'_>| {
        let before = text(&file).unwrap();
        let after = Some(mended(&before));
        let change = Change { path: file.clone(), before: Some(before), after };
        files::apply_with(&[change], judge, &world.places, Steps::NONE).unwrap()
    };
    // Before us: it contains nothing of ours, so the ledger ignores it.
    assert_eq!(mend(JUDGE).backups.len(), 1);
    assert_eq!(world.kept().1, 0);
    fs::write(&file, OLD).unwrap();
    world.install(&[&file], "1").unwrap();
    mend(Judge { ours: None, ..JUDGE });
    world.install(&[&file], "2").unwrap();
    world.uninstall(&[&file]).unwrap();
    assert_eq!(text(&file), Some(format!("{}\n", mended(OLD))));
}

/// A policy contains no hooks, but we created it.
#[test]
fn a_file_that_we_made_goes_away_though_it_holds_no_hooks() {
    let world = World::in_memory();
    let file = world.home("config/policy.toml");
    let write = |before: Option<&str>, after: Option<&str>| {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let change = Change { path: file.clone(), before: own(before), after: own(after) };
        files::apply_with(&[change], JUDGE, &world.places, Steps::NONE).unwrap()
    };
    write(None, Some("{ 1 }"));
    write(Some("{ 1 }"), Some("{ 2 }"));
    let ledger = files::ledger(&world.places).unwrap();
    assert_eq!(ledger.original(&file, "{ 2 }"), Some(None));
    assert_eq!(ledger.original(&file, "{ 3 }"), None);
    write(Some("{ 2 }"), None);
    assert!(!world.home("config").exists());
    assert_eq!(world.kept().1, 0);
}

#[test]
fn the_original_is_the_text_before_the_first_of_many_installs() {
    let world = World::in_memory();
    let file = world.file("settings.json", OLD);
    for id in 0..30 {
        world.install(&[&file], &id.to_string()).unwrap();
    }
    let backups = files::backups(world.state(), &file);
    assert_eq!(backups.len(), 21, "the last twenty, and the original");
    assert_eq!(text(&backups[0]).as_deref(), Some(OLD));
    world.uninstall(&[&file]).unwrap();
    assert_eq!(text(&file).as_deref(), Some(OLD));
    assert_eq!(world.kept().1, 0);
}

#[test]
fn folders_of_ours_stay_if_somebody_uses_them() {
    let (world, file, made) = scene();
    world.file("b/theirs.json", "{}");
    let applied = world.uninstall(&[&file, &made]).unwrap();
    assert_eq!(applied.removed, [world.home("b/c")]);
    assert_eq!(text(&world.home("b/theirs.json")).as_deref(), Some("{}"));
    // Somebody else created it this time, so we must not remove it.
    fs::create_dir(world.home("b/c")).unwrap();
    world.install(&[&made], "1").unwrap();
    world.uninstall(&[&made]).unwrap();
    assert!(world.home("b/c").is_dir());
}

#[test]
fn a_file_of_ours_that_somebody_removed_is_forgotten() {
    let (world, file, made) = scene();
    fs::remove_file(&made).unwrap();
    let applied = world.uninstall(&[&file, &made]).unwrap();
    assert_eq!(applied.removed, [world.home("b/c"), world.home("b")]);
    assert_eq!(world.kept().1, 0);
}

#[test]
fn a_state_folder_that_is_gone_costs_the_bytes_but_not_the_lines() {
    let (world, file, made) = scene();
    fs::remove_dir_all(world.state()).unwrap();
    world.install(&[&file, &made], "2").unwrap();
    let installed = text(&file).unwrap();
    assert_eq!(installed, wire(Some(&wire(Some(OLD), "1")), "2"));
    // The old text contains a line of ours, so it is not an original.
    assert_eq!(files::ledger(&world.places).unwrap().original(&file, &installed), None);
    world.uninstall(&[&file, &made]).unwrap();
    assert_eq!(text(&file), Some(unwire(&installed)));
    assert_eq!(text(&made).as_deref(), Some("{\n}\n"), "whose it is is not known any more");
}

#[test]
fn temporary_files_of_processes_that_are_gone_are_cleared_away() {
    let world = World::in_memory();
    let file = world.file("settings.json", OLD);
    // The file's own text, an unsaved edit, nothing, a process still running, and a file that is not ours.
    let gone = u32::MAX;
    let beside = |process: &str| world.home(&format!(".settings.json.tenter-{process}.tmp"));
    fs::write(beside(&gone.to_string()), OLD).unwrap();
    fs::write(beside(&format!("{gone}-old")), "{ \"last\": \"edit\" }").unwrap();
    fs::write(beside(&format!("{gone}-1")), "").unwrap();
    fs::write(beside("1"), OLD).unwrap();
    fs::write(beside("abc"), OLD).unwrap();
    let own = format!(".installed.json.tenter-{gone}.tmp");
    fs::create_dir_all(world.state().join("backups")).unwrap();
    fs::write(world.state().join(&own), "half").unwrap();
    fs::write(world.state().join("backups").join(&own), "half").unwrap();
    world.install(&[&file], "1").unwrap();
    let is_there = |path: PathBuf| path.exists();
    assert!(!is_there(beside(&gone.to_string())));
    assert!(!is_there(beside(&format!("{gone}-old"))));
    assert!(!is_there(beside(&format!("{gone}-1"))));
    assert!(is_there(beside("1")) && is_there(beside("abc")));
    assert!(!is_there(world.state().join(&own)));
    assert!(!is_there(world.state().join("backups").join(&own)));
    let kept = files::backups(world.state(), &world.home("settings.json.left-over"));
    assert_eq!(text(&kept[0]).as_deref(), Some("{ \"last\": \"edit\" }"));
    assert_eq!(kept.len(), 1);
}
