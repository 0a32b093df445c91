//! `entry-gone`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::{Findings, Repair};
use crate::survey::Content;

check! {
    /// We wired a file, and nothing of us is left in it.
    ///
    /// Another tool has written the file anew, or somebody has taken our entries out, has changed them so
    /// that they no longer run us, or has removed the file. `--fix` puts them back as they were
    /// installed; if it is meant to be so, `tenter uninstall` forgets the file.
    CHECK {
        id: "entry-gone",
        summary: "a file that we wired has no hook of ours any more",
        severity: Severity::Error,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for file in exam.survey.files().filter(|file| exam.is_bare(file)) {
        let message = match &file.content {
            Content::Missing if file.path.is_symlink() => {
                "it was wired, and is a link to a file now that is not there"
            }
            Content::Missing => "it was wired, and is no longer there",
            Content::Hooks { .. } => "it was wired, and no hook in it runs tenter any more",
            // `file-broken` reports it in more detail.
            Content::Unreadable(_) | Content::Broken(_) => continue,
        };
        let (host, scope) = (file.host, file.scope);
        let finding = CHECK
            .found(message)
            .in_file(file, 0)
            .means(format!(
                "{} goes on without the guard; if you took it out yourself, `tenter uninstall --hosts \
                 {host} --scope {scope}` forgets the file",
                host.title()
            ))
            .fix(install_command(host, scope))
            .kills(host, scope);
        out.push(match exam.installed(file) {
            Some(_) if !file.read_only => finding.repair(Repair::PutBack(file.path.clone())),
            _ => finding,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn what_we_wrote_and_others_took_away_is_missed() {
        for host in HostId::ALL {
            let mut scene = Scene::wired(host);
            let path = scene.file(host, Scope::User);
            scene.facts.written = vec![path.clone()];
            assert!(scene.found(&CHECK).is_empty(), "{host}");
            for text in [Some("{\"hooks\": {}}\n"), Some("{"), None] {
                match text {
                    Some(text) => scene.lay(&path, text),
                    None => std::fs::remove_file(&path).unwrap(),
                }
                let guards = scene.guards();
                assert_eq!(guards.len(), 1, "{host}: {text:?}");
                assert!(!guards[0].dead.is_empty(), "{host}: {text:?} is not live");
                let ids: Vec<&str> = scene.findings().iter().map(|it| it.check.id).collect();
                assert!(!ids.contains(&"nothing-wired"), "{host}: {ids:?}");
                assert_eq!(ids.contains(&"entry-gone"), text != Some("{"), "{host}: {ids:?}");
            }
        }
    }

    #[test]
    fn a_file_of_others_is_not_missed_nor_one_whose_hooks_have_moved() {
        let mut scene = Scene::wired(HostId::Codex);
        let path = scene.file(HostId::Codex, Scope::User);
        scene.lay(&path, "{\"hooks\": {}}\n");
        assert!(scene.found(&CHECK).is_empty(), "we never wrote it");
        scene.facts.written = vec![path];
        let command = format!("{} hook codex", scene.path("bin/tenter").display());
        scene.write(
            "home/.codex/config.toml",
            &format!(
                "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"{command}\"\n"
            ),
        );
        assert!(scene.found(&CHECK).is_empty(), "the hooks are in the other file now");
    }
}
