//! Finds tool calls in recent transcripts that left no record.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::Value;
use tenter_hosts::install::Scope;
use tenter_hosts::sessions::{Known, Trace, Transcript};
use tenter_model::{HostId, time};
use tenter_setup::Places;
use tenter_setup::doctor::{Facts, Unseen};
use tenter_setup::survey::Survey;

/// Maximum number of transcripts per host.
const TRANSCRIPTS: usize = 3;
/// Number of bytes read from the end of a transcript, and of the record.
const LONGEST_TRANSCRIPT: u64 = 4 << 20;
const LONGEST_RECORD: u64 = 64 << 20;
/// Maximum number of files and folders searched for transcripts.
const MOST: usize = 5_000;
/// Tolerance in seconds for sessions active during install, and for calls in progress.
const SLACK: u64 = 60;

/// Tool calls since the install that never reached us.
pub(crate) fn unseen(facts: &Facts, places: &Places, survey: &Survey) -> Vec<Unseen> {
    let Some(state) = places.state.as_deref() else { return Vec::new() };
    let mut unseen = Vec::new();
    let mut records = None;
    for host in HostId::ALL {
        let sessions = tenter_hosts::host(host).sessions();
        let (Some(transcript), Some(trace)) = (&sessions.transcript, sessions.traces.first())
        else {
            continue;
        };
        let mut files = survey.host(host).into_iter().flat_map(|it| it.in_scope(Scope::User));
        let Some(file) = files.find(|file| file.ours().next().is_some()) else { continue };
        let entry = facts.ledger.entry(&file.path).filter(|entry| entry.written.is_some());
        let (Some(entry), Some(folder)) = (entry, file.path.parent()) else { continue };
        let since = entry.at.saturating_add(SLACK);
        let transcripts = newest(trace, folder, since);
        if transcripts.is_empty() {
            continue;
        }
        let records = records.get_or_insert_with(|| Records::read(&state.join("audit")));
        let signs = facts.signs.iter().filter(|sign| sign.host == host);
        let sign = signs.map(|sign| sign.at_ms / 1000).max();
        // Hooks run but nothing is recorded: the policy may disable recording.
        if records.last(host).is_none() && sign.is_some_and(|sign| sign >= since) {
            continue;
        }
        let span =
            Span { since: since.max(records.since), until: places.now.saturating_sub(SLACK) };
        let of = |path: PathBuf| one((host, transcript), path, &span, records);
        unseen.extend(transcripts.into_iter().filter_map(of));
    }
    unseen
}

/// Time range in seconds.
struct Span {
    since: u64,
    until: u64,
}

impl Span {
    /// Whether a transcript time (`2026-11-18T07:12:33.123Z`) is in the range.
    fn has(&self, time: &str) -> bool {
        time > iso(self.since).as_str() && time < iso(self.until).as_str()
    }
}

fn iso(seconds: u64) -> String {
    let ms = seconds.saturating_mul(1000);
    let ((year, month, day), (hour, minute, second, _)) = (time::date(ms), time::clock(ms));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// Calls known from the newest records.
struct Records {
    calls: BTreeSet<String>,
    sessions: BTreeSet<String>,
    /// Time of each host's last record, in seconds.
    last: Vec<(String, u64)>,
    /// Records before this time were not read; zero if all were.
    since: u64,
}

impl Records {
    fn read(folder: &Path) -> Self {
        let mut records =
            Self { calls: BTreeSet::new(), sessions: BTreeSet::new(), last: Vec::new(), since: 0 };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<(u64, PathBuf)> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .filter_map(|path| Some((changed(&path)?, path)))
            .collect();
        files.sort_unstable_by(|one, other| other.cmp(one));
        let more = files.len() > 2;
        for (_, path) in files.into_iter().take(2) {
            let (text, whole) = tail(&path, LONGEST_RECORD);
            let mut first = None;
            for line in text.lines() {
                let text = |key: &str| {
                    let (_, rest) = line.split_once(&format!("\"{key}\":\""))?;
                    rest.split_once('"').map(|(value, _)| value.to_owned())
                };
                let at = line.split_once("\"at\":").map(|(_, rest)| number(rest) / 1000);
                first = first.or(at);
                records.calls.extend(text("call_id"));
                records.sessions.extend(text("session_id"));
                if let (Some(host), Some(at)) = (text("host"), at) {
                    match records.last.iter_mut().find(|(known, _)| *known == host) {
                        Some((_, last)) => *last = at.max(*last),
                        None => records.last.push((host, at)),
                    }
                }
            }
            if !whole || more {
                records.since = records.since.max(first.unwrap_or_default());
            }
        }
        records
    }

    fn last(&self, host: HostId) -> Option<u64> {
        self.last.iter().find(|(known, _)| known == host.as_str()).map(|(_, at)| *at)
    }
}

fn number(text: &str) -> u64 {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// Calls of one transcript without a record. `None` if there are none, or if later ones are recorded again.
fn one(
    (host, transcript): (HostId, &Transcript),
    path: PathBuf,
    span: &Span,
    records: &Records,
) -> Option<Unseen> {
    let (lines, _) = tail(&path, LONGEST_TRANSCRIPT);
    let mut missing: Vec<String> = Vec::new();
    let (mut of, mut last, mut session) = (0, String::new(), None);
    for line in lines.lines() {
        // Most lines are long and contain no calls.
        let is_call = line.contains("tool_use\"") || line.contains("_call\"");
        if !is_call && !line.contains("\"session_meta\"") {
            continue;
        }
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let time = text(&line, "/timestamp");
        if text(&line, "/type") == "session_meta" {
            // A subagent's hooks report its parent's session.
            if line.pointer("/payload/source").is_some_and(Value::is_object) {
                return None;
            }
            session = Some(text(&line, "/payload/id").to_owned()).filter(|id| !id.is_empty());
        }
        for (id, tool) in (transcript.calls)(&line) {
            if !span.has(time) {
                continue;
            }
            of += 1;
            last = last.max(time.to_owned());
            let known = match transcript.known {
                Known::BySession => session.as_ref().is_none_or(|it| records.sessions.contains(it)),
                Known::ByCall => records.calls.contains(&id),
            };
            if !known {
                missing.push(tool);
            }
        }
    }
    // A host that is recorded again is guarded again.
    let heard = records.last(host).is_some_and(|at| iso(at) > last);
    let tool = missing.first().cloned().filter(|_| !heard)?;
    Some(Unseen { host, transcript: path, calls: missing.len(), of, tool })
}

/// The string at a JSON pointer; empty if there is none.
fn text<'v>(value: &'v Value, place: &str) -> &'v str {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default()
}

/// The newest transcripts modified since then.
fn newest(trace: &Trace, folder: &Path, since: u64) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MOST;
    collect(&folder.join(trace.folder), trace.levels, &mut left, &mut found);
    found.retain(|(at, _)| *at > since);
    found.sort_unstable_by(|one, other| other.cmp(one));
    found.into_iter().take(TRANSCRIPTS).map(|(_, path)| path).collect()
}

fn collect(folder: &Path, levels: usize, left: &mut usize, found: &mut Vec<(u64, PathBuf)>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.take(*left).collect();
    *left = left.saturating_sub(entries.len());
    // Later names first: many contain a date.
    entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.file_name()));
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && levels > 1 => collect(&path, levels - 1, left, found),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|it| it == "jsonl") => {
                found.extend(changed(&path).map(|at| (at, path)));
            }
            _ => {}
        }
    }
}

fn changed(path: &Path) -> Option<u64> {
    let time =
        std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

/// The end of a file from a line start, and whether that is the whole file.
fn tail(path: &Path, longest: u64) -> (String, bool) {
    let read = || -> std::io::Result<(Vec<u8>, bool)> {
        let mut file = tenter_files::open(path, tenter_files::Whose::Anyone)?;
        let skipped = file.metadata()?.len().saturating_sub(longest);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(longest).read_to_end(&mut bytes)?;
        Ok((bytes, skipped == 0))
    };
    let (bytes, whole) = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if whole {
        return (text, true);
    }
    let rest = text.split_once('\n').map(|(_, rest)| rest.to_owned());
    (rest.unwrap_or_default(), false)
}
