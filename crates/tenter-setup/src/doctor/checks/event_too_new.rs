//! `event-too-new`

use tenter_hosts::install::numbers;
use tenter_model::HostId;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// An event that the host has, but not yet in the version on this machine.
    ///
    /// Cursor and Claude Code before 2.1.101 drop the whole file for one event they do not know. `tenter
    /// install` writes only what the version that it finds knows; an update of the host helps as well.
    CHECK {
        id: "event-too-new",
        summary: "an event that this version of the host does not know yet",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

/// From here on Claude Code passes over an event that it does not know.
const LENIENT: [u32; 3] = [2, 1, 101];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        let Some(here) = exam.version(state.host) else { continue };
        let host = tenter_hosts::host(state.host);
        for file in &state.files {
            let mut said: Vec<&str> = Vec::new();
            for found in file.hooks() {
                let wire = host.install().wire(&found.event);
                let since = match wire {
                    Some(wire) if (host.install().knows)(wire, state.here.version.as_deref()) => {
                        None
                    }
                    Some(wire) => wire.since,
                    None => numbers(host.spec(&found.event).since).filter(|since| *since > here),
                };
                let Some([major, minor, patch]) = since else { continue };
                if said.contains(&found.event.as_str()) {
                    continue;
                }
                said.push(&found.event);
                let voids = match state.host {
                    HostId::Cursor => true,
                    HostId::Claude => here < LENIENT,
                    HostId::Codex => false,
                };
                let named = state.named();
                let mut finding = CHECK
                    .found(format!(
                        "{named} does not know `{}` yet, which came with {major}.{minor}.{patch}",
                        found.event
                    ))
                    .in_file(file, found.line);
                finding = if voids {
                    finding
                        .means("the whole file may be dropped, with every hook in it")
                        .kills(file.host, file.scope)
                } else {
                    finding.severity(Severity::Warning).means("these hooks never run")
                };
                out.push(
                    finding.fix(format!("update {}, or take the event out", state.host.title())),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn only_events_of_later_versions_are_too_new() {
        let found = |host, version| {
            let mut scene = Scene::wired(host);
            scene.version(host, version);
            scene.found(&CHECK)
        };
        let old = found(HostId::Cursor, "2.0.4");
        assert!(old[0].message.contains("`preToolUse`"), "{}", old[0].message);
        assert_eq!(old[0].kills, [(HostId::Cursor, Scope::User)]);
        assert!(found(HostId::Cursor, "3.21.16").is_empty());
        assert!(!found(HostId::Claude, "2.1.90").is_empty());
        assert!(found(HostId::Claude, "2.1.325").is_empty());
        assert!(Scene::wired(HostId::Claude).found(&CHECK).is_empty(), "a version nobody knows");
    }
}
