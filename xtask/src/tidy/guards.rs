//! Counts the guards that look at programs instead of effects.
//!
//! A guard knows what happens, not which program does it: the judges of `tenter-shell` say so by effects, and
//! by roles where no effect does. A guard may read `.program` only if it is listed here, with its reason.

use super::Findings;
use super::files::File;
use super::lines;

const GUARDS: &str = "crates/tenter-policy/src/guards/";

/// Guards that may read a program's name. The list may only shrink.
const EXCUSED: &[(&str, &str)] = &[
    ("prompt_injection.rs", "looks at the letters of any name"),
    ("self_protection/agents.rs", "each agent has options of its own that switch hooks off"),
    ("self_protection/arguments.rs", "asks about programs that no judge knows"),
];

/// Number of guard files that read a program's arguments or wrappers through `scene.program(...)`. What they
/// look for belongs into effects too; the number may only shrink.
const ARGUMENTS: usize = 17;

pub(super) fn check(files: &[File]) -> Findings {
    let mut findings = Findings::new();
    let (mut names, mut arguments) = (Vec::new(), 0);
    for file in files.iter().filter(|file| lines::is_production(&file.name)) {
        let Some(guard) = file.name.strip_prefix(GUARDS) else { continue };
        let Some(text) = file.text() else { continue };
        let first = (1..).zip(text.lines()).find(|(_, line)| reads_name(line));
        names.extend(first.is_some().then_some(guard));
        arguments += usize::from(text.lines().any(|line| line.contains(".program(")));
        if let Some((number, _)) = first.filter(|_| !EXCUSED.iter().any(|(name, _)| *name == guard))
        {
            findings.push(format!(
                "{}:{number}: reads the name of a program: ask for an action of the effect or a `Role`",
                file.name
            ));
        }
    }
    for (name, _) in EXCUSED.iter().filter(|(name, _)| !names.contains(name)) {
        findings
            .push(format!("{name} no longer reads a name: take it off the list in tidy/guards.rs"));
    }
    if arguments != ARGUMENTS {
        findings.push(format!(
            "{arguments} guards read the words of programs, not {ARGUMENTS}: \
             move what they look for into effects, or lower the number in tidy/guards.rs"
        ));
    }
    println!("{} guards read the name of a program, {arguments} its words", names.len());
    findings
}

/// Whether a line of code reads the field `program`, not the method of that name, or that of a wrapper.
fn reads_name(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let wrapper = code.contains("via.name");
    wrapper
        || code.match_indices(".program").any(|(at, field)| {
            let after = code.get(at + field.len()..).and_then(|rest| rest.chars().next());
            !after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '(')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_field_counts() {
        for line in
            ["match ran.program.as_str() {", "f(&ran.program)", "a.program == b", "&*via.name"]
        {
            assert!(reads_name(line), "{line}");
        }
        for line in ["scene.program(effect)", "// ran.program", "a.programs", "At::program(ran)"] {
            assert!(!reads_name(line), "{line}");
        }
    }

    #[test]
    fn every_excuse_has_a_reason() {
        assert!(EXCUSED.iter().all(|(_, reason)| reason.len() > 10));
        assert!(EXCUSED.is_sorted());
    }
}
