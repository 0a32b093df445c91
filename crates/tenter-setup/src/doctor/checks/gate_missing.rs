//! `gate-missing`

use tenter_hosts::install::{Role, Wire};

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::Findings;

check! {
    /// A host is wired, but not to every event that can stop something.
    ///
    /// Calls that come through the missing event are not judged; without the one that calls of tools come
    /// through, the guard is not live. An event counts as wired in any scope, and through the more special
    /// events that stand for the same calls.
    CHECK {
        id: "gate-missing",
        summary: "an event that can stop something is not wired",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        let mut wired = exam.wired.iter().filter(|wired| wired.file.host == state.host).peekable();
        let Some(first) = wired.peek().map(|wired| wired.file) else { continue };
        let events: Vec<&str> = wired.map(|wired| wired.found.event.as_str()).collect();
        let install = tenter_hosts::host(state.host).install();
        let stands_in = |gate: &str| {
            install.others.iter().any(|it| it.twin == Some(gate) && events.contains(&it.event))
        };
        let missing: Vec<&Wire> = install
            .wires
            .iter()
            .filter(|wire| wire.role == Role::Gate)
            .filter(|wire| (install.knows)(wire, state.here.version.as_deref()))
            .filter(|wire| !events.contains(&wire.event) && !stands_in(wire.event))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let names: Vec<&str> = missing.iter().map(|wire| wire.event).collect();
        let finding = CHECK
            .found(format!("{} is not wired to {}", state.host.title(), names.join(", ")))
            .in_file(first, 0)
            .fix(install_command(first.host, first.scope));
        out.push(if missing.iter().any(|wire| wire.by_tool) {
            let guards = exam.guards().into_iter().filter(|(host, _)| *host == state.host);
            guards.fold(
                finding.severity(Severity::Error).means("tool calls are not checked"),
                |finding, (host, scope)| finding.kills(host, scope),
            )
        } else {
            finding.means("calls through this event are not checked")
        });
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
    fn every_gate_must_be_wired_somewhere() {
        for host in HostId::ALL {
            let scene = Scene::wired(host);
            assert!(scene.found(&CHECK).is_empty(), "{host}");
            let gate = tenter_hosts::host(host).trial().shell_event;
            let gate = if host == HostId::Cursor { "preToolUse" } else { gate };
            let other = if host == HostId::Cursor { "afterAgentThought" } else { "Notification" };
            scene.change(host, Scope::User, &format!("\"{gate}\""), &format!("\"{other}\""));
            let found = scene.found(&CHECK);
            assert!(found[0].message.ends_with(gate), "{found:?}");
            assert_eq!(found[0].kills, [(host, Scope::User)], "calls of tools pass");
            scene.wire(host, Scope::Project, "bin/tenter");
            assert!(scene.found(&CHECK).is_empty(), "{host}: wired in the project");
        }
    }

    #[test]
    fn without_a_gate_that_is_not_for_tools_the_guard_still_lives() {
        let scene = Scene::wired(HostId::Claude);
        scene.change(HostId::Claude, Scope::User, "\"UserPromptSubmit\"", "\"Notification\"");
        let found = scene.found(&CHECK);
        assert_eq!(found[0].severity, Severity::Warning, "{found:?}");
        assert!(found[0].kills.is_empty(), "{found:?}");
    }
}
