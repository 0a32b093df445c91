//! Tables for the tests of both shells.

use std::fmt::Write as _;

use crate::run::testing::line;
use crate::value::Field;
use crate::world::{Language, Surroundings};

/// Programs as `$ words`, then effects as lines.
pub(super) fn judged(language: Language, text: &str) -> String {
    let world = Surroundings {
        cwd: Some("/shop"),
        home: Some("C:/Users/me"),
        language,
        ..Surroundings::default()
    };
    let analysis = crate::analyze(text, &world);
    let mut lines: Vec<String> = Vec::new();
    for ran in &analysis.commands {
        let words: Vec<String> = ran.argv.iter().map(Field::shown).collect();
        lines.push(format!("$ {}", words.join(" ")));
    }
    lines.extend(analysis.effects.iter().map(line));
    lines.join(" | ")
}

pub(super) fn check(language: Language, table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, expected) in table {
        let found = judged(language, text);
        if found != *expected {
            let _ = write!(wrong, "\n{text}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
