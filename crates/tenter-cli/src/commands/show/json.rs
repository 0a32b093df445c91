//! The story as JSON: one object per line, the session first.

use serde::Serialize;
use serde_json::value::RawValue;
use tenter_audit::record::Usage;
use tenter_model::time;

use super::header::{Header, LeftOut};
use super::step::Step;
use super::story::Counts;
use super::tokens::Source;
use crate::commands::log::text::harmless_json;
use crate::error::CommandError;

#[derive(Serialize)]
struct SessionLine<'s> {
    r#type: &'static str,
    session: &'s str,
    host: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_version: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    surface: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'s str>,
    begun: String,
    ended: String,
    records: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Counts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<TokensLine<'s>>,
}

#[derive(Serialize)]
struct TokensLine<'s> {
    source: Source,
    #[serde(flatten)]
    total: Usage,
    /// Null if a model has no price.
    cost_usd: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prices_of: Option<&'s str>,
    models: Vec<ModelLine<'s>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'s [String],
}

#[derive(Serialize)]
struct ModelLine<'s> {
    model: &'s str,
    #[serde(flatten)]
    usage: Usage,
    cost_usd: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct StepLine<'s> {
    r#type: &'static str,
    time: String,
    #[serde(flatten)]
    step: &'s Step,
}

#[derive(Serialize)]
struct LeftOutLine {
    r#type: &'static str,
    #[serde(flatten)]
    left_out: LeftOut,
}

pub(super) fn session(header: &Header<'_>) -> Result<String, CommandError> {
    let tokens = header.tokens.filter(|tokens| !tokens.is_empty() || !tokens.notes.is_empty());
    let tokens = tokens.map(|tokens| TokensLine {
        source: tokens.source,
        total: tokens.total(),
        cost_usd: tokens.cost().filter(|_| !tokens.is_empty()).and_then(dollars),
        prices_of: tokens.prices.as_ref().and_then(|prices| prices.as_of.as_deref()),
        models: tokens
            .models
            .iter()
            .map(|model| ModelLine {
                model: &model.name,
                usage: model.usage,
                cost_usd: tokens.cost_of(model).and_then(dollars),
            })
            .collect(),
        notes: &tokens.notes,
    });
    line(&SessionLine {
        r#type: "session",
        session: &header.session.id,
        host: &header.session.host,
        host_version: header.gathered.host_version.as_deref(),
        surface: header.gathered.surface.as_deref(),
        model: header.model(),
        cwd: header.session.cwd.as_deref(),
        begun: time::stamp(header.session.first_at),
        ended: time::stamp(header.session.last_at),
        records: header.session.records,
        counts: header.counts,
        tokens,
    })
}

pub(super) fn step(step: &Step) -> Result<String, CommandError> {
    line(&StepLine { r#type: "step", time: time::stamp(step.at), step })
}

pub(super) fn left_out(left_out: LeftOut) -> Result<String, CommandError> {
    line(&LeftOutLine { r#type: "left_out", left_out })
}

/// Converts millionths of a dollar exactly.
fn dollars(micros: u64) -> Option<Box<RawValue>> {
    RawValue::from_string(format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)).ok()
}

fn line(value: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(value).map(|json| harmless_json(&json)).map_err(CommandError::internal)
}
