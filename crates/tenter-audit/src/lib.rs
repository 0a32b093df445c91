//! The record: one line per hook call, and its readers.
//!
//! Writing: [`draft`] builds a [`Record`] from an event and its answer, without secrets and within the record
//! level; [`Spool::append`] adds it to a file, linked to the line before. Reading: [`ingest`] fills a
//! [`store::Store`] from the spool, which then answers queries.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod anchor;
pub mod chain;
pub mod draft;
pub mod ingest;
pub mod memory;
pub mod otel;
pub mod prune;
pub mod record;
pub mod schema;
pub mod spool;
pub mod store;
pub mod unfinished;
pub mod verify;

pub use record::Record;
pub use spool::Spool;
