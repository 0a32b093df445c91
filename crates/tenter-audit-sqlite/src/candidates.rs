//! Going through the records of the rarest thing that was asked for, in order.

use std::collections::{BinaryHeap, VecDeque};

use rusqlite::{Connection, Statement};
use tenter_audit::store::Order;

use crate::plan::{Candidate, Chosen, Plan};

/// How many rows of a list are read at once, first and at most. Where there are many lists most of their rows
/// are never looked at, so that all of them together begin with no more than the most for one.
const FIRST_PAGE: i64 = 64;
const LARGEST_PAGE: i64 = 4096;

/// Most lists merged at once, unless they are short.
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
    /// The rows of one number, from a record on.
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

/// The rows of one number: those that were read, and where the next ones begin.
#[derive(Debug)]
struct List {
    key: i64,
    rows: VecDeque<Candidate>,
    from: i64,
    to: i64,
    page: i64,
}

/// Candidates in order, each once.
pub(crate) struct Candidates<'c> {
    page: Statement<'c>,
    order: Order,
    first_page: i64,
    lists: Vec<List>,
    /// The first row of every list that has one: its rank, and the list.
    heads: BinaryHeap<(i64, usize)>,
}

/// A list is worth as much work as so many rows.
const ROWS_A_LIST: usize = 16;

/// How many rows to look at one after the other before many lists are opened: what is wanted is often among
/// them, since few searches want more than the latest. None if there is but one list.
pub(crate) fn worth_a_look(plan: &Plan) -> Option<usize> {
    let (driver, keys) = rarest(plan);
    let many = driver == Driver::Names && keys.len() > 1;
    many.then(|| keys.len().saturating_mul(ROWS_A_LIST))
}

impl<'c> Candidates<'c> {
    /// The records of the rarest thing that was asked for.
    pub(crate) fn new(
        connection: &'c Connection,
        plan: &Plan,
        order: Order,
    ) -> rusqlite::Result<Candidates<'c>> {
        Self::of(connection, plan, order, rarest(plan))
    }

    /// All records, one after the other.
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
        // A record that is in several lists comes from all of them at once.
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

    /// Leaves out what comes before a record.
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
