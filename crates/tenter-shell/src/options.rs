//! Option parsing as programs do it: combined short options, attached or separate values, long options with
//! `=` or by unique prefix, `--`.

use crate::span::Span;
use crate::value::{Field, Part};

/// Option syntax of one program or subcommand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// As for getopt: `"rfo:i::"`. A colon means a value, two an attached optional one. Letters
    /// that are not listed are flags.
    pub short: &'static str,
    /// Separated by blanks: `recursive`, `file=` with a value, `color=?` with an optional one after
    /// `=`. Long options that are not listed are flags, or have the value that stands after `=`.
    pub long: &'static str,
    pub order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Options may stand anywhere before `--`, as GNU programs and git have it.
    Anywhere,
    /// The first operand ends the options, as wrappers have it.
    First,
    /// Long options have one dash: `find`, `java`, terraform, and PowerShell.
    OneDash,
}

impl Spec {
    pub(crate) const fn new(short: &'static str, long: &'static str) -> Self {
        Self { short, long, order: Order::Anywhere }
    }

    pub(crate) const fn first(short: &'static str, long: &'static str) -> Self {
        Self { short, long, order: Order::First }
    }

    pub(crate) const fn one_dash(long: &'static str) -> Self {
        Self { short: "", long, order: Order::OneDash }
    }
}

#[derive(Debug)]
pub(crate) struct FoundOption<'a> {
    /// One letter for a short option; the full name of a long one, without dashes.
    pub name: &'a str,
    pub value: Option<Field>,
    pub span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct Options<'a> {
    pub found: Vec<FoundOption<'a>>,
    pub operands: Vec<&'a Field>,
    /// How many fields were read before the first operand (for [`Order::First`]).
    pub consumed: usize,
    /// A field that may or may not be an option could not be read.
    pub dynamic: bool,
    /// Index in `operands` of the first one after `--`.
    pub after_dashes: Option<usize>,
}

impl Options<'_> {
    /// Whether any of the names was given: `has(&["r", "R", "recursive"])`.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.find(names).is_some()
    }

    /// The last option of any of these names.
    pub(crate) fn find(&self, names: &[&str]) -> Option<&FoundOption<'_>> {
        self.found.iter().rev().find(|found| names.contains(&found.name))
    }

    /// The value of the last option of any of these names.
    pub(crate) fn value(&self, names: &[&str]) -> Option<&Field> {
        self.find(names).and_then(|found| found.value.as_ref())
    }

    pub(crate) fn values<'s>(&'s self, names: &'s [&'s str]) -> impl Iterator<Item = &'s Field> {
        self.found
            .iter()
            .filter(move |found| names.contains(&found.name))
            .filter_map(|found| found.value.as_ref())
    }

    /// The operand as exact text.
    pub(crate) fn operand(&self, index: usize) -> Option<&str> {
        self.operands.get(index).and_then(|field| field.exact())
    }
}

/// Reads `arguments` (without the program).
pub(crate) fn parse<'a>(arguments: &'a [Field], spec: &Spec) -> Options<'a> {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(field) = arguments.get(at) {
        at += 1;
        let text = field.prefix();
        if field.is("--") {
            options.after_dashes = Some(options.operands.len());
            options.consumed = if spec.order == Order::First { at } else { arguments.len() };
            options.operands.extend(arguments.get(at..).unwrap_or_default());
            return options;
        }
        let mut next = || {
            let value = arguments.get(at).cloned();
            at += 1;
            value
        };
        if spec.order == Order::OneDash && text.len() > 1 && text.starts_with('-') {
            long(field, text, text.trim_start_matches('-'), spec, &mut options, &mut next);
        } else if let Some(name) = text.strip_prefix("--") {
            long(field, text, name, spec, &mut options, &mut next);
        } else if text.len() > 1 && text.starts_with('-') && spec.order != Order::OneDash {
            short(field, text, spec, &mut options, &mut next);
        } else {
            if text.is_empty() && may_be_option(field) {
                options.dynamic = true;
            }
            if spec.order == Order::First {
                options.consumed = at.saturating_sub(1);
                options.operands.extend(arguments.get(at.saturating_sub(1)..).unwrap_or_default());
                return options;
            }
            options.operands.push(field);
        }
    }
    options.consumed = arguments.len();
    options
}

fn may_be_option(field: &Field) -> bool {
    matches!(field.parts.first(), Some(Part::Unknown(_)))
}

fn long<'a>(
    field: &'a Field,
    text: &'a str,
    name: &'a str,
    spec: &Spec,
    options: &mut Options<'a>,
    next: &mut dyn FnMut() -> Option<Field>,
) {
    let (name, attached) = match name.split_once('=') {
        Some((name, _)) => {
            let dashes = text.len() - text.trim_start_matches('-').len();
            (name, field.without_prefix(dashes + name.len() + 1))
        }
        None => (name, None),
    };
    let (name, wants) = listed(name, spec);
    let value = match (attached, wants) {
        (Some(value), _) => Some(value),
        (None, true) => next(),
        (None, false) => None,
    };
    options.found.push(FoundOption { name, value, span: field.span });
}

/// The full name of a long option and whether it wants a value of its own.
fn listed<'a>(name: &'a str, spec: &Spec) -> (&'a str, bool) {
    let bare = |entry: &'static str| {
        let end = entry.find('=').unwrap_or(entry.len());
        entry.get(..end).unwrap_or(entry)
    };
    let mut fits = None;
    let mut count = 0;
    if name.is_empty() {
        return (name, false);
    }
    // Most options of a command line want no value and are not listed: one search says so.
    for (at, _) in spec.long.match_indices(name) {
        let (before, rest) = spec.long.split_at_checked(at).unwrap_or_default();
        let entry = rest.split(' ').next().unwrap_or_default();
        if (before.is_empty() || before.ends_with(' ')) && entry.starts_with(name) {
            if bare(entry) == name {
                return (bare(entry), entry.ends_with('='));
            }
            count += 1;
            fits = Some(entry);
        }
    }
    match (fits, count) {
        (Some(entry), 1) => (bare(entry), entry.ends_with('=')),
        _ => (name, false),
    }
}

fn short<'a>(
    field: &'a Field,
    text: &'a str,
    spec: &Spec,
    options: &mut Options<'a>,
    next: &mut dyn FnMut() -> Option<Field>,
) {
    let mut rest = text.get(1..).unwrap_or_default();
    let mut offset = 1;
    while let Some(letter) = rest.chars().next() {
        let size = letter.len_utf8();
        let name = rest.get(..size).unwrap_or_default();
        rest = rest.get(size..).unwrap_or_default();
        offset += size;
        let colons = spec
            .short
            .split_once(letter)
            .map_or(0, |(_, after)| after.len() - after.trim_start_matches(':').len());
        if letter == ':' || colons == 0 {
            options.found.push(FoundOption { name, value: None, span: field.span });
            continue;
        }
        // Everything after the letter is its value, also what is not known of it.
        let attached = (!rest.is_empty() || field.parts.len() > 1)
            .then(|| field.without_prefix(offset))
            .flatten();
        let value = match attached {
            Some(value) => Some(value),
            None if colons == 1 => next(),
            None => None,
        };
        options.found.push(FoundOption { name, value, span: field.span });
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(words: &[&str]) -> Vec<Field> {
        words.iter().map(|word| Field::text(*word, Span::default())).collect()
    }

    fn shown(words: &[&str], spec: &Spec) -> String {
        let fields = fields(words);
        let options = parse(&fields, spec);
        let mut parts: Vec<String> = options
            .found
            .iter()
            .map(|found| match &found.value {
                Some(value) => format!("{}={}", found.name, value.shown()),
                None => found.name.to_owned(),
            })
            .collect();
        parts.push("|".to_owned());
        parts.extend(options.operands.iter().map(|field| field.shown()));
        parts.join(" ")
    }

    const RM: Spec = Spec::new("rRfo:i::", "recursive force interactive=? output=");

    #[test]
    fn short_options_stand_together_and_take_values() {
        assert_eq!(shown(&["-rf", "x"], &RM), "r f | x");
        assert_eq!(shown(&["-rofile", "x"], &RM), "r o=file | x");
        assert_eq!(shown(&["-o", "file", "x"], &RM), "o=file | x");
        assert_eq!(shown(&["-i", "x"], &RM), "i | x");
        assert_eq!(shown(&["-i.bak", "x"], &RM), "i=.bak | x");
        assert_eq!(shown(&["x", "-r"], &RM), "r | x");
        assert_eq!(shown(&["--", "-r"], &RM), "| -r");
        assert_eq!(shown(&["-"], &RM), "| -");
    }

    #[test]
    fn long_options_go_by_unique_prefix() {
        assert_eq!(shown(&["--rec", "--fo", "x"], &RM), "recursive force | x");
        assert_eq!(shown(&["--out=f", "--output", "g"], &RM), "output=f output=g |");
        assert_eq!(shown(&["--strange=1", "x"], &RM), "strange=1 | x");
    }

    #[test]
    fn a_wrapper_stops_at_its_first_operand() {
        let spec = Spec::first("u:", "");
        let fields = fields(&["-u", "root", "rm", "-rf"]);
        let options = parse(&fields, &spec);
        assert_eq!(options.consumed, 2);
        assert_eq!(options.operands.len(), 2);
    }
}
