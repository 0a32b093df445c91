//! Detects on a hook call that hook files, programs or policies were changed by others.
//!
//! A host whose hooks were removed calls nobody, but the next call of another host notices. An ordinary call
//! reads one small file and stats each file it lists; files are read only if their metadata changed.

use std::borrow::Cow;

use tenter_model::Verdict;
use tenter_policy::policy::Origin;
use tenter_policy::{Finding, Level, Weight};
use tenter_setup::files;
use tenter_setup::wiring::{self, Changed, Kind};
use tenter_shell::Certainty;

use super::LocalMachine;
use crate::places;

/// The changes, reported to one call only.
pub(crate) fn changes(machine: &LocalMachine) -> Vec<Changed> {
    let Some(state) = &machine.folders.state else { return Vec::new() };
    let stamp = wiring::read(state);
    let project = machine.cwd.as_deref().filter(|_| !stamp.is_empty());
    let newcomers = project.map(|cwd| wiring::newcomers(&stamp, std::path::Path::new(cwd)));
    let newcomers = newcomers.unwrap_or_default();
    if !stamp.is_empty() && newcomers.is_empty() && wiring::holds(&stamp) {
        return Vec::new();
    }
    if stamp.is_empty() && !state.join("installed.json").exists() {
        return Vec::new();
    }
    // Of several concurrent calls one reports.
    let lock = tenter_files::open(&state.join("installed.json"), tenter_files::Whose::State);
    if lock.as_ref().is_ok_and(|lock| lock.try_lock().is_err()) || wiring::read(state) != stamp {
        return Vec::new();
    }
    let cwd = machine.cwd.as_deref().unwrap_or("/");
    let places = places::read(std::path::Path::new(cwd), None);
    let Ok(ledger) = files::ledger(&places) else { return Vec::new() };
    let (mut changed, renewed) = if stamp.is_empty() {
        // Installed by an older version without stamps: create one.
        (Vec::new(), wiring::fresh(&places, &ledger).unwrap_or_default())
    } else {
        wiring::compare(&stamp, &ledger)
    };
    let (more, renewed) = wiring::extend(renewed, newcomers, &ledger);
    changed.extend(more);
    // Without it the same is reported again, which is better than never.
    drop(wiring::write(state, &renewed));
    changed
}

/// Makes a change of our own, which no later call reports. Earlier changes by others still are.
pub(crate) fn by_us<T>(machine: &LocalMachine, change: impl FnOnce() -> T) -> T {
    let state = machine.folders.state.as_deref();
    let state = state.filter(|state| {
        let stamp = wiring::read(state);
        !stamp.is_empty() && wiring::holds(&stamp)
    });
    let changed = change();
    let cwd = machine.cwd.as_deref().unwrap_or("/");
    let places = places::read(std::path::Path::new(cwd), None);
    if let (Some(state), Ok(ledger)) = (state, files::ledger(&places))
        && let Some(stamp) = wiring::fresh(&places, &ledger)
    {
        // Without it the change is reported, which is the safe side.
        drop(wiring::write(state, &stamp));
    }
    changed
}

/// Records the changes, and tells the user about severe ones.
pub(crate) fn tell(
    changed: &[Changed],
    verdict: &mut Verdict,
    findings: &mut Vec<Finding>,
    warnings: &mut Vec<String>,
) {
    findings.extend(changed.iter().map(|it| Finding {
        rule: Cow::Borrowed("self-protection/tampering"),
        weight: Weight::Grave,
        level: Level::Log,
        origin: Origin::BuiltIn,
        script: None,
        span: None,
        subject: it.path.display().to_string(),
        what: format!("{} {} since the last call, not by tenter", it.path.display(), it.what),
        instead: Cow::Borrowed("tenter doctor --fix"),
        certainty: Certainty::Certain,
        by_rule: false,
        excepted: None,
    }));
    let own = std::env::current_exe().ok();
    // Policies are edited by people, and a program that still works was upgraded; both are only recorded.
    let grave = changed.iter().filter(|it| match it.kind {
        Kind::Hooks | Kind::Mods => true,
        Kind::Program => own.as_ref() != Some(&it.path),
        Kind::Policy => false,
    });
    let said: Vec<String> = grave.map(|it| format!("{} {}", it.path.display(), it.what)).collect();
    if said.is_empty() {
        return;
    }
    let text = format!(
        "tenter: the guard's wiring was changed: {}. If this was not you, run `tenter doctor --fix`",
        said.join("; ").replace(char::is_control, " ")
    );
    match &mut verdict.user_message {
        Some(message) => {
            message.push('\n');
            message.push_str(&text);
        }
        none => *none = Some(text.clone()),
    }
    warnings.push(text);
}
