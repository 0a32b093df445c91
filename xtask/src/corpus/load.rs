//! Reads the corpus files: a class in brackets, then its cases, one command each.
//!
//! ```text
//! # a comment
//! [class-name]
//! deny  rm -rf /
//! pass  cat > notes.md <<'EOF'
//!   | a command of several lines
//!   | EOF
//! cwd /home/me/shop/api
//! ```
//! `cwd` applies to the cases after it in its class.

use std::path::Path;

use crate::error::{Context, Error, Result};

/// Workspace folder of the cases; it need not exist.
pub(super) const WORKSPACE: &str = "/home/me/shop";

/// Expected decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    Deny,
    Ask,
    /// Ask or deny.
    Stop,
    /// No decision.
    Pass,
}

impl Expect {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "stop" => Self::Stop,
            "pass" => Self::Pass,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Stop => "stop",
            Self::Pass => "pass",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) class: String,
    pub(super) expect: Expect,
    pub(super) command: String,
    pub(super) cwd: String,
    /// Its position, as `file:line`.
    pub(super) place: String,
}

/// All cases of the text files in `folder`, by file name.
pub(super) fn folder(folder: &Path) -> Result<Vec<Case>> {
    let reading = || format!("reading {}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).context(reading())? {
        let path = entry.context(reading())?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).context(format!("reading {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        cases.extend(parse(&name, &text)?);
    }
    refuse_repeats(&cases)?;
    Ok(cases)
}

/// The cases of one file; `name` is used in messages.
pub(super) fn parse(name: &str, text: &str) -> Result<Vec<Case>> {
    let mut class = None;
    let mut cwd = WORKSPACE.to_owned();
    let mut cases: Vec<Case> = Vec::new();
    // Only a line right after a case, or after its continuation, continues it.
    let mut is_open = false;
    for (number, line) in (1_usize..).zip(text.lines()) {
        let place = format!("{name}:{number}");
        let fault = |what: &str| Error::new(format!("{place}: {what}"));
        if let Some(rest) = line.strip_prefix("  |") {
            let Some(case) = cases.last_mut().filter(|_| is_open) else {
                return Err(fault("a line of a command that has no first line"));
            };
            case.command.push('\n');
            case.command.push_str(rest.strip_prefix(' ').unwrap_or(rest));
            continue;
        }
        is_open = false;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let named = rest.strip_suffix(']').filter(|name| is_kebab(name));
            let named = named.ok_or_else(|| fault("a class is `[name-in-kebab-case]`"))?;
            class = Some(named.to_owned());
            WORKSPACE.clone_into(&mut cwd);
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        if rest.is_empty() {
            return Err(fault(
                "a line is `[class]`, `deny|ask|stop|pass  COMMAND` or `cwd FOLDER`",
            ));
        }
        if word == "cwd" {
            rest.clone_into(&mut cwd);
            continue;
        }
        let Some(expect) = Expect::parse(word) else {
            return Err(fault(&format!("`{word}` is none of deny, ask, stop, pass, cwd")));
        };
        let Some(class) = class.clone() else {
            return Err(fault("a case before the first `[class]`"));
        };
        cases.push(Case { class, expect, command: rest.to_owned(), cwd: cwd.clone(), place });
        is_open = true;
    }
    Ok(cases)
}

fn is_kebab(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    name.split('-').all(is_part)
}

/// Rejects duplicate cases, which would distort the numbers.
fn refuse_repeats(cases: &[Case]) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    for case in cases {
        if let Some(first) = seen.insert((&case.command, &case.cwd), &case.place) {
            return Err(Error::new(format!("{}: the same case is at {first}", case.place)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse("a.txt", text).unwrap_err().to_string()
    }

    #[test]
    fn a_file_falls_into_cases() {
        let text = "# c\n[rm-root]\ndeny  rm -rf /\nstop  rm -r  '/'\n\n[notes]\n\
                    pass  cat > a.md <<'EOF'\n  | rm -rf /\n  |\n  |  in\n  | EOF\n\
                    cwd /home/me/shop/api\nask   ls\n[rest]\npass  pwd\n";
        let cases = parse("a.txt", text).unwrap();
        let commands: Vec<&str> = cases.iter().map(|case| case.command.as_str()).collect();
        assert_eq!(
            commands,
            ["rm -rf /", "rm -r  '/'", "cat > a.md <<'EOF'\nrm -rf /\n\n in\nEOF", "ls", "pwd"]
        );
        let expects: Vec<&str> = cases.iter().map(|case| case.expect.name()).collect();
        assert_eq!(expects, ["deny", "stop", "pass", "ask", "pass"]);
        assert_eq!(cases[3].cwd, "/home/me/shop/api");
        assert_eq!((cases[4].cwd.as_str(), cases[4].class.as_str()), (WORKSPACE, "rest"));
        assert_eq!(cases[4].place, "a.txt:15");
    }

    #[test]
    fn a_broken_line_is_named() {
        assert_eq!(
            fault("[a]\ndney  ls\n"),
            "a.txt:2: `dney` is none of deny, ask, stop, pass, cwd"
        );
        assert!(fault("pass  ls\n").contains("a.txt:1: a case before"));
        assert!(fault("[a]\npass\n").contains("a.txt:2: a line is"));
        assert!(fault("[a b]\n").contains("kebab"));
        assert!(fault("[a\n").contains("kebab"));
        assert!(fault("[a]\n  | ls\n").contains("no first line"));
        assert!(fault("[a]\npass  ls\n\n  | -la\n").contains("a.txt:4: "));
    }

    #[test]
    fn a_case_counts_once() {
        let cases = parse("a.txt", "[a]\npass  ls\n[b]\nask  ls\n").unwrap();
        let error = refuse_repeats(&cases).unwrap_err().to_string();
        assert_eq!(error, "a.txt:4: the same case is at a.txt:2");
        let cases = parse("a.txt", "[a]\npass  ls\ncwd /tmp\npass  ls\n").unwrap();
        refuse_repeats(&cases).unwrap();
    }

    #[test]
    fn the_corpus_of_the_repository_loads() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let cases = folder(&root.join(super::super::CASES)).unwrap();
        let ordinary = cases.iter().filter(|case| case.expect == Expect::Pass).count();
        assert!(ordinary >= 700, "{ordinary} ordinary cases");
    }
}
