//! Client for OpenAI's chat completions API, which most local servers support.

use serde_json::{Value, json};
use ureq::http::header::AUTHORIZATION;

use super::SYSTEM;
use super::answer::{cut_short, malformed, refused, spoken};
use super::config::Config;
use super::failure::Failure;
use super::http::Client;
use super::question::Question;

const FORMAT: &str = "response_format";

/// The model's text.
pub(super) fn ask(client: &mut Client<'_>, question: &Question) -> Result<String, Failure> {
    let config = client.config;
    let url = config.endpoint.join("chat/completions");
    let bearer = config.key.iter().map(|key| format!("Bearer {}", key.value.expose()));
    let headers: Vec<_> = bearer.map(|value| (AUTHORIZATION, value)).collect();
    let mut body = body(question, config.max_tokens);
    let mut answer = client.post(&url, &headers, &body)?;
    // Not every server supports the format; the system prompt asks for JSON as well.
    if answer.status == 400 && answer.text().contains(FORMAT) {
        drop(body.as_object_mut().and_then(|body| body.remove(FORMAT)));
        answer = client.post(&url, &headers, &body)?;
    }
    text(&answer.json(config)?, config)
}

fn body(question: &Question, max_tokens: u32) -> Value {
    json!({
        "model": question.model,
        "messages": [
            { "role": "system", "content": SYSTEM },
            { "role": "user", "content": question.prompt },
        ],
        "temperature": 0,
        "max_tokens": max_tokens,
        FORMAT: { "type": "json_object" },
    })
}

fn text(reply: &Value, config: &Config) -> Result<String, Failure> {
    let wrong = || malformed(reply, config, "OpenAI");
    let choice = reply.pointer("/choices/0").ok_or_else(wrong)?;
    let message = choice.get("message").ok_or_else(wrong)?;
    if let Some(words) = message.get("refusal").and_then(Value::as_str)
        && !words.is_empty()
    {
        return Err(refused(&config.quote(words)));
    }
    match choice.get("finish_reason").and_then(Value::as_str) {
        Some("content_filter") => return Err(refused("a content filter stopped it")),
        Some("length") => return Err(cut_short(config)),
        _ => {}
    }
    match message.get("content") {
        Some(Value::String(text)) => spoken(text.clone()),
        None | Some(Value::Null) => spoken(String::new()),
        Some(_) => Err(wrong()),
    }
}
