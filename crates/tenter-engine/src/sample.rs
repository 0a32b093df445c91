//! Sample payloads: a complete payload for any event, with plausible values that can be changed.

use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use tenter_hosts::cursor::{sample as fields, tool_input};

use crate::CursorEvent;
use crate::document::read_file;
use crate::payload::Payload;
use crate::settings::Settings;

/// A sample payload under construction.
#[derive(Clone, Debug)]
pub struct Sample {
    event: CursorEvent,
    root: PathBuf,
    payload: Payload,
    /// Keys set by the caller, which are not derived from others.
    chosen: Vec<String>,
}

/// Error message of a change that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadChange(pub String);

impl Sample {
    /// The sample payload of `event` in the workspace at `root`.
    pub fn new(event: CursorEvent, root: &Path, settings: &Settings) -> Self {
        let mut payload = Payload::default();
        payload.set("hook_event_name", &event.name());
        if event != CursorEvent::WorkspaceOpen {
            payload.set("conversation_id", &"c-fire");
            payload.set("generation_id", &"g-fire");
            payload.set("model", &"default");
        }
        payload.set("cursor_version", &settings.cursor_version);
        payload.set("workspace_roots", &[root.display().to_string()]);
        payload.set("user_email", &settings.user_email);
        if event != CursorEvent::WorkspaceOpen {
            payload.set("transcript_path", &Value::Null);
            // The CLI always sends it, the editor at session events only.
            payload.set("session_id", &"c-fire");
        }
        let mut sample = Self { event, root: root.to_owned(), payload, chosen: Vec::new() };
        for (key, value) in fields(event, root) {
            sample.payload.set(&key, &value);
        }
        sample
    }

    /// Sets all workspace roots.
    #[must_use]
    pub fn with_roots(mut self, roots: &[PathBuf]) -> Self {
        let roots: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
        self.payload.set("workspace_roots", &roots);
        self
    }

    /// Merges the fields of an existing payload.
    pub fn overlay(&mut self, payload: Payload) -> Result<(), BadChange> {
        if let Some(name) =
            payload.text("hook_event_name").filter(|name| *name != self.event.name())
        {
            return Err(BadChange(format!(
                "the payload is one of `{name}`, not of {}",
                self.event
            )));
        }
        self.chosen.extend(payload.keys().map(str::to_owned));
        if let Some(tool) = payload.text("tool_name") {
            self.set_tool(&tool);
        }
        self.payload.extend(payload);
        Ok(())
    }

    /// Applies `key=value` or `key.inner=value`. A field that holds a string takes the text as is; any other
    /// is parsed as JSON. A key that only the tool input has is set there.
    pub fn set(&mut self, change: &str) -> Result<(), BadChange> {
        let Some((key, text)) = change.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(BadChange(format!("`{change}` is not of the form key=value")));
        };
        if key == "hook_event_name" {
            return Err(BadChange(
                "the event's name is what is fired, and cannot be set".to_owned(),
            ));
        }
        if key.split('.').count() > 2 {
            return Err(BadChange(format!(
                "`{key}` reaches too deep: set the outer value as JSON"
            )));
        }
        if key == "tool_name" {
            self.set_tool(text);
        }
        let (outer, inner) = match key.split_once('.') {
            Some((outer, inner)) => (outer, Some(inner)),
            None if self.payload.get(key).is_none() && self.tool_input_has(key) => {
                ("tool_input", Some(key))
            }
            None => (key, None),
        };
        self.chosen.push(outer.to_owned());
        match inner {
            None => {
                let value = typed(self.payload.get(outer), key, text)?;
                self.payload.set(outer, &value);
            }
            Some(inner) => self.set_inner(outer, inner, text)?,
        }
        Ok(())
    }

    /// The payload, with derived fields updated.
    pub fn finish(mut self) -> Payload {
        let is_chosen = |key: &str| self.chosen.iter().any(|chosen| chosen == key);
        if let Some(path) = self.payload.text("file_path") {
            let absolute = self.root.join(&path);
            if self.payload.get("content").is_some() && !is_chosen("content") {
                self.payload.set("content", &content(&absolute));
            }
            self.payload.set("file_path", &absolute.display().to_string());
        }
        // An MCP server has one of the two.
        if self.payload.get("url").is_some() && !is_chosen("command") {
            self.payload.remove("command");
        }
        if let Some(conversation) = self.payload.text("conversation_id")
            && self.payload.get("session_id").is_some()
            && !is_chosen("session_id")
        {
            self.payload.set("session_id", &conversation);
        }
        self.payload
    }

    fn set_tool(&mut self, tool: &str) {
        // Kept if the caller set it: the kind of an unknown tool cannot be derived.
        if self.event.spec().subject == crate::Subject::Field("tool_name")
            && !self.chosen.iter().any(|key| key == "tool_input")
        {
            self.payload.set("tool_input", &tool_input(tool, &self.root));
        }
    }

    fn tool_input_has(&self, key: &str) -> bool {
        let input = self.payload.get("tool_input").map(RawValue::get).unwrap_or_default();
        serde_json::from_str::<Map<String, Value>>(input).is_ok_and(|input| input.contains_key(key))
    }

    fn set_inner(&mut self, outer: &str, inner: &str, text: &str) -> Result<(), BadChange> {
        let json = self.payload.get(outer).map_or("{}", RawValue::get);
        // At some events the tool input is JSON inside a string.
        let unwrapped: Option<String> = serde_json::from_str(json).ok();
        let parsed = serde_json::from_str(unwrapped.as_deref().unwrap_or(json));
        let mut object: Map<String, Value> =
            parsed.map_err(|_| BadChange(format!("`{outer}` is not an object")))?;
        let old = object.get(inner).and_then(|value| serde_json::value::to_raw_value(value).ok());
        object.insert(inner.to_owned(), typed(old.as_deref(), inner, text)?);
        if unwrapped.is_some() {
            self.payload.set(outer, &Value::Object(object).to_string());
        } else {
            self.payload.set(outer, &object);
        }
        Ok(())
    }
}

/// Parses the text of a change according to the field's current type.
fn typed(now: Option<&RawValue>, key: &str, text: &str) -> Result<Value, BadChange> {
    let json: Result<Value, _> = serde_json::from_str(text);
    match now.map(RawValue::get) {
        // A new field: JSON if it parses, else text.
        None => Ok(json.unwrap_or_else(|_| text.into())),
        Some("null") if text == "null" => Ok(Value::Null),
        Some("null") => Ok(text.into()),
        Some(now) if now.starts_with('"') => Ok(text.into()),
        Some(now) => json.map_err(|error| {
            BadChange(format!("`{key}` takes JSON like {now}, and `{text}` is none: {error}"))
        }),
    }
}

/// Content of a file of limited size, if it exists.
fn content(path: &Path) -> String {
    let bytes = read_file(path).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample(event: CursorEvent, changes: &[&str]) -> Payload {
        let mut sample = Sample::new(event, Path::new("/w"), &Settings::default());
        for change in changes {
            sample.set(change).unwrap();
        }
        sample.finish()
    }

    fn value(payload: &Payload, key: &str) -> Value {
        serde_json::from_str(payload.get(key).unwrap().get()).unwrap()
    }

    #[test]
    fn a_change_takes_the_type_of_the_field() {
        let payload = sample(
            CursorEvent::BeforeShellExecution,
            &["command=true", "sandbox=true", "user_email=a@b.c", "extra=[1]", "note=x y"],
        );
        assert_eq!(value(&payload, "command"), json!("true"));
        assert_eq!(value(&payload, "sandbox"), json!(true));
        assert_eq!(value(&payload, "user_email"), json!("a@b.c"));
        assert_eq!(value(&payload, "extra"), json!([1]));
        assert_eq!(value(&payload, "note"), json!("x y"));
        let mut sample = Sample::new(CursorEvent::Stop, Path::new("/w"), &Settings::default());
        assert!(sample.set("loop_count=many").unwrap_err().0.contains("takes JSON like 0"));
        assert!(sample.set("loop_count").is_err());
    }

    #[test]
    fn a_tools_input_is_reached_by_its_own_key_or_with_a_dot() {
        let payload = sample(CursorEvent::PreToolUse, &["command=rm -rf /"]);
        assert_eq!(value(&payload, "tool_input")["command"], "rm -rf /");
        let payload = sample(CursorEvent::PreToolUse, &["tool_name=Write", "content=x"]);
        assert_eq!(value(&payload, "tool_input")["content"], "x");
        let payload = sample(CursorEvent::BeforeMcpExecution, &["tool_input.query=drop"]);
        assert_eq!(value(&payload, "tool_input"), json!(r#"{"query":"drop"}"#));
        let payload = sample(CursorEvent::PreToolUse, &["tool_name=MCP:x", "tool_input.a=1"]);
        assert_eq!(value(&payload, "tool_input"), json!({ "a": 1 }));
    }

    #[test]
    fn an_mcp_server_has_a_url_or_a_command() {
        let payload = sample(CursorEvent::BeforeMcpExecution, &["url=https://a.example/mcp"]);
        assert_eq!((payload.get("url").is_some(), payload.get("command").is_some()), (true, false));
        let payload = sample(CursorEvent::BeforeMcpExecution, &["command=npx x"]);
        assert_eq!((payload.get("url").is_some(), payload.get("command").is_some()), (false, true));
    }

    #[test]
    fn a_file_that_exists_is_what_is_read() {
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join(".env"), "TOKEN=1\n").unwrap();
        let settings = Settings::default();
        let mut sample = Sample::new(CursorEvent::BeforeReadFile, project.path(), &settings);
        sample.set("file_path=.env").unwrap();
        let payload = sample.finish();
        assert_eq!(value(&payload, "content"), json!("TOKEN=1\n"));
        let path = project.path().join(".env");
        assert_eq!(value(&payload, "file_path"), json!(path.display().to_string()));
    }

    #[test]
    fn every_payload_has_the_fields_of_the_documented_one() {
        const OPTIONAL: &[&str] = &[
            "model_id",
            "model_params",
            "agent_message",
            "git_branch",
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
        ];
        let documented = include_str!("../../tenter-hosts/src/cursor/fixtures/examples.jsonl");
        let mut seen = 0;
        for line in documented.lines() {
            let documented = Payload::parse(line).unwrap();
            let name = documented.text("hook_event_name").unwrap();
            let payload = sample(CursorEvent::named(&name).unwrap(), &[]);
            for key in documented.keys().filter(|key| !OPTIONAL.contains(key)) {
                let ours = payload.get(key).unwrap_or_else(|| panic!("{name} lacks {key}"));
                let same = |value: &RawValue| {
                    value.get().chars().next().map(|c| match c {
                        '0'..='9' | '-' => '0',
                        't' | 'f' => 't',
                        'n' => '"',
                        other => other,
                    })
                };
                assert_eq!(same(ours), same(documented.get(key).unwrap()), "type of {name}.{key}");
            }
            seen += 1;
        }
        assert_eq!(seen, CursorEvent::ALL.len());
    }
}
