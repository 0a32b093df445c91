//! `foreign-owner`

use std::path::Path;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// Our configuration or state belongs to somebody else, or everybody may change it.
    ///
    /// The owner of a policy decides what agents may do. A run with `sudo` often leaves such files.
    CHECK {
        id: "foreign-owner",
        summary: "our configuration or state belongs to somebody else",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let config = exam.facts.config.as_deref();
    let policy = config.map(|config| config.join("policy.toml"));
    let paths = [config, policy.as_deref(), exam.places.state.as_deref()];
    for path in paths.into_iter().flatten() {
        let Some((owner, mode)) = owner(path) else { continue };
        let shown = path.display();
        let finding = if exam.facts.user.is_some_and(|user| user != owner) {
            let user = exam.facts.user.unwrap_or_default();
            CHECK
                .found(format!("it belongs to user {owner}, and you are {user}"))
                .means(if owner == 0 {
                    "we may not be able to write to it"
                } else {
                    "that user decides what your agents may do"
                })
                .fix(format!("chown -R {user} {shown}"))
        } else if mode & 0o022 != 0 && Some(path) != exam.places.state.as_deref() {
            CHECK
                .found(format!("others may change it (mode {mode:o})"))
                .means("others decide what your agents may do")
                .fix(format!("chmod go-w {shown}"))
        } else {
            continue;
        };
        out.push(finding.at(path, 0));
    }
}

#[cfg(unix)]
fn owner(path: &Path) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    let found = path.metadata().ok()?;
    Some((found.uid(), found.mode() & 0o777))
}

#[cfg(not(unix))]
fn owner(_path: &Path) -> Option<(u32, u32)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::{Scene, set_mode};
    use std::os::unix::fs::MetadataExt;
    use tenter_model::HostId;

    #[test]
    fn what_is_mine_is_mine_alone() {
        let mut scene = Scene::wired(HostId::Claude);
        let policy = scene.write("home/.config/tenterhook/policy.toml", "version = 1\n");
        let me = std::fs::metadata(&policy).unwrap().uid();
        scene.facts.user = Some(me);
        set_mode(&scene.path("home/.config/tenterhook"), 0o755);
        assert!(scene.found(&CHECK).is_empty());
        set_mode(&policy, 0o666);
        assert_eq!(scene.found(&CHECK)[0].message, "others may change it (mode 666)");
        set_mode(&policy, 0o644);
        scene.facts.user = Some(me + 1);
        assert_eq!(scene.found(&CHECK).len(), 2, "the folder and the file");
    }
}
