//! Guard of MCP tools by their canonical name `server/tool`, independent of the host.

use tenter_model::McpIdentity;

use crate::finding::{At, Found};
use crate::guard::{Check, Guard, OptionKind, OptionSpec};
use crate::level::{Level, Weight};
use crate::pattern::{matches, matches_whole};
use crate::policy::Origin;
use crate::sample::Sample;
use crate::scene::{Moment, Scene, words};

const DENIED: Check = Check {
    id: "denied",
    weight: Weight::Grave,
    title: "calls an MCP tool that the policy denies",
    instead: "do it without this tool",
    safe: &[],
};

const CHANGED_SERVER: Check = Check {
    id: "changed-server",
    weight: Weight::Grave,
    title: "calls an MCP server whose address or command has changed",
    instead: "tell the user that this is not the server the policy knows",
    safe: &[],
};

const ASKED: Check = Check {
    id: "asked",
    weight: Weight::Doubtful,
    title: "calls an MCP tool that the policy asks about",
    instead: "",
    safe: &[],
};

const UNKNOWN_SERVER: Check = Check {
    id: "unknown-server",
    weight: Weight::Doubtful,
    title: "calls an MCP server that the policy does not list, or that the host does not name",
    instead: "use the servers the user has set up",
    safe: &[],
};

const UNLISTED: Check = Check {
    id: "unlisted",
    weight: Weight::Minor,
    title: "calls an MCP tool that is in no list of the policy",
    instead: "use a tool that the policy lists",
    safe: &[],
};

const IRREVERSIBLE: Check = Check {
    id: "irreversible",
    weight: Weight::Doubtful,
    title: "deletes a repository, database, project or account through an MCP tool, or moves money",
    instead: "list or inspect it first",
    safe: &[],
};

const DESTRUCTIVE: Check = Check {
    id: "destructive",
    weight: Weight::Minor,
    title: "calls an MCP tool whose name says it deletes, overwrites or forces something",
    instead: "make sure that it can be restored",
    safe: &[],
};

const COMMAND: Check = Check {
    id: "command",
    weight: Weight::Minor,
    title: "runs commands or code through an MCP tool",
    instead: "use the shell tool",
    safe: &[],
};

pub(super) static GUARD: Guard = Guard {
    id: "mcp",
    title: "Which MCP tools may be called",
    page: "\
Every MCP tool has one name here, `server/tool`, whichever host calls it: `github/create_issue` is \
`mcp__github__create_issue` in one host and `MCP:create_issue` with a server name in another. A server \
that a plugin brought is `plugin:<plugin>:<server>`, so that it cannot pass for your own of that name.

Without options only tools whose names say that they delete whole repositories, databases, projects \
or accounts, or move money, are asked about; other tools that delete or run commands are recorded.

A tool's input is judged by all other guards, at any depth of its input and however the keys are \
spelled (`file-path`, `filePath`), as if the host's own tool had been called. The same holds for tools of \
hosts that this program does not know:

| Field | Judged as |
|---|---|
| `command`, `cmd`, `commands`, `command_line`, `shell_command`, `script`, `argv`, with `args` and with `cwd`, `workdir` or `working_directory` | a command; a list of words is one call of a program |
| `code`, `source`, `snippet`, `cell`, `function` | code in the `language` of that field, or of the tool's name; without either as JavaScript and as Python. Lines with `!` and cells with `%%bash` in a notebook are commands |
| `input`, `text`, `keys`, of a tool that types into a terminal or a process | a command |
| `sql`, and `query` or `statement` of a database's tool | SQL |
| `path`, `file_path`, `filename` and other keys that end so, `source`, `destination` | that file: read, written, moved or deleted as the tool's name says, written where content stands beside it, and otherwise read and written; not if a field such as `repo`, `bucket` or `branch` says that it is elsewhere |
| `url`, `uri` | an address that is fetched; `file:` a file that is read |

Where neither the tool nor its server is named after running something, code that cannot be followed is no \
finding. Texts of all tools are searched for secrets.

```toml
[guards]
mcp = { default = \"ask\", allow = [\"github/*\"], deny = [\"*/delete_*\"], servers = [\"github=https://api.githubcopilot.com/mcp/\"] }
```

- `deny`, `ask`, `allow` are patterns of `server/tool`; a pattern without a slash is a tool of any \
server or a whole server. `deny` goes before `ask`, `ask` before `allow`.
- `default` is level of tools in no list.
- `servers` are the servers that are known: any other asks. `name=address` or `name=command` pins one: \
if the host says that a server of that name is reached in another way, the call is denied.

A host that does not say which server a tool belongs to is told so in the record (`?/tool`); with \
`servers` such a call asks. Whether a host tells the address or the command of a server differs from \
host to host; where it tells neither, a pin cannot be held against anything.",
    checks: &[
        DENIED,
        CHANGED_SERVER,
        ASKED,
        UNKNOWN_SERVER,
        UNLISTED,
        IRREVERSIBLE,
        DESTRUCTIVE,
        COMMAND,
    ],
    options: &[
        OptionSpec {
            name: "deny",
            kind: OptionKind::Patterns,
            title: "tools that are denied",
            loosens: false,
        },
        OptionSpec {
            name: "ask",
            kind: OptionKind::Patterns,
            title: "tools that need your OK each time",
            loosens: false,
        },
        OptionSpec {
            name: "default",
            kind: OptionKind::Level,
            title: "level of tools in no list",
            loosens: false,
        },
        OptionSpec {
            name: "servers",
            kind: OptionKind::Patterns,
            title: "known servers, each a name or `name=address` or `name=command`",
            loosens: true,
        },
    ],
    optional: false,
    blocks: &[
        (Sample::Mcp("github/delete_repository"), "irreversible"),
        (Sample::Mcp("postgres/drop_database"), "irreversible"),
        (Sample::Mcp("bank/transfer_funds"), "irreversible"),
        (Sample::Mcp("cloud/terminateInstances"), "irreversible"),
        (Sample::Mcp("files/delete_file"), "destructive"),
        (Sample::Mcp("git/force-push"), "destructive"),
        (Sample::Mcp("desktop/execute_command"), "command"),
        (Sample::Mcp("terminal/exec"), "command"),
        (Sample::Mcp("search"), "unlisted"),
    ],
    passes: &[
        Sample::Mcp("github/create_issue"),
        Sample::Mcp("github/list_repositories"),
        Sample::Mcp("files/delete_file"),
        Sample::Mcp("memory/remove_entities"),
        Sample::Mcp("desktop/execute_command"),
        Sample::Mcp("context7/get-library-docs"),
        Sample::Mcp("playwright/browser_click"),
        Sample::Mcp("search_docs"),
        Sample::Mcp("tracker/undelete_item"),
    ],
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    let Some(identity) = scene.mcp.filter(|_| scene.moment == Moment::Before) else { return };
    let tool = Named::new(identity);
    let setting = found.setting();
    if setting.patterns("deny").iter().any(|denied| tool.is_meant_by(denied)) {
        // An allowed tool is not reported, unless it is also denied.
        let subject = if setting.allows(&tool.full) { "" } else { &tool.full };
        let what = format!("calls the MCP tool {}, which the policy denies", tool.full);
        let (level, origin) = listed_level(found, &DENIED, "deny");
        return found.add_at(&DENIED, level, origin, At::subject(subject), what);
    }
    server(identity, &tool, found);
    if setting.patterns("ask").iter().any(|asked| tool.is_meant_by(asked)) {
        let (level, origin) = listed_level(found, &ASKED, "ask");
        let subject = if setting.allows(&tool.full) { "" } else { &tool.full };
        let what = format!("calls the MCP tool {}, which needs your OK by policy", tool.full);
        return found.add_at(&ASKED, level, origin, At::subject(subject), what);
    }
    let allowed = setting.allow.iter().any(|allowed| matches_whole(allowed, &tool.server));
    if !allowed {
        unlisted(identity, &tool, found);
    }
}

/// A tool's names.
struct Named {
    /// The server; `?` if unknown, `plugin:<plugin>:<server>` if provided by a plugin.
    server: String,
    /// `server/tool`.
    full: String,
    /// The same without the plugin.
    plain: String,
}

impl Named {
    fn new(identity: &McpIdentity<'_>) -> Self {
        let plain = identity.canonical();
        let name = identity.server.as_deref().unwrap_or("?");
        let server = match &identity.plugin {
            Some(plugin) => format!("plugin:{plugin}:{name}"),
            None => name.to_owned(),
        };
        Self { full: format!("{server}/{}", identity.tool), server, plain }
    }

    /// Whether a forbidding pattern matches this tool, also under its plain name.
    fn is_meant_by(&self, pattern: &str) -> bool {
        let plain_server = self.plain.split('/').next().unwrap_or_default();
        matches(pattern, &self.full)
            || matches(pattern, &self.plain)
            || matches_whole(pattern, &self.server)
            || matches_whole(pattern, plain_server)
    }
}

/// The level of an explicitly listed tool: at least ask, unless a file sets the check's level.
fn listed_level(found: &Found<'_>, check: &Check, list: &str) -> (Level, Origin) {
    let at = GUARD.checks.iter().position(|known| known.id == check.id);
    let known = at.and_then(|at| found.setting().levels.get(at)).copied();
    let (level, origin) = known.unwrap_or((Level::Ask, Origin::BuiltIn));
    if matches!(origin, Origin::File(..)) {
        return (level, origin);
    }
    (level.max(Level::Ask), found.setting().origin(list))
}

/// Checks that the server is known to the policy and unchanged.
fn server(identity: &McpIdentity<'_>, tool: &Named, found: &mut Found<'_>) {
    let servers = found.setting().patterns("servers");
    if servers.is_empty() {
        return;
    }
    let mut known = false;
    let mut pinned = false;
    for line in servers {
        let (name, pin) = match line.split_once('=') {
            Some((name, pin)) => (name.trim(), Some(pin.trim())),
            None => (line.as_str(), None),
        };
        if !matches_whole(name, &tool.server) {
            continue;
        }
        known = true;
        match pin {
            Some(pin) if !fits(pin, identity) => pinned = true,
            _ => return,
        }
    }
    if !known {
        let what = if identity.server.is_some() {
            format!("calls the MCP server {}, which is not in the policy", tool.server)
        } else {
            format!("calls the MCP tool {} of an unnamed server", identity.tool)
        };
        found.add(&UNKNOWN_SERVER, At::subject(&tool.full), what);
    } else if pinned {
        let way = identity.url.as_deref().or(identity.command.as_deref()).unwrap_or_default();
        let what = format!("calls the MCP server {}, which is now `{way}`", tool.server);
        // A changed server is not the one that was allowed.
        let subject = if found.setting().allows(&tool.full) { "" } else { &tool.full };
        found.add(&CHANGED_SERVER, At::subject(subject), what);
    }
}

/// Whether the server matches its pin. Values that the host does not report count as equal.
fn fits(pin: &str, identity: &McpIdentity<'_>) -> bool {
    let plain = |text: &str| {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        words.join(" ").trim_end_matches('/').to_owned()
    };
    let same = |way: &str| matches_whole(&plain(pin), &plain(way));
    match (identity.url.as_deref(), identity.command.as_deref()) {
        (None, None) => true,
        (Some(url), None) => same(url),
        (None, Some(command)) => same(command),
        (Some(url), Some(command)) => same(if pin.contains("://") { url } else { command }),
    }
}

fn unlisted(identity: &McpIdentity<'_>, tool: &Named, found: &mut Found<'_>) {
    let at = At::subject(&tool.full);
    let words = words(&identity.tool);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(TAKES_AWAY) && has(WHOLE) || has(MOVES) && has(MONEY) {
        let what = format!("calls the MCP tool {}, which cannot be undone", tool.full);
        found.add(&IRREVERSIBLE, at, what);
    } else if has(TAKES_AWAY) || has(FORCES) {
        let what = format!("calls the MCP tool {}, which deletes or overwrites", tool.full);
        found.add(&DESTRUCTIVE, at, what);
    }
    if has(RUNS) && (has(CODE) || words.len() == 1) {
        let what = format!("runs a command or code with the MCP tool {}", tool.full);
        found.add(&COMMAND, at, what);
    }
    let what = || format!("calls the MCP tool {}, which is in no list", tool.full);
    match found.setting().level("default") {
        Some(level) => {
            let origin = found.setting().origin("default");
            found.add_at(&UNLISTED, level, origin, at, what());
        }
        None if identity.server.is_none() => {
            let what = format!("calls the MCP tool {} of an unnamed server", identity.tool);
            found.add(&UNLISTED, at, what);
        }
        None => {}
    }
}

const TAKES_AWAY: &[&str] = &[
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "wipe",
    "erase",
    "truncate",
    "terminate",
    "uninstall",
];
const FORCES: &[&str] = &["force", "overwrite", "reset"];
const WHOLE: &[&str] = &[
    "repository",
    "repo",
    "repositories",
    "database",
    "db",
    "table",
    "schema",
    "collection",
    "project",
    "organization",
    "workspace",
    "account",
    "tenant",
    "cluster",
    "instance",
    "instances",
    "bucket",
    "volume",
    "namespace",
    "stack",
    "environment",
    "snapshot",
    "backup",
    "zone",
];
const MOVES: &[&str] = &["transfer", "send", "pay", "withdraw", "refund"];
const MONEY: &[&str] =
    &["funds", "money", "payment", "transaction", "payout", "eth", "btc", "tokens", "invoice"];
const RUNS: &[&str] = &["execute", "exec", "run", "shell", "bash", "eval"];
const CODE: &[&str] =
    &["command", "commands", "cmd", "shell", "bash", "script", "code", "terminal", "python", "sh"];

#[cfg(test)]
mod tests;
