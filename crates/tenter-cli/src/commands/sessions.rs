//! `tenter sessions`: lists sessions.

mod schema;

pub(super) use schema::schema;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use tenter_audit::anchor;
use tenter_audit::store::{Order, Query, Session, SessionQuery};
use tenter_model::HostId;

use super::log::text::{
    columns, cut, cut_start, harmless_json, one_line, pad, pad_left, tilde, width,
};
use super::{Style, host_id};
use crate::clock::{self, When};
use crate::error::CommandError;
use crate::guard::{LocalMachine, seen};
use crate::reading::Reading;

/// The message when there is no record; an error if there were records before.
pub(super) fn none_yet(reading: &Reading, machine: &LocalMachine) -> Result<String, CommandError> {
    let any = |reading: &Reading| {
        let found = reading.store.find(&Query::default(), Order::NewestFirst, 1);
        found.map(|records| !records.is_empty()).map_err(CommandError::internal)
    };
    let anchors = machine.folders.anchors().map(|file| anchor::kept(&file).unwrap_or_default());
    let signs = machine.folders.state.as_deref().map(seen::all).unwrap_or_default();
    let is_new = signs.is_empty() && anchors.is_none_or(|anchors| anchors.is_empty());
    if is_new || any(reading)? {
        return Ok(NONE_YET.to_owned());
    }
    // The first call of all may have left its sign and be about to write its record.
    for _ in 0..10 {
        std::thread::sleep(Duration::from_millis(100));
        if any(&Reading::open(machine)?)? {
            return Ok(NONE_YET.to_owned());
        }
    }
    Err(CommandError::failed("the record is gone: hooks have run, and nothing is recorded")
        .hint("tenter verify"))
}

const NONE_YET: &str = "no records yet: calls of agents appear here once their hooks run; \
     `tenter init` wires them, `tenter status` shows which run";

/// Maximum silence of a live session.
const LIVE_MS: u64 = 5 * 60 * 1000;

/// List agent sessions, newest first
///
/// A dot marks a session active in the last five minutes. `tenter show` and `tenter log --session` take the
/// id in the first column.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only with a call not before: `90s`, `30m`, `2h`, `7d`, `2w` ago, `2026-11-16` or `2026-11-16T13:48`
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    since: Option<When>,
    /// Only this host
    #[arg(long, value_name = "HOST", value_parser = host_id)]
    host: Option<HostId>,
    /// Maximum number of sessions
    #[arg(short = 'n', long = "count", value_name = "N", default_value = "20", value_parser = count)]
    count: usize,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

fn count(text: &str) -> Result<usize, CommandError> {
    text.parse().map_err(|_| CommandError::usage("expected a number"))
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let text = report(args)?;
    Ok(if text.is_empty() { ExitCode::SUCCESS } else { super::print(&text) })
}

fn report(args: &Args) -> Result<String, CommandError> {
    let machine = LocalMachine::read();
    let reading = Reading::open(&machine)?;
    let query = SessionQuery {
        since: args.since.map(|it| it.moment(machine.now_ms)),
        host: args.host.map(HostId::as_str),
        prefix: None,
        limit: args.count,
    };
    let found = reading.store.sessions(&query).map_err(CommandError::internal)?;
    let mut rows = Vec::with_capacity(found.len());
    for session in &found {
        let live = is_live(&reading, session, machine.now_ms);
        rows.push((session, live));
    }
    if found.is_empty() {
        let all = SessionQuery { limit: 1, ..SessionQuery::default() };
        let any = reading.store.sessions(&all).map_err(CommandError::internal)?;
        let text = if any.is_empty() {
            none_yet(&reading, &machine)?
        } else {
            "no session fits".to_owned()
        };
        return Ok(if args.json { String::new() } else { text });
    }
    if args.json {
        let line =
            |(session, live): &(&Session, bool)| harmless_json(&object(session, *live)) + "\n";
        return Ok(rows.iter().map(line).collect());
    }
    let mut cells = Vec::with_capacity(rows.len());
    for (session, live) in rows {
        let id = unique(&reading, &session.id)?;
        cells.push(row(session, &id, live, machine.variable("HOME")));
    }
    Ok(table(cells, Style::of_stdout(), columns()))
}

/// Whether a session is recent and has not ended.
fn is_live(reading: &Reading, session: &Session, now_ms: u64) -> bool {
    if now_ms.saturating_sub(session.last_at) > LIVE_MS {
        return false;
    }
    let last = reading.store.get(session.last_seq).ok().flatten();
    let last = last.and_then(|hit| reading.record(hit).ok().flatten());
    last.is_none_or(|record| record.event != "SessionEnd")
}

/// A unique prefix of an id, at least eight characters.
fn unique(reading: &Reading, id: &str) -> Result<String, CommandError> {
    let mut short = beginning(id, 8);
    loop {
        let query = SessionQuery { prefix: Some(short), limit: 2, ..SessionQuery::default() };
        let found = reading.store.sessions(&query).map_err(CommandError::internal)?;
        if found.iter().all(|other| other.id == id) || short.len() >= id.len() {
            return Ok(one_line(short));
        }
        short = beginning(id, short.chars().count().saturating_add(4));
    }
}

fn beginning(id: &str, letters: usize) -> &str {
    id.char_indices().nth(letters).and_then(|(end, _)| id.get(..end)).unwrap_or(id)
}

fn object(session: &Session, live: bool) -> String {
    let Session { usage, .. } = session;
    json!({
        "id": session.id,
        "host": session.host,
        "first_at": session.first_at,
        "last_at": session.last_at,
        "first_record": session.first_seq,
        "last_record": session.last_seq,
        "records": session.records,
        "prompts": session.prompts,
        "tools": session.tools,
        "denied": session.denied,
        "asked": session.asked,
        "model": session.model,
        "cwd": session.cwd,
        "transcript_path": session.transcript_path,
        "live": live,
        "usage": {
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
        },
    })
    .to_string()
}

const HEADER: [&str; 11] = [
    "", "session", "host", "started", "length", "events", "tools", "deny", "ask", "model", "folder",
];
const STARTED: usize = 3;
const EVENTS: usize = 5;
const DENY: usize = 7;
const ASK: usize = 8;
const MODEL: usize = 9;
const FOLDER: usize = 10;

type Cells = [String; HEADER.len()];

fn row(session: &Session, id: &str, live: bool, home: Option<&str>) -> Cells {
    let length = session.last_at.saturating_sub(session.first_at);
    let started = clock::time_of_day(session.first_at);
    let started = started.get(..5).unwrap_or(&started);
    let text = |text: &Option<String>| text.as_deref().map(one_line).unwrap_or_default();
    [
        if live { "\u{25cf}" } else { "" }.to_owned(),
        id.to_owned(),
        one_line(&session.host),
        format!("{} {started}", clock::day(session.first_at)),
        if length == 0 { "-".to_owned() } else { clock::length(length) },
        session.records.to_string(),
        session.tools.to_string(),
        session.denied.to_string(),
        session.asked.to_string(),
        text(&session.model),
        tilde(&text(&session.cwd), home),
    ]
}

/// The table; on a narrow terminal without years and models.
fn table(mut rows: Vec<Cells>, style: Style, room: Option<usize>) -> String {
    rows.insert(0, HEADER.map(str::to_owned));
    let mut widths = widths(&rows);
    let total: usize = widths.iter().map(|width| width.saturating_add(2)).sum();
    let is_narrow = room.is_some_and(|room| total > room.saturating_add(3));
    if is_narrow {
        for row in &mut rows {
            if let Some(started) = row.get_mut(STARTED).filter(|it| it.starts_with('2')) {
                *started = started.get(5..).unwrap_or_default().to_owned();
            }
        }
        widths = self::widths(&rows);
    }
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = Line { text: String::new(), left: room };
        for (column, (cell, to)) in row.iter().zip(widths).enumerate() {
            if column == MODEL && is_narrow {
                continue;
            }
            let is_number = (EVENTS..=ASK).contains(&column);
            let colour = match column {
                _ if number == 0 => "1",
                0 => "32",
                DENY if cell != "0" => "1;31",
                ASK if cell != "0" => "1;33",
                _ => "",
            };
            let cell = match column {
                FOLDER => line.left.map_or_else(|| cell.clone(), |left| cut_start(cell, left)),
                0 => pad(cell, to) + " ",
                _ if is_number => pad_left(cell, to) + "  ",
                _ => pad(cell, to) + "  ",
            };
            line.add(&cell, colour, style);
        }
        text.push_str(line.text.trim_end());
        text.push('\n');
    }
    text
}

fn widths(rows: &[Cells]) -> [usize; HEADER.len()] {
    let mut widths = [1; HEADER.len()];
    for row in rows {
        for (column, cell) in widths.iter_mut().zip(row) {
            *column = (*column).max(width(cell));
        }
    }
    widths
}

/// A line cut to the terminal's width.
struct Line {
    text: String,
    left: Option<usize>,
}

impl Line {
    fn add(&mut self, cell: &str, colour: &str, style: Style) {
        let cell = self.left.map_or(cell.into(), |left| cut(cell, left));
        self.left = self.left.map(|left| left.saturating_sub(width(&cell)));
        let said = cell.trim_end();
        if colour.is_empty() || said.is_empty() {
            self.text.push_str(&cell);
        } else {
            let blanks = cell.get(said.len()..).unwrap_or_default();
            self.text.push_str(&style.paint(colour, said));
            self.text.push_str(blanks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_table_is_wider_than_the_terminal() {
        let session = Session {
            host: "claude".to_owned(),
            first_at: 1_794_836_894_000,
            last_at: 1_794_836_994_000,
            records: 12,
            denied: 3,
            model: Some("opus-5".to_owned()),
            cwd: Some("/home/me/some/folder/that/lies/deep".to_owned()),
            ..Session::default()
        };
        let rows = || vec![row(&session, "9f0c1d2e", true, Some("/home/me"))];
        for room in 0..200 {
            for line in table(rows(), Style::Plain, Some(room)).lines() {
                assert!(width(line) <= room, "{room}: {line}");
            }
        }
        let text = table(rows(), Style::Plain, Some(80));
        assert!(text.ends_with("  …/lies/deep\n") && !text.contains("opus"), "{text}");
        let text = table(rows(), Style::Plain, None);
        assert!(text.ends_with("  opus-5  ~/some/folder/that/lies/deep\n"), "{text}");
    }
}
