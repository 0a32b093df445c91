//! Checks dependencies inside the workspace and on foreign crates.

use super::Findings;
use crate::error::Result;
use crate::process;
use crate::workspace::{Package, Workspace};

/// Allowed dependencies of one crate.
struct Rule {
    name: &'static str,
    ours: &'static [&'static str],
    /// Allowed foreign crates; `None` leaves the choice to review.
    foreign: Option<&'static [&'static str]>,
}

/// The direction stated in ARCHITECTURE.md. Hosts and policy never depend on each other, so that N hosts and
/// M guards stay N + M files; only the server may use the server's parts.
const RULES: &[Rule] = &[
    Rule { name: "tenter-model", ours: &[], foreign: Some(&["serde", "serde_json", "sha2"]) },
    Rule { name: "tenter-alloc", ours: &[], foreign: Some(&[]) },
    Rule { name: "tenter-files", ours: &[], foreign: Some(&["rustix"]) },
    Rule { name: "tenter-signals", ours: &[], foreign: Some(&["libc"]) },
    Rule { name: "tenter-shell", ours: &["tenter-model"], foreign: None },
    Rule { name: "tenter-policy", ours: &["tenter-model", "tenter-shell"], foreign: None },
    Rule { name: "tenter-hosts", ours: &["tenter-model"], foreign: None },
    Rule { name: "tenter-audit", ours: &["tenter-model", "tenter-files"], foreign: None },
    Rule {
        name: "tenter-audit-sqlite",
        ours: &["tenter-model", "tenter-files", "tenter-audit"],
        foreign: None,
    },
    Rule { name: "tenter-audit-postgres", ours: &["tenter-model", "tenter-audit"], foreign: None },
    Rule {
        name: "tenter-engine",
        ours: &["tenter-model", "tenter-files", "tenter-hosts"],
        foreign: None,
    },
    Rule {
        name: "tenter-lint",
        ours: &["tenter-model", "tenter-files", "tenter-hosts", "tenter-engine"],
        foreign: None,
    },
    Rule {
        name: "tenter-setup",
        ours: &["tenter-model", "tenter-files", "tenter-hosts", "tenter-engine", "tenter-lint"],
        foreign: None,
    },
    Rule {
        name: "tenter-cli",
        ours: &[
            "tenter-alloc",
            "tenter-files",
            "tenter-model",
            "tenter-shell",
            "tenter-policy",
            "tenter-hosts",
            "tenter-audit",
            "tenter-audit-sqlite",
            "tenter-engine",
            "tenter-lint",
            "tenter-setup",
            "tenter-signals",
        ],
        foreign: None,
    },
    Rule {
        name: "tenter-server",
        ours: &[
            "tenter-model",
            "tenter-policy",
            "tenter-audit",
            "tenter-audit-sqlite",
            "tenter-audit-postgres",
        ],
        foreign: None,
    },
    Rule { name: "tenter-testkit", ours: &["tenter-model", "tenter-audit"], foreign: None },
    Rule { name: "tenter-reference", ours: &[], foreign: Some(&["serde", "serde_json"]) },
    Rule { name: "xtask", ours: &[], foreign: None },
];

const ASYNC: &str = "no async runtime on the hook path";
const WEB: &str = "only the server binary talks to the network";
const DATABASE: &str = "the hook appends to a file and opens no database";
const TLS: &str = "the program holds no socket, so it needs no TLS";
const REGEX: &str =
    "2 MB of image and 0.2 ms a start even when unused: bring a measurement that justifies it";
const ALLOCATOR: &str = "its set-up costs 0.4 ms or more a start, measured";

/// Crates that must not enter the graph of the `tenter` binary, and why.
const FORBIDDEN: &[(&str, &str)] = &[
    ("tokio", ASYNC),
    ("async-std", ASYNC),
    ("smol", ASYNC),
    ("futures-executor", ASYNC),
    ("hyper", WEB),
    ("axum", WEB),
    ("actix-web", WEB),
    ("reqwest", WEB),
    ("ureq", WEB),
    ("curl", WEB),
    ("sqlx", DATABASE),
    ("postgres", DATABASE),
    ("tokio-postgres", DATABASE),
    ("openssl", TLS),
    ("openssl-sys", TLS),
    ("native-tls", TLS),
    ("rustls", TLS),
    ("regex", REGEX),
    ("regex-automata", REGEX),
    ("mimalloc", ALLOCATOR),
    ("tikv-jemallocator", ALLOCATOR),
    ("serde_yml", "archived with an open advisory, RUSTSEC-2025-0068"),
    ("tenter-testkit", "it is for tests only"),
];

/// Crates that only one of ours may name, so that the index stays behind the `Store` trait and off the hook
/// path.
const BEHIND: &[(&str, &str)] =
    &[("rusqlite", "tenter-audit-sqlite"), ("libsqlite3-sys", "rusqlite, which has it")];

pub(super) fn check(workspace: &Workspace) -> Result<Findings> {
    let mut findings: Findings = workspace.packages.iter().flat_map(direction).collect();
    let mut tree = workspace.cargo();
    tree.args(["tree", "--package", "tenter-cli", "--edges", "normal", "--target", "all"]);
    tree.args(["--prefix", "none", "--format", "{p}"]);
    findings.extend(forbidden(&process::output(&mut tree)?));
    Ok(findings)
}

/// Only linked dependencies count: tests may use anything.
fn direction(package: &Package) -> Findings {
    let name = &package.name;
    let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
        return vec![format!("`{name}` has no rule about its dependencies: add one to xtask tidy")];
    };
    let is_ours = |name: &str| RULES.iter().any(|rule| rule.name == name);
    let may = |dependency: &str| {
        if is_ours(dependency) {
            rule.ours.contains(&dependency)
        } else {
            rule.foreign.is_none_or(|foreign| foreign.contains(&dependency))
        }
    };
    let normal = package.dependencies.iter().filter(|dependency| dependency.kind.is_none());
    let mut wrong: Findings = normal
        .filter(|dependency| !may(&dependency.name))
        .map(|it| format!("`{name}` may not depend on `{}`: see ARCHITECTURE.md", it.name))
        .collect();
    // Tests count here too: a store is tested through the `Store` trait.
    for dependency in &package.dependencies {
        let behind = BEHIND.iter().find(|(it, owner)| *it == dependency.name && owner != name);
        if let Some((it, owner)) = behind {
            wrong.push(format!("`{name}` may not name `{it}`: that is left to {owner}"));
        }
    }
    wrong
}

/// Parses `cargo tree`: lines of a name and a version.
fn forbidden(tree: &str) -> Findings {
    let in_tree = |name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
    let found = FORBIDDEN.iter().filter(|(name, _)| in_tree(name));
    found
        .map(|(name, reason)| {
            format!(
                "`{name}` is in the graph of tenter-cli ({reason}); \
                 `cargo tree -p tenter-cli -e normal -i {name}` shows who brings it"
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
            name: (*name).to_owned(),
            kind: kind.map(str::to_owned),
        };
        Package {
            name: name.to_owned(),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn dependencies_point_one_way() {
        let good = package("tenter-hosts", &[("tenter-model", None), ("serde_json", None)]);
        assert!(direction(&good).is_empty());
        let bad = package("tenter-hosts", &[("tenter-policy", None)]);
        assert_eq!(direction(&bad).len(), 1);
        let bad = package("tenter-model", &[("tenter-hosts", None), ("toml", None)]);
        assert_eq!(direction(&bad).len(), 2);
    }

    #[test]
    fn tests_may_use_what_they_like() {
        let tests = [("tenter-testkit", Some("dev")), ("insta", Some("dev"))];
        assert!(direction(&package("tenter-model", &tests)).is_empty());
        assert_eq!(direction(&package("tenter-cli", &[("tenter-testkit", None)])).len(), 1);
    }

    #[test]
    fn the_database_has_one_door() {
        let door = package("tenter-audit-sqlite", &[("rusqlite", None)]);
        assert!(direction(&door).is_empty());
        for (name, kind) in [("tenter-cli", None), ("tenter-cli", Some("dev"))] {
            let findings = direction(&package(name, &[("rusqlite", kind)]));
            assert_eq!(
                findings,
                ["`tenter-cli` may not name `rusqlite`: that is left to tenter-audit-sqlite"]
            );
        }
        let beneath = package("tenter-audit-sqlite", &[("libsqlite3-sys", None)]);
        assert_eq!(direction(&beneath).len(), 1);
    }

    #[test]
    fn a_new_crate_needs_a_rule() {
        assert!(direction(&package("tenter-new", &[]))[0].contains("has no rule"));
    }

    #[test]
    fn forbidden_crates_are_matched_by_their_whole_name() {
        let tree = "tenter-cli v0.1.0 (x)\nregex-syntax v0.8.0\nserde v1.0.0\n";
        assert!(forbidden(tree).is_empty());
        let findings = forbidden(&format!("{tree}regex v1.11.0\ntokio v1.0.0 (*)\n"));
        assert_eq!(findings.len(), 2);
        assert!(findings[0].contains("`tokio`") && findings[1].contains("-i regex"));
    }

    #[test]
    fn rules_only_speak_of_crates_that_have_one() {
        let known = |name: &&str| RULES.iter().any(|rule| rule.name == *name);
        assert!(RULES.iter().flat_map(|rule| rule.ours).all(known));
    }
}
