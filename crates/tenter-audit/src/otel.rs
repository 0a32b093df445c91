//! Records as traces of OpenTelemetry: pure, from records to spans and from spans to OTLP/JSON.
//!
//! A session is a trace. Its spans are the session itself, its turns, its agents below the main one, its
//! tools, and one decision for every record. Ids are hashes of what hosts call these things, so that
//! exports of separate processes join, and the same export made twice has the same spans.

mod attribute;
mod batch;
mod ids;
mod open;
mod span;
mod tools;
mod trace;
mod turn;
mod words;

pub use attribute::{Attribute, Value};
pub use batch::Batch;
pub use ids::{SpanId, TraceId};
pub use span::{Link, Span, Status};
pub use trace::Trace;

use crate::record::Record;

/// The conventions that names of attributes follow. 1.41.1 is the last release that has those of
/// generative AI: they have since moved to a registry of their own, which has no release yet.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.1";

/// Which parts of a record go into spans.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Commands, paths, prompts, outputs and reasons too, as far as the record has them.
    pub content: bool,
}

/// A record that belongs to no session: a trace of one span.
pub fn alone(record: &Record<'_>, options: Options) -> Span {
    let trace = TraceId::of_record(record);
    let id = SpanId::of(&trace, "decision", &record.hash);
    words::decision(record, options).finish(&trace, id, None)
}

#[cfg(test)]
mod tests;
