//! `file-broken`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::survey::Content;

check! {
    /// A hook file that cannot be read or parsed.
    ///
    /// The host ignores the file with all hooks in it, ours and others', and most say nothing. Mend it at
    /// the line and column that are named; tenter changes no file that it cannot parse.
    CHECK {
        id: "file-broken",
        summary: "a hook file cannot be read or parsed",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files() {
        let title = file.host.title();
        let finding = match &file.content {
            Content::Missing | Content::Hooks { .. } => continue,
            Content::Unreadable(why) => CHECK
                .found(format!("it cannot be read: {why}"))
                .in_file(file, 0)
                .fix("make it a file that you can read"),
            Content::Broken(fault) => CHECK
                .found(format!("it cannot be parsed: {}", fault.message))
                .of(file.host, file.scope)
                .at_column(&file.path, fault.line, fault.column)
                .fix("mend it there, or put the last backup back"),
        };
        out.push(
            finding
                .means(format!("{title} runs no hook of this file, whoever's it is"))
                .kills(file.host, file.scope),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn the_place_of_the_mistake_is_named() {
        let scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty());
        scene.change(HostId::Claude, Scope::User, "\"hooks\": {\n", "\"hooks\": {\n  oops");
        let found = scene.found(&CHECK);
        let place = found[0].place.as_ref().unwrap();
        assert_eq!((place.line, place.column), (2, 3));
        assert_eq!(found[0].kills, [(HostId::Claude, Scope::User)]);
    }

    #[test]
    fn a_folder_in_place_of_a_file_is_no_file() {
        let scene = Scene::new();
        std::fs::create_dir_all(scene.file(HostId::Cursor, Scope::User)).unwrap();
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
