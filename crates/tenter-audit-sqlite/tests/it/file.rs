//! The index file: permissions, damage, foreign content, full disk.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tenter_audit::Record;
use tenter_audit::record::Kept;
use tenter_audit::store::{Item, Order, Query, Store};
use tenter_audit_sqlite::SqliteStore;
use tenter_testkit::store::{after, call, item, sample};

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("audit").join("index.sqlite");
    (folder, index)
}

fn items() -> Vec<Item> {
    sample().into_iter().map(item).collect()
}

fn fill(index: &Path) -> SqliteStore {
    let mut store = SqliteStore::open(index).unwrap();
    store.add(&items(), &after(&items())).unwrap();
    store
}

fn count(store: &SqliteStore) -> usize {
    store.find(&Query::default(), Order::NewestFirst, 100).unwrap().len()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn only_the_owner_can_read_any_of_its_files() {
    let (folder, index) = folder();
    let _store = fill(&index);
    assert_eq!(mode(index.parent().unwrap()), 0o700);
    let names: Vec<PathBuf> =
        fs::read_dir(folder.path().join("audit")).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(names.iter().any(|name| name.ends_with("index.sqlite-wal")), "{names:?}");
    for name in names {
        assert_eq!(mode(&name), 0o600, "{}", name.display());
    }
}

#[test]
fn what_was_taken_in_is_there_when_it_is_opened_again() {
    let (_folder, index) = folder();
    let position = fill(&index).position().unwrap();
    let store = SqliteStore::open(&index).unwrap();
    assert_eq!((count(&store), store.position().unwrap()), (7, position));
    assert_eq!(store.warning(), None);
}

#[test]
fn a_file_that_is_no_database_is_set_aside() {
    let (_folder, index) = folder();
    drop(fill(&index));
    fs::write(&index, "no database".repeat(1000)).unwrap();
    let store = SqliteStore::open(&index).unwrap();
    assert!(store.warning().unwrap().contains("damaged"), "{:?}", store.warning());
    assert_eq!((count(&store), store.position().unwrap()), (0, None));
    let names = fs::read_dir(index.parent().unwrap()).unwrap();
    let names: Vec<String> =
        names.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    let aside = names.iter().find(|name| name.starts_with("index.sqlite.broken-")).unwrap();
    let kept = fs::read(index.with_file_name(aside)).unwrap();
    assert_eq!(kept, "no database".repeat(1000).into_bytes());
}

#[test]
fn damage_that_would_show_later_is_noticed_at_once() {
    let (_folder, index) = folder();
    drop(fill(&index));
    let mut bytes = fs::read(&index).unwrap();
    // The first page is kept: it describes the layout, not the content.
    bytes.iter_mut().skip(4096).for_each(|byte| *byte = 0xa5);
    fs::write(&index, bytes).unwrap();
    let store = SqliteStore::open(&index).unwrap();
    assert!(store.warning().unwrap().contains("changed or damaged"), "{:?}", store.warning());
    assert_eq!((count(&store), store.is_writable()), (0, true));
}

#[test]
fn a_file_of_a_newer_program_is_left_alone() {
    let (_folder, index) = folder();
    drop(fill(&index));
    // The version is a four-byte number at this offset of the header.
    let mut bytes = fs::read(&index).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&index, &bytes).unwrap();
    // Another version leaves no stamp, or a different one.
    fs::remove_file(index.with_extension("stamp")).unwrap();
    let said = SqliteStore::open(&index).unwrap_err().to_string();
    assert!(said.contains("newer tenter (its form is 99, this one knows 3)"), "{said}");
    assert!(said.contains("remove the file"), "{said}");
    assert_eq!(fs::read(&index).unwrap(), bytes);
}

#[test]
fn a_folder_that_takes_nothing_is_read_as_it_is() {
    let (_folder, index) = folder();
    drop(fill(&index));
    let audit = index.parent().unwrap().to_owned();
    let set = |mode| fs::set_permissions(&audit, fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    let store = SqliteStore::open(&index);
    let is_root = fs::write(audit.join("probe"), "").is_ok();
    set(0o700);
    let mut store = store.unwrap();
    assert_eq!(count(&store), 7);
    // Root ignores permissions.
    if !is_root {
        assert!(store.warning().unwrap().contains("cannot be written"), "{:?}", store.warning());
        assert!(!store.is_writable());
        assert!(store.add(&items(), &after(&items())).is_ok(), "there is nothing new in it");
        let new = [item(call(9, 9, "codex", "s"))];
        assert!(store.add(&new, &after(&new)).is_err());
    }
}

#[test]
fn where_no_file_can_be_made_the_index_is_in_memory() {
    let (folder, _) = folder();
    fs::write(folder.path().join("audit"), "a file where a folder should be").unwrap();
    let mut store = SqliteStore::open(&folder.path().join("audit").join("index.sqlite")).unwrap();
    assert!(store.warning().unwrap().contains("read every time"), "{:?}", store.warning());
    store.add(&items(), &after(&items())).unwrap();
    assert_eq!(count(&store), 7);
}

#[test]
fn forgotten_words_and_names_are_nowhere_in_the_file() {
    let (_folder, index) = folder();
    let record = |seq: u64, word: String| Record {
        prompt: Some(Kept::Whole(word.clone().into())),
        cwd: Some(format!("/folder-{word}").into()),
        ..call(seq, seq, "cursor", "s")
    };
    let batch: Vec<Item> =
        (1..=600).map(|seq| item(record(seq, format!("zebra{seq}quagga")))).collect();
    let mut store = SqliteStore::open(&index).unwrap();
    store.add(&batch, &after(&batch)).unwrap();
    store.forget(590).unwrap();
    drop(store);
    let mut bytes = fs::read(&index).unwrap();
    bytes.extend(fs::read(index.with_extension("sqlite-wal")).unwrap_or_default());
    let holds = |word: &str| bytes.windows(word.len()).any(|it| it == word.as_bytes());
    assert!(holds("folder-zebra595quagga"));
    let left: Vec<u64> = (1..=590).filter(|seq| holds(&format!("zebra{seq}quagga"))).collect();
    assert_eq!(left, [0; 0]);
}

#[test]
fn numbers_that_come_again_stop_nothing() {
    let mut store = SqliteStore::in_memory().unwrap();
    let mut twice = items();
    twice.extend(items());
    twice.push(item(call(9, 9, "codex", "s")));
    store.add(&twice, &after(&twice)).unwrap();
    assert_eq!((count(&store), store.position().unwrap().unwrap().seq), (8, 9));
}

#[test]
fn who_began_before_another_emptied_the_index_adds_nothing() {
    let (_folder, index) = folder();
    let mut one = fill(&index);
    let mut two = SqliteStore::open(&index).unwrap();
    let position = two.position().unwrap().unwrap();
    assert_eq!(position.seq, 8);
    one.position().unwrap();
    one.clear().unwrap();
    // It would continue after record 8 and miss what is before.
    let new = [item(call(9, 9, "codex", "s"))];
    let said = two.add(&new, &after(&new)).unwrap_err().to_string();
    assert!(said.contains("run this again"), "{said}");
    // A second process that wants to clear it finds that done, and keeps what was added since.
    one.add(&items(), &after(&items())).unwrap();
    two.clear().unwrap();
    assert_eq!(count(&two), 7);
    two.add(&items(), &after(&items())).unwrap();
    assert_eq!(count(&two), 7);
}
