//! Checks file lengths.

use super::Findings;
use super::files::File;

/// Maximum length of a production file.
const MOST: usize = 600;

/// Target for the median; printed, so that a drift is noticed early.
const MEDIAN_AIM: usize = 150;
const P90_AIM: usize = 400;

pub(super) fn check(files: &[File]) -> Findings {
    let mut findings = Findings::new();
    let mut lengths = Vec::new();
    for file in files.iter().filter(|file| is_production(&file.name)) {
        let Some(text) = file.text() else { continue };
        let lines = production_lines(&text);
        lengths.push(lines);
        if lines > MOST {
            findings.push(format!(
                "{} has {lines} lines without its tests, over {MOST}: split it by what it knows",
                file.name
            ));
        }
    }
    lengths.sort_unstable();
    println!(
        "{} production files, lines: median {} (aim {MEDIAN_AIM}), p90 {} (aim {P90_AIM}), \
         longest {} (limit {MOST})",
        lengths.len(),
        quantile(&lengths, 50),
        quantile(&lengths, 90),
        lengths.last().copied().unwrap_or_default(),
    );
    findings
}

/// Whether a file is Rust code that is not a test.
pub(crate) fn is_production(name: &str) -> bool {
    let Some((folders, base)) = name.rsplit_once('/') else {
        return false;
    };
    let in_tests = folders.split('/').any(|folder| ["tests", "benches"].contains(&folder));
    let Some(stem) = base.strip_suffix(".rs") else {
        return false;
    };
    !in_tests && stem != "tests" && !stem.ends_with("_tests")
}

/// Number of lines before the inline test module. Clippy forbids items after it (`items_after_test_module`),
/// so the rest of the file is tests.
pub(crate) fn production_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_test_module = |pair: &[&str]| match pair {
        [attribute, module] => {
            *attribute == "#[cfg(test)]" && module.starts_with("mod ") && module.ends_with('{')
        }
        _ => false,
    };
    lines.windows(2).position(is_test_module).unwrap_or(lines.len())
}

/// A percentile of a sorted list.
pub(crate) fn quantile(sorted: &[usize], percent: usize) -> usize {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_module_does_not_count() {
        let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        assert_eq!(production_lines(text), 2);
        assert_eq!(production_lines("fn a() {}\nfn b() {}\n"), 2);
        assert_eq!(production_lines(""), 0);
    }

    #[test]
    fn other_test_items_and_module_files_do_count() {
        let helper = "#[cfg(test)]\nfn sample() {}\n";
        assert_eq!(production_lines(helper), 2);
        let declared = "#[cfg(test)]\nmod tests;\n";
        assert_eq!(production_lines(declared), 2);
        let nested = "mod a {\n    #[cfg(test)]\n    mod tests {\n    }\n}\n";
        assert_eq!(production_lines(nested), 5);
    }

    #[test]
    fn tests_are_told_by_their_place_and_name() {
        assert!(is_production("crates/tenter-cli/src/main.rs"));
        assert!(is_production("xtask/src/test.rs"));
        assert!(!is_production("crates/tenter-cli/tests/it/hook.rs"));
        assert!(!is_production("crates/tenter-cli/tests/it/record/home.rs"));
        assert!(!is_production("crates/tenter-hosts/src/cursor/tests.rs"));
        assert!(!is_production("crates/tenter-hosts/src/cursor/decode_tests.rs"));
        assert!(!is_production("README.md"));
    }

    #[test]
    fn quantiles_of_short_lists() {
        assert_eq!(quantile(&[], 50), 0);
        assert_eq!(quantile(&[7], 90), 7);
        assert_eq!(quantile(&[1, 2, 3, 4], 50), 2);
        assert_eq!(quantile(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90), 9);
    }
}
