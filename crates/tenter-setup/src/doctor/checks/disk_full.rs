//! `disk-full`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// The disk that holds our state or cache is full, or nearly.
    ///
    /// A call is still judged and answered; what it should leave behind is lost.
    CHECK {
        id: "disk-full",
        summary: "the disk that we write to is full or nearly so",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

/// Room for about a day of records.
const LITTLE: u64 = 50 * 1024 * 1024;
/// Too little for a single file.
const NOTHING: u64 = 1024 * 1024;
const FEW: u64 = 100;

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for space in &exam.facts.space {
        let no_files = space.files.is_some_and(|files| files < FEW);
        if space.bytes >= LITTLE && !no_files {
            continue;
        }
        let full = space.bytes < NOTHING || space.files == Some(0);
        let left = if no_files {
            "only a few more files can be made".to_owned()
        } else {
            format!("{} MB are left", space.bytes / (1024 * 1024))
        };
        out.push(
            CHECK
                .found(format!("the disk is {}: {left}", if full { "full" } else { "nearly full" }))
                .severity(if full { Severity::Error } else { Severity::Warning })
                .at(&space.folder, 0)
                .means("calls are judged, but nothing is remembered or recorded")
                .fix("make room on it"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use crate::doctor::{Severity, Space};
    use tenter_model::HostId;

    #[test]
    fn bytes_and_files_can_run_out() {
        let found = |bytes, files| {
            let mut scene = Scene::wired(HostId::Claude);
            scene.facts.space = vec![Space { folder: "/var".into(), bytes, files }];
            scene.found(&CHECK).first().map(|found| found.severity)
        };
        assert_eq!(found(1 << 30, Some(100_000)), None);
        assert_eq!(found(1 << 30, None), None, "not every file system counts files");
        assert_eq!(found(20 << 20, Some(100_000)), Some(Severity::Warning));
        assert_eq!(found(1000, Some(100_000)), Some(Severity::Error));
        assert_eq!(found(1 << 30, Some(0)), Some(Severity::Error));
    }
}
