//! `codex-two-files`

use tenter_hosts::install::Scope;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::edit::Format;
use crate::survey::HookFile;

check! {
    /// Codex finds hooks in `hooks.json` and in `config.toml` of the same folder.
    ///
    /// It runs both and warns at every start. Keep them in one of the two; hooks that are moved must be
    /// approved again.
    CHECK {
        id: "codex-two-files",
        summary: "Codex has hooks in hooks.json and in config.toml",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let each = |state| Scope::ALL.into_iter().map(move |scope| (state, scope));
    for (state, scope) in exam.survey.hosts.iter().flat_map(each) {
        let with_hooks = |format: Format| {
            state.in_scope(scope).find(|file: &&HookFile| {
                file.format == format && !file.read_only && !file.hooks().is_empty()
            })
        };
        if let (Some(json), Some(toml)) = (with_hooks(Format::Json), with_hooks(Format::Toml)) {
            let line = toml.hooks().first().map_or(0, |found| found.line);
            out.push(
                CHECK
                    .found(format!("there are hooks in {} too", json.path.display()))
                    .in_file(toml, line)
                    .means(format!("{} runs both and warns at every start", state.host.title()))
                    .fix("keep the hooks in one of the two files"),
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
    fn a_configuration_without_hooks_is_no_second_file() {
        let scene = Scene::wired(HostId::Codex);
        let trust = "[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n";
        scene.write("home/.codex/config.toml", trust);
        assert!(scene.found(&CHECK).is_empty());
        let hook = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"ls\"\n";
        scene.write("home/.codex/config.toml", &format!("{trust}{hook}"));
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
