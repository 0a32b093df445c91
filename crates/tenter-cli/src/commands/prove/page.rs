//! Prints the proof as text and JSON.

use std::fmt::Write as _;

use tenter_engine::diagnostic::printable;
use tenter_hosts::install::Scope;
use tenter_setup::canary::ProofLevel;

use super::rows::Row;
use crate::commands::Style;
use crate::commands::protection::{self, HostLine};
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
            row.state.word().to_owned(),
        ]);
    }
    for line in table.render().lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for row in rows {
        details(&mut text, row, style);
    }
    text.push_str(&not_driven(rows));
    text.push('\n');
    text.push_str(&lines(rows, style));
    text
}

/// One line for each host, by its best row.
pub(super) fn lines(rows: &[Row], style: Style) -> String {
    let mut hosts: Vec<HostLine> = Vec::new();
    for row in rows {
        let scope = Scope::ALL.into_iter().find(|scope| Some(scope.as_str()) == row.scope);
        let line =
            HostLine { host: row.host, scope, state: row.state.clone(), fix: row.fix.clone() };
        match hosts.iter_mut().find(|known| known.host == row.host) {
            Some(known) if line.state < known.state => *known = line,
            Some(_) => {}
            None => hosts.push(line),
        }
    }
    protection::lines(&hosts, style)
}

fn title(row: &Row) -> &'static str {
    tenter_hosts::host(row.host).install().title
}

/// Why real clients were not driven, once for each reason.
fn not_driven(rows: &[Row]) -> String {
    let mut whys: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| row.wired && row.real_client == "unavailable") {
        match whys.iter_mut().find(|(why, _)| *why == row.real_client_note) {
            Some((_, hosts)) if hosts.contains(&title(row)) => {}
            Some((_, hosts)) => hosts.push(title(row)),
            None => whys.push((&row.real_client_note, vec![title(row)])),
        }
    }
    let line = |(why, hosts): (&str, Vec<&str>)| {
        format!("real client not driven ({}): {}\n", hosts.join(", "), printable(why))
    };
    whys.into_iter().map(line).collect()
}

/// What is wrong with a row or doubtful, one line per reason, with the fix.
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
    if row.wired && row.real_client == "isolated" {
        let _ = writeln!(text, "{head}: real client: {}", printable(&row.real_client_note));
    }
}
