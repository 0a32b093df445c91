//! From a tool's name and input to actions.
//!
//! The hosts share most of their vocabulary, so one table serves all. A tool that is not in it stays
//! under its own name, and a tool whose input does not have the expected shape becomes an `Other`
//! action with a note: guards then know that they cannot tell.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tenter_model::{Action, Edit, Json, McpIdentity, Object, Text, Tool, ToolCall, json};

use crate::codex::patch;
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
    Patch,
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
    ("ApplyPatch", Class::Patch),
    ("apply_patch", Class::Patch),
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
const PATCH_KEYS: &[&str] = &["command", "patch", "input"];
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
            named_call(reader, Cow::Borrowed(name.as_ref()), Some(&raw)).into_owned()
        }
        Some(Json::Borrowed(raw)) => named_call(reader, name, Some(raw)),
        None => named_call(reader, name, None),
    }
}

fn named_call<'a>(
    reader: &Reader<'_, '_>,
    name: Cow<'a, str>,
    input: Option<&'a RawValue>,
) -> ToolCall<'a> {
    let class = TOOLS.iter().find(|(known, _)| *known == name).map(|(_, class)| *class);
    let mut call = ToolCall::new(match class {
        Some(class) => tool_of(class),
        None => Tool::Native(name.clone()),
    });
    call.native_tool = Some(name.clone());
    match input.and_then(|raw| take_input(&mut call, raw)) {
        Some(object) => {
            let actions = class.and_then(|class| classify(class, &object, &mut call));
            if actions.is_none() && class.is_some() {
                reader.note("tool_input", format!("lacks what {name} needs; passed through as is"));
            }
            call.actions = actions.unwrap_or_else(|| unreadable(class, name, &object));
        }
        None => {
            if !call.is_object {
                reader.note("tool_input", "is not an object; passed through as `value`");
            }
            call.actions.push(Action::Other { name });
        }
    }
    call
}

/// Takes over the host's input, key by key. One that is not an object becomes `value`.
fn take_input<'a>(call: &mut ToolCall<'a>, raw: &'a RawValue) -> Option<Object<'a>> {
    let object = Object::parse(raw.get()).ok();
    match &object {
        Some(object) => call.input = entries(object),
        None => {
            call.input.push((Cow::Borrowed("value"), Json::Borrowed(raw)));
            call.is_object = false;
        }
    }
    object
}

/// A call we cannot read in full. If it names a file that it would change, that much is said.
fn unreadable<'a>(
    class: Option<Class>,
    name: Cow<'a, str>,
    object: &Object<'a>,
) -> Vec<Action<'a>> {
    let mut actions = vec![Action::Other { name }];
    if matches!(class, Some(Class::Write | Class::Edit | Class::Patch)) {
        let path = PATH_KEYS.iter().find_map(|key| object.str(key));
        actions.extend(path.map(|path| Action::Edit { path, edits: Vec::new(), moved_to: None }));
    }
    actions
}

fn tool_of<'a>(class: Class) -> Tool<'a> {
    match class {
        Class::Shell => Tool::Bash,
        Class::Read => Tool::Read,
        Class::Write => Tool::Write,
        Class::Edit | Class::Patch => Tool::Edit,
        Class::Delete => Tool::Delete,
        Class::Search => Tool::Search,
        Class::Fetch => Tool::Fetch,
        Class::Task => Tool::Task,
    }
}

/// The fields of an object, of repeated ones only the last: that is the one hosts read.
fn entries<'a>(object: &Object<'a>) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut entries: Vec<(Cow<'a, str>, Json<'a>)> = Vec::with_capacity(object.entries().len());
    for (key, value) in object.entries() {
        let position = *positions.entry(key).or_insert(entries.len());
        match entries.get_mut(position) {
            Some(entry) => entry.1 = Json::Borrowed(value),
            None => entries.push((key.clone(), Json::Borrowed(value))),
        }
    }
    entries
}

/// Reads the actions out of the input and records where the host's keys differ from ours.
fn classify<'a>(
    class: Class,
    object: &Object<'a>,
    call: &mut ToolCall<'a>,
) -> Option<Vec<Action<'a>>> {
    let mut keyed = Keyed { object, call };
    let action = match class {
        Class::Shell => {
            let command = keyed.text("command", &["command"])?;
            let cwd = keyed.str("cwd", CWD_KEYS).filter(|cwd| !cwd.is_empty());
            Action::Shell { command, cwd }
        }
        Class::Read => {
            let path = keyed.str("file_path", PATH_KEYS)?;
            Action::Read { path, content: None }
        }
        Class::Delete => Action::Delete { path: keyed.str("file_path", PATH_KEYS)? },
        Class::Write | Class::Edit => {
            let path = keyed.str("file_path", PATH_KEYS)?;
            // Cursor calls both Write; what is there decides, whole content first.
            let content = match class {
                Class::Write => keyed.text("content", CONTENT_KEYS),
                _ => None,
            };
            match (content, has_edits(object)) {
                (Some(content), _) => Action::Write { path, content },
                (None, true) => {
                    keyed.call.tool = Tool::Edit;
                    Action::Edit { path, edits: edits(object)?, moved_to: None }
                }
                (None, false) => {
                    let content = keyed.text("content", CONTENT_KEYS)?;
                    keyed.call.tool = Tool::Write;
                    Action::Write { path, content }
                }
            }
        }
        Class::Search => {
            let pattern = keyed.text("pattern", PATTERN_KEYS);
            let path = keyed.str("path", &["path", "target_directory"]);
            Action::Search { pattern, path }
        }
        Class::Fetch => Action::Fetch { url: keyed.text("url", &["url"])? },
        Class::Task => {
            let prompt = keyed.text("prompt", PROMPT_KEYS);
            let agent_type = keyed.str("agent_type", AGENT_TYPE_KEYS);
            Action::Task { agent_type, prompt }
        }
        Class::Patch => {
            let files = patch::parse(&keyed.text("patch", PATCH_KEYS)?.get());
            return Some(files).filter(|files| !files.is_empty());
        }
    };
    Some(vec![action])
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

fn has_edits(object: &Object<'_>) -> bool {
    ["edits", "new_string", "new_source"].iter().any(|key| object.has(key))
}

/// The replacements of an edit: a list, one flat pair, or a notebook cell. `None` if one of them cannot
/// be read: half an edit must not pass for the whole.
pub(crate) fn edits<'a>(object: &Object<'a>) -> Option<Vec<Edit<'a>>> {
    if let Some(list) = object.array("edits") {
        return list.into_iter().map(|item| edit(&Object::parse(item.get()).ok()?)).collect();
    }
    if object.has("new_string") {
        return edit(object).map(|edit| vec![edit]);
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
    let mut identity = identity_of(name)?;
    // Claude says in a field of its own which server it is; that beats taking the name apart.
    if let Some(raw) = reader.object.object("mcp_server").and_then(|server| server.get("name"))
        && let Some(server) = json::string(raw)
    {
        if let Some(tool) = tool_of_server(name, &server) {
            identity.tool = Cow::Owned(tool.to_owned());
        }
        identity.set_server(server);
    }
    add_transport(reader, &mut identity);
    Some(identity)
}

/// Takes an MCP tool name apart, borrowing where it can.
pub(crate) fn identity_of<'a>(name: &Cow<'a, str>) -> Option<McpIdentity<'a>> {
    match name {
        Cow::Borrowed(name) => McpIdentity::from_tool_name(name),
        Cow::Owned(name) => McpIdentity::from_tool_name(name).map(McpIdentity::into_owned),
    }
}

/// The tool's part of a name, given the server: both may hold the separator.
fn tool_of_server<'n>(name: &'n str, server: &str) -> Option<&'n str> {
    let written = server.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
    name.strip_prefix("mcp__")?.strip_prefix(written.as_str())?.strip_prefix("__")
}

/// Adds what a Cursor payload says about the server: its name under any spelling, and how it is
/// reached.
pub(crate) fn add_transport<'a>(reader: &Reader<'_, 'a>, identity: &mut McpIdentity<'a>) {
    if let Some(server) = reader.first_str(&["mcp_server_name", "server"]) {
        identity.server = Some(server);
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
        Some(Json::Borrowed(raw)) => {
            take_input(&mut call, raw);
        }
        Some(Json::Owned(raw)) => {
            let mut unpacked = ToolCall::new(Tool::Mcp);
            take_input(&mut unpacked, &raw);
            call.is_object = unpacked.is_object;
            call.input = unpacked.into_owned().input;
        }
        None => {}
    }
    call
}
