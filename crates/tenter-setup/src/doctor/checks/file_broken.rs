//! `file-broken`

use crate::command::{make_room, word};
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::Findings;
use crate::survey::{Content, HookFile};

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
                .fix(unreadable(file)),
            Content::Broken(fault) => CHECK
                .found(format!("it cannot be parsed: {}", fault.message))
                .of(file.host, file.scope)
                .at_column(&file.path, fault.line, fault.column)
                .fix(format!(
                    "by hand: mend it there, then: {}",
                    install_command(file.host, file.scope)
                )),
        };
        out.push(
            finding
                .means(format!("{title} runs no hook of this file, whoever's it is"))
                .kills(file.host, file.scope),
        );
    }
}

/// Fix for an unreadable file: permissions, or moving away a pipe, a folder or a broken link.
fn unreadable(file: &HookFile) -> String {
    let path = word(&file.path);
    let is_file = std::fs::metadata(&file.path).is_ok_and(|found| found.is_file());
    if !is_file {
        let again = install_command(file.host, file.scope);
        return format!("{} && {again}", make_room(&file.path));
    }
    if tenter_files::open(&file.path, tenter_files::Whose::Anyone).is_err() {
        return format!("chmod u+rw {path}");
    }
    format!("by hand: save {path} as UTF-8 text")
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
