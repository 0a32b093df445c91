//! What was agreed to, as a file that can be committed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Seen;

/// No list of findings comes near this.
const MOST: u64 = 32 * 1024 * 1024;

/// The fingerprints of a file.
pub(super) fn read(path: &Path) -> Result<BTreeSet<String>, String> {
    let fault = |what: String| format!("--baseline {}: {what}", path.display());
    let mut text = String::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST).read_to_string(&mut text))
        .map_err(|error| fault(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
    if value.get("version") != Some(&Value::from(1)) {
        return Err(fault("is not a baseline of version 1".to_owned()));
    }
    let items = value.get("items").and_then(Value::as_array);
    let items = items.ok_or_else(|| fault("has no list `items`".to_owned()))?;
    let fingerprint = |item: &Value| Some(item.get("fingerprint")?.as_str()?.to_owned());
    items
        .iter()
        .map(|item| fingerprint(item).ok_or_else(|| fault("an item has no fingerprint".to_owned())))
        .collect()
}

/// Writes everything that was found and could be read. Returns what to say.
pub(super) fn write(path: &Path, seen: &Seen) -> Result<String, String> {
    let mut items: Vec<Value> = Vec::new();
    for judged in &seen.items {
        let Some(fingerprint) = &judged.fingerprint else { continue };
        let item = &judged.item;
        items.push(json!({
            "file": item.file, "kind": item.kind.id(), "host": item.host, "name": item.name,
            "fingerprint": fingerprint,
        }));
    }
    let left = seen.items.len() - items.len();
    let count = items.len();
    let text = format!("{:#}\n", json!({ "version": 1, "items": items }));
    replace(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut said = format!(
        "{count} {} in the baseline now\n",
        if count == 1 { "thing is" } else { "things are" }
    );
    if left > 0 {
        let _ = writeln!(said, "{left} are not: they could not be looked at as a whole");
    }
    Ok(said)
}

/// A file beside it takes its place: a link that lies there is not written through.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        drop(std::fs::remove_file(&beside));
    }
    written
}
