//! `wrong-directory`

use std::path::{Path, PathBuf};

use tenter_model::HostId;

use crate::command::{Part, Place, join};
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, Cost, rule};
use crate::{Layer, Severity};

rule! {
    /// A path that starts from another folder than the host's.
    ///
    /// Cursor runs a project's hooks from the project's root, a user's from `~/.cursor`, a plugin's
    /// from the plugin's root. Claude Code and Codex run every hook from the folder that the session
    /// is in. The finding is made only when the script is there when looked for from elsewhere.
    ///
    /// Bad (in `.cursor/hooks.json` of a project):
    /// ```json
    /// { "command": "./hooks/format.sh" }
    /// ```
    /// Good:
    /// ```json
    /// { "command": ".cursor/hooks/format.sh" }
    /// ```
    RULE {
        id: "wrong-directory",
        summary: "a path that starts from another folder than the host's",
        severity: Severity::Error,
        cost: Cost::all("the hook fails every time"),
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for (handler, literal, part) in model.parts() {
        let Some(better) = better(model, part) else { continue };
        let at = model.part_at(literal, part);
        let message = format!("`{}` starts from {}", part.word, start(model));
        let draft = out.add(&RULE, at.clone(), message);
        draft.cost(handler.failure_cost(model.host())).fix(format!("write `{better}`"));
        // A quoted word would need other quotes; one without a place is no part of a line.
        if !part.quoted && !part.range.is_empty() {
            draft.edits(vec![Edit::new(at, in_json(&better))]);
        }
    }
}

/// The folder that a relative command of this file starts from, in words.
fn start(model: &FileModel<'_>) -> &'static str {
    match (model.host(), model.file.layer) {
        (HostId::Cursor, Layer::User) => "`~/.cursor`",
        (HostId::Cursor, Layer::Plugin) => "the plugin's root",
        (HostId::Cursor, Layer::Enterprise) => "the folder of this file",
        (HostId::Cursor, _) | (_, Layer::Project | Layer::Local) => "the project's root",
        _ => "the folder that the session is in",
    }
}

/// The word that would find the script, when the one that is there does not.
pub(super) fn better(model: &FileModel<'_>, part: &Part) -> Option<String> {
    let word = part.word.as_str();
    let relative = !word.starts_with(['/', '~', '$']) && (word.contains('/') || !part.direct);
    let lost = match &part.place {
        Place::File(path) => !path.exists(),
        Place::Adrift => true,
        Place::Program => false,
    };
    if !relative || !lost {
        return None;
    }
    candidates(model)
        .into_iter()
        .find_map(|(folder, name)| {
            let found = join(&folder, word);
            let rest = found.strip_prefix(&folder).ok().or_else(|| {
                // A path that leaves the folder again is named from the folder above it.
                found.strip_prefix(folder.parent()?).ok().filter(|_| name.is_empty())
            })?;
            found.is_file().then(|| spelled(&name, rest))
        })
        .filter(|better| !better.contains(char::is_whitespace))
}

/// Folders that people have in mind, and how a path below each is written.
fn candidates(model: &FileModel<'_>) -> Vec<(PathBuf, String)> {
    let root = model.file.root().map(Path::to_owned);
    let home = model.options.home.clone();
    let below = |folder: Option<PathBuf>, inner: &str, name: &str| {
        let folder =
            folder.map(|folder| if inner.is_empty() { folder } else { folder.join(inner) });
        folder.map(|folder| (folder, name.to_owned()))
    };
    let found = match (model.host(), model.file.layer) {
        (HostId::Cursor, Layer::Project) => vec![below(root, ".cursor", ".cursor/")],
        (HostId::Cursor, Layer::User) => vec![below(home, "", "~/")],
        (HostId::Cursor, Layer::Plugin) => vec![below(root, "hooks", "./hooks/")],
        (HostId::Claude, Layer::Project | Layer::Local) => {
            vec![below(root, ".claude", "\"$CLAUDE_PROJECT_DIR\"/.claude/")]
        }
        (HostId::Claude, Layer::User) => {
            vec![below(home.clone(), ".claude", "~/.claude/"), below(home, "", "~/")]
        }
        (HostId::Claude, Layer::Plugin) => vec![
            below(root.clone(), "", "\"${CLAUDE_PLUGIN_ROOT}\"/"),
            below(root, "hooks", "\"${CLAUDE_PLUGIN_ROOT}\"/hooks/"),
        ],
        (HostId::Codex, Layer::Project) => vec![below(root, ".codex", ".codex/")],
        (HostId::Codex, Layer::User) => {
            let own = model
                .file
                .path
                .parent()
                .map(|folder| (folder.to_owned(), format!("{}/", folder.display())));
            vec![own, below(home, "", "~/")]
        }
        _ => Vec::new(),
    };
    found.into_iter().flatten().collect()
}

fn spelled(name: &str, rest: &Path) -> String {
    let rest = rest.display().to_string().replace('\\', "/");
    // Cursor's own folder is where user hooks start: no need to name it.
    match rest.strip_prefix(".cursor/") {
        Some(inner) if name == "~/" => format!("./{inner}"),
        _ => format!("{name}{rest}"),
    }
}

fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let inner = quoted.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::testing::{Machine, cursor, grouped};

    const SCRIPT: &str = "#!/bin/sh\n";

    fn command(text: &str) -> String {
        cursor("stop", &format!("{{\"command\": \"{text}\"}}"))
    }

    fn handler(text: &str) -> String {
        grouped("Stop", "", &format!("{{\"type\": \"command\", \"command\": \"{text}\"}}"))
    }

    fn fixed(machine: &Machine, name: &str, text: &str) -> String {
        let file = machine.file(name, text);
        crate::fix(&[file], &machine.options).files[0].text.clone()
    }

    #[test]
    fn a_projects_hooks_start_at_its_root() {
        let machine = Machine::new(&[("w/.cursor/hooks/x.sh*", SCRIPT), ("w/tools/y.sh*", SCRIPT)]);
        let file = "w/.cursor/hooks.json";
        let places = |text: &str| machine.places("wrong-directory", &[(file, &command(text))]);
        assert_eq!(places("./hooks/x.sh"), ["2:23"]);
        assert_eq!(places("bash hooks/x.sh --all"), ["2:28"]);
        assert!(places(".cursor/hooks/x.sh").is_empty());
        assert!(places("./tools/y.sh").is_empty());
        assert!(places("./nowhere/z.sh").is_empty(), "that is merely missing");
        assert_eq!(
            fixed(&machine, file, &command("./hooks/x.sh -a")),
            command(".cursor/hooks/x.sh -a")
        );
        assert!(machine.lint(&[(file, &command(".cursor/hooks/x.sh"))]).is_empty());
    }

    #[test]
    fn a_users_hooks_start_in_the_folder_of_their_file() {
        let machine =
            Machine::new(&[("home/.cursor/hooks/x.sh*", SCRIPT), ("home/bin/y.sh*", SCRIPT)]);
        let file = "home/.cursor/hooks.json";
        assert_eq!(fixed(&machine, file, &command(".cursor/hooks/x.sh")), command("./hooks/x.sh"));
        assert_eq!(fixed(&machine, file, &command("bin/y.sh")), command("~/bin/y.sh"));
        assert!(machine.lint(&[(file, &command("hooks/x.sh"))]).is_empty());
    }

    #[test]
    fn claude_has_no_fixed_folder() {
        let machine = Machine::new(&[
            ("home/.claude/hooks/x.sh*", SCRIPT),
            ("w/.claude/hooks/y.sh*", SCRIPT),
        ]);
        let user = "home/.claude/settings.json";
        assert_eq!(fixed(&machine, user, &handler("hooks/x.sh")), handler("~/.claude/hooks/x.sh"));
        assert!(machine.lint(&[(user, &handler("~/.claude/hooks/x.sh"))]).is_empty());
        let project = "w/.claude/settings.json";
        let good = handler("\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/y.sh");
        assert_eq!(fixed(&machine, project, &handler("./hooks/y.sh")), good);
        assert!(machine.lint(&[(project, &good)]).is_empty());
    }

    #[test]
    fn codex_is_the_same() {
        let machine = Machine::new(&[("w/.codex/hooks/x.py", "print(1)\n")]);
        let good = handler("python3 .codex/hooks/x.py");
        assert_eq!(fixed(&machine, "w/.codex/hooks.json", &handler("python3 hooks/x.py")), good);
        assert!(machine.lint(&[("w/.codex/hooks.json", &good)]).is_empty());
    }
}
