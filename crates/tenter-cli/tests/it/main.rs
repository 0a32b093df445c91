//! The integration tests of this crate, in one program: a module for each subject.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helpers too"
)]

mod allow;
mod answers;
mod bench;
mod bounds;
mod carried;
mod commands;
mod common;
mod cursor_examples;
mod demo;
mod doctor;
mod embed;
mod embed_guard;
mod everyday;
mod examples;
mod explain;
mod export;
mod fire;
mod guard;
mod guard_words;
mod handler_answers;
mod harden;
mod hook;
mod import;
mod init;
mod install;
mod keep;
mod last_words;
mod lint;
mod log;
mod machine;
mod outputs;
mod outside;
mod presence;
mod prove;
mod prune;
mod record;
mod replay;
mod run;
mod sabotage;
mod scan;
mod seen;
mod self_protection;
mod sessions;
mod show;
mod stats;
mod status;
mod tampering;
mod task_files;
mod terminal;
mod tour;
mod twice;
mod two_steps;
mod uninstall;
mod user;
mod verdicts;
mod verify;
