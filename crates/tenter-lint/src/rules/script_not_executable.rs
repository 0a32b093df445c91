//! `script-not-executable`

use std::path::Path;

use crate::command::{Place, base_name};
use crate::finding::{Findings, Repair};
use crate::model::FileModel;
use crate::rule::{Check, rule};
use crate::script::{Head, Script, inspect};
use crate::{Layer, Severity};

rule! {
    /// A script that may not be executed.
    ///
    /// `--fix` sets the bit for a script of the project, or of the folder of a user's hooks, that has
    /// a shebang.
    ///
    /// Bad:
    /// ```text
    /// -rw-r--r--  .cursor/hooks/format.sh
    /// ```
    /// Good:
    /// ```text
    /// -rwxr-xr-x  .cursor/hooks/format.sh      (chmod +x; git update-index --chmod=+x)
    /// ```
    RULE {
        id: "script-not-executable",
        summary: "the script lacks its executable bit",
        severity: Severity::Error,
        cost: "the hook fails every time",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for (handler, literal, part) in model.parts().filter(|(_, _, part)| part.direct) {
        let Place::File(path) = &part.place else { continue };
        let Script::File { executable: false, head } = inspect(path) else { continue };
        let message = format!("`{}` is not executable", part.word);
        let draft = out.add(&RULE, model.part_at(literal, part), message);
        draft.cost(handler.failure_cost(model.host()));
        if matches!(head, Head::Shebang { .. }) {
            let fix = format!("run `chmod +x {}`", path.display());
            let repair = is_ours(model, path).then(|| Repair::MakeExecutable(path.clone()));
            draft.fix(fix).repair(repair);
        } else {
            let name = base_name(&part.word);
            draft.fix(format!(
                "give `{name}` a `#!` line and `chmod +x`, or start it with its interpreter"
            ));
        }
    }
}

/// Whether a script is in the project or beside the user's hook file, links resolved.
fn is_ours(model: &FileModel<'_>, script: &Path) -> bool {
    let folder = match model.file.layer {
        Layer::Project | Layer::Local | Layer::Plugin => model.file.root(),
        Layer::User => model.file.path.parent(),
        Layer::Enterprise | Layer::Unknown => None,
    };
    let real = |path: &Path| path.canonicalize().ok();
    let (Some(script), Some(folder)) = (real(script), folder.and_then(real)) else { return false };
    script.starts_with(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use crate::testing::{Machine, cursor};
    use crate::{Repair, fix};

    #[test]
    fn the_bit_is_needed_only_where_the_script_is_started_itself() {
        let machine = Machine::new(&[
            ("w/x.sh", "#!/bin/sh\n"),
            ("w/y.py", "print(1)\n"),
            ("w/z.sh*", "#!/bin/sh\n"),
            ("home/x.sh", "#!/bin/sh\n"),
        ]);
        let file = "w/.cursor/hooks.json";
        let command = |text: &str| cursor("stop", &format!("{{\"command\": \"{text}\"}}"));
        let places =
            |text: &str| machine.places("script-not-executable", &[(file, &command(text))]);
        assert_eq!(places("./x.sh"), ["2:23"]);
        assert_eq!(places("./y.py"), ["2:23"]);
        assert!(places("bash x.sh").is_empty() && places("./z.sh").is_empty());
        let repair = |text: &str| machine.lint(&[(file, &command(text))])[0].repair.clone();
        let script = machine.root().join("w/x.sh");
        assert_eq!(repair("./x.sh"), Some(Repair::MakeExecutable(script.clone())));
        assert_eq!(repair("./y.py"), None, "without a shebang the bit is no help");
        assert_eq!(repair("~/x.sh"), None, "not of this project");
        let twice = command("./x.sh").replace("}]", "}, {\"command\": \"./x.sh -a\"}]");
        let fixed = fix(&[machine.file(file, &twice)], &machine.options);
        assert_eq!(fixed.executable.len(), 1);
        assert_eq!(fixed.executable[0].0, script);
    }
}
