//! Collects files written by a call that may be run later.

use std::hash::{DefaultHasher, Hash, Hasher};

use tenter_shell::Act;
use tenter_shell::{Kind, Target};

use super::{PassageKind, Scene};

/// Extensions of data files. Any other extension, or none, may be code.
const DATA: &[&str] = &[
    "md", "mdx", "txt", "rst", "adoc", "html", "htm", "css", "scss", "less", "svg", "png", "jpg",
    "jpeg", "gif", "webp", "ico", "pdf", "csv", "tsv", "log", "lock", "xml", "json", "jsonl",
    "yaml", "yml", "toml", "ini", "cfg", "conf", "proto", "graphql", "sql", "snap", "po", "ttf",
    "woff2", "map", "diff", "patch", "zip", "gz", "tgz", "tar",
];
/// Data by extension that tools run nevertheless.
const RUN: &[&str] = &[
    ".lefthook.yml",
    ".mise.toml",
    ".pre-commit-config.yaml",
    "CMakeLists.txt",
    "Makefile.toml",
    "Taskfile.yaml",
    "Taskfile.yml",
    "compose.yaml",
    "composer.json",
    "deno.json",
    "docker-compose.yml",
    "lefthook.yml",
    "mise.toml",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
];
/// The same, by folder.
const RUN_THERE: &[&str] = &["/.cargo/config.toml"];

/// Whether a file of this name may be run.
pub(crate) fn may_be_code(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if RUN.contains(&name) || RUN_THERE.iter().any(|end| path.ends_with(end)) {
        return true;
    }
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => {
            !DATA.iter().any(|data| data.eq_ignore_ascii_case(ending))
        }
        _ => true,
    }
}

/// Maximum number of files stored per call.
const MOST: usize = 64;

impl Scene<'_> {
    /// The files that this call writes and that may be run later, with a hash of the content if known.
    pub fn written(&self) -> Vec<(String, Option<u64>)> {
        let mut files: Vec<(String, Option<u64>)> = Vec::new();
        for effect in self.effects() {
            let (Kind::Write | Kind::Overwrite | Kind::Append, Target::Path(path)) =
                (effect.kind, &effect.target)
            else {
                continue;
            };
            let Some(exact) = path.real.as_deref().or(path.exact()).filter(|_| !path.elsewhere)
            else {
                continue;
            };
            let known = files.iter().any(|(known, _)| known == exact);
            if known || files.len() >= MOST || exact.starts_with("/dev/") || !may_be_code(exact) {
                continue;
            }
            files.push((exact.to_owned(), self.content_hash(effect.action, path.written.as_str())));
        }
        files
    }

    /// A hash of the complete content written by a file tool.
    fn content_hash(&self, action: Act, path: &str) -> Option<u64> {
        let wrote = |passage: &&super::Passage<'_>| {
            passage.kind == PassageKind::Written && passage.path.as_deref() == Some(path)
        };
        let passage = self.passages.iter().filter(|_| action == Act::WriteTool).find(wrote)?;
        let mut hash = DefaultHasher::new();
        passage.text.hash(&mut hash);
        Some(hash.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::may_be_code;

    #[test]
    fn files_that_may_be_run_are_known_by_their_names() {
        for path in ["/a/x.sh", "/a/x", "/a/Makefile", "/a/.envrc", "/a/package.json", "/a/x.odd"] {
            assert!(may_be_code(path), "{path}");
        }
        for path in ["/a/x.md", "/a/tsconfig.json", "/a/x.CSS", "/a/Cargo.lock"] {
            assert!(!may_be_code(path), "{path}");
        }
    }
}
