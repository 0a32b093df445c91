//! Spans as requests of the OTLP exporter.

use super::span::Span;
use super::{Attribute, SCHEMA_URL};

/// More spans or bytes than this go into another request. Receivers take a few megabytes.
const SPANS: usize = 512;
const BYTES: usize = 1024 * 1024;

/// Spans on their way into a request.
#[derive(Debug)]
pub struct Batch {
    version: &'static str,
    spans: String,
    count: usize,
}

impl Batch {
    /// For requests that say which version of the program made them.
    pub fn new(version: &'static str) -> Self {
        Self { version, spans: String::new(), count: 0 }
    }

    /// Adds a span. Gives a request when there are enough: a JSON document without line feeds.
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

    /// The request that is left.
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
