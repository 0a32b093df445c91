//! `hardening-gone`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::harden::{self, Standing};

check! {
    /// A file that `tenter harden` protected is no longer protected.
    ///
    /// Somebody with root's rights has given it back, or another file stands in its place. `sudo tenter harden`
    /// protects it again, `sudo tenter harden --undo` forgets it.
    CHECK {
        id: "hardening-gone",
        summary: "a hardened file is no longer root's, or was replaced",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in harden::read(exam.places).unwrap_or_default() {
        if harden::standing(&file) == Standing::Loose {
            out.push(
                CHECK
                    .found("it was hardened, and can be changed again")
                    .at(&file.path, 0)
                    .means("every program of its user can change it")
                    .fix("sudo tenter harden"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn a_file_that_is_hardened_on_paper_only_is_found() {
        let scene = Scene::wired(HostId::Cursor);
        assert!(scene.found(&CHECK).is_empty());
        let file = scene.path("bin/tenter");
        let text = format!(
            r#"{{"version": 1, "files": [{{"path": "{}", "user": 1, "group": 1, "mode": 493, "flags": null, "device": 1, "inode": 1}}]}}"#,
            file.display()
        );
        let ledger = crate::harden::ledger(&scene.places);
        std::fs::create_dir_all(ledger.parent().unwrap()).unwrap();
        std::fs::write(ledger, text).unwrap();
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
