//! Spans under construction.

use std::time::Duration;

use super::attribute::Attributes;
use super::ids::{SpanId, TraceId};
use super::span::{INTERNAL, Link, Span, Status};
use crate::record::Record;

/// When a record's call began and ended, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Time {
    /// Duration of the hook call.
    pub(super) fn of(record: &Record<'_>) -> Self {
        let end = record.at.saturating_mul(1_000_000);
        Self { start: end.saturating_sub(record.us.total.saturating_mul(1000)), end }
    }

    /// Also covers the preceding tool duration that the host reports.
    pub(super) fn with_tool(record: &Record<'_>) -> Self {
        let time = Self::of(record);
        let ms = record.duration_ms.as_ref().and_then(serde_json::Number::as_f64);
        // More than a month is an error in the data.
        let took = Duration::try_from_secs_f64(ms.unwrap_or_default() / 1000.0);
        let took = took.unwrap_or_default().min(Duration::from_hours(24 * 31));
        let took = u64::try_from(took.as_nanos()).unwrap_or_default();
        Self { start: time.start.saturating_sub(took), ..time }
    }
}

/// Fields common to all spans.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) name: String,
    pub(super) time: Time,
    pub(super) attributes: Attributes,
    pub(super) links: Vec<Link>,
    pub(super) status: Option<Status>,
    /// Whether a record in the requested time range belongs to the span or its children.
    pub(super) wanted: bool,
}

impl Open {
    pub(super) fn new(name: String, time: Time) -> Self {
        Self {
            name,
            time,
            attributes: Attributes::default(),
            links: Vec::new(),
            status: None,
            wanted: false,
        }
    }

    /// Extends the span by a record.
    pub(super) fn touch(&mut self, time: Time, wanted: bool) {
        self.time.start = self.time.start.min(time.start);
        self.time.end = self.time.end.max(time.end);
        self.wanted |= wanted;
    }

    pub(super) fn finish(self, trace: &TraceId, id: SpanId, parent: Option<SpanId>) -> Span {
        Span {
            trace_id: *trace,
            span_id: id,
            parent_span_id: parent,
            name: self.name,
            kind: INTERNAL,
            start: self.time.start,
            end: self.time.end,
            attributes: self.attributes.0,
            links: self.links,
            status: self.status,
        }
    }
}
