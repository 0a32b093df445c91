//! `tenter`: the hook of every coding agent.
//!
//! The hook path is dispatched before any argument parser exists; everything else goes through clap.

mod arguments;
mod commands;
mod handler;
mod hook;
mod input;
mod last_resort;
mod output;
mod table;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tenter_alloc::Arena = tenter_alloc::Arena::new();

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == "hook")
        && let Some(code) = hook::run(arguments)
    {
        return code;
    }
    commands::run()
}
