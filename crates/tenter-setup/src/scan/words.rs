//! Extracts possible file names from a command or script.

use std::collections::BTreeSet;

/// Possible paths: quoted strings, and words between shell metacharacters. Too many do no harm: missing files
/// are ignored.
pub(super) fn candidates(text: &str, most: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |word: String| {
        let plausible = word.len() > 1
            && word.len() < 512
            && !word.starts_with('-')
            && !word.contains("://")
            && !word.contains(['\n', '\0', '*', '?']);
        if plausible && found.len() < most && seen.insert(word.clone()) {
            found.push(word);
        }
    };
    for quoted in quotes(text) {
        if quoted.contains([' ', '(', ',']) {
            add(after_variable(quoted.trim()));
        }
    }
    let is_sign = |sign: char| {
        sign.is_whitespace()
            || matches!(
                sign,
                ';' | '&'
                    | '|'
                    | '<'
                    | '>'
                    | '('
                    | ')'
                    | '\''
                    | '"'
                    | '`'
                    | '='
                    | ','
                    | '['
                    | ']'
                    | '!'
            )
    };
    for word in text.split(is_sign) {
        add(after_variable(word));
    }
    found
}

/// Quoted strings on one line.
fn quotes(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        for sign in ['"', '\''] {
            found.extend(line.split(sign).skip(1).step_by(2).take(64));
        }
    }
    found
}

/// A path after a leading variable; the variable's folder is tried out.
fn after_variable(word: &str) -> String {
    let word = word.replace('\\', "/");
    let word = word.trim_matches(['{', '}', ':']);
    let starts = word.starts_with(['$', '%', '~', '@']);
    // The rest of a split `${NAME}/x` or `$(pwd)/x`.
    let rest = match word.rsplit_once(['}', '%']) {
        Some((_, rest)) if rest.starts_with('/') => rest,
        _ if starts => word.split_once('/').map_or("", |(_, rest)| rest),
        _ => word,
    };
    rest.to_owned()
}

/// Modules imported by a Python script, as paths without extension.
pub(super) fn python_imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().take(2_000) {
        let line = line.trim_start();
        let (names, many) = match (line.strip_prefix("import "), line.strip_prefix("from ")) {
            (Some(rest), _) => (rest, true),
            (_, Some(rest)) => (rest, false),
            _ => continue,
        };
        let count = if many { 8 } else { 1 };
        for name in names.split(',').take(count) {
            let name = name.split_whitespace().next().unwrap_or_default().trim_start_matches('.');
            if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
            {
                found.push(name.replace('.', "/"));
            }
        }
    }
    found
}

/// The `package.json` scripts that a command runs: `npm run x`, `yarn x`.
pub(super) fn package_scripts(command: &str) -> Vec<String> {
    let words: Vec<&str> = command
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '"' | '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let program = word.rsplit('/').next().unwrap_or(word);
        let rest = words.get(at + 1..).unwrap_or_default();
        let mut arguments = rest.iter().filter(|word| !word.starts_with('-'));
        let first = arguments.next().copied();
        let name = match (program, first) {
            ("npm" | "pnpm" | "yarn" | "bun", Some("run" | "run-script" | "rum")) => {
                arguments.next().copied()
            }
            ("npm" | "pnpm", Some(name @ ("test" | "start" | "stop" | "restart"))) => Some(name),
            ("npm", Some("t")) => Some("test"),
            ("yarn" | "pnpm" | "bun", other) => other,
            _ => None,
        };
        found.extend(name.map(str::to_owned));
    }
    found
}

/// Whether a program is started that accepts a folder of code.
pub(super) fn has_interpreter(command: &str) -> bool {
    let programs = ["node", "bun", "deno", "tsx", "python", "python3"];
    command.split_whitespace().any(|word| programs.contains(&word))
}

/// Files that a program reads its commands from by default.
pub(super) fn silent_files(command: &str) -> &'static [&'static str] {
    let words = |name: &str| {
        command
            .split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '"'))
            .any(|word| word == name)
    };
    if words("make") {
        &["Makefile", "makefile", "GNUmakefile"]
    } else if words("just") {
        &["justfile", "Justfile", ".justfile"]
    } else if words("task") {
        &["Taskfile.yml", "Taskfile.yaml"]
    } else {
        &[]
    }
}

/// Joins words with shell quoting.
pub(super) fn joined<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(quoted).collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,$~{}".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_behind_variables_quotes_and_options() {
        let has = |command: &str, path: &str| {
            let found = candidates(command, 64);
            assert!(
                found
                    .iter()
                    .any(|it| it.trim_start_matches(['.', '/']) == path.trim_start_matches('.')),
                "{command}: {found:?}"
            );
        };
        has("\"$CLAUDE_PROJECT_DIR\"/.claude/x.sh", ".claude/x.sh");
        has("$CLAUDE_PROJECT_DIR/.claude/x.sh", ".claude/x.sh");
        has("${workspaceFolder}/x.sh", "x.sh");
        has("$(git rev-parse --show-toplevel)/a/x.sh", "a/x.sh");
        has("%CLAUDE_PROJECT_DIR%\\a\\x.ps1", "a/x.ps1");
        has("bash ./x.sh --config=c.json", "x.sh");
        has("bash ./x.sh --config=c.json", "c.json");
        has("sh 'my hooks/x.sh'", "my hooks/x.sh");
        has("true;./x.sh", "x.sh");
        assert!(
            candidates("curl https://e.example/x.sh", 64).iter().all(|it| !it.contains("x.sh"))
        );
        assert_eq!(candidates("a1 b1 c1", 2).len(), 2);
    }

    #[test]
    fn scripts_of_package_managers_are_found() {
        assert_eq!(package_scripts("npm run -s lint && yarn build"), ["lint", "build"]);
        assert_eq!(package_scripts("npm test"), ["test"]);
        assert_eq!(package_scripts("npm install"), Vec::<String>::new());
    }

    #[test]
    fn imports_become_paths() {
        assert_eq!(python_imports("import os, a.b\nfrom .c import d\n"), ["os", "a/b", "c"]);
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(joined(["npx", "-y", "a b", "it's"]), r"npx -y 'a b' 'it'\''s'");
    }
}
