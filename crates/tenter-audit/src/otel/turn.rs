//! Spans for turns and subagents, and counters.

use super::Options;
use super::attribute::Attributes;
use super::ids::SpanId;
use super::open::Open;
use super::words::{product, provider};
use crate::memory::told;
use crate::record::{Kept, Record, Usage};

#[derive(Debug)]
pub(super) struct Turn {
    pub(super) id: SpanId,
    pub(super) name: Option<String>,
    pub(super) open: Open,
    model: Option<String>,
    provider: &'static str,
    sums: Sums,
    stop: Option<String>,
    /// Whether it has stopped without a tool call since.
    pub(super) is_over: bool,
    prompt: Option<String>,
}

/// A subagent.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: SpanId,
    pub(super) parent: SpanId,
    pub(super) turn: Option<usize>,
    pub(super) above: Option<usize>,
    pub(super) name: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) is_over: bool,
    pub(super) open: Open,
}

/// Counters of a turn and of the whole session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    calls: u64,
    denied: u64,
    asked: u64,
    usage: Option<Usage>,
}

impl Sums {
    pub(super) fn add(&mut self, record: &Record<'_>) {
        let one_if = u64::from;
        self.calls = self.calls.saturating_add(one_if(record.event == "PreToolUse"));
        self.denied = self.denied.saturating_add(one_if(told(record) == "deny"));
        self.asked = self.asked.saturating_add(one_if(told(record) == "ask"));
        if let Some(more) = record.usage {
            let sum = self.usage.get_or_insert_default();
            sum.input = sum.input.saturating_add(more.input);
            sum.output = sum.output.saturating_add(more.output);
            sum.cache_read = sum.cache_read.saturating_add(more.cache_read);
            sum.cache_write = sum.cache_write.saturating_add(more.cache_write);
        }
    }

    pub(super) fn say(&self, said: &mut Attributes) {
        said.whole("tenterhook.calls", self.calls);
        said.whole("tenterhook.denied", self.denied);
        said.whole("tenterhook.asked", self.asked);
        if let Some(usage) = self.usage {
            said.whole("gen_ai.usage.input_tokens", usage.input);
            said.whole("gen_ai.usage.output_tokens", usage.output);
            said.whole("gen_ai.usage.cache_read.input_tokens", usage.cache_read);
            said.whole("gen_ai.usage.cache_creation.input_tokens", usage.cache_write);
        }
    }
}

/// Attributes common to the spans of one session.
pub(super) struct About<'a> {
    pub(super) host: &'a str,
    pub(super) session: &'a str,
}

impl Turn {
    pub(super) fn new(id: SpanId, name: Option<&str>, open: Open, host: &str) -> Self {
        Self {
            id,
            name: name.map(str::to_owned),
            open,
            model: None,
            provider: provider(host, None),
            sums: Sums::default(),
            stop: None,
            is_over: false,
            prompt: None,
        }
    }

    pub(super) fn take(&mut self, record: &Record<'_>, options: Options) {
        self.sums.add(record);
        if let Some(model) = record.model.as_deref() {
            self.model = Some(model.to_owned());
            self.provider = provider(&record.host, Some(model));
        }
        self.is_over = record.event == "Stop" || (self.is_over && record.tool.is_none());
        if record.event == "Stop" {
            self.stop = record.detail.as_deref().map(str::to_owned);
        }
        if let Some(prompt) = record.prompt.as_ref().and_then(Kept::text)
            && options.content
            && self.prompt.is_none()
        {
            let part = serde_json::json!({ "type": "text", "content": prompt });
            let messages = serde_json::json!([{ "role": "user", "parts": [part] }]);
            self.prompt = Some(messages.to_string());
        }
        if self.open.attributes.0.is_empty() {
            self.open.attributes.maybe("gen_ai.agent.version", record.host_version.as_deref());
        }
    }

    pub(super) fn say(mut self, about: &About<'_>) -> Open {
        let said = &mut self.open.attributes;
        said.text("gen_ai.operation.name", "invoke_agent");
        said.text("gen_ai.provider.name", self.provider);
        said.text("gen_ai.agent.name", product(about.host));
        said.text("gen_ai.conversation.id", about.session);
        said.maybe("gen_ai.request.model", self.model.as_deref());
        said.text("tenterhook.host", about.host);
        said.maybe("tenterhook.turn.id", self.name.as_deref());
        said.maybe("tenterhook.turn.end", self.stop.as_deref());
        said.maybe("gen_ai.input.messages", self.prompt.as_deref());
        self.sums.say(said);
        self.open
    }
}

impl Agent {
    pub(super) fn say(mut self, about: &About<'_>) -> Open {
        let kind = self.kind.as_deref().unwrap_or("agent");
        self.open.name = format!("invoke_agent {kind}");
        let said = &mut self.open.attributes;
        said.text("gen_ai.operation.name", "invoke_agent");
        said.text("gen_ai.provider.name", provider(about.host, None));
        said.text("gen_ai.agent.name", kind);
        said.maybe("gen_ai.agent.id", self.name.as_deref());
        said.text("gen_ai.conversation.id", about.session);
        said.text("tenterhook.host", about.host);
        said.flag("tenterhook.incomplete", !self.is_over);
        self.open
    }
}
