//! Payloads recorded from real clients, and examples in the documented shape where none could be recorded.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One payload as a host sends it.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Folder of the host (`cursor`, `claude`), or the name of a foreign client.
    pub host: String,
    /// Its source, for messages.
    pub name: String,
    pub text: String,
}

impl Fixture {
    /// The native event, or for Codex's `notify` its `type`.
    pub fn event(&self) -> String {
        let payload: Value = serde_json::from_str(&self.text).expect("a fixture is JSON");
        let name = payload.get("hook_event_name").or_else(|| payload.get("type"));
        name.and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

fn hosts_crate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tenter-hosts")
}

/// Every payload of every supported host: each folder that holds fixtures is one.
pub fn fixtures() -> Vec<Fixture> {
    let folders = sorted(&hosts_crate().join("src")).into_iter();
    let hosts = folders.filter(|folder| folder.join("fixtures").is_dir());
    let names =
        hosts.map(|host| host.file_name().unwrap_or_default().to_string_lossy().into_owned());
    names.flat_map(|host| fixtures_of(&host)).collect()
}

/// The payloads of one host. Recorded ones come first.
pub fn fixtures_of(host: &str) -> Vec<Fixture> {
    let found = read_tree(&hosts_crate().join("src").join(host).join("fixtures"), host);
    assert!(!found.is_empty(), "host `{host}` has no fixtures");
    found
}

/// Payloads of unsupported clients: detection must not claim them.
pub fn foreign() -> Vec<Fixture> {
    let root = hosts_crate().join("tests/foreign");
    let found: Vec<Fixture> = sorted(&root)
        .into_iter()
        .flat_map(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            read_tree(&folder, &name)
        })
        .collect();
    assert!(!found.is_empty(), "there are no foreign payloads");
    found
}

/// Reaction of a recorded client to every answer that was tried on it.
pub fn outcomes(host: &str, client: &str) -> serde_json::Map<String, Value> {
    let path =
        hosts_crate().join("src").join(host).join("fixtures").join(client).join("outcomes.json");
    let text = fs::read_to_string(&path).expect("the outcomes were recorded");
    serde_json::from_str(&text).expect("the outcomes are JSON")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the fixtures folder is there");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    paths
}

fn read_tree(folder: &Path, host: &str) -> Vec<Fixture> {
    let (folders, files): (Vec<_>, Vec<_>) =
        sorted(folder).into_iter().partition(|path| path.is_dir());
    let mut found: Vec<Fixture> = folders.iter().flat_map(|below| read_tree(below, host)).collect();
    for path in files {
        let stem = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if stem == "outcomes.json" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable fixture");
        let lines: Vec<&str> = if path.extension().is_some_and(|kind| kind == "jsonl") {
            text.lines().collect()
        } else {
            vec![text.trim_end()]
        };
        for (index, line) in lines.into_iter().enumerate() {
            found.push(Fixture {
                host: host.to_owned(),
                name: format!("{host}/{stem}:{}", index + 1),
                text: line.to_owned(),
            });
        }
    }
    found
}
