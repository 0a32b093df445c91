//! Splits commands that need no shell into words.

use std::path::{Path, PathBuf};

use tenter_lint::join;

/// Variables with the project root that hosts pass to scripts.
const ROOTS: &[&str] = &["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"];

/// Shell builtins.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "cd", "command", "eval", "exec", "exit", "export", "if", "for", "set", "source",
    "test", "time", "trap", "type", "unset", "while",
];

/// Script extensions, which are not part of a name.
const ENDINGS: &[&str] =
    &[".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl"];

/// A word with the project root's variable replaced.
pub(super) fn filled(word: &str, root: Option<&Path>) -> String {
    let Some(root) = root.and_then(Path::to_str) else { return word.to_owned() };
    ROOTS.iter().fold(word.to_owned(), |word, name| word.replace(&format!("${{{name}}}"), root))
}

/// The words of a command that contains no shell syntax; `None` if a shell must interpret it.
pub(super) fn plain(command: &str, root: Option<&Path>) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = command.trim();
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..)?;
        match (character, quote) {
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (end, Some(open)) if end == open => quote = None,
            ('$', None | Some('"')) => {
                let (name, behind) = variable(after)?;
                let root = root.filter(|_| ROOTS.contains(&name))?;
                word.get_or_insert_default().push_str(root.to_str()?);
                rest = behind;
                continue;
            }
            ('`' | '\\' | '!', Some('"')) => return None,
            (character, Some(_)) => word.get_or_insert_default().push(character),
            (' ' | '\t', None) => words.extend(word.take()),
            (character, None) => {
                let is_plain = character.is_alphanumeric() || "/._-+:,@%=".contains(character);
                word.get_or_insert_default().push(Some(character).filter(|_| is_plain)?);
            }
        }
        rest = after;
    }
    words.extend(word);
    let first = words.first().filter(|_| quote.is_none())?;
    let needs_shell = first.contains('=') || BUILTINS.contains(&first.as_str());
    (!needs_shell && !first.is_empty()).then_some(words)
}

/// Parses a variable name after its `$`, and returns the rest.
fn variable(text: &str) -> Option<(&str, &str)> {
    if let Some(braced) = text.strip_prefix('{') {
        return braced.split_once('}');
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at_checked(end)
}

/// The words with absolute paths for the program and for existing files.
pub(super) fn absolute(words: Vec<String>, base: Option<&Path>) -> Vec<String> {
    let Some(base) = base else { return words };
    let is_path = |at: usize, word: &str| {
        if word.starts_with(['/', '~', '-']) || word.is_empty() {
            return false;
        }
        if at == 0 { word.contains('/') } else { join(base, word).is_file() }
    };
    let mut all = Vec::new();
    for (at, word) in words.into_iter().enumerate() {
        let file = is_path(at, &word).then(|| join(base, &word).to_string_lossy().into_owned());
        all.push(file.unwrap_or(word));
    }
    all
}

/// The first existing file named in a shell command.
pub(super) fn first_file(
    command: &str,
    base: Option<&Path>,
    root: Option<&Path>,
) -> Option<String> {
    let root = root.and_then(Path::to_str).unwrap_or_default();
    let mut text = command.replace(['"', '\''], "");
    for name in ROOTS {
        text = text.replace(&format!("${{{name}}}"), root).replace(&format!("${name}"), root);
    }
    let mut found = text.split(|c: char| c.is_whitespace() || ";|&<>()".contains(c));
    let found = found.find_map(|word| {
        let path = base.map_or_else(|| PathBuf::from(word), |base| join(base, word));
        let is_file = word.contains('/') && path.is_absolute() && path.is_file();
        is_file.then(|| path.to_string_lossy().into_owned())
    });
    // System programs are excluded.
    found.filter(|path| base.is_some_and(|base| Path::new(path).starts_with(base)))
}

/// A name for the hook: that of its script or program.
pub(super) fn script_name(command: &str) -> String {
    const LONGEST: usize = 40;
    let bare = command.replace(['"', '\''], "");
    let words: Vec<&str> = bare.split_whitespace().collect();
    let is_script = |word: &&&str| ENDINGS.iter().any(|ending| word.ends_with(ending));
    let chosen = words.iter().find(is_script).or_else(|| words.first());
    let name = chosen.and_then(|word| word.rsplit(['/', '\\']).next()).unwrap_or_default();
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(plain).take(LONGEST).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "hook".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Option<Vec<String>> {
        plain(command, Some(Path::new("/w")))
    }

    #[test]
    fn a_command_that_no_shell_would_change_is_its_words() {
        let cases: [(&str, &[&str]); 6] = [
            ("python3 hooks/a.py --x=1", &["python3", "hooks/a.py", "--x=1"]),
            ("'my hooks/a b.sh'", &["my hooks/a b.sh"]),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/a.sh", &["/w/.claude/a.sh"]),
            ("${CLAUDE_PROJECT_DIR}/a.sh \"\"", &["/w/a.sh", ""]),
            ("$CURSOR_PROJECT_DIR/a.sh", &["/w/a.sh"]),
            ("  ./a.sh  ", &["./a.sh"]),
        ];
        for (command, expected) in cases {
            assert_eq!(words(command).unwrap(), expected, "{command}");
        }
    }

    #[test]
    fn what_a_shell_must_read_is_left_to_it() {
        for command in [
            "a | b",
            "a && b",
            "a; b",
            "a > f",
            "$HOME/a.sh",
            "~/a.sh",
            "a *.ts",
            "A=1 b",
            "cd x",
            "echo \"`x`\"",
            "'open",
            "a\nb",
            "",
            "a $(b)",
            "echo \\$x",
            "exec ./a.sh",
            "# a",
        ] {
            assert_eq!(words(command), None, "{command}");
        }
        assert_eq!(plain("$CLAUDE_PROJECT_DIR/a.sh", None), None, "no project is known");
    }

    #[test]
    fn a_hook_is_called_by_its_script() {
        let cases = [
            ("python3 -u ~/.claude/hooks/check_bash.py --strict", "check_bash"),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh", "guard"),
            ("npx prettier --write", "npx"),
            ("/opt/bin/audit log", "audit"),
            ("jq -r .x | grep y", "jq"),
            ("'my hooks.sh'", "hooks"),
            ("...", "hook"),
        ];
        for (command, expected) in cases {
            assert_eq!(script_name(command), expected, "{command}");
        }
    }
}
