//! Finds destructive commands in text of any language: strings passed to something that runs them, argument
//! lists, and values of settings.

/// Maximum number of commands per text, and of lines and bytes.
const MAX_COMMANDS: usize = 48;
const MAX_LINES: usize = 20_000;
const MAX_BYTES: usize = 256 * 1024;
/// Maximum distance of the running word before a string, and of its arguments.
const REACH: usize = 160;
const MAX_ARGUMENTS: usize = 12;

/// Programs that destroy, or that can do so to what [`WEIGHTY`] names.
const DESTROYERS: &[&str] = &["rm", "shred", "dd", "wipefs", "unlink", "tenter"];
const CHANGERS: &[&str] = &[
    "mv", "cp", "chmod", "chown", "truncate", "tee", "sed", "find", "ln", "echo", "printf", "cat",
    "curl", "wget", "python3", "python", "perl", "git", "rsync", "tar",
];
/// Parts of paths outside of a project that are worth protecting.
const WEIGHTY: &[&str] = &["~", "$HOME", "${HOME}", "/.", "tenter", "/etc", "/home", "/Users"];

/// Words near a string that say that it is run.
const RUNNERS: &[&str] = &[
    "Child",
    "Cmd",
    "Command",
    "Exec",
    "Process",
    "arg(",
    "args(",
    "cmd",
    "commandLine",
    "exec",
    "launchPath",
    "popen",
    "run(",
    "sh ",
    "sh(",
    "shell",
    "spawn",
    "system",
];

/// Commands in strings of a program.
pub(super) fn in_source(text: &str) -> Vec<String> {
    let text = start(text);
    let strings = strings(text);
    let mut found = Vec::new();
    for (index, (at, string)) in strings.iter().enumerate() {
        if found.len() >= MAX_COMMANDS {
            break;
        }
        let word = string.split(' ').next().unwrap_or_default();
        if !is_changer(word) || !is_run(text, *at, string) {
            continue;
        }
        if string.contains(' ') {
            keep(&mut found, string);
            continue;
        }
        // `"rm", "-rf", "/"` and `.arg("-rf").arg("/")`
        let mut joined = (*string).to_owned();
        let mut end = at.saturating_add(string.len());
        for (next, argument) in strings.iter().skip(index.saturating_add(1)).take(MAX_ARGUMENTS) {
            let between = text.get(end..*next).unwrap_or_default();
            if between.contains(';') || between.len() > REACH {
                break;
            }
            end = next.saturating_add(argument.len());
            joined.push(' ');
            let quoted = argument.contains([' ', '\'', '"', '*']);
            let mark = if quoted { "'" } else { "" };
            joined.extend([mark, argument, mark]);
        }
        keep(&mut found, &joined);
    }
    found
}

/// Whether the text before a string runs it, or the text after it: `'rm x'.execute()`.
fn is_run(text: &str, at: usize, string: &str) -> bool {
    let from = text.ceil_char_boundary(at.saturating_sub(REACH));
    let before = text.get(from..at).unwrap_or_default();
    let before = before.rsplit(';').next().unwrap_or_default();
    let after = text.get(at.saturating_add(string.len())..).unwrap_or_default();
    let after = after.trim_start_matches(['"', '\'', '`']);
    RUNNERS.iter().any(|word| before.contains(word)) || after.starts_with(".execute(")
}

/// The strings of a program, and where they start, without those in comments of a line.
fn strings(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0_usize;
    for line in text.split_inclusive('\n').take(MAX_LINES) {
        let plain = line.trim_start();
        if !plain.starts_with("//") && !plain.starts_with('#') && !plain.starts_with('*') {
            line_strings(line, at, &mut found);
        }
        at = at.saturating_add(line.len());
    }
    found
}

fn line_strings<'t>(line: &'t str, at: usize, found: &mut Vec<(usize, &'t str)>) {
    let mut open: Option<(char, usize)> = None;
    let mut escaped = false;
    for (index, letter) in line.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (open, letter) {
            (Some(_), '\\') => escaped = true,
            (Some((quote, start)), letter) if quote == letter => {
                let string = line.get(start..index).unwrap_or_default();
                if !string.is_empty() && found.len() < MAX_LINES {
                    found.push((at.saturating_add(start), string));
                }
                open = None;
            }
            (None, '"' | '\'' | '`') => {
                open = Some((letter, index.saturating_add(letter.len_utf8())));
            }
            _ => {}
        }
    }
}

/// Commands in settings, tasks and build files: wherever one stands in a line.
pub(super) fn in_settings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in start(text).lines().take(MAX_LINES) {
        let line = line.trim();
        let comment = ["#", "//", ";", "--", "<!--"].iter().any(|mark| line.starts_with(mark));
        if comment || found.len() >= MAX_COMMANDS {
            continue;
        }
        let line = without_tags(line);
        for (at, word) in words(&line) {
            if is_changer(word) {
                let command = line.get(at..).unwrap_or_default();
                let before = line.get(..at).unwrap_or_default();
                keep(&mut found, &ended(before, command));
            }
        }
    }
    found
}

/// `<executable>rm</executable><argument>-rf</argument>` as words.
fn without_tags(line: &str) -> String {
    if !line.contains("</") {
        return line.to_owned();
    }
    let mut plain = String::new();
    let mut inside = false;
    for letter in line.chars() {
        match letter {
            '<' => inside = true,
            '>' => {
                inside = false;
                plain.push(' ');
            }
            letter if !inside => plain.push(letter),
            _ => {}
        }
    }
    plain
}

/// Words of a line, and where they start; the name of a program without its folder.
fn words(line: &str) -> Vec<(usize, &str)> {
    let part = |letter: char| !(letter.is_alphanumeric() || "_-.".contains(letter));
    let mut at = 0_usize;
    let mut words = Vec::new();
    for word in line.split(part) {
        if !word.is_empty() {
            words.push((at, word));
        }
        // Letters that part words have one byte, or are none that a command starts after.
        at = at.saturating_add(word.len()).saturating_add(
            line.get(at.saturating_add(word.len())..)
                .and_then(|rest| rest.chars().next())
                .map_or(0, char::len_utf8),
        );
    }
    words
}

/// The command up to where its string or bracket ends, and lists of strings as words.
fn ended(before: &str, command: &str) -> String {
    let quote = before.trim_end_matches("/bin/").chars().last().filter(|it| "\"'`".contains(*it));
    let command = match quote {
        Some(quote) => {
            let list = [
                format!("{quote}, {quote}"),
                format!("{quote},{quote}"),
                format!("{quote} {quote}"),
            ];
            let mut joined = command.to_owned();
            for part in list {
                joined = joined.replace(&part, " ");
            }
            joined.split(quote).next().unwrap_or_default().to_owned()
        }
        None => command.to_owned(),
    };
    let open = command.matches(['(', '{', '[']).count();
    let closed = command.matches([')', '}', ']']).count();
    if closed > open {
        let end = command.find([')', '}', ']']).unwrap_or(command.len());
        return command.get(..end).unwrap_or_default().trim_end_matches(['"', '\'']).to_owned();
    }
    command
}

fn keep(found: &mut Vec<String>, command: &str) {
    let word = command.split(' ').next().unwrap_or_default();
    let word = word.rsplit('/').next().unwrap_or(word);
    let next = command.split_once(' ').map_or("", |(_, next)| next.trim_start());
    let destroys = match word {
        "rm" | "shred" => next.starts_with('-'),
        _ => DESTROYERS.contains(&word) && !next.is_empty(),
    };
    let weighty = WEIGHTY.iter().any(|part| command.contains(part));
    if (destroys || weighty)
        && !super::hidden::is_sentence(command)
        && !found.iter().any(|known| known == command)
        && found.len() < MAX_COMMANDS
    {
        found.push(command.to_owned());
    }
}

fn is_changer(word: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word);
    DESTROYERS.contains(&word) || CHANGERS.contains(&word) || word.starts_with("mkfs")
}

fn start(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_a_program_runs_are_found() {
        for (text, command) in [
            ("exec.Command(\"sh\", \"-c\", \"rm -rf ~\").Run()", "rm -rf ~"),
            ("exec.Command(\"rm\", \"-rf\", \"/\")", "rm -rf /"),
            ("Command::new(\"rm\")\n  .arg(\"-rf\")\n  .arg(\"/\")", "rm -rf /"),
            ("system(\"rm -rf ~\");", "rm -rf ~"),
            ("execl(\"/bin/rm\", \"rm\", \"-rf\", \"/\", 0)", "rm -rf /"),
            ("'rm -rf /'.execute()", "rm -rf /"),
            ("sh 'rm', '-rf', '/'", "rm -rf /"),
        ] {
            assert!(in_source(text).iter().any(|found| found == command), "{text}");
        }
        for text in [
            "assert!(denies(\"rm -rf ~\"));",
            "// system(\"rm -rf ~\")",
            "println!(\"rm -rf ~ is denied\");",
            "Command::new(\"ls\").arg(\"-la\")",
        ] {
            assert_eq!(in_source(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn commands_in_settings_are_found() {
        for (text, command) in [
            ("      - rm -rf ~", "rm -rf ~"),
            ("run = 'rm -rf ~'", "rm -rf ~"),
            ("{\"scripts\":{\"x\":\"rm -rf ~\"}}", "rm -rf ~"),
            ("execute_process(COMMAND rm -rf /)", "rm -rf /"),
            ("ExecStart=/bin/rm -rf /", "rm -rf /"),
            ("  ProxyCommand rm -rf ~", "rm -rf ~"),
            ("commandLine 'rm', '-rf', '/'", "rm -rf /"),
            ("<executable>rm</executable><argument>-rf</argument>", "rm  -rf "),
            ("\tx = !rm -rf ~", "rm -rf ~"),
            ("X := $(shell rm -rf ~)", "rm -rf ~"),
            ("{ shellHook = ''rm -rf ~''; }", "rm -rf ~"),
        ] {
            let found = in_settings(text);
            assert!(found.iter().any(|found| found == command), "{text}: {found:?}");
        }
        for text in
            ["# rm -rf ~", "run: cargo test", "description: rm -rf / is denied", "- alarm -r"]
        {
            assert_eq!(in_settings(text), [""; 0], "{text}");
        }
    }
}
