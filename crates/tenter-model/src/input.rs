//! A tool call: its unified name, its actions, and its input in both spellings.
//!
//! Handlers see unified keys (`command`, `file_path`, `edits`, ...). A rewrite they return is merged into the
//! host's own input under the host's own keys, because every host expects the complete input.

use std::borrow::Cow;
use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::action::{Action, FileTouch, McpIdentity, Tool};
use crate::json::{self, Changed, Json, Object};
use crate::verdict::ModifiedInput;

/// A tool call before, after or instead of its execution.
#[derive(Clone, Debug)]
pub struct ToolCall<'a> {
    pub tool: Tool<'a>,
    /// The host's name of the tool, if the event has one.
    pub native_tool: Option<Cow<'a, str>>,
    pub actions: Vec<Action<'a>>,
    /// The host's input, key by key, in the host's spelling.
    pub input: Vec<(Cow<'a, str>, Json<'a>)>,
    /// Unified key to the host's key, where they differ.
    pub renames: Vec<(&'static str, Cow<'a, str>)>,
    pub sandbox: Option<bool>,
    /// Whether the host's input is an object; if not, it becomes `value` and cannot be changed.
    pub is_object: bool,
    /// Earlier values of duplicate keys: we cannot know which one a tool reads.
    pub shadowed: Vec<(Cow<'a, str>, Json<'a>)>,
    /// Why this call cannot be judged by its input, as a clause: `names no tool`.
    pub malformed: Option<&'static str>,
    /// Whether the host can later type into the started program without another hook call.
    pub unhooked_input: bool,
}

/// Key of a patch's text in the unified input.
const PATCH: &str = "patch";
const SINGLE_EDIT_KEYS: &[&str] = &["old_string", "new_string", "replace_all"];

impl<'a> ToolCall<'a> {
    pub fn new(tool: Tool<'a>) -> Self {
        Self {
            tool,
            native_tool: None,
            actions: Vec::new(),
            input: Vec::new(),
            renames: Vec::new(),
            sandbox: None,
            is_object: true,
            shadowed: Vec::new(),
            malformed: None,
            unhooked_input: false,
        }
    }

    /// The same call without borrowing from a payload.
    pub fn into_owned(self) -> ToolCall<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        ToolCall {
            tool: match self.tool {
                Tool::Native(name) => Tool::Native(owned(name)),
                Tool::Bash => Tool::Bash,
                Tool::Read => Tool::Read,
                Tool::Write => Tool::Write,
                Tool::Edit => Tool::Edit,
                Tool::Delete => Tool::Delete,
                Tool::Search => Tool::Search,
                Tool::Fetch => Tool::Fetch,
                Tool::Mcp => Tool::Mcp,
                Tool::Task => Tool::Task,
            },
            native_tool: self.native_tool.map(owned),
            actions: self.actions.into_iter().map(Action::into_owned).collect(),
            input: self.input.into_iter().map(|(k, v)| (owned(k), v.into_owned())).collect(),
            renames: self.renames.into_iter().map(|(ours, theirs)| (ours, owned(theirs))).collect(),
            sandbox: self.sandbox,
            is_object: self.is_object,
            shadowed: self.shadowed.into_iter().map(|(k, v)| (owned(k), v.into_owned())).collect(),
            malformed: self.malformed,
            unhooked_input: self.unhooked_input,
        }
    }

    /// The files this call names.
    pub fn files(&self) -> impl Iterator<Item = FileTouch<'_>> {
        self.actions.iter().filter_map(Action::file)
    }

    /// The MCP tool this call goes to, if it is an MCP call.
    pub fn mcp(&self) -> Option<&McpIdentity<'a>> {
        self.actions.iter().find_map(|action| match action {
            Action::Mcp(identity) => Some(identity),
            _ => None,
        })
    }

    /// The shell command, decoded, if this call runs one.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        self.actions.iter().find_map(|action| match action {
            Action::Shell { command, .. } => Some(command.get()),
            _ => None,
        })
    }

    fn native_key<'k>(&'k self, unified: &'k str) -> &'k str {
        self.renames
            .iter()
            .find(|(ours, _)| *ours == unified)
            .map_or(unified, |(_, theirs)| theirs.as_ref())
    }

    fn unified_key<'k>(&'k self, native: &'k str) -> &'k str {
        self.renames.iter().find(|(_, theirs)| theirs == native).map_or(native, |(ours, _)| ours)
    }

    fn has(&self, native_key: &str) -> bool {
        self.input.iter().any(|(key, value)| key == native_key && !json::is_null(value.raw()))
    }

    fn is_patch(&self) -> bool {
        self.tool == Tool::Edit && self.input.iter().any(|(key, _)| self.unified_key(key) == PATCH)
    }

    /// Whether this is an edit with a single replacement at the top level of the input.
    fn is_single_edit(&self) -> bool {
        self.tool == Tool::Edit && self.has("new_string") && !self.has("edits")
    }

    /// The host's complete input with a handler's changes merged.
    ///
    /// Keys that the handler does not mention keep their value; `null` removes a key. Also returns the
    /// replacements made so that every host's parser accepts it.
    pub fn native_input_with(
        &self,
        changes: &ModifiedInput,
    ) -> Result<(String, Changed), InputError> {
        if !self.is_object {
            return Err(InputError::NotAnObject);
        }
        let mut merged: Vec<(Cow<'_, str>, Cow<'_, RawValue>)> = self
            .input
            .iter()
            .map(|(key, value)| (Cow::Borrowed(key.as_ref()), Cow::Borrowed(value.raw())))
            .collect();
        for (key, value) in changes.iter() {
            match key {
                "edits" if self.is_single_edit() => merge_single_edit(&mut merged, value)?,
                "edits" if self.tool == Tool::Edit && !self.has("edits") => {
                    return Err(InputError::NoEdits);
                }
                "changes" if self.is_patch() => {
                    if !changes.iter().any(|(other, _)| other == PATCH) {
                        return Err(InputError::ChangesWithoutPatch);
                    }
                }
                _ => set(&mut merged, self.native_key(key), Some(value)),
            }
        }
        let text =
            serde_json::to_string(&RawMap(&merged)).map_err(|_| InputError::NotSerializable)?;
        Ok(json::portable(text))
    }
}

/// Why a handler's rewrite cannot be expressed in the host's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputError {
    ManyEdits,
    EditShape,
    NoEdits,
    ChangesWithoutPatch,
    NotAnObject,
    NotSerializable,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputError::ManyEdits => "this tool takes exactly one edit per call",
            InputError::EditShape => "an edit needs string fields `old_string` and `new_string`",
            InputError::NoEdits => "this tool's input has no `edits` to change",
            InputError::NotAnObject => "the host's input is not an object",
            InputError::ChangesWithoutPatch => {
                "a patch is rewritten through its text: return `patch`, not `changes`"
            }
            InputError::NotSerializable => "the rewritten input is not valid JSON",
        })
    }
}

impl std::error::Error for InputError {}

type Merged<'m> = Vec<(Cow<'m, str>, Cow<'m, RawValue>)>;

fn set<'m>(merged: &mut Merged<'m>, key: &'m str, value: Option<&'m RawValue>) {
    let value = value.filter(|value| !json::is_null(value));
    let position = merged.iter().position(|(name, _)| name == key);
    match (value, position.and_then(|index| merged.get_mut(index))) {
        (Some(value), Some(entry)) => entry.1 = Cow::Borrowed(value),
        (Some(value), None) => merged.push((Cow::Borrowed(key), Cow::Borrowed(value))),
        (None, _) => merged.retain(|(name, _)| name != key),
    }
}

fn merge_single_edit<'m>(merged: &mut Merged<'m>, edits: &'m RawValue) -> Result<(), InputError> {
    let list = json::array(edits).ok_or(InputError::EditShape)?;
    let [edit] = list.as_slice() else {
        return Err(InputError::ManyEdits);
    };
    let edit = Object::parse(edit.get()).map_err(|_| InputError::EditShape)?;
    if edit.str("old_string").is_none() || edit.str("new_string").is_none() {
        return Err(InputError::EditShape);
    }
    for key in SINGLE_EDIT_KEYS {
        set(merged, key, edit.get(key));
    }
    Ok(())
}

struct RawMap<'m, 'v>(&'m [(Cow<'v, str>, Cow<'v, RawValue>)]);

impl Serialize for RawMap<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value.as_ref())))
    }
}

/// The unified `tool_input`.
pub(crate) struct UnifiedInput<'c, 'a>(pub(crate) &'c ToolCall<'a>);

impl Serialize for UnifiedInput<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let call = self.0;
        let single_edit = call.is_single_edit();
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &call.input {
            // A host key with a unified name that means something else would shadow ours.
            let shadows = call.renames.iter().any(|(ours, theirs)| ours == key && theirs != key);
            if shadows || (single_edit && SINGLE_EDIT_KEYS.contains(&key.as_ref())) {
                continue;
            }
            map.serialize_entry(call.unified_key(key), value)?;
        }
        if single_edit {
            for action in &call.actions {
                if let Action::Edit { edits, .. } = action {
                    map.serialize_entry("edits", edits)?;
                }
            }
        }
        if call.is_patch() {
            map.serialize_entry("changes", &Changes(&call.actions))?;
        }
        map.end()
    }
}

/// The files of a patch with their operations.
struct Changes<'c, 'a>(&'c [Action<'a>]);

impl Serialize for Changes<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().filter(|action| action.file().is_some()).map(Change))
    }
}

struct Change<'c, 'a>(&'c Action<'a>);

impl Serialize for Change<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(file) = self.0.file() {
            map.serialize_entry("op", file.op.as_str())?;
            map.serialize_entry("file_path", file.path)?;
            if let Some(to) = file.moved_to {
                map.serialize_entry("moved_to", to)?;
            }
        }
        match self.0 {
            Action::Write { content, .. } => map.serialize_entry("content", content)?,
            Action::Edit { edits, .. } => map.serialize_entry("edits", edits)?,
            _ => {}
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Edit;

    fn call<'a>(tool: Tool<'a>, input: &'a Object<'a>) -> ToolCall<'a> {
        let mut call = ToolCall::new(tool);
        call.input = input
            .entries()
            .iter()
            .map(|(key, value)| (key.clone(), Json::Borrowed(value)))
            .collect();
        call
    }

    fn modified(text: &str) -> ModifiedInput {
        ModifiedInput::from_json(text).unwrap()
    }

    #[test]
    fn a_rewrite_keeps_what_it_does_not_mention() {
        let input = Object::parse(r#"{"command":"rm x","cwd":"","timeout":30000}"#).unwrap();
        let call = call(Tool::Bash, &input);
        assert_eq!(
            call.native_input_with(&modified(r#"{"command":"ls"}"#)).unwrap().0,
            r#"{"command":"ls","cwd":"","timeout":30000}"#
        );
        assert_eq!(
            call.native_input_with(&modified(r#"{"timeout":null,"extra":1e400}"#)).unwrap().0,
            r#"{"command":"rm x","cwd":"","extra":1e400}"#
        );
    }

    #[test]
    fn a_rewrite_uses_the_hosts_keys() {
        let input = Object::parse(r#"{"path":"/a","contents":"x"}"#).unwrap();
        let mut call = call(Tool::Write, &input);
        call.renames = vec![("file_path", "path".into()), ("content", "contents".into())];
        assert_eq!(
            call.native_input_with(&modified(r#"{"file_path":"/b"}"#)).unwrap().0,
            r#"{"path":"/b","contents":"x"}"#
        );
        assert_eq!(
            serde_json::to_string(&UnifiedInput(&call)).unwrap(),
            r#"{"file_path":"/a","content":"x"}"#
        );
    }

    #[test]
    fn one_flat_edit_travels_as_a_list_and_comes_back_flat() {
        let text = r#"{"file_path":"/a","old_string":"x","new_string":"y"}"#;
        let input = Object::parse(text).unwrap();
        let mut call = call(Tool::Edit, &input);
        call.actions = vec![Action::Edit {
            path: "/a".into(),
            edits: vec![Edit { old: "x".into(), new: "y".into(), replace_all: false }],
            moved_to: None,
        }];
        assert_eq!(
            serde_json::to_string(&UnifiedInput(&call)).unwrap(),
            r#"{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"}]}"#
        );
        let one = r#"{"edits":[{"old_string":"x","new_string":"z","replace_all":true}]}"#;
        assert_eq!(
            call.native_input_with(&modified(one)).unwrap().0,
            r#"{"file_path":"/a","old_string":"x","new_string":"z","replace_all":true}"#
        );
        let two = r#"{"edits":[{"old_string":"x","new_string":"z"},{"old_string":"p","new_string":"q"}]}"#;
        assert_eq!(call.native_input_with(&modified(two)).unwrap_err(), InputError::ManyEdits);
    }
}
