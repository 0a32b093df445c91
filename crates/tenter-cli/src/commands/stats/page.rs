//! Prints the statistics as text.

use tenter_audit::store::{Group, Latency, Stats};

use super::super::Style;
use super::super::log::text::{cut, cut_start, one_line, thousands, tilde, width};
use super::grid::{self, Cell};
use super::silent::Silent;
use super::{Key, Span, spark};
use crate::clock;

/// Maximum number of groups.
const GROUPS: usize = 20;
/// Maximum and minimum width of the bars.
const BARS: usize = 60;
const FEW_BARS: usize = 8;
/// Maximum width of a name on a terminal.
const NAME: usize = 40;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const GREEN: &str = "32";
const CYAN: &str = "36";
const DIM: &str = "2";

pub(super) struct Page<'p> {
    pub(super) stats: &'p Stats,
    pub(super) silent: &'p [Silent],
    pub(super) span: Span,
    pub(super) by: Key,
    pub(super) style: Style,
    pub(super) room: Option<usize>,
    pub(super) home: Option<&'p str>,
}

impl Page<'_> {
    pub(super) fn render(&self) -> String {
        let sections = [
            self.summary(),
            self.groups(),
            self.latency(),
            self.tops("commands", &self.stats.commands),
            self.tops("files", &self.stats.files),
            self.alarms(),
            self.silent(),
            self.lost(),
        ];
        let there: Vec<String> = sections.into_iter().filter(|it| !it.is_empty()).collect();
        there.join("\n")
    }

    fn summary(&self) -> String {
        let total = &self.stats.total;
        let last = self.span.until.saturating_sub(1);
        let days = format!("{} to {}", clock::day(self.span.since), clock::day(last));
        if total.records == 0 {
            let latest = self.stats.last_heard.iter().map(|(_, at)| *at).max().unwrap_or_default();
            return format!("no events from {days}; the latest is of {}\n", clock::day(latest));
        }
        let said = |count: u64, what: &str, colour: &str| {
            let text = format!("{} {what}", thousands(count));
            if count == 0 { text } else { self.style.paint(colour, &text) }
        };
        let events = if total.records == 1 { "event" } else { "events" };
        format!(
            "{days}: {}, {}, {}, {}\n",
            said(total.records, events, "1"),
            said(total.denied, "denied", RED),
            said(total.asked, "asked", YELLOW),
            said(total.allowed_once, "allowed once", CYAN),
        )
    }

    fn groups(&self) -> String {
        let mut groups: Vec<&Group> = self.stats.groups.iter().collect();
        if groups.is_empty() {
            return String::new();
        }
        let is_day = self.by == Key::Day;
        if is_day {
            groups.sort_by(|a, b| b.name.cmp(&a.name));
        }
        let most = if is_day { usize::MAX } else { GROUPS };
        let left_out = groups.len().saturating_sub(most);
        groups.truncate(most);
        let days = self.days();
        let names: Vec<String> = groups.iter().map(|group| self.name(&group.name)).collect();
        let bars = self.bars(&names, &groups);
        let heading = if is_day { "share".to_owned() } else { spark::heading(days.len(), bars) };
        let highest = groups.iter().map(|group| group.count.records).max().unwrap_or_default();
        let row = |(group, name): (&&Group, &String)| {
            let count = &group.count;
            let bar = if is_day {
                share(count.records, highest, bars.min(40))
            } else {
                spark::line(&self.on_days(&days, group), bars)
            };
            vec![
                Cell::plain(name),
                Cell::count(count.records, ""),
                Cell::count(count.denied, RED),
                Cell::count(count.asked, YELLOW),
                Cell::count(count.allowed_once, CYAN),
                Cell::painted(bar, GREEN),
            ]
        };
        let rows: Vec<Vec<Cell>> = groups.iter().zip(&names).map(row).collect();
        let headings = [self.by.name(), ">events", ">deny", ">ask", ">once", &heading];
        let mut text = grid::render(&headings, &rows, self.style, self.room);
        if left_out > 0 {
            let rest = format!("and {} more: `--json` lists all", thousands(left_out as u64));
            text.push_str(&self.style.paint(DIM, &rest));
            text.push('\n');
        }
        text
    }

    /// The name of a group on one line.
    fn name(&self, name: &str) -> String {
        let name = if name.is_empty() { "unknown".to_owned() } else { one_line(name) };
        match self.room {
            Some(_) => cut(&name, NAME).into_owned(),
            None => name,
        }
    }

    /// Number of bars that fit.
    fn bars(&self, names: &[String], groups: &[&Group]) -> usize {
        let Some(room) = self.room else { return BARS };
        let name = names.iter().map(|it| width(it)).max().unwrap_or_default();
        let number = |of: fn(&Group) -> u64, heading: usize| {
            let widest = groups.iter().map(|group| thousands(of(group)).len()).max();
            widest.unwrap_or_default().max(heading).saturating_add(2)
        };
        let used = name
            .max(self.by.name().len())
            .saturating_add(number(|it| it.count.records, 6))
            .saturating_add(number(|it| it.count.denied, 4))
            .saturating_add(number(|it| it.count.asked, 3))
            .saturating_add(number(|it| it.count.allowed_once, 4))
            .saturating_add(2);
        room.saturating_sub(used).clamp(FEW_BARS, BARS)
    }

    /// All days from the first record to the end of the range.
    fn days(&self) -> Vec<String> {
        let last = self.span.until.saturating_sub(1);
        let first = self.stats.days.first().map(|(day, _)| day.clone()).unwrap_or_default();
        let begin = |at: u64| tenter_audit::memory::day(at);
        let mut days = Vec::new();
        let mut at = last;
        loop {
            let day = begin(at);
            let is_first = day <= first;
            days.push(day);
            if is_first || at < DAY_MS {
                break;
            }
            at = at.saturating_sub(DAY_MS);
        }
        days.reverse();
        days
    }

    /// The records of a group on each of these days.
    fn on_days(&self, days: &[String], group: &Group) -> Vec<u64> {
        let mut known = self.stats.days.iter().zip(&group.days).peekable();
        let on = |day: &String| match known.next_if(|((known, _), _)| known == day) {
            Some((_, records)) => *records,
            None => 0,
        };
        days.iter().map(on).collect()
    }

    fn latency(&self) -> String {
        let mut rows = Vec::new();
        let mut host = None;
        // Phases without handlers take no time.
        let mut all: Vec<&Latency> =
            self.stats.latency.iter().filter(|it| it.p99 > 0 || it.phase == "total").collect();
        all.sort_by_key(|it| (&it.host, place(it.phase)));
        for it in all {
            let name = if host == Some(&it.host) { String::new() } else { self.name(&it.host) };
            host = Some(&it.host);
            let colour = if it.phase == "total" { "1" } else { "" };
            let time = |us: u64| Cell::painted(duration(us), colour);
            let phase = Cell::painted(it.phase, colour);
            rows.push(vec![Cell::plain(name), phase, time(it.p50), time(it.p95), time(it.p99)]);
        }
        if rows.is_empty() {
            return String::new();
        }
        let headings = ["hook latency", "phase", ">p50", ">p95", ">p99"];
        grid::render(&headings, &rows, self.style, self.room)
    }

    fn tops(&self, what: &str, list: &[(String, u64)]) -> String {
        if list.is_empty() {
            return String::new();
        }
        let heading = format!(">{what}");
        let row = |(name, count): &(String, u64)| {
            let name = one_line(name);
            let name = if what == "files" { tilde(&name, self.home) } else { name };
            let name = if name.is_empty() { "(empty)".to_owned() } else { name };
            let left = self.room.map(|room| room.saturating_sub(width(what).max(9) + 2));
            let name = left.map_or_else(|| name.clone(), |left| cut_start(&name, left));
            vec![Cell::plain(thousands(*count)), Cell::plain(name)]
        };
        let rows: Vec<Vec<Cell>> = list.iter().map(row).collect();
        grid::render(&[&heading, ""], &rows, self.style, self.room)
    }

    fn alarms(&self) -> String {
        if self.stats.false_alarms.is_empty() {
            return String::new();
        }
        let row = |(rule, count): &(String, u64)| {
            vec![Cell::painted(thousands(*count), CYAN), Cell::plain(one_line(rule))]
        };
        let rows: Vec<Vec<Cell>> = self.stats.false_alarms.iter().map(row).collect();
        let heading = "rule that stopped what was then allowed once: a false alarm?";
        grid::render(&[">once", heading], &rows, self.style, self.room)
    }

    fn silent(&self) -> String {
        let line = |it: &Silent| {
            let host = self.style.paint(YELLOW, &one_line(&it.host));
            let (day, length) = (clock::day(it.last_at), clock::length(it.others_ms));
            let usual = match it.usual_days.filter(|usual| *usual > 1) {
                Some(usual) => format!(" (its longest pause was {usual} days)"),
                None => String::new(),
            };
            format!(
                "{host} has gone silent: last heard on {day}, others for {length} after \
                 it{usual}\n  `tenter doctor` finds out why\n"
            )
        };
        self.silent.iter().map(line).collect()
    }

    fn lost(&self) -> String {
        let (number, verb) = match self.stats.lost {
            0 => return String::new(),
            1 => ("1 call".to_owned(), "has"),
            lost => (format!("{} calls", thousands(lost)), "have"),
        };
        let number = self.style.paint(RED, &number);
        format!("{number} {verb} left no record, because it could not be written\n")
    }
}

/// Order of the phases: the total first.
fn place(phase: &str) -> usize {
    let order = ["total", "policy", "read", "judge", "handlers", "answer"];
    order.iter().position(|it| *it == phase).unwrap_or(order.len())
}

/// A bar proportional to the largest value.
fn share(number: u64, most: u64, room: usize) -> String {
    let length = number.saturating_mul(room as u64).div_ceil(most.max(1));
    "█".repeat(usize::try_from(length).unwrap_or_default().min(room))
}

/// Formats microseconds.
fn duration(us: u64) -> String {
    let (ms, s) = (us / 1000, us / 1_000_000);
    match us {
        0..1000 => format!("{us} µs"),
        1000..10_000 => format!("{ms}.{:02} ms", us % 1000 / 10),
        10_000..100_000 => format!("{ms}.{} ms", us % 1000 / 100),
        100_000..1_000_000 => format!("{ms} ms"),
        _ => format!("{s}.{} s", us % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use tenter_audit::store::Count;

    use super::*;

    const DAY: u64 = 20_000 * DAY_MS;

    fn stats() -> Stats {
        let count = Count { records: 12_345, denied: 8, asked: 0, allowed_once: 1 };
        let days = vec![1, 5, 9];
        let day = |day: u64| (tenter_audit::memory::day(DAY + day * DAY_MS), count);
        let latency = |phase: &'static str| Latency {
            host: "cursor".to_owned(),
            phase,
            count: 9,
            p50: 640,
            p95: 1_204,
            p99: 2_500_000,
        };
        Stats {
            total: count,
            groups: vec![Group { name: "cursor".to_owned(), count, days }],
            days: vec![day(0), day(1), day(39)],
            latency: vec![latency("judge"), latency("total")],
            files: vec![(format!("/home/me/{}/end.rs", "long/".repeat(20)), 3)],
            ..Stats::default()
        }
    }

    fn page(stats: &Stats, style: Style, room: Option<usize>) -> String {
        let span = Span { since: DAY, until: DAY + 40 * DAY_MS };
        let home = Some("/home/me");
        Page { stats, silent: &[], span, by: Key::Host, style, room, home }.render()
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        for room in [40, 60, 80, 120] {
            let text = page(&stats(), Style::Plain, Some(room));
            // The first line describes the selection and wraps.
            let widest = text.lines().skip(1).map(width).max();
            assert!(widest <= Some(room), "{room}: {text}");
        }
        let bars = |room: usize| {
            let text = page(&stats(), Style::Plain, Some(room));
            text.lines().nth(3).and_then(|line| line.rsplit("  ").next()).map(str::to_owned)
        };
        assert_eq!(bars(120).unwrap(), format!("▁▅{}█", "·".repeat(37)));
        assert_eq!(bars(60).unwrap(), format!("▆{}█", "·".repeat(18)));
    }

    #[test]
    fn colours_say_what_matters() {
        let text = page(&stats(), Style::Colour, Some(120));
        assert!(text.contains("\u{1b}[1;31m8 denied\u{1b}[0m, 0 asked, "), "{text}");
        assert!(text.contains("\u{1b}[1mtotal"), "{text}");
        assert!(!page(&stats(), Style::Plain, None).contains('\u{1b}'));
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        let shown = [0, 999, 1_204, 12_340, 123_400, 2_500_000].map(duration);
        assert_eq!(shown, ["0 µs", "999 µs", "1.20 ms", "12.3 ms", "123 ms", "2.5 s"]);
    }
}
