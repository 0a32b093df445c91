//! `tenter status`: the state of every host as a table.

mod carriers;
mod rows;

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_hosts::install::Scope;
use tenter_policy::guard::Guard;
use tenter_policy::guards::GUARDS;
use tenter_policy::policy::{Layer, Origin};
use tenter_policy::{Level, Policy};
use tenter_setup::Places;
use tenter_setup::doctor::{self, Exam, Selection};

use super::doctor::gather;
use super::protection::{self, HostLine};
use super::which::{self, Hosts, Which};
use super::{Style, fit};
use crate::clock::long_ago;
use crate::error::CommandError;
use crate::guard::policies;
use crate::table::Table;
use rows::{Fired, Row, Wired};

/// Show how every host is wired, what it trusts, and when its hooks last fired
///
/// First one line for each host: protected, protected after you approve something, or not protected and why. Then each
/// scope with hooks of ours: which events are wired, what the host thinks of them, the last sign of life, and how far the
/// host enforces what the policy says. `tenter doctor` says what is wrong and what to do about it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Only this scope
    #[arg(long, value_enum)]
    scope: Option<which::Scope>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    Ok(super::print(&look(args)?))
}

fn look(args: &Args) -> Result<String, CommandError> {
    let places = args.which.places()?;
    let survey = which::look(&places);
    let mut facts = gather::facts(args.which.folder().as_deref(), &places, &survey)?;
    gather::send_canaries(&mut facts, &places, &survey);
    let (signs, trust) = (&facts.signs, facts.codex.as_ref());
    let exam = Exam::new(&places, &survey, &facts);
    let diagnosis = doctor::diagnose(&exam, &Selection::default());
    let machine = gather::machine(args.which.folder().as_deref())?;
    let found = policies::find(&machine.folders, &machine.here());
    let policy = policies::compile(&found);
    let scope = args.scope.map(Into::into);
    let wanted = |host| match &args.which.hosts {
        Hosts::Auto => true,
        Hosts::Listed(hosts) => hosts.contains(&host),
    };
    let (mut absent, mut hosts) = (Vec::new(), Vec::new());
    let mut rows = Vec::new();
    for state in survey.hosts.iter().filter(|state| wanted(state.host)) {
        let mut of_host = rows::of(state, &survey, signs, trust, scope, &places);
        for row in &mut of_host {
            row.take(&diagnosis);
        }
        // A host that is neither detected nor installed takes one line.
        if !state.is_here() && of_host.iter().all(Row::is_empty) {
            absent.push(state.host);
        } else {
            hosts.push(protection::of_host(state, &diagnosis));
            rows.extend(of_host);
        }
    }
    let died = diagnosis.findings.iter().find(|finding| finding.check.id == "calls-died");
    let died = died.map(|finding| finding.message.clone());
    let sight = Sight { rows, hosts, absent, policy, places: &places, died };
    Ok(if args.json {
        format!("{:#}", sight.json())
    } else {
        fit::for_stdout(&sight.human(Style::of_stdout()))
    })
}

struct Sight<'s> {
    rows: Vec<Row<'s>>,
    hosts: Vec<HostLine>,
    absent: Vec<tenter_model::HostId>,
    policy: Policy,
    places: &'s Places,
    /// Message about calls that died.
    died: Option<String>,
}

impl Sight<'_> {
    fn human(&self, style: Style) -> String {
        let mut table =
            Table::compact(&["host", "scope", "wired", "trusted", "last fired", "enforcement"]);
        let mut last = None;
        let is_shown = |row: &&Row<'_>| !row.is_empty() || !row.broken.is_empty();
        for row in self.rows.iter().filter(is_shown) {
            let host = match (&row.version, last == Some(row.host)) {
                (_, true) => String::new(),
                (Some(version), false) => format!("{} {version}", row.host.title()),
                (None, false) => row.host.title().to_owned(),
            };
            last = Some(row.host);
            table.row(
                [
                    host,
                    row.scope.to_string(),
                    row.wired_words(),
                    row.trusted.clone().unwrap_or_else(|| "-".to_owned()),
                    self.fired_words(row),
                    row.enforcement_words(&self.policy),
                ]
                .map(|cell| printable(&cell).into_owned())
                .into(),
            );
        }
        let mut text = protection::lines(&self.hosts, style);
        text.push_str(&protection::unsupported(self.places, style));
        if self.rows.iter().any(|row| is_shown(&row)) {
            text.push('\n');
            let table = table.render();
            text.extend(table.lines().map(|line| format!("{}\n", line.trim_end())));
        }
        for row in &self.rows {
            for (colour, remark) in remarks(row) {
                let line = format!("{}, {}: {}", row.host.title(), row.scope, printable(&remark));
                let _ = writeln!(text, "{}", style.paint(colour, &line));
            }
        }
        for host in &self.absent {
            let line = format!("{}: not on this machine", host.title());
            let _ = writeln!(text, "{}", style.paint("2", &line));
        }
        if let Some(died) = &self.died {
            let line = format!("{} (tenter log --event died)", printable(died));
            let _ = writeln!(text, "{}", style.paint("1;31", &line));
        }
        let _ = writeln!(text, "policy: {}", printable(&self.policy_words()));
        for guard in self.off() {
            let how = format!("`{0} = \"ask\"` under [guards] of the policy", guard.id);
            let _ = writeln!(text, "off: {}; {how} switches it on", guard.id);
        }
        let hardened = tenter_setup::harden::read(self.places).unwrap_or_default().len();
        if hardened > 0 {
            let _ = writeln!(text, "hardened: {hardened} files (sudo tenter harden --undo)");
        }
        text
    }

    /// Guards that every preset leaves off, where no file switches them on.
    fn off(&self) -> impl Iterator<Item = &'static Guard> {
        let all = GUARDS.iter().copied().zip(&self.policy.settings);
        let off = all.filter(|(guard, setting)| {
            guard.optional && setting.levels.iter().all(|(level, _)| *level == Level::Off)
        });
        off.map(|(guard, _)| guard)
    }

    fn fired_words(&self, row: &Row<'_>) -> String {
        match (row.latest(), row.wired) {
            (_, Wired::None) => "-".to_owned(),
            (None, _) => "never".to_owned(),
            (Some(fired), _) => long_ago(fired.at_ms, self.places.now),
        }
    }

    /// Origin of the levels: presets and files.
    fn policy_words(&self) -> String {
        let mut presets: Vec<String> = Vec::new();
        for (_, origin) in self.policy.settings.iter().flat_map(|setting| &setting.levels) {
            if let Origin::Preset(preset, _) = origin
                && !presets.contains(&preset.to_string())
            {
                presets.push(preset.to_string());
            }
        }
        let preset = match presets.as_slice() {
            [] => "preset recommended".to_owned(),
            presets => format!("preset {}", presets.join(" and ")),
        };
        let files: Vec<String> =
            self.policy.files.iter().map(|(layer, path)| named(*layer, path)).collect();
        let broken = match self.policy.broken.len() {
            0 => String::new(),
            count => format!("; {count} cannot be used (tenter policy check)"),
        };
        if files.is_empty() {
            format!("{preset}, no file{broken}")
        } else {
            format!("{preset}, {}{broken}", files.join(", "))
        }
    }

    fn json(&self) -> Value {
        let absent: Vec<&str> = self.absent.iter().map(|host| host.as_str()).collect();
        let files: Vec<Value> = self
            .policy
            .files
            .iter()
            .map(|(layer, path)| json!({ "layer": layer.as_str(), "path": path }))
            .collect();
        let state = |line: &HostLine| {
            json!({
                "host": line.host.as_str(), "state": line.state, "says": line.state.to_string(),
                "fix": line.fix,
            })
        };
        json!({
            "version": 1,
            "protection": self.hosts.iter().map(state).collect::<Vec<_>>(),
            "hosts": self.rows.iter().map(|row| row_json(row, &self.policy)).collect::<Vec<_>>(),
            "absent": absent,
            "unsupported": tenter_setup::unsupported::found(self.places),
            "died": self.died,
            "policy": {
                "files": files,
                "broken": self.policy.broken.iter().map(ToString::to_string).collect::<Vec<_>>(),
            },
        })
    }
}

fn named(layer: Layer, path: &str) -> String {
    format!("{layer} file {path}")
}

/// Remarks below the table, with colours.
fn remarks(row: &Row<'_>) -> Vec<(&'static str, String)> {
    const DEAD: &str = "1;31";
    const FAINT: &str = "2";
    let mut remarks = Vec::new();
    if let Some(switch) = &row.silenced {
        remarks.push((DEAD, format!("switched off by {switch}")));
    }
    for why in &row.broken {
        remarks.push((DEAD, format!("{why}; no hook in it runs")));
    }
    if let Some(why) = &row.lifeless {
        remarks.push((DEAD, format!("{why} (tenter doctor --fix)")));
    }
    for (check, why) in row.unsaid() {
        remarks.push((DEAD, format!("{why} (tenter doctor: {check})")));
    }
    if let Some(fired) = row.latest().filter(|fired| fired.scopes.len() > 1) {
        let which = carriers::words(&fired.scopes);
        remarks.push((FAINT, format!("last fired through {which}, which calls do not say")));
    } else if row.scope == Scope::Project && row.latest().is_some() {
        let words = "last fired here or in another project, which is not kept";
        remarks.push((FAINT, words.to_owned()));
    }
    if let Some(unread) = row.unread {
        let (what, shown_by) = (unread.what, &unread.shown_by);
        remarks.push((
            FAINT,
            format!("settings from {what} are not read here ({shown_by} shows them)"),
        ));
    }
    if row.through_claude {
        remarks.push((FAINT, "also through Claude's settings".to_owned()));
    }
    remarks
}

fn row_json(row: &Row<'_>, policy: &Policy) -> Value {
    let fired = |fired: &Fired<'_>| {
        let scopes: Vec<&str> = fired.scopes.iter().map(|scope| scope.as_str()).collect();
        json!({
            "event": fired.event, "at_ms": fired.at_ms, "wired_as": fired.wired_as.as_str(),
            "scopes": scopes,
        })
    };
    let events: Vec<Value> = row
        .enforcement
        .events
        .iter()
        .map(|it| json!({ "event": it.event, "deny": it.deny.as_str(), "ask": it.ask_word() }))
        .collect();
    json!({
        "host": row.host.as_str(),
        "scope": row.scope.as_str(),
        "version": row.version,
        "files": row.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "wired": row.wired.as_str(),
        "events": row.events,
        "missing": row.missing,
        "trusted": row.trusted,
        "last_fired_ms": row.fired.iter().map(|fired| fired.at_ms).max(),
        "fired": row.fired.iter().map(fired).collect::<Vec<_>>(),
        "enforcement": row.enforcement_words(policy),
        "gates": events,
        "silenced_by": row.silenced,
        "cannot_run": row.lifeless,
        "dead": row.dead.iter().map(|(check, _)| check).collect::<Vec<_>>(),
        "broken": row.broken,
        "not_read": row.unread.map(|unread| unread.what),
        "through_claude": row.through_claude,
    })
}
