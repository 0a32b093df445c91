//! `calls-died`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// A hook call of the last week died: it crashed, was killed, or ran into the host's timeout.
    ///
    /// Most hosts take a hook that dies for one that has nothing to say, so the action may have gone on without a
    /// verdict. `tenter log --event died` shows when that was and, where the call could still say so, what it
    /// died of.
    CHECK {
        id: "calls-died",
        summary: "a hook call died",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

/// Time range that is searched.
const WEEK_MS: u64 = 7 * 24 * 60 * 60 * 1000;

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let now_ms = exam.places.now.saturating_mul(1000);
    let recent = |at: &&(u64, String)| at.0.saturating_add(WEEK_MS) >= now_ms;
    let died: Vec<&(u64, String)> = exam.facts.died.iter().filter(recent).collect();
    let Some((_, last)) = died.last() else { return };
    let calls = match died.len() {
        1 => "a call".to_owned(),
        count => format!("{count} calls"),
    };
    out.push(
        CHECK
            .found(format!("{calls} of the last week died; the last one {last}"))
            .means("the host may have gone on without a verdict")
            .fix("look at `tenter log --event died`; if it crashed, please report it"),
    );
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn only_deaths_of_the_last_week_are_told() {
        let mut scene = Scene::wired(HostId::Claude);
        assert_eq!(scene.found(&CHECK).len(), 0);
        let now = scene.places.now * 1000;
        scene.facts.died = vec![(now.saturating_sub(8 * 24 * 3_600_000), "of old age".to_owned())];
        assert_eq!(scene.found(&CHECK).len(), 0);
        scene.facts.died.push((now, "died before its record was written: signal 11".to_owned()));
        let found = scene.found(&CHECK);
        assert!(found[0].message.contains("signal 11"), "{}", found[0].message);
    }
}
