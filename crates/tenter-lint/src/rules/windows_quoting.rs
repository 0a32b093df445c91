//! `windows-quoting`

use jsonc_parser::ast::StringLit;
use tenter_hosts::lint::WindowsShell;

use crate::Severity;
use crate::command::looks_like_windows;
use crate::finding::Findings;
use crate::model::{FileModel, Handler, at, property, text_of};
use crate::rule::{Check, rule};

rule! {
    /// Quoting that a shell on Windows reads otherwise.
    ///
    /// Cursor runs commands in PowerShell there, where a line that begins with a quote is a text and
    /// not a command. Claude Code runs them in Git Bash, which eats single backslashes. Codex runs
    /// them in cmd.exe, which knows no single quotes. Commands that are plainly not for Windows are
    /// mentioned only in files that are shared.
    ///
    /// Bad:
    /// ```json
    /// { "command": "\"C:\\Program Files\\guard\\guard.exe\" --strict" }
    /// ```
    /// Good:
    /// ```json
    /// { "command": "C:\\guard\\guard.exe --strict" }
    /// ```
    RULE {
        id: "windows-quoting",
        summary: "quoting that a shell on Windows reads otherwise",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let Some(literal) = handler.command() else { continue };
        if let Some(escape) = swallowed_escape(model, literal) {
            out.add(
                &RULE,
                at(literal),
                format!("`{escape}` is one character in JSON, not a backslash"),
            )
            .severity(Severity::Error)
            .cost("the path has a control character in it and is not found")
            .fix("write every backslash twice");
            continue;
        }
        match model.lint().windows {
            WindowsShell::PowerShell => check_powershell(model, literal, out),
            WindowsShell::GitBash => check_git_bash(handler, literal, out),
            WindowsShell::Cmd => check_cmd(model, handler, literal, out),
        }
    }
}

/// Detects `C:\tools` with single backslashes, which is valid JSON but contains a tab.
fn swallowed_escape(model: &FileModel<'_>, literal: &StringLit<'_>) -> Option<String> {
    if !looks_like_windows(&literal.value) {
        return None;
    }
    let first = literal.value.chars().find(char::is_ascii_control)?;
    let raw = model.text().get(at(literal))?;
    let letter = match first {
        '\t' => 't',
        '\n' => 'n',
        '\r' => 'r',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        _ => return None,
    };
    let escape = format!("\\{letter}");
    raw.contains(&escape).then_some(escape)
}

fn check_powershell(model: &FileModel<'_>, literal: &StringLit<'_>, out: &mut Findings<'_>) {
    let command = literal.value.trim_start();
    if !command.starts_with(['"', '\'']) {
        return;
    }
    let for_windows = looks_like_windows(command);
    if !for_windows && !model.file.is_shared() {
        return;
    }
    let draft = out.add(&RULE, at(literal), "the command begins with a quote");
    draft.fix("use a path without blanks, and no quotes");
    if !for_windows {
        draft.severity(Severity::Note);
        draft.cost("on Windows PowerShell prints the text instead of running it");
    }
}

fn check_git_bash(handler: &Handler<'_>, literal: &StringLit<'_>, out: &mut Findings<'_>) {
    let command = literal.value.as_ref();
    let without_shell = property(handler.object, "args").is_some();
    let powershell =
        text_of(handler.object, "shell").is_some_and(|shell| shell.value == "powershell");
    let bare = looks_like_windows(command) && command.contains('\\');
    let quoted = command.starts_with(['"', '\'']);
    if bare && !quoted && !without_shell && !powershell {
        out.add(&RULE, at(literal), "the backslashes of this path are not quoted")
            .fix("write slashes (`C:/...`), or name program and `args` apart");
    }
}

/// Whether single quotes are used for quoting, as opposed to inside double quotes.
fn has_single_quotes(command: &str) -> bool {
    let mut inside = false;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '"' => inside = !inside,
            '\'' if !inside => return true,
            _ => {}
        }
    }
    false
}

fn check_cmd(
    model: &FileModel<'_>,
    handler: &Handler<'_>,
    literal: &StringLit<'_>,
    out: &mut Findings<'_>,
) {
    let has_own = ["commandWindows", "command_windows"]
        .into_iter()
        .any(|key| property(handler.object, key).is_some());
    if has_own || !has_single_quotes(&literal.value) || !model.file.is_shared() {
        return;
    }
    out.add(&RULE, at(literal), "the command has single quotes")
        .severity(Severity::Note)
        .cost("on Windows cmd.exe takes them for part of the words")
        .fix("use double quotes, or add `commandWindows`");
}

#[cfg(test)]
mod tests {
    use crate::Severity;
    use crate::testing::{Machine, assert_ids, cursor, findings, grouped};
    use tenter_model::HostId;

    fn entry(command: &str) -> String {
        cursor("stop", &format!("{{\"command\": \"{command}\"}}"))
    }

    #[test]
    fn powershell_prints_what_begins_with_a_quote() {
        let bad = entry(r#"\"C:\\Program Files\\x.exe\" -a"#);
        assert_ids(HostId::Cursor, &bad, &["windows-quoting 2:22"]);
        assert_ids(HostId::Cursor, &entry(r"C:\\x\\x.exe -a"), &[]);
        let machine =
            Machine::new(&[("w/my hooks/x.sh*", "#!/bin/sh\n"), ("home/x.sh*", "#!/bin/sh\n")]);
        let shared = entry(r#"\"./my hooks/x.sh\""#);
        let found = machine.lint(&[("w/.cursor/hooks.json", &shared)]);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        let own = entry(r#"\"$HOME\"/x.sh"#);
        assert!(machine.lint(&[("home/.cursor/hooks.json", &own)]).is_empty());
    }

    #[test]
    fn git_bash_eats_backslashes() {
        let handler =
            |rest: &str| grouped("Stop", "", &format!("{{\"type\": \"command\", {rest}}}"));
        let bad = handler(r#""command": "C:\\x\\x.exe""#);
        assert_ids(HostId::Claude, &bad, &["windows-quoting 3:32"]);
        assert_ids(HostId::Claude, &handler(r#""command": "C:/x/x.exe""#), &[]);
        assert_ids(HostId::Claude, &handler(r#""command": "C:\\x\\x.exe", "args": []"#), &[]);
    }

    #[test]
    fn an_escape_is_no_backslash() {
        let found = findings(HostId::Cursor, &entry(r"C:\tools\new.exe"));
        assert_eq!(found[0].message, "`\\t` is one character in JSON, not a backslash");
    }

    #[test]
    fn cmd_knows_no_single_quotes() {
        let machine = Machine::new(&[]);
        let handler =
            |rest: &str| grouped("Stop", "", &format!("{{\"type\": \"command\", {rest}}}"));
        let file = "w/.codex/hooks.json";
        let bad = handler("\"command\": \"sh -c 'exit 0'\"");
        assert_eq!(machine.places("windows-quoting", &[(file, &bad)]), ["3:32"]);
        let inside = handler("\"command\": \"node -e \\\"require('x')\\\"\"");
        assert!(machine.lint(&[(file, &inside)]).is_empty());
        let good = handler("\"command\": \"sh -c 'exit 0'\", \"commandWindows\": \"exit 0\"");
        assert!(machine.lint(&[(file, &good)]).is_empty());
    }
}
