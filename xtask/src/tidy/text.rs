//! Checks for forbidden words in all files.
//!
//! The needles are assembled from parts, so that this file is not found.

use super::Findings;
use super::files::File;

/// Folders of the development machines.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/fa", "rm/")];

/// Markers of unfinished work, which belongs in an issue.
const UNFINISHED: &[&str] = &[
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];

/// Settings that point a package manager to a private registry.
const REGISTRY_SETTINGS: &[&str] =
    &[concat!("replace", "-with"), concat!("[regis", "tries"), concat!("[sour", "ce.")];

/// Files for such settings.
const REGISTRY_FILES: &[&str] = &[".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", ".pypirc"];

/// Extensions of hand-written text, as opposed to recordings and snapshots.
const WRITTEN: &[&str] = &["", "rs", "md", "toml", "py", "ts", "mjs", "js", "sh", "yml", "yaml"];

pub(super) fn check(files: &[File]) -> Findings {
    let mut findings = Findings::new();
    for file in files {
        if REGISTRY_FILES.contains(&file.base()) {
            findings.push(format!("{} is personal: remove it from the repository", file.name));
        }
        let Some(text) = file.text() else { continue };
        for (number, line) in (1_usize..).zip(text.lines()) {
            let fault = fault(file, line);
            findings.extend(fault.map(|fault| format!("{}:{number}: {fault}", file.name)));
        }
    }
    findings
}

fn fault(file: &File, line: &str) -> Option<String> {
    if let Some(path) = MACHINE_PATHS.iter().find(|path| stands_alone(line, path)) {
        return Some(format!("names `{path}`, a folder of one machine: use a relative path"));
    }
    if WRITTEN.contains(&file.extension())
        && let Some(mark) = UNFINISHED.iter().find(|mark| stands_alone(line, mark))
    {
        return Some(format!("says `{mark}`: do it now, or open an issue and drop the mark"));
    }
    let is_lock = file.extension() == "lock";
    if is_lock && line.starts_with("source = ") && !line.ends_with("/crates.io-index\"") {
        return Some("locks a package from another place than crates.io".to_owned());
    }
    let is_cargo_config = file.name.ends_with(".cargo/config.toml");
    if is_cargo_config && REGISTRY_SETTINGS.iter().any(|setting| line.contains(setting)) {
        return Some(
            "sets a registry: that belongs in the configuration of the machine".to_owned(),
        );
    }
    None
}

/// Whether `needle` occurs as a separate word or path, not as part of a longer one.
fn stands_alone(line: &str, needle: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let open_ended = |end: Option<char>| end.is_some_and(|c| !c.is_alphanumeric());
    line.match_indices(needle).any(|(at, found)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + found.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part_of_word)
            && (open_ended(needle.chars().next_back()) || !after.is_some_and(part_of_word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::files::sample;
    use super::*;

    fn fault_in(name: &str, line: &str) -> Option<String> {
        fault(&sample(name), line)
    }

    #[test]
    fn machine_paths_are_found_in_any_file() {
        let path = MACHINE_PATHS[0];
        assert!(fault_in("a/b.json", &format!("{{\"cwd\":\"{path}main\"}}")).is_some());
        assert!(fault_in("README.md", &format!("cd {path}")).is_some());
        assert!(fault_in("README.md", &format!("see docs{path}flow.md")).is_none());
    }

    #[test]
    fn unfinished_marks_are_found_in_written_text_only() {
        let mark = UNFINISHED[3];
        assert!(fault_in("a.rs", &format!("// {mark}: later")).is_some());
        assert!(fault_in("a.rs", &format!("mktemp -d /tmp/a.{mark}{mark}")).is_none());
        assert!(fault_in("a.json", &format!("\"{mark}\"")).is_none());
        assert!(fault_in("a.rs", &format!("    {}()", UNFINISHED[0])).is_some());
        assert!(fault_in("a.rs", &format!("    {}(\"x\")", UNFINISHED[1])).is_some());
    }

    #[test]
    fn packages_come_from_the_public_registry() {
        let public = "source = \"registry+https://example.org/crates.io-index\"";
        assert!(fault_in("Cargo.lock", public).is_none());
        assert!(fault_in("Cargo.lock", "source = \"sparse+https://example.org/x/\"").is_some());
        assert!(fault_in(".cargo/config.toml", "[registries.own]").is_some());
        assert!(fault_in(".cargo/config.toml", "[alias]").is_none());
    }
}
