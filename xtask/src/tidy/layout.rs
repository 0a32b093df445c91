//! Checks the layout: host folders are complete, front matter exists.

use std::path::Path;

use super::Findings;
use super::files::File;
use crate::dist;
use crate::workspace::Workspace;

const HOSTS: &str = "crates/tenter-hosts/src/";

/// Required files of a host's folder, beside its fixtures. `encode.rs` is optional.
const HOST_FILES: &[&str] = &["mod.rs", "decode.rs"];

/// The host of the tests, which has no recordings.
const INVENTED: &str = "invented";

const FRONT_MATTER: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "rust-toolchain.toml",
    "Cargo.lock",
    "fuzz/Cargo.lock",
];

/// The command that CI runs, and the files that must name it.
const TEST_COMMAND: &str = "cargo xtask test";
const NAMES_TEST_COMMAND: &[&str] = &[".ci/run", "README.md", "CONTRIBUTING.md"];

/// The only crates that may use `unsafe`, and so the only ones with their own lints.
const OWN_LINTS: &[&str] = &["crates/tenter-alloc/Cargo.toml", "crates/tenter-signals/Cargo.toml"];

/// Test programs beside a crate's `tests/it/main.rs`: they need a process of their own.
const OWN_PROCESS: &[&str] = &[
    "crates/tenter-cli/tests/invented/main.rs",
    "crates/tenter-engine/tests/faults/main.rs",
    "crates/tenter-signals/tests/death.rs",
];

/// File names of work diaries; those belong in issues.
const DIARY_WORDS: &[&str] = &["plan", "plans", "progress", "worklog", "todo", "scratch"];
const DIARY_NAMES: &[&str] = &["log", "notes", "journal", "report", "summary", "status"];

pub(super) fn check(workspace: &Workspace, files: &[File]) -> Findings {
    let mut findings = front_matter(files);
    findings.extend(test_command(files));
    findings.extend(diaries(files));
    findings.extend(hosts(files));
    findings.extend(lints(files));
    findings.extend(test_programs(files));
    findings.extend(release_size(&dist::path(workspace)));
    findings
}

fn has(files: &[File], name: &str) -> bool {
    files.iter().any(|file| file.name == name)
}

fn front_matter(files: &[File]) -> Findings {
    let missing = FRONT_MATTER.iter().filter(|name| !has(files, name));
    let mut findings: Findings = missing.map(|name| format!("{name} is missing")).collect();
    let has_both = has(files, "LICENSE-APACHE") && has(files, "LICENSE-MIT");
    if !has(files, "LICENSE") && !has_both {
        findings.push("LICENSE-APACHE and LICENSE-MIT, or one LICENSE, are missing".to_owned());
    }
    findings
}

fn test_command(files: &[File]) -> Findings {
    let names_it = |file: &File| file.text().is_some_and(|text| text.contains(TEST_COMMAND));
    let watched = files.iter().filter(|file| NAMES_TEST_COMMAND.contains(&file.name.as_str()));
    let silent = watched.filter(|file| !names_it(file));
    silent.map(|file| format!("{} does not name `{TEST_COMMAND}`", file.name)).collect()
}

fn diaries(files: &[File]) -> Findings {
    let diaries = files.iter().filter(|file| file.extension() == "md" && is_diary(file.base()));
    diaries.map(|file| format!("{} reads like a diary: keep it in an issue", file.name)).collect()
}

fn is_diary(base: &str) -> bool {
    let stem = base.trim_end_matches(".md").to_lowercase();
    DIARY_NAMES.contains(&stem.as_str())
        || stem.split(['-', '_', '.', ' ']).any(|word| DIARY_WORDS.contains(&word))
}

/// Checks that every crate inherits the workspace's lints.
fn lints(files: &[File]) -> Findings {
    let is_crate = |file: &&File| {
        file.base() == "Cargo.toml" && !["Cargo.toml", "fuzz/Cargo.toml"].contains(&&*file.name)
    };
    let asks =
        |file: &File| file.text().is_some_and(|text| text.contains("[lints]\nworkspace = true"));
    let silent = files.iter().filter(is_crate).filter(|file| !asks(file));
    let wrong = silent.filter(|file| !OWN_LINTS.contains(&&*file.name));
    wrong.map(|file| format!("{}: add `[lints] workspace = true`", file.name)).collect()
}

/// Checks that a crate has one test program: each links the whole crate again.
fn test_programs(files: &[File]) -> Findings {
    let is_another = |name: &str| {
        let inside = name.strip_prefix("crates/").and_then(|name| name.split_once("/tests/"));
        let Some((_, path)) = inside.filter(|(package, _)| !package.contains('/')) else {
            return false;
        };
        let is_program = match path.split_once('/') {
            None => Path::new(path).extension().is_some_and(|extension| extension == "rs"),
            Some((folder, file)) => folder != "it" && file == "main.rs",
        };
        is_program && !OWN_PROCESS.contains(&name)
    };
    let others = files.iter().filter(|file| is_another(&file.name));
    others.map(|file| format!("{}: make it a module of `tests/it`", file.name)).collect()
}

/// Checks that every folder beside the crate's code is a complete host.
fn hosts(files: &[File]) -> Findings {
    let inside = |file: &File| file.name.strip_prefix(HOSTS).map(str::to_owned);
    let inside: Vec<String> = files.iter().filter_map(inside).collect();
    let mut hosts: Vec<&str> =
        inside.iter().filter_map(|name| name.split_once('/').map(|(host, _)| host)).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts.retain(|host| *host != INVENTED);
    let mut findings = Findings::new();
    for host in hosts {
        for wanted in HOST_FILES {
            if !inside.contains(&format!("{host}/{wanted}")) {
                findings.push(format!("{HOSTS}{host}/{wanted} is missing: a host is one folder"));
            }
        }
        let fixtures = format!("{host}/fixtures/");
        if !inside.iter().any(|name| name.starts_with(&fixtures)) {
            findings.push(format!("{HOSTS}{fixtures} is empty: record what the host sends"));
        }
    }
    findings
}

/// Checks the size of the release, if it was built.
fn release_size(binary: &Path) -> Findings {
    let Ok(metadata) = binary.metadata() else {
        println!("size of the release binary: not checked, `cargo xtask dist` builds it");
        return Findings::new();
    };
    println!("release binary: {} bytes (budget {})", metadata.len(), dist::SIZE_BUDGET);
    dist::check_size(metadata.len()).err().map(|error| error.to_string()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::files::sample;
    use super::*;

    #[test]
    fn diaries_are_told_by_name() {
        for name in ["PLAN.md", "PR-PLAN.md", "progress.md", "notes.md", "upgrade_plan.v2.md"] {
            assert!(is_diary(name), "{name}");
        }
        for name in ["CHANGELOG.md", "README.md", "audit-log.md", "planet.md", "cli.md"] {
            assert!(!is_diary(name), "{name}");
        }
    }

    #[test]
    fn a_second_test_program_of_a_crate_is_named() {
        let listed = |name: &str| test_programs(&[sample(name)]).len();
        for name in ["crates/a/tests/new.rs", "crates/a/tests/new/main.rs"] {
            assert_eq!(listed(name), 1, "{name}");
        }
        for name in ["it/main.rs", "it/new.rs", "it/new/main.rs", "table/a.txt"] {
            assert_eq!(listed(&format!("crates/a/tests/{name}")), 0, "{name}");
        }
        assert_eq!(listed(OWN_PROCESS[0]), 0);
        assert_eq!(listed("crates/a/src/tests/b.rs"), 0);
    }

    #[test]
    fn an_incomplete_host_is_named_with_what_it_lacks() {
        let names = ["lib.rs", "a/mod.rs", "a/decode.rs", "a/encode.rs", "a/fixtures/x.json"];
        let mut files: Vec<File> =
            names.iter().map(|name| sample(&format!("{HOSTS}{name}"))).collect();
        assert!(hosts(&files).is_empty());
        files.push(sample(&format!("{HOSTS}b/mod.rs")));
        let findings = hosts(&files);
        assert_eq!(findings.len(), 2, "decode.rs and fixtures");
        assert!(findings.iter().all(|finding| finding.contains("/b/")));
    }
}
