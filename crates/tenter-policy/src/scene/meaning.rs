//! What a tool does that the hosts have no name for: an MCP server's shell, interpreter, database or
//! file tool. Its own name and the names of its fields say it; where they do not say it clearly,
//! nothing is read into them.

use std::borrow::Cow;

use tenter_model::json::{self, RawValue};
use tenter_model::{Action, Object, ToolCall};
use tenter_shell::syntax::Dialect;
use tenter_shell::{Kind, Language};

/// One thing that a call would do.
#[derive(Debug)]
pub(super) enum Meaning<'s> {
    Code { text: Cow<'s, str>, language: Option<Language>, cwd: Option<Cow<'s, str>> },
    File { kind: Kind, action: &'static str, path: Cow<'s, str>, recursive: bool },
    Written { path: Cow<'s, str>, content: Cow<'s, str> },
    Fetch { url: Cow<'s, str> },
}

const CWD: &[&str] =
    &["cwd", "workdir", "working_directory", "workingDirectory", "working_dir", "workingDir"];
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "command_line",
    "commandLine",
    "cmdline",
    "shell_command",
    "shellCommand",
    "bash_command",
    "argv",
    "script",
];
const CODES: &[&str] = &["code", "source", "source_code", "snippet", "code_snippet", "cell"];
const TYPED: &[&str] = &["input", "text", "keys", "data"];
const QUERIES: &[&str] = &["sql", "sql_query", "query", "statement", "queries", "statements"];
const LANGUAGES: &[&str] = &["language", "lang", "runtime", "interpreter", "shell", "kernel"];
const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "filepath",
    "filename",
    "file",
    "target_file",
    "absolute_path",
    "directory",
    "dir",
    "folder",
    "paths",
    "files",
];
const FROM: &[&str] =
    &["source", "src", "from", "old_path", "oldPath", "source_path", "sourcePath", "path"];
const TO: &[&str] = &[
    "destination",
    "dest",
    "dst",
    "to",
    "new_path",
    "newPath",
    "destination_path",
    "destinationPath",
    "target",
    "target_path",
];
const CONTENTS: &[&str] = &["content", "contents", "file_text", "text", "data", "body"];
/// Who names one of these means a file in a repository, a bucket or another machine, not one here.
const FAR: &[&str] = &[
    "owner",
    "repo",
    "repository",
    "repo_id",
    "project_id",
    "projectId",
    "bucket",
    "branch",
    "file_id",
    "fileId",
    "container",
    "pod",
    "host",
    "sandbox_id",
    "sandboxId",
    "drive_id",
    "page_id",
];

const RUN: &[&str] = &[
    "execute",
    "exec",
    "executes",
    "run",
    "runs",
    "running",
    "shell",
    "bash",
    "sh",
    "zsh",
    "terminal",
    "tty",
    "console",
    "cmd",
    "command",
    "commands",
    "commander",
    "powershell",
    "pwsh",
    "process",
    "eval",
    "spawn",
    "invoke",
    "ssh",
    "system",
    "subprocess",
    "cli",
    "tmux",
    "iterm",
];
const RUN_CODE: &[&str] = &[
    "execute",
    "exec",
    "run",
    "eval",
    "evaluate",
    "interpret",
    "interpreter",
    "code",
    "python",
    "node",
    "javascript",
    "js",
    "repl",
    "sandbox",
    "notebook",
    "jupyter",
    "applescript",
    "osascript",
    "ruby",
    "perl",
    "php",
    "powershell",
];
const TERMINAL: &[&str] =
    &["terminal", "shell", "process", "console", "tty", "tmux", "iterm", "bash", "pty"];
const TYPE: &[&str] = &["send", "write", "interact", "type", "input", "paste"];
const DATABASE: &[&str] = &[
    "sql",
    "postgres",
    "postgresql",
    "pg",
    "mysql",
    "mariadb",
    "sqlite",
    "mssql",
    "sqlserver",
    "database",
    "db",
    "supabase",
    "neon",
    "snowflake",
    "bigquery",
    "clickhouse",
    "redshift",
    "duckdb",
    "cockroachdb",
    "planetscale",
    "turso",
    "d1",
];
/// Programs that tools are named after: `kubectl` is given the words that follow `kubectl`.
const PROGRAMS: &[(&str, &str)] = &[
    ("kubectl", "kubectl"),
    ("helm", "helm"),
    ("terraform", "terraform"),
    ("tofu", "tofu"),
    ("docker", "docker"),
    ("aws", "aws"),
    ("gcloud", "gcloud"),
    ("az", "az"),
    ("gh", "gh"),
    ("git", "git"),
];
const READ: &[&str] = &["read", "get", "view", "open", "cat", "show", "load", "head", "tail"];
const NO_CONTENT: &[&str] =
    &["info", "metadata", "list", "search", "tree", "stat", "exists", "hash", "size", "watch"];
const WRITE: &[&str] = &[
    "write",
    "create",
    "save",
    "edit",
    "append",
    "update",
    "overwrite",
    "put",
    "patch",
    "replace",
    "insert",
    "modify",
];
const DELETE: &[&str] = &["delete", "remove", "unlink", "rm", "erase"];
const FILE: &[&str] = &["file", "files", "fs", "filesystem"];
const FOLDER: &[&str] = &["directory", "dir", "folder", "directories", "folders"];
const FETCH: &[&str] = &["fetch", "scrape", "crawl", "navigate", "goto", "browse", "download"];

/// What the call of a tool without a name of its own means, as far as that is clear.
pub(super) fn meanings<'s>(call: &'s ToolCall<'s>) -> Vec<Meaning<'s>> {
    let names = call.actions.iter().find_map(|action| match action {
        Action::Mcp(mcp) => Some((words(&mcp.tool), words(mcp.server.as_deref().unwrap_or("")))),
        Action::Other { name } => Some((words(name), Vec::new())),
        _ => None,
    });
    let Some((tool, server)) = names else { return Vec::new() };
    let call = Named { tool, server, fields: fields(call) };
    let mut meanings = call.code();
    if meanings.is_empty() && !FAR.iter().any(|key| call.field(&[key]).is_some()) {
        meanings = call.files();
    }
    if meanings.is_empty() && call.has(FETCH) {
        meanings.extend(call.text(&["url", "uri"]).map(|url| Meaning::Fetch { url }));
    }
    meanings
}

/// The fields of the input, and those of an object inside it: some servers wrap their arguments.
fn fields<'s>(call: &'s ToolCall<'s>) -> Vec<(Cow<'s, str>, &'s RawValue)> {
    let mut fields: Vec<_> =
        call.input.iter().map(|(key, value)| (Cow::Borrowed(key.as_ref()), value.raw())).collect();
    for (_, value) in &call.input {
        if let Ok(inner) = Object::parse(value.raw().get()) {
            fields.extend(inner.entries().iter().cloned());
        }
    }
    fields
}

struct Named<'s> {
    tool: Vec<String>,
    server: Vec<String>,
    fields: Vec<(Cow<'s, str>, &'s RawValue)>,
}

impl<'s> Named<'s> {
    fn has(&self, list: &[&str]) -> bool {
        self.tool.iter().any(|word| list.contains(&word.as_str()))
    }

    /// Whether the tool or its server is called so.
    fn is_about(&self, list: &[&str]) -> bool {
        self.has(list) || self.server.iter().any(|word| list.contains(&word.as_str()))
    }

    fn field(&self, keys: &[&str]) -> Option<(&str, &'s RawValue)> {
        keys.iter().find_map(|key| {
            let (name, value) = self.fields.iter().find(|(name, _)| name == key)?;
            (!json::is_null(value)).then_some((name.as_ref(), *value))
        })
    }

    fn text(&self, keys: &[&str]) -> Option<Cow<'s, str>> {
        keys.iter()
            .find_map(|key| json::string(self.field(&[key])?.1))
            .filter(|text| !text.is_empty())
    }

    /// A command, a piece of code or a query.
    fn code(&self) -> Vec<Meaning<'s>> {
        let cwd = || self.text(CWD);
        let slash = self.has(&["slash"]);
        if let Some(text) = self.program_call().or_else(|| self.store_call()) {
            return vec![Meaning::Code { text, language: None, cwd: cwd() }];
        }
        if self.is_about(RUN)
            && !slash
            && let Some((key, value)) = self.field(COMMANDS)
            && let Some(text) = self.command_text(key, value)
        {
            let language = self.said_language().or_else(|| self.named_language(key == "script"));
            return vec![Meaning::Code { text, language, cwd: cwd() }];
        }
        if self.is_about(RUN_CODE)
            && let Some(text) = self.text(CODES)
        {
            let known = self.said_language().or_else(|| self.named_language(true));
            let languages = match known {
                Some(language) => vec![language],
                // Nobody says which: these two are what such tools run.
                None => vec![Language::JavaScript, Language::Python],
            };
            let code = |language| Meaning::Code {
                text: text.clone(),
                language: Some(language),
                cwd: cwd(),
            };
            return languages.into_iter().map(code).collect();
        }
        if self.has(TYPE)
            && self.is_about(TERMINAL)
            && let Some(text) = self.text(TYPED)
        {
            return vec![Meaning::Code { text, language: None, cwd: cwd() }];
        }
        if let Some((key, value)) = self.field(QUERIES)
            && (key.starts_with("sql") || self.is_about(DATABASE))
            && let Some(text) = lines(value, ";\n")
        {
            return vec![Meaning::Code { text, language: Some(Language::Sql), cwd: None }];
        }
        Vec::new()
    }

    /// What a tool that is named after a program is given, as a command line of that program.
    fn program_call(&self) -> Option<Cow<'s, str>> {
        let named = |(name, _): &&(&str, &str)| self.has(&[name]);
        let (_, program) = PROGRAMS.iter().find(named).filter(|_| !self.has(&["exec"]))?;
        let (key, value) =
            self.field(COMMANDS).or_else(|| self.field(&["args", "arguments", "subcommand"]))?;
        let text = self.command_text(key, value)?;
        let whole = text.split_ascii_whitespace().next() == Some(*program);
        // A tool that runs other things too has a whole command line in its field.
        let part = !whole && text.starts_with(|first: char| first.is_ascii_lowercase());
        match (whole, part && !self.has(&["bash", "shell", "sh", "terminal"])) {
            (true, _) => Some(text),
            (false, true) => Some(Cow::Owned(format!("{program} {text}"))),
            (false, false) => None,
        }
    }

    /// A command for a store of keys, or code for one of documents, as their own clients take it.
    fn store_call(&self) -> Option<Cow<'s, str>> {
        const ASKED: &[&str] = &["command", "cmd", "query", "code", "script", "expression"];
        let text = self.text(ASKED)?;
        if self.is_about(&["redis", "valkey"]) && !text.starts_with("redis-cli") {
            return Some(Cow::Owned(format!("redis-cli {text}")));
        }
        let documents = self.is_about(&["mongo", "mongodb", "mongosh"]) && text.starts_with("db.");
        documents.then(|| Cow::Owned(format!("mongosh --eval {}", quoted(&text))))
    }

    fn command_text(&self, key: &str, value: &'s RawValue) -> Option<Cow<'s, str>> {
        if key == "commands" {
            return lines(value, "\n");
        }
        let command = match json::array(value) {
            Some(words) => Cow::Owned(argv(&words)?),
            None => json::string(value)?,
        };
        // `command` is the program alone where its arguments have a field of their own.
        let arguments = self.field(&["args", "arguments"]).and_then(|(_, value)| {
            json::array(value)
                .and_then(|words| argv(&words))
                .or_else(|| Some(json::string(value)?.into()))
        });
        let text = match arguments.filter(|arguments| !arguments.is_empty()) {
            Some(arguments) => Cow::Owned(format!("{command} {arguments}")),
            None => command,
        };
        Some(text).filter(|text| !text.trim().is_empty())
    }

    fn said_language(&self) -> Option<Language> {
        language(&self.text(LANGUAGES)?)
    }

    /// The language that the tool or its server is named after. `run_cmd` is no word about cmd.exe, and
    /// a `node` that runs a command is no interpreter.
    fn named_language(&self, is_code: bool) -> Option<Language> {
        let named = self.tool.iter().chain(&self.server).find_map(|word| language(word))?;
        let fits = match named {
            Language::PowerShell => true,
            Language::Cmd => false,
            _ => is_code,
        };
        fits.then_some(named)
    }

    fn files(&self) -> Vec<Meaning<'s>> {
        let of_folder = self.has(FOLDER);
        let about_files = self.is_about(FILE) || of_folder;
        let (from, to) = (|| self.text(FROM), || self.text(TO));
        let file = |kind, action, path| Meaning::File { kind, action, path, recursive: of_folder };
        let mut meanings = Vec::new();
        if !about_files {
            return meanings;
        }
        if self.has(&["move", "rename"]) {
            if let (Some(from), Some(to)) = (from(), to()) {
                meanings.push(file(Kind::Move, "mcp-tool", from));
                meanings.push(file(Kind::Write, "mcp-tool", to));
            }
        } else if self.has(&["copy"]) {
            if let (Some(from), Some(to)) = (from(), to()) {
                meanings.push(file(Kind::Read, "mcp-tool", from));
                meanings.push(file(Kind::Write, "mcp-tool", to));
            }
        } else if self.has(DELETE) {
            let all = self.field(&["recursive"]).is_some_and(|(_, value)| value.get() == "true");
            meanings.extend(self.paths().into_iter().map(|path| Meaning::File {
                kind: Kind::Delete,
                action: "mcp-tool",
                path,
                recursive: of_folder || all,
            }));
        } else if self.has(WRITE) && !of_folder {
            for path in self.paths() {
                if let Some(content) = self.text(CONTENTS) {
                    meanings.push(Meaning::Written { path: path.clone(), content });
                }
                meanings.push(file(Kind::Write, "mcp-tool", path));
            }
        } else if self.has(READ) && !of_folder && !self.has(NO_CONTENT) {
            let read = |path| file(Kind::Read, "mcp-tool", path);
            meanings.extend(self.paths().into_iter().map(read));
        }
        meanings
    }

    fn paths(&self) -> Vec<Cow<'s, str>> {
        let Some((_, value)) = self.field(PATHS) else { return Vec::new() };
        let paths = match json::array(value) {
            Some(list) => list.into_iter().filter_map(json::string).collect(),
            None => Vec::from_iter(json::string(value)),
        };
        let of_url = |path: Cow<'s, str>| match path.strip_prefix("file://") {
            Some(path) => Cow::Owned(path.to_owned()),
            None => path,
        };
        let is_path = |path: &Cow<'s, str>| !path.is_empty() && !path.contains('\n');
        paths.into_iter().filter(is_path).map(of_url).collect()
    }
}

/// A text, or each of a list of texts on its own.
fn lines<'s>(value: &'s RawValue, between: &str) -> Option<Cow<'s, str>> {
    let Some(list) = json::array(value) else { return json::string(value) };
    let lines: Vec<_> = list.into_iter().filter_map(json::string).collect();
    (!lines.is_empty()).then(|| lines.join(between).into())
}

/// The words of a program call as a shell would have to be given them. A single word with blanks in it
/// is a command line in brackets.
fn argv(words: &[&RawValue]) -> Option<String> {
    let words: Vec<Cow<'_, str>> =
        words.iter().map(|word| json::string(word)).collect::<Option<_>>()?;
    if let [line] = words.as_slice() {
        return Some(line.clone().into_owned());
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    Some(words.join(" "))
}

/// A word that a shell reads as itself.
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

/// `delete_all_files`, `delete-all-files` and `deleteAllFiles` as words.
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
