//! Finds a plugin's hooks: in its manifest, or in its `hooks` folder.

use std::path::{Path, PathBuf};

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Parsed, Source};

/// Location of a plugin's hooks.
#[derive(Debug)]
pub(super) enum Place {
    /// A file; `named` if the manifest names it.
    File { path: PathBuf, named: bool },
    /// Inside the manifest.
    Inline(Source),
}

pub(super) fn manifest(root: &Path) -> PathBuf {
    root.join(".cursor-plugin/plugin.json")
}

/// Finds a plugin's hooks. A `hooks` key in the manifest replaces the `hooks` folder.
pub(super) fn find(root: &Path) -> Result<Place, Diagnostic> {
    let manifest = manifest(root);
    let folder = Place::File { path: root.join("hooks/hooks.json"), named: false };
    let source = Source::read(&manifest)
        .map_err(|fault| Diagnostic::of_file(Severity::Error, &manifest, fault))?;
    let Some(source) = source else { return Ok(folder) };
    let parsed = source
        .parse()
        .map_err(|error| Diagnostic::at(Severity::Error, &source, error.at.start, error.message))?;
    match hooks(&parsed) {
        Some(Value::StringLit(path)) => {
            Ok(Place::File { path: root.join(path.value.as_ref()), named: true })
        }
        Some(Value::Object(_)) => Ok(Place::Inline(source)),
        Some(other) => {
            let text = "`hooks` must be a path or an object: no hook of this plugin runs";
            Err(Diagnostic::at(Severity::Error, &source, other.start(), text.to_owned()))
        }
        None => Ok(folder),
    }
}

fn hooks<'v, 'a>(manifest: &'v Parsed<'a>) -> Option<&'v Value<'a>> {
    let Value::Object(manifest) = &manifest.value else { return None };
    manifest.get("hooks").map(|property| &property.value)
}

/// The map from event to entries of an inline `hooks`, with or without a wrapping `hooks` object.
pub(super) fn inline_events<'v, 'a>(manifest: &'v Parsed<'a>) -> Option<&'v Object<'a>> {
    let Some(Value::Object(hooks)) = hooks(manifest) else { return None };
    match hooks.get("hooks").map(|property| &property.value) {
        Some(Value::Object(events)) => Some(events),
        _ => Some(hooks),
    }
}
