//! `script-missing`

use super::wrong_directory::better;
use crate::Severity;
use crate::command::{Part, Place, base_name};
use crate::finding::Findings;
use crate::model::{FileModel, Handler};
use crate::rule::{Check, rule};
use crate::script::{Script, inspect, on_path};

rule! {
    /// A script that is not there.
    ///
    /// Mind Python: for a file that it cannot open it exits with 2, which hosts take for a refusal.
    /// A missing `x.py` then blocks every action instead of none.
    ///
    /// Bad:
    /// ```json
    /// { "command": ".cursor/hooks/fromat.sh" }
    /// ```
    /// Good:
    /// ```json
    /// { "command": ".cursor/hooks/format.sh" }
    /// ```
    RULE {
        id: "script-missing",
        summary: "the script is not there",
        severity: Severity::Error,
        cost: "the hook fails every time",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for (handler, literal, part) in model.parts() {
        let Place::File(path) = &part.place else { continue };
        let what = match inspect(path) {
            Script::Missing => "is not there",
            Script::Folder => "is a folder",
            Script::File { .. } => continue,
        };
        // A shell also looks for a bare script name on PATH.
        let elsewhere = !part.word.contains('/')
            && model.options.path.is_some()
            && on_path(&part.word, model.options.path.as_deref());
        if elsewhere || better(model, part).is_some() {
            continue;
        }
        let message = format!("`{}` {what}", part.word);
        let draft = out.add(&RULE, model.part_at(literal, part), message);
        draft.cost(handler.failure_cost(model.host()));
        if part.word.starts_with("~/") && part.quoted {
            draft.fix("take the quotes off: a quoted `~` is no home folder");
        } else {
            let place = path.display();
            draft.fix(format!("the host looks for `{place}`: put it there, or correct the path"));
        }
        if by_python(handler, part) {
            draft.cost("Python exits with 2 for a missing file, which hosts take for a refusal");
        }
    }
}

fn by_python(handler: &Handler<'_>, part: &Part) -> bool {
    let before = handler.launch.parts.iter().take_while(|other| *other != part).last();
    let starts = |other: &Part| base_name(&other.word).starts_with("python");
    !part.direct && before.is_some_and(starts)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Machine, cursor, grouped};

    #[test]
    fn scripts_are_looked_for_as_the_host_does() {
        let machine = Machine::new(&[("w/.cursor/hooks/x.sh*", "#!/usr/bin/env sh\n")]);
        let file = "w/.cursor/hooks.json";
        let command = |text: &str| cursor("stop", &format!("{{\"command\": \"{text}\"}}"));
        let places = |text: &str| machine.places("script-missing", &[(file, &command(text))]);
        assert_eq!(places("./none.sh"), ["2:23"]);
        assert_eq!(places("bash none.sh"), ["2:28"]);
        assert_eq!(places(".cursor/hooks"), ["2:23"]);
        assert_eq!(places("/no/such/tenter hook cursor"), ["2:23"]);
        assert_eq!(places("~/none.sh"), ["2:23"]);
        for good in [
            ".cursor/hooks/x.sh",
            "$HOOKS/x.sh",
            "./x.sh || true",
            "\\\"$CURSOR_PROJECT_DIR\\\"/.cursor/hooks/x.sh",
        ] {
            assert!(places(good).is_empty(), "{good}");
        }
        let quoted = machine.lint(&[(file, &command("sh \\\"~/x.sh\\\""))]);
        assert!(quoted[0].fix.contains("take the quotes off"));
        assert!(machine.lint(&[(file, &command("python3 none.py"))])[0].cost.contains("refusal"));
    }

    #[test]
    fn arguments_without_a_shell_are_read_too() {
        let machine = Machine::new(&[("w/x.py", "print(1)\n")]);
        let handler = |script: &str| {
            let root = machine.root();
            let path = root.join("w").join(script);
            let args = format!("\"args\": [\"{}\"]", path.display());
            let handler = format!("{{\"type\": \"command\", \"command\": \"python3\", {args}}}");
            grouped("Stop", "", &handler)
        };
        let file = "w/.claude/settings.json";
        assert_eq!(machine.places("script-missing", &[(file, &handler("y.py"))]), ["3:32"]);
        assert!(machine.lint(&[(file, &handler("x.py"))]).is_empty());
    }
}
