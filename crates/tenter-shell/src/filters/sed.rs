//! `sed` with patterns that are plain text: `s/a/b/g`, `2p`, `1,3d`, `$d`.

use super::{Options, lines, unlines};

pub(super) fn sed(args: &[&str], stdin: &str) -> Option<String> {
    let long = [("quiet", 'n'), ("silent", 'n'), ("expression", 'e')];
    let options = Options::read(args, "ne:Er", &long)?;
    let scripts: Vec<&str> = options
        .given
        .iter()
        .filter(|(letter, _)| *letter == 'e')
        .map(|(_, script)| *script)
        .collect();
    let (scripts, files) = match options.operands.split_first() {
        Some((script, files)) if scripts.is_empty() => (vec![*script], files),
        _ => (scripts, options.operands.as_slice()),
    };
    if !matches!(files, [] | ["-"]) || scripts.is_empty() {
        return None;
    }
    let mut commands = Vec::new();
    for script in scripts {
        let mut rest = script.trim();
        while !rest.is_empty() {
            let (command, after) = Command::read(rest)?;
            commands.push(command);
            let after = after.trim_start();
            rest = after.trim_start_matches([';', '\n']).trim_start();
            if !after.is_empty() && after.len() == rest.len() {
                return None;
            }
        }
    }
    let (all, ended) = lines(stdin);
    let last = all.len();
    let mut output = Vec::new();
    for (index, line) in all.iter().enumerate() {
        one(&commands, line, (index + 1, last), options.has('n'), &mut output)?;
    }
    Some(unlines(&output, ended))
}

fn one(
    commands: &[Command<'_>],
    line: &str,
    (number, last): (usize, usize),
    quiet: bool,
    output: &mut Vec<String>,
) -> Option<()> {
    let mut line = line.to_owned();
    for command in commands {
        if !command.address.holds(number, last) {
            continue;
        }
        match &command.action {
            Action::Print => output.push(line.clone()),
            Action::Delete => return Some(()),
            Action::Replace { pattern, with, all, print } => {
                if !line.contains(pattern) {
                    continue;
                }
                let times = if *all { line.matches(pattern).count() } else { 1 };
                if times.saturating_mul(with.len()) > crate::budget::MAX_VALUE {
                    return None;
                }
                line = match all {
                    true => line.replace(pattern, with),
                    false => line.replacen(pattern, with, 1),
                };
                if line.len() > crate::budget::MAX_VALUE {
                    return None;
                }
                if *print {
                    output.push(line.clone());
                }
            }
        }
    }
    if !quiet {
        output.push(line);
    }
    Some(())
}

struct Command<'a> {
    address: Address,
    action: Action<'a>,
}

enum Address {
    All,
    Lines(usize, usize),
    Last,
}

enum Action<'a> {
    Print,
    Delete,
    Replace { pattern: &'a str, with: &'a str, all: bool, print: bool },
}

impl Address {
    fn holds(&self, number: usize, last: usize) -> bool {
        match self {
            Self::All => true,
            Self::Lines(from, to) => (*from..=*to).contains(&number),
            Self::Last => number == last,
        }
    }

    fn read(text: &str) -> Option<(Self, &str)> {
        if let Some(rest) = text.strip_prefix('$') {
            return Some((Self::Last, rest));
        }
        let Some((first, rest)) = number(text) else { return Some((Self::All, text)) };
        match rest.strip_prefix(',') {
            None => Some((Self::Lines(first, first), rest)),
            Some(rest) => match rest.strip_prefix('$') {
                Some(rest) => Some((Self::Lines(first, usize::MAX), rest)),
                None => {
                    let (last, rest) = number(rest)?;
                    // An end before the start still takes the start.
                    Some((Self::Lines(first, last.max(first)), rest))
                }
            },
        }
    }
}

fn number(text: &str) -> Option<(usize, &str)> {
    let rest = text.trim_start_matches(|ch: char| ch.is_ascii_digit());
    let value = text.get(..text.len() - rest.len())?.parse().ok().filter(|number| *number > 0)?;
    Some((value, rest))
}

impl<'a> Command<'a> {
    fn read(text: &'a str) -> Option<(Self, &'a str)> {
        let (address, rest) = Address::read(text)?;
        let mut chars = rest.trim_start().chars();
        let (action, rest) = match chars.next()? {
            'p' => (Action::Print, chars.as_str()),
            'd' => (Action::Delete, chars.as_str()),
            's' => Action::replacement(chars.as_str())?,
            _ => return None,
        };
        Some((Self { address, action }, rest))
    }
}

impl<'a> Action<'a> {
    /// After `s`: `/pattern/with/flags`.
    fn replacement(text: &'a str) -> Option<(Self, &'a str)> {
        let mark = text.chars().next().filter(|mark| !mark.is_alphanumeric())?;
        let mut pieces = text.get(mark.len_utf8()..)?.splitn(3, mark);
        let (pattern, with, mut rest) = (pieces.next()?, pieces.next()?, pieces.next()?);
        if pattern.is_empty()
            || pattern
                .contains(['\\', '.', '*', '[', ']', '^', '$', '+', '?', '(', ')', '{', '}', '|'])
            || with.contains(['\\', '&', '\n'])
            || mark == '\\'
        {
            return None;
        }
        let (mut all, mut print) = (false, false);
        loop {
            if let Some(after) = rest.strip_prefix('g') {
                all = true;
                rest = after;
            } else if let Some(after) = rest.strip_prefix('p') {
                print = true;
                rest = after;
            } else {
                return Some((Self::Replace { pattern, with, all, print }, rest));
            }
        }
    }
}
