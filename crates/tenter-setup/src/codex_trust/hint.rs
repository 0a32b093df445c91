//! Instructions for the user to approve hooks, worded as in Codex.

use std::fmt::Write;
use std::path::Path;

use tenter_hosts::install::Scope;
use tenter_model::text::counted;

use super::{Listed, Status};
use crate::Places;

/// How to make Codex run our hooks; `None` if it does. `hooks` includes those of others: approving all at
/// once approves theirs too.
pub fn approve_hint(hooks: &[Listed], places: &Places) -> Option<String> {
    let waits = |hook: &&Listed| hook.status.wants_approval();
    let (ours, others): (Vec<&Listed>, Vec<&Listed>) =
        hooks.iter().filter(waits).partition(|hook| hook.is_ours(places));
    let off = hooks.iter().filter(|hook| hook.status == Status::Disabled && hook.is_ours(places));
    let off: Vec<&str> = off.map(|hook| hook.event.as_str()).collect();
    let mut text = String::new();
    if !ours.is_empty() {
        waiting(&mut text, &ours, others.len(), places);
    }
    if !off.is_empty() {
        say(&mut text, &format!("Codex was told not to run us at {}", off.join(", ")));
        say(&mut text, "start `codex`, type `/hooks`, go to each of these events and press space");
    }
    (!text.is_empty()).then_some(text)
}

/// Advice for hooks that are in a file but not listed by Codex.
pub fn unlisted_hint(file: &Path, scope: Scope, places: &Places) -> String {
    match places.main_checkout().filter(|_| scope == Scope::Project) {
        Some(main) => format!(
            "for a linked worktree Codex reads the hooks of {main}: tenter install --hosts codex --scope project --cwd {main}",
            main = main.display()
        ),
        None => format!(
            "start `codex`: it warns about a file that it cannot read; tenter lint {}",
            file.display()
        ),
    }
}

fn waiting(text: &mut String, ours: &[&Listed], others: usize, places: &Places) {
    let hooks = counted(ours.len(), "hook");
    say(
        text,
        &format!("Codex runs a hook only after its user has approved it; {hooks} of ours wait:"),
    );
    for (place, events) in by_place(ours, places) {
        say(text, &format!("  {place} ({})", events.join(", ")));
    }
    let project = ours.iter().find(|hook| hook.status == Status::ProjectUntrusted);
    let project = project.and_then(|hook| hook.source.parent()?.parent());
    match project {
        Some(project) => {
            let folder = shown(&project.to_string_lossy(), places);
            say(text, &format!("1. start `codex` in `{folder}` and answer `Trust and continue`"));
        }
        None => say(text, "1. start `codex` in a terminal, in any folder"),
    }
    say(text, "2. at `Hooks need review` choose `Review hooks`; should it not ask, type `/hooks`");
    if others == 0 {
        say(text, "3. see that the commands are those above and press `t` (trust all)");
    } else {
        let hooks = counted(others, "hook");
        say(
            text,
            &format!(
                "3. {hooks} of others wait too, so do not trust all: open each event above, \
                 look for the command and press `t` on it"
            ),
        );
    }
    say(text, "until then `codex exec` runs without them and does not say so");
}

/// Command and file of each hook, with its events.
fn by_place<'h>(ours: &[&'h Listed], places: &Places) -> Vec<(String, Vec<&'h str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for hook in ours {
        let file = shown(&hook.source.to_string_lossy(), places);
        let place = format!("`{}` in {file}", hook.command);
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, events)) if events.contains(&hook.event.as_str()) => {}
            Some((_, events)) => events.push(&hook.event),
            None => groups.push((place, vec![&hook.event])),
        }
    }
    groups
}

/// A path as Codex displays it.
fn shown(path: &str, places: &Places) -> String {
    let home = places.home.as_deref().and_then(|home| home.to_str());
    let below = home.and_then(|home| path.strip_prefix(home));
    match below {
        Some(below) if below.starts_with(['/', '\\']) => format!("~{below}"),
        _ => path.to_owned(),
    }
}

fn say(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    writeln!(text, "{line}").unwrap_or_default();
}
