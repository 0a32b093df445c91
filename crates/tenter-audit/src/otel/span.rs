//! Spans in OTLP/JSON.

use serde::{Serialize, Serializer};

use super::attribute::Attribute;
use super::ids::{SpanId, TraceId};

/// Span kind: all our spans are internal to the observed process.
pub(super) const INTERNAL: u8 = 1;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_span_id: Option<SpanId>,
    pub name: String,
    pub kind: u8,
    #[serde(rename = "startTimeUnixNano", serialize_with = "as_text")]
    pub start: u64,
    #[serde(rename = "endTimeUnixNano", serialize_with = "as_text")]
    pub end: u64,
    pub attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// Link to a span of another trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub trace_id: TraceId,
    pub span_id: SpanId,
}

/// Error status. Successful spans have none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    pub code: u8,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl Status {
    pub(super) fn error(message: String) -> Self {
        Self { code: 2, message }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn as_text<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
