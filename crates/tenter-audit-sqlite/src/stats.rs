//! Statistics, from one pass over the rows.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, Row};
use tenter_audit::memory::day;
use tenter_audit::record::Timings;
use tenter_audit::store::{By, Count, Group, Latency, Query, Stats};

use crate::names::{Shape, unpack};
use crate::plan::Plan;
use crate::spread::Spread;
use crate::{int, uint};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Length of the top lists of commands, files and rules.
const TOP: usize = 10;

const SQL: &str = "SELECT at, shape, session, once, lost, rules, paths, head,
  policy, read, judge, handlers, answer, total FROM calls WHERE seq BETWEEN ?1 AND ?2";

pub(crate) fn stats(
    connection: &Connection,
    since: Option<u64>,
    until: Option<u64>,
    by: By,
) -> rusqlite::Result<Stats> {
    let tx = connection.unchecked_transaction()?;
    let mut tally = Tally::new(shapes(&tx)?);
    let query = Query { since, until, ..Query::default() };
    if let Some(plan) = Plan::make(&tx, &query)? {
        let (since, until) = (since.map_or(i64::MIN, int), until.map_or(i64::MAX, int));
        let mut select = tx.prepare(SQL)?;
        let mut rows = select.query((plan.from, plan.to))?;
        while let Some(row) = rows.next()? {
            let at = row.get(0)?;
            if at >= since && at < until {
                tally.add(row, at, by)?;
            }
        }
    }
    tally.finish(&tx, by)
}

/// A shape, with the values that `stats` needs.
struct Known {
    shape: Shape,
    /// Index of its host in the latency table.
    host: usize,
    /// Counters of one record of this shape.
    one: Count,
    /// Whether it is a tool call before its execution.
    is_pending: bool,
}

/// Shapes indexed by number, since numbers are small.
fn shapes(connection: &Connection) -> rusqlite::Result<Vec<Option<Known>>> {
    let sql = "SELECT id, host, event, native, tool, decision, native_tool FROM shapes ORDER BY id";
    let mut select = connection.prepare(sql)?;
    let mut rows = select.query([])?;
    let mut shapes: Vec<Option<Known>> = Vec::new();
    let mut hosts: Vec<String> = Vec::new();
    while let Some(row) = rows.next()? {
        let shape = Shape {
            host: row.get(1)?,
            event: row.get(2)?,
            native: row.get(3)?,
            tool: row.get(4)?,
            decision: row.get(5)?,
            native_tool: row.get(6)?,
        };
        let host = hosts.iter().position(|it| *it == shape.host).unwrap_or_else(|| {
            hosts.push(shape.host.clone());
            hosts.len().saturating_sub(1)
        });
        let is = |decision: &str| u64::from(shape.decision.as_deref() == Some(decision));
        let one = Count { records: 1, denied: is("deny"), asked: is("ask"), allowed_once: 0 };
        let is_pending = shape.event == "PreToolUse";
        let id = usize::try_from(row.get::<_, i64>(0)?).unwrap_or_default();
        shapes.resize_with(id.max(shapes.len()), || None);
        shapes.push(Some(Known { shape, host, one, is_pending }));
    }
    Ok(shapes)
}

fn sum(count: &mut Count, more: &Count) {
    count.records = count.records.saturating_add(more.records);
    count.denied = count.denied.saturating_add(more.denied);
    count.asked = count.asked.saturating_add(more.asked);
    count.allowed_once = count.allowed_once.saturating_add(more.allowed_once);
}

/// Counters by number and day.
type Cells = HashMap<(i64, i64), Count>;
type Tops = HashMap<i64, u64>;

/// Counters by number while records are read; names are looked up at the end.
struct Tally {
    known: Vec<Option<Known>>,
    lost: u64,
    /// The current day and its counters by shape: most records have the same day as the one before.
    day: i64,
    of_day: Vec<Count>,
    shapes: Cells,
    /// By session or rule, if requested.
    groups: Cells,
    alarms: Tops,
    heads: Tops,
    files: Tops,
    /// By host, then by phase in the order of [`Timings::phases`].
    times: Vec<[Spread; 6]>,
}

impl Tally {
    fn new(known: Vec<Option<Known>>) -> Self {
        let hosts = known.iter().flatten().map(|it| it.host + 1).max().unwrap_or_default();
        Self {
            lost: 0,
            day: 0,
            of_day: vec![Count::default(); known.len()],
            known,
            shapes: Cells::new(),
            groups: Cells::new(),
            alarms: Tops::new(),
            heads: Tops::new(),
            files: Tops::new(),
            times: (0..hosts).map(|_| <[Spread; 6]>::default()).collect(),
        }
    }

    fn add(&mut self, row: &Row<'_>, at: i64, by: By) -> rusqlite::Result<()> {
        let id: i64 = row.get(1)?;
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        let day = at / DAY_MS;
        if day != self.day {
            self.end_day();
            self.day = day;
        }
        let Some(Some(known)) = self.known.get(index) else { return Ok(()) };
        // See `add::once`.
        let once: i64 = row.get(3)?;
        let stopping = match once {
            0 | 1 => i64::MAX,
            2.. => once.saturating_sub(2),
            _ => once.saturating_add(1).saturating_neg(),
        };
        let one = Count { allowed_once: u64::from(once > 0), ..known.one };
        if let Some(count) = self.of_day.get_mut(index) {
            sum(count, &one);
        }
        self.lost = self.lost.saturating_add(uint(row.get(4)?));
        if by == By::Session
            && let Some(session) = row.get::<_, Option<i64>>(2)?
        {
            sum(self.groups.entry((session, day)).or_default(), &one);
        }
        if by == By::Rule || once > 0 {
            let rules = unpack(row.get_ref(5)?.as_blob_or_null()?.unwrap_or_default());
            for (rule, place) in rules.zip(0..) {
                let stops = place < stopping;
                if by == By::Rule {
                    let logged = Count { records: 1, ..Count::default() };
                    let count = if stops { &one } else { &logged };
                    sum(self.groups.entry((rule, day)).or_default(), count);
                }
                if stops && once > 0 {
                    *self.alarms.entry(rule).or_default() += 1;
                }
            }
        }
        if known.is_pending {
            if let Some(head) = row.get::<_, Option<i64>>(7)? {
                *self.heads.entry(head).or_default() += 1;
            }
            for path in unpack(row.get_ref(6)?.as_blob_or_null()?.unwrap_or_default()) {
                *self.files.entry(path).or_default() += 1;
            }
        }
        if let Some(times) = self.times.get_mut(known.host) {
            for (spread, column) in times.iter_mut().zip(8..) {
                spread.add(uint(row.get(column)?));
            }
        }
        Ok(())
    }

    /// Adds the counters of a finished day to the totals.
    fn end_day(&mut self) {
        for (count, id) in self.of_day.iter_mut().zip(0..) {
            if count.records > 0 {
                sum(self.shapes.entry((id, self.day)).or_default(), count);
                *count = Count::default();
            }
        }
    }

    fn finish(mut self, c: &Connection, by: By) -> rusqlite::Result<Stats> {
        self.end_day();
        let shape = |id: i64| {
            let known = self.known.get(usize::try_from(id).ok()?)?;
            known.as_ref().map(|known| &known.shape)
        };
        let mut stats = Stats { lost: self.lost, ..Stats::default() };
        let mut days: BTreeMap<i64, Count> = BTreeMap::new();
        for ((_, day), count) in sorted(&self.shapes) {
            sum(&mut stats.total, count);
            sum(days.entry(*day).or_default(), count);
        }
        let cells = if matches!(by, By::Session | By::Rule) { &self.groups } else { &self.shapes };
        let mut groups: BTreeMap<String, (Count, BTreeMap<i64, u64>)> = BTreeMap::new();
        let mut session = c.prepare("SELECT name FROM sessions WHERE id = ?1")?;
        for ((id, at), count) in sorted(cells) {
            let name = match by {
                By::Host => shape(*id).map(|shape| shape.host.clone()),
                By::Tool => shape(*id).and_then(|shape| shape.tool.clone()),
                By::Day => Some(named_day(*at)),
                By::Session => session.query_row([id], |row| row.get(0)).optional()?,
                By::Rule => Some(name(c, *id)?),
            };
            let Some(name) = name else { continue };
            let (total, by_day) = groups.entry(name).or_default();
            sum(total, count);
            let on_day = by_day.entry(*at).or_default();
            *on_day = on_day.saturating_add(count.records);
        }
        let all_days: Vec<i64> = days.keys().copied().collect();
        let group = |(name, (count, by_day)): (String, (Count, BTreeMap<i64, u64>))| {
            let on = |day: &i64| by_day.get(day).copied().unwrap_or_default();
            Group { name, count, days: all_days.iter().map(on).collect() }
        };
        stats.groups = groups.into_iter().map(group).collect();
        stats.groups.sort_by_key(|group| std::cmp::Reverse(group.count.records));
        stats.days = days.into_iter().map(|(day, count)| (named_day(day), count)).collect();
        stats.commands = top(c, &self.heads)?;
        stats.files = top(c, &self.files)?;
        stats.false_alarms = top(c, &self.alarms)?;
        stats.last_heard = last_heard(c)?;
        stats.latency = self.latency();
        Ok(stats)
    }

    /// By host, then by phase name; only hosts with records.
    fn latency(&self) -> Vec<Latency> {
        let phases = Timings::default().phases();
        let mut all: Vec<Latency> = Vec::new();
        for (spreads, index) in self.times.iter().zip(0..) {
            let known = self.known.iter().flatten().find(|known| known.host == index);
            let Some(known) = known else { continue };
            for (spread, (phase, _)) in spreads.iter().zip(phases) {
                all.push(Latency {
                    host: known.shape.host.clone(),
                    phase,
                    count: spread.count(),
                    p50: spread.percentile(50),
                    p95: spread.percentile(95),
                    p99: spread.percentile(99),
                });
            }
        }
        all.retain(|it| it.count > 0);
        all.sort_by(|a, b| (&a.host, a.phase).cmp(&(&b.host, b.phase)));
        all
    }
}

fn sorted(cells: &Cells) -> BTreeMap<&(i64, i64), &Count> {
    cells.iter().collect()
}

fn named_day(number: i64) -> String {
    day(uint(number.saturating_mul(DAY_MS)))
}

fn name(connection: &Connection, id: i64) -> rusqlite::Result<String> {
    connection.query_row("SELECT name FROM names WHERE id = ?1", [id], |row| row.get(0))
}

/// The most frequent; ties ordered by name.
fn top(connection: &Connection, counts: &Tops) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut all: Vec<(u64, i64)> = counts.iter().map(|(id, count)| (*count, *id)).collect();
    all.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
    // Only candidates for the top list need their names.
    let least = all.get(TOP - 1).map_or(0, |(count, _)| *count);
    let mut named = Vec::new();
    for (count, id) in all.into_iter().take_while(|(count, _)| *count >= least) {
        named.push((name(connection, id)?, count));
    }
    named.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    named.truncate(TOP);
    Ok(named)
}

fn last_heard(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let sql = "SELECT host, max(max_at) FROM blocks GROUP BY host ORDER BY host";
    let mut select = connection.prepare(sql)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, uint(row.get(1)?))))?;
    rows.collect()
}
