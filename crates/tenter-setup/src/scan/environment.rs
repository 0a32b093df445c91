//! Variables that redirect an agent, load code, or switch protection off.

use super::item::{File, Found, Item};
use super::kinds::{Kind, Severity};
use super::tree::{Node, Value};

/// Where an agent sends what it says.
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

/// Who the agent says it is: the folder's account sees everything that is said.
const ACCOUNTS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
];

/// Code that programs load before their own.
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
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "HOME",
];

/// Protection that is switched off.
const SWITCHES: &[&str] = &[
    "CLAUDE_CODE_DISABLE_HOOKS",
    "CLAUDE_CODE_SKIP_PERMISSIONS",
    "DISABLE_HOOKS",
    "GEMINI_CLI_TRUST_WORKSPACE",
    "GEMINI_YOLO",
    "COPILOT_ALLOW_ALL",
    "CODEX_BYPASS_HOOK_TRUST",
];

/// What is wrong with a variable of this name, and how much.
fn judged(name: &str) -> Option<(Kind, Severity, &'static str)> {
    let upper = name.to_ascii_uppercase();
    let has = |list: &[&str]| list.contains(&upper.as_str());
    if has(SERVERS) {
        return Some((
            Kind::Redirect,
            Severity::Danger,
            "sends what the agent says to another server",
        ));
    }
    if has(SWITCHES) || (upper.starts_with("TENTER") && upper != "TENTER_HOST") {
        return Some((Kind::SwitchedOff, Severity::Danger, "switches protection off"));
    }
    if has(ACCOUNTS) {
        let what = "makes the agent work for the account of somebody else";
        return Some((Kind::Redirect, Severity::Warning, what));
    }
    let what = "loads code into programs, or changes which ones are run";
    has(LOADERS).then_some((Kind::Environment, Severity::Warning, what))
}

/// A table of variables, as settings hold them.
pub(super) fn variables(file: &File<'_>, under: &str, node: &Node, found: &mut Found) {
    for (name, value) in node.table() {
        let said = match &value.value {
            Value::Text(text) | Value::Number(text) => text.clone(),
            _ => value.json(),
        };
        add(file, &format!("{under}.{name}"), name, &said, value.line, found);
    }
}

fn add(file: &File<'_>, path: &str, name: &str, value: &str, line: usize, found: &mut Found) {
    let Some((kind, severity, what)) = judged(name) else { return };
    // What is asked for rather than given, `${HTTPS_PROXY}`, is the user's own.
    let own = [format!("${name}"), format!("${{{name}}}"), format!("${{env:{name}}}")];
    if value.is_empty() || own.iter().any(|own| own == value) {
        return;
    }
    let item = Item::new(kind, file, line).name(path).say(what).grade(severity).define(value);
    let item = match kind {
        Kind::Redirect if value.contains("://") => item.url(value),
        _ => item,
    };
    found.add(file, item);
}

/// The `.env` of a program is read by some agents too; only what is about agents counts there.
pub(super) fn project_dotenv(file: &File<'_>, found: &mut Found) {
    // Those of agents are read as a whole.
    if [".gemini/.env", ".qwen/.env"].iter().any(|own| file.rel.ends_with(own)) {
        return;
    }
    lines(
        file,
        |name| SERVERS.contains(&name) && name.ends_with("_BASE_URL") || SWITCHES.contains(&name),
        found,
    );
}

/// A file of `NAME=value` lines that an agent reads at its start.
pub(super) fn dotenv(file: &File<'_>, found: &mut Found) {
    lines(file, |_| true, found);
}

fn lines(file: &File<'_>, wanted: impl Fn(&str) -> bool, found: &mut Found) {
    for (index, line) in file.text.lines().enumerate() {
        let line = line.trim_start().trim_start_matches("export ");
        let Some((name, value)) = line.split_once('=') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        if wanted(name.trim()) {
            add(file, name.trim(), name.trim(), value, index + 1, found);
        }
    }
}
