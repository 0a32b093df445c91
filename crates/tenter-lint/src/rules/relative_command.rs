//! `relative-command`

use crate::Severity;
use crate::command::{Part, Place, base_name};
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};

rule! {
    /// A relative path in Claude Code's project settings.
    ///
    /// Hooks run in the folder that the session is in, and that moves when the agent changes folder.
    /// `CLAUDE_PROJECT_DIR` does not move; Cursor sets it too.
    ///
    /// Bad:
    /// ```json
    /// { "type": "command", "command": ".claude/hooks/guard.sh" }
    /// ```
    /// Good:
    /// ```json
    /// { "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh" }
    /// ```
    RULE {
        id: "relative-command",
        summary: "a relative path where the working folder moves",
        severity: Severity::Note,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let depends = |part: &Part| {
        let relative = !part.word.starts_with(['/', '~', '$']);
        relative && matches!(&part.place, Place::File(path) if path.is_file())
    };
    let mut found = model.parts().filter(|(_, _, part)| depends(part));
    // Reported once per file: a project does it everywhere or nowhere.
    let Some((_, literal, part)) = found.next() else { return };
    let more = match found.count() {
        0 => String::new(),
        count => format!(", and {count} more do"),
    };
    let message = format!("`{}` depends on the session's folder{more}", base_name(&part.word));
    let rest = part.word.trim_start_matches("./");
    out.add(&RULE, model.part_at(literal, part), message)
        .fix(format!("write `\"$CLAUDE_PROJECT_DIR\"/{rest}`"));
}

#[cfg(test)]
mod tests {
    use crate::testing::{Machine, grouped};

    #[test]
    fn a_project_has_a_variable_for_it() {
        let machine = Machine::new(&[("w/.claude/hooks/x.py", "print(1)\n")]);
        let handler = |command: &str| {
            grouped("Stop", "", &format!("{{\"type\": \"command\", \"command\": \"{command}\"}}"))
        };
        let file = "w/.claude/settings.json";
        let bad = handler("python3 .claude/hooks/x.py");
        assert_eq!(machine.places("relative-command", &[(file, &bad)]), ["3:41"]);
        let twice = bad.replace(
            "}]}]",
            "}, {\"type\": \"command\", \"command\": \"python3 .claude/hooks/x.py\"}]}]",
        );
        let found = machine.lint(&[(file, &twice)]);
        assert_eq!((found.len(), found[0].message.ends_with("and 1 more do")), (1, true));
        let good = handler("python3 \\\"$CLAUDE_PROJECT_DIR\\\"/.claude/hooks/x.py");
        assert!(machine.lint(&[(file, &good)]).is_empty());
    }
}
