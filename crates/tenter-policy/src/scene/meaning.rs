//! Interprets calls of unknown tools: a host's new tool, an MCP server's shell, interpreter, database or file
//! tool. The keys of the input, at any depth, tell what is a command, code, a file or a URL, and the names of
//! tool and server tell what happens to it. If they do not, the most severe likely interpretation counts.

use std::borrow::Cow;

use tenter_model::json::RawValue;
use tenter_model::leaves::{Leaf, Leaves};
use tenter_model::{Action, ToolCall};
use tenter_shell::syntax::Dialect;
use tenter_shell::{Kind, Language};

use keys::Role;
use vocabulary::{
    BROWSER, DATABASE, DELETE, FILE, FOLDER, LOOK, NO_CONTENT, PROGRAMS, READ, RUN, RUN_CODE,
    STAGE, TERMINAL, TYPE, VERBS, WRITE,
};

mod cells;
mod files;
mod guesses;
mod keys;
mod vocabulary;

/// One thing that a call would do.
#[derive(Debug)]
pub(super) enum Meaning<'s> {
    Code {
        text: Cow<'s, str>,
        language: Option<Language>,
        cwd: Option<Cow<'s, str>>,
        /// Whether running code is the tool's purpose. If not, unverifiable code is no finding.
        sure: bool,
    },
    File {
        kind: Kind,
        path: Cow<'s, str>,
        recursive: bool,
        /// Only the key suggests that it is a local file.
        guess: bool,
    },
    Written {
        path: Cow<'s, str>,
        content: Cow<'s, str>,
    },
    Fetch {
        url: Cow<'s, str>,
    },
    /// A text that only by its content may be a command.
    Guess {
        text: String,
        language: Language,
    },
}

/// Result of interpreting a call.
#[derive(Debug, Default)]
pub(super) struct Carried<'s> {
    pub meanings: Vec<Meaning<'s>>,
    /// Whether some of the input is nested too deep.
    pub cut: bool,
    /// Whether the input has too many values.
    pub too_many: bool,
}

/// Interprets a call of an unknown tool.
pub(super) fn meanings<'s>(call: &'s ToolCall<'s>, home: Option<&str>) -> Carried<'s> {
    let names = call.actions.iter().find_map(|action| match action {
        Action::Mcp(mcp) => {
            Some((mcp.tool.as_ref(), words(mcp.server.as_deref().unwrap_or("")), false))
        }
        Action::Other { name } => Some((name.as_ref(), Vec::new(), true)),
        _ => None,
    });
    let Some((name, server, own)) = names else { return Carried::default() };
    if own && vocabulary::is_prose(name) {
        return Carried::default();
    }
    let Fields { list: mut fields, cut, too_many } = fields(call);
    fields.sort_by_key(|field| field.object);
    let tool =
        Named { tool: words(name), server, own, shell: call.tool == tenter_model::Tool::Bash };
    let mut carried = Carried { meanings: Vec::new(), cut, too_many };
    let top = fields.iter().take_while(|field| field.object == 0).count();
    let top = fields.get(..top).unwrap_or_default();
    for group in fields.chunk_by(|one, other| one.object == other.object) {
        let group = Group { tool: &tool, fields: group, top };
        carried.meanings.extend(group.code());
        carried.meanings.extend(group.files(home));
        let urls = group.texts(Role::URL).filter(|url| !url.starts_with("file:"));
        carried.meanings.extend(urls.map(|url| Meaning::Fetch { url: url.clone() }));
    }
    carried.meanings.extend(guesses::guesses(call, &tool));
    carried
}

/// One value with a meaningful key.
#[derive(Debug)]
struct Field<'s> {
    role: Role,
    /// The key as spelled.
    key: Cow<'s, str>,
    text: Cow<'s, str>,
    object: u32,
    list: u32,
}

/// Maximum number of fields examined per input.
const MOST_FIELDS: usize = 4096;

/// Maximum nesting of JSON inside strings: servers that wrap their arguments do it once.
const MAX_PACKED: usize = 4;

/// The fields of an input, and whether they are complete.
struct Fields<'s> {
    list: Vec<Field<'s>>,
    cut: bool,
    too_many: bool,
}

/// The values under meaningful keys, at any depth.
fn fields<'s>(call: &'s ToolCall<'s>) -> Fields<'s> {
    let mut leaves = Leaves::new();
    for (key, value) in call.input.iter().chain(&call.shadowed) {
        leaves.add(key, value.raw());
    }
    let (mut cut, mut too_many) = (leaves.cut, leaves.too_many);
    let mut fields: Vec<Field<'s>> = leaves.list.iter().filter_map(field).collect();
    drop(leaves);
    let mut opened = 0;
    let mut at = 0;
    while let Some(packed) = fields.get(at) {
        at += 1;
        let text = packed.text.trim_start();
        if !packed.role.is(Role::PACKED) || !text.starts_with(['{', '[']) || opened == MAX_PACKED {
            continue;
        }
        let Ok(document) = RawValue::from_string(text.trim_end().to_owned()) else { continue };
        opened += 1;
        // Object numbers that the input itself does not use.
        let base = u32::try_from(opened).unwrap_or(u32::MAX).saturating_mul(1 << 28);
        let key = packed.key.clone();
        let mut inner = Leaves::new();
        inner.add(&key, &document);
        cut |= inner.cut;
        too_many |= inner.too_many;
        let owned = |field: Field<'_>| Field {
            role: field.role,
            key: Cow::Owned(field.key.into_owned()),
            text: Cow::Owned(field.text.into_owned()),
            object: field.object.saturating_add(base),
            list: if field.list == 0 { 0 } else { field.list.saturating_add(base) },
        };
        let more: Vec<Field<'s>> = inner.list.iter().filter_map(field).map(owned).collect();
        fields.extend(more);
    }
    // Fields are compared with each other.
    too_many |= fields.len() > MOST_FIELDS;
    fields.truncate(MOST_FIELDS);
    Fields { list: fields, cut, too_many }
}

/// A leaf whose key, or its parent's key, is meaningful.
fn field<'a>(leaf: &Leaf<'a>) -> Option<Field<'a>> {
    let key = leaf.key();
    let mut role = keys::role(&key);
    let beside = Role::CWD.or(Role::LANGUAGE).or(Role::ARGUMENTS).or(Role::PATH);
    if !role.is(beside) && keys::role(&leaf.holder()).is(Role::COMMAND) {
        role = role.or(Role::COMMAND);
    }
    if role.is_none() {
        return None;
    }
    let text = match leaf.text() {
        Some(text) => text,
        None if role.is(Role::RECURSIVE) => Cow::Borrowed(leaf.raw),
        None => return None,
    };
    let (object, list) = (leaf.object, leaf.list);
    Some(Field { role, key, text, object, list }).filter(|field| !field.text.trim().is_empty())
}

/// A tool by the words in its and its server's name.
struct Named {
    tool: Vec<String>,
    server: Vec<String>,
    /// The host's own, not an MCP server's.
    own: bool,
    /// Known to be a shell.
    shell: bool,
}

impl Named {
    fn has(&self, list: &[&str]) -> bool {
        self.tool.iter().any(|word| list.contains(&word.as_str()))
    }

    /// Whether the tool or its server has one of these words.
    fn is_about(&self, list: &[&str]) -> bool {
        self.has(list) || self.server.iter().any(|word| list.contains(&word.as_str()))
    }
}

/// The values of one object.
struct Group<'g, 's> {
    tool: &'g Named,
    fields: &'g [Field<'s>],
    /// Top-level values: a folder or language given there also applies inside.
    top: &'g [Field<'s>],
}

impl<'g, 's> Group<'g, 's> {
    fn of(&self, role: Role) -> impl Iterator<Item = &'g Field<'s>> {
        self.fields.iter().filter(move |field| field.role.is(role))
    }

    fn texts(&self, role: Role) -> impl Iterator<Item = &'g Cow<'s, str>> {
        self.of(role).map(|field| &field.text)
    }

    fn has(&self, role: Role) -> bool {
        self.of(role).next().is_some()
    }

    /// A text of the group, or else of the top level.
    fn said(&self, role: Role) -> Option<&'g Cow<'s, str>> {
        let wanted = |field: &&Field<'s>| field.role.is(role);
        let field = self.fields.iter().find(wanted).or_else(|| self.top.iter().find(wanted))?;
        Some(&field.text)
    }

    /// Commands, code and queries.
    fn code(&self) -> Vec<Meaning<'s>> {
        let tool = self.tool;
        let mut found = Vec::new();
        if let Some(text) = self.program_call().or_else(|| self.store_call()) {
            return vec![self.meaning(text, None, true)];
        }
        let runs = tool.is_about(RUN) || tool.own;
        for (field, text) in self.commands() {
            if field.role.is(Role::SCRIPT) && !runs && tool.is_about(STAGE) {
                continue;
            }
            let named = || self.named_language(field.role.is(Role::SCRIPT));
            let language = self.said_language().or_else(named);
            found.push(self.meaning(text, language, runs));
        }
        for field in self.of(Role::CODE) {
            self.piece(field, &mut found);
        }
        if tool.has(TYPE) && tool.is_about(TERMINAL) {
            found
                .extend(self.texts(Role::TYPED).map(|text| self.meaning(text.clone(), None, true)));
        }
        if tool.is_about(DATABASE) || self.of(Role::QUERY).any(|field| field.key.contains("sql")) {
            let sql = |text: &Cow<'s, str>| self.meaning(text.clone(), Some(Language::Sql), true);
            found.extend(self.texts(Role::QUERY).map(sql));
        }
        found
    }

    fn meaning(&self, text: Cow<'s, str>, language: Option<Language>, sure: bool) -> Meaning<'s> {
        Meaning::Code { text, language, cwd: self.said(Role::CWD).cloned(), sure }
    }

    /// The commands of the group with their fields: a text, an argument list, or a list of lines.
    fn commands(&self) -> Vec<(&'g Field<'s>, Cow<'s, str>)> {
        let mut commands: Vec<(&'g Field<'s>, Cow<'s, str>)> = Vec::new();
        let fields: Vec<&'g Field<'s>> = self.of(Role::COMMAND).collect();
        for list in fields.chunk_by(|one, other| one.list == other.list && one.list != 0) {
            let Some(first) = list.first() else { continue };
            let plain = keys::Plain::of(&first.key);
            let lines = matches!(plain.as_ref().map(keys::Plain::get), Some("commands" | "cmds"));
            let text = match list {
                [one] => one.text.clone(),
                many if lines => {
                    let lines: Vec<&str> = many.iter().map(|field| field.text.as_ref()).collect();
                    Cow::Owned(lines.join("\n"))
                }
                many => {
                    let words: Vec<String> = many.iter().map(|field| quoted(&field.text)).collect();
                    Cow::Owned(words.join(" "))
                }
            };
            // A tool with subcommands: `command` is the operation on the file.
            let verb = VERBS.contains(&text.as_ref()) && self.has(Role::PATH);
            if !verb {
                commands.push((first, self.with_arguments(text, lines)));
            }
        }
        commands
    }

    /// Appends the arguments if `command` is the program only.
    fn with_arguments(&self, command: Cow<'s, str>, lines: bool) -> Cow<'s, str> {
        let arguments: Vec<&Field<'s>> = self.of(Role::ARGUMENTS).collect();
        let words: Vec<String> = match arguments.as_slice() {
            [] => return command,
            _ if lines => return command,
            [line] if line.list == 0 => vec![line.text.clone().into_owned()],
            words => words.iter().map(|word| quoted(&word.text)).collect(),
        };
        Cow::Owned(format!("{command} {}", words.join(" ")))
    }

    /// A piece of code, in the stated or likely language.
    fn piece(&self, field: &Field<'s>, found: &mut Vec<Meaning<'s>>) {
        let text = &field.text;
        let tool = self.tool;
        let sure = tool.is_about(RUN_CODE) || tool.own;
        // A postcode, a path, a word.
        let is_code = text.contains(['(', '\n', '=', ';', '!', '%']);
        if !is_code && !sure {
            return;
        }
        let named = || self.named_language(true);
        let browser = || tool.is_about(BROWSER).then_some(Language::JavaScript);
        let known = self.said_language().or_else(named).or_else(browser);
        if matches!(known, None | Some(Language::Python))
            && let Some(cell) = cells::read(text)
        {
            for (code, language) in cell.others {
                found.push(self.meaning(code.into(), Some(language), sure));
            }
            for (path, content) in cell.written {
                let path: Cow<'s, str> = path.into();
                found.push(Meaning::Written { path: path.clone(), content: content.into() });
                let (recursive, guess) = (false, false);
                found.push(Meaning::File { kind: Kind::Write, path, recursive, guess });
            }
            found.push(self.meaning(cell.python.into(), Some(Language::Python), sure));
            return;
        }
        let languages = match known {
            Some(language) => vec![language],
            // Unknown language: try the two most common.
            None => vec![Language::JavaScript, Language::Python],
        };
        for language in languages {
            found.push(self.meaning(text.clone(), Some(language), sure));
        }
    }

    /// The input of a tool named after a program, as a command line.
    fn program_call(&self) -> Option<Cow<'s, str>> {
        let named = |(name, _): &&(&str, &str)| self.tool.has(&[name]);
        let (_, program) = PROGRAMS.iter().find(named).filter(|_| !self.tool.has(&["exec"]))?;
        let text = match self.commands().into_iter().next() {
            Some((_, text)) => text,
            None => self.with_arguments(Cow::Borrowed(""), false),
        };
        let text = text.trim();
        let whole = text.split_ascii_whitespace().next() == Some(*program);
        // A tool that runs other programs too has a complete command line in its field.
        let part = !whole && text.starts_with(|first: char| first.is_ascii_lowercase());
        match (whole, part && !self.tool.has(&["bash", "shell", "sh", "terminal"])) {
            (true, _) => Some(Cow::Owned(text.to_owned())),
            (false, true) => Some(Cow::Owned(format!("{program} {text}"))),
            (false, false) => None,
        }
    }

    /// A command for a key-value store, or code for a document store, in their clients' syntax.
    fn store_call(&self) -> Option<Cow<'s, str>> {
        let asked = Role::COMMAND.or(Role::QUERY).or(Role::CODE);
        let keys = self.tool.is_about(&["redis", "valkey"]);
        let documents = self.tool.is_about(&["mongo", "mongodb", "mongosh"]);
        let text = self.texts(asked).next().filter(|_| keys || documents)?;
        if keys && !text.starts_with("redis-cli") {
            return Some(Cow::Owned(format!("redis-cli {text}")));
        }
        let documents = documents && text.starts_with("db.");
        documents.then(|| Cow::Owned(format!("mongosh --eval {}", quoted(text))))
    }

    fn said_language(&self) -> Option<Language> {
        language(self.said(Role::LANGUAGE)?)
    }

    /// The language in the name of the tool or its server. `run_cmd` does not mean cmd.exe, and a `node` that
    /// runs a command is no interpreter.
    fn named_language(&self, is_code: bool) -> Option<Language> {
        let mut words = self.tool.tool.iter().chain(&self.tool.server);
        let named = words.find_map(|word| language(word))?;
        let fits = match named {
            Language::PowerShell => true,
            Language::Cmd => false,
            _ => is_code && !self.tool.shell,
        };
        fits.then_some(named)
    }
}

/// Quotes a word for a shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn language(name: &str) -> Option<Language> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match name {
        "python" | "py" | "ipython" | "jupyter" => Language::Python,
        "javascript" | "js" | "node" | "nodejs" | "typescript" | "ts" | "deno" | "bun" => {
            Language::JavaScript
        }
        "ruby" | "rb" => Language::Ruby,
        "perl" => Language::Perl,
        "php" => Language::Php,
        "lua" => Language::Lua,
        "bash" | "sh" | "zsh" | "shell" => Language::Shell(Dialect::default()),
        "powershell" | "pwsh" | "powershell.exe" | "ps" => Language::PowerShell,
        "cmd" | "cmd.exe" | "batch" | "bat" => Language::Cmd,
        "applescript" | "osascript" => Language::AppleScript,
        "sql" => Language::Sql,
        _ => return None,
    })
}

/// The words of `delete_all_files`, `delete-all-files` and `deleteAllFiles`.
pub(crate) fn words(tool: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in tool.chars() {
        let starts = letter.is_uppercase() && before.is_lowercase();
        if starts || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests;
