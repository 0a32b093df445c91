//! Scheduled jobs.
//!
//! Actions of [`Kind::Schedule`]: `install-crontab` (a table is replaced), `edit-crontab`,
//! `delete-crontab`, `create-task`, `change-task`, `run-task`, `delete-task`.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Spec;
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

pub(super) const PROGRAMS: Programs =
    &[("crontab", crontab), ("fcrontab", crontab), ("schtasks", schtasks)];

/// Lines of a table that are followed.
const MAX_LINES: usize = 64;

fn crontab(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("u:c:", "user="));
    if options.has(&["V", "T", "h", "help", "n"]) {
        return;
    }
    let whose = options.value(&["u"]).map_or(Target::None, |user| Target::Name(user.shown()));
    let action = if options.has(&["l"]) {
        call.stdout = Stream::default();
        return;
    } else if options.has(&["r", "d"]) {
        Act::DeleteCrontab
    } else if options.has(&["e"]) {
        Act::EditCrontab
    } else {
        Act::InstallCrontab
    };
    if action != Act::InstallCrontab {
        call.effect(Kind::Schedule, action, whose);
        return;
    }
    let table = match options.operands.first() {
        Some(file) => call.read(Act::Read, file),
        None => call.stdin.clone(),
    };
    call.effect(Kind::Schedule, action, whose).sources = table.flow.clone();
    for line in lines(&table, call.span).iter().take(MAX_LINES) {
        if let Some(code) = command_at(line.prefix()).and_then(|at| line.without_prefix(at)) {
            call.run_code(Language::Shell(Dialect::Posix), &code);
        }
    }
}

/// The lines of a table, as far as they are known.
fn lines(table: &Stream, span: Span) -> Vec<Field> {
    let whole = match (&table.text, &table.partial) {
        (Some(text), _) => &Field::text(text, span),
        (None, Some(partial)) => &**partial,
        (None, None) => return Vec::new(),
    };
    let mut lines = vec![Field { span, ..Field::default() }];
    for part in &whole.parts {
        let Part::Text { text, .. } = part else {
            lines.last_mut().into_iter().for_each(|line| line.push(part.clone()));
            continue;
        };
        for (at, piece) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Field { span, ..Field::default() });
            }
            lines.last_mut().into_iter().for_each(|line| line.push_text(piece, None));
        }
    }
    lines
}

/// Where the command of a line starts: after five fields, or after `@daily`.
fn command_at(line: &str) -> Option<usize> {
    let mut rest = line.trim_start();
    let fields = match rest.bytes().next()? {
        b'@' => 1,
        b'*' | b'0'..=b'9' => 5,
        _ => return None,
    };
    for _ in 0..fields {
        let (_, tail) = rest.split_once([' ', '\t'])?;
        rest = tail.trim_start();
    }
    (!rest.is_empty()).then(|| line.len().saturating_sub(rest.len()))
}

fn schtasks(call: &mut Call<'_, '_>) {
    let actions = [
        ("create", Act::CreateTask),
        ("delete", Act::DeleteTask),
        ("change", Act::ChangeTask),
        ("run", Act::RunTask),
        ("end", Act::ChangeTask),
    ];
    let Some(&(_, action)) = actions.iter().find(|(name, _)| call.slash(name).is_some()) else {
        return;
    };
    let name = call.after_slash("tn").map_or(Target::None, |name| Target::Name(name.shown()));
    let program = call.after_slash("tr");
    let force = call.slash("f").is_some();
    let effect = call.effect(Kind::Schedule, action, name);
    effect.force = force;
    if let Some(program) = program {
        effect.sources.join(&program.sources());
        call.run_code(Language::Cmd, program);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Source;
    use crate::run::testing::{effects, effects_with};

    fn one(words: &str) -> String {
        effects(&words.split(' ').collect::<Vec<_>>()).join("; ")
    }

    #[test]
    fn tables_are_replaced_and_deleted() {
        for (command, expected) in [
            ("crontab -r", "schedule delete-crontab  certain"),
            ("crontab -u bob -r", "schedule delete-crontab bob certain"),
            ("crontab -ir", "schedule delete-crontab  certain"),
            ("crontab -e", "schedule edit-crontab  certain"),
            (
                "crontab jobs",
                "read read /shop/jobs certain; schedule install-crontab  certain <[File(\"/shop/jobs\")]",
            ),
            ("schtasks /delete /tn x /f", "schedule delete-task x certain -f"),
            ("schtasks /create /tn x /tr y.exe", "schedule create-task x certain"),
        ] {
            assert_eq!(one(command), expected, "{command}");
        }
        let piped = effects_with(&["crontab", "-"], Stream::from(Source::Network("h".into())));
        assert_eq!(piped, ["schedule install-crontab  certain <[Network(\"h\")]"]);
    }

    #[test]
    fn questions_do_nothing() {
        for command in
            ["crontab -l", "crontab -u bob -l", "crontab -V", "schtasks /query", "crontab -T jobs"]
        {
            assert_eq!(one(command), "", "{command}");
        }
    }

    #[test]
    fn a_line_of_a_table_ends_in_its_command() {
        let command = |line: &'static str| command_at(line).and_then(|at| line.get(at..));
        assert_eq!(command("*/5 * * * * rm -rf x"), Some("rm -rf x"));
        assert_eq!(command(" @reboot  /x y"), Some("/x y"));
        assert_eq!(command("# 1 2 3 4 5 x"), None);
        assert_eq!(command("MAILTO=me"), None);
        assert_eq!(command("1 2 3"), None);
    }

    #[test]
    fn what_a_table_runs_is_followed() {
        let table = Stream::known("MAILTO=me\n0 1 * * * kill 12\n@daily kill 13\n");
        let said = effects_with(&["crontab", "-"], table);
        assert!(said.contains(&"process kill 12 certain".to_owned()), "{said:?}");
        assert!(said.contains(&"process kill 13 certain".to_owned()), "{said:?}");
    }
}
