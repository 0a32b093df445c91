//! `settings-env`

use serde_json::Value;
use tenter_hosts::install::{Install, Scope};

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// Settings change where we look for the policy, where an agent looks for its hooks, `PATH`, or load code.
    ///
    /// Hooks run with the variables in the `env` of Claude Code's settings. Another `HOME` or `XDG_CONFIG_HOME` means
    /// another policy, and none at all where there is no file; `LD_PRELOAD` or `BASH_ENV` puts code into every hook.
    /// A project can bring such a setting along, and so can its `.envrc`, its development container and the tasks
    /// and settings of its editors.
    CHECK {
        id: "settings-env",
        summary: "settings change HOME or PATH, or turn hooks off, by a variable",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

const POLICY: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
/// Variables by which a shell or a program runs other code first.
const CODE: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
];

/// Whether a setting is on, as hosts read it; unclear values count as on.
pub(super) fn is_on(value: &str) -> bool {
    !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}

/// Effect of a variable in the settings, if relevant.
struct Effect {
    means: String,
    severity: Severity,
    /// No hook of the user or the project runs.
    kills: bool,
}

fn effect(install: &Install, name: &str, value: &Value) -> Option<Effect> {
    let title = install.title;
    let error = |means, kills| Effect { means, severity: Severity::Error, kills };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if install.silenced_by.contains(&name) {
        let means =
            format!("{title} then runs no hook of the user and the project: the guard is off");
        return is_on(&text).then(|| error(means, true));
    }
    if install.folder_moved_by == Some(name) {
        let means = format!("{title} then reads the settings and hooks of another folder");
        return (!text.is_empty()).then(|| error(means, true));
    }
    if POLICY.contains(&name) {
        let means = format!("hooks that {title} starts ask another policy than yours");
        return Some(error(means, false));
    }
    if CODE.contains(&name) {
        let means =
            format!("code that it names runs in every hook that {title} starts, before the hook");
        return Some(error(means, false));
    }
    (name == "PATH").then(|| Effect {
        means: "programs that hooks and handlers start by name may be others than yours".to_owned(),
        severity: Severity::Warning,
        kills: false,
    })
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files() {
        let install = tenter_hosts::host(file.host).install();
        let Some(key) = install.variables else { continue };
        let Some(variables) = file.settings.get(key).and_then(|env| env.as_object()) else {
            continue;
        };
        for (name, value) in variables {
            let Some(effect) = effect(install, name, value) else { continue };
            let quoted = format!("\"{name}\"");
            let text = file.text().unwrap_or_default();
            let line = text.lines().position(|line| line.contains(&quoted)).map_or(0, |at| at + 1);
            let fix = match effect.severity {
                Severity::Error => format!("by hand: take {name} out of `{key}`"),
                _ => format!(
                    "by hand: take PATH out of `{key}`, or see that it begins with folders of the system"
                ),
            };
            let mut finding = CHECK
                .found(format!("`{key}` sets {name}"))
                .in_file(file, line)
                .severity(effect.severity)
                .means(effect.means)
                .fix(fix);
            for scope in [Scope::User, Scope::Project].into_iter().filter(|_| effect.kills) {
                if exam.has_guard(file.host, scope) {
                    finding = finding.kills(file.host, scope);
                }
            }
            out.push(finding);
        }
    }
    let Some(project) = &exam.places.project else { return };
    for item in &exam.facts.moved {
        let path = project.join(&item.file);
        // Reported above, with its meaning there.
        if exam.survey.files().any(|file| {
            tenter_hosts::host(file.host).install().variables.is_some() && file.path == path
        }) {
            continue;
        }
        out.push(
            CHECK
                .found(format!("{} is set by the project", item.name))
                .at(&path, item.line)
                .means(format!("it {}", item.what))
                .fix(format!("by hand: take {} out, or do not start an agent here", item.name)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECK, Scope};
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn a_project_may_not_send_us_to_another_policy() {
        let scene = Scene::wired(HostId::Claude);
        let project = scene.file(HostId::Claude, Scope::Project);
        scene.lay(&project, "{\"env\": {\"EDITOR\": \"vi\"}}");
        assert!(scene.found(&CHECK).is_empty());
        scene.lay(
            &project,
            "{\"env\": {\n\"HOME\": \"/tmp/x\",\n\"PATH\": \".\",\n\"LD_PRELOAD\": \"x.so\"}}",
        );
        let found = scene.found(&CHECK);
        let mut seen: Vec<_> = found
            .iter()
            .map(|found| (found.severity, found.place.as_ref().unwrap().line))
            .collect();
        seen.sort_by_key(|(_, line)| *line);
        assert_eq!(seen, [(Severity::Error, 2), (Severity::Warning, 3), (Severity::Error, 4)]);
    }

    #[test]
    fn a_variable_that_turns_hooks_off_kills_the_guard() {
        for (variable, dead) in [
            ("\"CLAUDE_CODE_SIMPLE\": \"1\"", 1),
            ("\"CLAUDE_CODE_SAFE_MODE\": 1", 1),
            ("\"CLAUDE_CONFIG_DIR\": \"/tmp/x\"", 1),
            ("\"CLAUDE_CODE_SIMPLE\": \"0\"", 0),
            ("\"CLAUDE_CODE_SAFE_MODE\": \"\"", 0),
            ("\"CLAUDE_CODE_SIMPLER\": \"1\"", 0),
        ] {
            for scope in [Scope::User, Scope::Project] {
                let scene = Scene::wired(HostId::Claude);
                let env = format!("{{\"env\": {{{variable}}}");
                match scope {
                    Scope::User => {
                        let env = format!("{env}, \"hooks\"");
                        scene.change(HostId::Claude, scope, "{\"hooks\"", &env);
                    }
                    _ => scene.lay(&scene.file(HostId::Claude, scope), &format!("{env}}}")),
                }
                let found = scene.found(&CHECK);
                assert_eq!(found.len(), dead, "{variable} {scope:?}: {found:?}");
                assert!(found.iter().all(|it| it.kills == [(HostId::Claude, Scope::User)]));
            }
        }
    }

    #[test]
    fn other_files_of_a_project_may_not_either_and_none_is_told_twice() {
        let mut scene = Scene::wired(HostId::Claude);
        let project = scene.file(HostId::Claude, Scope::Project);
        scene.lay(&project, "{\"env\": {\"HOME\": \"/tmp/x\"}}");
        scene.write("home/shop/.envrc", "export EDITOR=vi\nexport HOME=$PWD/.h\n");
        scene.write("home/shop/docs/.envrc", "export HOME=$PWD/.h\n");
        scene.write(
            "home/shop/.devcontainer/devcontainer.json",
            "{\"containerEnv\": {\"CLAUDE_CONFIG_DIR\": \"/tmp/c\"}}",
        );
        scene.facts.moved = crate::scan::moved_folders(&scene.path("home/shop"));
        let found = scene.found(&CHECK);
        let seen: Vec<_> = found
            .iter()
            .map(|found| found.place.as_ref().unwrap())
            .map(|place| (place.file.file_name().unwrap().to_str().unwrap(), place.line))
            .collect();
        assert_eq!(seen, [("settings.json", 1), ("devcontainer.json", 1), (".envrc", 2)]);
    }
}
