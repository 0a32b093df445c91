//! Builds the rows of each section.

use std::borrow::Cow;
use std::fmt::Write;

use tenter_audit::memory::told;
use tenter_audit::record::{Change, Deed, Kept, Record};

use super::label;
use super::page::{Row, maybe, painted, prose, row};
use crate::clock;
use crate::commands::show::diff;

/// Maximum number of lines of a text.
const LINES: usize = 40;

/// The kept part of a text.
fn kept(text: &Kept<'_>) -> String {
    let shown = match text {
        Kept::Part { text: None, bytes } => return format!("({bytes} bytes, not kept)"),
        Kept::Part { text: Some(text), bytes } => format!("{text}\n({bytes} bytes in all)"),
        Kept::Whole(text) => text.to_string(),
    };
    let lines = shown.lines().count();
    if lines <= LINES {
        return shown;
    }
    let mut part: String = shown.lines().take(LINES).flat_map(|line| [line, "\n"]).collect();
    let _ = write!(part, "({} more lines; --json has them)", lines.saturating_sub(LINES));
    part
}

fn some(name: &'static str, text: Option<&Kept<'_>>) -> Option<Row> {
    text.map(|text| row(name, kept(text)))
}

fn path<'p>(path: Option<&'p Cow<'_, str>>) -> &'p str {
    path.map_or("(not kept)", |path| path)
}

pub(super) fn each(name: &'static str, texts: &[Cow<'_, str>]) -> Vec<Row> {
    texts.iter().map(|text| prose(name, text.as_ref())).collect()
}

pub(super) fn what(record: &Record<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if !record.event.is_empty() {
        let own = record.native_event.as_ref();
        let is_same = own.is_empty() || own == record.event;
        let own = if is_same { String::new() } else { format!(" ({own})") };
        rows.push(row("event", format!("{}{own}", record.event)));
    }
    if let Some(tool) = &record.tool {
        let own = record.native_tool.as_ref().map(|own| format!(" ({own})")).unwrap_or_default();
        rows.push(row("tool", format!("{tool}{own}")));
    }
    rows.extend(maybe("call", record.call_id.as_deref()));
    rows.extend(record.actions.iter().flat_map(deed));
    rows.extend(further(record.more_actions, "actions"));
    rows.extend(some("prompt", record.prompt.as_ref()));
    rows.extend(each("attached", &record.attachments));
    rows.extend(further(record.more_attachments, "files"));
    rows.extend(some("text", record.text.as_ref()));
    rows.extend(some("output", record.output.as_ref()));
    rows.extend(some("error", record.error.as_ref()));
    rows.extend(record.exit_code.as_ref().map(|code| row("exit", code.to_string())));
    rows.extend(record.duration_ms.as_ref().map(|ms| row("took", format!("{ms} ms"))));
    rows.extend(maybe("detail", record.detail.as_deref()));
    rows.extend(record.loop_count.as_ref().map(|count| row("loop", count.to_string())));
    if let Some(usage) = record.usage {
        let text = format!(
            "{} in, {} out, {} read from the cache, {} written to it",
            usage.input, usage.output, usage.cache_read, usage.cache_write
        );
        rows.push(row("tokens", text));
    }
    rows
}

/// The number of items not listed.
fn further(more: u64, what: &str) -> Option<Row> {
    (more > 0).then(|| row("", format!("and {more} further {what}, not kept")))
}

fn deed(deed: &Deed<'_>) -> Vec<Row> {
    match deed {
        Deed::Shell { command, cwd } => {
            let folder = cwd.as_deref().map(|cwd| row("in", cwd));
            std::iter::once(row("command", kept(command))).chain(folder).collect()
        }
        Deed::Read { path: file, content } => {
            let content = some("content", content.as_ref());
            std::iter::once(row("reads", path(file.as_ref()))).chain(content).collect()
        }
        Deed::Write { path: file, content } => {
            vec![row("writes", path(file.as_ref())), row("content", kept(content))]
        }
        Deed::Edit { path: file, edits, more, moved_to } => {
            let mut rows = vec![row("edits", path(file.as_ref()))];
            rows.extend(maybe("moves to", moved_to.as_deref()));
            rows.extend(edits.iter().flat_map(change));
            rows.extend(further(*more, "edits"));
            rows
        }
        Deed::Delete { path: file } => vec![row("deletes", path(file.as_ref()))],
        Deed::Search { pattern, path } => {
            let place = maybe("in", path.as_deref());
            some("searches", pattern.as_ref()).into_iter().chain(place).collect()
        }
        Deed::Fetch { url } => vec![row("fetches", kept(url))],
        Deed::Mcp { server, tool, command, url, input } => {
            let server = server.as_ref().map(|server| format!("{server}/")).unwrap_or_default();
            let mut rows = vec![row("mcp", format!("{server}{}", path(tool.as_ref())))];
            rows.extend(maybe("server", command.as_deref().or(url.as_deref())));
            rows.extend(some("input", input.as_ref()));
            rows
        }
        Deed::Task { agent_type, prompt } => {
            let prompt = some("prompt", prompt.as_ref());
            maybe("subagent", agent_type.as_deref()).into_iter().chain(prompt).collect()
        }
        Deed::Other { name, input } => {
            let input = some("input", input.as_ref());
            std::iter::once(row("tool", name.as_ref())).chain(input).collect()
        }
    }
}

/// A replacement as removed and added lines.
fn change(change: &Change<'_>) -> Vec<Row> {
    let mut name = if change.all { "everywhere" } else { "" };
    if let Some((lines, more)) = diff::of_change(change, LINES) {
        let rows = lines.into_iter().map(|line| {
            let colour = match line.chars().next() {
                Some('-') => "31",
                Some('+') => "32",
                _ => "2",
            };
            painted(std::mem::take(&mut name), colour, line)
        });
        let mut rows: Vec<Row> = rows.collect();
        if more > 0 {
            rows.push(row("", format!("({more} more lines; --json has them)")));
        }
        return rows;
    }
    let side = |sign: &str, text: &Kept<'_>| -> String {
        kept(text).lines().flat_map(|line| [sign, line, "\n"]).collect()
    };
    vec![painted(name, "31", side("- ", &change.old)), painted("", "32", side("+ ", &change.new))]
        .into_iter()
        .filter(|row| !row.is_empty())
        .collect()
}

pub(super) fn place(record: &Record<'_>, home: Option<&str>) -> Vec<Row> {
    let tilde = |path: &str| super::super::text::tilde(path, home);
    let mut rows = Vec::new();
    rows.extend(record.cwd.as_deref().map(|cwd| row("folder", tilde(cwd))));
    let others = record.workspace_roots.iter().filter(|root| Some(*root) != record.cwd.as_ref());
    rows.extend(others.map(|root| row("workspace", tilde(root))));
    rows.extend(record.transcript_path.as_deref().map(|path| row("transcript", tilde(path))));
    rows
}

pub(super) fn who(record: &Record<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if !record.host.is_empty() {
        let mut host = record.host.to_string();
        for more in
            [record.host_version.as_deref(), record.surface.as_deref()].into_iter().flatten()
        {
            host.push(' ');
            host.push_str(more);
        }
        if let Some(wired) = record.wired_as.as_deref() {
            let _ = write!(host, ", through the hooks of {wired}");
        }
        rows.push(row("host", host));
    }
    rows.extend(maybe("session", record.session_id.as_deref()));
    rows.extend(maybe("turn", record.turn_id.as_deref()));
    let agent = &record.agent;
    rows.extend(maybe("agent", agent.id.as_deref()));
    rows.extend(maybe("agent type", agent.kind.as_deref()));
    rows.extend(maybe("made by", agent.parent.as_deref()));
    rows.extend(maybe("model", record.model.as_deref()));
    rows.extend(maybe("mode", record.permission_mode.as_deref()));
    rows.extend(maybe("user", record.user.as_deref()));
    rows
}

pub(super) fn answer(record: &Record<'_>) -> Vec<Row> {
    if record.event.is_empty() {
        return Vec::new();
    }
    let word = told(record);
    let holds = match (word, record.enforcement.as_ref()) {
        ("none", _) => "the host goes on as if there were no hook",
        ("allow", _) => "the host was told to go on",
        (_, "hard") => "the host enforces it",
        (_, "prompt") => "the host asks the human",
        (_, "advisory") => "text only: the host stops nothing",
        _ => "the host takes no notice",
    };
    let decision = format!("{}: {holds}", label::decision(record));
    let mut rows = vec![painted("decision", label::colour(word), decision)];
    for (holds, text) in [
        (record.allowed_once, "a human had allowed this call once"),
        (record.again, "the second copy of a call, answered like the first"),
        (record.canary, "made by the host on behalf of `tenter prove`"),
    ] {
        if holds {
            rows.push(row("", text));
        }
    }
    let verdict = &record.verdict;
    for (name, text) in [
        ("reason", &verdict.reason),
        ("to human", &verdict.user_message),
        ("context", &verdict.additional_context),
    ] {
        rows.extend(text.as_ref().map(|text| prose(name, kept(text))));
    }
    for (key, value) in &verdict.modified_input {
        rows.push(row("rewritten", format!("{key}: {}", kept(value))));
    }
    rows
}

pub(super) fn timings(record: &Record<'_>) -> Vec<Row> {
    let taken = record.us.phases().into_iter().filter(|(_, us)| *us > 0);
    taken.map(|(phase, us)| row(phase, format!("{}.{:02} ms", us / 1000, us % 1000 / 10))).collect()
}

pub(super) fn checkpoint(record: &Record<'_>) -> Vec<Row> {
    let Some(past) = &record.checkpoint else { return Vec::new() };
    vec![
        row("records", format!("{}, up to number {}", past.records, past.through)),
        row("from", format!("{} {}", clock::day(past.from), clock::time_of_day(past.from))),
        row("to", format!("{} {}", clock::day(past.to), clock::time_of_day(past.to))),
        row("last hash", past.hash.as_str()),
    ]
}
