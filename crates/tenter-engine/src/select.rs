//! Which hooks an event concerns.

use crate::config::{Dialect, Hook};
use crate::matcher::Match;
use crate::payload::Payload;
use crate::{CursorEvent, Subject};

/// What the matchers of an event's hooks are tested against.
#[derive(Debug)]
pub(crate) struct Subjects {
    /// `None` when matchers are not looked at.
    cursor: Option<String>,
    /// The names that the same thing has in Claude's settings.
    claude: Vec<String>,
    /// The field that should hold the subject and does not.
    missing: Option<&'static str>,
    /// An MCP tool whose server the payload does not name, so that Claude's name for it is unknown.
    nameless_mcp: bool,
}

/// Cursor's tools under their names in Claude's settings.
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

    /// What was tested, for the human.
    pub(crate) fn shown(&self) -> &str {
        self.cursor.as_deref().unwrap_or_default()
    }
}
