//! Client for Anthropic's Messages API.

use serde_json::{Value, json};
use ureq::http::HeaderName;

use super::SYSTEM;
use super::answer::{cut_short, malformed, refused, spoken};
use super::config::Config;
use super::failure::Failure;
use super::http::Client;
use super::question::Question;

const KEY: HeaderName = HeaderName::from_static("x-api-key");
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// The model's text.
pub(super) fn ask(client: &mut Client<'_>, question: &Question) -> Result<String, Failure> {
    let config = client.config;
    let mut headers = vec![(VERSION, "2023-06-01".to_owned())];
    headers.extend(config.key.iter().map(|key| (KEY, key.value.expose().to_owned())));
    let body = body(question, config.max_tokens);
    let answer = client.post(&url(config), &headers, &body)?;
    text(&answer.json(config)?, config)
}

/// Some users include the version in the base URL, as for other APIs.
fn url(config: &Config) -> String {
    let has_version = config.endpoint.ends_with("/v1");
    config.endpoint.join(if has_version { "messages" } else { "v1/messages" })
}

fn body(question: &Question, max_tokens: u32) -> Value {
    json!({
        "model": question.model,
        "max_tokens": max_tokens,
        "system": SYSTEM,
        "messages": [{ "role": "user", "content": question.prompt }],
    })
}

fn text(reply: &Value, config: &Config) -> Result<String, Failure> {
    match reply.get("stop_reason").and_then(Value::as_str) {
        Some("refusal") => return Err(refused("it stopped with `refusal`")),
        Some("max_tokens") => return Err(cut_short(config)),
        _ => {}
    }
    let blocks = reply.get("content").and_then(Value::as_array);
    let blocks = blocks.ok_or_else(|| malformed(reply, config, "Anthropic"))?;
    // A thinking model may send blocks of another type first.
    let texts = blocks.iter().filter(|block| block.get("type").is_some_and(|kind| kind == "text"));
    spoken(texts.filter_map(|block| block.get("text").and_then(Value::as_str)).collect())
}
