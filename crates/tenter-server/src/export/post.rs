//! Sends one request, retrying as the protocol requires.

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::header::{CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{HeaderName, HeaderValue, Request, Response};
use ureq::{Agent, Body, Proxy};

use super::receiver::Receiver;
use super::reply::{self, Reply};
use crate::text;

/// Status codes that OTLP says to retry.
const BUSY: &[u16] = &[429, 502, 503, 504];

/// The wait before the first retry when the receiver names none; it doubles.
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

const BODY_LIMIT: u64 = 1024 * 1024;

#[derive(Debug)]
pub(super) struct Sender {
    pub(super) receiver: Receiver,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// Total time for a request with all retries.
    pub(super) timeout: Duration,
}

/// Result of one attempt.
enum Tried {
    Taken(Reply),
    /// Worth a retry, after the given time if the receiver names one.
    Later(String, Option<Duration>),
    Refused(String),
}

impl Sender {
    /// Posts until accepted, rejected or timed out.
    pub(super) fn post(&self, body: &[u8]) -> Result<Reply, String> {
        let deadline = Instant::now() + self.timeout;
        let mut pause = PAUSE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (why, asked) = match self.attempt(body, left)? {
                Tried::Taken(reply) => return Ok(reply),
                Tried::Refused(why) => return Err(why),
                Tried::Later(why, asked) => (why, asked),
            };
            let wait = asked.unwrap_or(pause);
            if wait >= deadline.saturating_duration_since(Instant::now()) {
                let seconds = self.timeout.as_secs();
                return Err(format!("{why}, and {seconds} s are over; try again later"));
            }
            thread::sleep(wait);
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    fn attempt(&self, body: &[u8], left: Duration) -> Result<Tried, String> {
        let mut request = Request::post(&self.receiver.url)
            .body(body)
            .map_err(|_| "--otlp cannot be put into a request".to_owned())?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        for (name, value) in &self.headers {
            request.headers_mut().insert(name, value.clone());
        }
        let answer = self.agent(left).run(request);
        let mut response = match answer {
            Ok(response) => response,
            Err(error) => return Ok(self.trouble(&error)),
        };
        let status = response.status().as_u16();
        let asked = retry_after(&response);
        let body = response.body_mut().with_config().limit(BODY_LIMIT).read_to_vec();
        let body = body.unwrap_or_default();
        if response.status().is_success() {
            return Ok(Tried::Taken(reply::read(&body)));
        }
        let shown = text::shorten(&text::one_line(&reply::complaint(&body)));
        let words = if shown.is_empty() { String::new() } else { format!(": {shown}") };
        let place = self.receiver.shown();
        Ok(if BUSY.contains(&status) {
            Tried::Later(format!("`{place}` is busy (HTTP {status}){words}"), asked)
        } else {
            Tried::Refused(format!("`{place}` refuses it (HTTP {status}){words}"))
        })
    }

    fn agent(&self, left: Duration) -> Agent {
        // Plain http stays on this machine or its network; a proxy would carry it elsewhere.
        let proxy = if self.receiver.is_encrypted { Proxy::try_from_env() } else { None };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The target of a redirect must not get the key.
            .max_redirects(0)
            .proxy(proxy)
            .timeout_global(Some(left.max(Duration::from_millis(1))))
            .user_agent(concat!("tenter-server/", env!("CARGO_PKG_VERSION")));
        config.build().new_agent()
    }

    fn trouble(&self, error: &ureq::Error) -> Tried {
        let place = self.receiver.shown();
        match error {
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
                Tried::Refused(format!("nothing listens at `{place}`"))
            }
            ureq::Error::HostNotFound => Tried::Refused(format!("`{place}`: no such host")),
            ureq::Error::Timeout(_) => {
                Tried::Refused(format!("no answer from `{place}` in {} s", self.timeout.as_secs()))
            }
            // The connection broke: the request may have been delivered, but spans have unique ids.
            ureq::Error::Io(_) | ureq::Error::ConnectionFailed => {
                Tried::Later(format!("no answer from `{place}`: {error}"), None)
            }
            error => Tried::Refused(format!("no answer from `{place}`: {error}")),
        }
    }
}

/// Only the form in seconds; a date would need synchronised clocks.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    seconds.parse().ok().map(Duration::from_secs)
}
