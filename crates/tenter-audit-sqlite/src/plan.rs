//! A query with its names resolved to numbers.

use rusqlite::{Connection, Row};
use tenter_audit::store::{Order, Query};

use crate::names::{Of, unpack};
use crate::schema::BLOCK;
use crate::{int, meta, text};

/// Numbers chosen from one namespace, and how many records they lead to.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Sorted.
    pub(crate) ids: Vec<i64>,
    pub(crate) uses: i64,
    first: i64,
    last: i64,
}

impl Chosen {
    /// The matching rows of `id, uses, first, last, ...`; `None` if there are none.
    fn of(
        connection: &Connection,
        sql: &str,
        parameters: impl rusqlite::Params,
        wanted: impl Fn(&Row<'_>) -> rusqlite::Result<bool>,
    ) -> rusqlite::Result<Option<Self>> {
        let mut all = connection.prepare(sql)?;
        let mut rows = all.query(parameters)?;
        let mut chosen = Self { first: i64::MAX, ..Self::default() };
        while let Some(row) = rows.next()? {
            if wanted(row)? {
                chosen.ids.push(row.get(0)?);
                chosen.uses = chosen.uses.saturating_add(row.get(1)?);
                chosen.first = chosen.first.min(row.get(2)?);
                chosen.last = chosen.last.max(row.get(3)?);
            }
        }
        chosen.ids.sort_unstable();
        Ok((!chosen.ids.is_empty()).then_some(chosen))
    }

    pub(crate) fn has(&self, id: i64) -> bool {
        self.ids.binary_search(&id).is_ok()
    }

    fn has_any(&self, packed: Option<&[u8]>) -> bool {
        packed.is_some_and(|packed| unpack(packed).any(|id| self.has(id)))
    }
}

/// A question with its names resolved.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Bounds for the numbers of matching records.
    pub(crate) from: i64,
    pub(crate) to: i64,
    since: Option<i64>,
    until: Option<i64>,
    pub(crate) shapes: Option<Chosen>,
    pub(crate) sessions: Option<Chosen>,
    pub(crate) rules: Option<Chosen>,
    pub(crate) paths: Option<Chosen>,
    pub(crate) text: Option<String>,
}

impl Plan {
    /// `None` if no record can match.
    pub(crate) fn make(c: &Connection, query: &Query<'_>) -> rusqlite::Result<Option<Plan>> {
        let mut plan = Plan {
            since: query.since.map(int),
            until: query.until.map(int),
            text: query.text.and_then(text::expression),
            ..Plan::default()
        };
        let Some((first, last)) = meta::ends(c)? else { return Ok(None) };
        plan.from = first.max(query.after.map_or(i64::MIN, |it| int(it).saturating_add(1)));
        plan.to = last.min(query.before.map_or(i64::MAX, |it| int(it).saturating_sub(1)));
        plan.bound_by_time(c)?;
        let all = [Plan::by_shape, Plan::by_session, Plan::by_rule, Plan::by_path];
        for narrow in all {
            if plan.from > plan.to || !narrow(&mut plan, c, query)? {
                return Ok(None);
            }
        }
        let narrower = [&plan.shapes, &plan.sessions, &plan.rules, &plan.paths];
        for chosen in narrower.into_iter().flatten() {
            plan.from = plan.from.max(chosen.first);
            plan.to = plan.to.min(chosen.last);
        }
        Ok((plan.from <= plan.to).then_some(plan))
    }

    /// Excludes the blocks before and after the time range. Clocks may be adjusted, so the time of every
    /// record is checked as well.
    fn bound_by_time(&mut self, c: &Connection) -> rusqlite::Result<()> {
        let block = |sql: &str, at: i64| c.query_row(sql, [at], |row| row.get::<_, Option<i64>>(0));
        if let Some(since) = self.since {
            let first = block("SELECT min(block) FROM blocks WHERE max_at >= ?1", since)?;
            self.from = self.from.max(first.map_or(i64::MAX, |block| block << BLOCK));
        }
        if let Some(until) = self.until {
            let last = block("SELECT max(block) FROM blocks WHERE min_at < ?1", until)?;
            let end = |block: i64| (block.saturating_add(1) << BLOCK).saturating_sub(1);
            self.to = self.to.min(last.map_or(i64::MIN, end));
        }
        Ok(())
    }

    fn by_shape(&mut self, c: &Connection, query: &Query<'_>) -> rusqlite::Result<bool> {
        let Query { host, event, tool, decision, .. } = *query;
        if host.or(event).or(tool).or(decision).is_none() {
            return Ok(true);
        }
        let same =
            |wanted: Option<&str>, is: &str| wanted.is_none_or(|it| it.eq_ignore_ascii_case(is));
        let sql = "SELECT id, uses, first, last, host, event, native, tool, decision, native_tool
                   FROM shapes";
        let called = |name: Option<&str>| name.is_some_and(|name| same(tool, name));
        self.shapes = Chosen::of(c, sql, [], |row| {
            let text = |column: usize| -> rusqlite::Result<Option<&str>> {
                Ok(row.get_ref(column)?.as_str_or_null()?)
            };
            let is = |wanted: Option<&str>, is: &str| wanted.is_none_or(|it| it == is);
            Ok(is(host, text(4)?.unwrap_or_default())
                && (same(event, text(5)?.unwrap_or_default())
                    || same(event, text(6)?.unwrap_or_default()))
                && (tool.is_none() || called(text(7)?) || called(text(9)?))
                && is(decision, text(8)?.unwrap_or("none")))
        })?;
        Ok(self.shapes.is_some())
    }

    fn by_session(&mut self, c: &Connection, query: &Query<'_>) -> rusqlite::Result<bool> {
        let Some(session) = query.session else { return Ok(true) };
        let sql = "SELECT id, records, first, last FROM sessions WHERE name = ?1";
        self.sessions = Chosen::of(c, sql, [session], |_| Ok(true))?;
        Ok(self.sessions.is_some())
    }

    fn by_rule(&mut self, c: &Connection, query: &Query<'_>) -> rusqlite::Result<bool> {
        let Some(fits) = query.rule else { return Ok(true) };
        self.rules = named(c, Of::Rule, fits)?;
        Ok(self.rules.is_some())
    }

    fn by_path(&mut self, c: &Connection, query: &Query<'_>) -> rusqlite::Result<bool> {
        let Some(fits) = query.path else { return Ok(true) };
        self.paths = named(c, Of::Path, fits)?;
        Ok(self.paths.is_some())
    }

    /// Excludes the part already searched.
    pub(crate) fn go_on_after(&mut self, seq: i64, order: Order) {
        match order {
            Order::NewestFirst => self.to = seq.saturating_sub(1),
            Order::OldestFirst => self.from = seq.saturating_add(1),
        }
    }

    /// Whether a row matches; words are not checked here.
    pub(crate) fn fits(&self, row: &Candidate) -> bool {
        let is_in = |chosen: &Option<Chosen>, id: Option<i64>| {
            chosen.as_ref().is_none_or(|chosen| id.is_some_and(|id| chosen.has(id)))
        };
        let has = |chosen: &Option<Chosen>, packed: &Option<Vec<u8>>| {
            chosen.as_ref().is_none_or(|chosen| chosen.has_any(packed.as_deref()))
        };
        self.since.is_none_or(|since| row.at >= since)
            && self.until.is_none_or(|until| row.at < until)
            && is_in(&self.shapes, Some(row.shape))
            && is_in(&self.sessions, row.session)
            && has(&self.rules, &row.rules)
            && has(&self.paths, &row.paths)
    }
}

fn named(
    connection: &Connection,
    of: Of,
    fits: &dyn Fn(&str) -> bool,
) -> rusqlite::Result<Option<Chosen>> {
    // Most names are paths: scanning the table is faster than using the index.
    let kind = if of == Of::Path { "+kind" } else { "kind" };
    let sql = format!("SELECT id, uses, first, last, name FROM names WHERE {kind} = ?1");
    Chosen::of(connection, &sql, [of as i64], |row| Ok(fits(row.get_ref(4)?.as_str()?)))
}

/// A row that may match.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) seq: i64,
    pub(crate) at: i64,
    pub(crate) shape: i64,
    pub(crate) session: Option<i64>,
    pub(crate) place: (i64, i64, u32),
    pub(crate) rules: Option<Vec<u8>>,
    pub(crate) paths: Option<Vec<u8>>,
}

impl Candidate {
    pub(crate) const COLUMNS: &str = "calls.seq, calls.at, calls.shape, calls.session,
      calls.segment, calls.offset, calls.length, calls.rules, calls.paths";

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            at: row.get(1)?,
            shape: row.get(2)?,
            session: row.get(3)?,
            place: (row.get(4)?, row.get(5)?, row.get(6)?),
            rules: row.get(7)?,
            paths: row.get(8)?,
        })
    }
}
