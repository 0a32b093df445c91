//! `wrong-directory`

use std::path::{Path, PathBuf};

use tenter_hosts::lint::{Base, From, Layer, Meant};

use crate::Severity;
use crate::command::{Part, Place, join};
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};

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
        cost: "the hook fails every time",
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
        // A quoted word would need other quotes; one without a range is not part of a line.
        if !part.quoted && !part.range.is_empty() {
            draft.edits(vec![Edit::new(at, in_json(&better))]);
        }
    }
}

/// Description of the base folder of relative commands in this file.
fn start(model: &FileModel<'_>) -> String {
    let layer = model.file.layer;
    match ((model.lint().base)(layer), layer) {
        (Base::File, Layer::User) => format!("`~/{}`", model.install().folder),
        (Base::File, _) => "the folder of this file".to_owned(),
        (Base::Root, Layer::Plugin) => "the plugin's root".to_owned(),
        (Base::Root, _) => "the project's root".to_owned(),
        (Base::Session, _) => "the folder that the session is in".to_owned(),
    }
}

/// The word that would find the script, when the present one does not.
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
                // A path that leaves the folder again is written relative to its parent.
                found.strip_prefix(folder.parent()?).ok().filter(|_| name.is_empty())
            })?;
            found.is_file().then(|| spelled(model, &name, rest))
        })
        .filter(|better| !better.contains(char::is_whitespace))
}

/// Base folders that users often assume, and the prefix for a path below each.
fn candidates(model: &FileModel<'_>) -> Vec<(PathBuf, String)> {
    let of_layer = model.lint().meant.iter().filter(|meant| meant.layer == model.file.layer);
    let folder = |meant: &Meant| {
        let from = match meant.from {
            From::Root => model.file.root(),
            From::Home => model.options.home.as_deref(),
            From::File => model.file.path.parent(),
        }?;
        let inside = meant.inner.is_empty();
        let folder = if inside { from.to_owned() } else { from.join(meant.inner) };
        let name = match meant.name {
            "" => format!("{}/", folder.display()),
            name => name.to_owned(),
        };
        Some((folder, name))
    };
    of_layer.filter_map(folder).collect()
}

fn spelled(model: &FileModel<'_>, name: &str, rest: &Path) -> String {
    let rest = rest.display().to_string().replace('\\', "/");
    // The actual base folder needs no prefix.
    let starts_there = (model.lint().base)(model.file.layer) == Base::File && name == "~/";
    let inner = rest.strip_prefix(model.install().folder).and_then(|it| it.strip_prefix('/'));
    match inner.filter(|_| starts_there) {
        Some(inner) => format!("./{inner}"),
        None => format!("{name}{rest}"),
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
