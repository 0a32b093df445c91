//! Notes for the user about an installed file.

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use super::{Choice, Request};
use crate::Places;
use crate::edit::{Format, Hook};
use crate::survey::{Content, HookFile, HostState};

pub(super) fn of(
    request: &Request,
    state: &HostState,
    file: &HookFile,
    choice: &Choice,
    hooks: &[Hook],
    kept: Option<String>,
    places: &Places,
) -> Vec<String> {
    let install = tenter_hosts::host(state.host).install();
    let version = &state.here.version;
    let mut notes = vec![on_failure(install.title, choice, hooks, file.host)];
    notes.extend(kept);
    if version.is_none() && install.wires.iter().any(|it| !(install.knows)(it, None)) {
        notes.push(format!(
            "the version of {} is not known, so only the events that every version knows are wired",
            install.title
        ));
    }
    if let Some(switch) = state.silenced(request.scope) {
        notes.push(format!(
            "hooks here do not run: {} in {}; {}",
            switch.what,
            switch.path.display(),
            switch.fix
        ));
    }
    for other in state.in_scope(request.scope).filter(|it| it.path != file.path) {
        if let (Content::Broken(fault), Format::Toml) = (&other.content, other.format) {
            let (title, path) = (install.title, other.path.display());
            notes.push(format!("{path}, {fault}; {title} does not start before it is mended"));
        }
    }
    let moves = request.moves.iter().filter(|one| one.path == file.path).count();
    if moves > 0 {
        notes.push(format!(
            "hooks of other tools that move to the policy: {moves}; it runs them on every host, and `tenter \
             uninstall` puts them back"
        ));
    }
    notes.extend(moved(state.host, places));
    if request.scope == Scope::Project {
        if let (true, Some(project)) = (install.only_from_root, &places.project) {
            notes.push(format!(
                "{} reads this file only when it is started in {}, and not in a folder below",
                install.title,
                project.display()
            ));
        }
        let needs = if request.program.is_absolute() {
            "tenter at the same path"
        } else {
            "tenter on PATH, also of hosts that the desktop starts (/usr/local/bin), or wired in the user scope"
        };
        notes.push(format!(
            "{} runs the hooks of a project only in a folder that its user trusts; who shares this file needs {needs}",
            install.title
        ));
    }
    notes
}

/// The host's behaviour when tenter cannot be run, and how to recover.
fn on_failure(title: &str, choice: &Choice, hooks: &[Hook], host: HostId) -> String {
    if closes(hooks) {
        return "fail-closed: calls stop while tenter is missing or crashes".to_owned();
    }
    if choice.fail_open {
        return format!("fail-open: {title} lets calls pass while tenter is missing or crashes");
    }
    let passes = format!("{title} lets calls pass while tenter is missing or crashes");
    match tenter_hosts::host(host).install().closing {
        None => format!("{passes}; it has no setting against that"),
        Some(closing) => {
            format!("{passes}: only from {} on can it be told to stop them", closing.since)
        }
    }
}

/// Whether hooks tell their host to block when they fail.
pub(super) fn closes(hooks: &[Hook]) -> bool {
    let keys = HostId::ALL.map(|host| tenter_hosts::host(host).install().closing);
    let is_key = |key: &str| keys.iter().flatten().any(|closing| closing.key == key);
    hooks.iter().any(|hook| hook.fields.iter().any(|(key, _)| is_key(key)))
}

/// Why hooks fail closed, and how to recover.
pub(super) const CLOSED: &str = "A guard that cannot run must not look like consent. If tenter is ever gone: delete \
     the entries with `tenter hook` from these files. --fail-open lets calls pass instead.";

/// The note for a variable that may move a host's folder, where that is not established.
fn moved(host: HostId, places: &Places) -> Option<String> {
    let install = tenter_hosts::host(host).install();
    let mut variables = install.folder_perhaps_moved_by.iter();
    let variable = variables.find(|name| places.variables.contains_key(**name))?;
    let (title, folder) = (install.title, install.folder);
    Some(format!(
        "{variable} is set, which moves settings of {title}'s command line client; hooks are written to \
         ~/{folder}, where {title} documents them: `tenter prove` tells whether they are read"
    ))
}
