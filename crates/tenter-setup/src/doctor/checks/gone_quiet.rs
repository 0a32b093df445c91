//! `gone-quiet`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::sessions::latest;

check! {
    /// Hooks of a host fired once, but no longer, though the host is used.
    ///
    /// Its transcripts are more than a day younger than our last sign of life. An update of the host, a new
    /// setting or a changed entry may have silenced the hooks: `tenter prove` tells.
    CHECK {
        id: "gone-quiet",
        summary: "a host is used, but its hooks have stopped firing",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

const DAY: u64 = 24 * 60 * 60;

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        let Some(wired) = exam.wired.iter().find(|wired| wired.file.host == state.host) else {
            continue;
        };
        let Some(seen) = exam.last_sign(state.host) else { continue };
        let Some(used) = latest(exam, state.host, None) else { continue };
        let silent = used.saturating_sub(seen);
        if silent > DAY {
            let title = state.host.title();
            out.push(
                CHECK
                    .found(format!(
                        "{title} was used {} days after its last hook reached us",
                        silent / DAY
                    ))
                    .in_file(wired.file, wired.found.line)
                    .means("something may have silenced the hooks since")
                    .fix(format!("tenter prove --hosts {}", state.host)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECK, DAY};
    use crate::doctor::testing::{NOW, Scene, touch};
    use tenter_model::HostId;

    #[test]
    fn a_day_of_silence_is_too_long() {
        let mut scene = Scene::wired(HostId::Codex);
        let transcript = scene.write("home/.codex/sessions/2026/11/02/rollout-1.jsonl", "");
        touch(&transcript, NOW - 60);
        scene.sign(HostId::Codex, NOW - 3 * DAY);
        let found = scene.found(&CHECK);
        assert!(found[0].message.contains("2 days after"), "{found:?}");
        scene.sign(HostId::Codex, NOW - 3600);
        assert!(scene.found(&CHECK).is_empty());
    }
}
