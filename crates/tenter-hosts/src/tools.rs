//! From a tool's name and input to actions.
//!
//! The hosts share most of their vocabulary, so one table serves all. A tool that is not in it stays
//! under its own name, and a tool whose input does not have the expected shape becomes an `Other`
//! action with a note: guards then know that they cannot tell.

use std::borrow::Cow;

use tenter_model::{Action, Edit, Json, McpIdentity, Object, Text, Tool, ToolCall, json};

use crate::reader::Reader;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Shell,
    Read,
    Write,
    Edit,
    Delete,
    Search,
    Fetch,
    Task,
}

/// The tools we have a unified name for, under every name seen in the field.
const TOOLS: &[(&str, Class)] = &[
    ("Bash", Class::Shell),
    ("Shell", Class::Shell),
    ("PowerShell", Class::Shell),
    ("run_terminal_cmd", Class::Shell),
    ("Read", Class::Read),
    ("TabRead", Class::Read),
    ("NotebookRead", Class::Read),
    ("Write", Class::Write),
    ("TabWrite", Class::Write),
    ("Edit", Class::Edit),
    ("MultiEdit", Class::Edit),
    ("NotebookEdit", Class::Edit),
    ("StrReplace", Class::Edit),
    ("ApplyPatch", Class::Edit),
    ("Delete", Class::Delete),
    ("Grep", Class::Search),
    ("Glob", Class::Search),
    ("LS", Class::Search),
    ("SemanticSearch", Class::Search),
    ("WebFetch", Class::Fetch),
    ("Task", Class::Task),
    ("Agent", Class::Task),
    ("spawn_agent", Class::Task),
];

const PATH_KEYS: &[&str] =
    &["file_path", "path", "filePath", "target_file", "notebook_path", "absolute_path"];
const CONTENT_KEYS: &[&str] = &["content", "contents", "file_text"];
const CWD_KEYS: &[&str] = &["cwd", "working_directory", "workdir"];
const PATTERN_KEYS: &[&str] = &["pattern", "query", "glob_pattern"];
const PROMPT_KEYS: &[&str] = &["prompt", "message", "task"];
const AGENT_TYPE_KEYS: &[&str] = &["agent_type", "subagent_type"];

/// Builds the call of the tool `name` with the payload's `tool_input`.
pub(crate) fn call<'a>(
    reader: &Reader<'_, 'a>,
    name: Cow<'a, str>,
    input: Option<Json<'a>>,
) -> ToolCall<'a> {
    if let Some(identity) = mcp_identity(reader, &name) {
        return mcp_call(identity, Some(name), input);
    }
    match input {
        // A document inside a string: what is read out of it cannot be borrowed from the payload.
        Some(Json::Owned(raw)) => {
            let call = named_call(reader, Cow::Borrowed(name.as_ref()), Some(Json::Borrowed(&raw)));
            call.into_owned()
        }
        borrowed => named_call(reader, name, borrowed),
    }
}

fn named_call<'a>(
    reader: &Reader<'_, '_>,
    name: Cow<'a, str>,
    input: Option<Json<'a>>,
) -> ToolCall<'a> {
    let class = TOOLS.iter().find(|(known, _)| *known == name).map(|(_, class)| *class);
    let mut call = ToolCall::new(match class {
        Some(class) => tool_of(class),
        None => Tool::Native(name.clone()),
    });
    call.native_tool = Some(name.clone());
    let object = match &input {
        Some(Json::Borrowed(raw)) => Object::parse(raw.get()).ok(),
        _ => None,
    };
    match object {
        Some(object) => {
            call.input = entries(&object);
            let action = class.and_then(|class| classify(class, &object, &mut call));
            if action.is_none() && class.is_some() {
                reader.note("tool_input", format!("lacks what {name} needs; passed through as is"));
            }
            call.actions.push(action.unwrap_or(Action::Other { name }));
        }
        None => {
            if let Some(value) = input {
                reader.note("tool_input", "is not an object; passed through as `value`");
                call.input.push((Cow::Borrowed("value"), value));
            }
            call.actions.push(Action::Other { name });
        }
    }
    call
}

fn tool_of<'a>(class: Class) -> Tool<'a> {
    match class {
        Class::Shell => Tool::Bash,
        Class::Read => Tool::Read,
        Class::Write => Tool::Write,
        Class::Edit => Tool::Edit,
        Class::Delete => Tool::Delete,
        Class::Search => Tool::Search,
        Class::Fetch => Tool::Fetch,
        Class::Task => Tool::Task,
    }
}

/// The fields of an object, of repeated ones only the last: that is the one hosts read.
fn entries<'a>(object: &Object<'a>) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let mut entries: Vec<(Cow<'a, str>, Json<'a>)> = Vec::with_capacity(object.entries().len());
    for (key, value) in object.entries() {
        match entries.iter_mut().find(|(name, _)| name == key) {
            Some(entry) => entry.1 = Json::Borrowed(value),
            None => entries.push((key.clone(), Json::Borrowed(value))),
        }
    }
    entries
}

/// Reads the action out of the input and records where the host's keys differ from ours.
fn classify<'a>(class: Class, object: &Object<'a>, call: &mut ToolCall<'a>) -> Option<Action<'a>> {
    let mut keyed = Keyed { object, call };
    match class {
        Class::Shell => {
            let command = keyed.text("command", &["command"])?;
            let cwd = keyed.str("cwd", CWD_KEYS).filter(|cwd| !cwd.is_empty());
            Some(Action::Shell { command, cwd })
        }
        Class::Read => {
            let path = keyed.str("file_path", PATH_KEYS)?;
            Some(Action::Read { path, content: None })
        }
        Class::Delete => Some(Action::Delete { path: keyed.str("file_path", PATH_KEYS)? }),
        Class::Write | Class::Edit => {
            let path = keyed.str("file_path", PATH_KEYS)?;
            if let Some(edits) = edits(object) {
                keyed.call.tool = Tool::Edit;
                return Some(Action::Edit { path, edits, moved_to: None });
            }
            let content = keyed.text("content", CONTENT_KEYS)?;
            keyed.call.tool = Tool::Write;
            Some(Action::Write { path, content })
        }
        Class::Search => {
            let pattern = keyed.text("pattern", PATTERN_KEYS);
            let path = keyed.str("path", &["path", "target_directory"]);
            Some(Action::Search { pattern, path })
        }
        Class::Fetch => Some(Action::Fetch { url: keyed.text("url", &["url"])? }),
        Class::Task => {
            let prompt = keyed.text("prompt", PROMPT_KEYS);
            let agent_type = keyed.str("agent_type", AGENT_TYPE_KEYS);
            Some(Action::Task { agent_type, prompt })
        }
    }
}

/// Finds a field under any of its spellings and remembers which one it was.
struct Keyed<'k, 'a> {
    object: &'k Object<'a>,
    call: &'k mut ToolCall<'a>,
}

impl<'a> Keyed<'_, 'a> {
    fn text(&mut self, ours: &'static str, spellings: &[&'static str]) -> Option<Text<'a>> {
        let theirs = spellings.iter().find(|key| self.object.has(key))?;
        let value = self.object.text_of(theirs)?;
        if *theirs != ours {
            self.call.renames.push((ours, Cow::Borrowed(theirs)));
        }
        Some(value)
    }

    fn str(&mut self, ours: &'static str, spellings: &[&'static str]) -> Option<Cow<'a, str>> {
        self.text(ours, spellings).map(Text::into_cow)
    }
}

/// The replacements of an edit: a list, one flat pair, or a notebook cell.
pub(crate) fn edits<'a>(object: &Object<'a>) -> Option<Vec<Edit<'a>>> {
    if let Some(list) = object.array("edits") {
        return Some(
            list.into_iter().filter_map(|item| edit(&Object::parse(item.get()).ok()?)).collect(),
        );
    }
    if object.has("new_string") {
        return Some(edit(object).into_iter().collect());
    }
    let new = object.text_of("new_source")?;
    Some(vec![Edit { old: Text::from(""), new, replace_all: false }])
}

fn edit<'a>(object: &Object<'a>) -> Option<Edit<'a>> {
    Some(Edit {
        old: object.text_of("old_string").unwrap_or(Text::from("")),
        new: object.text_of("new_string")?,
        replace_all: object.bool("replace_all").unwrap_or(false),
    })
}

/// The MCP tool a generic event is about, if it is about one.
fn mcp_identity<'a>(reader: &Reader<'_, 'a>, name: &Cow<'a, str>) -> Option<McpIdentity<'a>> {
    let mut identity = match name {
        Cow::Borrowed(name) => McpIdentity::from_tool_name(name)?,
        Cow::Owned(name) => McpIdentity::from_tool_name(name)?.into_owned(),
    };
    // Claude says in a field of its own which server it is; that beats taking the name apart.
    if let Some(server) = reader.object.object("mcp_server").and_then(|o| o.get("name")) {
        set_server(&mut identity, server);
    }
    add_transport(reader, &mut identity);
    Some(identity)
}

fn set_server<'a>(identity: &mut McpIdentity<'a>, raw: &'a serde_json::value::RawValue) {
    match json::string(raw) {
        Some(Cow::Borrowed(server)) => identity.set_server(server),
        Some(Cow::Owned(server)) => identity.server = Some(Cow::Owned(server)),
        None => {}
    }
}

/// Adds what a Cursor payload says about the server: its name under any spelling, and how it is
/// reached.
pub(crate) fn add_transport<'a>(reader: &Reader<'_, 'a>, identity: &mut McpIdentity<'a>) {
    for key in ["mcp_server_name", "server"] {
        if let Some(raw) = reader.object.get(key).filter(|raw| json::string(raw).is_some()) {
            set_server(identity, raw);
            break;
        }
    }
    identity.url = reader.first_str(&["mcp_server_url", "url"]);
    identity.command = reader.str("command");
}

/// A call to an MCP tool; its input may be a document inside a string.
pub(crate) fn mcp_call<'a>(
    identity: McpIdentity<'a>,
    native_tool: Option<Cow<'a, str>>,
    input: Option<Json<'a>>,
) -> ToolCall<'a> {
    let mut call = ToolCall::new(Tool::Mcp);
    call.native_tool = native_tool;
    call.actions.push(Action::Mcp(identity));
    match input {
        Some(Json::Borrowed(raw)) => match Object::parse(raw.get()) {
            Ok(object) => call.input = entries(&object),
            Err(_) => call.input.push((Cow::Borrowed("value"), Json::Borrowed(raw))),
        },
        Some(Json::Owned(raw)) => {
            let unpacked = mcp_call(McpIdentity::default(), None, Some(Json::Borrowed(&raw)));
            call.input = unpacked.into_owned().input;
        }
        None => {}
    }
    call
}
