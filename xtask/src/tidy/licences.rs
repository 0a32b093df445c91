//! Checks that every linked crate has a permissive licence.

use super::Findings;
use crate::error::{Error, Result};
use crate::process;
use crate::workspace::Workspace;

/// Allowed licences. An exception is part of the name.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    // For data: the root certificates in the server binary. It only has to be included.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(super) fn check(workspace: &Workspace) -> Result<Findings> {
    let mut tree = workspace.cargo();
    tree.args(["tree", "--workspace", "--edges", "normal", "--target", "all"]);
    tree.args(["--prefix", "none", "--format", "{p}\t{l}"]);
    let tree = process::output(&mut tree)?;
    // Cargo marks repeated entries with a star.
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    let mut lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    lines.sort_unstable();
    lines.dedup();
    println!("{} linked crates have their licences checked", lines.len());
    Ok(lines.into_iter().filter_map(fault).collect())
}

/// Checks one line: a crate and its licence, separated by a tab.
fn fault(line: &str) -> Option<String> {
    let (name, licence) = line.split_once('\t').unwrap_or((line, ""));
    let name = name.split(' ').take(2).collect::<Vec<_>>().join(" ");
    if licence.is_empty() {
        return Some(format!("{name} names no licence"));
    }
    match is_allowed(licence) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name} is under `{licence}`, which is not on our list")),
        Err(error) => Some(format!("{name}: licence `{licence}`: {error}")),
    }
}

/// Evaluates an SPDX expression. `OR` is a choice, `AND` requires both and binds tighter; a slash is an old
/// notation for `OR`.
fn is_allowed(expression: &str) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = Words(spaced.split_whitespace().collect());
    words.0.reverse();
    let allowed = words.choice()?;
    match words.next() {
        None => Ok(allowed),
        Some(word) => Err(Error::new(format!("`{word}` is one too many"))),
    }
}

/// The remaining tokens in reverse order.
struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.0.pop()
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.0.last().is_some_and(|next| *next == word);
        if is_next {
            self.0.pop();
        }
        is_next
    }

    fn choice(&mut self) -> Result<bool> {
        let mut allowed = self.all()?;
        while self.take("OR") {
            // Both sides must be parsed to their end, whatever the first result.
            allowed |= self.all()?;
        }
        Ok(allowed)
    }

    fn all(&mut self) -> Result<bool> {
        let mut allowed = self.one()?;
        while self.take("AND") {
            allowed &= self.one()?;
        }
        Ok(allowed)
    }

    fn one(&mut self) -> Result<bool> {
        match self.next() {
            Some("(") => {
                let allowed = self.choice()?;
                let closed = self.take(")");
                closed.then_some(allowed).ok_or_else(|| Error::new("a `)` is missing"))
            }
            None | Some(")" | "AND" | "OR" | "WITH") => Err(Error::new("a licence is missing")),
            Some(name) if self.take("WITH") => {
                let exception = self.next().ok_or_else(|| Error::new("an exception is missing"))?;
                Ok(ALLOWED.contains(&format!("{name} WITH {exception}").as_str()))
            }
            Some(name) => Ok(ALLOWED.contains(&name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_licences_and_choices() {
        assert!(is_allowed("MIT").unwrap());
        assert!(is_allowed("MIT OR Apache-2.0").unwrap());
        assert!(is_allowed("GPL-3.0 OR MIT").unwrap());
        assert!(is_allowed("MIT/Apache-2.0").unwrap());
        assert!(!is_allowed("GPL-3.0-only").unwrap());
        assert!(!is_allowed("GPL-3.0 OR LGPL-2.1").unwrap());
    }

    #[test]
    fn both_sides_of_an_and_are_needed() {
        assert!(is_allowed("MIT AND Unicode-3.0").unwrap());
        assert!(!is_allowed("MIT AND MPL-2.0").unwrap());
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0").unwrap());
        assert!(!is_allowed("(MIT OR Apache-2.0) AND NCSA").unwrap());
        // `AND` binds tighter, so the first licence alone is a choice.
        assert!(is_allowed("MIT OR GPL-3.0 AND MPL-2.0").unwrap());
        assert!(!is_allowed("(MIT OR GPL-3.0) AND MPL-2.0").unwrap());
    }

    #[test]
    fn an_exception_belongs_to_its_licence() {
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception").unwrap());
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception OR GPL-2.0").unwrap());
        assert!(!is_allowed("GPL-2.0 WITH Classpath-exception-2.0").unwrap());
        assert!(!is_allowed("MIT WITH LLVM-exception").unwrap());
    }

    #[test]
    fn nonsense_is_an_error_and_not_a_pass() {
        for text in ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT MIT", "MIT WITH", "()"] {
            assert!(is_allowed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_line_of_the_tree_is_judged() {
        assert_eq!(fault("serde v1.0.0\tMIT OR Apache-2.0"), None);
        assert_eq!(fault("a v1.0.0 (proc-macro)\t").unwrap(), "a v1.0.0 names no licence");
        assert!(fault("b v2.0.0\tGPL-3.0").unwrap().contains("`GPL-3.0`"));
    }
}
