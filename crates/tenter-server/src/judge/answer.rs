//! Parses a model server's HTTP response.

use serde_json::Value;

use super::config::Config;
use super::failure::Failure;

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON of a successful response.
    pub(super) fn json(&self, config: &Config) -> Result<Value, Failure> {
        if !(200..300).contains(&self.status) {
            return Err(Failure::judgement(self.refusal(config)));
        }
        serde_json::from_slice(&self.body).map_err(|_| {
            let (url, shown) = (&self.url, config.quote(&self.text()));
            Failure::judgement(format!("`{url}` did not reply with JSON: {shown}"))
        })
    }

    fn refusal(&self, config: &Config) -> String {
        let (url, status) = (&self.url, self.status);
        match status {
            // The server's message is omitted here: such messages tend to repeat parts of the key.
            401 | 403 => {
                let cure = match &config.key {
                    Some(key) => format!("check the key in the variable `{}`", key.variable),
                    None => format!("set `key_env` in `{}`", config.file.display()),
                };
                format!("the server does not let us in (HTTP {status}): {cure}")
            }
            300..=399 => format!(
                "`{url}` redirects (HTTP {status}), which is not followed because it could carry \
                 the key elsewhere: set `endpoint` to the address it leads to"
            ),
            404 => {
                let words = config.quote(&self.words());
                format!("`{url}` is not found (HTTP 404): check `endpoint` and `model`: {words}")
            }
            _ => format!("`{url}` failed (HTTP {status}): {}", config.quote(&self.words())),
        }
    }

    /// The error message in the forms servers use, or else the whole body.
    fn words(&self) -> String {
        let value: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        error_message(&value).unwrap_or_else(|| self.text())
    }
}

/// `{"error": {"message": "..."}}` or `{"error": "..."}`.
pub(super) fn error_message(reply: &Value) -> Option<String> {
    let error = reply.get("error")?;
    error.get("message").unwrap_or(error).as_str().map(str::to_owned)
}

/// Error: the reply does not have its API's format.
pub(super) fn malformed(reply: &Value, config: &Config, api: &str) -> Failure {
    let words = error_message(reply).unwrap_or_else(|| reply.to_string());
    let shown = config.quote(&words);
    Failure::judgement(format!("the server's reply is not one of the {api} API: {shown}"))
}

/// The model's text, which must not be empty.
pub(super) fn spoken(text: String) -> Result<String, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::judgement("the model refused to judge: its answer is empty"));
    }
    Ok(text)
}

/// Error: the model stopped before the end of its answer.
pub(super) fn cut_short(config: &Config) -> Failure {
    let (limit, file) = (config.max_tokens, config.file.display());
    Failure::judgement(format!(
        "the model's answer was cut short at {limit} tokens: raise `max_tokens` in `{file}`"
    ))
}

/// Error: the model, or a filter before it, refused.
pub(super) fn refused(how: &str) -> Failure {
    Failure::judgement(format!("the model refused to judge: {how}"))
}
