//! `settings-env`

use tenter_model::HostId;

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
        summary: "settings change HOME or PATH for agents and hooks",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

const POLICY: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
/// Variables by which a shell or a program runs somebody's code before its own.
const CODE: [&str; 7] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files().filter(|file| file.host == HostId::Claude) {
        let Some(variables) = file.settings.get("env").and_then(|env| env.as_object()) else {
            continue;
        };
        for name in variables.keys() {
            let ours = POLICY.contains(&name.as_str());
            let code = CODE.contains(&name.as_str());
            if !ours && !code && name != "PATH" {
                continue;
            }
            let key = format!("\"{name}\"");
            let text = file.text().unwrap_or_default();
            let line = text.lines().position(|line| line.contains(&key)).map_or(0, |at| at + 1);
            let finding = CHECK.found(format!("`env` sets {name}")).in_file(file, line);
            out.push(if ours || code {
                let means = if ours {
                    "hooks that Claude Code starts ask another policy than yours"
                } else {
                    "code that it names runs in every hook that Claude Code starts, before the hook"
                };
                finding.means(means).fix(format!("by hand: take {name} out of `env`"))
            } else {
                finding
                    .severity(Severity::Warning)
                    .means(
                        "programs that hooks and handlers start by name may be others than yours",
                    )
                    .fix("by hand: take PATH out of `env`, or see that it begins with folders of the system")
            });
        }
    }
    let Some(project) = &exam.places.project else { return };
    for item in &exam.facts.moved {
        let path = project.join(&item.file);
        // Told above, with its meaning there.
        if exam.survey.files().any(|file| file.host == HostId::Claude && file.path == path) {
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
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
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
        let seen: Vec<_> = found
            .iter()
            .map(|found| (found.severity, found.place.as_ref().unwrap().line))
            .collect();
        assert_eq!(seen, [(Severity::Error, 2), (Severity::Warning, 3), (Severity::Error, 4)]);
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
