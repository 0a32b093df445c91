//! Prints the proof as text and JSON.

use std::fmt::Write as _;

use tenter_engine::diagnostic::printable;
use tenter_setup::canary::ProofLevel;

use super::rows::{Row, State};
use crate::commands::Style;
use crate::table::Table;

pub(super) fn json(rows: &[Row]) -> String {
    serde_json::to_string_pretty(rows).unwrap_or_else(|_| "[]".to_owned())
}

pub(super) fn text(rows: &[Row]) -> String {
    let style = Style::of_stdout();
    let mut text = String::new();
    if !rows.iter().any(|row| row.wired) {
        text.push_str("nothing is wired: tenter install, or tenter init\n");
    }
    if rows.is_empty() {
        return text;
    }
    let mut table =
        Table::compact(&["host", "scope", "fires", "denies", "allows", "real client", ""]);
    for row in rows {
        let answer = |it: bool| match (row.wired, it) {
            (false, _) => "-",
            (true, true) => "yes",
            (true, false) => "NO",
        };
        table.row(vec![
            title(row).to_owned(),
            row.scope.unwrap_or("-").to_owned(),
            answer(row.fired).to_owned(),
            answer(row.denied).to_owned(),
            answer(row.allowed).to_owned(),
            if row.wired { row.real_client } else { "-" }.to_owned(),
            word(row.state).to_owned(),
        ]);
    }
    for line in table.render().lines() {
        let _ = writeln!(text, "{}", painted(line, style));
    }
    for row in rows {
        details(&mut text, row, style);
    }
    text
}

fn title(row: &Row) -> &'static str {
    tenter_hosts::host(row.host).install().title
}

fn word(state: State) -> &'static str {
    match state {
        State::Green => "green",
        State::Amber => "amber",
        State::Red => "RED",
        State::Unwired => "not wired",
    }
}

/// A line of the grid in its colour.
fn painted(line: &str, style: Style) -> String {
    let line = line.trim_end();
    let words = [("green", "32"), ("amber", "33"), ("RED", "31"), ("not wired", "2")];
    let found = words.iter().find_map(|(word, code)| {
        Some(format!("{}{}", line.strip_suffix(word)?, style.paint(code, word)))
    });
    found.unwrap_or_else(|| line.to_owned())
}

/// Why a row is not green, one line per reason, with the fix.
fn details(text: &mut String, row: &Row, style: Style) {
    let place = row.scope.map_or_else(String::new, |scope| format!(", {scope}"));
    let head = format!("{}{place}", title(row));
    for reason in &row.reasons {
        let code = if reason.level == ProofLevel::Red { "31" } else { "33" };
        let said = printable(&reason.text);
        let _ = writeln!(text, "{}: {said}", style.paint(code, &head));
        if !reason.fix.is_empty() {
            let _ = writeln!(text, "  -> {}", printable(&reason.fix));
        }
    }
    if row.reasons.is_empty() && !row.reason.is_empty() {
        let _ = writeln!(text, "{head}: {}", printable(&row.reason));
        let _ = writeln!(text, "  -> {}", printable(&row.fix));
    }
    if row.wired && row.real_client == "isolated" {
        let _ = writeln!(text, "{head}: real client: {}", printable(&row.real_client_note));
    }
    if row.wired && row.real_client == "unavailable" {
        let _ =
            writeln!(text, "{head}: real client not driven: {}", printable(&row.real_client_note));
    }
}
