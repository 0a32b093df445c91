//! `record-lost`

use std::fs::OpenOptions;
use std::path::Path;

use tenter_files::Whose;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// Calls left no record, and none has been written since.
    ///
    /// Every call leaves a record of what was asked and answered. Where it cannot be written (the disk is full, the
    /// file is not ours, another process holds it) the call is answered all the same and counted; the next record that
    /// can be written says how many are missing. While the count stands, nothing is recorded.
    CHECK {
        id: "record-lost",
        summary: "calls leave no record",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let Some(state) = &exam.places.state else { return };
    let lost = count(&state.join("lost"));
    let file = state.join("audit/current.jsonl");
    let blocked = file.symlink_metadata().is_ok() && !can_append(&file);
    if blocked {
        out.push(
            CHECK
                .found("the file of the record cannot be written")
                .at(&file, 0)
                .means("calls are judged and answered, but leave no record")
                .fix(format!("by hand: make it a file that you can write to: {}", file.display())),
        );
    }
    if lost > 0 {
        let calls = if lost == 1 { "call has" } else { "calls have" };
        out.push(
            CHECK
                .found(format!("{lost} {calls} left no record since the last one that was written"))
                .at(&state.join("audit"), 0)
                .means("these calls and their answers cannot be recovered")
                .fix("by hand: make room on the disk, and look at the other findings; the next record tells how many are missing"),
        );
    }
}

/// Maximum size of the counter file.
const MOST: u64 = 64 * 1024;

/// Number of unrecorded calls. An unreadable counter means at least one.
fn count(path: &Path) -> u64 {
    let Ok(text) = tenter_files::read_text(path, MOST, Whose::State) else { return 0 };
    match text.lines().next().unwrap_or_default().trim() {
        "" => 0,
        digits => digits.parse().unwrap_or(1),
    }
}

/// Whether lines can be appended to a file. Opening it changes nothing.
fn can_append(path: &Path) -> bool {
    tenter_files::open_with(path, OpenOptions::new().append(true), Whose::State).is_ok()
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    const STATE: &str = "home/.local/state/tenterhook";

    #[test]
    fn calls_without_a_record_are_counted_until_one_tells() {
        let scene = Scene::wired(HostId::Claude);
        let found = |text: &str| {
            scene.write(&format!("{STATE}/lost"), text);
            scene.found(&CHECK).into_iter().map(|found| found.message).collect::<Vec<_>>()
        };
        assert!(found("00000000000000000000\n").is_empty());
        assert_eq!(
            found("00000000000000000012\n"),
            ["12 calls have left no record since the last one that was written"]
        );
        assert_eq!(
            found("0000000000000000000x\n"),
            ["1 call has left no record since the last one that was written"]
        );
    }

    #[test]
    fn a_file_that_takes_no_lines_is_told() {
        let scene = Scene::wired(HostId::Claude);
        scene.write(&format!("{STATE}/audit/current.jsonl"), "");
        assert!(scene.found(&CHECK).is_empty());
        std::fs::remove_file(scene.path(&format!("{STATE}/audit/current.jsonl"))).unwrap();
        scene.write(&format!("{STATE}/audit/current.jsonl/a"), "a folder in its place");
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1);
        assert!(found[0].fix.ends_with("audit/current.jsonl"), "{found:?}");
    }
}
