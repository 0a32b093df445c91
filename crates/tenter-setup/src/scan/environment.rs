//! Scans environment variables that redirect an agent, load code, or disable protection.

use super::item::{File, Item, ScanResult};
use super::kinds::{Kind, Severity};
use super::tree::{Node, Value};

/// Variables with the server that an agent talks to.
const SERVERS: &[&str] = &[
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "CURSOR_API_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "CODE_ASSIST_ENDPOINT",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "COPILOT_PROVIDER_BASE_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// Variables with an agent's account: with the folder's account, its owner sees all traffic.
const ACCOUNTS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
];

/// Variables by which programs load code.
const LOADERS: &[&str] = &[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "NODE_OPTIONS",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "PROMPT_COMMAND",
    "PATH",
    "SHELL",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_ASKPASS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_COUNT",
    "GIT_PROXY_COMMAND",
    "SSH_ASKPASS",
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_SCRIPT_SHELL",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "CLAUDE_ENV_FILE",
    "CLAUDE_CODE_SHELL_PREFIX",
];

/// Variables that move our policy and record, or an agent's settings, and the usual paths below the home
/// folder.
const ROOTS: &[(&str, &str)] = &[
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("APPDATA", "/AppData/Roaming"),
    ("LOCALAPPDATA", "/AppData/Local"),
    ("XDG_CONFIG_HOME", "/.config"),
    ("XDG_STATE_HOME", "/.local/state"),
    ("XDG_CACHE_HOME", "/.cache"),
    ("CLAUDE_CONFIG_DIR", "/.claude"),
    ("CODEX_HOME", "/.codex"),
    ("CODEX_SQLITE_HOME", "/.codex"),
    ("CURSOR_CONFIG_DIR", "/.cursor"),
    ("COPILOT_HOME", "/.copilot"),
];

/// Variables that disable protection.
const SWITCHES: &[&str] = &[
    "CLAUDE_CODE_DISABLE_HOOKS",
    "CLAUDE_CODE_SAFE_MODE",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SKIP_PERMISSIONS",
    "DISABLE_HOOKS",
    "GEMINI_CLI_TRUST_WORKSPACE",
    "GEMINI_YOLO",
    "COPILOT_ALLOW_ALL",
    "CODEX_BYPASS_HOOK_TRUST",
];

/// Programs that see a variable: decides its severity and how values are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The agent itself, or every command it runs. Values are literal.
    Agent,
    /// A shell, and an agent started from it.
    Shell,
    /// Terminals of an editor.
    Editor,
    /// An editor task; what its programs load does not matter.
    Task,
    /// A container, which belongs to the folder anyway.
    Container,
    /// A server or a compiler, which reads neither a policy nor an agent's settings.
    Program,
}

impl Reach {
    /// The ways a value can refer to the variable's old value.
    fn references(self, name: &str) -> Vec<String> {
        match self {
            Self::Agent => Vec::new(),
            Self::Shell => vec![format!("${name}"), format!("${{{name}}}")],
            Self::Editor | Self::Task => vec![format!("${{env:{name}}}")],
            Self::Container => vec![format!("${{containerEnv:{name}}}")],
            Self::Program => {
                vec![format!("${name}"), format!("${{{name}}}"), format!("${{env:{name}}}")]
            }
        }
    }

    /// Whether the value equals the variable's old or default value.
    fn is_usual(self, name: &str, tail: &str, value: &str) -> bool {
        let given = format!("${{{name}:-");
        let value = match (self, value.strip_prefix(&given)) {
            (Self::Shell, Some(rest)) => rest.strip_suffix('}').unwrap_or(value),
            _ => value,
        };
        let homes = self.references("HOME").into_iter();
        self.references(name).iter().any(|own| own == value)
            || homes.into_iter().any(|home| format!("{home}{tail}") == value)
            || self == Self::Container && is_home(value.strip_suffix(tail).unwrap_or_default())
    }
}

/// Whether a path is a home folder in containers: `/root`, `/home/node`.
fn is_home(path: &str) -> bool {
    let user = path.strip_prefix("/home/").unwrap_or_default();
    path == "/root" || !user.is_empty() && !user.contains('/') && !user.starts_with('.')
}

/// A variable set by a file.
struct Variable<'v> {
    /// Key path in the file.
    path: String,
    name: &'v str,
    value: &'v str,
    line: usize,
    reach: Reach,
}

impl Variable<'_> {
    /// Kind, severity and description of the problem, if any.
    fn judged(&self) -> Option<(Kind, Severity, &'static str)> {
        let upper = self.name.to_ascii_uppercase();
        if let Some((_, tail)) = ROOTS.iter().find(|(name, _)| *name == upper) {
            let what =
                "moves the folder that the guard's policy or the agent's settings are read from";
            let severity = match self.reach {
                Reach::Program => Severity::Warning,
                _ => Severity::Danger,
            };
            let usual = self.reach.is_usual(self.name, tail, self.value);
            return (!usual).then_some((Kind::Environment, severity, what));
        }
        // A reference such as `${HTTPS_PROXY}` is the user's own value.
        let (kind, severity, what) = named(&upper)?;
        if Reach::Program.references(self.name).iter().any(|own| own == self.value) {
            return None;
        }
        let severity = match self.reach {
            Reach::Task if severity < Severity::Danger => return None,
            Reach::Container if severity < Severity::Danger => Severity::Note,
            _ => severity,
        };
        Some((kind, severity, what))
    }

    fn add(&self, file: &File<'_>, found: &mut ScanResult) {
        if self.value.is_empty() {
            return;
        }
        let Some((kind, severity, what)) = self.judged() else { return };
        let item = Item::new(kind, file, self.line).name(&self.path).say(what).grade(severity);
        let item = item.define(self.value);
        let item = match kind {
            Kind::Redirect if self.value.contains("://") => item.url(self.value),
            _ => item,
        };
        found.add(file, item);
    }
}

/// The problem of a variable by its name alone.
fn named(upper: &str) -> Option<(Kind, Severity, &'static str)> {
    let has = |list: &[&str]| list.contains(&upper);
    if has(SERVERS) {
        let what = "sends what the agent says to another server";
        return Some((Kind::Redirect, Severity::Danger, what));
    }
    if has(SWITCHES) || is_ours(upper) {
        return Some((Kind::SwitchedOff, Severity::Danger, "switches protection off"));
    }
    if has(ACCOUNTS) {
        let what = "makes the agent work for the account of somebody else";
        return Some((Kind::Redirect, Severity::Warning, what));
    }
    let what = "loads code into programs, or changes which ones are run";
    has(LOADERS).then_some((Kind::Environment, Severity::Warning, what))
}

fn is_ours(name: &str) -> bool {
    name.starts_with("TENTER") && name != "TENTER_HOST"
}

/// Whether a name is used only by agents or their guards, or moves their folders.
fn is_of_agents(name: &str) -> bool {
    SERVERS.contains(&name) && name.ends_with("_BASE_URL")
        || SWITCHES.contains(&name)
        || is_ours(name)
        || ROOTS.iter().any(|(root, _)| *root == name)
}

/// A table of variables in settings.
pub(super) fn variables(
    file: &File<'_>,
    under: &str,
    node: &Node,
    reach: Reach,
    found: &mut ScanResult,
) {
    for (name, value) in node.table() {
        one(file, under, name, value, reach, found);
    }
}

/// A list of `{ "name": ..., "value": ... }`.
pub(super) fn pairs(
    file: &File<'_>,
    under: &str,
    node: &Node,
    reach: Reach,
    found: &mut ScanResult,
) {
    for pair in node.list() {
        let Some(name) = pair.get("name").and_then(Node::text) else { continue };
        let Some(value) = pair.get("value") else { continue };
        one(file, under, name, value, reach, found);
    }
}

fn one(
    file: &File<'_>,
    under: &str,
    name: &str,
    node: &Node,
    reach: Reach,
    found: &mut ScanResult,
) {
    let said = match &node.value {
        Value::Text(text) | Value::Number(text) => text.clone(),
        // Removes the variable.
        Value::Null => return,
        _ => node.json(),
    };
    let path = format!("{under}.{name}");
    Variable { path, name, value: &said, line: node.line, reach }.add(file, found);
}

/// A project's `.env` is read by some agents too; only variables for agents matter.
pub(super) fn project_dotenv(file: &File<'_>, found: &mut ScanResult) {
    // Those of agents are scanned completely.
    if [".gemini/.env", ".qwen/.env"].iter().any(|own| file.rel.ends_with(own)) {
        return;
    }
    lines(file, is_of_agents, Reach::Shell, found);
}

/// A file of `NAME=value` lines that an agent reads at its start.
pub(super) fn dotenv(file: &File<'_>, found: &mut ScanResult) {
    lines(file, |_| true, Reach::Agent, found);
}

fn lines(file: &File<'_>, wanted: impl Fn(&str) -> bool, reach: Reach, found: &mut ScanResult) {
    for (index, line) in file.text.lines().enumerate() {
        let line = line.trim_start().trim_start_matches("export ");
        let Some((name, value)) = line.split_once('=') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        let name = name.trim();
        if wanted(name) {
            let path = name.to_owned();
            Variable { path, name, value, line: index + 1, reach }.add(file, found);
        }
    }
}

/// Variables left set by a script that a shell reads when entering the folder.
pub(super) fn script(file: &File<'_>, found: &mut ScanResult) {
    for (index, line) in file.text.lines().enumerate() {
        for statement in statements(line) {
            for (name, value) in left_set(&statement) {
                if is_of_agents(name) {
                    let (path, line, reach) = (name.to_owned(), index + 1, Reach::Shell);
                    Variable { path, name, value, line, reach }.add(file, found);
                }
            }
        }
    }
}

/// Variables that a statement sets for later ones; `HOME=x make` sets none.
fn left_set(words: &[String]) -> Vec<(&str, &str)> {
    let opening = ["then", "do", "else", "{", "builtin", "command"];
    let start = words.iter().position(|word| !opening.contains(&word.as_str()));
    let words = words.get(start.unwrap_or_default()..).unwrap_or_default();
    let exports = ["export", "declare", "typeset", "readonly"];
    let exported = words.first().is_some_and(|word| exports.contains(&word.as_str()));
    let set: Vec<(&str, &str)> = words
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.trim_end_matches('+'), value))
        .collect();
    if exported || set.len() == words.len() { set } else { Vec::new() }
}

/// The words of each statement of a line. Single quotes are kept, since their content is literal.
fn statements(line: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let (mut words, mut word) = (Vec::new(), String::new());
    let (mut quote, mut depth) = (None, 0_usize);
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' if quote != Some('\'') => word.extend(signs.next()),
            '"' | '\'' if quote.is_none_or(|open| open == sign) => {
                quote = if quote.is_none() { Some(sign) } else { None };
                if sign == '\'' {
                    word.push(sign);
                }
            }
            '#' if quote.is_none() && depth == 0 && word.is_empty() => break,
            '(' | ')' if quote.is_none() => {
                depth = if sign == '(' { depth + 1 } else { depth.saturating_sub(1) };
                word.push(sign);
            }
            _ if quote.is_some() || depth > 0 => word.push(sign),
            ';' | '&' | '|' => {
                words.extend(Some(std::mem::take(&mut word)).filter(|it| !it.is_empty()));
                all.push(std::mem::take(&mut words));
            }
            _ if sign.is_whitespace() => {
                words.extend(Some(std::mem::take(&mut word)).filter(|it| !it.is_empty()));
            }
            _ => word.push(sign),
        }
    }
    words.extend(Some(word).filter(|it| !it.is_empty()));
    all.push(words);
    all
}
