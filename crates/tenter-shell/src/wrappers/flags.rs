//! Options of interpreters: inline code, options with values, combined letters.

use crate::value::Field;

/// How one interpreter takes its options.
pub(super) struct Flags {
    /// Letters whose value is code.
    pub code: &'static str,
    /// Letters that take a value, attached or apart.
    pub values: &'static str,
    /// Letters to which the rest of the word belongs, if there is one.
    pub attached: &'static str,
    /// Letters after which everything is for the script.
    pub last: &'static str,
    /// Long options and the letter they stand for. Those of code and values take one.
    pub long: &'static [(&'static str, char)],
    /// Long options have one dash.
    pub one_dash: bool,
}

impl Flags {
    pub(super) const fn new(code: &'static str, values: &'static str) -> Self {
        Self { code, values, attached: "", last: "", long: &[], one_dash: false }
    }
}

/// Parsed options.
#[derive(Default)]
pub(super) struct Given<'a> {
    pub code: Vec<(char, Field)>,
    pub options: Vec<(char, Option<Field>)>,
    pub operands: &'a [Field],
    /// Help or a version is asked for.
    pub about: bool,
}

impl Given<'_> {
    pub(super) fn has(&self, letters: &str) -> bool {
        self.options.iter().any(|(letter, _)| letters.contains(*letter))
    }

    pub(super) fn values(&self, letter: char) -> impl Iterator<Item = &Field> {
        self.options
            .iter()
            .filter(move |(known, _)| *known == letter)
            .filter_map(|(_, value)| value.as_ref())
    }

    /// All code as one text, one piece per line.
    pub(super) fn whole_code(&self) -> Option<Field> {
        let mut pieces = self.code.iter().map(|(_, code)| code);
        let mut whole = pieces.next()?.clone();
        for piece in pieces {
            whole.push_text("\n", None);
            whole.span = whole.span.to(piece.span);
            whole.flow.join(&piece.flow);
            for part in &piece.parts {
                whole.push(part.clone());
            }
        }
        Some(whole)
    }
}

/// Reads the arguments of an interpreter.
pub(super) fn read<'a>(arguments: &'a [Field], flags: &Flags) -> Given<'a> {
    let mut given = Given::default();
    let mut at = 0;
    while let Some(field) = arguments.get(at) {
        let text = field.prefix();
        if text == "--" {
            at += 1;
            break;
        }
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        at += 1;
        let long = text.starts_with("--") || flags.one_dash;
        let last = if long {
            read_long(field, arguments, &mut at, flags, &mut given)
        } else {
            read_short(field, arguments, &mut at, flags, &mut given)
        };
        if last {
            break;
        }
    }
    given.operands = arguments.get(at..).unwrap_or_default();
    given
}

fn read_long(
    field: &Field,
    arguments: &[Field],
    at: &mut usize,
    flags: &Flags,
    given: &mut Given<'_>,
) -> bool {
    let text = field.prefix();
    let dashes = text.len() - text.trim_start_matches('-').len();
    let name = text.trim_start_matches('-');
    let (name, attached) = match name.split_once('=') {
        Some((name, _)) => (name, field.without_prefix(dashes + name.len() + 1)),
        None => (name, None),
    };
    let letter = flags.long.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter);
    let Some(letter) = letter else {
        given.about |= matches!(name, "version" | "help");
        return false;
    };
    let code = flags.code.contains(letter);
    let wants = code || flags.values.contains(letter);
    let value = attached.or_else(|| {
        let next = wants.then(|| arguments.get(*at).cloned()).flatten();
        *at += usize::from(next.is_some());
        next
    });
    match value {
        Some(value) if code => given.code.push((letter, value)),
        value => given.options.push((letter, value)),
    }
    flags.last.contains(letter)
}

fn read_short(
    field: &Field,
    arguments: &[Field],
    at: &mut usize,
    flags: &Flags,
    given: &mut Given<'_>,
) -> bool {
    let letters = field.prefix().get(1..).unwrap_or_default();
    for (offset, letter) in letters.char_indices() {
        let after = offset + letter.len_utf8();
        let rest = letters.get(after..).unwrap_or_default();
        let code = flags.code.contains(letter);
        let attached = || field.without_prefix(after + 1).filter(|value| !value.parts.is_empty());
        if flags.attached.contains(letter) {
            given.options.push((letter, attached()));
            return false;
        }
        // `-pe CODE`: both say that code follows.
        let together =
            code && !rest.is_empty() && rest.chars().all(|next| flags.code.contains(next));
        if !(code || flags.values.contains(letter)) || together {
            given.options.push((letter, None));
            continue;
        }
        let value = attached().or_else(|| {
            let next = arguments.get(*at).cloned();
            *at += usize::from(next.is_some());
            next
        });
        match value {
            Some(value) if code => given.code.push((letter, value)),
            value => given.options.push((letter, value)),
        }
        return flags.last.contains(letter);
    }
    false
}
