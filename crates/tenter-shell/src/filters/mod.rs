//! Harmless text programs whose output depends only on arguments and input. They are emulated, so that
//! `$(echo rm)` and `base64 -d <<< ...` hide nothing.
//!
//! Each returns its exact standard output, or `None` if anything is not supported.

mod awk;
mod codec;
mod echo;
mod escapes;
mod lines;
mod names;
mod printf;
mod sed;
mod tr;

pub(crate) use escapes::ansi_c;

use crate::budget::MAX_VALUE;

/// The exact output of a program, if it can be computed. `stdin` is `None` when unknown.
pub fn run(program: &str, args: &[&str], stdin: Option<&str>) -> Option<String> {
    let output = match program {
        "echo" => echo::echo(args),
        "printf" => printf::printf(args),
        "true" | ":" | "false" => Some(String::new()),
        "seq" => names::seq(args),
        "basename" => names::basename(args),
        "dirname" => names::dirname(args),
        "cat" => matches!(args, [] | ["-"]).then(|| stdin.map(str::to_owned))?,
        "tr" => tr::tr(args, stdin?),
        "rev" => lines::rev(args, stdin?),
        "tac" => lines::tac(args, stdin?),
        "head" => lines::head(args, stdin?),
        "tail" => lines::tail(args, stdin?),
        "cut" => lines::cut(args, stdin?),
        "sort" => lines::sort(args, stdin?),
        "uniq" => lines::uniq(args, stdin?),
        "wc" => lines::wc(args, stdin?),
        "paste" => lines::paste(args, stdin?),
        "sed" => sed::sed(args, stdin?),
        "awk" | "gawk" | "mawk" | "nawk" => awk::awk(args, stdin?),
        "base64" | "gbase64" => codec::base64(args, stdin?),
        "base32" => codec::base32(args, stdin?),
        "xxd" => codec::xxd(args, stdin?),
        "openssl" => codec::openssl(args, stdin?),
        _ => None,
    };
    output.filter(|text| text.len() <= MAX_VALUE)
}

/// Takes options apart the way GNU programs do: combined letters, values joined or apart, `--`.
/// Options are letters; long ones are named by `long`.
struct Options<'a> {
    given: Vec<(char, &'a str)>,
    operands: Vec<&'a str>,
}

impl<'a> Options<'a> {
    /// `known` lists the letters, each followed by `:` if it takes a value. None at any other.
    fn read(args: &[&'a str], known: &str, long: &[(&str, char)]) -> Option<Self> {
        let mut options = Self { given: Vec::new(), operands: Vec::new() };
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            if arg == "--" {
                options.operands.extend(args);
                break;
            }
            if let Some(name) = arg.strip_prefix("--") {
                let (name, value) = match name.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (name, None),
                };
                let (_, letter) = long.iter().find(|(known, _)| *known == name)?;
                let value = match (takes_value(known, *letter)?, value) {
                    (true, Some(value)) => value,
                    (true, None) => args.next()?,
                    (false, None) => "",
                    (false, Some(_)) => return None,
                };
                options.given.push((*letter, value));
            } else if arg.len() > 1 && arg.starts_with('-') {
                let mut letters = arg.chars();
                letters.next();
                while let Some(letter) = letters.next() {
                    if takes_value(known, letter)? {
                        let joined = letters.as_str();
                        let value = if joined.is_empty() { args.next()? } else { joined };
                        options.given.push((letter, value));
                        break;
                    }
                    options.given.push((letter, ""));
                }
            } else {
                options.operands.push(arg);
            }
        }
        Some(options)
    }

    fn has(&self, letter: char) -> bool {
        self.value(letter).is_some()
    }

    /// The last value given.
    fn value(&self, letter: char) -> Option<&'a str> {
        self.given.iter().rev().find(|(given, _)| *given == letter).map(|(_, value)| *value)
    }

    /// No file is named: it reads its standard input.
    fn reads_stdin(&self) -> bool {
        matches!(self.operands.as_slice(), [] | ["-"])
    }
}

fn takes_value(known: &str, letter: char) -> Option<bool> {
    let at = known.find(letter).filter(|_| letter != ':')?;
    Some(known.get(at + letter.len_utf8()..)?.starts_with(':'))
}

/// Lines with the new line at the end left out, and whether the last one had it.
fn lines(text: &str) -> (Vec<&str>, bool) {
    match text.strip_suffix('\n') {
        Some(rest) => (rest.split('\n').collect(), true),
        None if text.is_empty() => (Vec::new(), true),
        None => (text.split('\n').collect(), false),
    }
}

/// Lines, each with a new line after it; the last one only if `ended`.
fn unlines<S: AsRef<str>>(lines: &[S], ended: bool) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.as_ref());
        text.push('\n');
    }
    if !ended {
        text.pop();
    }
    text
}
