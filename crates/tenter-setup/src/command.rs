//! Builds our hook command and recognises it in hook files.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{Scope, System};
use tenter_model::HostId;

use crate::Places;
use crate::edit::FoundHook;

/// Our command, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ours {
    pub program: PathBuf,
    /// The host it is installed for.
    pub host: HostId,
    /// Arguments after the host.
    pub options: Vec<String>,
}

/// The command for a host, quoted for its shell. The same for every version: Codex approves a command by its
/// bytes.
pub fn line(program: &Path, host: HostId, options: &[String], system: System) -> String {
    let program = program.to_string_lossy();
    // Git Bash, PowerShell and cmd all accept the forward slash; Git Bash would drop a backslash.
    let program = match system {
        System::Windows => program.replace('\\', "/"),
        System::Linux | System::Mac => program.into_owned(),
    };
    let mut words = vec![quoted(&program, system), "hook".to_owned(), host.to_string()];
    words.extend(options.iter().map(|option| quoted(option, system)));
    words.join(" ")
}

/// The shell command that installs a host again. On Codex the new hook must be approved, so it says so too.
pub fn install_again(host: HostId, scope: Scope) -> String {
    let option = tenter_hosts::host(host).install().approved_by;
    let option = option.filter(|_| scope != Scope::Managed);
    let trust = option.map(|option| format!(" {option}")).unwrap_or_default();
    format!("tenter install --hosts {host} --scope {scope}{trust}")
}

/// A path quoted as a shell word.
pub fn word(path: &Path) -> String {
    quoted(&path.to_string_lossy(), System::HERE)
}

/// Replaces `tenter` in a hint's commands by the running program's path, where `tenter` alone would not be
/// found.
pub fn pasteable(hint: &str, running: &Path, places: &Places) -> String {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let named = places.find_program("tenter");
    if named.is_some_and(|named| real(&named) == real(running))
        || !is_known(&running.to_string_lossy())
    {
        return hint.to_owned();
    }
    let own = word(running);
    let mut text = String::new();
    let mut rest = hint;
    while let Some(at) = rest.find("tenter ") {
        let (before, found) = rest.split_at(at);
        let starts = before.is_empty() && text.is_empty() || before.ends_with([' ', '`', '(']);
        let verb = found.strip_prefix("tenter ").unwrap_or_default();
        let is_command = COMMANDS.iter().any(|name| verb.starts_with(name));
        text.push_str(before);
        text.push_str(if starts && is_command { &own } else { "tenter" });
        rest = found.strip_prefix("tenter").unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// A hint for printing: a command to paste, or text after `by hand:`.
pub fn printed(hint: &str, running: &Path, places: &Places) -> String {
    const BY_HAND: &str = "by hand: ";
    if hint.is_empty() || hint.starts_with(BY_HAND) {
        return pasteable(hint, running, places);
    }
    let own = word(running);
    let sets_up = ["install", "init"].iter().any(|verb| hint.contains(&format!("tenter {verb}")));
    let hint = pasteable(hint, running, places);
    let first = match hint.strip_prefix(&own) {
        Some(_) => "tenter",
        None => hint.split_whitespace().next().unwrap_or_default(),
    };
    match first {
        // Without a home nothing can be installed.
        "tenter" | "mv" if sets_up && places.home.is_none() => {
            format!("{BY_HAND}set HOME, then: {hint}")
        }
        "tenter" | "mv" | "cp" | "rm" | "chmod" | "chown" | "mkdir" | "sudo" | "env" => hint,
        _ => format!("{BY_HAND}{hint}"),
    }
}

/// A command that moves a broken link out of the way of a file.
pub fn make_room(path: &Path) -> String {
    let leads_nowhere = |path: &&Path| path.is_symlink() && !path.exists();
    let found = word(path.ancestors().find(leads_nowhere).unwrap_or(path));
    format!("mv {found} {found}.aside")
}

/// The command that installs a host again and approves its hooks. Approvals cannot be stored in a
/// configuration that is a broken link.
pub fn approve_again(host: HostId, scope: Scope, places: &Places) -> String {
    let install = tenter_hosts::host(host).install();
    let config = places.with_roots(|roots| (install.toml)(roots, Scope::User));
    let again = install_again(host, scope);
    match config.filter(|path| path.is_symlink() && !path.exists()) {
        Some(config) => format!("{} && {again}", make_room(&config)),
        None => again,
    }
}

/// Commands that occur in hints.
const COMMANDS: &[&str] =
    &["install", "uninstall", "init", "doctor", "prove", "lint", "policy", "explain"];

/// Quotes a word for the shell, only if needed.
fn quoted(word: &str, system: System) -> String {
    let plain = |character: char| {
        character.is_ascii_alphanumeric()
            || "/._-+:,@%=".contains(character)
            || (!character.is_ascii() && character.is_alphanumeric())
    };
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    match system {
        System::Windows => format!("\"{}\"", word.replace('"', "\\\"")),
        System::Linux | System::Mac => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Parses the command of a hook if it is ours: a program called `tenter`, then `hook`, then a known host.
/// Assignments, `env` and `exec` may precede it, and a redirection or another command may follow; a program
/// that only mentions tenter is not ours, and neither is `tenter run`.
pub fn ours(found: &FoundHook) -> Option<Ours> {
    let command = found.command()?;
    if let Some(arguments) = found.arguments() {
        let words: Vec<String> = [command.to_owned()].into_iter().chain(arguments).collect();
        if let Some(ours) = call(&words) {
            return Some(ours);
        }
    }
    // A handler of another type that contains our command counts as ours, so that it can be fixed and
    // removed. A backslash is an escape in a POSIX shell and a separator on Windows, and the text does not
    // tell which; try both.
    let posix = words(command, true).and_then(|words| call(&words));
    posix.or_else(|| words(command, false).and_then(|words| call(&words)))
}

/// Parses words as our command.
fn call(words: &[String]) -> Option<Ours> {
    let mut words = words.iter().skip_while(|word| is_prefix(word));
    let program = words.next()?;
    if !is_known(program) || words.next()? != "hook" {
        return None;
    }
    let host = words.next()?.parse().ok()?;
    Some(Ours { program: PathBuf::from(program), host, options: words.cloned().collect() })
}

/// Whether a hook that runs this program will be recognised as ours.
pub fn is_known(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "tenter" || name.eq_ignore_ascii_case("tenter.exe")
}

/// Whether a word may precede a program without changing which one is run.
fn is_prefix(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    // In PowerShell `&` calls the following program.
    matches!(name, "env" | "exec" | "command" | "&") || is_assignment(word)
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && name.chars().all(|other| other.is_ascii_alphanumeric() || other == '_')
}

/// The words of the first command on a line; `None` if a quote is not closed.
fn words(line: &str, escapes: bool) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.trim().chars().peekable();
    if rest.peek() == Some(&'&') {
        rest.next();
        words.push("&".to_owned());
    }
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            ';' | '|' | '&' | '(' | ')' | '\n' => break,
            // A descriptor number belongs to the redirection, not to the words.
            '<' | '>' => {
                word.take_if(|word| word.chars().all(|digit| digit.is_ascii_digit()));
                break;
            }
            '#' if word.is_none() => break,
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        other => word.push(other),
                    }
                }
            }
            '"' => double_quoted(&mut rest, escapes, word.get_or_insert_default())?,
            '\\' if escapes => word.get_or_insert_default().push(rest.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

fn double_quoted(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    escapes: bool,
    word: &mut String,
) -> Option<()> {
    loop {
        match rest.next()? {
            '"' => return Some(()),
            '\\' if escapes && matches!(rest.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.push(rest.next()?);
            }
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn found(fields: Value) -> FoundHook {
        let event = "PreToolUse".to_owned();
        FoundHook { event, group: 0, handler: 0, matcher: None, fields, line: 1 }
    }

    fn shell(command: &str) -> Option<Ours> {
        ours(&found(json!({ "type": "command", "command": command })))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what is found")]
    fn is(program: &str, host: HostId, options: &[&str]) -> Option<Ours> {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Some(Ours { program: PathBuf::from(program), host, options })
    }

    #[test]
    fn a_plain_path_is_written_without_quotes() {
        let line = |program: &str, system| line(Path::new(program), HostId::Codex, &[], system);
        assert_eq!(
            line("/usr/local/bin/tenter", System::Linux),
            "/usr/local/bin/tenter hook codex"
        );
        assert_eq!(line("/home/jörg/tenter", System::Linux), "/home/jörg/tenter hook codex");
        assert_eq!(line("/opt/my apps/tenter", System::Mac), "'/opt/my apps/tenter' hook codex");
        assert_eq!(line("/opt/it's/tenter", System::Mac), "'/opt/it'\\''s/tenter' hook codex");
        assert_eq!(line("/opt/$x/tenter", System::Linux), "'/opt/$x/tenter' hook codex");
        assert_eq!(line("~/tenter", System::Linux), "'~/tenter' hook codex");
        assert_eq!(line("C:\\t\\tenter.exe", System::Windows), "C:/t/tenter.exe hook codex");
        assert_eq!(
            line("C:\\Program Files\\tenter.exe", System::Windows),
            "\"C:/Program Files/tenter.exe\" hook codex"
        );
    }

    #[test]
    fn a_hint_is_a_command_or_says_that_it_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let places = |home: Option<PathBuf>| Places {
            system: System::HERE,
            root: PathBuf::from("/"),
            home,
            project: None,
            variables: std::collections::BTreeMap::new(),
            path: None,
            state: None,
            now: 0,
        };
        let home = places(Some(folder.path().to_owned()));
        let printed = |hint: &str| printed(hint, Path::new("/a b/tenter"), &home);
        let install = "'/a b/tenter' install --hosts claude";
        assert_eq!(printed("tenter install --hosts claude"), install);
        assert_eq!(printed(install), install, "once more changes nothing");
        assert_eq!(printed("chmod +x /x && tenter doctor"), "chmod +x /x && '/a b/tenter' doctor");
        assert_eq!(printed("write a string"), "by hand: write a string");
        assert_eq!(printed("by hand: set HOME"), "by hand: set HOME");
        let homeless = super::printed("tenter init", Path::new("/bin/tenter"), &places(None));
        assert_eq!(homeless, "by hand: set HOME, then: /bin/tenter init");
    }

    #[cfg(unix)]
    #[test]
    fn what_stands_in_the_way_is_the_link_that_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".claude/settings.json");
        let shown = |path: &Path| format!("mv {0} {0}.aside", path.display());
        assert_eq!(make_room(&file), shown(&file));
        let link = folder.path().join(".claude");
        std::os::unix::fs::symlink(folder.path().join("none"), &link).unwrap();
        assert_eq!(make_room(&file), shown(&link));
    }

    #[test]
    fn what_is_written_is_known_again() {
        let programs =
            ["/usr/bin/tenter", "/a b/tenter", "/it's \"odd\" $HOME `x`/tenter", "/a\\b/tenter"];
        for program in programs {
            for host in HostId::ALL {
                let options = ["--fail".to_owned(), "a b".to_owned(), String::new()];
                for system in [System::Linux, System::Mac] {
                    let line = line(Path::new(program), host, &options, system);
                    assert_eq!(shell(&line), is(program, host, &["--fail", "a b", ""]), "{line}");
                }
            }
        }
        let written =
            line(Path::new("C:\\My Tools\\tenter.exe"), HostId::Cursor, &[], System::Windows);
        assert_eq!(shell(&written), is("C:/My Tools/tenter.exe", HostId::Cursor, &[]));
    }

    #[test]
    fn ours_are_known_in_every_form_of_the_shell() {
        for (command, program) in [
            ("tenter hook cursor", "tenter"),
            ("'/opt/my tenter/tenter' hook cursor", "/opt/my tenter/tenter"),
            ("\"/opt/my tenter/tenter\" hook cursor", "/opt/my tenter/tenter"),
            ("/opt/my\\ tenter/tenter hook 'cursor'", "/opt/my tenter/tenter"),
            ("C:\\Tools\\tenter.exe hook cursor", "C:\\Tools\\tenter.exe"),
            ("\"C:\\My Tools\\Tenter.EXE\" hook cursor", "C:\\My Tools\\Tenter.EXE"),
            ("& \"C:/My Tools/tenter.exe\" hook cursor", "C:/My Tools/tenter.exe"),
            ("A=1 B='x y' /bin/tenter hook cursor", "/bin/tenter"),
            ("/usr/bin/env A=1 exec tenter hook cursor", "tenter"),
            ("  tenter hook cursor 2>/dev/null", "tenter"),
            ("tenter hook cursor || true", "tenter"),
            ("tenter hook cursor; echo done", "tenter"),
            ("tenter hook cursor # guard", "tenter"),
        ] {
            assert_eq!(shell(command), is(program, HostId::Cursor, &[]), "{command}");
        }
        assert_eq!(
            shell("tenter hook claude --on-failure ask"),
            is("tenter", HostId::Claude, &["--on-failure", "ask"])
        );
    }

    #[test]
    fn what_only_mentions_us_is_not_ours() {
        for command in [
            "",
            "tenter",
            "tenter hook",
            "tenter hook emacs",
            "tenter hook --fast cursor",
            "tenter run --host cursor -- ./check.sh",
            "tenter check hook cursor",
            "/opt/my tenter/tenter hook cursor",
            "echo tenter hook cursor",
            "./guard.sh tenter hook cursor",
            "# tenter hook cursor",
            "'tenter hook cursor'",
            "tenterhook hook cursor",
            "my-tenter hook cursor",
            "/opt/tenter/run hook cursor",
            "/bin/tenter.sh hook cursor",
            "'tenter hook cursor",
            "cd /x && tenter hook cursor",
            "A=tenter hook cursor",
        ] {
            assert_eq!(shell(command), None, "{command}");
        }
    }

    #[test]
    fn a_command_without_a_shell_is_taken_word_by_word() {
        let exec = |command: &str, arguments: Value| {
            ours(&found(json!({ "type": "command", "command": command, "args": arguments })))
        };
        let program = "/opt/my tenter/tenter";
        let known = is(program, HostId::Claude, &["-x"]);
        assert_eq!(exec(program, json!(["hook", "claude", "-x"])), known);
        let spoilt = is("tenter", HostId::Claude, &[]);
        assert_eq!(exec("tenter hook claude", json!([])), spoilt, "somebody added `args`");
        assert_eq!(exec("tenter", json!(["run", "claude"])), None);
        assert_eq!(exec("tenter", json!(["hook", 7])), None);
    }

    #[test]
    fn only_our_line_makes_an_entry_ours() {
        let spoilt = json!({ "type": "prompt", "command": "tenter hook cursor" });
        assert_eq!(ours(&found(spoilt)), is("tenter", HostId::Cursor, &[]));
        assert_eq!(ours(&found(json!({ "type": "prompt", "prompt": "tenter hook cursor" }))), None);
        assert_eq!(ours(&found(json!({ "command": ["tenter", "hook", "cursor"] }))), None);
        let untyped = json!({ "command": "tenter hook cursor" });
        assert_eq!(ours(&found(untyped)), is("tenter", HostId::Cursor, &[]));
    }
}
