//! `entry-altered`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, Wired, install_command};
use crate::doctor::finding::{Finding, Findings};

check! {
    /// Our command stands among others that change what the host hears from it.
    ///
    /// Behind a pipe or a redirection our answer never arrives; `|| true` and the like swallow our failure,
    /// so that it looks like consent; an assignment in front can send us to another policy. `tenter install`
    /// writes the plain command again.
    CHECK {
        id: "entry-altered",
        summary: "our command is in a line that changes its answer",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

/// Variables that select our policy and state folders.
const OURS: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let mut said: Vec<(&std::path::Path, &str)> = Vec::new();
    for wired in &exam.wired {
        let Some(command) = wired.found.command() else { continue };
        // The same command at every event is reported once.
        if said.contains(&(&wired.file.path, command)) {
            continue;
        }
        let alone = wired.found.fields.get("args").is_some();
        let line = (!alone).then(|| of_line(command)).flatten();
        if let Some(finding) = line.or_else(|| of_options(wired)) {
            said.push((&wired.file.path, command));
            let file = wired.file;
            let fix = install_command(file.host, file.scope);
            let kills = finding.severity == Severity::Error;
            let finding = finding.in_file(file, wired.found.line).fix(fix);
            out.push(if kills { finding.kills(file.host, file.scope) } else { finding });
        }
    }
}

fn of_line(command: &str) -> Option<Finding> {
    let (own, rest) = split(command);
    let moved = own.split_whitespace().find_map(|word| {
        let (name, _) = word.split_once('=')?;
        OURS.contains(&name).then(|| name.to_owned())
    });
    if let Some(name) = moved {
        let finding = CHECK.found(format!("{name} is set in front of our command"));
        return Some(finding.means("another policy than yours is asked, or none"));
    }
    let before = own.split_whitespace().take_while(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        word.contains('=') || matches!(name, "env" | "exec" | "command")
    });
    let before: Vec<&str> = before.collect();
    let changes = |word: &&str| word.split_once('=').is_some_and(|(name, _)| !is_harmless(name));
    if before.iter().any(changes) {
        let finding = CHECK.found(format!("`{}` stands in front of our command", before.join(" ")));
        return Some(finding.means("the environment decides what our program does"));
    }
    let head = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = rest.strip_suffix(head).unwrap_or_default();
    let found = |what: &str| CHECK.found(format!("{what} follows our command: `{}`", rest.trim()));
    Some(match head.chars().next()? {
        '|' if !head.starts_with("||") => {
            found("a pipe").means("the host hears the last program of the line, not us")
        }
        '>' if matches!(number, "" | "1") => {
            found("a redirection").means("our answer never reaches the host")
        }
        '&' if !head.starts_with("&&") => {
            found("a `&`").means("the host goes on before the guard has answered")
        }
        '<' => found("a redirection").means("we do not get to see what the host says"),
        '>' => found("a redirection")
            .severity(Severity::Warning)
            .means("the reason of a block that cannot be put into JSON is lost"),
        _ => found("another command")
            .means("when the guard fails or blocks by its exit code, the host does not hear of it"),
    })
}

/// Whether a variable cannot influence decisions.
fn is_harmless(name: &str) -> bool {
    ["LANG", "TZ", "TERM", "NO_COLOR", "RUST_BACKTRACE"].contains(&name) || name.starts_with("LC_")
}

/// Splits our command from what follows it outside quotes.
fn split(command: &str) -> (&str, &str) {
    let mut quote = None;
    let mut escaped = false;
    // In PowerShell a leading `&` calls the program.
    let start = command.len() - command.trim_start().trim_start_matches('&').len();
    let mut digits = None;
    for (at, character) in command.char_indices().skip_while(|(at, _)| *at < start) {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, character) {
            (None, ';' | '|' | '&' | '<' | '>' | '\n') => {
                let at = digits.filter(|_| matches!(character, '<' | '>')).unwrap_or(at);
                return command.split_at_checked(at).unwrap_or((command, ""));
            }
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None | Some('"'), '\\') => escaped = true,
            _ => {}
        }
        let begins = at == start || command.get(..at).is_some_and(|before| before.ends_with(' '));
        digits = match digits {
            Some(first) if character.is_ascii_digit() => Some(first),
            None if character.is_ascii_digit() && begins => Some(at),
            _ => None,
        };
    }
    (command, "")
}

fn of_options(wired: &Wired<'_>) -> Option<Finding> {
    let options = wired.ours.options.join(" ");
    let opens = options.contains("--on-failure open") || options.contains("--on-failure=open");
    opens.then(|| {
        CHECK
            .found("our own failure lets a call pass: `--on-failure open`")
            .means("a guard that breaks or is made to break looks like one that approved")
    })
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    fn found(command: &str) -> Option<(Severity, String)> {
        let scene = Scene::new();
        scene.wire_command(HostId::Cursor, Scope::User, command);
        let found = scene.found(&CHECK);
        assert!(found.len() < 2, "{command}: {found:?}");
        let found = found.into_iter().next()?;
        assert_eq!(found.kills.is_empty(), found.severity != Severity::Error, "{command}");
        Some((found.severity, found.message))
    }

    #[test]
    fn what_takes_our_answer_away_is_an_error() {
        for command in [
            "/opt/tenter hook cursor > /dev/null",
            "/opt/tenter hook cursor 1>/dev/null",
            "/opt/tenter hook cursor | cat",
            "/opt/tenter hook cursor < /dev/null",
            "/opt/tenter hook cursor &",
            "HOME=/var/empty /opt/tenter hook cursor",
            "env XDG_CONFIG_HOME=/x /opt/tenter hook cursor",
            "LD_PRELOAD=x.so /opt/tenter hook cursor",
        ] {
            assert_eq!(found(command).map(|it| it.0), Some(Severity::Error), "{command}");
        }
    }

    #[test]
    fn what_swallows_a_failure_is_an_error() {
        for command in [
            "/opt/tenter hook cursor || true",
            "/opt/tenter hook cursor; exit 0",
            "/opt/tenter hook cursor && true",
            "/opt/tenter hook cursor --on-failure open",
        ] {
            assert_eq!(found(command).map(|it| it.0), Some(Severity::Error), "{command}");
        }
        let words = found("/opt/tenter hook cursor 2>/dev/null").map(|it| it.0);
        assert_eq!(words, Some(Severity::Warning), "only the reason is lost");
        let said = found("/opt/tenter hook cursor || true").unwrap().1;
        assert_eq!(said, "another command follows our command: `|| true`");
    }

    #[test]
    fn the_plain_command_is_fine_in_every_form() {
        for command in [
            "/opt/tenter hook cursor",
            "'/opt/a & b/tenter' hook cursor",
            "exec /opt/tenter hook cursor",
            "LANG=C /opt/tenter hook cursor",
            "/opt/tenter hook cursor --on-failure closed",
        ] {
            assert_eq!(found(command), None, "{command}");
        }
    }
}
