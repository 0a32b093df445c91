//! Agents that are started from a command, with or without the hooks they are set up with.

use tenter_shell::{Field, MOVERS, Ran};

use super::{MOVED, SWITCH};
use crate::finding::{At, Found};
use crate::scene::Scene;

/// Programs that run others as another user, with that user's settings.
const AS_OTHERS: &[&str] = &["sudo", "doas", "su", "runuser", "pkexec", "gosu", "su-exec"];

pub(super) fn look(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let agent = ran.program.as_str();
    if switched_off(scene, ran) {
        let what = format!("starts {agent} with hooks switched off");
        found.add(&SWITCH, At::span(ran.span, agent), what);
    } else if only_shows(ran) {
        // Runs no tool, so no hook is missed.
    } else if let Some(name) = moved(scene, ran) {
        let what = format!("starts {agent} with other settings: {name} is changed for it");
        found.add(&MOVED, At::span(ran.span, agent), what);
    } else if let Some(via) = ran.via.iter().find(|via| AS_OTHERS.contains(&&*via.name)) {
        let what =
            format!("starts {agent} as another user through {}, without your hooks", via.name);
        found.add(&MOVED, At::span(ran.span, agent), what);
    }
}

fn switched_off(scene: &Scene<'_>, ran: &Ran) -> bool {
    let word = |at: usize| ran.argv.get(at).and_then(Field::exact).unwrap_or_default();
    let mut before = "";
    let mut off = ran.assignments.iter().any(|(name, _)| name.starts_with("TENTER"));
    for field in ran.argv.iter().skip(1) {
        let text = field.prefix();
        let sources = text.strip_prefix("--setting-sources=");
        let sources = sources.or((before == "--setting-sources").then_some(text));
        let settings = text.strip_prefix("--settings=");
        let settings = settings.or((before == "--settings").then_some(text));
        off |= matches!(text, "--bare" | "--safe-mode")
            || settings.is_some_and(|file| file_switches_off(scene, file))
            || text.contains("disableAllHooks")
            || text.contains("features.hooks=false")
            || text.contains("features.codex_hooks=false")
            || (before == "--disable" && matches!(text, "hooks" | "codex_hooks"))
            || sources.is_some_and(|sources| !sources.split(',').any(|it| it.trim() == "user"));
        before = text;
    }
    off || word(1) == "hooks" && matches!(word(2), "disable" | "disable-all")
}

/// Bytes of a settings file that are looked at.
const LONGEST: usize = 64 * 1024;

/// `claude --settings x.json`, also when the same command writes the file.
fn file_switches_off(scene: &Scene<'_>, file: &str) -> bool {
    let switch = |text: &str| text.contains("disableAllHooks");
    let path = match scene.places.cwd {
        Some(cwd) if !file.starts_with('/') => format!("{}/{file}", cwd.trim_end_matches('/')),
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

/// The first variable that makes the agent read other settings.
fn moved<'r>(scene: &Scene<'_>, ran: &'r Ran) -> Option<&'r str> {
    let moves = |(name, value): &&(String, Field)| {
        let default = MOVERS.iter().find(|(known, _)| known == name);
        default.is_some_and(|(_, default)| !is_kept(scene.places.home, name, default, value))
    };
    ran.assignments.iter().find(moves).map(|(name, _)| name.as_str())
}

/// `HOME="$HOME"`, `CODEX_HOME=~/.codex`: the value is the one it has anyway.
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
