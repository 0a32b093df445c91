//! Sends requests with one common deadline, retrying while the server is busy.

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::header::{CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use ureq::{Agent, Body, Proxy};

use super::answer::Answer;
use super::config::Config;
use super::failure::Failure;

/// Status codes for a busy server.
const BUSY: &[u16] = &[429, 503, 529];

const RETRIES: u32 = 2;

/// The wait before the first retry when the server names none; it doubles.
const PAUSE: Duration = Duration::from_millis(500);

/// Maximum size of a reply; a judgement is a sentence.
const BODY_LIMIT: u64 = 1024 * 1024;

#[derive(Debug)]
pub(super) struct Client<'a> {
    pub(super) config: &'a Config,
    deadline: Instant,
    retries: u32,
}

impl<'a> Client<'a> {
    pub(super) fn new(config: &'a Config, deadline: Instant) -> Self {
        Self { config, deadline, retries: 0 }
    }

    /// Posts until the server is not busy, and returns any other response.
    pub(super) fn post(
        &mut self,
        url: &str,
        headers: &[(HeaderName, String)],
        body: &Value,
    ) -> Result<Answer, Failure> {
        let body = body.to_string();
        loop {
            let request = self.request(url, headers, body.as_str())?;
            let mut response =
                self.agent()?.run(request).map_err(|error| self.explain(url, &error))?;
            let status = response.status().as_u16();
            if BUSY.contains(&status) {
                self.pause(status, retry_after(&response))?;
                continue;
            }
            let body = response.body_mut().with_config().limit(BODY_LIMIT).read_to_vec();
            let body = body.map_err(|error| self.explain(url, &error))?;
            return Ok(Answer { url: url.to_owned(), status, body });
        }
    }

    fn request<'b>(
        &self,
        url: &str,
        own: &[(HeaderName, String)],
        body: &'b str,
    ) -> Result<Request<&'b str>, Failure> {
        let wrong = || Failure::usage("`endpoint` or `headers` cannot be put into a request");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let own = own.iter().map(|(name, value)| (name, value.as_str()));
        let more = self.config.headers.iter().map(|(name, value)| (name, value.expose()));
        // The user's headers come last, so that they replace ours.
        for (name, value) in own.chain(more) {
            let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let mut request = Request::post(url).body(body).map_err(|_| wrong())?;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// A new agent per request, as a kept connection may be closed after a busy response.
    fn agent(&self) -> Result<Agent, Failure> {
        let left = self.left();
        if left.is_zero() {
            return Err(self.too_slow());
        }
        // Plain http stays on this machine; a proxy would carry it elsewhere.
        let proxy = if self.config.endpoint.is_encrypted { Proxy::try_from_env() } else { None };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The target of a redirect must not get the key.
            .max_redirects(0)
            .proxy(proxy)
            .timeout_global(Some(left))
            .user_agent(concat!("tenter-server/", env!("CARGO_PKG_VERSION")));
        Ok(config.build().new_agent())
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits as long as a busy server asks for, if there is time.
    fn pause(&mut self, status: u16, asked: Option<Duration>) -> Result<(), Failure> {
        let wait = asked.unwrap_or(PAUSE * 2_u32.saturating_pow(self.retries));
        let why = if self.retries >= RETRIES {
            format!("it still is after {RETRIES} retries")
        } else if wait >= self.left() {
            format!("the wait of {} s does not fit into `timeout`", wait.as_secs_f64())
        } else {
            self.retries += 1;
            thread::sleep(wait);
            return Ok(());
        };
        Err(Failure::judgement(format!(
            "rate-limited: the server is busy (HTTP {status}) and {why}; try again later"
        )))
    }

    fn too_slow(&self) -> Failure {
        let seconds = self.config.timeout.as_secs_f64();
        let file = self.config.file.display();
        Failure::judgement(format!(
            "no judgement within {seconds} s: raise `timeout` in `{file}` or use a faster model"
        ))
    }

    fn explain(&self, url: &str, error: &ureq::Error) -> Failure {
        let what = match error {
            ureq::Error::Timeout(_) => return self.too_slow(),
            ureq::Error::Io(error) if error.kind() == ErrorKind::TimedOut => {
                return self.too_slow();
            }
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
                "nothing listens there: start the server or correct `endpoint`".to_owned()
            }
            ureq::Error::HostNotFound => "the host is not known: correct `endpoint`".to_owned(),
            ureq::Error::BodyExceedsLimit(_) => "the reply has more than 1 MiB".to_owned(),
            error => format!("{error}"),
        };
        Failure::judgement(format!("no reply from `{url}`: {what}"))
    }
}

/// Only the form in seconds; a date would need synchronised clocks.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    seconds.parse().ok().map(Duration::from_secs)
}
