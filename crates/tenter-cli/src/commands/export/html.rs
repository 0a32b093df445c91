//! The record as a page for people who decide: what was stopped, by which rules, and whether the record holds.

use std::fmt::Write as _;

use tenter_audit::Spool;
use tenter_audit::memory;
use tenter_audit::record::Record;
use tenter_audit::store::{By, Group, Order, Query};
use tenter_audit::verify::verify_against;
use tenter_engine::diagnostic::printable;
use tenter_model::time;

use super::sink::Sink;
use crate::error::CommandError;
use crate::reading::Reading;

/// Maximum number of calls listed.
const MOST: usize = 2_000;

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
    content=\"width=device-width\">\n<title>What agents did</title>\n<style>\n\
    body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}\n\
    table{border-collapse:collapse;width:100%;margin:.5rem 0 2rem}\n\
    th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #d8dee4}\n\
    td.n,th.n{text-align:right}code{font:13px ui-monospace,monospace;word-break:break-word}\n\
    .deny{color:#b42318;font-weight:600}.ask{color:#9a6700;font-weight:600}.faint{color:#59636e}\n\
    </style>\n";

/// Writes the page; returns the number of calls it is about.
pub(super) fn write(
    reading: &Reading,
    query: &Query<'_>,
    now_ms: u64,
    sink: &mut Sink,
) -> Result<u64, CommandError> {
    let stats = |by| reading.store.stats(query.since, query.until, by);
    let (hosts, rules) = (stats(By::Host), stats(By::Rule));
    let hosts = hosts.map_err(CommandError::internal)?;
    let rules = rules.map_err(CommandError::internal)?;
    let total = &hosts.total;
    let from = query.since.map_or_else(|| "the beginning".to_owned(), time::stamp);
    let until = time::stamp(query.until.unwrap_or(now_ms).min(now_ms));
    let mut page = HEAD.to_owned();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<h1>What agents did</h1>\n<p class=\"faint\">{} to {}</p>\n<p>{} events of {}: \
         <span class=\"deny\">{} denied</span>, <span class=\"ask\">{} asked about</span>, {} allowed once; \
         {} calls left no record.</p>\n",
        escaped(&from),
        escaped(&until),
        total.records,
        if hosts.groups.len() == 1 {
            "1 host".to_owned()
        } else {
            format!("{} hosts", hosts.groups.len())
        },
        total.denied,
        total.asked,
        total.allowed_once,
        hosts.lost
    );
    integrity(&mut page, &reading.spool)?;
    groups(&mut page, "Hosts", "host", &hosts.groups);
    groups(&mut page, "Rules", "rule", &rules.groups);
    sink.text(&page)?;
    stopped(reading, query, sink)?;
    sink.text("</html>\n")?;
    Ok(total.records)
}

/// Whether the chain of hashes holds, as `tenter verify` checks it.
fn integrity(page: &mut String, spool: &Spool) -> Result<(), CommandError> {
    let report = verify_against(spool, &[], &mut |_, _| ()).map_err(CommandError::internal)?;
    let text = match (&report.broken, &report.last) {
        (Some(broken), _) => {
            format!("<span class=\"deny\">broken</span>: {}", escaped(&broken.why.to_string()))
        }
        (None, Some(last)) => format!(
            "every record follows from the one before it; the last is {}, <code>{}</code>",
            last.seq,
            escaped(&last.hash)
        ),
        (None, None) => "there is no record".to_owned(),
    };
    let _ = write!(
        page,
        "<h2>Integrity</h2>\n<p>{text}. Check it with <code>tenter verify</code>.</p>\n"
    );
    Ok(())
}

fn groups(page: &mut String, title: &str, what: &str, groups: &[Group]) {
    if groups.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<h2>{title}</h2>\n<table><tr><th>{what}<th class=\"n\">events<th class=\"n\">denied<th class=\"n\">asked\
         <th class=\"n\">allowed once\n"
    );
    for group in groups {
        let count = &group.count;
        let _ = writeln!(
            page,
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}",
            escaped(&group.name),
            count.records,
            count.denied,
            count.asked,
            count.allowed_once
        );
    }
    page.push_str("</table>\n");
}

/// The calls that were denied or asked about, newest first.
fn stopped(reading: &Reading, query: &Query<'_>, sink: &mut Sink) -> Result<(), CommandError> {
    sink.text(
        "<h2>Stopped calls</h2>\n<table><tr><th>time<th>host<th>decision<th>call<th>rules\n",
    )?;
    let mut hits = Vec::new();
    for decision in ["deny", "ask"] {
        let query = Query { decision: Some(decision), ..*query };
        let found = reading.store.find(&query, Order::NewestFirst, MOST.saturating_add(1));
        hits.extend(found.map_err(CommandError::internal)?);
    }
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.seq));
    let more = hits.len() > MOST;
    hits.truncate(MOST);
    for hit in hits {
        if let Some(record) = reading.record(hit)? {
            sink.text(&row(&record))?;
        }
    }
    sink.text("</table>\n")?;
    if more {
        let text = format!(
            "<p class=\"faint\">Older ones are left out: --since and --until choose others than the latest {MOST}.</p>\n"
        );
        sink.text(&text)?;
    }
    Ok(())
}

fn row(record: &Record<'_>) -> String {
    let told = memory::told(record);
    let rules: Vec<String> = record.stopping_rules().into_iter().map(escaped).collect();
    let reason = record.verdict.reason.as_ref().and_then(|it| it.text()).unwrap_or_default();
    format!(
        "<tr><td>{}<td>{}<td class=\"{}\">{}<td><code>{}</code><br><span class=\"faint\">{}</span><td>{}\n",
        time::stamp(record.at),
        escaped(&record.host),
        if told == "deny" { "deny" } else { "ask" },
        escaped(told),
        escaped(&record.subject()),
        escaped(reason),
        rules.join("<br>")
    )
}

/// A text without markup and control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}
