//! Deterministic trace and span ids.

use serde::{Serialize, Serializer};
use tenter_model::hash::{PartsHash, hex};

use crate::record::Record;

/// Trace id: sixteen bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceId([u8; 16]);

/// Span id: eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanId([u8; 8]);

impl TraceId {
    /// The trace of a session: a prefix of SHA-256 over `tenterhook trace`, host and id, each followed by a
    /// zero byte.
    pub fn of_session(host: &str, session: &str) -> Self {
        Self(beginning(&["tenterhook trace", host, session]))
    }

    /// The trace of a record without session.
    pub(super) fn of_record(record: &Record<'_>) -> Self {
        Self(beginning(&["tenterhook trace", &record.host, "", &record.hash]))
    }
}

impl SpanId {
    /// A span id from its kind and a key that is unique within kind and trace.
    pub fn of(trace: &TraceId, kind: &str, key: &str) -> Self {
        Self(beginning(&["tenterhook span", &hex(&trace.0), kind, key]))
    }

    /// The span id of a session.
    pub fn of_session(trace: &TraceId) -> Self {
        Self::of(trace, "session", "")
    }
}

impl std::fmt::Display for TraceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl std::fmt::Display for SpanId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn beginning<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut hash = PartsHash::default();
    for part in parts {
        hash.raw(part.as_bytes());
        hash.raw(&[0]);
    }
    hash.first()
}
