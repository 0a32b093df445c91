//! The checks as a table, and as a page.

use std::fmt::Write;

use super::{CHECKS, Check};

/// Id, severity, fixable, summary.
pub fn table_rows() -> Vec<[String; 4]> {
    let row = |check: &Check| {
        [
            check.id.to_owned(),
            check.severity.as_str().to_owned(),
            if check.fixable { "yes" } else { "" }.to_owned(),
            check.summary.to_owned(),
        ]
    };
    CHECKS.iter().map(row).collect()
}

const HEAD: &str = "# What `tenter doctor` looks for\n\n<!-- Printed by `tenter doctor --list-checks --markdown`; \
    written by `cargo xtask gen`. -->\n\n\
    A hook that never runs looks exactly like one that approved. `tenter doctor` goes through every reason we \
    know for which a hook may be dead: each finding names its check, its place, what it means and what to do. \
    `--fix` does what is safe and says what it did: it makes our own state private, takes away leftovers of \
    ours, and points our own entries to the program that runs. Entries of other tools whose program is gone \
    are listed, and go only with `--fix --yes` of a human at a terminal.\n\n\
    Exit 0: something is wired, every guard protects and nothing is wrong; 1: a guard does not, or there is \
    an error; 2: wrong use; 3: a failure of its own. Looking changes nothing, so an agent may run it too; \
    `--fix` is for humans. That a hook really fires and blocks is shown by `tenter prove`.\n\n";

/// The page `docs/doctor.md`.
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    page.push_str("| Check | Severity | `--fix` | What |\n|---|---|---|---|\n");
    for [id, severity, fixable, summary] in table_rows() {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| [`{id}`](#{id}) | {severity} | {fixable} | {summary} |");
    }
    for check in CHECKS {
        let _ = write!(page, "\n## {}\n\n{}\n", check.id, body(check));
    }
    page
}

fn body(check: &Check) -> String {
    let lines = check.docs.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_check_once() {
        let page = markdown();
        for check in CHECKS {
            assert_eq!(page.matches(&format!("\n## {}\n", check.id)).count(), 1, "{}", check.id);
        }
        assert!(!page.contains("\n\n\n"), "no double blank lines");
    }
}
