//! Editors and viewers that run commands: `vim -c '!cmd'`, `emacs --eval`, `ed` scripts.
//!
//! Actions: `edit-in-place` (the files are rewritten), `remove`, `write-file`.

use super::common::BASH;
use super::flags::{self, Flags};
use super::interpreters::{run_inline, source};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::code::Context;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("vim", vim),
    ("vi", vim),
    ("nvim", vim),
    ("gvim", vim),
    ("view", vim),
    ("vimdiff", vim),
    ("ex", vim),
    ("ed", ed),
    ("red", ed),
    ("emacs", emacs),
    ("emacsclient", emacs),
    ("man", man),
];

/// Files and commands on vim's command line.
struct Vim<'a> {
    commands: Vec<Field>,
    files: Vec<&'a Field>,
    scripts: Vec<&'a Field>,
    /// Commands come from standard input.
    silent: bool,
}

fn vim_arguments(arguments: &[Field], ex: bool) -> Vim<'_> {
    let mut vim = Vim { commands: Vec::new(), files: Vec::new(), scripts: Vec::new(), silent: ex };
    let mut rest = arguments.iter();
    let mut options = true;
    while let Some(field) = rest.next() {
        let text = field.prefix();
        if !options || text == "-" || !text.starts_with(['-', '+']) {
            vim.files.push(field);
            continue;
        }
        match text {
            "--" => options = false,
            "-c" | "--cmd" => vim.commands.extend(rest.next().cloned()),
            "-S" | "-s" if !ex => vim.scripts.extend(rest.next()),
            "-es" | "-Es" | "-e" | "-E" | "-s" => vim.silent = true,
            "-u" | "-U" | "-i" | "-T" | "-t" | "-q" | "-w" | "-W" | "--listen"
            | "--startuptime" => {
                rest.next();
            }
            _ if text.starts_with("-c") => vim.commands.extend(field.without_prefix(2)),
            _ if is_cluster(text) => {
                vim.silent |= text.contains(['e', 'E']);
                vim.commands.extend(rest.next().cloned());
            }
            _ if text.starts_with('+') => vim.commands.extend(field.without_prefix(1)),
            _ => {}
        }
    }
    vim
}

/// `-esc CODE`: `-c` after letters that take no value.
fn is_cluster(text: &str) -> bool {
    text.strip_prefix('-').and_then(|letters| letters.strip_suffix('c')).is_some_and(|flags| {
        !flags.is_empty() && flags.chars().all(|letter| "AbdeEFgHlmMnNRsvxXyZ".contains(letter))
    })
}

fn vim(call: &mut Call<'_, '_>) {
    let vim = vim_arguments(call.arguments(), call.name == "ex");
    call.keep();
    let mut writes = false;
    for command in &vim.commands {
        writes |= ex_command(call, command);
    }
    for script in vim.scripts {
        let content = source(call, Some(script)).unwrap_or_default();
        match &content.text {
            Some(text) => writes |= ex_script(call, text, script),
            None if content.flow.from_network().is_some() => {
                call.run_stream(Language::Other, &content, script.span);
            }
            None => {}
        }
    }
    let fed = if vim.silent { source(call, None) } else { None };
    if let Some(text) = fed.and_then(|input| input.text) {
        let said = Field::text("", call.span);
        writes |= ex_script(call, &text, &said);
    }
    for file in vim.files {
        let content = call.read(Act::ReadFile, file);
        if writes {
            call.on_path(Kind::Overwrite, Act::EditInPlace, file).sources = content.flow;
        }
    }
    call.stdout = Stream::default();
}

fn ex_script(call: &mut Call<'_, '_>, text: &str, said: &Field) -> bool {
    let mut writes = false;
    for line in text.lines().take(512) {
        writes |= ex_command(call, &Field::text(line, said.span));
    }
    writes
}

/// One command of the ex family. True if it writes the file that is edited.
fn ex_command(call: &mut Call<'_, '_>, command: &Field) -> bool {
    let mut command = command.clone();
    // Bounded: each round takes something off.
    for _ in 0..16 {
        let text = command.prefix().to_owned();
        let plain = text.trim_start_matches([':', ' ', '\t']);
        let range = plain.trim_start_matches(|letter: char| {
            letter.is_ascii_digit() || "%,$.'<>*".contains(letter)
        });
        let skip = |rest: &str| command.without_prefix(text.len() - rest.len());
        let (word, rest) = split_word(range);
        if let Some(shell) = range.strip_prefix('!') {
            run(call, BASH, skip(shell));
            return false;
        }
        match word {
            "silent" | "sil" | "exe" | "execute" | "noautocmd" | "bufdo" | "argdo" | "windo" => {
                let rest =
                    rest.trim_start_matches('!').trim_start().trim_start_matches(['"', '\'']);
                let Some(next) = skip(rest) else {
                    return false;
                };
                command = next;
            }
            "r" | "read" | "w" | "write"
                if rest.trim_start().starts_with('!') && !rest.starts_with('!') =>
            {
                run(call, BASH, skip(rest.trim_start().trim_start_matches('!')));
                return false;
            }
            "terminal" | "term" | "te" => {
                run(call, BASH, skip(rest.trim_start_matches('!').trim_start()));
                return false;
            }
            "e" | "edit" | "r" | "read" | "view" | "sp" | "split"
                if rest.trim_start().starts_with(['/', '~']) =>
            {
                if let Some(file) = skip(rest.trim_start()) {
                    call.read(Act::ReadFile, &file);
                }
                return false;
            }
            "redir" | "redi" => {
                let after = rest.trim_start_matches('!').trim_start();
                let Some(file) = after.strip_prefix('>') else { return false };
                let file = file.trim_start_matches('>').trim_start();
                let end = file.find([' ', '|']).unwrap_or(file.len());
                let name = Field::text(file.get(..end).unwrap_or_default(), command.span);
                if !name.is("") {
                    call.write(Kind::Overwrite, Act::WriteFile, &name, Stream::default());
                }
                return false;
            }
            "lua" | "luado" => return inline(call, Language::Lua, skip(rest)),
            "py" | "py3" | "python" | "python3" | "pythonx" | "pyx" => {
                return inline(call, Language::Python, skip(rest));
            }
            "ruby" | "rub" => return inline(call, Language::Ruby, skip(rest)),
            "perl" | "perldo" => return inline(call, Language::Perl, skip(rest)),
            "call" | "let" | "echo" | "eval" | "echom" => {
                return inline(call, Language::Other, skip(rest));
            }
            "w" | "write" | "wq" | "x" | "xit" | "up" | "update" | "wa" | "wqa" | "xa" | "wall" => {
                return write_command(call, rest, skip);
            }
            _ => {
                let Some((_, next)) = range.split_once('|') else {
                    return false;
                };
                let Some(next) = skip(next) else {
                    return false;
                };
                command = next;
            }
        }
    }
    false
}

/// `w`, `w! file`, `w >> file`
fn write_command(
    call: &mut Call<'_, '_>,
    rest: &str,
    skip: impl Fn(&str) -> Option<Field>,
) -> bool {
    let rest = rest.trim_start_matches('!').trim_start();
    let (kind, path) = match rest.strip_prefix(">>") {
        Some(path) => (Kind::Append, path.trim_start()),
        None => (Kind::Overwrite, rest),
    };
    if path.is_empty() || path.starts_with('|') {
        return true;
    }
    if let Some(field) = skip(path) {
        call.write(kind, Act::WriteFile, &field, Stream::default());
    }
    false
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn run(call: &mut Call<'_, '_>, language: Language, code: Option<Field>) {
    if let Some(code) = code {
        call.run_code(language, &code);
    }
}

fn inline(call: &mut Call<'_, '_>, language: Language, code: Option<Field>) -> bool {
    if let Some(code) = code {
        run_inline(call, language, &code, Context::default());
    }
    false
}

/// `ed file`: commands come from standard input.
fn ed(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &Flags::new("", "p"));
    call.keep();
    let mut writes = false;
    if let Some(text) = source(call, None).and_then(|input| input.text) {
        let said = Field::text("", call.span);
        writes = ex_script(call, &text, &said);
    }
    for file in given.operands {
        let shell = file.after("!");
        if shell.is_some() {
            run(call, BASH, shell);
            continue;
        }
        call.read(Act::ReadFile, file);
        if writes {
            call.on_path(Kind::Overwrite, Act::EditInPlace, file);
        }
    }
}

const EMACS: Flags = Flags {
    long: &[
        ("l", 'l'),
        ("f", 'f'),
        ("L", 'L'),
        ("e", 'e'),
        ("eval", 'e'),
        ("execute", 'e'),
        ("load", 'l'),
        ("script", 'l'),
        ("funcall", 'f'),
        ("directory", 'L'),
    ],
    one_dash: true,
    ..Flags::new("e", "lfL")
};

fn emacs(call: &mut Call<'_, '_>) {
    let mut rest = call.arguments();
    // Files may stand between options.
    while !rest.is_empty() {
        let given = flags::read(rest, &EMACS);
        let scripts: Vec<&Field> = given.values('l').collect();
        for script in scripts {
            if let Some(content) = source(call, Some(script)) {
                call.run_stream(Language::Lisp, &content, script.span);
            }
        }
        if let Some(code) = given.whole_code() {
            run_inline(call, Language::Lisp, &code, Context::default());
        }
        rest = given.operands.get(1..).unwrap_or_default();
    }
}

const MAN: Flags = Flags {
    long: &[("pager", 'P'), ("html", 'H')],
    attached: "H",
    ..Flags::new("", "PMLmerRSsECp")
};

/// `man -P COMMAND` shows pages through a command.
fn man(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &MAN);
    let pager = given.values('P').next().cloned();
    call.keep();
    run(call, BASH, pager);
}
