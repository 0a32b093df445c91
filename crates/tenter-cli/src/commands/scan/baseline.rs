//! Baselines: accepted findings in a file that can be committed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::Seen;
use crate::error::CommandError;
use crate::output_file;

/// Maximum size of a baseline.
const MOST: u64 = 32 * 1024 * 1024;

/// The fingerprints in a file.
pub(super) fn read(path: &Path) -> Result<BTreeSet<String>, CommandError> {
    let fault = |what: &str| CommandError::usage(format!("--baseline {}: {what}", path.display()));
    let text = tenter_files::read_named(path, MOST).map_err(|error| fault(&error.to_string()))?;
    let value: Value = serde_json::from_slice(&text).map_err(|error| fault(&error.to_string()))?;
    if value.get("version") != Some(&Value::from(1)) {
        return Err(fault("is not a baseline of version 1"));
    }
    let items = value.get("items").and_then(Value::as_array);
    let items = items.ok_or_else(|| fault("has no list `items`"))?;
    let fingerprint = |item: &Value| Some(item.get("fingerprint")?.as_str()?.to_owned());
    items
        .iter()
        .map(|item| fingerprint(item).ok_or_else(|| fault("an item has no fingerprint")))
        .collect()
}

/// Writes all readable findings. Returns a message.
pub(super) fn write(path: &Path, seen: &Seen) -> Result<String, CommandError> {
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
    output_file::write(path, text.as_bytes())?;
    let mut said = format!(
        "{count} {} in the baseline now\n",
        if count == 1 { "thing is" } else { "things are" }
    );
    if left > 0 {
        let _ = writeln!(said, "{left} are not: they could not be looked at as a whole");
    }
    Ok(said)
}
