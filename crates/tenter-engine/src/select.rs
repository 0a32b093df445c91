//! Selects the hooks of an event by their matchers.

use crate::config::{Dialect, Hook};
use crate::matcher::Match;
use crate::payload::Payload;
use crate::{CursorEvent, Subject};

/// The texts that the matchers of an event's hooks are tested against.
#[derive(Debug)]
pub(crate) struct Subjects {
    /// `None` when the event ignores matchers.
    cursor: Option<String>,
    /// Names of the same tool in Claude's settings.
    claude: Vec<String>,
    /// The payload field that should hold the subject but is absent.
    missing: Option<&'static str>,
    /// An MCP tool whose server the payload does not name, so its Claude name is unknown.
    nameless_mcp: bool,
}

/// Names of Cursor's tools in Claude's settings.
const ALIASES: &[(&str, &[&str])] = &[("Shell", &["Bash"]), ("Write", &["Edit"])];

impl Subjects {
    pub(crate) fn of(event: CursorEvent, payload: &Payload) -> Self {
        let mut subjects =
            Self { cursor: None, claude: Vec::new(), missing: None, nameless_mcp: false };
        match event.spec().subject {
            Subject::Ignored => {}
            Subject::Constant(word) => subjects.cursor = Some(word.to_owned()),
            Subject::Field(field) => {
                let text = payload.text(field);
                subjects.missing = text.is_none().then_some(field);
                subjects.cursor = Some(text.unwrap_or_default());
            }
            Subject::McpTool => {
                let tool = payload.text("tool_name");
                subjects.missing = tool.is_none().then_some("tool_name");
                let tool = tool.unwrap_or_default();
                let tool = tool.strip_prefix("MCP:").unwrap_or(&tool);
                subjects.cursor = Some(format!("MCP:{tool}"));
            }
        }
        if event.spec().subject == Subject::Field("tool_name") {
            subjects.add_claude_names(payload);
        }
        subjects
    }

    fn add_claude_names(&mut self, payload: &Payload) {
        let name = self.cursor.clone().unwrap_or_default();
        if let Some(tool) = name.strip_prefix("MCP:") {
            match payload.text("mcp_server_name") {
                Some(server) => self.claude.push(format!("mcp__{server}__{tool}")),
                None => self.nameless_mcp = true,
            }
        }
        let aliases = ALIASES.iter().filter(|(cursor, _)| *cursor == name);
        self.claude.extend(aliases.flat_map(|(_, names)| names.iter().map(|n| (*n).to_owned())));
    }

    /// Whether a hook runs.
    pub(crate) fn test(&self, hook: &Hook) -> Match {
        let Some(cursor) = &self.cursor else {
            return Match { matched: true, warning: None };
        };
        if let Some(field) = self.missing.filter(|_| !hook.matcher.is_all()) {
            let text = format!("the payload has no text in `{field}` to match: the hook runs");
            return Match { matched: true, warning: Some(text) };
        }
        if hook.dialect == Dialect::Cursor {
            return hook.matcher.test([cursor.as_str()]);
        }
        let names = std::iter::once(cursor).chain(&self.claude);
        let mut found = hook.matcher.test(names.map(String::as_str));
        let text = hook.matcher.text().unwrap_or_default();
        if !found.matched && self.nameless_mcp && text.contains("mcp__") {
            found.matched = true;
            found.warning = Some(format!(
                "matcher `{text}` cannot be tested, because the payload names no MCP server: the hook runs"
            ));
        }
        found
    }

    /// The tested text, for messages.
    pub(crate) fn shown(&self) -> &str {
        self.cursor.as_deref().unwrap_or_default()
    }
}
