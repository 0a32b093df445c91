//! `xargs`: arguments from standard input.
//!
//! Actions: `items` (read: the file that the arguments come from), `fork-bomb`.

use super::common::{helps, pieces, rest};
use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::{MAX_LITERAL, MAX_ROUNDS, MAX_VALUE, MAX_WORDS};
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::span::Span;
use crate::target::Target;
use crate::value::{Field, Part, Unknown, is_tame};

pub(super) const PROGRAMS: Programs = &[("xargs", xargs), ("gxargs", xargs)];

/// Items that are followed one by one.
const MAX_ITEMS: usize = MAX_LITERAL;

const XARGS: Spec = Spec::first(
    "0rtpxon:P:L:l::s:I:i::J:R:S:E:e::d:a:",
    "null no-run-if-empty verbose interactive exit max-args= max-procs= max-lines=? \
     max-chars= replace=? eof=? delimiter= arg-file= process-slot-var= open-tty \
     show-limits help version",
);

fn xargs(call: &mut Call<'_, '_>) {
    let options = call.options(&XARGS);
    if helps(&options) {
        return;
    }
    let many = options.value(&["P", "max-procs"]).and_then(Field::exact);
    if many == Some("0") && is_endless(call) {
        call.effect(Kind::Process, Act::ForkBomb, Target::None);
    }
    let input = match options.value(&["a", "arg-file"]) {
        Some(file) => call.read(Act::Items, file),
        None => std::mem::replace(&mut call.stdin, Stream::empty()),
    };
    let echo = [Field::text("echo", call.span)];
    let command = rest(call, &options, 0);
    let command = if command.is_empty() { &echo } else { command };
    let (items, whole) = items(&options, &input, call.span);
    if !whole {
        call.unverified(Reason::CutShort("has too many piped arguments to check"), call.span);
    }
    let mut out = Stream::empty();
    for argv in commands(&options, command, &items) {
        add(&mut out, call.run(&argv));
    }
    call.stdout = out;
}

/// Whether what comes in never ends, or as good as never: `yes | xargs -P0 ...` starts processes as
/// long as there are any.
pub(super) fn is_endless(call: &Call<'_, '_>) -> bool {
    let mut before = call.machine.commands.iter().rev().take(2);
    before.any(|ran| match ran.program.as_str() {
        "yes" => true,
        // Too many concurrent processes for any machine.
        "seq" => ran.argv.iter().skip(1).any(|number| {
            number.exact().and_then(|text| text.parse::<u64>().ok()).is_some_and(|it| it >= 10_000)
        }),
        _ => false,
    })
}

fn add(all: &mut Stream, more: Stream) {
    all.flow.join(&more.flow);
    all.text = match (all.text.take(), more.text) {
        (Some(before), Some(more)) => Some(before + &more),
        _ => None,
    };
}

/// How the items become arguments.
fn commands(options: &Options<'_>, command: &[Field], items: &[Field]) -> Vec<Vec<Field>> {
    let default = Field::text("{}", Span::default());
    let marker = options
        .found
        .iter()
        .rev()
        .find(|found| matches!(found.name, "I" | "i" | "replace"))
        .map(|found| found.value.as_ref().unwrap_or(&default).shown());
    let stands = |marker: &String| {
        !marker.is_empty() && command.iter().any(|word| word.shown().contains(marker.as_str()))
    };
    // A marker that stands nowhere was meant to stand at the end.
    if let Some(marker) = marker.filter(stands) {
        let each = items.iter().take(MAX_LITERAL);
        return each
            .map(|item| command.iter().map(|word| replaced(word, &marker, item)).collect())
            .collect();
    }
    let most = number(options, &["n", "max-args"]).or(number(options, &["L", "max-lines"]));
    let chunks = items.chunks(most.unwrap_or(items.len()).max(1)).take(MAX_LITERAL);
    let mut all: Vec<Vec<Field>> = chunks
        .map(|chunk| match options.value(&["J"]) {
            Some(marker) => inserted(command, marker, chunk),
            None => command.iter().chain(chunk).cloned().collect(),
        })
        .collect();
    if all.is_empty() && !options.has(&["r", "no-run-if-empty"]) {
        all.push(command.to_vec());
    }
    all
}

fn number(options: &Options<'_>, names: &[&str]) -> Option<usize> {
    options.value(names)?.exact()?.parse().ok()
}

/// BSD's `-J`: the first argument that is the marker becomes all items.
fn inserted(command: &[Field], marker: &Field, items: &[Field]) -> Vec<Field> {
    let at = command.iter().position(|word| word == marker || word.is(&marker.shown()));
    let (before, after) = command.split_at(at.unwrap_or(command.len()));
    before.iter().chain(items).chain(after.iter().skip(1)).cloned().collect()
}

/// The word with every marker in it replaced.
pub(super) fn replaced(word: &Field, marker: &str, item: &Field) -> Field {
    if !word
        .parts
        .iter()
        .any(|part| matches!(part, Part::Text { text, .. } if text.contains(marker)))
    {
        return word.clone();
    }
    let mut out = Field { span: word.span, flow: word.flow.clone(), ..Field::default() };
    out.flow.join(&item.flow);
    let markers = word.prefix().matches(marker).count();
    if markers.saturating_mul(item.prefix().len()) > MAX_VALUE {
        return Field { flow: out.flow, ..Field::unknown(marker, word.span) };
    }
    for part in &word.parts {
        let Part::Text { text, .. } = part else {
            out.push(part.clone());
            continue;
        };
        for (index, piece) in text.split(marker).enumerate() {
            if index > 0 {
                item.parts.iter().for_each(|part| out.push(part.clone()));
            }
            out.push_text(piece, None);
        }
    }
    out
}

/// The arguments in the input, and whether they are complete. Unknown input is one item that may be many.
fn items(options: &Options<'_>, input: &Stream, span: Span) -> (Vec<Field>, bool) {
    if let (None, Some(known)) = (&input.text, &input.partial) {
        let blanks = !options.has(&["I", "i", "replace", "0", "null", "d", "delimiter"]);
        let mut items = pieces(known, blanks);
        let whole = items.len() <= MAX_ROUNDS;
        items.truncate(MAX_ROUNDS);
        return (items, whole);
    }
    let Some(text) = &input.text else {
        let part = Part::Unknown(Unknown { name: "$(stdin)".into(), splits: true });
        return (vec![Field { parts: vec![part], span, flow: input.flow.clone() }], true);
    };
    let delimiter = options.value(&["d", "delimiter"]).map(|value| delimiter(&value.shown()));
    let replaces = options.has(&["I", "i", "replace"]);
    let words: Vec<String> = if options.has(&["0", "null"]) {
        delimited(text, '\0')
    } else if let Some(delimiter) = delimiter {
        delimited(text, delimiter)
    } else if replaces {
        let lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
        lines.take(MAX_WORDS + 1).map(|line| words(line, false).concat()).collect()
    } else {
        words(text, true)
    };
    let end = options.value(&["E", "e", "eof"]).map(Field::shown);
    let whole = words.len() <= MAX_WORDS && words.iter().skip(MAX_ITEMS).all(|word| is_tame(word));
    let fields = words
        .into_iter()
        .take(MAX_ITEMS)
        .take_while(|word| end.as_ref() != Some(word))
        .map(|word| Field { flow: input.flow.clone(), ..Field::text(word, span) })
        .collect();
    (fields, whole)
}

fn delimited(text: &str, delimiter: char) -> Vec<String> {
    let text = text.strip_suffix(delimiter).unwrap_or(text);
    let some = (!text.is_empty()).then(|| text.split(delimiter));
    some.into_iter().flatten().take(MAX_WORDS + 1).map(str::to_owned).collect()
}

/// `-d '\n'` and the like.
fn delimiter(given: &str) -> char {
    match given {
        "\\n" => '\n',
        "\\t" => '\t',
        "\\0" | "\\x00" | "" => '\0',
        "\\r" => '\r',
        "\\\\" => '\\',
        other => other.chars().next().unwrap_or('\0'),
    }
}

/// Words as xargs reads them: quotes keep blanks, a backslash keeps the next character. Without
/// `splits` blanks are part of the one word.
fn words(text: &str, splits: bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(letter) = chars.next() {
        match (letter, quote) {
            (_, Some(open)) if open == letter => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('\\', None) => word.get_or_insert_default().extend(chars.next()),
            (' ' | '\t' | '\n', None) if splits => {
                words.extend(word.take());
                if words.len() > MAX_WORDS {
                    break;
                }
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_with, judged};
    use crate::flow::{Source, Stream};

    #[test]
    fn known_input_becomes_arguments() {
        check_with(
            &Stream::known("a 'b c'\nd\n"),
            &[
                ("xargs rm", "xargs>rm a b c d"),
                ("xargs -n 1 rm -f", "xargs>rm -f a | xargs>rm -f b c | xargs>rm -f d"),
                ("xargs -n2 -P4 rm", "xargs>rm a b c | xargs>rm d"),
                ("xargs -I{} rm {}/x", "xargs>rm a b c/x | xargs>rm d/x"),
                ("xargs -I % -t mv % /t/%", "xargs>mv a b c /t/a b c | xargs>mv d /t/d"),
                ("xargs --replace rm {}", "xargs>rm a b c | xargs>rm d"),
                ("xargs -J % mv % /t", "xargs>mv a b c d /t"),
                ("xargs -E d rm", "xargs>rm a b c"),
                ("xargs", "xargs>echo a b c d"),
                ("xargs -d '\\n' rm", "xargs>rm a 'b c' d"),
                ("xargs sh -c 'rm x'", "xargs>sh>rm x"),
                ("xargs -r -0 rm", "xargs>rm a 'b c'\nd"),
                ("xargs --max-args=3 env A=1 rm", "xargs>env>rm a b c d"),
            ],
        );
        check_with(&Stream::known("a,b"), &[("xargs -d , rm", "xargs>rm a b")]);
        check_with(&Stream::known(""), &[("xargs rm", "xargs>rm"), ("xargs -r rm", "xargs -r rm")]);
    }

    #[test]
    fn unknown_input_is_an_argument_that_nobody_knows() {
        check_with(
            &Stream::from(Source::File("/l".into())),
            &[
                ("xargs rm -rf", "xargs>rm -rf $(stdin)"),
                ("xargs -0 -I{} rm {}/x", "xargs>rm $(stdin)/x"),
                ("xargs -I{} sh -c 'rm {}'", "xargs>sh>rm $(stdin)"),
                ("xargs -I{} sh -c 'rm \"{}\"; id'", "xargs>sh>rm $(stdin) | xargs>sh>id"),
                ("xargs --help", "xargs --help"),
            ],
        );
        let analysis = judged("xargs -a names rm", Stream::default());
        assert_eq!(analysis.effects.first().map(|effect| effect.action), Some(crate::Act::Items));
        assert_eq!(analysis.commands.first().map(|ran| ran.argv.len()), Some(2));
    }
}
