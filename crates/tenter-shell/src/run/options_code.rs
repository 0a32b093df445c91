//! Commands in the options of programs that are there for something else: `restic --password-command 'x'`.

use super::Machine;
use crate::flow::Stream;
use crate::syntax::Dialect;
use crate::value::Field;
use crate::world::Language;

/// How the command stands in the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The value is the command.
    Whole,
    /// `alias.x=!command`, `!command`
    Bang,
    /// `start:execute(command)`, `%(command)`
    Brackets,
    /// All words that follow are the command.
    Rest,
}

/// The options of a program that take a command.
fn options(program: &str) -> &'static [(&'static str, Form)] {
    use Form::{Bang, Brackets, Rest, Whole};
    match program {
        "bat" | "delta" | "dmesg" | "gh" | "journalctl" => &[("--pager", Whole)],
        "borg" => &[("--rsh", Whole), ("--remote-path", Whole)],
        "codex" => &[("linux", Rest), ("macos", Rest), ("seatbelt", Rest), ("landlock", Rest)],
        "fzf" | "sk" => &[("--bind", Brackets), ("--preview", Whole), ("--with-shell", Whole)],
        "hg" => &[("--config", Bang)],
        "info" => &[("--init-file", Whole)],
        "man" => &[("-H", Whole), ("--html", Whole)],
        "pip" | "pip3" => &[("--editor", Whole)],
        "restic" => &[("--password-command", Whole), ("-o", Bang), ("--option", Bang)],
        "rclone" => &[("--password-command", Whole)],
        "rpm" | "rpmspec" | "rpmbuild" => {
            &[("--eval", Brackets), ("-E", Brackets), ("--pipe", Whole)]
        }
        "ranger" => &[("--cmd", Bang)],
        "sshfs" => &[("ssh_command", Whole)],
        "svn" => &[("--editor-cmd", Whole), ("--diff-cmd", Whole), ("--diff3-cmd", Whole)],
        "tig" => &[("+", Bang)],
        "mutt" => &[("-e", Bang)],
        _ => &[],
    }
}

impl Machine<'_> {
    pub(super) fn code_in_options(&mut self, name: &str, argv: &[Field]) {
        let known = options(name);
        if known.is_empty() {
            return;
        }
        for (at, field) in argv.iter().enumerate().skip(1).take(64) {
            let text = field.prefix();
            let Some(&(option, form)) = known.iter().find(|(option, _)| text.starts_with(option))
            else {
                continue;
            };
            let rest = text.get(option.len()..).unwrap_or_default();
            if form == Form::Rest {
                let words = argv.get(at + 1..).unwrap_or_default();
                if rest.is_empty() && !words.is_empty() {
                    self.possibly(|machine| machine.run_via(name, words, Stream::default()));
                }
                return;
            }
            let value = match rest.strip_prefix('=') {
                Some(_) => field.without_prefix(option.len() + 1),
                None if !rest.is_empty() && !option.starts_with("--") => {
                    field.without_prefix(option.len())
                }
                None if rest.is_empty() => argv.get(at + 1).cloned(),
                None => None,
            };
            let Some(value) = value else { continue };
            for code in commands(&value, form) {
                let language = Language::Shell(Dialect::Posix);
                self.possibly(|machine| {
                    machine.run_code(name, None, language, &code, &Stream::default())
                });
            }
        }
    }
}

/// The commands in a value.
fn commands(value: &Field, form: Form) -> Vec<Field> {
    let Some(text) = value.exact() else { return vec![value.clone()] };
    let inner: Vec<&str> = match form {
        Form::Whole | Form::Rest => vec![text],
        Form::Bang => text.split_once('!').map(|(_, code)| code).into_iter().collect(),
        Form::Brackets => {
            let starts = text.match_indices(['(', '{', '[']).take(8);
            let within = starts.map(|(at, open)| {
                let close = match open {
                    "(" => ')',
                    "{" => '}',
                    _ => ']',
                };
                let rest = text.get(at + 1..).unwrap_or_default();
                rest.rfind(close).and_then(|end| rest.get(..end)).unwrap_or(rest)
            });
            within.collect()
        }
    };
    inner.into_iter().map(|code| Field::text(code, value.span)).collect()
}
