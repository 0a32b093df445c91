//! OpenTelemetry export: pure conversion from records to spans and from spans to OTLP/JSON.
//!
//! A session is a trace. Its spans are the session, its turns, subagents, tool calls, and one decision per
//! record. Ids are hashes of the hosts' ids, so that exports of separate processes join, and repeating an
//! export yields the same spans.

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

/// Semantic conventions of the attribute names. 1.41.1 is the last release that contains those of generative
/// AI: they have since moved to a separate registry without a release.
pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.41.1";

/// Which parts of a record go into spans.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Also commands, paths, prompts, outputs and reasons, as far as recorded.
    pub content: bool,
}

/// Converts a record without session: a trace of one span.
pub fn alone(record: &Record<'_>, options: Options) -> Span {
    let trace = TraceId::of_record(record);
    let id = SpanId::of(&trace, "decision", &record.hash);
    words::decision(record, options).finish(&trace, id, None)
}

#[cfg(test)]
mod tests;
