//! Formats a record as one line.

use tenter_audit::Record;
use tenter_audit::memory::told;
use tenter_audit::record::Deed;
use tenter_model::text::first_chars;

use super::label;
use super::text::{cut, cut_start, near, one_line, pad, pad_left, short_session, width};
use crate::clock;
use crate::commands::Style;

/// Minimum width of the subject, else columns are dropped.
const LEAST: usize = 28;
/// Minimum width of the terminal for aligning long decisions.
const NARROW: usize = 100;
/// Maximum width of an event with tool name, normally and on a narrow terminal.
const LONGEST_EVENT: usize = 18;
const SHORT_EVENT: usize = 12;
/// Width of a session id on a narrow terminal.
const SHORT_SESSION: usize = 8;

/// Aligned lines. Columns grow with their content.
#[derive(Debug)]
pub(super) struct Lines {
    style: Style,
    /// Width of the terminal; without one nothing is cut.
    room: Option<usize>,
    home: Option<String>,
    day: String,
    id: usize,
    host: usize,
    session: usize,
    event: usize,
    decision: usize,
}

/// Parts of a line with their colours.
type Parts = Vec<(&'static str, String)>;

impl Lines {
    pub(super) fn new(style: Style, room: Option<usize>) -> Self {
        Self {
            style,
            room,
            home: std::env::var("HOME").ok(),
            day: String::new(),
            id: 1,
            host: 6,
            session: 8,
            event: 8,
            decision: 5,
        }
    }

    pub(super) fn set_room(&mut self, room: Option<usize>) {
        self.room = room;
    }

    /// Widens the columns for a record.
    pub(super) fn measure(&mut self, record: &Record<'_>) {
        let wider = |column: &mut usize, text: &str| *column = (*column).max(width(text));
        wider(&mut self.id, &record.seq.to_string());
        wider(&mut self.host, &record.host);
        let session = self.session(record);
        wider(&mut self.session, &session);
        let event = self.event(record);
        wider(&mut self.event, &event);
        let decision = label::decision(record);
        if !self.is_narrow() {
            wider(&mut self.decision, &decision);
        }
    }

    fn is_narrow(&self) -> bool {
        self.room.is_some_and(|room| room < NARROW)
    }

    fn session(&self, record: &Record<'_>) -> String {
        let id = one_line(record.session_id.as_deref().unwrap_or("-"));
        let short = short_session(&id);
        if self.is_narrow() {
            first_chars(short, SHORT_SESSION).to_owned()
        } else {
            short.to_owned()
        }
    }

    fn event(&self, record: &Record<'_>) -> String {
        let event = one_line(&label::event(record));
        match self.room {
            Some(_) if self.is_narrow() => cut(&event, SHORT_EVENT).into_owned(),
            Some(_) => cut(&event, LONGEST_EVENT).into_owned(),
            None => event,
        }
    }

    /// The line with line feed, preceded by the date if it changed.
    pub(super) fn line(&mut self, record: &Record<'_>) -> String {
        self.measure(record);
        let mut text = String::new();
        let day = clock::day(record.at);
        if day != self.day {
            text.push_str(&self.style.paint("1", &day));
            text.push('\n');
            self.day = day;
        }
        let mut parts = self.start(record);
        let used: usize = parts.iter().map(|(_, part)| width(part)).sum();
        let rest = self.room.map(|room| room.saturating_sub(used));
        parts.extend(match rest {
            Some(room) => fitting(record, self.home.as_deref(), room),
            None => joined(subject(record), tail(record)),
        });
        self.paint(&parts, &mut text);
        text.push('\n');
        text
    }

    /// The columns before the subject.
    fn start(&self, record: &Record<'_>) -> Parts {
        let decision = pad(&label::decision(record), self.decision);
        let room = self.room.unwrap_or(usize::MAX);
        let always = self.id + 8 + self.event + self.decision + 8 + LEAST;
        let has_host = room >= always.saturating_add(self.host + 2);
        let has_session = room >= always.saturating_add(self.host + self.session + 4);
        let gap = || ("", "  ".to_owned());
        let mut parts = vec![
            ("2", pad_left(&record.seq.to_string(), self.id)),
            gap(),
            ("", clock::time_of_day(record.at)),
            gap(),
        ];
        if has_host {
            let host = if record.host.is_empty() { "?" } else { record.host.as_ref() };
            parts.extend([("36", pad(&one_line(host), self.host)), gap()]);
        }
        if has_session {
            parts.extend([("2", pad(&self.session(record), self.session)), gap()]);
        }
        parts.extend([("", pad(&self.event(record), self.event)), gap()]);
        parts.extend([(label::colour(told(record)), decision), gap()]);
        parts
    }

    fn paint(&self, parts: &Parts, text: &mut String) {
        // A line never exceeds the terminal's width.
        let mut left = self.room.unwrap_or(usize::MAX);
        let last = parts.iter().rposition(|(_, part)| !part.trim().is_empty()).unwrap_or_default();
        for (at, (colour, part)) in parts.iter().take(last.saturating_add(1)).enumerate() {
            let part = if at == last { part.trim_end() } else { part };
            let part = if self.room.is_some() { cut(part, left) } else { part.into() };
            left = left.saturating_sub(width(&part));
            if colour.is_empty() || part.is_empty() {
                text.push_str(&part);
            } else {
                text.push_str(&self.style.paint(colour, &part));
            }
        }
        // Remove the gap before a part that did not fit.
        text.truncate(text.trim_end_matches(' ').len());
    }
}

/// The part after the subject: rules and marks.
fn tail(record: &Record<'_>) -> Parts {
    let mut tail: Parts = Vec::new();
    for rule in label::rules(record) {
        let counts = record.findings.iter().filter(|found| found.rule == rule);
        let stops = counts.filter(|found| found.excepted.is_none() && found.level != "log").count();
        let colour = if stops > 0 { label::colour(told(record)) } else { "2" };
        tail.push((colour, one_line(rule)));
    }
    tail.extend(label::marks(record).into_iter().map(|mark| ("2", format!("[{mark}]"))));
    tail
}

/// Subject and tail, cut to this width. If it is too small, each gets half.
fn fitting(record: &Record<'_>, home: Option<&str>, room: usize) -> Parts {
    let mut tail = tail(record);
    let file = file(record, home);
    let subject = file.clone().unwrap_or_else(|| subject(record));
    let spare = room.saturating_sub(width(&subject)).max(room / 2);
    let wanted = |tail: &Parts| {
        let parts: usize = tail.iter().map(|(_, part)| width(part).saturating_add(1)).sum();
        if parts == 0 { 0 } else { parts.saturating_add(1) }
    };
    if wanted(&tail) > spare {
        // The check is more informative than its guard.
        for (_, part) in tail.iter_mut().filter(|(_, part)| !part.starts_with('[')) {
            *part = part.rsplit('/').next().unwrap_or_default().to_owned();
        }
    }
    if wanted(&tail) > spare {
        // The first rule is the most informative; if nothing was stopped, a mark says why.
        let (mut marks, mut rules): (Parts, Parts) =
            tail.into_iter().partition(|(_, part)| part.starts_with('['));
        let more = rules.len().saturating_sub(1);
        rules.truncate(1);
        rules.extend((more > 0).then(|| ("2", format!("+{more}"))));
        let is_stopped = matches!(told(record), "deny" | "ask");
        let (first, last) =
            if is_stopped { (&mut rules, &mut marks) } else { (&mut marks, &mut rules) };
        first.append(last);
        tail = std::mem::take(first);
    }
    let left = room.saturating_sub(wanted(&tail).min(spare));
    let subject = match file {
        Some(file) => cut_start(&file, left),
        None => cut(&subject, left).into_owned(),
    };
    joined(subject, tail)
}

/// The file that a call is about, if any.
fn file(record: &Record<'_>, home: Option<&str>) -> Option<String> {
    let [deed] = record.actions.as_slice() else { return None };
    let path = match deed {
        Deed::Read { path, .. }
        | Deed::Write { path, .. }
        | Deed::Edit { path, moved_to: None, .. }
        | Deed::Delete { path } => path.as_deref()?,
        _ => return None,
    };
    Some(one_line(&near(path, record.cwd.as_deref(), home)))
}

fn joined(subject: String, tail: Parts) -> Parts {
    let mut parts = vec![("", subject)];
    let mut gap = if parts.iter().all(|(_, part)| part.is_empty()) { "" } else { "  " };
    for part in tail {
        parts.extend([("", gap.to_owned()), part]);
        gap = " ";
    }
    parts
}

fn subject(record: &Record<'_>) -> String {
    let subject = one_line(&record.subject());
    if subject.is_empty()
        && let Some(note) = record.notes.first()
    {
        return one_line(note);
    }
    // The agent that started or ended, and its task.
    if let Some(kind) =
        record.agent.kind.as_deref().filter(|_| record.event.starts_with("Subagent"))
    {
        let kind = one_line(kind);
        return if subject.is_empty() { kind } else { format!("{kind}: {subject}") };
    }
    let is_left_out = subject.is_empty() && (!record.actions.is_empty() || record.prompt.is_some());
    if is_left_out { "(not kept)".to_owned() } else { subject }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record<'static>> {
        [
            r#"{"seq":1,"host":"claude","event":"UserPromptSubmit","prompt":"表計算 表計算 表計算 表計算 表計算 表計算"}"#,
            r#"{"seq":123456,"host":"codex","session_id":"019a8f3e-1b2c-7abc-8333-444455556666","event":"PreToolUse","tool":"a_tool_with_a_very_long_name","decision":"deny","enforcement":"advisory","actions":[{"do":"shell","command":"cd app && git reset --hard HEAD~3 && git push --force origin main"}],"findings":[{"rule":"destructive-git/discard-changes","level":"deny"},{"rule":"destructive-git/force-push","level":"log"}],"again":true,"lost":3}"#,
            r#"{"seq":2,"event":"Stop"}"#,
        ]
        .map(|line| Record::parse(line).unwrap())
        .into()
    }

    /// The last line printed, aligned with the others.
    fn shown(style: Style, room: Option<usize>, which: usize) -> String {
        let mut lines = Lines::new(style, room);
        for record in records() {
            lines.measure(&record);
        }
        let text = lines.line(records().get(which).unwrap());
        text.lines().last().unwrap_or_default().to_owned()
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for room in 0..200 {
            for which in 0..3 {
                let line = shown(Style::Plain, Some(room), which);
                assert!(width(&line) <= room, "{room}: {line}");
                assert!(!line.ends_with(' '), "{room}: {line}");
            }
        }
    }

    #[test]
    fn a_narrow_terminal_keeps_what_tells_most() {
        assert_eq!(
            shown(Style::Plain, Some(80), 1),
            "123456  00:00:00  codex   pre a_tool_…  deny (advisory)  cd app && g…  discard-…"
        );
        assert_eq!(
            shown(Style::Plain, Some(60), 1),
            "123456  00:00:00  pre a_tool_…  deny (advisory)  cd ap…  di…"
        );
        assert_eq!(
            shown(Style::Plain, Some(140), 1),
            "123456  00:00:00  codex   019a8f3e-1b2c  pre a_tool_with_a…  deny (advisory)  \
             cd app && git reset --hard HEA…  discard-changes +1 [again] […"
        );
    }

    #[test]
    fn where_nothing_was_stopped_the_mark_says_why() {
        let line = r#"{"seq":7,"host":"claude","session_id":"s","event":"PreToolUse","tool":"Bash","actions":[{"do":"shell","command":"git reset --hard HEAD~3"}],"allowed_once":true,"findings":[{"rule":"destructive-git/discard-changes","level":"ask"},{"rule":"destructive-git/move-commits","level":"log"}]}"#;
        let record = Record::parse(line).unwrap();
        let text = Lines::new(Style::Plain, Some(90)).line(&record);
        assert_eq!(
            text.lines().last().unwrap_or_default(),
            "7  00:00:00  claude  s         pre Bash  none   git reset --hard HEA…  [allowed once] dis…"
        );
    }

    #[test]
    fn of_a_file_the_end_is_shown_as_the_session_sees_it() {
        let line = r#"{"seq":7,"host":"cursor","session_id":"s","event":"PreToolUse","tool":"Read","cwd":"/srv/shop","actions":[{"do":"read","path":"/srv/shop/packages/web/src/components/checkout/Form.tsx"}],"decision":"ask","findings":[{"rule":"sensitive-files/environment-file","level":"ask"}]}"#;
        let record = Record::parse(line).unwrap();
        let shown = |room: Option<usize>| {
            let text = Lines::new(Style::Plain, room).line(&record);
            text.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(
            shown(Some(80)),
            "7  00:00:00  cursor  s         pre Read  ask    …eckout/Form.tsx  environment-f…"
        );
        assert_eq!(
            shown(Some(140)),
            "7  00:00:00  cursor  s         pre Read  ask    \
             packages/web/src/components/checkout/Form.tsx  sensitive-files/environment-file"
        );
        assert!(
            shown(None).contains("  /srv/shop/packages/web/src/components/checkout/Form.tsx  ")
        );
    }

    #[test]
    fn colours_take_no_room() {
        let painted = shown(Style::Colour, Some(80), 1);
        assert!(painted.contains("\u{1b}[1;31mdeny (advisory)\u{1b}[0m"), "{painted:?}");
        let mut bare = painted;
        for code in ["1;31", "36", "2", "0"] {
            bare = bare.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(bare, shown(Style::Plain, Some(80), 1));
    }
}
