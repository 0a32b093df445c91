//! Attributes of single records, named by the semantic conventions.

use tenter_model::HostId;

use super::Options;
use super::open::{Open, Time};
use crate::memory::told;
use crate::record::{Kept, Record};

/// The span of a session, from its first record.
pub(super) fn root(host: &str, session: &str, record: &Record<'_>, options: Options) -> Open {
    let mut root = Open::new(format!("session {host}"), Time::of(record));
    let said = &mut root.attributes;
    said.text("gen_ai.conversation.id", session);
    said.text("gen_ai.agent.name", product(host));
    said.maybe("gen_ai.agent.version", record.host_version.as_deref());
    said.text("tenterhook.host", host);
    said.maybe("tenterhook.surface", record.surface.as_deref());
    if let Some(user) = record.user.as_deref() {
        match user.strip_prefix("sha256:") {
            Some(hash) => said.text("user.hash", hash),
            None if options.content => said.text("user.email", user),
            None => {}
        }
    }
    if options.content {
        said.maybe("tenterhook.folder", record.cwd.as_deref());
    }
    root
}

/// Span of one hook call's verdict.
pub(super) fn decision(record: &Record<'_>, options: Options) -> Open {
    let mut open = Open::new(format!("decision {}", record.event), Time::of(record));
    let said = &mut open.attributes;
    said.text("tenterhook.decision", told(record));
    said.text("tenterhook.enforcement", &record.enforcement);
    said.text("tenterhook.event", &record.event);
    said.text("tenterhook.native_event", &record.native_event);
    said.text("tenterhook.host", &record.host);
    said.maybe("gen_ai.conversation.id", record.session_id.as_deref());
    said.maybe("tenterhook.tool", record.tool.as_deref());
    said.texts("tenterhook.rules", record.findings.iter().map(|it| it.rule.as_ref()));
    said.texts("tenterhook.levels", record.findings.iter().map(|it| it.level.as_ref()));
    said.text("tenterhook.policy", &record.policy);
    said.maybe("tenterhook.permission_mode", record.permission_mode.as_deref());
    said.maybe("tenterhook.detail", record.detail.as_deref());
    said.flag("tenterhook.allowed_once", record.allowed_once);
    said.flag("tenterhook.again", record.again);
    said.flag("tenterhook.canary", record.canary);
    said.flag("tenterhook.rewritten", !record.verdict.modified_input.is_empty());
    said.count("tenterhook.losses", record.losses.len() as u64);
    said.count("tenterhook.lost", record.lost);
    said.whole("tenterhook.record.id", record.seq);
    said.text("tenterhook.record.hash", &record.hash);
    said.text("tenterhook.record.level", record.level.as_str());
    let names = [
        "tenterhook.us.policy",
        "tenterhook.us.read",
        "tenterhook.us.judge",
        "tenterhook.us.handlers",
        "tenterhook.us.answer",
        "tenterhook.us.total",
    ];
    for (name, (_, us)) in names.into_iter().zip(record.us.phases()) {
        said.count(name, us);
    }
    if options.content {
        said.text("tenterhook.subject", &record.subject());
        said.maybe("tenterhook.reason", record.verdict.reason.as_ref().and_then(Kept::text));
    }
    open
}

/// The agent's product name.
pub(super) fn product(host: &str) -> &str {
    let known: Option<HostId> = host.parse().ok();
    known.map_or(host, |known| known.title())
}

/// The provider of the model as the conventions name it: by model, else by host.
pub(super) fn provider(host: &str, model: Option<&str>) -> &'static str {
    const BY_MODEL: &[(&str, &str)] = &[
        ("claude", "anthropic"),
        ("gpt", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
        ("gemini", "gcp.gemini"),
        ("grok", "x_ai"),
        ("deepseek", "deepseek"),
        ("mistral", "mistral_ai"),
    ];
    let model = model.unwrap_or_default();
    let known = BY_MODEL.iter().find(|(start, _)| model.starts_with(start));
    let of_host = || host.parse::<HostId>().ok().map_or("_OTHER", HostId::vendor);
    known.map_or_else(of_host, |(_, provider)| provider)
}
