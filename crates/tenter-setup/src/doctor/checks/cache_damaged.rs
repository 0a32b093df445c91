//! `cache-damaged`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Findings, Repair};

check! {
    /// A compiled policy in the cache is damaged or cannot be read.
    ///
    /// It is not used: the policy is read from its files instead, which takes longer, and a new one is written
    /// in its place where that is possible. `--fix` removes it.
    CHECK {
        id: "cache-damaged",
        summary: "a compiled policy in the cache is damaged",
        severity: Severity::Warning,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for image in &exam.facts.images {
        let path = image.path.display();
        out.push(
            CHECK
                .found(format!("the compiled policy cannot be used: {}", image.why))
                .at(&image.path, 0)
                .means("the policy is compiled from its files at every call until this one is replaced")
                .fix(format!("rm -r {path}"))
                .repair(Repair::Remove(image.path.clone())),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::BadImage;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn a_damaged_image_is_taken_away() {
        let mut scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty());
        let path = scene.write("home/.cache/tenterhook/policy-1.image", "no image");
        let why = "it is cut off".to_owned();
        scene.facts.images = vec![BadImage { path: path.clone(), why }];
        assert_eq!(scene.found(&CHECK).len(), 1);
        assert!(scene.mended().iter().all(|mended| mended.result.is_ok()));
        assert!(!path.exists());
    }
}
