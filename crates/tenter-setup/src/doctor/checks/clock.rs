//! `clock`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::sessions::changed;

check! {
    /// The clock of this machine is wrong, or was.
    ///
    /// Our own files are from the future, or it is the year 1970. Calls that were allowed until a time stay
    /// allowed too long or not at all, and "last fired" means nothing.
    CHECK {
        id: "clock",
        summary: "the clock is wrong, or our files are from the future",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

/// Tolerance for clocks of file servers and containers.
const SLACK: u64 = 120;
/// Earliest plausible time: this program did not exist before.
const FIRST: u64 = 1_767_225_600;

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let now = exam.places.now;
    let fix = "set the clock (timedatectl set-ntp true)";
    if now < FIRST {
        let finding = CHECK.found("the clock of this machine is years behind").fix(fix);
        out.push(finding.means("exceptions with an end stay in force for years"));
        return;
    }
    let late = now.saturating_add(SLACK);
    let last = exam.facts.signs.iter().map(|sign| sign.at_ms / 1000).max();
    if let Some(ahead) = last.filter(|at| *at > late) {
        let seconds = ahead.saturating_sub(now);
        out.push(
            CHECK
                .found(format!("a hook was last seen {seconds} seconds from now"))
                .means("the clock was ahead then or is behind now, and \"last fired\" cannot be relied on")
                .fix(fix),
        );
        return;
    }
    let state = exam.places.state.as_deref();
    if let Some(state) = state.filter(|state| changed(state).is_some_and(|at| at > late)) {
        out.push(
            CHECK
                .found("our state was changed at a time that is still to come")
                .at(state, 0)
                .means("the clock was ahead then, or is behind now")
                .fix(fix),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::{NOW, Scene, touch};
    use tenter_model::HostId;

    #[test]
    fn signs_from_the_future_betray_the_clock() {
        let mut scene = Scene::wired(HostId::Codex);
        scene.sign(HostId::Codex, NOW - 5);
        assert!(scene.found(&CHECK).is_empty());
        scene.sign(HostId::Codex, NOW + 60);
        assert!(scene.found(&CHECK).is_empty(), "a minute is nothing");
        scene.sign(HostId::Codex, NOW + 4000);
        assert_eq!(scene.found(&CHECK).len(), 1);
        scene.facts.signs.clear();
        scene.places.now = 100;
        assert_eq!(scene.found(&CHECK).len(), 1, "1970");
    }

    #[test]
    fn so_does_a_folder_from_the_future() {
        let scene = Scene::wired(HostId::Codex);
        let state = scene.write("home/.local/state/tenterhook", "a file does as well");
        assert!(scene.found(&CHECK).is_empty());
        touch(&state, NOW + 9000);
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
