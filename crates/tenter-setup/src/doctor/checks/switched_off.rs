//! `switched-off`

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use super::settings_env;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::survey::Switch;

check! {
    /// A setting keeps hooks from running.
    ///
    /// `disableAllHooks`, `allowManagedHooksOnly` and `strictPluginOnlyCustomization` of Claude Code,
    /// `[features] hooks = false` and `allow_managed_hooks_only` of Codex. The file that has the last word
    /// is named; of Claude Code's a managed one beats the project's, and that one the user's. An agent that is
    /// started from a shell with `CLAUDE_CODE_SIMPLE` or `CLAUDE_CODE_SAFE_MODE` runs no hook either.
    CHECK {
        id: "switched-off",
        summary: "a setting keeps the host from running hooks",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        let title = state.host.title();
        for switch in &state.switches {
            let silenced =
                switch.silences.iter().filter(|scope| exam.has_guard(state.host, **scope));
            let silenced: Vec<_> = silenced.copied().collect();
            let mut finding = CHECK
                .found(format!("`{}`", switch.what))
                .of(state.host, silenced.first().copied())
                .at(&switch.path, line(exam, switch))
                .fix(&switch.fix);
            if silenced.is_empty() {
                let means = format!("{title} runs no hook there, also none of other tools");
                finding = finding.severity(Severity::Note).means(means);
            } else {
                let names: Vec<&str> = silenced.iter().map(|scope| scope.as_str()).collect();
                finding = finding.means(format!(
                    "{title} runs no hook of the {} scope, the guard is off",
                    names.join(" and ")
                ));
            }
            for scope in silenced {
                finding = finding.kills(state.host, scope);
            }
            out.push(finding);
        }
    }
    by_environment(exam, out);
}

/// Reports variables of this shell, which an agent started from it inherits.
fn by_environment(exam: &Exam<'_>, out: &mut Findings) {
    for host in HostId::ALL {
        let scopes = [Scope::User, Scope::Project];
        let scopes = scopes.into_iter().filter(|scope| exam.has_guard(host, *scope));
        let scopes: Vec<Scope> = scopes.collect();
        for name in tenter_hosts::host(host).install().silenced_by {
            let value = exam.places.variables.get(*name);
            let value = value.filter(|value| settings_env::is_on(value) && !scopes.is_empty());
            let Some(value) = value else { continue };
            let title = host.title();
            let mut finding = CHECK
                .found(format!("{name} is {value}"))
                .of(host, None)
                .means(format!(
                    "a {title} that is started from here runs no hook, the guard is off"
                ))
                .fix(format!("by hand: unset {name}, also where your shell sets it"));
            for scope in &scopes {
                finding = finding.kills(host, *scope);
            }
            out.push(finding);
        }
    }
}

/// The line of the setting; zero if unknown.
fn line(exam: &Exam<'_>, switch: &Switch) -> usize {
    let key = switch.what.split([' ', '=']).next().unwrap_or_default();
    let key = key.rsplit('.').next().unwrap_or_default();
    let file = exam.survey.files().find(|file| file.path == switch.path);
    let text = file.and_then(|file| file.text()).unwrap_or_default();
    let is_set = |line: &str| {
        let line = line.trim_start();
        line.contains(&format!("\"{key}\"")) || line.starts_with(key)
    };
    text.lines().position(is_set).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::{CHECK, HostId, Scope};
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;

    #[test]
    fn a_shell_turns_them_off_for_what_it_starts() {
        for (name, value, dead) in [
            ("CLAUDE_CODE_SIMPLE", "1", 1),
            ("CLAUDE_CODE_SAFE_MODE", "true", 1),
            ("CLAUDE_CODE_SIMPLE", "0", 0),
        ] {
            for (host, dead) in [(HostId::Claude, dead), (HostId::Cursor, 0)] {
                let mut scene = Scene::wired(host);
                scene.places.variables.insert(name.to_owned(), value.to_owned());
                let found = scene.found(&CHECK);
                assert_eq!(found.len(), dead, "{host} {name}={value}: {found:?}");
                assert!(found.iter().all(|it| it.kills == [(HostId::Claude, Scope::User)]));
            }
        }
    }

    #[test]
    fn the_last_word_is_with_the_highest_file() {
        let scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty());
        scene.change(
            HostId::Claude,
            Scope::User,
            "{\"hooks\"",
            "{\n\"disableAllHooks\": true,\n\"hooks\"",
        );
        let found = scene.found(&CHECK);
        assert_eq!(found[0].kills, [(HostId::Claude, Scope::User)]);
        assert_eq!(found[0].place.as_ref().unwrap().line, 2);
        scene.lay(&scene.file(HostId::Claude, Scope::Project), "{\"disableAllHooks\": false}");
        assert!(scene.found(&CHECK).is_empty(), "the project has switched them on again");
        scene.lay(&scene.file(HostId::Claude, Scope::Managed), "{\"allowManagedHooksOnly\": true}");
        assert_eq!(scene.found(&CHECK)[0].kills, [(HostId::Claude, Scope::User)]);
    }

    #[test]
    fn codex_is_switched_off_in_its_configuration() {
        let scene = Scene::wired(HostId::Codex);
        scene.write("home/.codex/config.toml", "model = \"x\"\n[features]\nhooks = false\n");
        let found = scene.found(&CHECK);
        assert_eq!(found[0].kills, [(HostId::Codex, Scope::User)]);
        assert_eq!(found[0].place.as_ref().unwrap().line, 3);
    }

    #[test]
    fn where_nothing_of_ours_is_wired_it_is_only_a_note() {
        let scene = Scene::wired(HostId::Cursor);
        scene.lay(&scene.file(HostId::Claude, Scope::User), "{\"disableAllHooks\": true}");
        assert_eq!(scene.found(&CHECK)[0].severity, Severity::Note);
    }
}
