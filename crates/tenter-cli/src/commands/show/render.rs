//! Prints the story as text.

use tenter_engine::diagnostic::printable;
use unicode_width::UnicodeWidthStr;

use super::super::log::text::{cut, squeezed, thousands};
use super::chains::{Then, What};
use super::diff::FileDiff;
use super::header::LeftOut;
use super::page::{Page, size};
use super::step::{Kind, Step, StepOutcome};
use crate::clock;

/// Minimum pause that is printed.
const PAUSE: u64 = 30 * 60 * 1000;
/// Width of tool names.
const NAME: usize = 7;

const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";
const ALARM: &str = "1;31";
const QUESTION: &str = "1;33";

/// State of what was printed, to avoid repetition.
#[derive(Debug, Default)]
pub(super) struct Teller {
    group: Option<u64>,
    last_at: Option<u64>,
    agent: Option<String>,
    /// Whether a part was just omitted.
    after_gap: bool,
    /// Suggestions shown in this turn: a guard repeats itself.
    proposed: Vec<String>,
    /// Number of events not shown.
    pub(super) hidden: u64,
}

impl Teller {
    /// The lines between the two parts of a long session.
    pub(super) fn left_out(&mut self, page: &Page, left_out: LeftOut) -> Vec<String> {
        self.after_gap = true;
        self.last_at = None;
        page.left_out(left_out)
    }

    /// The lines of a step, with a heading at the start of a turn.
    pub(super) fn tell(&mut self, page: &Page, step: &Step) -> Vec<String> {
        let mut lines = Vec::new();
        if page.hides(step) {
            self.hidden = self.hidden.saturating_add(1);
            return lines;
        }
        if self.group != Some(step.group) {
            let first = self.group.replace(step.group).is_none();
            self.proposed.clear();
            let goes_on = std::mem::take(&mut self.after_gap) && step.kind != Kind::Prompt;
            if !goes_on {
                lines.extend(page.heading(step).into_iter().skip(usize::from(first)));
            }
        }
        if let Some(before) = self.last_at.filter(|at| step.at.saturating_sub(*at) >= PAUSE) {
            let later = format!("{} later", clock::length(step.at.saturating_sub(before)));
            let day = clock::day(step.at);
            let text = if clock::day(before) == day { later } else { format!("{later}, {day}") };
            lines.push(page.ink(DIM, &format!("{}{text}", " ".repeat(page.margin()))));
        }
        self.last_at = Some(step.until.max(self.last_at.unwrap_or_default()));
        lines.extend(page.missing(step));
        let label = step.agent.as_ref().map(|agent| agent.label.clone());
        // The agent is named only when it changes.
        let named = label != self.agent && step.agent.is_some();
        lines.extend(page.step(step, named, &self.proposed));
        let proposed = step.findings.iter().filter_map(|found| found.instead.clone());
        self.proposed.extend(proposed.filter(|_| step.is_denied() || step.is_asked()));
        self.agent = label;
        lines
    }
}

/// Coloured words at the right end of a line.
type Words = Vec<(&'static str, String)>;
/// A line below a step, with its colour.
type Below = (&'static str, String);

impl Page {
    /// Whether to skip frequent events without information.
    fn hides(&self, step: &Step) -> bool {
        let quiet = match step.kind {
            Kind::Other => true,
            Kind::Response | Kind::Thought => step.text.is_none(),
            _ => false,
        };
        let said = step.decision.is_some() || !step.findings.is_empty() || step.lost > 0;
        quiet && !said && step.torn == 0 && !self.full
    }

    fn heading(&self, step: &Step) -> Vec<String> {
        let title = match step.turn {
            Some(0) => return Vec::new(),
            Some(turn) => format!("\u{2500}\u{2500} Turn {turn} "),
            None => "\u{2500}\u{2500} Turn ".to_owned(),
        };
        let rest = self.width.saturating_sub(title.width());
        let line = format!("{title}{}", "\u{2500}".repeat(rest));
        vec![String::new(), self.ink("1", &line)]
    }

    /// Records missing before this step.
    fn missing(&self, step: &Step) -> Vec<String> {
        let mut lines = Vec::new();
        let indent = " ".repeat(self.margin());
        if step.lost > 0 {
            let calls = if step.lost == 1 { "1 call" } else { &format!("{} calls", step.lost) };
            let text = format!("{indent}! {calls} before this left no record");
            lines.push(self.ink(YELLOW, &text));
        }
        if step.torn > 0 {
            let text = format!("{indent}! a torn record of {} is before this", size(step.torn));
            lines.push(self.ink(YELLOW, &text));
        }
        lines
    }

    fn left_out(&self, left_out: LeftOut) -> Vec<String> {
        let stopped = match (left_out.denied, left_out.asked) {
            (0, 0) => String::new(),
            (denied, 0) => format!(", {} of them denied", thousands(denied)),
            (0, asked) => format!(", {} of them asked", thousands(asked)),
            (denied, asked) => {
                format!(", {} of them denied and {} asked", thousands(denied), thousands(asked))
            }
        };
        let records = thousands(left_out.records);
        let text = format!("\u{2026} {records} records left out{stopped}; --full shows all");
        vec![String::new(), self.ink(YELLOW, &text)]
    }

    fn step(&self, step: &Step, named: bool, proposed: &[String]) -> Vec<String> {
        let tree = tree(step);
        let time = clock::time_of_day(step.at);
        let front = format!("{time}  {:>digits$}  {tree}", step.seq(), digits = self.digits);
        let mut lines = match step.kind {
            Kind::Tool => vec![self.tool(step, &front, named)],
            Kind::Prompt => self.prompt(step, &front),
            _ => vec![self.event(step, &front)],
        };
        let indent = self.margin().saturating_add(tree.width());
        let indent = if step.kind == Kind::Tool { indent + NAME + 1 } else { indent + 2 };
        // Tree guides for the lines below.
        let guides = format!("{}{}", " ".repeat(self.margin()), guides(step));
        let pad = " ".repeat(indent.saturating_sub(guides.width()));
        let prefix = format!("{}{pad}", self.ink(DIM, &guides));
        let prefix = if step.agent.is_none() { " ".repeat(indent) } else { prefix };
        for (code, text) in self.details(step, indent, proposed) {
            let line = format!("{prefix}{}", self.ink(code, &text));
            lines.push(if text.is_empty() { line.trim_end().to_owned() } else { line });
        }
        lines
    }

    /// A line with words at its right end.
    fn row(&self, front: &str, name: &str, subject: &str, words: &Words) -> String {
        let end: Vec<&str> = words.iter().map(|(_, word)| word.as_str()).collect();
        let end = end.join("  ");
        let used = front.width().saturating_add(name.width());
        let room = self.width.saturating_sub(used).saturating_sub(end.width());
        let gap = usize::from(!end.is_empty()) * 2;
        let subject = squeezed(subject, room.saturating_sub(gap).max(8));
        let fill = " ".repeat(room.saturating_sub(subject.width()));
        let painted: Vec<String> = words.iter().map(|(code, word)| self.ink(code, word)).collect();
        let front = self.ink(DIM, front);
        let name = self.ink("36", name);
        if words.is_empty() {
            return format!("{front}{name}{subject}").trim_end().to_owned();
        }
        format!("{front}{name}{subject}{fill}{}", painted.join("  "))
    }

    fn tool(&self, step: &Step, front: &str, named: bool) -> String {
        let tool = step.tool.as_deref().or(step.native_tool.as_deref()).unwrap_or("tool");
        let name = format!("{:NAME$} ", squeezed(tool, 24));
        let subject = self.subject(step);
        let who = step.agent.as_ref().filter(|_| named);
        let subject = match who {
            Some(agent) => format!("[{}] {subject}", agent.label),
            None => subject,
        };
        self.row(front, &name, &subject, &status(step))
    }

    fn subject(&self, step: &Step) -> String {
        let text = step.subject.as_deref().unwrap_or_default();
        if let Some((first, _)) = lines_of_command(step) {
            return format!("{first} \u{2026}");
        }
        if step.command.is_some() || step.paths.is_empty() {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        for path in &step.paths {
            text = text.replace(path.as_str(), &self.path(path));
        }
        text
    }

    fn prompt(&self, step: &Step, front: &str) -> Vec<String> {
        let indent = front.width().saturating_add(2);
        let text = match (&step.text, step.text_bytes) {
            (Some(text), _) => text.clone(),
            (None, Some(bytes)) => format!("(a prompt of {}, not kept)", size(bytes)),
            (None, None) => "(no text)".to_owned(),
        };
        let mut wrapped = self.wrapped(&text, indent, 4).into_iter();
        let first = wrapped.next().unwrap_or_default();
        let mut end = String::new();
        for (code, word) in status(step) {
            end = format!("{end}  {}", self.ink(code, &word));
        }
        let (front, mark) = (self.ink(DIM, front), self.ink("1;35", ">"));
        let mut lines = vec![format!("{front}{mark} {}{end}", self.ink("1", &first))];
        for line in wrapped {
            let line = format!("{}{}", " ".repeat(indent), self.ink("1", &line));
            lines.push(line.trim_end().to_owned());
        }
        for path in &step.attachments {
            let text = format!("with {}", printable(&self.path(path)));
            lines.push(format!("{}{}", " ".repeat(indent), self.ink(DIM, &text)));
        }
        if step.more_attachments > 0 {
            let text = format!("and {} files more", step.more_attachments);
            lines.push(format!("{}{}", " ".repeat(indent), self.ink(DIM, &text)));
        }
        lines
    }

    /// The line of any other event.
    fn event(&self, step: &Step, front: &str) -> String {
        let detail = step.detail.as_deref();
        let with = |name: &str| match detail {
            Some(detail) => format!("{name}: {detail}"),
            None => name.to_owned(),
        };
        let label = step.agent.as_ref().map_or("subagent", |agent| agent.label.as_str());
        let text = step.text.as_deref().unwrap_or_default();
        let text = match step.kind {
            Kind::SessionStart => with("session start"),
            Kind::SessionEnd => with("session end"),
            Kind::SubagentStart if text.is_empty() => format!("{label} starts"),
            Kind::SubagentStart => format!("{label} starts: {text}"),
            Kind::SubagentStop => with(&format!("{label} stops")),
            Kind::Compaction => with("context compacted"),
            Kind::Response if text.is_empty() => "answer".to_owned(),
            Kind::Response => format!("answer: {text}"),
            Kind::Thought if text.is_empty() => "thought".to_owned(),
            Kind::Thought => format!("thought: {text}"),
            Kind::Stop => match step.loop_count.filter(|count| *count > 0) {
                Some(count) => format!("{}, loop {count}", with("stop")),
                None => with("stop"),
            },
            Kind::Notification => match detail {
                Some(detail) => format!("notification ({detail}): {text}"),
                None => format!("notification: {text}"),
            },
            Kind::Prompt | Kind::Tool | Kind::Other => {
                step.events.first().map_or("event", String::as_str).to_owned()
            }
        };
        self.row(front, "", &text, &status(step))
    }

    /// The lines below a step.
    fn details(&self, step: &Step, indent: usize, proposed: &[String]) -> Vec<Below> {
        let mut lines: Vec<Below> = Vec::new();
        let mut say = |code: &'static str, text: &str, most: usize| {
            lines.extend(self.wrapped(text, indent, most).into_iter().map(|line| (code, line)));
        };
        if let Some((_, rest)) = lines_of_command(step) {
            say(DIM, rest, 4);
        }
        findings(step, proposed, &mut say);
        if let Some(then) = step.then {
            say(then_colour(then), &then_words(then), 2);
        }
        if let Some(error) = step.error.as_deref().filter(|_| !step.is_denied()) {
            say(RED, error, 3);
        }
        for change in &step.rewritten {
            say(YELLOW, &format!("{} was rewritten", change.field), 1);
            let from = change.from.as_deref().unwrap_or("(not in the record)");
            say(RED, &format!("- {from}"), 4);
            say(GREEN, &format!("+ {}", change.to.as_deref().unwrap_or("(not kept)")), 4);
        }
        if let Some(session) = &step.own_session {
            say(DIM, &format!("has a session of its own: tenter show {session}"), 1);
        }
        for loss in &step.losses {
            say(DIM, &format!("not passed on: {loss}"), 2);
        }
        if self.full {
            for note in &step.notes {
                say(DIM, &format!("note: {note}"), 2);
            }
        }
        for edit in &step.edits {
            self.diff(edit, step.edits.len() > 1, indent, &mut lines);
        }
        lines
    }

    fn diff(&self, edit: &FileDiff, several: bool, indent: usize, lines: &mut Vec<Below>) {
        let room = self.width.saturating_sub(indent).max(20);
        if several && let Some(path) = edit.path.as_deref() {
            let what = match edit.bytes {
                _ if edit.deleted => "  deleted".to_owned(),
                Some(bytes) if edit.lines.is_empty() => format!("  written, {}", size(bytes)),
                _ => String::new(),
            };
            lines.push((
                "1",
                cut(&printable(&format!("{}{what}", self.path(path))), room).into_owned(),
            ));
        }
        for line in &edit.lines {
            let code = match line.chars().next() {
                Some('+') => GREEN,
                Some('-') => RED,
                _ => DIM,
            };
            let line = line.replace('\t', "    ");
            if self.full {
                let all = self.wrapped(&line, indent, usize::MAX);
                lines.extend(all.into_iter().map(|line| (code, line)));
            } else {
                lines.push((code, cut(&printable(&line), room).into_owned()));
            }
        }
        if edit.more > 0 {
            lines.push((DIM, format!("\u{2026} {} more lines", thousands(edit.more))));
        } else if edit.incomplete && edit.is_known() {
            lines.push((DIM, "\u{2026} the record has no more of it".to_owned()));
        }
    }
}

/// The first line of a multi-line command, and the rest.
fn lines_of_command(step: &Step) -> Option<(&str, &str)> {
    let command = step.command.as_deref()?.trim();
    let (first, rest) = command.split_once('\n')?;
    Some((first.trim_end(), rest))
}

/// Findings of guards and rules, with suggestions.
fn findings(step: &Step, proposed: &[String], say: &mut dyn FnMut(&'static str, &str, usize)) {
    let stopped = step.is_denied() || step.is_asked();
    let mut spoken = false;
    for found in &step.findings {
        let code = match &*found.level {
            "deny" if stopped => RED,
            "ask" if stopped => YELLOW,
            _ => DIM,
        };
        let what = found.what.as_deref().unwrap_or(&found.level);
        match &found.excepted {
            Some(why) => say(DIM, &format!("{} is excepted: {why}", found.rule), 2),
            None => say(code, &format!("{}: {what}", found.rule), 3),
        }
        let new = found.instead.as_ref().filter(|it| stopped && !proposed.contains(it));
        if let Some(instead) = new {
            say(DIM, &format!("instead: {instead}"), 2);
        }
        spoken = true;
    }
    let answered = stopped || step.decision_after.as_deref() == Some("deny");
    // The reason given by a handler or person, unless a finding says it.
    if let Some(reason) = step.reason.as_deref().filter(|_| answered && !spoken) {
        say(YELLOW, reason, 3);
    }
}

/// Tree branches before a step.
fn tree(step: &Step) -> String {
    let Some(agent) = &step.agent else { return String::new() };
    let bars = |count: usize| "\u{2502} ".repeat(count.min(8));
    match step.kind {
        Kind::SubagentStart => format!("{}\u{250c} ", bars(agent.depth.saturating_sub(1))),
        Kind::SubagentStop => format!("{}\u{2514} ", bars(agent.depth.saturating_sub(1))),
        _ => bars(agent.depth),
    }
}

/// Tree guides before the lines below a step.
fn guides(step: &Step) -> String {
    let Some(agent) = &step.agent else { return String::new() };
    let last = step.kind == Kind::SubagentStop;
    "\u{2502} ".repeat(agent.depth.saturating_sub(usize::from(last)).min(8))
}

/// Words at the right end of a step.
fn status(step: &Step) -> Words {
    let mut words = Words::new();
    if step.slipped() {
        words.push((ALARM, "DENIED, YET IT RAN".to_owned()));
    } else if step.is_denied() {
        let soft = step.enforcement.as_deref().filter(|it| matches!(*it, "advisory" | "none"));
        words.push(match (step.kind, soft) {
            (Kind::Stop | Kind::SubagentStop, _) => (QUESTION, "MADE TO GO ON".to_owned()),
            (_, Some(soft)) => (ALARM, format!("DENIED ({soft})")),
            _ => (ALARM, "DENIED".to_owned()),
        });
    } else if step.is_asked() {
        words.push(match step.outcome {
            StepOutcome::Ran => (QUESTION, "ASKED, RAN".to_owned()),
            _ => (QUESTION, "ASKED".to_owned()),
        });
    }
    if step.host_asked() {
        words.push((DIM, "the host asked".to_owned()));
    }
    if step.allowed_once {
        words.push((YELLOW, "allowed once".to_owned()));
    }
    if step.decision_after.as_deref() == Some("deny") {
        words.push((YELLOW, "objected afterwards".to_owned()));
    }
    if step.outcome == StepOutcome::Failed && !step.is_denied() {
        words.push((RED, "failed".to_owned()));
    }
    if let Some(code) = step.exit_code.filter(|code| *code != 0) {
        words.push((RED, format!("exit {code}")));
    }
    let (added, removed) = step.edits.iter().fold((0_u64, 0_u64), |(added, removed), edit| {
        (added.saturating_add(edit.added), removed.saturating_add(edit.removed))
    });
    if added > 0 || removed > 0 {
        words.push((DIM, format!("+{added} -{removed}")));
    } else if let Some(bytes) = step.edits.iter().find_map(|edit| edit.bytes) {
        words.push((DIM, size(bytes)));
    }
    if step.more_actions > 0 {
        words.push((DIM, format!("{} more actions", step.more_actions)));
    }
    if let Some(ms) = step.duration_ms {
        words.push((DIM, clock::length(ms)));
    }
    words
}

fn then_words(then: Then) -> String {
    let count = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let tries = [count(then.denied_again, "denied"), count(then.asked, "asked")];
    let tries = tries.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let after =
        if tries.is_empty() { String::new() } else { format!(", after more tries: {tries}") };
    let at = then.record.map(|record| format!(" ({record})")).unwrap_or_default();
    match then.what {
        What::AllowedOnce => format!("then: a human allowed it once{at}{after}"),
        What::SafeAlternative => format!("then: did the safe alternative{at}{after}"),
        What::AnotherWay => format!("then: tried another way{at}{after}"),
        What::TriedAgain => format!("then: tried again ({tries})"),
        What::GaveUp => "then: gave up".to_owned(),
    }
}

fn then_colour(then: Then) -> &'static str {
    match then.what {
        What::AllowedOnce | What::AnotherWay => YELLOW,
        What::SafeAlternative => GREEN,
        What::TriedAgain => RED,
        What::GaveUp => DIM,
    }
}
