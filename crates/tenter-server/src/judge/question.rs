//! The engine's question, read from stdin.

use std::io::Read;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use serde::Deserialize;

use super::config::Config;
use super::failure::Failure;
use super::reply::object;

/// Maximum size: a hook's input can hold a whole file.
const LIMIT: u64 = 16 * 1024 * 1024;

#[derive(Deserialize)]
struct Asked {
    prompt: String,
    model: Option<String>,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) prompt: String,
    pub(super) model: String,
}

impl Question {
    /// Reads stdin to its end, but not beyond the deadline: a parent that forgets to close the pipe must not
    /// leave a process behind.
    pub(super) fn read(
        input: impl Read + Send + 'static,
        deadline: Instant,
        config: &Config,
    ) -> Result<Self, Failure> {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut text = Vec::new();
            let read = input.take(LIMIT + 1).read_to_end(&mut text);
            drop(sender.send(read.map(|_| text)));
        });
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Ok(text)) => Self::parse(&text, config),
            Ok(Err(error)) => Err(Failure::usage(format!("cannot read stdin: {error}"))),
            Err(_) => Err(Failure::usage("stdin has not ended within the timeout: close it")),
        }
    }

    fn parse(text: &[u8], config: &Config) -> Result<Self, Failure> {
        let wrong = |what: String| {
            let form = r#"give {"prompt": "...", "model": "..." or null}"#;
            Failure::usage(format!("stdin is not a question: {what}; {form}"))
        };
        if text.len() as u64 > LIMIT {
            return Err(wrong(format!("it has more than {} MiB", LIMIT >> 20)));
        }
        let text = std::str::from_utf8(text).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
        let asked = object(text).ok_or_else(|| wrong("it is not a JSON object".to_owned()))?;
        let Asked { prompt, model } = asked.map_err(|error| wrong(error.to_string()))?;
        if prompt.trim().is_empty() {
            return Err(wrong("`prompt` is empty".to_owned()));
        }
        let model = model.filter(|model| !model.is_empty()).or_else(|| config.model.clone());
        let model = model.ok_or_else(|| {
            let file = config.file.display();
            Failure::usage(format!("no model is named: set `model` in `{file}` or in the hook"))
        })?;
        Ok(Self { prompt, model })
    }
}
