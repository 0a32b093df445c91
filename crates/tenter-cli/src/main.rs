//! `tenter`: the hook program for every coding agent.
//!
//! `hook` and `run`, which hosts start, are dispatched before any argument parser exists; everything else
//! goes through clap.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arguments;
mod clock;
mod commands;
mod csv;
mod error;
mod guard;
mod handler;
mod hook;
mod input;
mod last_resort;
mod output;
mod output_file;
mod places;
mod reading;
mod retention;
mod run;
mod table;
mod wiring;

use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tenter_alloc::Arena = tenter_alloc::Arena::new();

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some((command, rest)) = arguments.split_first()
        && !asks_for_help(rest)
    {
        if command == "hook" {
            return hook::run(rest);
        }
        if command == "run" {
            return run::run(rest);
        }
    }
    commands::run()
}

/// Whether help is requested, before any handler's own arguments.
fn asks_for_help(arguments: &[OsString]) -> bool {
    let ours = arguments.split(|argument| argument == "--").next().unwrap_or_default();
    ours.iter().any(|argument| argument == "--help" || argument == "-h")
}
