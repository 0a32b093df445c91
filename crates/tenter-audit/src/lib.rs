//! The record: one line for every hook call, and what reads them.
//!
//! Writing: [`draft`] makes a [`Record`] of an event and its answer, with nothing in it that the level
//! leaves out and no secret; [`Spool::append`] adds it to a file with the hash of the line before it.
//! Reading: [`ingest`] fills a [`store::Store`] from the spool, which then says where to look.
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
