//! Detects whether a command can block, from its text.

use std::path::Path;

/// Maximum number of bytes read of a script.
const MOST: u64 = 256 * 1024;

/// The first blocking statement in a script. Only regular text files are read.
pub(crate) fn in_script(path: &Path) -> Option<String> {
    let bytes = crate::read::start(path, MOST).ok()?;
    // A compiled program contains arbitrary strings.
    if bytes.contains(&0) {
        return None;
    }
    in_text(&String::from_utf8_lossy(&bytes))
}

/// The first blocking statement in a script's text.
pub(crate) fn in_text(text: &str) -> Option<String> {
    text.lines().map(code).find_map(in_line)
}

fn in_line(line: &str) -> Option<String> {
    let exits = line.match_indices("exit").find_map(|(at, _)| exit_at(line, at));
    let denies = || {
        let keys = ["permissionDecision", "permission", "decision"].into_iter();
        let mut places = keys.flat_map(|key| line.match_indices(key));
        places.find_map(|(at, key)| denial_at(line, at, key))
    };
    exits.or_else(denies)
}

/// A line without its comment. A false match costs at most a finding.
fn code(line: &str) -> &str {
    let trimmed = line.trim_start();
    if ["#", "//", "/*", "* "].iter().any(|start| trimmed.starts_with(start)) {
        return "";
    }
    let cut = [" # ", " // "].iter().filter_map(|mark| line.find(mark)).min();
    cut.and_then(|at| line.get(..at)).unwrap_or(line)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '$')
}

/// Whether a word starts at this position.
fn starts_word(line: &str, at: usize) -> bool {
    line.get(..at).is_some_and(|before| !before.ends_with(is_word))
}

/// Matches `exit 2` and `exit(2)`, optionally after `sys.` or `process.`.
fn exit_at(line: &str, at: usize) -> Option<String> {
    let rest = line.get(at..)?.strip_prefix("exit")?;
    let bare = rest.trim_start();
    let (wanted, after) = match bare.strip_prefix('(') {
        Some(inner) => {
            ("exit(2)", inner.trim_start().strip_prefix('2')?.trim_start().strip_prefix(')')?)
        }
        None if bare.len() < rest.len() => ("exit 2", bare.strip_prefix('2')?),
        None => return None,
    };
    // `2>` is a redirection.
    let ends = wanted == "exit(2)" || !after.starts_with(|c| is_word(c) || matches!(c, '.' | '>'));
    (ends && starts_word(line, at)).then(|| wanted.to_owned())
}

/// Matches `"permission": "deny"` in JSON, in scripts, and in JSON within scripts.
fn denial_at(line: &str, at: usize, key: &str) -> Option<String> {
    let quotes = ['"', '\''];
    let rest = line.get(at..)?.strip_prefix(key)?;
    let rest = rest.trim_start_matches('\\');
    let rest = rest.strip_prefix(quotes).unwrap_or(rest);
    let rest = rest.strip_prefix(']').unwrap_or(rest).trim_start();
    // A second `=` would make it a comparison.
    let rest = rest.strip_prefix([':', '=']).or_else(|| rest.strip_prefix("=>"))?.trim_start();
    let value = rest.trim_start_matches('\\').strip_prefix(quotes)?.strip_prefix("deny")?;
    let closed = value.trim_start_matches('\\').starts_with(quotes);
    (closed && starts_word(line, at)).then(|| format!("{key}: deny"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lay_texts;

    #[test]
    fn what_refuses_is_recognised() {
        for line in [
            "exit 2",
            "[ -z \"$x\" ] || { exit  2; }",
            "./check.sh || exit 2",
            "    sys.exit(2)",
            "process.exit( 2 );",
            "exit(2)",
            r#"echo '{"permission":"deny"}'"#,
            r#"echo "{\"permission\": \"deny\"}""#,
            "print(json.dumps({'permission': 'deny'}))",
            "return { permission: \"deny\", userMessage };",
            r#"answer["permissionDecision"] = "deny""#,
            r#"decision="deny""#,
        ] {
            assert!(in_text(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_only_resembles_it_is_not() {
        for line in [
            "exit 0",
            "exit 20",
            "exit 2>&1",
            "exit2",
            "on_exit 2",
            "--exit 2",
            "sys.exit(20)",
            "if permission == \"deny\":",
            "if (permission === 'deny') {",
            r#"{"permission": "allow"}"#,
            r#"{"permission": "denylist"}"#,
            r#"{"old_permission": "deny"}"#,
            "permission: deny",
        ] {
            assert_eq!(in_text(line), None, "{line}");
        }
    }

    #[test]
    fn comments_and_programs_say_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            lay_texts(scratch.path(), &[("x", text)]);
            in_script(&scratch.path().join("x"))
        };
        assert_eq!(of("#!/bin/sh\n# exit 2 blocks\n  // exit(2)\necho x # exit 2\n"), None);
        assert_eq!(of("/**\n * exit(2)\n */\n"), None);
        assert_eq!(of("\u{7f}ELF\0\nexit 2\n"), None);
        assert_eq!(of("case $x in\n*) exit 2 ;;\nesac\n"), Some("exit 2".to_owned()));
        let far = format!("{}exit 2\n", "echo x\n".repeat(40_000));
        assert_eq!(of(&far), None, "the end of a long file is not looked at");
        assert_eq!(in_script(scratch.path()), None);
    }
}
