//! The configuration of the judge.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::{HeaderName, HeaderValue};

use super::endpoint::Endpoint;
use super::failure::Failure;
use super::fields::Fields;
use super::locate::{self, Environment};
use super::secret::Secret;
use crate::text;

const KEYS: &[&str] =
    &["api", "endpoint", "key_env", "model", "timeout", "max_tokens", "headers", "allow_insecure"];

const TIMEOUT: f64 = 30.0;
/// Maximum timeout: an hour.
const LONGEST_TIMEOUT: f64 = 3600.0;
const MAX_TOKENS: u32 = 1024;

/// Minimum length of a header value that is redacted: shorter ones are flags and versions.
const SHORTEST_HIDDEN_HEADER: usize = 8;

/// Headers that frame the request; a wrong value would truncate it.
const OUR_HEADERS: &[&str] = &["content-length", "transfer-encoding", "host", "content-type"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    OpenAi,
    Anthropic,
}

#[derive(Debug)]
pub(super) struct Key {
    /// Name of the environment variable, for messages.
    pub(super) variable: String,
    pub(super) value: Secret,
}

#[derive(Debug)]
pub(super) struct Config {
    pub(super) file: PathBuf,
    pub(super) api: Api,
    pub(super) endpoint: Endpoint,
    pub(super) key: Option<Key>,
    pub(super) model: Option<String>,
    pub(super) timeout: Duration,
    pub(super) max_tokens: u32,
    pub(super) headers: Vec<(HeaderName, Secret)>,
}

impl Config {
    pub(super) fn load(
        named: Option<&Path>,
        environment: Environment<'_>,
    ) -> Result<Self, Failure> {
        let (file, text) = locate::find(named, environment)?;
        Self::parse(&file, &text, environment)
    }

    fn parse(file: &Path, text: &str, environment: Environment<'_>) -> Result<Self, Failure> {
        let fields = Fields::parse(file, text, KEYS)?;
        let api = match fields.required("api")? {
            "openai" => Api::OpenAi,
            "anthropic" => Api::Anthropic,
            _ => return Err(fields.fault("api", "`api` must be \"openai\" or \"anthropic\"")),
        };
        let allow_insecure = fields.bool("allow_insecure")?.unwrap_or(false);
        let endpoint = Endpoint::parse(fields.required("endpoint")?, allow_insecure)
            .map_err(|message| fields.fault("endpoint", &message))?;
        Ok(Self {
            file: file.to_owned(),
            api,
            endpoint,
            key: key(&fields, environment)?,
            model: fields.string("model")?.filter(|model| !model.is_empty()).map(str::to_owned),
            timeout: timeout(&fields)?,
            max_tokens: max_tokens(&fields)?,
            headers: headers(&fields)?,
        })
    }

    /// `text` with secrets redacted.
    pub(super) fn redact(&self, text: &str) -> String {
        let headers = self.headers.iter().map(|(_, value)| value);
        let headers = headers.filter(|value| value.expose().len() >= SHORTEST_HIDDEN_HEADER);
        let secrets = self.key.iter().map(|key| &key.value).chain(headers);
        secrets.fold(text.to_owned(), |text, secret| secret.redact(&text))
    }

    /// The start of a foreign text, for messages. Redacted before cutting, or half a key could stay.
    pub(super) fn quote(&self, text: &str) -> String {
        text::shorten(&self.redact(&text::one_line(text)))
    }
}

fn key(fields: &Fields<'_>, environment: Environment<'_>) -> Result<Option<Key>, Failure> {
    let Some(variable) = fields.string("key_env")? else {
        return Ok(None);
    };
    let value = environment(variable).unwrap_or_default();
    let wrong = |what: &str| {
        let name = text::one_line(variable);
        fields.fault("key_env", &format!("the variable `{name}` {what}"))
    };
    let value = value.to_str().ok_or_else(|| wrong("is not UTF-8: set it to the key"))?.trim();
    if value.is_empty() {
        return Err(wrong("is not set: set it to the key, or remove `key_env`"));
    }
    if HeaderValue::from_str(value).is_err() {
        return Err(wrong("holds what no header can: set it to the key alone"));
    }
    Ok(Some(Key { variable: variable.to_owned(), value: Secret::new(value) }))
}

fn timeout(fields: &Fields<'_>) -> Result<Duration, Failure> {
    let seconds = fields.number("timeout")?.unwrap_or(TIMEOUT);
    let in_range = seconds > 0.0 && seconds <= LONGEST_TIMEOUT;
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|_| in_range);
    duration.ok_or_else(|| {
        fields.fault("timeout", "`timeout` must be more than 0 and at most 3600 seconds")
    })
}

fn max_tokens(fields: &Fields<'_>) -> Result<u32, Failure> {
    let Some(number) = fields.number("max_tokens")? else {
        return Ok(MAX_TOKENS);
    };
    let whole = format!("{number}").parse::<u32>().ok().filter(|number| *number > 0);
    whole.ok_or_else(|| fields.fault("max_tokens", "`max_tokens` must be a whole number above 0"))
}

fn headers(fields: &Fields<'_>) -> Result<Vec<(HeaderName, Secret)>, Failure> {
    let header = |(name, value): (&str, &str)| {
        let wrong = |what: &str| {
            let name = text::one_line(name);
            fields.fault("headers", &format!("the header `{name}` {what}"))
        };
        let parsed: HeaderName = name.parse().map_err(|_| wrong("has no valid name"))?;
        if OUR_HEADERS.contains(&parsed.as_str()) {
            return Err(wrong("is set by the judge: remove it"));
        }
        HeaderValue::from_str(value).map_err(|_| wrong("has no valid value"))?;
        Ok((parsed, Secret::new(value)))
    };
    fields.strings("headers")?.into_iter().map(header).collect()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
