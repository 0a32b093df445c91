//! Commands carried out by a database client itself.

use super::file;
use super::lex::Token;
use crate::act::Act;
use crate::call::Call;
use crate::code::Code;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

/// The client whose commands these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    None,
    Psql,
    Mysql,
    Sqlite,
}

impl Client {
    pub(super) fn of(program: &str) -> Self {
        match program {
            "psql" | "pgcli" | "cockroach" => Self::Psql,
            "mysql" | "mariadb" | "mycli" => Self::Mysql,
            "sqlite3" | "sqlite" | "duckdb" | "litecli" => Self::Sqlite,
            _ => Self::None,
        }
    }
}

/// `\! ls`, `.shell ls`, `system ls`.
pub(super) fn command(call: &mut Call<'_, '_>, code: Code<'_>, token: Token) {
    let line = token.text(code.text);
    let name_end = if line.starts_with("\\!") {
        2
    } else {
        line.find(|c: char| c.is_ascii_whitespace() || c == '|').unwrap_or(line.len())
    };
    let name = line.get(..name_end).unwrap_or_default();
    let rest = line.get(name_end..).unwrap_or_default();
    let start = token.start + name_end + (rest.len() - rest.trim_start().len());
    let rest = rest.trim().trim_end_matches(';');
    let argument = code.field(rest, start, start + rest.len());
    let unquoted = rest.trim_matches(['\'', '"']);
    let first = unquoted.split_whitespace().next().unwrap_or_default();
    let named = |text: &str| {
        let skip = rest.find(text).unwrap_or_default();
        code.field(text, start + skip, start + skip + text.len())
    };
    match name.to_ascii_lowercase().as_str() {
        "\\!" | ".sh" | ".she" | ".shel" | ".shell" | ".sys" | ".system" | "system"
            if !rest.is_empty() =>
        {
            call.run_code(Language::Shell(Dialect::Posix), &argument);
        }
        "\\o" | "\\out" | "\\w" | "\\g" | "\\gx" | "\\s" | ".output" | ".once" | ".log" | "tee"
        | "\\t" | ".trace" => {
            output(call, name, rest, &named(first), &argument);
        }
        "\\i" | "\\ir" | "\\include" | "\\." | "source" | ".read" if !first.is_empty() => {
            match unquoted.strip_prefix('|') {
                Some(command) => {
                    call.run_code(Language::Shell(Dialect::Posix), &named(command.trim()));
                }
                None => file(call, &named(first)),
            }
        }
        "\\copy" => copy(call, code, token, name_end),
        ".backup" | ".save" | ".clone" | ".excel" => {
            if let Some(path) = rest.split_whitespace().last() {
                let content = call.stdin.flow.clone();
                call.write(Kind::Overwrite, Act::Export, &named(path), Stream::unknown(content));
            }
        }
        ".restore" => {
            if let Some(path) = rest.split_whitespace().last() {
                let field = named(path);
                call.read(Act::Import, &field);
                call.effect_at(Kind::Database, Act::Restore, Target::None, field.span);
            }
        }
        ".import" if !first.is_empty() => {
            call.read(Act::Import, &named(first));
            call.effect_at(Kind::Database, Act::Insert, Target::None, argument.span);
        }
        ".load" if !first.is_empty() => {
            let field = named(first);
            call.effect_at(Kind::Install, Act::Extension, Call::named(&field), field.span);
        }
        _ => {}
    }
}

/// Output goes to a file or a command.
fn output(call: &mut Call<'_, '_>, name: &str, rest: &str, file: &Field, whole: &Field) {
    if rest.starts_with('|') {
        if let Some(code) = whole.without_prefix(1) {
            call.run_code(Language::Shell(Dialect::Posix), &code);
        }
        return;
    }
    if let Some(code) = rest.trim_matches(['\'', '"']).strip_prefix('|') {
        call.run_code(Language::Shell(Dialect::Posix), &Field::text(code, whole.span));
        return;
    }
    // `\t` of psql has no file, that of mysql has a capital letter.
    let is_file =
        !["", "stdout", "off"].iter().any(|none| file.is(none)) && !["\\t", ".log"].contains(&name);
    if is_file {
        call.write(Kind::Overwrite, Act::Export, file, Stream::default());
    }
}

/// `\copy t to 'file'`: the same as the statement, but done here.
fn copy(call: &mut Call<'_, '_>, code: Code<'_>, token: Token, name_end: usize) {
    let start = token.start + name_end;
    let mut lexer = super::Lexer::new(code.text, Client::None);
    lexer.skip_to(start);
    let mut tokens = Vec::new();
    while let Some(next) = lexer.next() {
        if next.start >= token.end {
            break;
        }
        tokens.push(next);
    }
    super::statement::copy(call, code, &tokens, true);
}
