//! Judges of programs that run other programs: one file per family, with its table of names.

mod build;
pub(crate) mod common;
mod editors;
mod environment;
mod flags;
pub(crate) mod interpreters;
#[cfg(test)]
mod interpreters_tests;
mod justfile;
mod languages;
mod later;
mod limits;
mod makefile;
mod managers;
mod multiplexers;
mod namespaces;
mod parallel;
mod privilege;
pub(crate) mod remote;
mod repeat;
pub(crate) mod runners;
pub(crate) mod shells;
mod terminals;
#[cfg(test)]
mod testing;
mod tracing;
mod windows;
mod xargs;

use crate::call::{Judge, Programs};
use crate::lookup;

/// Every table of wrappers.
const TABLES: &[Programs] = &[
    build::PROGRAMS,
    editors::PROGRAMS,
    runners::PROGRAMS,
    environment::PROGRAMS,
    interpreters::PROGRAMS,
    languages::PROGRAMS,
    later::PROGRAMS,
    limits::PROGRAMS,
    managers::PROGRAMS,
    multiplexers::PROGRAMS,
    namespaces::PROGRAMS,
    parallel::PROGRAMS,
    privilege::PROGRAMS,
    remote::PROGRAMS,
    repeat::PROGRAMS,
    shells::PROGRAMS,
    terminals::PROGRAMS,
    tracing::PROGRAMS,
    windows::PROGRAMS,
    xargs::PROGRAMS,
];

static SORTED: [(&str, Judge); lookup::count(TABLES)] = lookup::sorted(lookup::gathered(TABLES));

/// The judge of this wrapper.
pub(crate) fn find(name: &str) -> Option<Judge> {
    lookup::find(&SORTED, name).or_else(|| {
        // `python3.15` and `bash5` are what they are without their number.
        let plain =
            name.trim_end_matches(|letter: char| letter.is_ascii_digit() || ".-".contains(letter));
        if plain.len() == name.len() { None } else { lookup::find(&SORTED, plain) }
    })
}

/// The names of all wrappers that are known.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SORTED.iter().map(|(name, _)| *name)
}
