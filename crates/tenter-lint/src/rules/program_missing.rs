//! `program-missing`

use crate::Severity;
use crate::command::{Place, join};
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};
use crate::script::on_path;

rule! {
    /// A program that is not on PATH.
    ///
    /// A name without a slash is looked up on PATH, never in the folder of the hooks. An agent that
    /// was started from a desktop may have a shorter PATH than your terminal.
    ///
    /// Bad:
    /// ```json
    /// { "command": "format.sh" }
    /// ```
    /// Good:
    /// ```json
    /// { "command": ".cursor/hooks/format.sh" }
    /// ```
    RULE {
        id: "program-missing",
        summary: "a program that is not on PATH",
        severity: Severity::Warning,
        cost: "the hook fails every time",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for (handler, literal, part) in model.parts() {
        if part.place != Place::Program || on_path(&part.word, model.options.path.as_deref()) {
            continue;
        }
        let message = format!("there is no program `{}` on PATH", part.word);
        let draft = out.add(&RULE, model.part_at(literal, part), message);
        draft.cost(handler.failure_cost(model.host()));
        let here = model.file.base().is_some_and(|base| join(base, &part.word).is_file());
        if here {
            draft.fix(format!("write `./{}`: a shell does not look here by itself", part.word));
        } else {
            draft.fix("install it, or write its whole path");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Machine, cursor};

    #[test]
    fn programs_are_looked_up_on_path() {
        let machine = Machine::new(&[("w/x.sh*", "#!/bin/sh\n")]);
        let file = "w/.cursor/hooks.json";
        let command = |text: &str| cursor("stop", &format!("{{\"command\": \"{text}\"}}"));
        let places = |text: &str| machine.places("program-missing", &[(file, &command(text))]);
        assert_eq!(places("frobnicate --all"), ["2:23"]);
        assert_eq!(places("x.sh"), ["2:23"]);
        assert!(machine.lint(&[(file, &command("x.sh"))])[0].fix.contains("./x.sh"));
        for good in ["python3 -V", "echo hi", "cd x && frobnicate", "frobnicate || true", "./x.sh"]
        {
            assert!(places(good).is_empty(), "{good}");
        }
    }
}
