//! `env`: other variables, another directory.
//!
//! Actions: `print-environment` (environment-dump: all variables are printed).

use super::common::{SH, assignment, joined, run, run_in, set, split};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::expand::Variable;
use crate::flow::{Source, Stream};
use crate::options::{Spec, parse};
use crate::run::Environment;
use crate::target::Target;
use crate::value::{Field, Part};

pub(super) const PROGRAMS: Programs = &[
    ("env", env),
    ("genv", env),
    ("cross-env", env),
    ("cross-env-shell", cross_env_shell),
    ("arch", arch),
];

const ENV: Spec = Spec::first(
    "iu:C:S:P:0va:L:U:",
    "ignore-environment unset= chdir= split-string= null debug block-signal=? \
     default-signal=? ignore-signal=? list-signal-handling argv0= help version",
);

/// Nested `-S` that are followed.
const MAX_SPLITS: usize = 8;

#[derive(Default)]
struct Env {
    empty: bool,
    directory: Option<Field>,
    unset: Vec<String>,
    about: bool,
    splits: usize,
}

fn env(call: &mut Call<'_, '_>) {
    let outer = call.machine.assignments.len();
    let mut state = Env::default();
    let argv = env_options(call.arguments().to_vec(), &mut state);
    let words = env_variables(call, &argv);
    env_command(call, &state, words);
    // Alone, it is listed with them.
    if call.ran_other {
        call.machine.assignments.truncate(outer);
    }
}

/// Sets the variables and returns the command after them.
fn env_variables<'a>(call: &mut Call<'_, '_>, argv: &'a [Field]) -> &'a [Field] {
    let mut words = argv;
    while let Some((first, rest)) = words.split_first() {
        if let Some((name, value)) = assignment(first) {
            set(call, name, value);
        } else if !first.has_unknown() || !has_sign(first) {
            break;
        }
        words = rest;
    }
    words
}

/// `"$NAME=value"` sets a variable, whatever its name is.
fn has_sign(field: &Field) -> bool {
    field.parts.iter().any(|part| matches!(part, Part::Text { text, .. } if text.contains('=')))
}

fn env_command(call: &mut Call<'_, '_>, state: &Env, words: &[Field]) {
    if state.about {
        return;
    }
    if words.is_empty() {
        call.stdout = Stream::default();
        if !state.empty {
            call.effect(Kind::EnvironmentDump, Act::PrintEnvironment, Target::None);
            call.stdout = Stream::from(Source::Environment);
        }
        return;
    }
    let environment = call.machine.shell.environment;
    if state.empty {
        call.machine.shell.environment = Environment::Emptied;
    }
    if state.unset.is_empty() {
        run_in(call, state.directory.as_ref(), words);
    } else {
        let before = call.machine.shell.variables.clone();
        for name in &state.unset {
            call.machine.shell.set(name, Variable::Unset);
        }
        run_in(call, state.directory.as_ref(), words);
        call.machine.shell.variables = before;
    }
    call.machine.shell.environment = environment;
}

/// Reads the options, one argument at a time because `-S` puts new ones in its place. Returns the
/// arguments after them.
fn env_options(mut arguments: Vec<Field>, state: &mut Env) -> Vec<Field> {
    let mut at = 0_usize;
    while let Some(field) = arguments.get(at) {
        if field.is("-") {
            state.empty = true;
            at = at.saturating_add(1);
            continue;
        }
        let step = parse(arguments.get(at..=at).unwrap_or_default(), &ENV);
        if step.after_dashes.is_some() {
            at = at.saturating_add(1);
            break;
        }
        if !step.operands.is_empty() {
            break;
        }
        let mut next = at.saturating_add(1);
        let mut given = None;
        for found in &step.found {
            let takes =
                ["u", "unset", "C", "chdir", "S", "split-string", "P", "a", "argv0", "L", "U"];
            let mut value = found.value.clone();
            if value.is_none() && takes.contains(&found.name) {
                value = arguments.get(next).cloned();
                next = next.saturating_add(1);
            }
            match found.name {
                "i" | "ignore-environment" => state.empty = true,
                "u" | "unset" => state.unset.extend(value.map(|value| value.shown())),
                "C" | "chdir" => state.directory = value,
                "S" | "split-string" => given = value,
                "help" | "version" => state.about = true,
                _ => {}
            }
        }
        at = next;
        if let Some(given) = given {
            let mut words = env_words(&given);
            words.extend_from_slice(arguments.get(at..).unwrap_or_default());
            arguments = words;
            at = 0;
            state.splits = state.splits.saturating_add(1);
            if state.splits > MAX_SPLITS {
                break;
            }
        }
    }
    arguments.split_off(at.min(arguments.len()))
}

/// The words of `-S`. Where not all of it is known, it is one word that nobody knows.
fn env_words(given: &Field) -> Vec<Field> {
    let Some(text) = given.exact() else {
        return vec![given.clone()];
    };
    split(text)
        .into_iter()
        .map(|word| {
            if word.contains("${") {
                Field::unknown(&word, given.span)
            } else {
                Field { flow: given.flow.clone(), ..Field::text(word, given.span) }
            }
        })
        .collect()
}

/// `cross-env-shell A=1 CODE`
fn cross_env_shell(call: &mut Call<'_, '_>) {
    let outer = call.machine.assignments.len();
    let words = env_variables(call, call.arguments());
    if !words.is_empty() {
        call.stdout = call.run_code(SH, &joined(words));
    }
    call.machine.assignments.truncate(outer);
}

/// macOS: `arch -x86_64 cmd`.
fn arch(call: &mut Call<'_, '_>) {
    let spec = Spec { order: crate::options::Order::OneDash, ..Spec::first("", "arch= e= d=") };
    let arguments = call.arguments();
    let mut at = 0_usize;
    while let Some(field) = arguments.get(at)
        && field.prefix().starts_with('-')
    {
        let step = parse(arguments.get(at..=at).unwrap_or_default(), &spec);
        let takes = step
            .found
            .iter()
            .any(|found| matches!(found.name, "arch" | "e" | "d") && found.value.is_none());
        at = at.saturating_add(if takes { 2 } else { 1 });
    }
    run(call, arguments.get(at..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_text, judged};
    use crate::flow::Stream;

    #[test]
    fn env_is_taken_off_with_its_options() {
        check(&[
            ("env rm x", "env>rm x"),
            ("env -i rm x", "env>rm x"),
            ("env - rm x", "env>rm x"),
            ("env -u A --unset=B -C /tmp rm x", "env>rm x @/tmp"),
            ("env -iu A rm x", "env>rm x"),
            ("env A=1 B= rm x", "env>rm x"),
            ("env -- A=1 rm x", "env>rm x"),
            ("env -S 'rm -rf x'", "env>rm -rf x"),
            ("env -S'rm -rf' x", "env>rm -rf x"),
            ("env -vS 'A=1 rm' -rf x", "env>rm -rf x"),
            ("env -S '-i rm x'", "env>rm x"),
            ("env --split-string 'rm x'", "env>rm x"),
            ("env --ignore-signal=INT rm x", "env>rm x"),
            ("env --chdir=sub rm x", "env>rm x @/shop/sub"),
            ("env bash -c 'rm x'", "env>bash>rm x"),
            ("cross-env A=1 rm x", "cross-env>rm x"),
            ("cross-env-shell A=1 'rm x && ls'", "cross-env-shell>rm x | cross-env-shell>ls"),
        ]);
    }

    #[test]
    fn env_alone_prints_the_environment() {
        check(&[
            ("env", "env + environment-dump print-environment"),
            ("env A=1", "env A=1 + environment-dump print-environment"),
            ("env -0", "env -0 + environment-dump print-environment"),
            ("env -i", "env -i"),
            ("env --help", "env --help"),
        ]);
    }

    #[test]
    fn a_variable_of_unknown_name_is_still_one() {
        check_text(&[("env \"$A=1\" rm x", "env>rm x"), ("env \"A=$B\" rm x", "env>rm x")]);
    }

    #[test]
    fn env_sets_variables_for_the_command() {
        let analysis = judged("env A=1 B=2 x", Stream::default());
        let set: Vec<String> = analysis
            .commands
            .iter()
            .flat_map(|ran| &ran.assignments)
            .map(|(name, value)| format!("{name}={}", value.shown()))
            .collect();
        assert_eq!(set, ["A=1", "B=2"]);
    }
}
