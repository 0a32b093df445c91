//! Events of a rule or handler: the key `on`.

use serde::{Deserialize, Serialize};
use tenter_model::EventKind;

/// The value of `on`: actions or events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct On {
    /// Bits by index in [`ACTIONS`].
    pub actions: u16,
    pub events: Vec<EventOn>,
}

/// An event by its unified name, and optionally a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventOn {
    /// Index in [`EventKind::ALL`].
    pub event: u8,
    /// Unified or native name, may be a pattern; empty for every tool.
    pub tool: String,
}

/// Actions in bit order. Files and the network count whichever tool reaches them: `cat x` is a `read`.
pub const ACTIONS: &[&str] = &[
    "shell", "read", "write", "edit", "delete", "search", "fetch", "mcp", "prompt", "task",
    "output",
];

pub(crate) const SHELL: u16 = 1;
pub(crate) const READ: u16 = 1 << 1;
pub(crate) const WRITE: u16 = 1 << 2;
pub(crate) const EDIT: u16 = 1 << 3;
pub(crate) const DELETE: u16 = 1 << 4;
pub(crate) const SEARCH: u16 = 1 << 5;
pub(crate) const FETCH: u16 = 1 << 6;
pub(crate) const MCP: u16 = 1 << 7;
pub(crate) const PROMPT: u16 = 1 << 8;
pub(crate) const TASK: u16 = 1 << 9;
pub(crate) const OUTPUT: u16 = 1 << 10;
/// Any other tool.
pub(crate) const OTHER: u16 = 1 << 11;
pub(crate) const ANY: u16 = (1 << 12) - 1;

/// Why a name cannot be added.
pub(crate) enum Void {
    /// No action or event has this name.
    Unknown,
    /// No call can ever match, with the reason and what to write instead.
    Never(String),
}

/// Why an event never comes with one of these tools, if so.
fn never(event: &str, tools: &str) -> Option<String> {
    if !TOOL_EVENTS.contains(&event) {
        return Some(format!("`{event}` comes without a tool; write `{event}`"));
    }
    let odd = |c: char| c.is_whitespace() || ",;()^$+\\\"'".contains(c);
    let plain = tools.replace([',', ';'], "|").replace(odd, "").replace(".*", "*");
    let plain: Vec<&str> = plain.split('|').filter(|tool| !tool.is_empty()).collect();
    let plain = plain.join("|");
    if plain == tools && !tools.is_empty() {
        return None;
    }
    let colon = if plain.is_empty() { "" } else { ":" };
    Some(format!(
        "`{event}:{tools}` matches no tool; tools are names or patterns with `*`, separated by `|`: \
         write `{event}{colon}{plain}`"
    ))
}

/// Events about one tool call.
const TOOL_EVENTS: [&str; 4] =
    ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"];

impl Default for On {
    fn default() -> Self {
        Self { actions: ANY, events: Vec::new() }
    }
}

impl On {
    pub const NONE: On = On { actions: 0, events: Vec::new() };

    /// Adds a name: an action, an event, or an event with tools such as `PostToolUse:Edit|Write`.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), Void> {
        if name == "any" {
            self.actions = ANY;
            return Ok(());
        }
        if let Some(bit) = ACTIONS.iter().position(|action| *action == name) {
            self.actions |= 1 << bit;
            return Ok(());
        }
        let (event, tools) = name.split_once(':').map_or((name, None), |(e, t)| (e, Some(t)));
        let place = EventKind::ALL.iter().position(|kind| kind.as_str() == event);
        let place = place.and_then(|place| u8::try_from(place).ok()).ok_or(Void::Unknown)?;
        if let Some(why) = tools.and_then(|tools| never(event, tools)) {
            return Err(Void::Never(why));
        }
        let tools = tools.unwrap_or_default().split('|');
        self.events.extend(tools.map(|tool| EventOn { event: place, tool: tool.to_owned() }));
        Ok(())
    }

    /// Whether it concerns only finished calls or no tools, where programs and effects are unknown.
    pub(crate) fn only_after(&self) -> bool {
        let after = [EventKind::PreToolUse, EventKind::PermissionRequest].map(|kind| kind as u8);
        self.actions & !(OUTPUT | PROMPT) == 0
            && !self.events.iter().any(|on| after.contains(&on.event))
    }

    /// A tool name that resembles a unified one, with that one.
    pub(crate) fn misspelt(&self) -> Option<(&str, &'static str)> {
        const TOOLS: &[&str] =
            &["Bash", "Read", "Write", "Edit", "Delete", "Search", "Fetch", "MCP", "Task"];
        self.events.iter().map(|on| on.tool.as_str()).find_map(|tool| {
            let near = |known: &&&str| strsim::damerau_levenshtein(known, tool) == 1;
            let known = TOOLS.iter().any(|known| known.eq_ignore_ascii_case(tool));
            let meant = TOOLS.iter().find(near).filter(|_| !known && !tool.is_empty());
            meant.map(|meant| (tool, *meant))
        })
    }

    /// The names as written in a file.
    pub fn names(&self) -> Vec<String> {
        if self.actions == ANY {
            return vec!["any".to_owned()];
        }
        let actions = ACTIONS.iter().enumerate();
        let actions = actions.filter(|(bit, _)| self.actions & (1 << bit) != 0);
        let mut names: Vec<String> = actions.map(|(_, name)| (*name).to_owned()).collect();
        for on in &self.events {
            let event = EventKind::ALL.get(usize::from(on.event)).map_or("", |kind| kind.as_str());
            names.push(if on.tool.is_empty() {
                event.to_owned()
            } else {
                format!("{event}:{}", on.tool)
            });
        }
        names
    }
}
