//! `printf`, as bash has it built in.

use super::escapes::{self, Decoded, Dialect};
use crate::budget::MAX_VALUE;

pub(super) fn printf(args: &[&str]) -> Option<String> {
    let (format, args) = match args {
        ["--", format, rest @ ..] => (*format, rest),
        [format, rest @ ..] if !format.starts_with('-') => (*format, rest),
        _ => return None,
    };
    let mut printer = Printer { args, used: 0, missing: false, out: Decoded::default() };
    loop {
        let before = printer.used;
        printer.once(format)?;
        let goes_on = printer.used > before && printer.used < args.len();
        if printer.out.stopped || !goes_on {
            break;
        }
        if printer.out.bytes.len() > MAX_VALUE {
            return None;
        }
    }
    String::from_utf8(printer.out.bytes).ok()
}

struct Printer<'a> {
    args: &'a [&'a str],
    used: usize,
    /// The last argument asked for was not there.
    missing: bool,
    out: Decoded,
}

#[derive(Default)]
struct Spec {
    /// `-`, `+`, a blank, `0`, `#`
    flags: [bool; 5],
    width: usize,
    precision: Option<usize>,
}

const FLAGS: &str = "-+ 0#";

impl Spec {
    fn has(&self, flag: char) -> bool {
        FLAGS.find(flag).and_then(|at| self.flags.get(at)) == Some(&true)
    }
}

impl<'a> Printer<'a> {
    fn once(&mut self, format: &'a str) -> Option<()> {
        let mut rest = format;
        while let Some(at) = rest.find(['\\', '%']) {
            let (plain, tail) = rest.split_at_checked(at)?;
            self.out.bytes.extend_from_slice(plain.as_bytes());
            rest = match tail.strip_prefix('\\') {
                Some(text) => escapes::escape(text, Dialect::Format, &mut self.out),
                None => self.conversion(tail.get(1..)?)?,
            };
            if self.out.stopped {
                return Some(());
            }
        }
        self.out.bytes.extend_from_slice(rest.as_bytes());
        Some(())
    }

    fn next(&mut self) -> &'a str {
        let arg = self.args.get(self.used).copied();
        self.missing = arg.is_none();
        self.used += 1;
        arg.unwrap_or_default()
    }

    /// After `%`; returns what follows the conversion.
    fn conversion(&mut self, text: &'a str) -> Option<&'a str> {
        if let Some(rest) = text.strip_prefix('%') {
            self.out.bytes.push(b'%');
            return Some(rest);
        }
        let mut spec = Spec::default();
        let mut rest = text;
        loop {
            let mut chars = rest.chars();
            let flag = chars.next()?;
            let Some(known) = FLAGS.find(flag).and_then(|at| spec.flags.get_mut(at)) else { break };
            *known = true;
            rest = chars.as_str();
        }
        let (width, after) = self.number(rest)?;
        spec.width = width.unwrap_or(0);
        rest = after;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = self.number(after)?;
            spec.precision = Some(precision.unwrap_or(0));
            rest = after;
        }
        rest = rest.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L']);
        let mut chars = rest.chars();
        let letter = chars.next()?;
        self.convert(letter, &spec)?;
        Some(chars.as_str())
    }

    fn number(&mut self, text: &'a str) -> Option<(Option<usize>, &'a str)> {
        if let Some(rest) = text.strip_prefix('*') {
            let value = self.next().parse::<usize>().ok().filter(|width| *width <= 4096)?;
            return Some((Some(value), rest));
        }
        let rest = text.trim_start_matches(|ch: char| ch.is_ascii_digit());
        let digits = text.get(..text.len() - rest.len())?;
        if digits.is_empty() {
            return Some((None, rest));
        }
        Some((Some(digits.parse().ok().filter(|width| *width <= 4096)?), rest))
    }

    fn convert(&mut self, letter: char, spec: &Spec) -> Option<()> {
        let arg = self.next();
        match letter {
            's' => self.padded(spec, arg.as_bytes()),
            'b' => {
                let mut decoded = Decoded::default();
                escapes::decode(arg, Dialect::Argument, &mut decoded);
                self.out.stopped = decoded.stopped;
                self.padded(spec, &decoded.bytes)
            }
            'q' => self.padded(spec, quoted(arg)?.as_bytes()),
            // Of nothing, it prints a NUL.
            'c' => self.padded(&Spec { precision: None, ..*spec }, &[*arg.as_bytes().first()?]),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => self.integer(spec, letter, arg),
            _ => None,
        }
    }

    fn padded(&mut self, spec: &Spec, bytes: &[u8]) -> Option<()> {
        // Whether bytes or characters are counted is a matter of the version.
        if (spec.width > 0 || spec.precision.is_some()) && !bytes.is_ascii() {
            return None;
        }
        let kept = bytes.get(..spec.precision.unwrap_or(bytes.len())).unwrap_or(bytes);
        let blanks = spec.width.saturating_sub(kept.len());
        self.blanks(if spec.has('-') { 0 } else { blanks });
        self.out.bytes.extend_from_slice(kept);
        self.blanks(if spec.has('-') { blanks } else { 0 });
        Some(())
    }

    fn blanks(&mut self, count: usize) {
        self.out.bytes.resize(self.out.bytes.len() + count, b' ');
    }

    fn integer(&mut self, spec: &Spec, letter: char, arg: &str) -> Option<()> {
        let value = if self.missing { 0 } else { value(arg)? };
        let signed = matches!(letter, 'd' | 'i');
        let digits = match letter {
            'x' => format!("{value:x}"),
            'X' => format!("{value:X}"),
            'o' => format!("{value:o}"),
            'u' => value.cast_unsigned().to_string(),
            _ => value.unsigned_abs().to_string(),
        };
        let sign = match (signed, letter) {
            (true, _) if value < 0 => "-",
            (true, _) if spec.has('+') => "+",
            (true, _) if spec.has(' ') => " ",
            (false, 'x') if spec.has('#') && value != 0 => "0x",
            (false, 'X') if spec.has('#') && value != 0 => "0X",
            (false, 'o') if spec.has('#') && value != 0 => "0",
            _ => "",
        };
        let least = match spec.precision {
            Some(precision) => precision,
            None if spec.has('0') && !spec.has('-') => spec.width.saturating_sub(sign.len()),
            None => 0,
        };
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        let text = [sign, &zeros, &digits].concat();
        self.padded(&Spec { precision: None, ..*spec }, text.as_bytes())
    }
}

/// A number as C writes it, or the code of the character after a quote.
fn value(text: &str) -> Option<i64> {
    if let Some(quoted) = text.strip_prefix(['\'', '"']) {
        return quoted.chars().next().map(|ch| i64::from(u32::from(ch)));
    }
    let text = text.trim_start_matches([' ', '\t', '\n']);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => (16, hexadecimal),
        None if digits.len() > 1 && digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let value = i64::from_str_radix(digits, radix).ok()?;
    Some(if negative { value.wrapping_neg() } else { value })
}

/// `%q`
fn quoted(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("''".to_owned());
    }
    if text.contains(|ch: char| ch.is_control() || !ch.is_ascii()) {
        return None;
    }
    let mut quoted = String::new();
    for (at, ch) in text.char_indices() {
        let before = text.get(..at)?.chars().next_back();
        let special = match ch {
            ' ' | '\'' | '"' | '`' | '|' | '&' | ';' | '(' | ')' | '<' | '>' | '\\' | '$' | '!'
            | '{' | '}' | '*' | '[' | ']' | '?' | '^' | ',' => true,
            '#' => before.is_none(),
            '~' => matches!(before, None | Some(':' | '=')),
            _ => false,
        };
        if special {
            quoted.push('\\');
        }
        quoted.push(ch);
    }
    Some(quoted)
}
