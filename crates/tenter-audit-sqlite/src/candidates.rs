//! Iterates in order over the records that match a query's most selective condition.

use std::collections::{BinaryHeap, VecDeque};

use rusqlite::{Connection, Statement};
use tenter_audit::store::Order;

use crate::plan::{Candidate, Chosen, Plan};

/// Page size: initial and maximum. With many lists most rows are never read, so their first pages together
/// are limited to one maximum page.
const FIRST_PAGE: i64 = 64;
const LARGEST_PAGE: i64 = 4096;

/// Maximum number of lists merged at once, unless they are short.
const LISTS: usize = 1000;
const SHORT: i64 = 200_000;

/// List that a query iterates over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driver {
    All,
    Shapes,
    Sessions,
    Names,
}

impl Driver {
    /// SQL for the rows of one number, starting at a record.
    fn sql(self, order: Order) -> String {
        let (table, key) = match self {
            Driver::All => ("calls", "?1 = ?1"),
            Driver::Shapes => ("calls", "calls.shape = ?1"),
            Driver::Sessions => ("calls", "calls.session = ?1"),
            Driver::Names => ("uses CROSS JOIN calls ON calls.seq = uses.seq", "uses.name = ?1"),
        };
        let seq = if self == Driver::Names { "uses.seq" } else { "calls.seq" };
        let direction = match order {
            Order::NewestFirst => "DESC",
            Order::OldestFirst => "ASC",
        };
        format!(
            "SELECT {} FROM {table} WHERE {key} AND {seq} BETWEEN ?2 AND ?3
             ORDER BY {seq} {direction} LIMIT ?4",
            Candidate::COLUMNS
        )
    }
}

/// The rows of one number read so far, and where the next page starts.
#[derive(Debug)]
struct List {
    key: i64,
    rows: VecDeque<Candidate>,
    from: i64,
    to: i64,
    page: i64,
}

/// Candidate records in order, each once.
pub(crate) struct Candidates<'c> {
    page: Statement<'c>,
    order: Order,
    first_page: i64,
    lists: Vec<List>,
    /// The first row of each non-empty list: its rank and the list.
    heads: BinaryHeap<(i64, usize)>,
}

/// Opening a list costs as much as reading this many rows.
const ROWS_A_LIST: usize = 16;

/// Number of rows to scan before opening many lists: the results are often among them, since most searches
/// want the latest. `None` if there is only one list.
pub(crate) fn worth_a_look(plan: &Plan) -> Option<usize> {
    let (driver, keys) = rarest(plan);
    let many = driver == Driver::Names && keys.len() > 1;
    many.then(|| keys.len().saturating_mul(ROWS_A_LIST))
}

impl<'c> Candidates<'c> {
    /// The records that match the most selective condition.
    pub(crate) fn new(
        connection: &'c Connection,
        plan: &Plan,
        order: Order,
    ) -> rusqlite::Result<Candidates<'c>> {
        Self::of(connection, plan, order, rarest(plan))
    }

    /// All records in order.
    pub(crate) fn all(
        connection: &'c Connection,
        plan: &Plan,
        order: Order,
    ) -> rusqlite::Result<Candidates<'c>> {
        Self::of(connection, plan, order, (Driver::All, vec![0]))
    }

    fn of(
        connection: &'c Connection,
        plan: &Plan,
        order: Order,
        (driver, keys): (Driver, Vec<i64>),
    ) -> rusqlite::Result<Candidates<'c>> {
        let lists = crate::int(keys.len() as u64).max(1);
        let first_page = (LARGEST_PAGE / lists).clamp(1, FIRST_PAGE);
        let list = |key: i64| List {
            key,
            rows: VecDeque::new(),
            from: plan.from,
            to: plan.to,
            page: first_page,
        };
        let lists: Vec<List> = keys.iter().copied().map(list).collect();
        let page = connection.prepare(&driver.sql(order))?;
        let mut candidates =
            Candidates { page, order, first_page, lists, heads: BinaryHeap::new() };
        for index in 0..candidates.lists.len() {
            candidates.push_head(index)?;
        }
        Ok(candidates)
    }

    /// The next candidate.
    pub(crate) fn next(&mut self) -> rusqlite::Result<Option<Candidate>> {
        let Some((rank, index)) = self.heads.pop() else { return Ok(None) };
        let row = self.lists.get_mut(index).and_then(|list| list.rows.pop_front());
        self.push_head(index)?;
        // A record in several lists is taken from all of them at once.
        while let Some((same, index)) = self.heads.peek().copied().filter(|(it, _)| *it == rank) {
            debug_assert_eq!(same, rank);
            self.heads.pop();
            if let Some(list) = self.lists.get_mut(index) {
                list.rows.pop_front();
            }
            self.push_head(index)?;
        }
        Ok(row)
    }

    /// Skips everything before a record.
    pub(crate) fn skip_to(&mut self, seq: i64) -> rusqlite::Result<()> {
        let (order, first_page) = (self.order, self.first_page);
        let is_before = |row: &Candidate| match order {
            Order::NewestFirst => row.seq > seq,
            Order::OldestFirst => row.seq < seq,
        };
        for list in &mut self.lists {
            while list.rows.front().is_some_and(is_before) {
                list.rows.pop_front();
            }
            if list.rows.is_empty() {
                match order {
                    Order::NewestFirst => list.to = list.to.min(seq),
                    Order::OldestFirst => list.from = list.from.max(seq),
                }
                list.page = first_page;
            }
        }
        self.heads.clear();
        for index in 0..self.lists.len() {
            self.push_head(index)?;
        }
        Ok(())
    }

    fn push_head(&mut self, index: usize) -> rusqlite::Result<()> {
        let Some(list) = self.lists.get_mut(index) else { return Ok(()) };
        if list.rows.is_empty() && list.from <= list.to {
            let rows =
                self.page.query_map((list.key, list.from, list.to, list.page), Candidate::read)?;
            list.rows = rows.collect::<rusqlite::Result<_>>()?;
            let is_last = crate::int(list.rows.len() as u64) < list.page;
            match (list.rows.back(), self.order) {
                (Some(last), Order::NewestFirst) if !is_last => {
                    list.to = last.seq.saturating_sub(1);
                }
                (Some(last), Order::OldestFirst) if !is_last => {
                    list.from = last.seq.saturating_add(1);
                }
                _ => (list.from, list.to) = (1, 0),
            }
            list.page = list.page.saturating_mul(2).min(LARGEST_PAGE);
        }
        if let Some(first) = list.rows.front() {
            let rank = match self.order {
                Order::NewestFirst => first.seq,
                Order::OldestFirst => first.seq.saturating_neg(),
            };
            self.heads.push((rank, index));
        }
        Ok(())
    }
}

/// The condition that matches the fewest records.
fn rarest(plan: &Plan) -> (Driver, Vec<i64>) {
    let mut best = (plan.to.saturating_sub(plan.from), Driver::All, None::<&Chosen>);
    let offers = [
        (Driver::Sessions, &plan.sessions),
        (Driver::Names, &plan.rules),
        (Driver::Shapes, &plan.shapes),
        (Driver::Names, &plan.paths),
    ];
    for (driver, chosen) in offers {
        if let Some(chosen) = chosen
            && chosen.uses < best.0
            && (chosen.ids.len() <= LISTS || chosen.uses <= SHORT)
        {
            best = (chosen.uses, driver, Some(chosen));
        }
    }
    (best.1, best.2.map_or_else(|| vec![0], |chosen| chosen.ids.clone()))
}
