//! Actions of a tool call, independent of the host's tool names.

use std::borrow::Cow;
use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::json::Text;

/// The unified name of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tool<'a> {
    Bash,
    Read,
    Write,
    Edit,
    Delete,
    Search,
    Fetch,
    Mcp,
    Task,
    /// A tool without a unified name: the host's own name.
    Native(Cow<'a, str>),
}

impl Tool<'_> {
    /// The unified names, in the order the documentation lists them.
    pub const NAMES: &'static [&'static str] =
        &["Bash", "Read", "Write", "Edit", "Delete", "Search", "Fetch", "MCP", "Task"];

    pub fn as_str(&self) -> &str {
        match self {
            Tool::Bash => "Bash",
            Tool::Read => "Read",
            Tool::Write => "Write",
            Tool::Edit => "Edit",
            Tool::Delete => "Delete",
            Tool::Search => "Search",
            Tool::Fetch => "Fetch",
            Tool::Mcp => "MCP",
            Tool::Task => "Task",
            Tool::Native(name) => name,
        }
    }
}

impl fmt::Display for Tool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing a tool call would do. A patch is several.
#[derive(Clone, Debug, PartialEq)]
pub enum Action<'a> {
    Shell { command: Text<'a>, cwd: Option<Cow<'a, str>> },
    Read { path: Cow<'a, str>, content: Option<Text<'a>> },
    Write { path: Cow<'a, str>, content: Text<'a> },
    Edit { path: Cow<'a, str>, edits: Vec<Edit<'a>>, moved_to: Option<Cow<'a, str>> },
    Delete { path: Cow<'a, str> },
    Search { pattern: Option<Text<'a>>, path: Option<Cow<'a, str>> },
    Fetch { url: Text<'a> },
    Mcp(McpIdentity<'a>),
    Task { agent_type: Option<Cow<'a, str>>, prompt: Option<Text<'a>> },
    Other { name: Cow<'a, str> },
}

impl Action<'_> {
    /// The file this action touches, if it names one.
    pub fn file(&self) -> Option<FileTouch<'_>> {
        let (path, op, moved_to) = match self {
            Action::Read { path, .. } => (path, FileOp::Read, None),
            Action::Write { path, .. } => (path, FileOp::Write, None),
            Action::Edit { path, moved_to, .. } => (path, FileOp::Edit, moved_to.as_deref()),
            Action::Delete { path } => (path, FileOp::Delete, None),
            Action::Search { path: Some(path), .. } => (path, FileOp::Search, None),
            _ => return None,
        };
        Some(FileTouch { path, op, moved_to })
    }
}

impl Action<'_> {
    /// The same action without borrowing from a payload.
    pub fn into_owned(self) -> Action<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Action::Shell { command, cwd } => {
                Action::Shell { command: command.into_owned(), cwd: cwd.map(owned) }
            }
            Action::Read { path, content } => {
                Action::Read { path: owned(path), content: content.map(Text::into_owned) }
            }
            Action::Write { path, content } => {
                Action::Write { path: owned(path), content: content.into_owned() }
            }
            Action::Edit { path, edits, moved_to } => Action::Edit {
                path: owned(path),
                edits: edits.into_iter().map(Edit::into_owned).collect(),
                moved_to: moved_to.map(owned),
            },
            Action::Delete { path } => Action::Delete { path: owned(path) },
            Action::Search { pattern, path } => {
                Action::Search { pattern: pattern.map(Text::into_owned), path: path.map(owned) }
            }
            Action::Fetch { url } => Action::Fetch { url: url.into_owned() },
            Action::Mcp(identity) => Action::Mcp(identity.into_owned()),
            Action::Task { agent_type, prompt } => Action::Task {
                agent_type: agent_type.map(owned),
                prompt: prompt.map(Text::into_owned),
            },
            Action::Other { name } => Action::Other { name: owned(name) },
        }
    }
}

/// One replacement inside a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit<'a> {
    pub old: Text<'a>,
    pub new: Text<'a>,
    pub replace_all: bool,
}

impl Edit<'_> {
    fn into_owned(self) -> Edit<'static> {
        Edit {
            old: self.old.into_owned(),
            new: self.new.into_owned(),
            replace_all: self.replace_all,
        }
    }
}

impl Serialize for Edit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("old_string", &self.old)?;
        map.serialize_entry("new_string", &self.new)?;
        if self.replace_all {
            map.serialize_entry("replace_all", &true)?;
        }
        map.end()
    }
}

/// File operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOp {
    Read,
    Write,
    Edit,
    Delete,
    /// Searched in; may be a directory.
    Search,
}

impl FileOp {
    pub const ALL: [FileOp; 5] =
        [FileOp::Read, FileOp::Write, FileOp::Edit, FileOp::Delete, FileOp::Search];

    pub const fn as_str(self) -> &'static str {
        match self {
            FileOp::Read => "read",
            FileOp::Write => "write",
            FileOp::Edit => "edit",
            FileOp::Delete => "delete",
            FileOp::Search => "search",
        }
    }
}

/// A file named by a tool call and what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTouch<'a> {
    pub path: &'a str,
    pub op: FileOp,
    pub moved_to: Option<&'a str>,
}

impl Serialize for FileTouch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", self.path)?;
        map.serialize_entry("op", self.op.as_str())?;
        if let Some(to) = self.moved_to {
            map.serialize_entry("moved_to", to)?;
        }
        map.end()
    }
}

/// An MCP tool: its server, and how that server is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpIdentity<'a> {
    /// `None` when the host does not name the server.
    pub server: Option<Cow<'a, str>>,
    pub tool: Cow<'a, str>,
    /// The plugin that provides the server, so that it is not confused with the user's own server of that
    /// name.
    pub plugin: Option<Cow<'a, str>>,
    pub url: Option<Cow<'a, str>>,
    pub command: Option<Cow<'a, str>>,
}

impl<'a> McpIdentity<'a> {
    /// Reads `mcp__server__tool`, `mcp__plugin_<plugin>_<server>__tool` and `MCP:tool`.
    pub fn from_tool_name(name: &'a str) -> Option<Self> {
        if let Some(tool) = name.strip_prefix("MCP:") {
            return Some(Self { tool: Cow::Borrowed(tool), ..Self::default() });
        }
        let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
        let mut identity = Self { tool: Cow::Borrowed(tool), ..Self::default() };
        identity.set_server(Cow::Borrowed(server));
        Some(identity)
    }

    /// Sets the server, parsing the forms of a plugin's server (`plugin_<plugin>_<server>` in tool names,
    /// `plugin:<plugin>:<server>` elsewhere).
    pub fn set_server(&mut self, server: Cow<'a, str>) {
        // Plugin names are kebab-case, so the first `_` ends the plugin's name; a server's may contain more.
        let parts = server
            .strip_prefix("plugin_")
            .and_then(|rest| rest.split_once('_'))
            .or_else(|| server.strip_prefix("plugin:").and_then(|rest| rest.split_once(':')));
        let (plugin, name) = match parts {
            Some((plugin, name)) => {
                (Some(Cow::Owned(plugin.to_owned())), Cow::Owned(name.to_owned()))
            }
            None => (None, server),
        };
        self.plugin = plugin;
        self.server = Some(name).filter(|name| !name.is_empty());
    }

    /// The same identity without borrowing from a payload.
    pub fn into_owned(self) -> McpIdentity<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        McpIdentity {
            server: self.server.map(owned),
            tool: owned(self.tool),
            plugin: self.plugin.map(owned),
            url: self.url.map(owned),
            command: self.command.map(owned),
        }
    }

    /// The canonical `server/tool`; an unknown server is `?`.
    pub fn canonical(&self) -> String {
        format!("{}/{}", self.server.as_deref().unwrap_or("?"), self.tool)
    }
}

impl Serialize for McpIdentity<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.canonical())?;
        map.serialize_entry("tool", &self.tool)?;
        let optional = [
            ("server", &self.server),
            ("plugin", &self.plugin),
            ("url", &self.url),
            ("command", &self.command),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mcp_spelling_has_one_canonical_name() {
        let cases = [
            ("mcp__github__create_issue", "github/create_issue", None),
            ("mcp__plugin_my-tools_github__create_issue", "github/create_issue", Some("my-tools")),
            ("mcp__plugin_my-tools_data_base__q", "data_base/q", Some("my-tools")),
            ("mcp__a__b__c", "a/b__c", None),
            ("MCP:create_issue", "?/create_issue", None),
        ];
        for (name, canonical, plugin) in cases {
            let identity = McpIdentity::from_tool_name(name).unwrap();
            assert_eq!(identity.canonical(), canonical, "{name}");
            assert_eq!(identity.plugin.as_deref(), plugin, "{name}");
        }
    }

    #[test]
    fn a_name_that_is_not_mcp_is_left_alone() {
        for name in ["Bash", "mcp__", "mcp__server", "mcp_server_tool"] {
            assert_eq!(McpIdentity::from_tool_name(name), None, "{name}");
        }
    }
}
