//! Helpers for wrappers.

use std::rc::Rc;

use crate::act::Act;
use crate::analysis::Reason;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec};
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::{Language, Use};

/// Language of `sh -c`.
pub(super) const SH: Language = Language::Shell(Dialect::Posix);
/// Most likely language of a login shell or `$SHELL`.
pub(super) const BASH: Language = Language::Shell(Dialect::Bash);

/// The arguments after the options and `skip` operands.
pub(super) fn rest<'c>(call: &Call<'c, '_>, options: &Options<'_>, skip: usize) -> &'c [Field] {
    call.arguments().get(options.consumed.saturating_add(skip)..).unwrap_or_default()
}

/// Runs the program, if there is one. A `--` that an operand before it kept is no program.
pub(super) fn run(call: &mut Call<'_, '_>, argv: &[Field]) {
    let argv = match argv {
        [first, argv @ ..] if first.is("--") => argv,
        _ => argv,
    };
    if !argv.is_empty() {
        call.stdout = call.run(argv);
    }
}

/// Runs the command after the options and `skip` operands.
pub(super) fn run_rest(call: &mut Call<'_, '_>, spec: &Spec, skip: usize) {
    let options = call.options(spec);
    if !helps(&options) {
        let argv = rest(call, &options, skip);
        run(call, argv);
    }
}

/// The code in a file: what this command wrote there, what comes through a descriptor, or what is on
/// disk.
pub(super) fn content(call: &mut Call<'_, '_>, file: &Field) -> Option<Stream> {
    if matches!(file.exact(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")) {
        return fed(&call.stdin).then(|| call.stdin.clone());
    }
    let path = call.machine.path(file);
    call.machine.code_of(&path, Use::Script, file.span)
}

/// Whether the program only tells about itself.
pub(super) fn helps(options: &Options<'_>) -> bool {
    options.has(&["help", "version"])
}

/// The arguments after the first `--`.
pub(super) fn after_dashes(arguments: &[Field]) -> Option<&[Field]> {
    let at = arguments.iter().position(|field| field.is("--"))?;
    arguments.get(at.saturating_add(1)..)
}

/// Runs the program in another directory.
pub(super) fn run_in(call: &mut Call<'_, '_>, directory: Option<&Field>, argv: &[Field]) {
    let Some(directory) = directory else {
        return run(call, argv);
    };
    let cwd = call.machine.path(directory).exact().map(Rc::from);
    let before = std::mem::replace(&mut call.machine.shell.cwd, cwd);
    run(call, argv);
    call.machine.shell.cwd = before;
}

/// Runs the program where nothing of this machine is known to hold.
pub(super) fn run_elsewhere(call: &mut Call<'_, '_>, argv: &[Field]) {
    if !argv.is_empty() {
        call.stdout = call.run_elsewhere(argv, None);
    }
}

/// `name=value` as an argument.
pub(super) fn assignment(field: &Field) -> Option<(String, Field)> {
    let (name, _) = field.prefix().split_once('=')?;
    let value = field.without_prefix(name.len().saturating_add(1))?;
    Some((name.to_owned(), value))
}

/// The same, if the name is one that a shell would take.
pub(super) fn variable(field: &Field) -> Option<(String, Field)> {
    assignment(field).filter(|(name, _)| {
        name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
    })
}

/// Variables that are set for one command; more are not looked at.
const MAX_VARIABLES: usize = 256;

/// Sets a variable for the command inside.
pub(super) fn set(call: &mut Call<'_, '_>, name: String, value: Field) {
    if call.machine.assignments.len() < MAX_VARIABLES {
        call.machine.assignments.push((name, value));
    } else {
        let reason = Reason::CutShort("sets too many variables to check");
        call.unverified(reason, value.span);
    }
}

/// Says that another user's rights are used.
pub(super) fn run_as(call: &mut Call<'_, '_>, user: Option<&Field>) {
    let (target, span) = match user {
        Some(user) => (Target::Name(user.shown()), user.span),
        None => {
            (Target::name("root"), call.argv.first().map(|field| field.span).unwrap_or_default())
        }
    };
    call.effect_at(Kind::Privilege, Act::RunAs, target, span);
}

/// Arguments as one piece of code: `ssh`, `watch` and others put blanks between them.
pub(super) fn joined(words: &[Field]) -> Field {
    let mut code =
        Field { span: words.first().map(|word| word.span).unwrap_or_default(), ..Field::default() };
    let mut end = None;
    for (index, word) in words.iter().enumerate() {
        code.span = code.span.to(word.span);
        code.flow.join(&word.flow);
        if index > 0 {
            // Words one byte apart stand in the command as they are joined.
            let blank = end.filter(|end: &u32| start(word) == end.checked_add(1));
            code.push_text(" ", blank);
        }
        push_code(&mut code, word);
        end = match word.parts.last() {
            Some(Part::Text { text, at: Some(at) }) => {
                u32::try_from(text.len()).ok().and_then(|length| at.checked_add(length))
            }
            _ => None,
        };
    }
    code
}

fn start(word: &Field) -> Option<u32> {
    match word.parts.first() {
        Some(Part::Text { at, .. }) => *at,
        _ => None,
    }
}

/// A pattern that another shell gets is text of its code.
fn push_code(code: &mut Field, word: &Field) {
    for part in &word.parts {
        match part {
            Part::Glob(pattern) => code.push_text(pattern, None),
            other => code.push(other.clone()),
        }
    }
}

/// Words with blanks in them are lost when they are joined, and clearly meant as they stand: other
/// versions of such a program keep them.
pub(super) fn run_words(call: &mut Call<'_, '_>, argv: &[Field]) {
    let blank = |field: &Field| {
        field.parts.iter().any(|part| matches!(part, Part::Text { text, .. } if text.contains(' ')))
    };
    if argv.len() > 1 && argv.iter().any(blank) {
        possibly(call, &mut |call| {
            call.run(argv);
        });
    }
}

/// More than any caller follows.
const MAX_PIECES: usize = 64;

/// The known parts of a stream, split only at blanks or line ends.
pub(super) fn pieces(known: &Field, blanks: bool) -> Vec<Field> {
    let empty = || Field { span: known.span, flow: known.flow.clone(), ..Field::default() };
    let cuts = |letter: char| letter == '\n' || blanks && (letter == ' ' || letter == '\t');
    let mut pieces = vec![empty()];
    for part in known.parts.iter().take(MAX_PIECES) {
        let Part::Text { text, .. } = part else {
            if let Some(last) = pieces.last_mut() {
                last.push(part.clone());
            }
            continue;
        };
        for (index, piece) in text.split(cuts).enumerate().take(MAX_PIECES) {
            if index > 0 {
                pieces.push(empty());
            }
            if let Some(last) = pieces.last_mut() {
                last.push_text(piece, None);
            }
        }
    }
    pieces.retain(|piece| !piece.parts.is_empty());
    pieces
}

/// Whether standard input is known; a terminal is not.
pub(super) fn fed(stdin: &Stream) -> bool {
    match &stdin.text {
        Some(text) => !text.trim().is_empty(),
        None => {
            stdin.partial.is_some()
                || stdin.flow.sources().iter().any(|source| *source != Source::Stdin)
        }
    }
}

/// A shell reads its code from standard input.
pub(super) fn run_stdin(call: &mut Call<'_, '_>, language: Language, span: Span) {
    if fed(&call.stdin) {
        let code = call.stdin.clone();
        call.stdout = call.run_stream(language, &code, span);
    }
}

/// Only as sure as "possible" while `inner` runs.
pub(crate) fn possibly(call: &mut Call<'_, '_>, inner: &mut dyn FnMut(&mut Call<'_, '_>)) {
    let before = call.machine.certainty;
    call.machine.certainty = before.min(Certainty::Possible);
    inner(call);
    call.machine.certainty = before;
}

/// Splits text as `env -S`, tmux and screen do: blanks, quotes, backslashes.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(letter) = chars.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                let word = word.get_or_insert_default();
                match chars.next() {
                    Some('_') if quote.is_some() => word.push(' '),
                    Some('n') => word.push('\n'),
                    Some('t') => word.push('\t'),
                    Some(other) => word.push(other),
                    None => {}
                }
            }
            (_, Some(open)) if open == letter => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('#', None) if word.is_none() => break,
            (' ' | '\t' | '\n' | '\r', None) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
