//! Claude Code's mods: code loaded into the agent that can bypass our hooks.
//!
//! A mod is a plugin whose hooks file names `modules`. A folder below `~/.claude/skills` that contains one is
//! loaded in the next session without asking. A module that hooks `classic.*` prevents calls of settings
//! hooks; one that hooks `tool.check` discards their answers. Nothing is run here: the text is analysed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::files;

/// Maximum number of files and folders checked below one root.
const MOST: usize = 5_000;
/// Maximum depth of plugins: `plugins/cache/<marketplace>/<plugin>/<version>/hooks`.
const DEEPEST: usize = 7;

/// Effect that a mod can have on our verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Power {
    /// It hooks unrelated events.
    Other,
    /// Its events are computed, or its code cannot be read.
    Unknown,
    /// It can prevent calls of our hooks, or discard their answers.
    Swallows,
}

/// An installed mod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mod {
    /// The plugin's folder.
    pub folder: PathBuf,
    /// The file that names its modules.
    pub file: PathBuf,
    /// The events it hooks, as far as they are literal.
    pub events: Vec<String>,
    pub power: Power,
}

/// The mods that Claude Code loads for the user of this folder.
pub fn of_user(folder: &Path) -> Vec<Mod> {
    let roots = ["skills", "plugins", "dev-mods"].map(|name| folder.join(name));
    let mut found = Vec::new();
    for root in roots {
        let mut left = MOST;
        walk(&root, DEEPEST, &mut left, &mut found);
    }
    found.sort_by(|one: &Mod, other| one.file.cmp(&other.file));
    found.dedup();
    found
}

fn walk(folder: &Path, levels: usize, left: &mut usize, found: &mut Vec<Mod>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let path = entry.path();
        // Linked folders are loaded too.
        if path.is_dir() {
            if levels > 1 && entry.file_name() != "node_modules" {
                walk(&path, levels - 1, left, found);
            }
            continue;
        }
        let name = entry.file_name();
        if name == "hooks.json" || name == "plugin.json" {
            found.extend(of_file(&path));
        }
    }
}

/// The mod declared by a hooks file or a manifest.
fn of_file(path: &Path) -> Option<Mod> {
    let text = files::read(path).ok()??;
    let value: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(value) => value,
        // The host's parser may be more lenient than ours.
        Err(_) => {
            let names = text.contains("\"modules\"");
            let unread = |folder| declared(path, folder, Power::Unknown, Vec::new());
            return folder_of(path).filter(|_| names).map(unread);
        }
    };
    let folder = folder_of(path)?;
    let lists = [value.get("modules"), value.get("hooks").and_then(|hooks| hooks.get("modules"))];
    let mut modules = lists.into_iter().flatten().flat_map(names).peekable();
    modules.peek()?;
    let here = path.parent()?;
    let (mut events, mut power) = (Vec::new(), Power::Other);
    for module in modules {
        let module = module.trim_start_matches("${CLAUDE_PLUGIN_ROOT}/");
        let places = [here.join(module), folder.join(module)];
        let code = places.iter().find_map(|place| files::read(place).ok().flatten());
        let (hooked, can) = code.map_or((Vec::new(), Power::Unknown), |code| read(&code));
        events.extend(hooked);
        power = power.max(can);
    }
    events.sort();
    events.dedup();
    Some(declared(path, folder, power, events))
}

fn declared(file: &Path, folder: PathBuf, power: Power, events: Vec<String>) -> Mod {
    Mod { folder, file: file.to_owned(), events, power }
}

/// The power of the mod declared by a hooks file.
pub(crate) fn at(path: &Path) -> Option<Power> {
    of_file(path).map(|found| found.power)
}

/// A plugin's folder: above `hooks/hooks.json` and `.claude-plugin/plugin.json`.
fn folder_of(path: &Path) -> Option<PathBuf> {
    Some(path.parent()?.parent()?.to_owned())
}

fn names(value: &Value) -> Vec<&str> {
    match value {
        Value::String(name) => vec![name],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The events that code hooks, and the resulting power. Every call of `on` must name its event as a literal;
/// other code could hook anything.
fn read(code: &str) -> (Vec<String>, Power) {
    let mut events = Vec::new();
    let mut power = Power::Other;
    let swallows = ["classic.", "classic:", "tool.check"];
    if swallows.iter().any(|name| code.contains(name)) {
        power = Power::Swallows;
    }
    let mut calls = 0;
    for (at, _) in code.match_indices("on(") {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '.')) {
            continue;
        }
        // Skip the function's declaration.
        if code.get(..at).is_some_and(|before| before.trim_end().ends_with("function")) {
            continue;
        }
        calls += 1;
        let rest = code.get(at + 3..).unwrap_or_default().trim_start();
        match literal(rest) {
            Some(event) => events.push(event.to_owned()),
            None => power = power.max(Power::Unknown),
        }
    }
    if calls == 0 {
        power = power.max(Power::Unknown);
    }
    (events, power)
}

/// A quoted event name at the start of a text, without escapes.
fn literal(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let (name, _) = text.get(1..)?.split_once(quote)?;
    let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-' | '*' | ':');
    (!name.is_empty() && name.chars().all(plain) && !name.contains('*')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(folder: &Path, name: &str, code: &str) {
        let skill = folder.join("skills").join(name);
        fs::create_dir_all(skill.join(".claude-plugin")).unwrap();
        fs::create_dir_all(skill.join("hooks")).unwrap();
        fs::write(skill.join(".claude-plugin/plugin.json"), r#"{"name":"x"}"#).unwrap();
        fs::write(skill.join("hooks/hooks.json"), r#"{"modules":["./register.js"]}"#).unwrap();
        fs::write(skill.join("hooks/register.js"), code).unwrap();
    }

    #[test]
    fn what_a_mod_can_do_is_read_from_its_code() {
        for (code, power, events) in [
            (
                "export function register(on) { on(\"classic.PreToolUse\", () => ({})) }",
                Power::Swallows,
                1,
            ),
            (
                "export const register = (on) => { on('tool.check', () => ({})) }",
                Power::Swallows,
                1,
            ),
            (
                "export function register(on) { on('tool.call', (a, e, next) => next(e)) }",
                Power::Other,
                1,
            ),
            (
                "export function register(on) { on(['classic', 'PreToolUse'].join('.'), f) }",
                Power::Unknown,
                0,
            ),
            (
                "export function register(on) { const l = on; l('classic' + '.PreToolUse', f) }",
                Power::Unknown,
                0,
            ),
            ("export function register(on) { on('*', f) }", Power::Unknown, 0),
            ("", Power::Unknown, 0),
        ] {
            let (found, can) = read(code);
            assert_eq!((can, found.len()), (power, events), "{code}");
        }
    }

    #[test]
    fn mods_are_found_where_claude_code_loads_them() {
        let folder = tempfile::tempdir().unwrap();
        lay(folder.path(), "quiet", "export function register(on) { on('classic.PreToolUse', f) }");
        let plain = folder.path().join("skills/plain");
        fs::create_dir_all(&plain).unwrap();
        fs::write(plain.join("SKILL.md"), "# A skill").unwrap();
        let plugin = folder.path().join("plugins/cache/shop/tool/1.0/hooks");
        fs::create_dir_all(&plugin).unwrap();
        fs::write(plugin.join("hooks.json"), r#"{"hooks":{"Stop":[]}}"#).unwrap();
        let found = of_user(folder.path());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].folder, folder.path().join("skills/quiet"));
        assert_eq!(
            (found[0].power, found[0].events.as_slice()),
            (Power::Swallows, &["classic.PreToolUse".to_owned()][..])
        );
        // Its module cannot be read, so its power is unknown.
        fs::write(plugin.join("hooks.json"), r#"{"modules":["./gone.js"]}"#).unwrap();
        let found = of_user(folder.path());
        assert!(found.iter().any(|it| it.power == Power::Unknown), "{found:?}");
    }
}
