//! The header of a session.

use serde::Serialize;
use tenter_audit::store::Session;
use tenter_engine::diagnostic::printable;

use super::super::log::text::thousands;
use super::gather::Gathered;
use super::page::Page;
use super::prices::{self, Prices};
use super::story::Counts;
use super::tokens::{Source, Tokens};
use crate::clock;

/// The omitted middle part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct LeftOut {
    pub(super) records: u64,
    pub(super) denied: u64,
    pub(super) asked: u64,
}

/// Data of the header.
#[derive(Debug)]
pub(super) struct Header<'h> {
    pub(super) session: &'h Session,
    pub(super) gathered: &'h Gathered,
    /// `None` if only part of the session was read.
    pub(super) counts: Option<Counts>,
    pub(super) tokens: Option<&'h Tokens>,
}

impl Header<'_> {
    /// The header as text.
    pub(super) fn lines(&self, page: &Page) -> Vec<String> {
        let Session { id, host, first_at, last_at, .. } = self.session;
        let title = format!("Session {}", printable(id));
        let mut lines = vec![page.style.paint("1", &title)];
        let mut row = |name: &str, text: &str| {
            let name = page.style.paint("2", &format!("  {name:<8}"));
            let indent = " ".repeat(10);
            for (index, line) in page.wrapped(text, 10, usize::MAX).iter().enumerate() {
                lines.push(format!("{}{line}", if index == 0 { &name } else { &indent }));
            }
        };
        let mut words = vec![host.clone()];
        words.extend(self.gathered.host_version.clone());
        words.extend(self.gathered.surface.as_ref().map(|it| format!("({it})")));
        row("host", &words.join(" "));
        if let Some(model) = self.model() {
            row("model", model);
        }
        if let Some(folder) = &self.session.cwd {
            let home = Page { cwd: None, ..page.clone() };
            row("folder", &home.path(folder));
        }
        let length = clock::length(last_at.saturating_sub(*first_at));
        row(
            "time",
            &format!("{} {}, {length}", clock::day(*first_at), clock::time_of_day(*first_at)),
        );
        row("calls", &self.calls());
        if let Some(tokens) = self.tokens {
            for (name, text) in token_lines(tokens) {
                row(name, &text);
            }
        }
        lines
    }

    /// The model, by name if recorded.
    pub(super) fn model(&self) -> Option<&str> {
        self.gathered.model.as_deref().or(self.session.model.as_deref())
    }

    fn calls(&self) -> String {
        let many = |count: u64, one: &str, more: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{} {more}", thousands(count))),
        };
        let session = self.session;
        let counts = self.counts.unwrap_or(Counts {
            prompts: session.prompts,
            tools: session.tools,
            denied: session.denied,
            asked: session.asked,
            ..Counts::default()
        });
        let happened = [
            many(counts.prompts, "prompt", "prompts"),
            many(counts.tools, "tool call", "tool calls"),
            many(counts.subagents, "subagent", "subagents"),
            many(counts.compactions, "compaction", "compactions"),
        ];
        let stopped = [
            many(counts.denied, "denied", "denied"),
            many(counts.asked, "asked", "asked"),
            many(counts.failed, "failed", "failed"),
        ];
        let join = |words: [Option<String>; 4]| words.into_iter().flatten().collect::<Vec<_>>();
        let mut text = join(happened).join(", ");
        let [denied, asked, failed] = stopped;
        let stopped = join([denied, asked, failed, None]);
        if !stopped.is_empty() {
            text = format!("{text}; {}", stopped.join(", "));
        }
        let records = many(session.records, "record", "records").unwrap_or_default();
        if text.is_empty() { records } else { format!("{text} ({records})") }
    }
}

/// Lines about tokens and cost.
fn token_lines(tokens: &Tokens) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if tokens.is_empty() {
        let why = tokens.notes.first().map_or("the host does not say", String::as_str);
        return vec![("tokens", format!("not known: {why}"))];
    }
    let total = tokens.total();
    let from = match tokens.source {
        Source::Record => "",
        Source::Transcript => " (from the transcript)",
    };
    let read = total.input.saturating_add(total.cache_read).saturating_add(total.cache_write);
    let mut text = format!("{} in", thousands(read));
    let mut cached = Vec::new();
    if total.cache_read > 0 {
        cached.push(format!("{} from the cache", thousands(total.cache_read)));
    }
    if total.cache_write > 0 {
        cached.push(format!("{} into it", thousands(total.cache_write)));
    }
    if !cached.is_empty() {
        text = format!("{text}, of them {}", cached.join(" and "));
    }
    lines.push(("tokens", format!("{text}; {} out{from}", thousands(total.output))));
    for note in &tokens.notes {
        lines.push(("", note.clone()));
    }
    if let Some(prices) = &tokens.prices {
        lines.push(("cost", cost(tokens, prices)));
    }
    lines
}

fn cost(tokens: &Tokens, prices: &Prices) -> String {
    let date = prices.as_of.as_ref().map_or_else(String::new, |date| format!(" of {date}"));
    let estimate = format!("estimated from your prices{date}");
    if let Some(cost) = tokens.cost() {
        return format!("about {} ({estimate})", prices::dollars(cost));
    }
    let names: Vec<String> =
        tokens
            .unpriced()
            .into_iter()
            .map(|name| {
                if name.is_empty() { "a model without a name".into() } else { format!("`{name}`") }
            })
            .collect();
    let unknown = format!("no price is known for {}", names.join(", "));
    let known = tokens.models.iter().filter_map(|model| tokens.cost_of(model));
    match known.fold(0_u64, u64::saturating_add) {
        0 => unknown,
        part => format!(
            "about {} without what has no price: {unknown} ({estimate})",
            prices::dollars(part)
        ),
    }
}
