//! `cargo xtask measure`: the size of the code and the length of the hook path.

mod functions;
mod hops;

use std::collections::BTreeMap;

use crate::args::Args;
use crate::bench;
use crate::dist;
use crate::error::Result;
use crate::tidy::files::{self, File};
use crate::tidy::{hosts, lines};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    args.finish()?;
    let files = files::list(workspace)?;
    sizes(&files);
    println!("host names outside tenter-hosts: {} lines", hosts::count(&files));
    match dist::path(workspace).metadata() {
        Ok(found) => println!("binary: {} bytes, limit {}", found.len(), dist::SIZE_BUDGET),
        Err(_) => println!("binary: not built, see `cargo xtask dist`"),
    }
    for (key, count) in bench::COMMITTED {
        println!("instructions of {key}: {count} (committed)");
    }
    hops::check(workspace)
}

/// Lines of a crate.
#[derive(Debug, Default)]
struct Lines {
    production: usize,
    tests: usize,
}

/// Prints lines for each crate, and the distribution of file and function lengths.
fn sizes(files: &[File]) {
    let mut crates: BTreeMap<&str, Lines> = BTreeMap::new();
    let (mut lengths, mut functions) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| file.extension() == "rs") {
        let Some(text) = file.text() else { continue };
        let all = text.lines().count();
        let lines = crates.entry(crate_of(&file.name)).or_default();
        if !lines::is_production(&file.name) {
            lines.tests += all;
            continue;
        }
        let production = lines::production_lines(&text);
        lines.production += production;
        lines.tests += all - production;
        lengths.push(production);
        functions.extend(functions::lengths(text.lines().take(production)));
    }
    println!("{:<24}{:>11}{:>9}", "crate", "production", "tests");
    let (mut production, mut tests) = (0, 0);
    for (name, lines) in crates {
        println!("{name:<24}{:>11}{:>9}", lines.production, lines.tests);
        production += lines.production;
        tests += lines.tests;
    }
    println!("{:<24}{production:>11}{tests:>9}", "all");
    print_lengths("files", lengths);
    print_lengths("functions", functions);
}

fn print_lengths(what: &str, mut lengths: Vec<usize>) {
    lengths.sort_unstable();
    println!(
        "{} production {what}, lines: median {}, p90 {}, longest {}",
        lengths.len(),
        lines::quantile(&lengths, 50),
        lines::quantile(&lengths, 90),
        lengths.last().copied().unwrap_or_default()
    );
}

/// `tenter-shell` for `crates/tenter-shell/src/lib.rs`, `xtask` for `xtask/src/main.rs`.
fn crate_of(file: &str) -> &str {
    file.strip_prefix("crates/").unwrap_or(file).split('/').next().unwrap_or_default()
}
