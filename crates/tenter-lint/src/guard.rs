//! Heuristic for commands that look like guards.

/// Word prefixes in names of hooks that block something.
const TELLING: &[&str] = &[
    "block", "deny", "firewall", "forbid", "guard", "polic", "prevent", "protect", "redact",
    "restrict", "sandbox", "scan", "secret", "secur",
];

/// Whether the command's name suggests that it blocks something.
pub(crate) fn looks_like_guard(command: &str) -> bool {
    let words = command.split_whitespace().filter(|word| !word.starts_with('-'));
    is_ours(command)
        || words.flat_map(tokens).any(|token| TELLING.iter().any(|start| token.starts_with(start)))
}

/// Whether it is `tenter hook` or `tenter run`, which are guards by purpose.
fn is_ours(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().map(crate::command::base_name).unwrap_or_default();
    matches!(program, "tenter" | "tenter.exe") && matches!(words.next(), Some("hook" | "run"))
}

/// The lowercase words of a file name: `blockGit.sh` is `block`, `git`, `sh`.
fn tokens(word: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut after_lower = false;
    for character in crate::command::base_name(word).chars() {
        let starts = !character.is_alphanumeric() || character.is_uppercase() && after_lower;
        if starts {
            found.push(String::new());
        }
        after_lower = character.is_lowercase();
        if let Some(last) = found.last_mut()
            && character.is_alphanumeric()
        {
            last.extend(character.to_lowercase());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_promise_protection_are_recognised() {
        for command in [
            "./hooks/block-git.sh",
            "python3 .cursor/hooks/secret_scan.py",
            "bun run hooks/denyList.ts",
            "/opt/tenter hook cursor",
            "./hooks/redact-secrets-tab.sh",
            "C:\\tools\\PolicyCheck.exe",
        ] {
            assert!(looks_like_guard(command), "{command}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for command in [
            "./hooks/format.sh",
            "npx prettier --write",
            "./hooks/audit.sh",
            "tenter lint",
            "./unblock.sh",
        ] {
            assert!(!looks_like_guard(command), "{command}");
        }
    }
}
