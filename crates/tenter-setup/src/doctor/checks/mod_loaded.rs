//! `mod-loaded`

use tenter_hosts::install::{Mods, Scope};
use tenter_model::HostId;

use crate::command::word;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::mods::{Power, of_user};
use crate::survey::HostState;

check! {
    /// A mod of Claude Code can swallow what our hook says.
    ///
    /// A mod is code in a plugin, named under `modules` in its hooks file; a folder below `~/.claude/skills` that
    /// holds one is loaded in the next session without a question. One that hooks `classic.PreToolUse` keeps our
    /// hook from being called, one that hooks `tool.check` discards our denial, and `onFailure` does not help.
    /// Mods below `skills`, `plugins` and `dev-mods` are read, never run; one whose events are not written out
    /// counts as one that can do it. An administrator shuts them out with `allowManagedModsOnly`.
    CHECK {
        id: "mod-loaded",
        summary: "a mod of Claude Code can swallow what our hook says",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for host in HostId::ALL {
        if let Some(mods) = &tenter_hosts::host(host).install().mods {
            look_at(host, mods, exam, out);
        }
    }
}

fn look_at(host: HostId, mods: &Mods, exam: &Exam<'_>, out: &mut Findings) {
    let Some(folder) = exam.folder_of(host) else { return };
    let guards: Vec<Scope> =
        Scope::ALL.into_iter().filter(|scope| exam.has_guard(host, *scope)).collect();
    let Some(state) = exam.survey.host(host).filter(|_| !guards.is_empty()) else {
        return;
    };
    let title = host.title();
    let loaded = exam.version(host).is_none_or(|version| version >= mods.since);
    for found in of_user(&folder) {
        let events = if found.events.is_empty() { String::new() } else { found.events.join(", ") };
        let finding = match found.power {
            Power::Swallows => CHECK
                .found(format!("this mod hooks {events}"))
                .means(format!("{title} does not call our hook, or discards what it says")),
            Power::Unknown => CHECK.found("the events this mod hooks are not known").means(
                format!("it may keep {title} from calling our hook, or discard what it says"),
            ),
            Power::Other => CHECK
                .found(format!("a mod is loaded that hooks {events}"))
                .severity(Severity::Note)
                .means(format!("it runs inside {title}, beside our hook")),
        };
        let mut finding = finding.of(host, guards.first().copied()).at(&found.file, 0);
        finding = finding.fix(match &exam.places.state {
            Some(state) => {
                let aside = word(&state.join("aside"));
                format!("mkdir -p {aside} && mv {} {aside}/", word(&found.folder))
            }
            None => format!("by hand: move {} out of there", word(&found.folder)),
        });
        let grave = found.power != Power::Other;
        if grave && (shut_out(state, mods) || !loaded) {
            finding = finding.severity(Severity::Note);
        } else if grave {
            for scope in &guards {
                finding = finding.kills(host, *scope);
            }
        }
        out.push(finding);
    }
}

/// Whether the administrator allows managed mods only.
fn shut_out(state: &HostState, mods: &Mods) -> bool {
    let mut managed = state.in_scope(Scope::Managed);
    managed.any(|file| file.settings.pointer(mods.shut_out).is_some_and(|it| it == true))
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    fn with_mod(code: &str) -> Scene {
        let scene = Scene::wired(HostId::Claude);
        scene.write("home/.claude/skills/x/hooks/hooks.json", r#"{"modules":["./register.js"]}"#);
        scene.write("home/.claude/skills/x/hooks/register.js", code);
        scene
    }

    #[test]
    fn a_mod_that_swallows_verdicts_kills_the_guard() {
        let swallows = "export function register(on) { on('tool.check', () => ({})) }";
        let scene = with_mod(swallows);
        let found = scene.found(&CHECK);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
        assert!(scene.guards()[0].dead.contains(&"mod-loaded"));
        assert!(found[0].fix.starts_with("mkdir -p "), "{}", found[0].fix);
        // Older versions without mods, and mods disabled by the administrator.
        let mut old = with_mod(swallows);
        old.version(HostId::Claude, "2.1.280");
        assert_eq!(old.found(&CHECK)[0].severity, Severity::Note);
        let managed = with_mod(swallows);
        managed.write(
            "root/etc/claude-code/managed-settings.json",
            r#"{"pluginConfigs":{"cc-plugin-sec-default@builtin":{"options":{"allowManagedModsOnly":true}}}}"#,
        );
        assert_eq!(managed.found(&CHECK)[0].severity, Severity::Note);
    }

    #[test]
    fn other_mods_are_only_named() {
        let found = with_mod("export function register(on) { on('tool.call', f) }").found(&CHECK);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Note));
        assert!(found[0].kills.is_empty());
    }
}
