//! Prints the result as text and JSON.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use tenter_audit::anchor::Anchor;
use tenter_audit::record::Checkpoint;
use tenter_audit::verify::{Break, Report, Spot, Stand};
use tenter_engine::diagnostic::printable;
use tenter_model::text::counted;

use crate::clock;
use crate::commands::{Style, print};

/// A fault noticed by an earlier reader.
#[derive(Debug, Serialize)]
pub(super) struct Incident {
    pub(super) at: u64,
    pub(super) text: String,
}

/// Facts from outside the record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beside<'b> {
    pub(super) incidents: &'b [Incident],
    /// Time of the last sign of life, which a hook leaves right before its record.
    pub(super) last_sign: Option<u64>,
    /// Number of unrecorded calls not yet mentioned in a record.
    pub(super) untold: u64,
    /// Number of side records, waiting because the chain is locked.
    pub(super) waiting: u64,
    /// Path of the anchors.
    pub(super) anchors: Option<&'b Path>,
    /// Number of anchors.
    pub(super) noted: u64,
}

/// Tolerance between sign and record: clocks differ, and a call may be in progress.
const LATER: u64 = 60_000;

impl Beside<'_> {
    /// Whether hooks have run although there is no record.
    fn misses_all(&self, report: &Report) -> bool {
        self.last_sign.is_some() && report.records == 0 && self.untold == 0 && self.waiting == 0
    }

    /// Whether a hook has run after the last record.
    fn misses_last(&self, report: &Report) -> Option<u64> {
        let last = report.last.as_ref()?;
        let is_told = self.untold > 0 || self.waiting > 0;
        self.last_sign.filter(|sign| *sign > last.at.saturating_add(LATER) && !is_told)
    }
}

/// Prints the result; the exit code tells whether all is well.
pub(super) fn show(
    report: &Report,
    beside: &Beside<'_>,
    file: Option<&Path>,
    json: bool,
) -> ExitCode {
    let text = if json {
        serde_json::to_string_pretty(&Json::of(report, beside)).unwrap_or_default()
    } else {
        human(report, beside, file, Style::of_stdout())
    };
    let printed = print(&text);
    if is_well(report, beside) { printed } else { ExitCode::from(1) }
}

/// The object of `--json`. Times are milliseconds since 1970.
#[derive(Serialize)]
struct Json<'r> {
    intact: bool,
    records: u64,
    files: u64,
    bytes: u64,
    first: Option<End<'r>>,
    last: Option<End<'r>>,
    cleared: Option<&'r Checkpoint>,
    gaps: u64,
    torn: Vec<Torn>,
    lost: u64,
    side: u64,
    unfinished: u64,
    broken: Option<Broken>,
    breaks: u64,
    incidents: &'r [Incident],
    last_sign: Option<u64>,
    untold: u64,
    waiting: u64,
    died: u64,
    anchor: Option<String>,
    noted: u64,
    missed: Vec<Gone>,
}

/// A record with an anchor that is missing.
#[derive(Serialize)]
struct Gone {
    anchor: String,
    at: u64,
    replaced: bool,
}

#[derive(Serialize)]
struct End<'r> {
    seq: u64,
    at: u64,
    hash: &'r str,
}

#[derive(Serialize)]
struct Torn {
    file: String,
    line: u64,
    bytes: u64,
    /// The record that accounts for it.
    seq: u64,
}

#[derive(Serialize)]
struct Broken {
    seq: u64,
    file: String,
    line: u64,
    why: &'static str,
    text: String,
    after: Option<u64>,
    before: Option<u64>,
    later: u64,
}

impl<'r> Json<'r> {
    fn of(report: &'r Report, beside: &Beside<'r>) -> Self {
        let at = |it: &'r Stand| End { seq: it.seq, at: it.at, hash: &it.hash };
        let file = |spot: &Spot| spot.file.display().to_string();
        Self {
            intact: is_well(report, beside),
            records: report.records,
            files: report.segments,
            bytes: report.bytes,
            first: report.first.as_ref().map(at),
            last: report.last.as_ref().map(at),
            cleared: report.cleared.as_ref(),
            gaps: report.gaps,
            torn: report
                .torn
                .iter()
                .map(|it| Torn {
                    file: file(&it.spot),
                    line: it.spot.line,
                    bytes: it.bytes,
                    seq: it.seq,
                })
                .collect(),
            lost: report.lost,
            side: report.side,
            unfinished: report.unfinished,
            broken: report.broken.as_ref().map(|it| Broken {
                seq: it.seq,
                file: file(&it.spot),
                line: it.spot.line,
                why: it.why.as_str(),
                text: it.why.to_string(),
                after: it.after,
                before: it.before,
                later: it.later,
            }),
            breaks: report.breaks,
            incidents: beside.incidents,
            last_sign: beside.last_sign,
            untold: beside.untold,
            waiting: beside.waiting,
            died: report.died,
            anchor: report.last.as_ref().map(|it| anchor_of(it).to_string()),
            noted: beside.noted,
            missed: report
                .missed
                .iter()
                .map(|it| Gone {
                    anchor: it.note.anchor.to_string(),
                    at: it.note.at,
                    replaced: it.is_replaced,
                })
                .collect(),
        }
    }
}

/// The last record as an anchor, to be stored out of reach, such as on a team's server.
fn anchor_of(last: &Stand) -> Anchor {
    Anchor { seq: last.seq, hash: last.hash.clone() }
}

fn is_well(report: &Report, beside: &Beside<'_>) -> bool {
    report.is_intact()
        && beside.incidents.is_empty()
        && report.missed.is_empty()
        && !beside.misses_all(report)
}

fn human(report: &Report, beside: &Beside<'_>, file: Option<&Path>, style: Style) -> String {
    let what = match file {
        Some(file) => printable(&file.display().to_string()).into_owned(),
        None => "the record".to_owned(),
    };
    let mut text = String::new();
    let incidents = beside.incidents;
    match &report.broken {
        Some(broken) => breakage(&mut text, &what, report, broken, style),
        None if beside.misses_all(report) && incidents.is_empty() && report.missed.is_empty() => {
            let gone = style.paint("31", "the record is gone");
            let last = beside.last_sign.map(moment).unwrap_or_default();
            let _ = writeln!(
                text,
                "{gone}: hooks have run until {last} (`tenter status`), and nothing is recorded"
            );
            return text;
        }
        None if report.records == 0
            && file.is_none()
            && incidents.is_empty()
            && report.missed.is_empty() =>
        {
            text.push_str(
                "there is no record yet: hooks write it once they are wired (`tenter init`, `tenter status`)\n",
            );
            details(&mut text, report);
            untold(&mut text, beside);
            return text;
        }
        None if !incidents.is_empty() || !report.missed.is_empty() => {
            let cut = style.paint("31", "records are gone from the record");
            let _ = writeln!(text, "{cut}; what is left fits together: {}", extent(report));
        }
        None => {
            let intact = style.paint("32", &format!("{what} is intact"));
            let _ = writeln!(text, "{intact}: {}", extent(report));
        }
    }
    details(&mut text, report);
    if let Some(last) = report.last.as_ref().filter(|_| file.is_none()) {
        let _ = writeln!(text, "  last: record {} {}", last.seq, last.hash);
    }
    untold(&mut text, beside);
    unnoted(&mut text, report, beside);
    missed(&mut text, report, beside, style);
    if let Some(sign) = beside.misses_last(report) {
        let _ = writeln!(
            text,
            "  after it: a hook ran at {} and left no record: it was ended on the way, or the \
             end of the record was taken away",
            moment(sign)
        );
    }
    if !incidents.is_empty() {
        let missed = style.paint("31", "an earlier reader has seen records that are gone");
        let _ = writeln!(text, "{missed}:");
        for incident in incidents {
            let _ = writeln!(text, "  {}  {}", moment(incident.at), printable(&incident.text));
        }
    }
    text
}

/// Says that there is no anchor although hooks have run, since the first call leaves one.
fn unnoted(text: &mut String, report: &Report, beside: &Beside<'_>) {
    let is_missed = beside.noted == 0 && report.records > 0 && beside.last_sign.is_some();
    let Some(file) = beside.anchors.filter(|_| is_missed) else { return };
    let file = printable(&file.display().to_string()).into_owned();
    let _ = writeln!(
        text,
        "  no notes in {file}: they were taken away, or this record is older than they are; missing \
         records at its beginning or end are not known"
    );
}

/// Lists missing records.
fn missed(text: &mut String, report: &Report, beside: &Beside<'_>, style: Style) {
    let Some(highest) = report.missed.iter().max_by_key(|it| it.note.anchor.seq) else { return };
    let Anchor { seq, hash } = &highest.note.anchor;
    let last = report.last.as_ref().map_or(0, |last| last.seq);
    let first = report.first.as_ref().map_or(0, |first| first.seq);
    let what = if report.missed.iter().any(|it| it.is_replaced) || last == 0 {
        let records = counted(*seq, "record");
        format!("{records} at least are missing at the beginning: the record was started again")
    } else if *seq > last {
        let records = counted(seq.saturating_sub(last), "record");
        format!("{records} at least are missing at the end, after number {last}")
    } else {
        format!("records before number {first} are missing at the beginning")
    };
    let _ = writeln!(text, "{}", style.paint("31", &what));
    let when = match highest.note.at {
        0 => String::new(),
        at => format!(", noted {}", moment(at)),
    };
    let _ = writeln!(text, "  it held record {seq} {hash}{when}");
    if let Some(file) = beside.anchors.filter(|_| highest.note.at > 0) {
        let file = printable(&file.display().to_string()).into_owned();
        let _ = writeln!(text, "  if you took them away yourself, remove {file}");
    }
}

/// Summary: `12 records (1 to 12) in 2 files, 2026-11-16 14:03:22 to 2026-11-16 14:05:00`.
fn extent(report: &Report) -> String {
    let mut text = counted(report.records, "record");
    if let (Some(first), Some(last)) = (&report.first, &report.last) {
        let files = counted(report.segments, "file");
        let _ = write!(text, " ({} to {}) in {files}", first.seq, last.seq);
        let _ = write!(text, ", {} to {}", moment(first.at), moment(last.at));
    }
    text
}

fn breakage(text: &mut String, what: &str, report: &Report, broken: &Break, style: Style) {
    let head = style.paint("31", &format!("{what} is broken at record {}", broken.seq));
    let _ = writeln!(text, "{head}: {}", broken.why);
    let file = printable(&broken.spot.file.display().to_string()).into_owned();
    let _ = writeln!(text, "  where: {file}, line {}", broken.spot.line);
    let window = match (broken.after, broken.before) {
        (Some(after), Some(before)) => format!("between {} and {}", moment(after), moment(before)),
        (Some(after), None) => format!("after {}", moment(after)),
        (None, Some(before)) => format!("before {}", moment(before)),
        (None, None) => "unknown".to_owned(),
    };
    let _ = writeln!(text, "  when: {window}");
    let _ = write!(text, "  after it: {}", counted(broken.later, "line"));
    let others = report.breaks.saturating_sub(1);
    match others {
        0 => text.push_str(", which are in order\n"),
        _ => {
            let _ = writeln!(text, ", broken at {} more", counted(others, "place"));
        }
    }
    let _ = writeln!(text, "  checked: {}", extent(report));
}

/// Remarks about valid but notable facts.
fn details(text: &mut String, report: &Report) {
    if let Some(cleared) = &report.cleared {
        let _ = writeln!(
            text,
            "  cleared away: records up to {}, the last of them made {}",
            cleared.through,
            moment(cleared.to)
        );
    }
    if report.gaps > 0 {
        let mut numbers: Vec<String> =
            report.torn.iter().map(|torn| torn.seq.to_string()).collect();
        if report.gaps > report.torn.len() as u64 {
            numbers.push("...".to_owned());
        }
        let _ = writeln!(
            text,
            "  torn: {} where a hook was ended while it wrote, before record {}",
            counted(report.gaps, "place"),
            numbers.join(", ")
        );
    }
    if report.side > 0 {
        let records = counted(report.side, "record");
        let _ = writeln!(
            text,
            "  beside: {records} stood beside the chain first, because another process kept it locked"
        );
    }
    if report.lost > 0 {
        let calls = counted(report.lost, "call");
        let _ = writeln!(text, "  lost: {calls} left no record, because it could not be written");
    }
    if report.died > 0 {
        let calls = counted(report.died, "call");
        let _ = writeln!(text, "  died: {calls} (tenter log --event died)");
    }
    if report.unfinished > 0 {
        let _ = writeln!(
            text,
            "  unfinished: a last line of {}; it is being written, or its writer was ended",
            counted(report.unfinished, "byte")
        );
    }
}

fn untold(text: &mut String, beside: &Beside<'_>) {
    if beside.waiting > 0 {
        let records = counted(beside.waiting, "record");
        let _ = writeln!(
            text,
            "  beside: {records} cannot be added to the chain yet, because another process keeps it locked"
        );
    }
    if beside.untold > 0 {
        let calls = counted(beside.untold, "call");
        let _ = writeln!(
            text,
            "  lost: {calls} since then left no record, because it cannot be written (`tenter doctor`)"
        );
    }
}

fn moment(at: u64) -> String {
    format!("{} {}", clock::day(at), clock::time_of_day(at))
}
