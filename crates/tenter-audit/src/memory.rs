//! In-memory store: a list. The reference for other stores, and used in tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::Record;
use crate::store::{
    By, Count, Group, Hit, Item, Latency, Order, Position, Query, Result, Session, SessionQuery,
    Stats, Store, head, searched, words,
};

#[derive(Debug, Default)]
pub struct Memory {
    items: Vec<Item>,
    position: Option<Position>,
    incidents: Vec<(u64, String)>,
}

impl Memory {
    pub fn new() -> Self {
        Self::default()
    }

    fn calls(&self) -> impl DoubleEndedIterator<Item = &Item> {
        self.items.iter().filter(|item| item.record.kind.is_of_call())
    }
}

/// Decision sent to the host.
pub fn told<'r>(record: &'r Record<'_>) -> &'r str {
    record.decision.as_deref().unwrap_or("none")
}

/// Whether a record matches a query.
pub fn fits(query: &Query<'_>, record: &Record<'_>) -> bool {
    let tool = query.tool.is_none_or(|it| {
        let names = [record.tool.as_deref(), record.native_tool.as_deref()];
        names.into_iter().flatten().any(|name| it.eq_ignore_ascii_case(name))
    });
    let event = query.event.is_none_or(|it| {
        it.eq_ignore_ascii_case(&record.event) || it.eq_ignore_ascii_case(&record.native_event)
    });
    let text = query.text.is_none_or(|text| {
        let there: Vec<String> = words(&searched(record)).collect();
        words(text).all(|word| there.iter().any(|it| it.starts_with(&word)))
    });
    query.since.is_none_or(|since| record.at >= since)
        && query.until.is_none_or(|until| record.at < until)
        && query.after.is_none_or(|after| record.seq > after)
        && query.before.is_none_or(|before| record.seq < before)
        && query.host.is_none_or(|it| it == record.host)
        && query.session.is_none_or(|it| record.session_id.as_deref() == Some(it))
        && event
        && tool
        && query.decision.is_none_or(|it| it == told(record))
        && query.rule.is_none_or(|fits| record.findings.iter().any(|found| fits(&found.rule)))
        && query.path.is_none_or(|fits| record.full_paths().any(|path| fits(&path)))
        && text
}

impl Store for Memory {
    fn position(&self) -> Result<Option<Position>> {
        Ok(self.position.clone())
    }

    fn add(&mut self, items: &[Item], position: &Position) -> Result<()> {
        let last = self.items.last().map_or(0, |item| item.record.seq);
        self.items.extend(items.iter().filter(|item| item.record.seq > last).cloned());
        self.position = Some(position.clone());
        Ok(())
    }

    fn clear(&mut self) -> Result<()> {
        self.items.clear();
        self.position = None;
        Ok(())
    }

    fn forget(&mut self, through: u64) -> Result<()> {
        self.items.retain(|item| item.record.seq > through);
        Ok(())
    }

    fn find(&self, query: &Query<'_>, order: Order, limit: usize) -> Result<Vec<Hit>> {
        let hit = |item: &Item| Hit { seq: item.record.seq, place: item.place };
        let fitting = self.calls().filter(|item| fits(query, &item.record)).map(hit);
        Ok(match order {
            Order::OldestFirst => fitting.take(limit).collect(),
            Order::NewestFirst => fitting.rev().take(limit).collect(),
        })
    }

    fn get(&self, seq: u64) -> Result<Option<Hit>> {
        let found = self.items.iter().find(|item| item.record.seq == seq);
        Ok(found.map(|item| Hit { seq, place: item.place }))
    }

    fn sessions(&self, query: &SessionQuery<'_>) -> Result<Vec<Session>> {
        let mut sessions: BTreeMap<(String, String), Session> = BTreeMap::new();
        for Item { record, .. } in self.calls() {
            let Some(id) = record.session_id.as_deref() else { continue };
            let key = (record.host.to_string(), id.to_owned());
            let new = || Session {
                host: record.host.to_string(),
                id: id.to_owned(),
                first_at: record.at,
                first_seq: record.seq,
                ..Session::default()
            };
            count_in(sessions.entry(key).or_insert_with(new), record);
        }
        let mut found: Vec<Session> = sessions
            .into_values()
            .filter(|it| query.since.is_none_or(|since| it.last_at >= since))
            .filter(|it| query.host.is_none_or(|host| it.host == host))
            .filter(|it| query.prefix.is_none_or(|prefix| it.id.starts_with(prefix)))
            .collect();
        found.sort_by_key(|session| std::cmp::Reverse(session.last_seq));
        found.truncate(query.limit);
        Ok(found)
    }

    fn policies(&self) -> Result<Option<Vec<String>>> {
        let names = self.calls().map(|item| item.record.policy.to_string());
        let names: BTreeSet<String> = names.filter(|name| !name.is_empty()).collect();
        Ok(Some(names.into_iter().collect()))
    }

    fn stats(&self, since: Option<u64>, until: Option<u64>, by: By) -> Result<Stats> {
        let query = Query { since, until, ..Query::default() };
        let mut stats = Stats::default();
        let mut groups: BTreeMap<String, (Count, BTreeMap<String, u64>)> = BTreeMap::new();
        let mut days: BTreeMap<String, Count> = BTreeMap::new();
        let mut commands: BTreeMap<String, u64> = BTreeMap::new();
        let mut files: BTreeMap<String, u64> = BTreeMap::new();
        let mut alarms: BTreeMap<String, u64> = BTreeMap::new();
        let mut times: BTreeMap<(String, &'static str), Vec<u64>> = BTreeMap::new();
        let mut heard: BTreeMap<String, u64> = BTreeMap::new();
        for Item { record, .. } in self.calls() {
            let at = heard.entry(record.host.to_string()).or_default();
            *at = (*at).max(record.at);
            if !fits(&query, record) {
                continue;
            }
            stats.lost = stats.lost.saturating_add(record.lost);
            add(&mut stats.total, record);
            for key in keys(record, by) {
                // A rule that only logs neither denies nor asks.
                let only_logs = by == By::Rule && !record.stopping_rules().contains(&&*key);
                let (count, on_days) = groups.entry(key).or_default();
                if only_logs {
                    count.records += 1;
                } else {
                    add(count, record);
                }
                *on_days.entry(day(record.at)).or_default() += 1;
            }
            add(days.entry(day(record.at)).or_default(), record);
            if record.event == "PreToolUse" {
                if let Some(command) = record.command() {
                    *commands.entry(head(command)).or_default() += 1;
                }
                for path in record.full_paths() {
                    *files.entry(path.into_owned()).or_default() += 1;
                }
            }
            if record.allowed_once {
                for rule in record.stopping_rules() {
                    *alarms.entry(rule.to_owned()).or_default() += 1;
                }
            }
            for (phase, us) in record.us.phases() {
                times.entry((record.host.to_string(), phase)).or_default().push(us);
            }
        }
        stats.days = days.into_iter().collect();
        let group = |(name, (count, on_days)): (String, (Count, BTreeMap<String, u64>))| {
            let on = |(day, _): &(String, Count)| on_days.get(day).copied().unwrap_or_default();
            Group { name, count, days: stats.days.iter().map(on).collect() }
        };
        stats.groups = groups.into_iter().map(group).collect();
        stats.groups.sort_by_key(|group| std::cmp::Reverse(group.count.records));
        stats.commands = top(commands);
        stats.files = top(files);
        stats.false_alarms = top(alarms);
        stats.last_heard = heard.into_iter().collect();
        stats.latency = times.into_iter().map(latency).collect();
        Ok(stats)
    }

    fn incidents(&self) -> Result<Vec<(u64, String)>> {
        Ok(self.incidents.clone())
    }

    fn note_incident(&mut self, at: u64, what: &str) -> Result<()> {
        self.incidents.push((at, what.to_owned()));
        Ok(())
    }
}

/// Adds a record to its session's counters.
pub fn count_in(session: &mut Session, record: &Record<'_>) {
    let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
    session.first_at = session.first_at.min(record.at);
    session.last_at = session.last_at.max(record.at);
    session.last_seq = record.seq;
    session.records += 1;
    session.prompts += u64::from(record.event == "UserPromptSubmit");
    session.tools += u64::from(record.event == "PreToolUse");
    session.denied += u64::from(told(record) == "deny");
    session.asked += u64::from(told(record) == "ask");
    session.cwd = session.cwd.take().or_else(|| text(&record.cwd));
    session.model = text(&record.model).or_else(|| session.model.take());
    session.transcript_path =
        text(&record.transcript_path).or_else(|| session.transcript_path.take());
    if let Some(usage) = record.usage {
        session.usage.input = session.usage.input.saturating_add(usage.input);
        session.usage.output = session.usage.output.saturating_add(usage.output);
        session.usage.cache_read = session.usage.cache_read.saturating_add(usage.cache_read);
        session.usage.cache_write = session.usage.cache_write.saturating_add(usage.cache_write);
    }
}

fn add(count: &mut Count, record: &Record<'_>) {
    count.records += 1;
    count.denied += u64::from(told(record) == "deny");
    count.asked += u64::from(told(record) == "ask");
    count.allowed_once += u64::from(record.allowed_once);
}

fn rules(record: &Record<'_>) -> Vec<String> {
    let mut rules: Vec<String> = record.findings.iter().map(|it| it.rule.to_string()).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

fn keys(record: &Record<'_>, by: By) -> Vec<String> {
    match by {
        By::Host => vec![record.host.to_string()],
        By::Rule => rules(record),
        By::Tool => record.tool.iter().map(ToString::to_string).collect(),
        By::Session => record.session_id.iter().map(ToString::to_string).collect(),
        By::Day => vec![day(record.at)],
    }
}

/// The ten most frequent; ties ordered by name.
fn top(counts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.truncate(10);
    all
}

fn latency(((host, phase), mut times): ((String, &'static str), Vec<u64>)) -> Latency {
    times.sort_unstable();
    let at = |percent: usize| percentile(&times, percent);
    let (p50, p95, p99) = (at(50), at(95), at(99));
    Latency { host, phase, count: times.len() as u64, p50, p95, p99 }
}

/// The smallest value that `percent` percent of the sorted values do not exceed.
pub fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = sorted.len().saturating_mul(percent).div_ceil(100).max(1);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// The UTC date of a time.
pub fn day(at_ms: u64) -> String {
    let (year, month, day) = tenter_model::time::date(at_ms);
    format!("{year:04}-{month:02}-{day:02}")
}
