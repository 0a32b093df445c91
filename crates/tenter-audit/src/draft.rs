//! Builds records from events.
//!
//! Everything that goes into a record passes a [`Keeper`], which drops what the record level excludes,
//! truncates long texts and redacts secrets. There is no other way into a record.

mod strings;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;
use tenter_model::hash::sha256;
use tenter_model::text::first_bytes;
use tenter_model::{
    Action, Body, Edit, EmailMode, Event, Json, RecordLevel, StopInfo, Surface, Text, ToolCall,
};

use crate::record::{Agent, Change, Deed, Kept, Record, Str, Timings, Usage, VERSION};

/// Maximum length of a record; a longer one is rebuilt at a lower level.
pub const LONGEST: usize = 64 * 1024;

/// Bytes kept of a text at the default level.
const COMMAND: usize = 16 * 1024;
const PROSE: usize = 4 * 1024;
const MESSAGE: usize = 1024;
/// Longest identifier kept as sent; those of hosts have 36 characters.
const ID: usize = 128;
const EDIT: usize = 2 * 1024;
/// Maximum number of edits per file, actions per call, attachments per prompt.
const EDITS: usize = 16;
const ACTIONS: usize = 64;
/// Bytes kept of any text at the full level.
const CONTENT: usize = 16 * 1024;
/// Bytes scanned beyond a cut, since a secret may be recognisable only by its end.
const BEYOND: usize = 4 * 1024;

/// Redacts secrets in a text.
pub type Redact<'r> = dyn for<'t> Fn(&'t str) -> Cow<'t, str> + 'r;

/// Applies record level, truncation and redaction to texts.
#[derive(Clone, Copy)]
pub struct Keeper<'k> {
    pub level: RecordLevel,
    pub email: EmailMode,
    pub redact: &'k Redact<'k>,
}

impl std::fmt::Debug for Keeper<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").field("level", &self.level).finish_non_exhaustive()
    }
}

impl Keeper<'_> {
    /// A name or path: complete, or dropped.
    pub fn word<'t>(&self, text: &'t str) -> Option<Str<'t>> {
        (self.level > RecordLevel::Minimal).then(|| self.clean(text, PROSE))
    }

    /// Text written by us or the user.
    pub fn prose<'t>(&self, text: &'t str) -> Kept<'t> {
        self.from(RecordLevel::Standard, PROSE, &Text::Plain(Cow::Borrowed(text)))
    }

    /// A JSON value from us or a handler, as text.
    pub fn value<'t>(&self, json: &str) -> Kept<'t> {
        self.json_from(RecordLevel::Standard, PROSE, json)
    }

    /// A name that is kept at every level, since it distinguishes records.
    pub fn name<'t>(&self, text: &'t str) -> Str<'t> {
        self.clean(text, MESSAGE)
    }

    /// An identifier of the host. A longer one than any host sends is replaced by its hash, which still joins
    /// records.
    fn id<'t>(&self, text: &'t str) -> Str<'t> {
        if text.len() <= ID {
            return self.name(text);
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Cow::Owned(format!("{:016x}", hasher.finish()))
    }

    /// Redacts and truncates; for text that is kept at every level.
    fn clean<'t>(&self, text: &'t str, most: usize) -> Str<'t> {
        let seen = first_bytes(text, most.saturating_add(BEYOND));
        match (self.redact)(seen) {
            Cow::Borrowed(clean) => Cow::Borrowed(first_bytes(clean, most)),
            Cow::Owned(mut clean) => {
                clean.truncate(first_bytes(&clean, most).len());
                Cow::Owned(clean)
            }
        }
    }

    /// A text kept from `level` on; at the standard level up to `most` bytes.
    fn from<'t>(&self, level: RecordLevel, most: usize, text: &Text<'t>) -> Kept<'t> {
        let sent = match text {
            Text::Plain(text) => text.len(),
            Text::Escaped(raw) => raw.get().len().saturating_sub(2),
        };
        if self.level < level {
            return Kept::Part { text: None, bytes: sent as u64 };
        }
        let most = self.most(most);
        let whole = match text {
            Text::Plain(text) => text.clone(),
            Text::Escaped(raw) => {
                Cow::Owned(strings::beginning_of(raw.get(), most.saturating_add(BEYOND)))
            }
        };
        let cut = whole.len() > most;
        let clean = match whole {
            Cow::Borrowed(text) => self.clean(text, most),
            Cow::Owned(text) => Cow::Owned(self.clean(&text, most).into_owned()),
        };
        if cut { Kept::Part { text: Some(clean), bytes: sent as u64 } } else { Kept::Whole(clean) }
    }

    /// Maximum length of a text whose limit at the standard level is `usual`.
    fn most(&self, usual: usize) -> usize {
        if self.level == RecordLevel::Full { usual.max(CONTENT) } else { usual }
    }

    /// Like `from`, for JSON: secrets are redacted in the decoded strings.
    fn json_from(&self, level: RecordLevel, most: usize, json: &str) -> Kept<'static> {
        let bytes = json.len() as u64;
        if self.level < level {
            return Kept::Part { text: None, bytes };
        }
        let most = self.most(most);
        let plain = strings::plain(json, most.saturating_add(BEYOND), self.redact);
        let text = Cow::Owned(self.clean(&plain, most).into_owned());
        if plain.len() > most { Kept::Part { text: Some(text), bytes } } else { Kept::Whole(text) }
    }

    fn command<'t>(&self, text: &Text<'t>) -> Kept<'t> {
        self.from(RecordLevel::Standard, COMMAND, text)
    }

    fn said<'t>(&self, text: &Text<'t>) -> Kept<'t> {
        self.from(RecordLevel::Standard, PROSE, text)
    }

    fn content<'t>(&self, text: &Text<'t>) -> Kept<'t> {
        self.from(RecordLevel::Full, CONTENT, text)
    }

    fn json(&self, json: &Json<'_>) -> Kept<'static> {
        self.json_from(RecordLevel::Full, CONTENT, json.get())
    }

    /// Record of an event; the caller adds the verdict.
    pub fn event<'e>(&self, event: &'e Event<'_>) -> Record<'e> {
        let name = |text: &'e Option<Cow<'_, str>>| text.as_deref().map(|it| self.name(it));
        let id = |text: &'e Option<Cow<'_, str>>| text.as_deref().map(|it| self.id(it));
        let path = |text: &'e Option<Cow<'_, str>>| {
            text.as_deref().filter(|it| !it.is_empty()).and_then(|it| self.word(it))
        };
        let mut record = Record {
            v: VERSION,
            level: self.level,
            host: Cow::Borrowed(event.host.as_str()),
            host_version: name(&event.host_version),
            event: Cow::Borrowed(event.kind().as_str()),
            native_event: self.name(&event.native_event),
            surface: event.surface.map(Surface::as_str).map(Cow::Borrowed),
            session_id: id(&event.session_id),
            turn_id: id(&event.turn_id),
            call_id: id(&event.call_id),
            agent: Agent {
                id: id(&event.agent.id),
                kind: name(&event.agent.kind),
                parent: id(&event.agent.parent),
            },
            cwd: path(&event.cwd),
            workspace_roots: event.workspace_roots.iter().filter_map(|it| self.word(it)).collect(),
            model: name(&event.model),
            transcript_path: path(&event.transcript_path),
            permission_mode: name(&event.permission_mode),
            user: event.user.as_deref().and_then(|address| self.user(address)),
            usage: event.usage.map(|it| Usage {
                input: it.input,
                output: it.output,
                cache_read: it.cache_read,
                cache_write: it.cache_write,
            }),
            ..Record::default()
        };
        self.body(event, &mut record);
        if let Some(call) = event.tool_call() {
            self.call(event, call, &mut record);
        }
        record
    }

    fn body<'e>(&self, event: &'e Event<'_>, record: &mut Record<'e>) {
        let word = |text: &'e Option<Cow<'_, str>>| text.as_deref().map(|it| self.name(it));
        match &event.body {
            Body::SessionStart { source: detail } | Body::PreCompact { trigger: detail } => {
                record.detail = word(detail);
            }
            Body::SessionEnd { reason, duration_ms } => {
                record.detail = word(reason);
                record.duration_ms.clone_from(duration_ms);
            }
            Body::UserPromptSubmit { prompt, attachments } => {
                record.prompt = Some(self.said(prompt));
                let paths = attachments.iter().take(ACTIONS).map(|it| it.file_path.as_ref());
                record.attachments = paths.filter_map(|it| self.word(it)).collect();
                record.more_attachments = attachments.len().saturating_sub(ACTIONS) as u64;
            }
            Body::PostToolUse(result) => {
                record.output = result.response.as_ref().map(|it| self.json(it));
                record.exit_code.clone_from(&result.exit_code);
                record.duration_ms.clone_from(&result.duration_ms);
            }
            Body::PostToolUseFailure(failure) => {
                let said = |text: &Text<'e>| self.from(RecordLevel::Standard, MESSAGE, text);
                record.error = failure.error.as_ref().map(said);
                record.detail = word(&failure.failure_type);
                record.duration_ms.clone_from(&failure.duration_ms);
            }
            Body::SubagentStart { task } => record.text = task.as_ref().map(|it| self.said(it)),
            Body::SubagentStop(info) | Body::Stop(info) => self.stop(info, record),
            Body::PostCompact { trigger, summary } => {
                record.detail = word(trigger);
                record.text = summary.as_ref().map(|it| self.content(it));
            }
            Body::AgentResponse { text } => record.text = Some(self.content(text)),
            Body::AgentThought { text, duration_ms } => {
                record.text = Some(self.content(text));
                record.duration_ms.clone_from(duration_ms);
            }
            Body::Notification { message, kind } => {
                record.text = message.as_ref().map(|it| self.said(it));
                record.detail = word(kind);
            }
            Body::PreToolUse(_)
            | Body::PermissionRequest(_)
            | Body::WorkspaceOpen
            | Body::Other => {}
        }
    }

    fn stop<'e>(&self, info: &'e StopInfo<'_>, record: &mut Record<'e>) {
        record.detail = info.status.as_deref().map(|it| self.name(it));
        record.loop_count.clone_from(&info.loop_count);
        record.duration_ms.clone_from(&info.duration_ms);
        let task = info.task.as_ref().map(|it| self.said(it));
        record.text =
            task.or_else(|| info.last_assistant_message.as_ref().map(|it| self.content(it)));
    }

    fn call<'e>(&self, event: &Event<'_>, call: &'e ToolCall<'_>, record: &mut Record<'e>) {
        record.tool = Some(self.name(call.tool.as_str()));
        let native = call.native_tool.as_deref().filter(|it| *it != call.tool.as_str());
        record.native_tool = native.map(|it| self.tool(it));
        record.actions = call.actions.iter().take(ACTIONS).map(|it| self.deed(it, call)).collect();
        record.more_actions = call.actions.len().saturating_sub(ACTIONS) as u64;
        // Without a call id, this key joins the records before and after a call. Not worth it for long input.
        if record.call_id.is_none() && event.native.len() <= LONGEST {
            record.fingerprint = Some(Cow::Owned(join_key(event, call, &record.actions)));
        }
    }

    /// The host's name of a tool. In `mcp__server__tool` the double underscores separate words.
    fn tool<'t>(&self, name: &'t str) -> Str<'t> {
        if !name.starts_with("mcp__") {
            return self.name(name);
        }
        let parts: Vec<Str<'_>> = name.split("__").map(|part| self.name(part)).collect();
        Cow::Owned(parts.join("__"))
    }

    fn deed<'e>(&self, action: &'e Action<'_>, call: &'e ToolCall<'_>) -> Deed<'e> {
        let path = |path: &'e Cow<'_, str>| self.word(path);
        let maybe = |path: &'e Option<Cow<'_, str>>| path.as_deref().and_then(|it| self.word(it));
        match action {
            Action::Shell { command, cwd } => {
                let cwd = cwd.as_deref().filter(|it| !it.is_empty()).and_then(|it| self.word(it));
                Deed::Shell { command: self.command(command), cwd }
            }
            Action::Read { path: file, content } => {
                let content = content.as_ref().map(|it| self.content(it));
                Deed::Read { path: path(file), content }
            }
            Action::Write { path: file, content } => {
                Deed::Write { path: path(file), content: self.content(content) }
            }
            Action::Edit { path: file, edits, moved_to } => Deed::Edit {
                path: path(file),
                edits: edits.iter().take(EDITS).map(|it| self.change(it)).collect(),
                more: edits.len().saturating_sub(EDITS) as u64,
                moved_to: maybe(moved_to),
            },
            Action::Delete { path: file } => Deed::Delete { path: path(file) },
            Action::Search { pattern, path } => Deed::Search {
                pattern: pattern.as_ref().map(|it| self.said(it)),
                path: maybe(path),
            },
            Action::Fetch { url } => Deed::Fetch { url: self.said(url) },
            Action::Mcp(identity) => Deed::Mcp {
                server: maybe(&identity.server),
                tool: self.word(&identity.tool),
                command: maybe(&identity.command),
                url: maybe(&identity.url),
                input: self.input(call),
            },
            Action::Task { agent_type, prompt } => Deed::Task {
                agent_type: maybe(agent_type),
                prompt: prompt.as_ref().map(|it| self.said(it)),
            },
            Action::Other { name } => {
                Deed::Other { name: self.name(name), input: self.input(call) }
            }
        }
    }

    fn change<'e>(&self, edit: &Edit<'e>) -> Change<'e> {
        let side = |text: &Text<'e>| self.from(RecordLevel::Standard, EDIT, text);
        Change { old: side(&edit.old), new: side(&edit.new), all: edit.replace_all }
    }

    /// The complete input of a tool without known actions.
    fn input(&self, call: &ToolCall<'_>) -> Option<Kept<'static>> {
        let length: usize =
            call.input.iter().map(|(key, value)| key.len() + value.get().len()).sum();
        if length == 0 {
            return None;
        }
        // Do not copy a text that is dropped anyway.
        if self.level < RecordLevel::Full {
            return Some(Kept::Part { text: None, bytes: length as u64 });
        }
        let mut text = String::from("{");
        for (key, value) in &call.input {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&serde_json::to_string(key).unwrap_or_default());
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        Some(self.json_from(RecordLevel::Full, CONTENT, &text))
    }

    /// The user's email address in the form the policy requires.
    fn user(&self, address: &str) -> Option<Str<'static>> {
        let kept = match self.email {
            EmailMode::Drop => return None,
            EmailMode::Keep => self.clean(address, MESSAGE).into_owned(),
            EmailMode::Hash => {
                let hash = sha256(address.to_lowercase().as_bytes());
                format!("sha256:{}", hash.get(..16).unwrap_or_default())
            }
        };
        Some(Cow::Owned(kept))
    }
}

/// A key for a call within its turn, computed from fields known before and after it. It only joins records,
/// so it need not resist attacks; [`Event::fingerprint`] does, at twenty times the cost. But it must not
/// allow guessing text that the record omits: such text enters as a [`hint`] only.
fn join_key(event: &Event<'_>, call: &ToolCall<'_>, kept: &[Deed<'_>]) -> String {
    let mut hash = DefaultHasher::new();
    (event.host.as_str(), &event.session_id, &event.turn_id).hash(&mut hash);
    for (action, kept) in call.actions.iter().zip(kept) {
        let mut text = |kind: &str, kept: Option<&str>, sent: &str| match kept {
            Some(kept) => (kind, kept).hash(&mut hash),
            None => (kind, hint(sent)).hash(&mut hash),
        };
        match (action, kept) {
            (Action::Shell { command, .. }, Deed::Shell { command: kept, .. }) => {
                text("shell", kept.text(), &command.get());
            }
            (Action::Fetch { url }, Deed::Fetch { url: kept }) => {
                text("fetch", kept.text(), &url.get());
            }
            (Action::Read { path, .. }, Deed::Read { path: kept, .. }) => {
                text("read", kept.as_deref(), path);
            }
            // Hosts report a write as an edit once it is done.
            (
                Action::Write { path, .. } | Action::Edit { path, .. } | Action::Delete { path },
                Deed::Write { path: kept, .. }
                | Deed::Edit { path: kept, .. }
                | Deed::Delete { path: kept },
            ) => text("file", kept.as_deref(), path),
            // Cursor does not name the server in every event.
            (Action::Mcp(identity), _) => text("mcp", None, &identity.tool),
            _ => call.tool.as_str().hash(&mut hash),
        }
        let is_told = matches!(action, Action::Shell { .. } | Action::Fetch { .. });
        if !is_told && action.file().is_none() {
            call.input.iter().for_each(|(key, value)| (key, hint(value.get())).hash(&mut hash));
        }
    }
    format!("{:016x}", hash.finish())
}

/// Length and eight bits of a hash: enough to distinguish most texts, too little to guess one.
fn hint(text: &str) -> (usize, u64) {
    let mut hash = DefaultHasher::new();
    text.hash(&mut hash);
    (text.len(), hash.finish() & 0xff)
}

/// Fields known only after the answer is encoded.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answered<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<&'static str>,
    pub enforcement: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Str<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Str<'a>>,
    pub us: Timings,
}

/// Adds the answer to the JSON object of a record.
pub fn join(mut body: String, answered: &Answered<'_>) -> Result<String, serde_json::Error> {
    let more = serde_json::to_string(answered)?;
    if body.ends_with('}') {
        body.pop();
    }
    if body.len() > 1 {
        body.push(',');
    }
    body.push_str(more.strip_prefix('{').unwrap_or_default());
    Ok(body)
}

/// An error message, which may quote text that was truncated before redaction.
pub fn note<'t>(text: &'t str, redact: &Redact<'_>) -> Str<'t> {
    let most = PROSE.saturating_add(BEYOND);
    let mut clean = redact(first_bytes(text, most));
    if text.contains("...") || text.contains('\u{2026}') {
        clean = Cow::Owned(without_halves(&clean));
    }
    if clean.len() > PROSE {
        clean = Cow::Owned(first_bytes(&clean, PROSE).to_owned());
    }
    clean
}

/// Minimum length of a truncated word that may be half of a secret.
const HALF: usize = 8;

/// Drops long words before ellipses.
fn without_halves(text: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || "_-+/=.~%".contains(letter);
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    let next = |rest: &str| {
        let found = ["...", "\u{2026}"].into_iter().filter_map(|it| Some((rest.find(it)?, it)));
        found.min()
    };
    while let Some((at, ellipsis)) = next(rest) {
        let before = rest.get(..at).unwrap_or_default();
        let kept = before.trim_end_matches(is_word);
        let is_long = before.len().saturating_sub(kept.len()) >= HALF;
        clean.push_str(if is_long { kept } else { before });
        clean.push_str(ellipsis);
        rest = rest.get(at.saturating_add(ellipsis.len())..).unwrap_or_default();
    }
    clean + rest
}
