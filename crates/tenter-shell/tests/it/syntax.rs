//! The parser: trees, positions, errors, agreement with bash, and hostile texts.

mod accepted;
mod dialects;
mod hostile;
mod places;
mod printed;
mod printer;
mod trees;

use std::fmt::Write;

use tenter_shell::budget::Budget;
use tenter_shell::syntax::{Dialect, Parsed, parse};

fn read(source: &str, dialect: Dialect) -> Parsed {
    parse(source, dialect, &mut Budget::default())
}

/// Compares the trees of many scripts, and shows all that differ at once.
fn check_trees(dialect: Dialect, table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (source, expected) in table {
        let parsed = read(source, dialect);
        let found = printer::print(&parsed);
        if found != *expected {
            let _ = writeln!(wrong, "{source:?}\n  expected {expected}\n  found    {found}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
