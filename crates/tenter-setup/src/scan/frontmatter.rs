//! Scans skills, agents and commands: Markdown with front matter and, in some, commands in the text.

use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::{code, yaml};

pub(super) fn read(file: &File<'_>, found: &mut ScanResult) {
    // Two catalogue lines may match one file.
    if found.passages.last().is_some_and(|known| known.file == file.rel) {
        return;
    }
    code::rules(file, found);
    let text = file.text.trim_start_matches('\u{feff}');
    let head = head(text);
    if let Some((head, _)) = head {
        hooks(file, head, found);
        tools(file, head, found);
        modes(file, head, found);
    }
    let (body, skipped) = match head {
        Some((_, rest)) => (rest, text.len() - rest.len()),
        None => (text, 0),
    };
    let before = text.get(..skipped).unwrap_or_default().matches('\n').count();
    inline(file, body, before, found);
}

/// Splits the front matter from the rest.
fn head(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let end =
        rest.find("\n---").map(|at| at + 1).or_else(|| rest.starts_with("---").then_some(0))?;
    rest.split_at_checked(end)
}

/// Handler keys, to distinguish them from events in hooks written on one line.
const OF_HANDLERS: &[&str] = &[
    "type", "command", "hooks", "matcher", "timeout", "url", "prompt", "once", "if", "async",
    "args",
];

/// Hooks in the front matter of a skill or an agent.
fn hooks(file: &File<'_>, head: &str, found: &mut ScanResult) {
    let lines = yaml::lines(head);
    let Some(start) = lines.iter().position(|line| line.key == "hooks" && line.indent == 0) else {
        return;
    };
    let inside: Vec<&yaml::Line> =
        lines.iter().skip(start + 1).take_while(|line| line.indent > 0).collect();
    let first = inside.first().map_or(1, |line| line.indent);
    let mut event = "hook";
    let mut any = false;
    for line in &inside {
        if line.indent == first && !OF_HANDLERS.contains(&line.key.as_str()) {
            event = &line.key;
        }
        let is_command = line.key == "command" && !line.value.is_empty();
        let is_other = matches!(line.key.as_str(), "url" | "prompt") && !line.value.is_empty();
        if !(is_command || is_other) {
            continue;
        }
        any = true;
        let item = Item::new(Kind::Hook, file, line.number + 1)
            .name(event)
            .say(format!("runs by itself at {event}, once this was used"))
            .define(head);
        let item = match line.key.as_str() {
            "command" => item.command(&line.value, Language::Shell),
            "url" => item.url(&line.value),
            _ => item,
        };
        found.add(file, item);
    }
    let line = lines.get(start).map_or(1, |line| line.number + 1);
    if !any {
        let item = Item::new(Kind::Hook, file, line)
            .name("hooks")
            .say("holds hooks of a shape that is not known")
            .define(head);
        found.add(file, item);
    }
}

/// Tools that a command may use without asking.
fn tools(file: &File<'_>, head: &str, found: &mut ScanResult) {
    let key = |line: &&yaml::Line| line.indent == 0 && line.key == "allowed-tools";
    let lines = yaml::lines(head);
    let Some(line) = lines.iter().find(key) else { return };
    let wide = ["Bash(*)", "Bash(:*)"].iter().any(|rule| line.value.contains(rule))
        || line
            .value
            .split([',', ' ', '[', ']'])
            .any(|word| matches!(word, "Bash" | "*" | "\"*\""));
    if wide {
        let item = Item::new(Kind::Permission, file, line.number + 1)
            .name("allowed-tools")
            .say(format!("lets any command run without a question: `{}`", line.value))
            .define(&line.value);
        found.add(file, item.grade(Severity::Warning));
    }
}

/// Servers and permission modes of an agent.
fn modes(file: &File<'_>, head: &str, found: &mut ScanResult) {
    for line in yaml::lines(head).iter().filter(|line| line.indent == 0) {
        let number = line.number + 1;
        match line.key.as_str() {
            "permissionMode" if matches!(line.value.as_str(), "bypassPermissions" | "dontAsk") => {
                let item = Item::new(Kind::Permission, file, number)
                    .name("permissionMode")
                    .say(format!("lets the agent act without asking: `{}`", line.value))
                    .grade(Severity::Danger)
                    .define(&line.value);
                found.add(file, item);
            }
            "mcpServers" | "mcp-servers" => {
                let item = Item::new(Kind::McpServer, file, number)
                    .name(&line.key)
                    .say("brings servers whose tools are offered to the agent")
                    .define(head);
                found.add(file, item);
            }
            _ => {}
        }
    }
}

/// Text between `` !` `` and `` ` `` is run by a shell when the command is used.
fn inline(file: &File<'_>, body: &str, before: usize, found: &mut ScanResult) {
    let mut fence = None;
    for (index, line) in body.lines().enumerate() {
        let trimmed = line.trim_start();
        let number = before + index + 1;
        if let Some(rest) = trimmed.strip_prefix("```") {
            fence = match fence {
                // A special code fence: the whole block is run.
                None if rest.trim_start().starts_with('!') => Some((true, number, String::new())),
                None => Some((false, number, String::new())),
                Some((true, start, command)) => {
                    add(file, start, &command, found);
                    None
                }
                Some(_) => None,
            };
            continue;
        }
        if let Some((_, _, command)) = &mut fence {
            command.push_str(line);
            command.push('\n');
        }
        let in_example = matches!(fence, Some((false, ..)));
        let mut rest = line;
        while let Some((start, after)) = rest.split_once("!`") {
            let Some((command, tail)) = after.split_once('`') else { break };
            // `wow!` in backquotes is not a command: commands start a word.
            let begins = start.is_empty() || start.ends_with([' ', '\t', '(', ':', '*', '>', '-']);
            if begins && !in_example && !command.trim().is_empty() {
                add(file, number, command, found);
            }
            rest = tail;
        }
    }
}

fn add(file: &File<'_>, line: usize, command: &str, found: &mut ScanResult) {
    let item = Item::new(Kind::Instruction, file, line)
        .name(file.name())
        .say("runs a command when it is used")
        .command(command, Language::Shell);
    found.add(file, item);
}
