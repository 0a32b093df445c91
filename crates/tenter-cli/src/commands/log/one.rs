//! `tenter log NUMBER`: one record in full.

mod findings;
mod page;
mod parts;

use std::fmt::Write as _;
use std::io::IsTerminal;

use serde_json::Value;
use tenter_audit::chain;
use tenter_audit::record::{Kind, Record};
use tenter_audit::store::{Order, Query};

use super::text::{self, one_line};
use super::{End, internal, label};
use crate::clock;
use crate::commands::{Style, sessions};
use crate::error::CommandError;
use crate::guard::{LocalMachine, once};
use crate::reading::Reading;
use page::{Page, Row, maybe, row};

/// Number of records before and after that are searched for the same call.
const NEAR: u64 = 1000;
/// Maximum number of them listed.
const MOST: usize = 20;

pub(super) fn show(
    reading: &Reading,
    machine: &LocalMachine,
    id: u64,
    json: bool,
) -> Result<(), End> {
    let hit = reading.store.get(id).map_err(internal)?;
    let line = match hit {
        Some(hit) => reading.spool.fetch(hit.place).map_err(internal)?,
        None => None,
    };
    let Some(line) = line else {
        return Err(CommandError::usage(missing(reading, machine, id)?).into());
    };
    let text = if json {
        pretty(&line)?
    } else {
        let record =
            Record::parse(&line).map_err(|error| internal(format!("record {id}: {error}")))?;
        human(reading, machine, &line, &record)?
    };
    let mut out = std::io::stdout().lock();
    Ok(std::io::Write::write_all(&mut out, text.as_bytes())?)
}

fn missing(reading: &Reading, machine: &LocalMachine, id: u64) -> Result<String, End> {
    let one = |order| reading.store.find(&Query::default(), order, 1).map_err(internal);
    let (first, last) = (one(Order::OldestFirst)?, one(Order::NewestFirst)?);
    Ok(match (first.first(), last.first()) {
        (Some(first), Some(last)) => {
            format!("no record {id}; there are {} to {}", first.seq, last.seq)
        }
        _ => format!("no record {id}; {}", sessions::none_yet(reading, machine)?),
    })
}

/// The stored object, pretty-printed.
fn pretty(line: &str) -> Result<String, End> {
    let value: Value = serde_json::from_str(line).map_err(internal)?;
    let text = format!("{value:#}\n");
    Ok(if std::io::stdout().is_terminal() { text::harmless_json(&text) } else { text })
}

/// Width needed for a hash with its text.
const KEPT: usize = 120;

fn human(
    reading: &Reading,
    machine: &LocalMachine,
    line: &str,
    record: &Record<'_>,
) -> Result<String, End> {
    let mut page = Page::new(Style::of_stdout(), text::columns());
    let local = format!("{} {}", clock::day(record.at), clock::time_of_day(record.at));
    page.title(&format!("record {}", record.seq), &local);
    match record.kind {
        Kind::Call => {}
        Kind::Unfinished => page.note("a call that died before it answered"),
        Kind::Closed => page.note("the last line of a file of the spool; no call"),
        Kind::Checkpoint => page.section("cleared away", &parts::checkpoint(record)),
    }
    let home = machine.variable("HOME");
    page.section("what", &parts::what(record));
    page.section("where", &parts::place(record, home));
    page.section("who", &parts::who(record));
    page.section("answer", &parts::answer(record));
    findings::show(&mut page, record);
    page.section("stopped", &stopped(machine, record));
    page.section("not as it was meant", &parts::each("lost", &record.losses));
    page.section("notes", &parts::each("note", &record.notes));
    page.section("same call", &same_call(reading, record)?);
    page.section("time taken", &parts::timings(record));
    let is_wide = page.has_room(KEPT);
    page.section("kept", &kept(line, record, is_wide));
    Ok(page.text())
}

/// How the user can allow a stopped call.
fn stopped(machine: &LocalMachine, record: &Record<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let Some(code) = record.code.as_deref().filter(|_| !record.allowed_once) else { return rows };
    match once::find(&machine.folders, code, machine.now) {
        Some(waiting) => {
            let until = waiting.at.saturating_add(once::WAITS).saturating_mul(1000);
            let until = format!("{} {}", clock::day(until), clock::time_of_day(until));
            rows.push(row("once", format!("tenter allow once {code}   (it waits until {until})")));
        }
        None => rows.push(row("once", format!("the code {code} no longer waits"))),
    }
    let mut stops = record.findings.iter().filter(|it| it.excepted.is_none() && it.level != "log");
    // An exception for one rule would not let the call through if another stops it, too.
    if let Some(found) = stops.next()
        && stops.all(|other| other.rule == found.rule)
        && tenter_policy::guards::may_be_excepted(&found.rule)
    {
        rows.push(row("always", format!("tenter allow rule {} --reason TEXT", found.rule)));
    }
    rows
}

/// Other records of the same call: before, after, its second copy, retries.
fn same_call(reading: &Reading, record: &Record<'_>) -> Result<Vec<Row>, End> {
    let same = |other: &Record<'_>| {
        let both = |one: &Option<_>, other: &Option<_>| one.is_some() && one == other;
        both(&record.call_id, &other.call_id)
            || both(&record.fingerprint, &other.fingerprint)
            // A retry of a stopped call, or one that the user allowed.
            || both(&record.code, &other.code)
    };
    if record.call_id.is_none() && record.fingerprint.is_none() && record.code.is_none() {
        return Ok(Vec::new());
    }
    let query = Query {
        session: record.session_id.as_deref(),
        after: Some(record.seq.saturating_sub(NEAR)),
        before: Some(record.seq.saturating_add(NEAR)),
        ..Query::default()
    };
    let limit = usize::try_from(NEAR.saturating_mul(2)).unwrap_or(usize::MAX);
    let mut rows = Vec::new();
    let mut more = 0_usize;
    for hit in reading.store.find(&query, Order::OldestFirst, limit).map_err(internal)? {
        if hit.seq == record.seq {
            continue;
        }
        // An unreadable one does not matter here.
        let Ok(Some(other)) = reading.record(hit) else { continue };
        if !same(&other) {
            continue;
        }
        if rows.len() >= MOST {
            more = more.saturating_add(1);
            continue;
        }
        let mut text = format!("{}  {}", label::event(&other), label::decision(&other));
        for mark in label::marks(&other) {
            let _ = write!(text, "  [{mark}]");
        }
        let when = if other.seq < record.seq { "before" } else { "after" };
        rows.push(row(when, format!("{}  {}", other.seq, one_line(&text))));
    }
    if more > 0 {
        rows.push(row("", format!("and {more} more")));
    }
    Ok(rows)
}

/// Storage details, and whether the record is unchanged.
fn kept(line: &str, record: &Record<'_>, is_wide: bool) -> Vec<Row> {
    let is_true = chain::End::of(line).is_some_and(|end| end.is_true_of(line));
    let verdict = if is_true { "fits this record" } else { "DOES NOT FIT: the record was changed" };
    let mut rows =
        vec![row("utc", tenter_model::time::stamp(record.at)), row("level", record.level.as_str())];
    rows.extend(maybe("policy", Some(record.policy.as_ref()).filter(|it| !it.is_empty())));
    if record.lost > 0 {
        rows.push(row("lost", format!("{} calls before it left no record", record.lost)));
    }
    if let Some(gap) = record.gap {
        rows.push(row("gap", format!("a torn line of {} bytes stands before it", gap.torn)));
    }
    if is_wide {
        rows.push(row("hash", format!("{}  {verdict}", record.hash)));
    } else {
        rows.extend([row("hash", record.hash.as_str()), row("", verdict)]);
    }
    rows.push(row("before", record.prev.as_str()));
    rows
}
