//! Builds a canary's payload in the host's native format.

use std::path::Path;

use tenter_hosts::trial;
use tenter_model::HostId;

use super::{Canary, HARMLESS, SAMPLE};

/// Parameters of a canary's payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct CanaryCall<'c> {
    pub(super) host: HostId,
    pub(super) event: &'c str,
    /// Text for the event's matcher.
    pub(super) subject: &'c str,
    pub(super) canary: Canary,
    pub(super) token: &'c str,
    /// Working folder of the host.
    pub(super) cwd: &'c Path,
}

impl CanaryCall<'_> {
    /// The payload, on one line.
    pub(super) fn payload(&self) -> String {
        let host = tenter_hosts::host(self.host);
        (host.trial().payload)(&trial::TrialCall {
            event: self.event,
            subject: self.subject,
            command: match self.canary {
                Canary::Sample => SAMPLE,
                _ if self.subject == SAMPLE => SAMPLE,
                _ => HARMLESS,
            },
            session: &self.canary.session(self.token),
            id: &format!("call-{}-{}", self.canary.as_str(), self.token),
            turn: self.token,
            cwd: self.cwd,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_model::Object;

    fn call<'c>(host: HostId, event: &'c str, subject: &'c str, canary: Canary) -> CanaryCall<'c> {
        CanaryCall { host, event, subject, canary, token: "00ff", cwd: Path::new("/w/shop") }
    }

    #[test]
    fn every_event_decodes_as_its_own_with_a_session_and_no_notes() {
        for id in HostId::ALL {
            let host = tenter_hosts::host(id);
            let install = host.install();
            for wire in install.wires.iter().chain(install.others) {
                let subject = super::super::matching::subject(id, wire.event, None).unwrap();
                let text = call(id, wire.event, subject, Canary::Deny).payload();
                let object = Object::parse(&text).unwrap();
                let event = host.decode(&object);
                assert_eq!(event.native_event, wire.event, "{id}");
                assert_eq!(event.session_id.as_deref(), Some("tenter-canary-deny-00ff"), "{text}");
                assert!(event.notes.is_empty(), "{id} {}: {:?}", wire.event, event.notes);
                let kind = host.spec(wire.event).kind;
                assert_eq!(kind, event.kind(), "{id} {}", wire.event);
            }
        }
    }

    #[test]
    fn the_sample_is_in_the_shell_and_nowhere_else() {
        for (host, event, subject) in [
            (HostId::Cursor, "preToolUse", "Shell"),
            (HostId::Cursor, "beforeShellExecution", HARMLESS),
            (HostId::Claude, "PreToolUse", "Bash"),
            (HostId::Codex, "PreToolUse", "Bash"),
        ] {
            let sample = call(host, event, subject, Canary::Sample).payload();
            assert!(sample.contains(SAMPLE), "{sample}");
            for canary in [Canary::Deny, Canary::Pass] {
                let other = call(host, event, subject, canary).payload();
                assert!(other.contains(HARMLESS) && !other.contains(SAMPLE), "{other}");
            }
        }
    }
}
