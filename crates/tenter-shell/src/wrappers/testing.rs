//! Tables for the tests of wrappers.

use super::common::split;
use crate::analysis::Analysis;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::run::Machine;
use crate::span::Span;
use crate::value::Field;
use crate::world::Surroundings;

/// Analysis of a command with simple quoting.
pub(super) fn judged(command: &str, stdin: Stream) -> Analysis {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    let mut machine = Machine::new(&world, "");
    let argv: Vec<Field> =
        split(command).into_iter().map(|word| Field::text(word, Span::default())).collect();
    machine.execute(&argv, stdin);
    machine.finish()
}

/// The same tables with text that a shell reads.
pub(super) fn check_text(table: &[(&str, &str)]) {
    for (command, expected) in table {
        let world =
            Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
        let analysis = crate::analyze(command, &world);
        assert_eq!(listed(&analysis).trim(), *expected, "for `{command}`");
    }
}

/// Programs as `wrapper>wrapper>program arguments`, with the directory where it is another one;
/// then ` + kind action target` for each effect of a wrapper. Effects of programs have tests of
/// their own.
fn listed(analysis: &Analysis) -> String {
    let programs: Vec<String> = analysis
        .commands
        .iter()
        .map(|ran| {
            let mut line = String::new();
            for via in &ran.via {
                line.push_str(&via.name);
                line.push('>');
            }
            let words: Vec<String> = ran.argv.iter().map(Field::shown).collect();
            line.push_str(&words.join(" "));
            match ran.cwd.as_deref() {
                Some("/shop") => {}
                Some(other) => line.extend([" @", other]),
                None => line.push_str(" @?"),
            }
            line
        })
        .collect();
    let mut out = programs.join(" | ");
    for effect in &analysis.effects {
        let wrapper = effect.command.is_none_or(|index| {
            let program = analysis.commands.get(index as usize).map(|ran| ran.program.as_str());
            program.is_some_and(|program| super::find(program).is_some())
        });
        if wrapper {
            out.extend([" + ", effect.kind.name(), " ", effect.action.name()]);
            if effect.kind != Kind::Execute {
                out.extend([" ", &*effect.target.shown()]);
            }
        }
    }
    out
}

pub(super) fn check(table: &[(&str, &str)]) {
    check_with(&Stream::default(), table);
}

pub(super) fn check_with(stdin: &Stream, table: &[(&str, &str)]) {
    for (command, expected) in table {
        let analysis = judged(command, stdin.clone());
        assert_eq!(listed(&analysis).trim(), *expected, "for `{command}`");
    }
}
