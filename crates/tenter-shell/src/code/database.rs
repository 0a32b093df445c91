//! Database methods of libraries, independent of the object's name.
//!
//! Actions: those of [`crate::tools::sql`] for statements, `drop-database` and `flush`.

use super::scan::Scan;
use super::value::{Arguments, Value};
use crate::act::Act;
use crate::effect::{Certainty, Kind};
use crate::target::Target;
use crate::tools::sql;

/// Methods that carry a statement.
const CARRIERS: &[&str] = &[
    "$executeRawUnsafe",
    "$queryRawUnsafe",
    "exec",
    "execute",
    "executemany",
    "executescript",
    "query",
    "raw",
    "run",
];

/// Words that a statement begins with which loses something.
const VERBS: &[&str] = &["drop", "truncate", "delete", "update", "alter"];

impl Scan<'_, '_, '_, '_> {
    /// Reports the database effect of a method, if it has one. Nothing proves that the object is a database,
    /// so the effect is only possible.
    pub(super) fn database_method(&mut self, name: &str, arguments: &Arguments) {
        if in_memory(self.code.text) {
            return;
        }
        let certainty = self.call.machine.certainty;
        self.call.machine.certainty = certainty.min(Certainty::Possible);
        if CARRIERS.contains(&name) {
            if let Some(Value::Text(field)) = arguments.get(0)
                && is_statement(field.prefix())
            {
                sql::field(self.call, field);
            }
        } else if let Some((action, target)) = whole(name, arguments) {
            self.call.effect_at(Kind::Database, action, target, arguments.span);
        }
        self.call.machine.certainty = certainty;
    }
}

/// Whether the only database of the code is one that ends with it: `connect(":memory:")`.
fn in_memory(text: &str) -> bool {
    let mut opened = text.match_indices("connect");
    let only = opened.next().filter(|_| opened.next().is_none());
    let given = only.and_then(|(at, word)| text.get(at..)?.strip_prefix(word)?.strip_prefix('('));
    given.is_some_and(|rest| rest.trim_start_matches(['"', '\'']).starts_with(":memory:"))
        && !text.contains("://")
}

fn is_statement(text: &str) -> bool {
    let first = text.trim_start().split(|letter: char| !letter.is_ascii_alphabetic()).next();
    first.is_some_and(|word| VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(word)))
}

/// Methods that delete everything.
fn whole(name: &str, arguments: &Arguments) -> Option<(Act, Target)> {
    let named = || {
        let name = arguments.get(0).and_then(Value::exact);
        name.map_or(Target::None, Target::name)
    };
    match name {
        "drop_database" | "dropDatabase" => Some((Act::DropDatabase, named())),
        "drop_collection" | "dropCollection" => Some((Act::DropTable, named())),
        "drop_all" | "dropAllSchemas" => Some((Act::Reset, Target::None)),
        "flushall" | "flushAll" | "flushdb" | "flushDb" => Some((Act::Flush, Target::None)),
        _ => None,
    }
}
