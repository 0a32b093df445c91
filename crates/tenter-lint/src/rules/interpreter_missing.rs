//! `interpreter-missing`

use std::ffi::OsStr;

use crate::Severity;
use crate::command::Place;
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};
use crate::script::{Head, Interpreter, Script, inspect, on_path};

rule! {
    /// A script whose interpreter is not there, or is called by a wrong name.
    ///
    /// A file with Windows line ends asks for `bash` with a carriage return behind it, which no
    /// system has.
    ///
    /// Bad:
    /// ```text
    /// #!/usr/local/bin/bash        (on a machine that has /bin/bash only)
    /// ```
    /// Good:
    /// ```text
    /// #!/usr/bin/env bash
    /// ```
    RULE {
        id: "interpreter-missing",
        summary: "the interpreter of the script is not there",
        severity: Severity::Error,
        cost: "the hook fails every time",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    if cfg!(windows) {
        return;
    }
    for (handler, literal, part) in model.parts().filter(|(_, _, part)| part.direct) {
        let Place::File(path) = &part.place else { continue };
        let Script::File { head: Head::Shebang { interpreter, carriage_return }, .. } =
            inspect(path)
        else {
            continue;
        };
        let at = model.part_at(literal, part);
        let cost = handler.failure_cost(model.host());
        if carriage_return {
            let message = format!("the `#!` line of `{}` ends in a carriage return", part.word);
            out.add(&RULE, at, message).cost(cost).fix("save the script with Unix line ends");
        } else if let Some(name) = missing(&interpreter, model.options.path.as_deref()) {
            let message = format!("`{}` asks for `{name}`, which is not there", part.word);
            out.add(&RULE, at, message).cost(cost).fix("install it, or correct the `#!` line");
        }
    }
}

fn missing(interpreter: &Interpreter, path: Option<&OsStr>) -> Option<String> {
    match interpreter {
        Interpreter::Path(path) if !path.exists() => Some(path.display().to_string()),
        Interpreter::Program(name) if !on_path(name, path) => Some(name.clone()),
        _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::testing::{Machine, cursor};

    #[test]
    fn the_shebang_must_hold() {
        let machine = Machine::new(&[
            ("w/a*", "#!/no/such/bash\n"),
            ("w/b*", "#!/usr/bin/env frobnicate\n"),
            ("w/c*", "#!/bin/sh\r\necho\r\n"),
            ("w/d*", "#!/usr/bin/env python3\n"),
            ("w/e*", "#!/bin/sh\necho\n"),
        ]);
        let file = "w/.cursor/hooks.json";
        let command = |text: &str| cursor("stop", &format!("{{\"command\": \"{text}\"}}"));
        let places = |text: &str| machine.places("interpreter-missing", &[(file, &command(text))]);
        for bad in ["./a", "./b", "./c"] {
            assert_eq!(places(bad), ["2:23"], "{bad}");
        }
        for good in ["./d", "./e", "sh a"] {
            assert!(places(good).is_empty(), "{good}");
        }
    }
}
