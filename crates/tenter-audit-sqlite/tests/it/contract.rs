//! Runs the store conformance test.

use tenter_audit::memory::Memory;
use tenter_audit_sqlite::SqliteStore;
use tenter_testkit::store::story;

#[test]
fn the_plain_store_tells_the_story() {
    story(&mut Memory::new());
}

#[test]
fn the_database_tells_the_story() {
    let folder = tempfile::tempdir().unwrap();
    story(&mut SqliteStore::open(&folder.path().join("index.sqlite")).unwrap());
}

#[test]
fn the_database_in_memory_tells_the_story() {
    story(&mut SqliteStore::in_memory().unwrap());
}
