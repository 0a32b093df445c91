//! `shebang-missing`

use crate::Severity;
use crate::command::Place;
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};
use crate::script::{Head, Script, inspect};

rule! {
    /// A script without a `#!` line that is started itself.
    ///
    /// The shell then runs it as a script of its own: Python or JavaScript fails on its first line,
    /// and bash's extras fail where `sh` is another shell.
    ///
    /// Bad:
    /// ```text
    /// import json, sys
    /// ```
    /// Good:
    /// ```text
    /// #!/usr/bin/env python3
    /// import json, sys
    /// ```
    RULE {
        id: "shebang-missing",
        summary: "the script names no interpreter",
        severity: Severity::Warning,
        cost: "whatever shell starts it runs it as its own script",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    if cfg!(windows) {
        return;
    }
    for (_, literal, part) in model.parts().filter(|(_, _, part)| part.direct) {
        let Place::File(path) = &part.place else { continue };
        if inspect(path) == (Script::File { executable: true, head: Head::Text }) {
            out.add(
                &RULE,
                model.part_at(literal, part),
                format!("`{}` has no `#!` line", part.word),
            )
            .fix("begin it with one, such as `#!/usr/bin/env bash`");
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::testing::{Machine, cursor};

    #[test]
    fn a_script_names_its_interpreter() {
        let machine = Machine::new(&[
            ("w/x.py*", "print(1)\n"),
            ("w/y.py*", "#!/usr/bin/env python3\n"),
            ("w/z*", "\0"),
        ]);
        let file = "w/.cursor/hooks.json";
        let command = |text: &str| cursor("stop", &format!("{{\"command\": \"{text}\"}}"));
        let places = |text: &str| machine.places("shebang-missing", &[(file, &command(text))]);
        assert_eq!(places("./x.py"), ["2:23"]);
        for good in ["./y.py", "python3 x.py", "./z"] {
            assert!(places(good).is_empty(), "{good}");
        }
    }
}
