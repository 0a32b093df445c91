//! Checks agents started by a command without their configured hooks.

use tenter_shell::{Field, MOVERS, Ran};

use super::{LASTING, MOD, MOVED, SWITCH};
use crate::finding::{At, Found};
use crate::scene::Scene;

/// Programs that run others as another user, with that user's settings.
const AS_OTHERS: &[&str] = &["sudo", "doas", "su", "runuser", "pkexec", "gosu", "su-exec"];

/// Programs that run others with other folders or another home.
const SANDBOXES: &[&str] = &[
    "bubblewrap",
    "bwrap",
    "chroot",
    "distrobox",
    "firejail",
    "flatpak-spawn",
    "nsjail",
    "proot",
    "systemd-nspawn",
    "toolbox",
];

/// Variables that disable hooks with any value, and the agents that read them.
pub(super) const OFF: &[(&str, &str)] = &[
    ("CLAUDE_CODE_SIMPLE", "claude"),
    ("CLAUDE_CODE_SAFE_MODE", "claude"),
    ("CLAUDE_CODE_BARE", "claude"),
    ("CLAUDE_CODE_DISABLE_HOOKS", "claude"),
    ("OPENCODE_PURE", "opencode"),
    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "opencode"),
];

/// Further variables that move settings, beyond those the shell crate tracks, and their defaults below the
/// home.
const MORE_MOVERS: &[(&str, &str)] = &[
    ("COPILOT_HOME", ".copilot"),
    ("GEMINI_CLI_HOME", ""),
    ("GROK_HOME", ".grok"),
    ("HERMES_HOME", ".hermes"),
    ("OPENCODE_CONFIG_DIR", ".config/opencode"),
    ("VIBE_HOME", ".vibe"),
];

/// Options that disable hooks.
const BARE: &[(&str, &str)] = &[
    ("--bare", "claude"),
    ("--safe-mode", "claude"),
    ("--disable-hooks", ""),
    ("--no-hooks", ""),
    ("--ignore-user-config", "codex"),
    ("--ignore-rules-and-hooks", "codex"),
    ("--pure", "opencode"),
];

/// Options whose value may disable hooks.
const VALUED: &[&str] = &[
    "--setting-sources",
    "--settings",
    "--disable",
    "--profile",
    "-p",
    "-c",
    "--config",
    "--plugin-dir",
    "-e",
    "--extensions",
];

/// Agents whose extensions bring hooks.
const EXTENDED: &[&str] = &["gemini", "qwen"];

/// Names of Codex's feature that runs hooks.
const FEATURES: &[&str] = &["hooks", "codex_hooks"];

/// Checks the start of an agent. It is asked for its name: options and variables differ from agent to agent.
pub(super) fn look(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let agent = ran.program.as_str();
    if switched_off(scene, ran) {
        let what = format!("starts {agent} without hooks");
        found.add(&SWITCH, At::span(ran.span, agent), what);
    } else if let Some(plugin) = loads(scene, ran) {
        let what = format!("loads a plugin with its own hooks or modules into {agent}: {plugin}");
        found.add(&MOD, At::span(ran.span, &plugin), what);
    } else if only_shows(ran) {
        // Runs no tools, so hooks are not needed.
    } else if let Some(name) = moved(scene, ran) {
        let what = format!("starts {agent} with another {name}");
        found.add(&MOVED, At::span(ran.span, agent), what);
    } else if let Some(via) = ran.via.iter().find(|via| AS_OTHERS.contains(&&*via.name)) {
        let what = format!("starts {agent} as another user with {}, without your hooks", via.name);
        found.add(&MOVED, At::span(ran.span, agent), what);
    } else if let Some(via) = ran.via.iter().find(|via| SANDBOXES.contains(&&*via.name)) {
        let what = format!("starts {agent} in {}, which may hide its hooks", via.name);
        found.add(&MOVED, At::span(ran.span, agent), what);
    }
}

/// Checks variables for programs started later: `systemctl --user set-environment`, `tmux setenv`.
pub(super) fn lasting(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let says = |word: &str| ran.argv.iter().skip(1).any(|field| field.prefix() == word);
    let verb = match ran.program.as_str() {
        "systemctl" => Some("set-environment"),
        "tmux" if says("set-environment") => None,
        "tmux" | "launchctl" => Some("setenv"),
        "dbus-update-activation-environment" | "setx" => None,
        _ => return,
    };
    if verb.is_some_and(|verb| !says(verb)) {
        return;
    }
    let words: Vec<&str> = ran.argv.iter().skip(1).map(Field::prefix).collect();
    let home = scene.places.home;
    for (at, word) in words.iter().enumerate() {
        let (name, value) = match word.split_once('=') {
            Some(pair) => pair,
            None => (*word, words.get(at + 1).copied().unwrap_or_default()),
        };
        let is_off = OFF.iter().any(|(known, _)| *known == name) || name.starts_with("TENTER_");
        if is_off || sets(name) && !is_usual(home, name, value) {
            let what = format!("starts agents with another {name} from now on");
            found.add(&LASTING, At::span(ran.span, name), what);
        }
    }
}

/// Whether a variable moves the settings that agents read.
pub(super) fn sets(name: &str) -> bool {
    default_of(name).is_some()
}

fn default_of(name: &str) -> Option<&'static str> {
    let mut known = MOVERS.iter().chain(MORE_MOVERS);
    known.find(|(known, _)| *known == name).map(|(_, default)| *default)
}

/// Whether a value is the default location: `$HOME/.config`.
pub(super) fn is_usual(home: Option<&str>, name: &str, value: &str) -> bool {
    let Some(default) = default_of(name) else { return true };
    let value = value.trim_matches(['"', '\'']);
    let below =
        ["$HOME", "${HOME}", "~"].into_iter().chain(home.map(|it| it.trim_end_matches('/')));
    below
        .into_iter()
        .any(|home| value.strip_prefix(home).is_some_and(|rest| rest.trim_matches('/') == default))
}

/// Options of a program with values, from `--name value` or `--name=value`.
fn valued(ran: &Ran) -> impl Iterator<Item = (&str, &str)> {
    let words = ran.argv.iter().skip(1).map(Field::prefix);
    let next = words.clone().skip(1).chain([""]);
    words.zip(next).filter_map(|(word, next)| {
        let (name, value) =
            word.split_once('=').filter(|(name, _)| name.starts_with('-')).unwrap_or((word, next));
        VALUED.contains(&name).then_some((name, value))
    })
}

fn switched_off(scene: &Scene<'_>, ran: &Ran) -> bool {
    let agent = ran.program.as_str();
    let is_of = |known: &str| known.is_empty() || agent.starts_with(known);
    let word = |at: usize| ran.argv.get(at).and_then(Field::exact).unwrap_or_default();
    let variable = |name: &str| {
        name.starts_with("TENTER") || OFF.iter().any(|(off, of)| *off == name && is_of(of))
    };
    let option = |text: &str| {
        let name = text.split('=').next().unwrap_or(text);
        BARE.iter().any(|(off, of)| *off == name && is_of(of)) || text.contains("disableAllHooks")
    };
    let value = |(name, value): (&str, &str)| match name {
        "--setting-sources" => !value.split(',').any(|it| it.trim() == "user"),
        "--settings" => file_switches_off(scene, value),
        "--disable" => value.split(',').any(|it| FEATURES.contains(&it.trim())),
        "-c" | "--config" => config_switches_off(value),
        "--profile" | "-p" if agent == "codex" => profile_switches_off(scene, value),
        "-e" | "--extensions" if EXTENDED.contains(&agent) => value == "none",
        _ => false,
    };
    ran.assignments.iter().any(|(name, _)| variable(name))
        || ran.argv.iter().skip(1).any(|field| option(field.prefix()))
        || valued(ran).any(value)
        || word(1) == "hooks" && matches!(word(2), "disable" | "disable-all")
        || word(1) == "features" && word(2) == "disable" && FEATURES.contains(&word(3))
}

/// `features.hooks=false`
fn config_switches_off(value: &str) -> bool {
    let plain: String = value.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    let off = |feature: &&str| {
        plain.contains(&format!("features.{feature}=false"))
            || plain.starts_with("features={") && plain.contains(&format!("{feature}=false"))
    };
    FEATURES.iter().any(off)
}

/// Whether a Codex profile disables hooks, in a file of its own or in the settings.
fn profile_switches_off(scene: &Scene<'_>, name: &str) -> bool {
    let Some(home) = scene.places.home.filter(|_| !name.contains('/')) else { return false };
    let folder = format!("{}/.codex", home.trim_end_matches('/'));
    let own = scene.world.facts.read(&format!("{folder}/{name}.config.toml"), LONGEST);
    let shared = scene.world.facts.read(&format!("{folder}/config.toml"), LONGEST);
    let section =
        shared.and_then(|text| Some(text.split_once(&format!("[profiles.{name}"))?.1.to_owned()));
    let off = |text: &String| {
        text.lines().any(|line| {
            let plain: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            FEATURES.iter().any(|feature| plain.ends_with(&format!("{feature}=false")))
        })
    };
    own.iter().chain(&section).any(off)
}

/// A plugin with hooks that is installed or loaded for a session.
fn loads(scene: &Scene<'_>, ran: &Ran) -> Option<String> {
    let word = |at: usize| ran.argv.get(at).and_then(Field::exact).unwrap_or_default();
    let of_plugins = matches!(word(1), "plugin" | "plugins" | "extension" | "extensions");
    if of_plugins && matches!(word(2), "install" | "i" | "add" | "enable" | "link") {
        return Some(ran.argv.get(3).map(Field::shown).unwrap_or_default());
    }
    let folder = valued(ran).find(|(name, _)| *name == "--plugin-dir")?.1;
    let base = in_folder(scene, ran, folder);
    let files = ["hooks/hooks.json", ".claude-plugin/plugin.json", "hooks.json"];
    let read = |file: &&str| scene.world.facts.read(&format!("{base}/{file}"), LONGEST);
    let brings = |file: &&str| read(file).is_some_and(|text| text.contains("\"modules\""));
    files.iter().any(brings).then(|| folder.to_owned())
}

fn in_folder(scene: &Scene<'_>, ran: &Ran, path: &str) -> String {
    let path = path.trim_end_matches('/');
    match ran.cwd.as_deref().or(scene.cwd) {
        Some(cwd) if !tenter_shell::is_absolute(path) => {
            format!("{}/{path}", cwd.trim_end_matches('/'))
        }
        _ => path.to_owned(),
    }
}

/// Maximum number of bytes read of a settings file.
const LONGEST: usize = 64 * 1024;

/// Checks `claude --settings x.json`, also when the same command writes the file.
fn file_switches_off(scene: &Scene<'_>, file: &str) -> bool {
    let switch = |text: &str| {
        let names = |(name, _): &(&str, &str)| text.contains(&format!("\"{name}\""));
        let off = OFF.iter().chain(MOVERS).chain(MORE_MOVERS).any(names);
        text.contains("disableAllHooks") || text.contains("\"env\"") && off
    };
    let path = match scene.places.cwd {
        Some(cwd) if !tenter_shell::is_absolute(file) => {
            format!("{}/{file}", cwd.trim_end_matches('/'))
        }
        _ => file.to_owned(),
    };
    scene.command.as_deref().is_some_and(switch)
        || !file.starts_with('{')
            && scene.world.facts.read(&path, LONGEST).is_some_and(|text| switch(&text))
}

/// `claude --version`
fn only_shows(ran: &Ran) -> bool {
    let [_, word] = ran.argv.as_slice() else { return false };
    let known = ["--version", "-v", "-V", "--help", "-h", "update", "upgrade", "doctor"];
    word.exact().is_some_and(|word| known.contains(&word))
}

/// Interpreters, whose code may start an agent with another environment.
const INTERPRETERS: &[&str] = &["bun", "deno", "node", "perl", "php", "python", "python3", "ruby"];

/// The first variable that makes the agent read other settings.
fn moved<'r>(scene: &Scene<'_>, ran: &'r Ran) -> Option<&'r str> {
    let moves = |(name, value): &&(String, Field)| {
        default_of(name).is_some_and(|default| !is_kept(scene.places.home, name, default, value))
    };
    let set = ran.assignments.iter().find(moves).map(|(name, _)| name.as_str());
    set.or_else(|| {
        let by_code = ran.via.iter().any(|via| INTERPRETERS.contains(&&*via.name));
        let code = scene.command.as_deref().filter(|_| by_code)?;
        let named = |name: &str| mentions(code, name);
        MOVERS.iter().chain(MORE_MOVERS).map(|(name, _)| *name).find(|name| named(name))
    })
}

/// Whether code names a variable, at any quoting depth: `{"HOME": x}`, `{\"HOME\": x}`, `{HOME: x}`. `$HOME`
/// is a value for a shell, not the name.
fn mentions(code: &str, name: &str) -> bool {
    let of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, rest) = code.split_at(at);
        let after = rest.get(name.len()..).unwrap_or_default();
        let is_value = before.ends_with('$') || before.ends_with("${");
        !is_value && !before.ends_with(of_word) && !after.starts_with(of_word)
    })
}

/// Whether the value equals the default: `HOME="$HOME"`, `CODEX_HOME=~/.codex`.
fn is_kept(home: Option<&str>, name: &str, default: &str, value: &Field) -> bool {
    if let Some(text) = value.exact() {
        let rest = home.and_then(|home| text.strip_prefix(home.trim_end_matches('/')));
        return rest.is_some_and(|rest| {
            (rest.is_empty() || rest.starts_with('/')) && rest.trim_matches('/') == default
        });
    }
    let shown = value.shown();
    let inner = shown.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let inner = inner.or_else(|| shown.strip_prefix('$')).and_then(|rest| rest.strip_prefix(name));
    inner.is_some_and(|rest| rest.is_empty() || rest.starts_with(":-") || rest.starts_with('-'))
}
