//! Reads token counts from transcripts of hosts, where available.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tenter_audit::record::Usage;
use tenter_files::{Refused, Whose};

use super::tokens::{Source, Tokens, beyond_cache};
use crate::error::CommandError;

/// Maximum number of bytes read from the end of a transcript.
const LONGEST: u64 = 64 * 1024 * 1024;
/// Maximum length of a line; longer ones contain no token counts.
const LONGEST_LINE: usize = 8 * 1024 * 1024;
/// Maximum number of subagent transcripts.
const MOST: usize = 64;

/// Transcripts of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) main: Option<PathBuf>,
    /// Transcripts of subagents named in records.
    pub(super) others: Vec<PathBuf>,
    /// A transcript must be in one of these folders.
    pub(super) folders: Vec<PathBuf>,
    /// The session's model, for transcripts that name none.
    pub(super) model: Option<String>,
}

/// Counts the tokens of a session. Never fails: problems are noted.
pub(super) fn read(wanted: &Wanted) -> Tokens {
    let mut tokens = Tokens { source: Source::Transcript, ..Tokens::default() };
    let Some(main) = &wanted.main else { return tokens };
    let mut messages = Messages::default();
    let mut counted = 0_u64;
    let subagents = beside(main);
    let all = std::iter::once(main).chain(subagents.iter()).chain(&wanted.others);
    let mut done: Vec<PathBuf> = Vec::new();
    for path in all.take(MOST) {
        match open(path, &wanted.folders) {
            Ok(Some((file, place))) if !done.contains(&place) => {
                let lines = count(file, &mut messages, wanted, &mut tokens);
                counted = counted.saturating_add(lines);
                done.push(place);
            }
            Ok(_) => {}
            Err(error) => tokens.notes.push(error.to_string()),
        }
    }
    messages.into(&mut tokens);
    if !done.is_empty() && counted == 0 && tokens.notes.is_empty() {
        tokens.notes.push("the transcript has no tokens in a form that is known".to_owned());
    }
    tokens
}

/// Transcripts of subagents beside that of a Claude Code session.
fn beside(main: &Path) -> Vec<PathBuf> {
    let folder = main.with_extension("").join("subagents");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "jsonl")).collect();
    found.sort();
    found
}

/// Opens a transcript, if it exists and is allowed: its path comes from a payload and can be anything. Only
/// regular files in the user's own folders are opened.
fn open(path: &Path, folders: &[PathBuf]) -> Result<Option<(File, PathBuf)>, CommandError> {
    let Ok(place) = path.canonicalize() else { return Ok(None) };
    let own = |folder: &PathBuf| folder.canonicalize().is_ok_and(|it| place.starts_with(it));
    if !folders.iter().any(own) {
        return Err(CommandError::internal(
            "the transcript is not read: it lies outside home and workspace",
        ));
    }
    if !place.is_file() {
        return Err(CommandError::internal("the transcript is not read: it is no regular file"));
    }
    match tenter_files::open(&place, Whose::Anyone) {
        Ok(file) => Ok(Some((file, place))),
        Err(error) if Refused::of(&error).is_some() => {
            Err(CommandError::internal("the transcript is not read: it is no regular file"))
        }
        Err(error) => Err(CommandError::internal(format!("the transcript: {error}"))),
    }
}

/// Reads a transcript; returns the number of lines with token counts.
fn count(mut file: File, messages: &mut Messages, wanted: &Wanted, tokens: &mut Tokens) -> u64 {
    let length = file.metadata().map_or(0, |about| about.len());
    let skipped = length.saturating_sub(LONGEST);
    if skipped > 0 {
        let mega = |bytes: u64| bytes / (1024 * 1024);
        let (all, read) = (mega(length), mega(LONGEST));
        tokens.notes.push(format!("the transcript has {all} MB: only the last {read} are counted"));
        if file.seek(SeekFrom::Start(skipped)).is_err() {
            return 0;
        }
    }
    let mut rollout = Rollout::default();
    let mut reader = BufReader::with_capacity(256 * 1024, file.take(LONGEST));
    let mut line = Vec::new();
    let mut told = 0_u64;
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                tokens.notes.push(format!("the transcript: {error}"));
                break;
            }
        }
        let Ok(text) = std::str::from_utf8(&line) else { continue };
        // Most lines are tool output; parsing them would dominate.
        if line.len() > LONGEST_LINE || !INTERESTING.iter().any(|word| text.contains(word)) {
            continue;
        }
        if let Ok(line) = serde_json::from_str::<Line>(text)
            && (messages.take(&line) || rollout.take(&line))
        {
            told = told.saturating_add(1);
        }
    }
    rollout.into(wanted, tokens);
    told
}

const INTERESTING: &[&str] =
    &["\"usage\"", "\"token_count\"", "\"turn_context\"", "\"session_meta\""];

/// The relevant fields of a line, of any host.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(rename = "requestId", default)]
    request: Option<String>,
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    payload: Option<Payload>,
}

/// A model's answer in a Claude Code transcript.
#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<MessageUsage>,
}

#[derive(Clone, Deserialize)]
struct MessageUsage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation: Option<CacheCreation>,
}

#[derive(Clone, Deserialize)]
struct CacheCreation {
    #[serde(default)]
    ephemeral_1h_input_tokens: Option<u64>,
}

/// The model's answers, each once: a transcript has a line for each part.
#[derive(Default)]
struct Messages(BTreeMap<String, (String, Usage, u64)>);

impl Messages {
    fn take(&mut self, line: &Line) -> bool {
        let Some(message) =
            line.message.as_ref().filter(|_| line.kind.as_deref() == Some("assistant"))
        else {
            return false;
        };
        let Some(counted) = &message.usage else { return false };
        let model = message.model.as_deref().unwrap_or_default();
        // Created by the host itself, such as an error message.
        if model == "<synthetic>" {
            return false;
        }
        let usage = Usage {
            input: counted.input_tokens.unwrap_or_default(),
            output: counted.output_tokens.unwrap_or_default(),
            cache_read: counted.cache_read_input_tokens.unwrap_or_default(),
            cache_write: counted.cache_creation_input_tokens.unwrap_or_default(),
        };
        let hour = counted.cache_creation.as_ref();
        let hour = hour.and_then(|it| it.ephemeral_1h_input_tokens).unwrap_or_default();
        let id = message.id.clone().or_else(|| line.request.clone());
        let id = id.unwrap_or_else(|| format!("#{}", self.0.len()));
        // The first lines of an answer are incomplete.
        match self.0.get(&id) {
            Some((_, known, _)) if known.output > usage.output => {}
            _ => drop(self.0.insert(id, (model.to_owned(), usage, hour))),
        }
        true
    }

    fn into(self, tokens: &mut Tokens) {
        for (model, usage, hour) in self.0.into_values() {
            tokens.add(&model, usage, hour);
        }
    }
}

/// An entry of a Codex transcript.
#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    forked_from_id: Option<String>,
    #[serde(default)]
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    total_token_usage: Option<Total>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct Total {
    #[serde(rename = "input_tokens", default)]
    input: u64,
    #[serde(rename = "cached_input_tokens", default)]
    cache_read: u64,
    #[serde(rename = "cache_write_input_tokens", default)]
    cache_write: u64,
    #[serde(rename = "output_tokens", default)]
    output: u64,
}

/// A Codex transcript: every token entry contains the sum so far.
#[derive(Default)]
struct Rollout {
    last: Option<Total>,
    model: Option<String>,
    /// It starts with a copy of another one, including its sums.
    forked: bool,
}

impl Rollout {
    fn take(&mut self, line: &Line) -> bool {
        let Some(payload) = &line.payload else { return false };
        match line.kind.as_deref() {
            Some("turn_context") => self.model = payload.model.clone().or(self.model.take()),
            Some("session_meta") => self.forked |= payload.forked_from_id.is_some(),
            Some("event_msg") if payload.kind.as_deref() == Some("token_count") => {
                let total = payload.info.as_ref().and_then(|info| info.total_token_usage);
                self.last = total.or(self.last);
                return total.is_some();
            }
            _ => {}
        }
        false
    }

    fn into(self, wanted: &Wanted, tokens: &mut Tokens) {
        let Some(total) = self.last else { return };
        if self.forked {
            tokens.notes.push(
                "a conversation that was split off is not counted: it has its parent's sums".into(),
            );
            return;
        }
        let usage = beyond_cache(Usage {
            input: total.input,
            output: total.output,
            cache_read: total.cache_read,
            cache_write: total.cache_write,
        });
        let model = self.model.or_else(|| wanted.model.clone()).unwrap_or_default();
        tokens.add(&model, usage, 0);
    }
}
