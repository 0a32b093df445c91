//! Counts what other crates know about single hosts.
//!
//! Production code outside `tenter-hosts` may name a host only in the files listed here, each with its
//! reason, and may never compare with one: a comparison silently ignores a new host, a `match` does not
//! compile.

use super::Findings;
use super::files::File;
use super::lines;

/// Names of hosts, as identifiers and as strings.
const VARIANTS: &[&str] = &["Cursor", "Claude", "Codex", "Gemini", "Qwen"];
const NAMES: &[&str] = &["\"cursor\"", "\"claude\"", "\"codex\"", "\"gemini\"", "\"qwen\""];

/// Files that may name a host. The list may only shrink.
const EXCUSED: &[(&str, &str)] = &[
    ("crates/tenter-audit/src/otel/words.rs", "models are called claude"),
    ("crates/tenter-cli/src/commands/prove/real.rs", "drives real clients: files and processes"),
    ("crates/tenter-cli/src/guard/human.rs", "programs in the process tree"),
    ("crates/tenter-model/src/host.rs", "registers the hosts"),
    (
        "crates/tenter-policy/src/guards/self_protection/agents.rs",
        "programs, their variables and their options",
    ),
    (
        "crates/tenter-policy/src/guards/self_protection/arguments.rs",
        "`cursor` is an editor that opens files",
    ),
    ("crates/tenter-policy/src/guards/self_protection/table.rs", "folders below /etc"),
    ("crates/tenter-policy/src/policy/handler.rs", "`speaks`, a word of policy files"),
    ("crates/tenter-policy/src/sample.rs", "made-up events need some host"),
    ("crates/tenter-policy/src/sensitive/tables.rs", "folders of credentials"),
    ("crates/tenter-setup/src/codex_trust.rs", "asks Codex's server: files and processes"),
    (
        "crates/tenter-setup/src/scan/catalogue.rs",
        "files of any agent, also of those without hooks",
    ),
    ("crates/tenter-setup/src/scan/packages.rs", "keys of a manifest"),
];

/// Crates in which such strings are not hosts: in the shell crate they are programs.
const OTHER_WORDS: &[&str] = &["crates/tenter-shell/"];

pub(super) fn check(files: &[File]) -> Findings {
    let mut findings = Findings::new();
    let mut named: Vec<&str> = Vec::new();
    for file in files.iter().filter(|file| is_concerned(&file.name)) {
        let Some(text) = file.text() else { continue };
        let names = mentions(&file.name, &text);
        let is_excused = EXCUSED.iter().any(|(name, _)| *name == file.name);
        if !names.is_empty() {
            named.push(&file.name);
        }
        if let Some(first) = names.first().filter(|_| !is_excused) {
            findings.push(format!(
                "{}:{first}: names a host: move what it knows to the host's folder in tenter-hosts",
                file.name
            ));
        }
        for (number, _) in code(&text).filter(|(_, line)| compares(line)) {
            findings.push(format!(
                "{}:{number}: compares with a host: ask the host's data, or `match` every host",
                file.name
            ));
        }
    }
    for (name, _) in EXCUSED.iter().filter(|(name, _)| !named.contains(name)) {
        findings
            .push(format!("{name} no longer names a host: take it off the list in tidy/hosts.rs"));
    }
    println!("{} files outside tenter-hosts name a host (list: {})", named.len(), EXCUSED.len());
    findings
}

/// Production lines outside `tenter-hosts` that name a host.
pub(crate) fn count(files: &[File]) -> usize {
    let files = files.iter().filter(|file| is_concerned(&file.name));
    files.filter_map(|file| Some(mentions(&file.name, &file.text()?).len())).sum()
}

/// The numbers of the lines that name a host.
fn mentions(file: &str, text: &str) -> Vec<usize> {
    let texts_count = !OTHER_WORDS.iter().any(|folder| file.starts_with(folder));
    let names = code(text).filter(|(_, line)| names_host(line, texts_count));
    names.map(|(number, _)| number).collect()
}

/// Whether a file is production code that could know of hosts.
fn is_concerned(name: &str) -> bool {
    name.starts_with("crates/")
        && !name.starts_with("crates/tenter-hosts/")
        && !name.starts_with("crates/tenter-testkit/")
        && !name.contains("/examples/")
        && lines::is_production(name)
        && !name.ends_with("/testing.rs")
}

/// The lines of code before the tests, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_test = |line: &str| {
        let line = line.trim();
        line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test")
    };
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| match pair {
        [attribute, module] => is_test(attribute) && module.trim().ends_with('{'),
        _ => false,
    });
    let lines = lines.into_iter().take(tests.unwrap_or(usize::MAX));
    (1..).zip(lines).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn names_host(line: &str, texts_count: bool) -> bool {
    let variant = VARIANTS.iter().any(|variant| has_word(line, &format!("HostId::{variant}")));
    variant || texts_count && NAMES.iter().any(|name| line.contains(name))
}

/// Whether a line compares something with one or a few hosts.
fn compares(line: &str) -> bool {
    let is_variant = |text: &str| {
        let text = text.trim().trim_start_matches("Some(").trim_start_matches("tenter_model::");
        VARIANTS.iter().any(|variant| {
            has_word(
                text.get(..8 + variant.len()).unwrap_or_default(),
                &format!("HostId::{variant}"),
            )
        })
    };
    let operators = ["==", "!="];
    let beside = operators.iter().any(|operator| {
        line.split(operator).skip(1).any(is_variant)
            || line.match_indices(operator).any(|(at, _)| {
                let before = line.get(..at).unwrap_or_default().trim_end();
                VARIANTS.iter().any(|variant| before.ends_with(&format!("HostId::{variant}")))
            })
    });
    let matches = line.split("matches!(").skip(1);
    let named = |text: &str| names_host(text, true);
    beside || matches.into_iter().any(named)
}

/// Whether `word` occurs in a line and is not the beginning of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let after = line.get(at + word.len()..).and_then(|rest| rest.chars().next());
        !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_code_is_found_and_not_in_comments_tests_or_other_words() {
        let names = |text: &str| code(text).filter(|(_, line)| names_host(line, true)).count();
        assert_eq!(names("match id {\n    HostId::Cursor => 1,\n    \"codex\" => 2,\n}"), 2);
        assert_eq!(names("// HostId::Cursor\n/// \"cursor\"\nlet a = \".cursor\";"), 0);
        assert_eq!(names("HostId::CursorLike"), 0);
        assert_eq!(names("fn a() {}\n#[cfg(test)]\nmod tests {\n    HostId::Codex\n}"), 0);
        assert_eq!(names("#[cfg(all(test, unix))]\nmod tests {\n    HostId::Codex\n}"), 0);
        assert!(!names_host("(\"cursor\", editor)", false), "programs");
    }

    #[test]
    fn comparisons_are_found_in_either_order() {
        for line in [
            "if host == HostId::Codex {",
            "if file.host != tenter_model::HostId::Codex {",
            "if HostId::Claude == host {",
            "told == Some(HostId::Cursor)",
            "matches!(host, HostId::Claude | HostId::Codex)",
            "if matches!(&*session.host, \"claude\" | \"codex\") {",
        ] {
            assert!(compares(line), "{line}");
        }
        for line in ["HostId::Claude => 1,", "a == b && f(HostId::Claude)", "host == other"] {
            assert!(!compares(line), "{line}");
        }
    }

    #[test]
    fn every_excuse_has_a_reason_and_there_are_few() {
        assert!(EXCUSED.len() <= 15);
        assert!(EXCUSED.iter().all(|(_, reason)| reason.len() > 10));
        assert!(EXCUSED.is_sorted());
    }
}
