//! Converts the input of a tool of known class into actions, under every known spelling of its keys.

use std::borrow::Cow;

use serde_json::value::RawValue;
use tenter_model::{Action, Edit, Object, Text, Tool, ToolCall, json};

use crate::codex::patch;
use crate::tools::Class;

const PATH_KEYS: &[&str] = &[
    "file_path",
    "path",
    "target_file",
    "notebook_path",
    "absolute_path",
    "files",
    "paths",
    "file",
    "filename",
    "include",
];
const CONTENT_KEYS: &[&str] = &["content", "contents", "file_text", "code_content"];
const COMMAND_KEYS: &[&str] =
    &["command", "cmd", "commands", "command_line", "shell_command", "script", "argv"];
const CWD_KEYS: &[&str] = &["cwd", "working_directory", "workdir", "dir_path", "directory"];
const PATTERN_KEYS: &[&str] = &["pattern", "query", "glob_pattern"];
const PATCH_KEYS: &[&str] = &["command", "patch", "input"];
const PROMPT_KEYS: &[&str] = &["prompt", "message", "task"];
const AGENT_TYPE_KEYS: &[&str] = &["agent_type", "subagent_type", "agent_name"];
const NEW_KEYS: &[&str] = &["new_string", "new_str", "new_text"];
const OLD_KEYS: &[&str] = &["old_string", "old_str", "old_text"];

/// Whether two names are equal apart from case and word separators.
pub(crate) fn same(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        letters.map(|byte| byte.to_ascii_lowercase())
    }
    one == other || letters(one).eq(letters(other))
}

/// A call with unreadable input. If it names a file that it would change, the file is kept.
pub(crate) fn unreadable<'a>(
    class: Option<Class>,
    name: Cow<'a, str>,
    object: &Object<'a>,
) -> Vec<Action<'a>> {
    let mut actions = vec![Action::Other { name }];
    if matches!(class, Some(Class::Write | Class::Edit | Class::Patch)) {
        let paths = values(object, PATH_KEYS).filter_map(|(_, value)| json::string(value));
        actions.extend(paths.map(|path| Action::Edit { path, edits: Vec::new(), moved_to: None }));
    }
    actions
}

/// Whether a call that changes a file names it and has no unreadable value under the usual keys: deleting a
/// notebook cell has no new text.
pub(crate) fn names_its_file(class: Option<Class>, object: &Object<'_>) -> bool {
    let named = values(object, PATH_KEYS).any(|(_, value)| json::string(value).is_some());
    let held = has_edits(object) || values(object, CONTENT_KEYS).next().is_some();
    match class {
        Some(Class::Write | Class::Edit) => named && !held,
        Some(Class::Patch) => named,
        _ => false,
    }
}

/// All non-null values under any of these spellings, including repeated keys.
fn values<'o, 'a>(
    object: &'o Object<'a>,
    spellings: &'o [&'static str],
) -> impl DoubleEndedIterator<Item = (&'o Cow<'a, str>, &'a RawValue)> {
    let meant = |key: &str| spellings.iter().any(|known| same(known, key));
    let entries = object.entries().iter();
    entries
        .filter(move |(key, value)| !json::is_null(value) && meant(key))
        .map(|(key, value)| (key, *value))
}

/// Reads the actions from the input and records where the host's keys differ from ours. Each value of a
/// repeated or doubly spelled key makes an action, since we cannot know which one the host reads.
pub(crate) fn classify<'a>(
    class: Class,
    object: &Object<'a>,
    call: &mut ToolCall<'a>,
) -> Option<Vec<Action<'a>>> {
    let mut keyed = Keyed { object, call };
    let actions = match class {
        Class::Shell => keyed.commands()?,
        Class::Read => {
            let read = |path| Action::Read { path, content: None };
            keyed.paths()?.into_iter().map(read).collect()
        }
        Class::Delete => keyed.paths()?.into_iter().map(|path| Action::Delete { path }).collect(),
        Class::Write | Class::Edit => keyed.written(class)?,
        Class::Search => {
            let pattern = keyed.text("pattern", PATTERN_KEYS);
            let path = keyed.str("path", &["path", "target_directory", "dir_path"]);
            vec![Action::Search { pattern, path }]
        }
        Class::Fetch if !object.has("url") => {
            let prompt = keyed.text("prompt", PROMPT_KEYS)?;
            urls_in(&prompt.get()).map(|url| Action::Fetch { url: Text::from(url) }).collect()
        }
        Class::Fetch => {
            keyed.text("url", &["url"])?;
            let urls = values(object, &["url"]).map(|(_, value)| Text::of(value));
            urls.map(|url| Some(Action::Fetch { url: url? })).collect::<Option<_>>()?
        }
        Class::Task => {
            let prompt = keyed.text("prompt", PROMPT_KEYS);
            let agent_type = keyed.str("agent_type", AGENT_TYPE_KEYS);
            vec![Action::Task { agent_type, prompt }]
        }
        Class::Patch => {
            keyed.text("patch", PATCH_KEYS)?;
            let mut files = Vec::new();
            for (_, value) in values(object, PATCH_KEYS) {
                files.extend(patch::parse(&Text::of(value)?.get()));
            }
            files
        }
    };
    Some(actions).filter(|actions| !actions.is_empty())
}

/// The addresses in a prompt, for hosts whose fetching tool has no field for them.
fn urls_in(prompt: &str) -> impl Iterator<Item = String> {
    let words = prompt.split(|c: char| c.is_whitespace() || "<>\"'`()[]{}".contains(c));
    words.filter_map(|word| {
        let at = ["https://", "http://"].iter().filter_map(|scheme| word.find(scheme)).min()?;
        Some(word.get(at..)?.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_owned())
    })
}

/// Looks up a field under any of its spellings and remembers the one found.
struct Keyed<'k, 'a> {
    object: &'k Object<'a>,
    call: &'k mut ToolCall<'a>,
}

impl<'a> Keyed<'_, 'a> {
    /// The value most hosts would read: that of our own spelling first, the last if repeated.
    fn field(
        &mut self,
        ours: &'static str,
        spellings: &'static [&'static str],
    ) -> Option<&'a RawValue> {
        let exact = spellings.iter().find(|key| self.object.has(key));
        let (theirs, value) = match exact {
            Some(key) => (Cow::Borrowed(*key), self.object.get(key)?),
            None => {
                let (key, value) = values(self.object, spellings).next_back()?;
                (key.clone(), value)
            }
        };
        if theirs != ours {
            self.call.renames.push((ours, theirs));
        }
        Some(value)
    }

    fn text(&mut self, ours: &'static str, spellings: &'static [&'static str]) -> Option<Text<'a>> {
        Text::of(self.field(ours, spellings)?)
    }

    fn str(
        &mut self,
        ours: &'static str,
        spellings: &'static [&'static str],
    ) -> Option<Cow<'a, str>> {
        self.text(ours, spellings).map(Text::into_cow)
    }

    /// All values of a field, the most likely one first.
    fn all<'o>(
        &self,
        first: &'a RawValue,
        spellings: &'o [&'static str],
    ) -> Vec<(&'o str, &'a RawValue)>
    where
        Self: 'o,
    {
        let mut all: Vec<(&'o str, &'a RawValue)> = Vec::with_capacity(1);
        for (key, value) in values(self.object, spellings) {
            let known = spellings.iter().find(|known| same(known, key)).unwrap_or(&"");
            let at = if std::ptr::eq(value, first) { 0 } else { all.len() };
            all.insert(at, (known, value));
        }
        all
    }

    /// The commands of a shell tool: one text, an argument list, or a list of texts.
    fn commands(&mut self) -> Option<Vec<Action<'a>>> {
        let first = self.field("command", COMMAND_KEYS)?;
        let cwd = self.str("cwd", CWD_KEYS).filter(|cwd| !cwd.is_empty());
        let mut commands = Vec::new();
        for (key, value) in self.all(first, COMMAND_KEYS) {
            match (Text::of(value), json::array(value)) {
                (Some(text), _) => commands.push(text),
                (None, Some(list)) if same("commands", key) => {
                    for item in list {
                        commands.push(Text::of(item)?);
                    }
                }
                (None, Some(words)) => commands.push(Text::from(argv(&words)?)),
                (None, None) => return None,
            }
        }
        let shell = |command| Action::Shell { command, cwd: cwd.clone() };
        Some(commands.into_iter().map(shell).collect())
    }

    fn paths(&mut self) -> Option<Vec<Cow<'a, str>>> {
        let first = self.field("file_path", PATH_KEYS)?;
        let mut paths = Vec::new();
        for (_, value) in self.all(first, PATH_KEYS) {
            match json::array(value) {
                Some(list) => {
                    for item in list {
                        let inner = || Object::parse(item.get()).ok()?.str("path");
                        paths.push(json::string(item).or_else(inner)?);
                    }
                }
                None => paths.push(json::string(value)?),
            }
        }
        Some(paths)
    }

    /// The action of a tool that writes files. Cursor calls all of them Write, so the keys present decide,
    /// whole content first.
    /// decides, whole content first.
    fn written(&mut self, class: Class) -> Option<Vec<Action<'a>>> {
        let paths = self.paths()?;
        let whole =
            matches!(class, Class::Write) && values(self.object, CONTENT_KEYS).next().is_some();
        if !whole && has_edits(self.object) {
            self.call.tool = Tool::Edit;
            let edits = edits(self.object)?;
            let edit = |path| Action::Edit { path, edits: edits.clone(), moved_to: None };
            return Some(paths.into_iter().map(edit).collect());
        }
        self.text("content", CONTENT_KEYS)?;
        self.call.tool = Tool::Write;
        let contents: Option<Vec<Text<'a>>> =
            values(self.object, CONTENT_KEYS).map(|(_, value)| Text::of(value)).collect();
        let contents = contents?;
        let (path, last) = (paths.first()?.clone(), contents.last()?.clone());
        let mut actions: Vec<Action<'a>> = Vec::new();
        for path in paths {
            actions.push(Action::Write { path, content: last.clone() });
        }
        for content in contents.into_iter().rev().skip(1) {
            actions.push(Action::Write { path: path.clone(), content });
        }
        Some(actions)
    }
}

/// Quotes the arguments of a program call for a shell. A single word stays a command line.
fn argv(words: &[&RawValue]) -> Option<String> {
    let words: Vec<Cow<'_, str>> =
        words.iter().map(|word| json::string(word)).collect::<Option<_>>()?;
    if let [line] = words.as_slice() {
        return Some(line.clone().into_owned());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    let quoted = |word: &Cow<'_, str>| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone().into_owned()
        } else if word.contains('\'') && !word.contains(['"', '$', '`', '\\']) {
            // Inner quotes are kept: a secret between them is found by them.
            format!("\"{word}\"")
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words: Vec<String> = words.iter().map(quoted).collect();
    Some(words.join(" "))
}

fn has_edits(object: &Object<'_>) -> bool {
    object.has("edits") || object.has("new_source") || values(object, NEW_KEYS).next().is_some()
}

/// The replacements of an edit: a list, one flat pair, or a notebook cell. `None` if one of them is
/// unreadable: a partial edit must not pass for the whole.
pub(crate) fn edits<'a>(object: &Object<'a>) -> Option<Vec<Edit<'a>>> {
    let mut edits = Vec::new();
    for (_, list) in values(object, &["edits"]) {
        for item in json::array(list)? {
            edits.append(&mut edit(&Object::parse(item.get()).ok()?)?);
        }
    }
    if values(object, &["edits"]).next().is_some() {
        return Some(edits);
    }
    if values(object, NEW_KEYS).next().is_some() {
        return edit(object);
    }
    for (_, new) in values(object, &["new_source"]) {
        edits.push(Edit { old: Text::from(""), new: Text::of(new)?, replace_all: false });
    }
    Some(edits).filter(|edits| !edits.is_empty())
}

/// One replacement; several if its new text is given more than once.
fn edit<'a>(object: &Object<'a>) -> Option<Vec<Edit<'a>>> {
    let old = values(object, OLD_KEYS).next_back().and_then(|(_, value)| Text::of(value));
    let old = old.unwrap_or(Text::from(""));
    let replace_all = object.bool("replace_all").unwrap_or(false);
    let edit = |(_, new)| Some(Edit { old: old.clone(), new: Text::of(new)?, replace_all });
    let edits: Vec<_> = values(object, NEW_KEYS).map(edit).collect::<Option<_>>()?;
    Some(edits).filter(|edits| !edits.is_empty())
}
