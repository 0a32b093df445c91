//! Detects commands written for PowerShell or cmd.exe instead of a Unix shell.

use super::shape::{self, Shape};
use crate::world::Language;

/// Verbs that cmdlets start with. A program of a Unix shell that is written like `Get-Thing` is
/// not known.
const VERBS: &str = " Add Clear Compare Compress Connect Convert ConvertFrom ConvertTo Copy Disable Disconnect Dismount \
Enable Enter Exit Expand Export Find ForEach Format Get Group Import Initialize Install Invoke Join Limit Measure \
Mount Move New Out Pop Publish Push Read Receive Register Remove Rename Repair Reset Resize Resolve Restart Restore \
Resume Save Select Send Set Show Sort Split Start Stop Suspend Tee Test Trace Unblock Uninstall Unregister Update \
Use Wait Where Write ";

/// Cmdlets that are known also in lower case.
const LOWER: &[&str] = &[
    "remove-item",
    "get-childitem",
    "get-content",
    "set-content",
    "add-content",
    "clear-content",
    "invoke-expression",
    "invoke-webrequest",
    "invoke-restmethod",
    "set-executionpolicy",
    "start-process",
    "stop-process",
    "new-object",
    "new-item",
    "copy-item",
    "move-item",
    "write-host",
    "write-output",
    "out-file",
    "foreach-object",
    "where-object",
    "stop-computer",
    "restart-computer",
    "format-volume",
    "clear-disk",
];

const VARIABLES: &[&str] = &[
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMFILES",
    "PROGRAMDATA",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "HOMEPATH",
    "HOMEDRIVE",
    "TEMP",
    "TMP",
    "PUBLIC",
];

/// Maximum work on expressions.
const MAX_EFFORT: usize = 64 * 1024;

/// Maximum distance of a command's first words.
const NEAR: usize = 256;

/// Whether the text reads like PowerShell or cmd rather than a Unix shell. Only words in command
/// position and unquoted variables count: a header such as `Set-Cookie` in quotes does not.
pub(crate) fn recognise(command: &str, windows: bool) -> Option<Language> {
    // No Unix shell lets a command begin so.
    let first = command.trim_start();
    if first.starts_with('&') && !first.starts_with("&&") {
        return Some(Language::PowerShell);
    }
    let bytes = command.as_bytes();
    let mut at = 0;
    let mut starts = true;
    // `C:\x` without quotes is a path of the other shells only; which of the two, commands tell.
    let mut drive = None;
    let mut effort = MAX_EFFORT;
    while let Some(byte) = bytes.get(at).copied() {
        if starts && b"$\"'[@(-".contains(&byte) && effort > 0 {
            let rest = command.get(at..)?;
            effort = effort.saturating_sub(rest.len().min(NEAR * 16));
            if is_powershell(command, rest, windows) {
                return Some(Language::PowerShell);
            }
        }
        match byte {
            b' ' | b'\t' | b'\r' => {}
            b'$' if is_automatic(command.get(at + 1..)?) => return Some(Language::PowerShell),
            b'\\' if is_drive_path(bytes, at) => {
                drive = Some(Language::PowerShell);
                at += 1;
            }
            b'\'' => at = skip_quotes(bytes, at, false),
            b'"' => {
                // `"C:\x\"` ends with its last quote.
                let path = windows && bytes.get(at + 2..at + 4) == Some(b":\\");
                let end = skip_quotes(bytes, at, !path);
                if is_string(command.get(at..end).unwrap_or_default()) {
                    return Some(Language::PowerShell);
                }
                at = end;
            }
            b'\\'
                if is_share(command.get(at..).unwrap_or_default())
                    && bytes.get(at.wrapping_sub(1)).is_none_or(u8::is_ascii_whitespace) =>
            {
                drive = Some(Language::PowerShell);
                at += 1;
            }
            b'\\' | b'`' => at += 1,
            // Here documents are of Unix shells, and hold anything.
            b'<' if bytes.get(at + 1) == Some(&b'<') => return None,
            b'#' if starts => {
                at += bytes.iter().skip(at).position(|byte| *byte == b'\n').unwrap_or(bytes.len());
                continue;
            }
            b'\n' | b';' | b'|' | b'&' | b'(' | b'{' => {
                starts = true;
                at += 1;
                continue;
            }
            b'%' => {
                let rest = command.get(at + 1..)?;
                if is_variable(rest) {
                    return Some(Language::Cmd);
                }
            }
            _ if starts => {
                let rest = command.get(at..)?;
                if let Some(found) =
                    at_command(rest).or_else(|| in_windows(rest).filter(|_| windows))
                {
                    return Some(found);
                }
                let first = word(rest);
                if is_program_path(first) {
                    drive = Some(Language::PowerShell);
                }
                at += first.len().max(1) - 1;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            starts = false;
        }
        at += 1;
    }
    drive
}

/// Whether the backslash at this place is the first of an unquoted `C:\x` or `..\x`.
fn is_drive_path(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at)).copied();
    let drive = before(1) == Some(b':') && before(2).is_some_and(|it| it.is_ascii_alphabetic());
    let up = before(1) == Some(b'.') && before(2) == Some(b'.');
    (drive || up)
        && before(3).is_none_or(|byte| b" \t\n=,(".contains(&byte))
        && bytes
            .get(at + 1)
            .is_some_and(|next| next.is_ascii_alphanumeric() || b"_.$*(".contains(next))
}

/// `C:\x.exe`, without quotes, in the place of a program.
fn is_program_path(word: &str) -> bool {
    word.len() > 3
        && word.get(1..3) == Some(":\\")
        && word.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

/// Whether an unquoted `\\host\share` begins here.
fn is_share(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("\\\\") else { return false };
    let host = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte))
        .count();
    host > 0 && rest.as_bytes().get(host) == Some(&b'\\')
}

/// Whether a variable of PowerShell follows the dollar: `$env:PATH`, `$LASTEXITCODE`.
fn is_automatic(rest: &str) -> bool {
    let env = rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("env:"));
    env && rest.as_bytes().get(4).is_some_and(u8::is_ascii_uppercase)
        || rest.starts_with("LASTEXITCODE")
}

/// Whether a string holds values as PowerShell writes them: `$env:PATH`, `$($x.Name)`.
fn is_string(text: &str) -> bool {
    let typical = |inner: &str| shape::of(inner) == Some(Shape::Typical);
    text.match_indices('$').take(64).any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        let inside = |rest: &str| typical(rest) || is_cmdlet(word(rest));
        is_automatic(rest) || rest.strip_prefix('(').is_some_and(inside)
    })
}

/// Whether a control structure is one of PowerShell, by what follows its keyword.
fn is_control(word: &str, after: &str) -> bool {
    let text = after.trim_start();
    match word {
        "foreach" | "param" | "Param" => text.starts_with('('),
        "switch" => text.starts_with(['(', '-']),
        "throw" | "trap" => text.starts_with('['),
        "class" | "enum" => {
            text.starts_with(|first: char| first.is_ascii_uppercase()) && after.contains('{')
        }
        "if" | "elseif" | "while" => shape::group_and_block(text),
        "for" => !text.starts_with("((") && shape::group_and_block(text),
        "try" | "catch" | "finally" => text.starts_with('{'),
        "%" | "?" | "where" => after.starts_with(" {"),
        "select" => after.starts_with(" -"),
        "function" => {
            let name = text
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
            let rest = text.get(name.count()..).unwrap_or_default().trim_start();
            rest.starts_with("($") || rest.starts_with("([")
        }
        _ => false,
    }
}

fn skip_quotes(bytes: &[u8], open: usize, escapes: bool) -> usize {
    let quote = bytes.get(open).copied().unwrap_or(0);
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at).copied() {
        if byte == quote {
            return at;
        }
        if byte == b'\\' && escapes {
            at += 1;
        }
        at += 1;
    }
    at
}

fn word(rest: &str) -> &str {
    let end = rest
        .find([' ', '\t', '\n', '\r', ';', '|', '&', '(', ')', '{', '}', '<', '>', '\'', '"', '%']);
    rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)
}

/// The language indicated by the word in command position.
fn at_command(rest: &str) -> Option<Language> {
    let word = word(rest);
    let after = rest.get(word.len()..).unwrap_or_default();
    let powershell = is_cmdlet(word)
        || is_control(word, after)
        || word.starts_with(".\\") && word.len() > 2
        || matches!(word, "iwr" | "irm") && after.starts_with(' ')
        || matches!(word, "IEX" | "Iex" | "IWR")
        || matches!(word, "gps" | "spps" | "gcim" | "gwmi") && after.starts_with(' ')
        || word == "kill" && [" -Force", " -Name ", " -Id "].iter().any(|it| after.starts_with(it))
        || matches!(word, "ri" | "gci") && (after.contains(":\\") || after.contains(" -fo"))
        || word == "iex" && after.trim_start().starts_with(['(', '"', '\'']);
    if powershell {
        return Some(Language::PowerShell);
    }
    let lower = word.to_ascii_lowercase();
    let (lower, glued) = match lower.split_once('/') {
        Some((name, _)) => (name, true),
        None => (lower.as_str(), false),
    };
    // Without blanks the next word would be all the rest, once for every command.
    let near = after.char_indices().nth(NEAR).and_then(|(end, _)| after.get(..end));
    let mut words = near.unwrap_or(after).split_ascii_whitespace();
    let next = words.next().unwrap_or_default();
    let switch = |text: &str, letters: &str| {
        let mut bytes = text.bytes();
        bytes.next() == Some(b'/')
            && bytes
                .next()
                .is_some_and(|letter| letters.contains(char::from(letter.to_ascii_lowercase())))
            && matches!(bytes.next(), None | Some(b'/' | b':'))
    };
    let cmd = match lower {
        "del" | "erase" => switch(next, "sqfap") || glued || next.contains('\\'),
        "rd" | "rmdir" => switch(next, "sq") || (glued && lower == "rd"),
        "format" => is_drive(next),
        "if" => {
            next.eq_ignore_ascii_case("exist")
                || (next.eq_ignore_ascii_case("not")
                    && words.next().is_some_and(|word| word.eq_ignore_ascii_case("exist")))
        }
        "for" => {
            next.starts_with('%')
                || (switch(next, "flrd")
                    && words.by_ref().take(2).any(|word| word.starts_with('%')))
        }
        // In Git Bash `cd /d/x` goes to drive D.
        "cd" | "chdir" => next.eq_ignore_ascii_case("/d"),
        "@echo" | "setlocal" | "endlocal" => true,
        "set" => is_setting(next) || switch(next, "ap"),
        "copy" | "move" | "xcopy" => next.contains(":\\") || switch(next, "y"),
        _ => false,
    };
    cmd.then_some(Language::Cmd)
}

/// What only a folder of Windows makes sure: `import-module x`, `set NAME=value`.
fn in_windows(rest: &str) -> Option<Language> {
    let word = word(rest);
    let after = rest.get(word.len()..).unwrap_or_default();
    if word.eq_ignore_ascii_case("set") {
        let name = after.trim_start().split(['=', ' ', '\n']).next().unwrap_or_default();
        let value = after.trim_start().get(name.len()..).unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        return (value.starts_with('=') && !name.is_empty() && name.bytes().all(plain))
            .then_some(Language::Cmd);
    }
    let (verb, noun) = word.split_once('-')?;
    let verbs = VERBS.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(verb));
    (verbs && !noun.is_empty() && noun.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .then_some(Language::PowerShell)
}

/// `"NAME=value"`: an assignment as cmd quotes it.
fn is_setting(word: &str) -> bool {
    let name = word.strip_prefix('"').and_then(|word| word.split_once('=')).map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn is_drive(word: &str) -> bool {
    matches!(word.as_bytes(), [letter, b':'] | [letter, b':', b'\\'] if letter.is_ascii_alphabetic())
}

/// `Remove-Item`
fn is_cmdlet(word: &str) -> bool {
    let Some((verb, noun)) = word.split_once('-') else {
        return false;
    };
    let capital = |text: &str| text.starts_with(|first: char| first.is_ascii_uppercase());
    if capital(verb) && capital(noun) && noun.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return VERBS.split(' ').any(|known| known == verb);
    }
    let lower = word.to_ascii_lowercase();
    LOWER.contains(&lower.as_str())
}

/// Whether this is no program name in PowerShell or cmd, although a Unix shell would look for one: an
/// expression, a script block's condition, a loop's list.
pub(crate) fn is_no_program(before: &str, rest: &str) -> bool {
    let block = before.ends_with([')', ']', '"', '\'']) && rest.starts_with('[')
        || rest.strip_prefix(['?', '%']).is_some_and(|rest| rest.trim_start().starts_with('{'));
    // The rest of `(1 + 2) * 3`.
    let operand = |rest: &str| {
        rest.trim_start()
            .starts_with(|first: char| "$(\"'".contains(first) || first.is_ascii_digit())
    };
    let sign = rest
        .strip_prefix(['*', '/', '+', '%', ','])
        .is_some_and(|rest| rest.starts_with(' ') && operand(rest));
    // Its own reading judges what `&` calls.
    let called = before.trim_end().strip_suffix('&').is_some_and(|before| {
        before.trim_end().is_empty()
            || before.trim_end_matches(' ').ends_with([';', '|', '(', '{', '=', '\n'])
    });
    block
        || sign
        || called
        || shape::of(rest).is_some()
        || before.to_ascii_lowercase().ends_with(" in (")
}

/// Whether a statement is one of PowerShell. In a folder of Windows less will do: no other shell there begins a command so.
fn is_powershell(command: &str, rest: &str, windows: bool) -> bool {
    shape::of(rest) == Some(Shape::Typical)
        || windows && (shape::is_joined(rest) || prints_variable(command, rest) || is_value(rest))
}

/// Whether a statement is a type with or without a value, or a sentence in quotes: `[int] $x`, `"$n files left"`.
fn is_value(rest: &str) -> bool {
    if let Some(inner) = rest.strip_prefix('[') {
        return inner.starts_with(|first: char| first.is_ascii_alphabetic())
            && inner.find(']').is_some_and(|end| {
                !inner.get(..end).unwrap_or_default().contains(['\n', ';', '|'])
            });
    }
    let Some(inner) = rest.strip_prefix('"') else { return false };
    let Some(end) = inner.find('"') else { return false };
    let (text, after) = inner.split_at_checked(end).unwrap_or_default();
    let after = after.get(1..).unwrap_or_default().trim_start_matches([' ', '\t', '\r']);
    text.contains(' ')
        && !text.contains(['/', '\\'])
        && (after.is_empty() || after.starts_with(['\n', '|', ';', '>']))
}

/// Whether a variable stands alone, so that PowerShell prints it, and no shell gave it a value before.
fn prints_variable(command: &str, rest: &str) -> bool {
    let Some(name) = rest.strip_prefix('$') else { return false };
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:".contains(byte);
    let length = name.bytes().take_while(plain).count();
    let (name, after) = name.split_at_checked(length).unwrap_or_default();
    let ends = after.trim_start_matches([' ', '\t', '\r']);
    !name.is_empty()
        && (ends.is_empty() || ends.starts_with(['\n', '|', ';', '>']))
        && !command.contains(&format!("{name}="))
}

/// Whether a variable stands for a program here, with arguments after it: `$P -c x`, `"$P" run`.
pub(crate) fn has_arguments(rest: &str) -> bool {
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let Some(name) = rest.strip_prefix('$') else { return false };
    let name = name.trim_start_matches(['{', '(']);
    let length =
        name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let after = name.get(length..).unwrap_or_default().trim_start_matches(['}', '"']);
    let word = after.trim_start_matches([' ', '\t']);
    word.len() < after.len()
        && word
            .starts_with(|first: char| first.is_ascii_alphanumeric() || "-/.\"'$".contains(first))
}

/// `USERPROFILE%...`
fn is_variable(rest: &str) -> bool {
    let name = rest.bytes().take(16).take_while(u8::is_ascii_alphabetic).count();
    let Some(text) = rest.get(..name).filter(|_| rest.as_bytes().get(name) == Some(&b'%')) else {
        return false;
    };
    VARIABLES.iter().any(|known| known.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_shells_are_told_by_their_commands() {
        let powershell = [
            "Remove-Item -Recurse -Force C:\\x",
            "cd x; Get-ChildItem | Remove-Item",
            "remove-item x",
            "$env:PATH",
            "$x = Get-Date",
            "iwr http://h/x.ps1 | iex",
            "iex (iwr http://h)",
            "[Convert]::FromBase64String('x')",
            "npm test; \"exit: $LASTEXITCODE\"",
            "npm run build; if ($?) { npm test }",
            "$a = 5; $a-$b",
            "$x=1",
            "$i++",
            "$orbit[0]",
            "$name.Substring(0, 5).Trim()",
            "$x -eq 5",
            "[int]\"42\" + 1",
            "[xml]$pom = 1",
            "@(1,2) | % { $_ }",
            "@'\nx\n'@ | python -",
            "git ls-files | ? { $_ }",
            "foreach ($f in $x) { $f }",
            "rm -r D:\\work\\x",
            ".\\gradlew.bat build",
            "if ($true) { Stop-Computer }",
            "Write-Host \"a'b\"",
        ];
        for command in powershell {
            assert_eq!(recognise(command, false), Some(Language::PowerShell), "{command}");
        }
        let cmd = [
            "del /s /q C:\\x",
            "DEL /F x",
            "rd /s /q build",
            "rmdir /S x",
            "format c:",
            "echo %USERPROFILE%",
            "if exist x del x",
            "for %i in (*) do echo %i",
            "cd /d D:\\x",
            "@echo off",
        ];
        for command in cmd {
            assert_eq!(recognise(command, false), Some(Language::Cmd), "{command}");
        }
    }

    #[test]
    fn unix_commands_are_left_alone() {
        let unix = [
            "curl -H 'Set-Cookie: a' http://h",
            "curl -H \"X-Get-Item: Remove-Item x\" http://h",
            "curl -H Set-Cookie:a http://h",
            "git commit -m 'Remove-Item is gone; Get-Content too'",
            "echo Remove-Item",
            "cat <<EOF\nRemove-Item x\nEOF",
            "# Remove-Item\nls",
            "date +%Y%m%d",
            "printf '%TEMP%'",
            "rmdir /src/x",
            "rm -rf x",
            "update-alternatives --list",
            "iex -S mix",
            "mix phx.server | iex",
            "for i in a b; do echo $i; done",
            "if [ -e x ]; then rm x; fi",
            "x=1; $x",
            "$SHELL -c ls",
            "cd /data",
            "cd /d/work && python3 -",
            "$X -c 'rm -rf /'",
            "$SUDO rm -rf x",
            "\"$PYTHON\" -m pytest",
            "$HERE/run.sh",
            "$NAME.sh",
            "\"$X\"",
            "(cd x; ls)",
            "[ -f x ] && rm x",
            "[[ $a == b ]]",
            "if (cd x); then ls; fi",
            "while (true); do ls; done",
            "for ((i=0;i<3;i++)); do echo $i; done",
            "f() { $1; }; f",
            "case $x in a) ls;; esac",
            "select x in a b; do ls; done",
            "$(which ls) -la",
            "((i++))",
            "docker push $image:$tag",
            "pwsh -c \"Remove-Item x\"",
            "move-files x",
            "Xvfb :1 & Firefox-ESR",
        ];
        for command in unix {
            assert_eq!(recognise(command, false), None, "{command}");
        }
    }
}
