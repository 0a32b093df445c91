//! Numbers for names: paths, rules and other values that many records share.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, Statement};
use tenter_audit::Record;

use crate::meta;

/// Namespace of a name. The values are stored in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Of {
    Path = 1,
    Rule = 2,
    /// Program and subcommand of a command.
    Head = 3,
    Folder = 4,
    Model = 5,
    Transcript = 6,
    Policy = 7,
}

/// Names cached between batches.
const REMEMBERED: usize = 50_000;

/// Cache of names and shapes looked up before.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    epoch: i64,
    names: HashMap<(Of, String), i64>,
    shapes: HashMap<Shape, i64>,
}

/// Fields that many records share, stored once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) host: String,
    pub(crate) event: String,
    pub(crate) native: String,
    pub(crate) tool: Option<String>,
    pub(crate) native_tool: Option<String>,
    pub(crate) decision: Option<String>,
}

impl Shape {
    pub(crate) fn of(record: &Record<'_>) -> Self {
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        Self {
            host: record.host.to_string(),
            event: record.event.to_string(),
            native: record.native_event.to_string(),
            tool: text(&record.tool),
            native_tool: text(&record.native_tool),
            decision: text(&record.decision),
        }
    }
}

impl Cache {
    /// Drops excess entries, and all entries that may have changed.
    pub(crate) fn renew(&mut self, epoch: i64) {
        if self.epoch != epoch {
            *self = Self { epoch, ..Self::default() };
        }
        if self.names.len() > REMEMBERED {
            self.names.clear();
        }
        if self.shapes.len() > REMEMBERED {
            self.shapes.clear();
        }
    }
}

/// Uses of a name in a batch: count and last record.
#[derive(Clone, Copy, Debug)]
struct Used {
    uses: i64,
    last: i64,
}

impl Used {
    fn note(used: &mut BTreeMap<i64, Used>, id: i64, seq: i64) {
        let used = used.entry(id).or_insert(Used { uses: 0, last: seq });
        used.uses += 1;
        used.last = seq;
    }
}

/// Looks up and assigns numbers while a batch is added.
pub(crate) struct Names<'t> {
    connection: &'t Connection,
    cache: &'t mut Cache,
    find: Statement<'t>,
    make: Statement<'t>,
    used: BTreeMap<i64, Used>,
    used_shapes: BTreeMap<i64, Used>,
}

impl<'t> Names<'t> {
    pub(crate) fn new(
        connection: &'t Connection,
        cache: &'t mut Cache,
    ) -> rusqlite::Result<Names<'t>> {
        Ok(Names {
            connection,
            cache,
            find: connection.prepare("SELECT id FROM names WHERE kind = ?1 AND name = ?2")?,
            make: connection.prepare(
                "INSERT INTO names (kind, name, uses, first, last) VALUES (?1, ?2, 0, ?3, ?3)",
            )?,
            used: BTreeMap::new(),
            used_shapes: BTreeMap::new(),
        })
    }

    /// The number of a name used by the record `seq`.
    pub(crate) fn name(&mut self, of: Of, name: &str, seq: i64) -> rusqlite::Result<i64> {
        let key = (of, name.to_owned());
        let id = match self.cache.names.get(&key) {
            Some(id) => *id,
            None => {
                let kind = of as i64;
                let known = self.find.query_row((kind, name), |row| row.get(0)).optional()?;
                let id = match known {
                    Some(id) => id,
                    None => self.make.insert((kind, name, seq))?,
                };
                self.cache.names.insert(key, id);
                id
            }
        };
        Used::note(&mut self.used, id, seq);
        Ok(id)
    }

    /// The number of a record's shape.
    pub(crate) fn shape(&mut self, record: &Record<'_>, seq: i64) -> rusqlite::Result<i64> {
        let shape = Shape::of(record);
        let id = match self.cache.shapes.get(&shape) {
            Some(id) => *id,
            None => {
                let id = self.find_shape(&shape, seq)?;
                self.cache.shapes.insert(shape, id);
                id
            }
        };
        Used::note(&mut self.used_shapes, id, seq);
        Ok(id)
    }

    fn find_shape(&self, shape: &Shape, seq: i64) -> rusqlite::Result<i64> {
        let Shape { host, event, native, tool, native_tool, decision } = shape;
        let sql = "SELECT id FROM shapes WHERE host = ?1 AND event = ?2 AND native = ?3
                   AND tool IS ?4 AND native_tool IS ?5 AND decision IS ?6";
        let parts = (host, event, native, tool, native_tool, decision);
        let known = self.connection.query_row(sql, parts, |row| row.get(0)).optional()?;
        if let Some(id) = known {
            return Ok(id);
        }
        let sql = "INSERT INTO shapes
                   (host, event, native, tool, native_tool, decision, uses, first, last)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?7)";
        self.connection.execute(sql, (host, event, native, tool, native_tool, decision, seq))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Stores the use counts.
    pub(crate) fn finish(self) -> rusqlite::Result<()> {
        for (table, used) in [("names", &self.used), ("shapes", &self.used_shapes)] {
            let mut update = self.connection.prepare(&format!(
                "UPDATE {table} SET uses = uses + ?2, last = ?3 WHERE id = ?1"
            ))?;
            for (id, Used { uses, last }) in used {
                update.execute((id, uses, last))?;
            }
        }
        Ok(())
    }
}

/// The policies of all records; `None` if some were added before policies were stored.
pub(crate) fn policies(connection: &Connection) -> rusqlite::Result<Option<Vec<String>>> {
    let tx = connection.unchecked_transaction()?;
    let first = meta::ends(&tx)?.map_or(i64::MAX, |(first, _)| first);
    if first <= meta::policies_after(&tx)? {
        return Ok(None);
    }
    let mut all = tx.prepare("SELECT name FROM names WHERE kind = ?1 ORDER BY name")?;
    let names = all.query_map([Of::Policy as i64], |row| row.get(0))?;
    names.collect::<rusqlite::Result<_>>().map(Some)
}

/// Encodes a list of numbers for a row.
pub(crate) fn pack(ids: &[i64]) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    for id in ids {
        let mut rest = crate::uint(*id);
        while rest >= 0x80 {
            packed.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        packed.push((rest & 0x7f) as u8);
    }
    (!packed.is_empty()).then_some(packed)
}

/// Decodes a packed list of numbers.
pub(crate) fn unpack(packed: &[u8]) -> impl Iterator<Item = i64> + '_ {
    let mut bytes = packed.iter();
    std::iter::from_fn(move || {
        let mut id = 0_u64;
        let mut shift = 0_u32;
        loop {
            let byte = *bytes.next()?;
            id |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                return Some(crate::int(id));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_out_as_they_went_in() {
        let ids = [0, 1, 127, 128, 300, 16_383, 16_384, i64::from(u32::MAX), i64::MAX];
        let packed = pack(&ids).unwrap();
        assert_eq!(unpack(&packed).collect::<Vec<_>>(), ids);
        assert_eq!(pack(&[]), None);
        // A damaged list decodes to a shorter one.
        assert_eq!(unpack(&[0x85]).count(), 0);
        assert_eq!(unpack(&[0xff; 40]).count(), 0);
    }
}
