//! `settings-env`

use tenter_model::HostId;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// The `env` of Claude Code's settings changes where we look for the policy, or `PATH`.
    ///
    /// Hooks run with these variables. Another `HOME` or `XDG_CONFIG_HOME` means another policy, and none at
    /// all where there is no file; a project can bring such a setting along.
    CHECK {
        id: "settings-env",
        summary: "the settings of Claude Code change HOME or PATH for hooks",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

const POLICY: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files().filter(|file| file.host == HostId::Claude) {
        let Some(variables) = file.settings.get("env").and_then(|env| env.as_object()) else {
            continue;
        };
        for name in variables.keys() {
            let ours = POLICY.contains(&name.as_str());
            if !ours && name != "PATH" {
                continue;
            }
            let key = format!("\"{name}\"");
            let text = file.text().unwrap_or_default();
            let line = text.lines().position(|line| line.contains(&key)).map_or(0, |at| at + 1);
            let finding = CHECK.found(format!("`env` sets {name}")).in_file(file, line);
            out.push(if ours {
                finding
                    .means("hooks that Claude Code starts ask another policy than yours")
                    .fix(format!("by hand: take {name} out of `env`"))
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
        scene.lay(&project, "{\"env\": {\n\"HOME\": \"/tmp/x\",\n\"PATH\": \".\"}}");
        let found = scene.found(&CHECK);
        let seen: Vec<_> = found
            .iter()
            .map(|found| (found.severity, found.place.as_ref().unwrap().line))
            .collect();
        assert_eq!(seen, [(Severity::Error, 2), (Severity::Warning, 3)]);
    }
}
