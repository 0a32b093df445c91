//! Groups spans into OTLP export requests.

use super::span::Span;
use super::{Attribute, SCHEMA_URL};

/// Maximum number of spans and bytes per request. Receivers accept a few megabytes.
const SPANS: usize = 512;
const BYTES: usize = 1024 * 1024;

/// Spans for the next request.
#[derive(Debug)]
pub struct Batch {
    version: &'static str,
    spans: String,
    count: usize,
}

impl Batch {
    /// `version` is reported in the requests.
    pub fn new(version: &'static str) -> Self {
        Self { version, spans: String::new(), count: 0 }
    }

    /// Adds a span. Returns a request when it is full: a JSON document without line feeds.
    pub fn push(&mut self, span: &Span) -> Result<Option<String>, serde_json::Error> {
        let text = serde_json::to_string(span)?;
        let is_full = self.count >= SPANS || self.spans.len().saturating_add(text.len()) > BYTES;
        let full = if is_full { self.finish()? } else { None };
        if self.count > 0 {
            self.spans.push(',');
        }
        self.spans.push_str(&text);
        self.count = self.count.saturating_add(1);
        Ok(full)
    }

    /// The last request, if any spans are left.
    pub fn finish(&mut self) -> Result<Option<String>, serde_json::Error> {
        if self.count == 0 {
            return Ok(None);
        }
        let resource = [
            Attribute::text("service.name", "tenterhook"),
            Attribute::text("service.version", self.version),
            Attribute::text("telemetry.sdk.name", "tenterhook"),
            Attribute::text("telemetry.sdk.language", "rust"),
            Attribute::text("telemetry.sdk.version", self.version),
        ];
        let resource = serde_json::to_string(&resource)?;
        let version = serde_json::to_string(self.version)?;
        let spans = std::mem::take(&mut self.spans);
        self.count = 0;
        Ok(Some(format!(
            "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":{resource}}},\
             \"scopeSpans\":[{{\"scope\":{{\"name\":\"tenterhook\",\"version\":{version}}},\
             \"spans\":[{spans}],\"schemaUrl\":\"{SCHEMA_URL}\"}}],\
             \"schemaUrl\":\"{SCHEMA_URL}\"}}]}}"
        )))
    }
}
