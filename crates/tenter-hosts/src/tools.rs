//! Converts a tool's name and input into actions.
//!
//! The hosts share most of their vocabulary, so one table serves all. An unknown tool keeps its name, and a
//! tool with unexpected input becomes an `Other` action with a note, so that guards know they cannot judge
//! it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tenter_model::{Action, Json, McpIdentity, Object, Tool, ToolCall, json};

use crate::reader::Reader;
use crate::tool_input::{classify, names_its_file, same, unreadable};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
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

/// Tools with a unified name, under every name seen in practice. Case and separators are ignored: hooks of
/// one host are run by others, which write `runTerminalCommand` for `run_terminal_command`.
const TOOLS: &[(&str, Class)] = &[
    ("Bash", Class::Shell),
    ("Shell", Class::Shell),
    ("PowerShell", Class::Shell),
    ("Monitor", Class::Shell),
    ("Execute", Class::Shell),
    ("terminal", Class::Shell),
    ("run_terminal_cmd", Class::Shell),
    ("run_terminal_command", Class::Shell),
    ("run_in_terminal", Class::Shell),
    ("run_shell_command", Class::Shell),
    ("run_command", Class::Shell),
    ("run_commands", Class::Shell),
    ("execute_command", Class::Shell),
    ("execute_bash", Class::Shell),
    ("exec", Class::Shell),
    ("exec_command", Class::Shell),
    ("local_shell", Class::Shell),
    ("shell_command", Class::Shell),
    ("file_system.bash", Class::Shell),
    ("Read", Class::Read),
    ("TabRead", Class::Read),
    ("NotebookRead", Class::Read),
    ("read_file", Class::Read),
    ("read_files", Class::Read),
    ("read_many_files", Class::Read),
    ("view_file", Class::Read),
    ("file_system.read_file", Class::Read),
    ("Write", Class::Write),
    ("TabWrite", Class::Write),
    ("Create", Class::Write),
    ("write_file", Class::Write),
    ("write_to_file", Class::Write),
    ("create_file", Class::Write),
    ("file_system.write_file", Class::Write),
    ("Edit", Class::Edit),
    ("MultiEdit", Class::Edit),
    ("NotebookEdit", Class::Edit),
    ("StrReplace", Class::Edit),
    ("search_replace", Class::Edit),
    ("replace", Class::Edit),
    ("editor", Class::Edit),
    ("file_system.search_replace", Class::Edit),
    ("ApplyPatch", Class::Patch),
    ("Delete", Class::Delete),
    ("delete_file", Class::Delete),
    ("Grep", Class::Search),
    ("Glob", Class::Search),
    ("LS", Class::Search),
    ("list_dir", Class::Search),
    ("list_directory", Class::Search),
    ("grep_search", Class::Search),
    ("search_file_content", Class::Search),
    ("SemanticSearch", Class::Search),
    ("WebFetch", Class::Fetch),
    ("Task", Class::Task),
    ("Agent", Class::Task),
    ("spawn_agent", Class::Task),
    ("spawn_subagent", Class::Task),
    ("invoke_agent", Class::Task),
    ("collaboration.spawn_agent", Class::Task),
];

/// Spellings of the tool's name and input in payloads: hosts that run another host's hooks send their own
/// keys, or both.
const NAME_FIELDS: &[&str] = &["tool_name", "toolName"];
const INPUT_FIELDS: &[&str] = &["tool_input", "toolInput", "toolArgs"];
/// Fields that exist only after a call.
const RESULT_FIELDS: &[&str] =
    &["tool_response", "tool_output", "toolResult", "tool_result", "error", "error_message"];

/// Whether a payload announces a tool call that has not run yet, whatever its event is called.
pub(crate) fn is_ahead(object: &Object<'_>) -> bool {
    let has = |fields: &[&str]| fields.iter().any(|field| object.has(field));
    (has(NAME_FIELDS) || has(INPUT_FIELDS)) && !has(RESULT_FIELDS) || in_two(object).is_some()
}

/// Some hosts (`opencode`, `kilo`) announce a call in two objects and without an event:
/// `{"input":{"tool":"bash"},"output":{"args":{}}}`.
fn in_two<'a>(object: &Object<'a>) -> Option<(&'a RawValue, &'a RawValue)> {
    let (input, output) = (object.object("input")?, object.object("output")?);
    let is_over = ["output", "title", "metadata", "error"].iter().any(|field| output.has(field));
    let arguments = output.get("args").or_else(|| input.get("args"));
    Some((input.get("tool")?, arguments?)).filter(|_| !is_over)
}

/// The call in the fields that all hosts share. A field with two different values is read both ways.
pub(crate) fn told<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut inputs = distinct(reader.object, INPUT_FIELDS);
    let mut names = distinct(reader.object, NAME_FIELDS);
    if let Some((name, arguments)) = in_two(reader.object) {
        names.push(name);
        inputs.push(arguments);
    }
    let name =
        |raw: Option<&&'a RawValue>| raw.and_then(|raw| json::string(raw)).unwrap_or_default();
    let input = |raw: &&'a RawValue| Json::unpack(raw);
    let mut call = call(reader, name(names.first()), inputs.first().map(input));
    for other in names.iter().skip(1) {
        let named = self::call(reader, name(Some(other)), inputs.first().map(input));
        also(&mut call, named);
    }
    for other in inputs.iter().skip(1) {
        also(&mut call, self::call(reader, name(names.first()), Some(input(other))));
    }
    call
}

/// The distinct values of a field under its spellings, the most likely one first.
fn distinct<'a>(object: &Object<'a>, spellings: &[&str]) -> Vec<&'a RawValue> {
    let mut found: Vec<&'a RawValue> = Vec::with_capacity(1);
    for spelling in spellings {
        for (key, value) in object.entries().iter().rev() {
            let known = || found.iter().any(|known| known.get() == value.get());
            if key == spelling && !json::is_null(value) && !known() {
                found.push(value);
            }
        }
    }
    found
}

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
        // Text parsed from JSON inside a string cannot be borrowed from the payload.
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
    let class = class_of(&name);
    let mut call = ToolCall::new(match class {
        Some(class) => tool_of(class),
        None => Tool::Native(name.clone()),
    });
    call.native_tool = Some(name.clone());
    if name.is_empty() {
        call.malformed = Some("names no tool");
    }
    match input.and_then(|raw| take_input(&mut call, raw)) {
        Some(object) => {
            let actions = class.and_then(|class| classify(class, &object, &mut call));
            if actions.is_none() && class.is_some() {
                reader.note("tool_input", format!("lacks what {name} needs; passed through as is"));
                if !names_its_file(class, &object) {
                    call.malformed.get_or_insert("lacks the input that this tool needs");
                }
            }
            call.actions = actions.unwrap_or_else(|| unreadable(class, name, &object));
        }
        None => {
            if !call.is_object {
                reader.note("tool_input", "is not an object; passed through as `value`");
                call.malformed.get_or_insert("has input that is not an object");
            } else if class.is_some_and(|class| !matches!(class, Class::Search | Class::Task)) {
                reader.note("tool_input", "is missing");
                call.malformed.get_or_insert("has no input");
            }
            call.actions.push(Action::Other { name });
        }
    }
    call
}

fn class_of(name: &str) -> Option<Class> {
    let exact = TOOLS.iter().find(|(known, _)| *known == name);
    exact.or_else(|| TOOLS.iter().find(|(known, _)| same(known, name))).map(|(_, class)| *class)
}

/// Copies the host's input, key by key. Input that is not an object becomes `value`.
fn take_input<'a>(call: &mut ToolCall<'a>, raw: &'a RawValue) -> Option<Object<'a>> {
    let object = Object::parse(raw.get()).ok();
    match &object {
        Some(object) => (call.input, call.shadowed) = entries(object),
        None if json::is_null(raw) => {}
        None => {
            call.input.push((Cow::Borrowed("value"), Json::Borrowed(raw)));
            call.is_object = false;
        }
    }
    object
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

type Entries<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

/// The fields of an object: the last of repeated ones, which most hosts read, and separately the others.
fn entries<'a>(object: &Object<'a>) -> (Entries<'a>, Entries<'a>) {
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut entries: Entries<'a> = Vec::with_capacity(object.entries().len());
    let mut shadowed = Vec::new();
    for (key, value) in object.entries() {
        let position = *positions.entry(key).or_insert(entries.len());
        match entries.get_mut(position) {
            Some(entry) => {
                let before = std::mem::replace(&mut entry.1, Json::Borrowed(value));
                shadowed.push((key.clone(), before));
            }
            None => entries.push((key.clone(), Json::Borrowed(value))),
        }
    }
    (entries, shadowed)
}

/// The MCP tool of a generic event, if any.
fn mcp_identity<'a>(reader: &Reader<'_, 'a>, name: &Cow<'a, str>) -> Option<McpIdentity<'a>> {
    let mut identity = identity_of(name)?;
    // Claude names the server in a separate field, which is more reliable than parsing the name.
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

/// Parses an MCP tool name, borrowing where possible.
pub(crate) fn identity_of<'a>(name: &Cow<'a, str>) -> Option<McpIdentity<'a>> {
    match name {
        Cow::Borrowed(name) => McpIdentity::from_tool_name(name),
        Cow::Owned(name) => McpIdentity::from_tool_name(name).map(McpIdentity::into_owned),
    }
}

/// The tool's part of a name with known server: both may contain the separator.
fn tool_of_server<'n>(name: &'n str, server: &str) -> Option<&'n str> {
    let written = server.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
    name.strip_prefix("mcp__")?.strip_prefix(written.as_str())?.strip_prefix("__")
}

/// Adds the server's name and transport from a Cursor payload.
pub(crate) fn add_transport<'a>(reader: &Reader<'_, 'a>, identity: &mut McpIdentity<'a>) {
    if let Some(server) = reader.first_str(&["mcp_server_name", "server"]) {
        identity.server = Some(server);
    }
    identity.url = reader.first_str(&["mcp_server_url", "url"]);
    identity.command = reader.str("command");
}

/// A call to an MCP tool; its input may be JSON inside a string.
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
            let unpacked = unpacked.into_owned();
            (call.input, call.shadowed) = (unpacked.input, unpacked.shadowed);
        }
        None => {}
    }
    if !call.is_object {
        call.malformed = Some("has input that is not an object");
    }
    call
}

/// Adds the actions of an alternative reading of the same call.
pub(crate) fn also<'a>(call: &mut ToolCall<'a>, other: ToolCall<'a>) {
    call.actions.extend(other.actions);
    call.shadowed.extend(other.input);
    call.shadowed.extend(other.shadowed);
    call.malformed = call.malformed.or(other.malformed);
}
