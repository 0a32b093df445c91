//! Arithmetic as bash does it: 64 bits that wrap, variables that are expressions themselves.

use super::{Scope, Variable};
use crate::span::Span;
use crate::value::{Field, Part};

/// Brackets, prefixes and variables inside each other.
const MAX_DEPTH: usize = 96;
/// Marks an unknown part; it cannot occur in a command's numbers.
const UNKNOWN: u8 = 0;

/// The value of an expression whose words are already expanded.
pub(super) fn evaluate(field: &Field, scope: &mut dyn Scope) -> Option<i64> {
    if let Some(text) = field.exact() {
        if let Some(number) = simple(text) {
            return Some(number);
        }
        return run(text, scope, 0, Live::Yes).ok()?;
    }
    let mut text = String::new();
    for part in &field.parts {
        match part {
            Part::Text { text: known, .. } | Part::Glob(known) => text.push_str(known),
            Part::Unknown(_) => text.push(char::from(UNKNOWN)),
        }
    }
    run(&text, scope, 0, Live::Yes).ok()?
}

fn simple(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (digits && text.len() < 18 && (!text.starts_with('0') || text.len() == 1))
        .then(|| text.parse().ok())?
}

/// Whether the expression is evaluated, not only parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Live {
    No,
    /// It may: assignments make the variable unknown.
    Maybe,
    Yes,
}

/// The expression is wrong, or too deep to follow.
#[derive(Debug)]
struct Wrong;

type Outcome = Result<Option<i64>, Wrong>;

fn run(text: &str, scope: &mut dyn Scope, depth: usize, live: Live) -> Outcome {
    let mut reader = Reader { text: text.as_bytes(), at: 0, scope, depth, live };
    reader.blanks();
    if reader.peek().is_none() {
        return Ok(Some(0));
    }
    let value = reader.comma()?;
    if reader.peek().is_some() { Err(Wrong) } else { Ok(value) }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    scope: &'a mut dyn Scope,
    depth: usize,
    live: Live,
}

/// A variable, or an element of one.
#[derive(Clone, Copy)]
struct Target<'a> {
    name: &'a str,
    subscript: Option<&'a str>,
}

/// Binary operators: longer ones first, and how strongly they bind.
const OPERATORS: &[(&str, u8)] = &[
    ("**", 11),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("==", 6),
    ("!=", 6),
    ("&&", 2),
    ("||", 1),
    ("*", 10),
    ("/", 10),
    ("%", 10),
    ("+", 9),
    ("-", 9),
    ("<", 7),
    (">", 7),
    ("&", 5),
    ("^", 4),
];

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token.as_bytes());
        if found {
            self.at += token.len();
            self.blanks();
        }
        found
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Outcome) -> Outcome {
        if self.depth >= MAX_DEPTH || !self.scope.budget().spend(1) {
            return Err(Wrong);
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn while_live(&mut self, live: Live, read: fn(&mut Self) -> Outcome) -> Outcome {
        let before = self.live;
        self.live = before.min(live);
        let value = self.deeper(read);
        self.live = before;
        value
    }

    fn comma(&mut self) -> Outcome {
        loop {
            let value = self.deeper(Self::assignment)?;
            if !self.take(",") {
                return Ok(value);
            }
        }
    }

    fn assignment(&mut self) -> Outcome {
        let start = self.at;
        if let Some(target) = self.target()
            && let Some(operator) = self.assigning()
        {
            // The old value counts from before the right side, which may change it.
            let old = if operator.is_empty() { None } else { self.read(target)? };
            let mut value = self.deeper(Self::assignment)?;
            if !operator.is_empty() {
                value = combine(operator, old, value)?;
            }
            self.write(target, value)?;
            return Ok(value);
        }
        self.at = start;
        self.choice()
    }

    /// The operator before `=`, if an assignment follows.
    fn assigning(&mut self) -> Option<&'static str> {
        let before = self.at;
        for operator in ["", "<<", ">>", "*", "/", "%", "+", "-", "&", "^", "|"] {
            let rest = self.rest();
            if let Some(after) = rest.strip_prefix(operator.as_bytes())
                && after.first() == Some(&b'=')
                && !(operator.is_empty() && after.get(1) == Some(&b'='))
            {
                self.at = before + operator.len() + 1;
                self.blanks();
                return Some(operator);
            }
        }
        None
    }

    fn choice(&mut self) -> Outcome {
        let condition = self.binary(1)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let (first, second) = match condition {
            Some(0) => (Live::No, Live::Yes),
            Some(_) => (Live::Yes, Live::No),
            None => (Live::Maybe, Live::Maybe),
        };
        let yes = self.while_live(first, Self::comma)?;
        if !self.take(":") {
            return Err(Wrong);
        }
        let no = self.while_live(second, Self::assignment)?;
        Ok(match condition {
            Some(0) => no,
            Some(_) => yes,
            None => (yes == no).then_some(yes).flatten(),
        })
    }

    fn operator(&self, least: u8) -> Option<(&'static str, u8)> {
        let rest = self.rest();
        // `|` is read apart, so that the table needs no third column.
        let bar = rest.starts_with(b"|") && !rest.starts_with(b"||");
        let (operator, power) = if bar {
            ("|", 3)
        } else {
            *OPERATORS.iter().find(|(name, _)| rest.starts_with(name.as_bytes()))?
        };
        let assigns = rest.get(operator.len()) == Some(&b'=')
            && !matches!(operator, "<=" | ">=" | "==" | "!=" | "&&" | "||" | "<" | ">" | "**");
        (power >= least && !assigns).then_some((operator, power))
    }

    fn binary(&mut self, least: u8) -> Outcome {
        let mut left = self.prefix()?;
        while let Some((operator, power)) = self.operator(least) {
            self.take(operator);
            if !self.scope.budget().spend(1) {
                return Err(Wrong);
            }
            let live = match (operator, left) {
                ("&&", Some(0)) => Live::No,
                ("||", Some(value)) if value != 0 => Live::No,
                ("&&" | "||", None) => Live::Maybe,
                _ => Live::Yes,
            };
            let before = self.live;
            self.live = before.min(live);
            // `**` binds to the right, all others to the left.
            let right = self.nested(if operator == "**" { power } else { power + 1 });
            self.live = before;
            left = match (operator, left, right?) {
                ("&&", Some(0), _) | ("&&", _, Some(0)) => Some(0),
                ("||", Some(value), _) | ("||", _, Some(value)) if value != 0 => Some(1),
                (operator, left, right) => {
                    // An operation that is not evaluated causes no error.
                    let zero = self.live == Live::No && right == Some(0);
                    if zero { None } else { combine(operator, left, right)? }
                }
            };
        }
        Ok(left)
    }

    fn nested(&mut self, least: u8) -> Outcome {
        if self.depth >= MAX_DEPTH {
            return Err(Wrong);
        }
        self.depth += 1;
        let value = self.binary(least);
        self.depth -= 1;
        value
    }

    fn prefix(&mut self) -> Outcome {
        for step in ["++", "--"] {
            if self.rest().starts_with(step.as_bytes()) {
                let start = self.at;
                self.take(step);
                if let Some(target) = self.target() {
                    return self.change(target, step).map(|(_, new)| new);
                }
                self.at = start;
            }
        }
        let Some(mark @ (b'-' | b'+' | b'!' | b'~')) = self.peek() else { return self.primary() };
        self.at += 1;
        self.blanks();
        let value = self.deeper(Self::prefix)?;
        Ok(value.map(|value| match mark {
            b'-' => value.wrapping_neg(),
            b'!' => i64::from(value == 0),
            b'~' => !value,
            _ => value,
        }))
    }

    fn primary(&mut self) -> Outcome {
        if self.take("(") {
            let value = self.deeper(Self::comma)?;
            return if self.take(")") { Ok(value) } else { Err(Wrong) };
        }
        match self.peek() {
            Some(UNKNOWN) => {
                // Adjacent characters belong to the same unknown word.
                while self.peek().is_some_and(|byte| byte == UNKNOWN || is_word(byte)) {
                    self.at += 1;
                }
                self.blanks();
                Ok(None)
            }
            Some(byte) if byte.is_ascii_digit() => self.number(),
            _ => {
                let target = self.target().ok_or(Wrong)?;
                for step in ["++", "--"] {
                    if self.take(step) {
                        return self.change(target, step).map(|(old, _)| old);
                    }
                }
                self.read(target)
            }
        }
    }

    fn number(&mut self) -> Outcome {
        let length = self.rest().iter().take_while(|byte| is_digit(**byte)).count();
        let token = self.rest().get(..length).and_then(|token| std::str::from_utf8(token).ok());
        let token = token.ok_or(Wrong)?;
        self.at += length;
        if self.peek() == Some(UNKNOWN) {
            return self.primary();
        }
        self.blanks();
        literal(token).map(Some).ok_or(Wrong)
    }

    fn target(&mut self) -> Option<Target<'a>> {
        let length = self.rest().iter().take_while(|byte| is_word(**byte)).count();
        let (name, after) = self.rest().split_at_checked(length)?;
        if name.first().is_none_or(u8::is_ascii_digit) || after.first() == Some(&UNKNOWN) {
            return None;
        }
        self.at += length;
        let mut subscript = None;
        if after.first() == Some(&b'[') {
            let mut depth = 0_usize;
            let inside = after.iter().position(|byte| {
                depth = match byte {
                    b'[' => depth + 1,
                    b']' => depth.saturating_sub(1),
                    _ => depth,
                };
                depth == 0
            })?;
            subscript = Some(std::str::from_utf8(after.get(1..inside)?).ok()?);
            self.at += inside + 1;
        }
        self.blanks();
        Some(Target { name: std::str::from_utf8(name).ok()?, subscript })
    }

    /// The value of a variable: a number, or an expression.
    fn read(&mut self, target: Target<'_>) -> Outcome {
        if self.depth >= MAX_DEPTH || !self.scope.budget().spend(1) {
            return Err(Wrong);
        }
        let key = match target.subscript {
            None => Some(0),
            Some(text) => run(text, self.scope, self.depth + 1, self.live)?,
        };
        let Some(key) = key else { return Ok(None) };
        let field = match self.scope.variable(target.name) {
            Variable::Unknown => return Ok(None),
            Variable::Scalar(field) if key == 0 => field,
            Variable::Unset | Variable::Scalar(_) => return Ok(Some(0)),
            Variable::Array(items) => {
                let key = key.to_string();
                match items.into_iter().find(|(name, _)| *name == key) {
                    Some((_, field)) => field,
                    // Negative, or a key that is a text: not worth following.
                    None if key.starts_with('-') || target.subscript.is_some() => return Ok(None),
                    None => return Ok(Some(0)),
                }
            }
        };
        match field.exact() {
            None => Ok(None),
            Some(text) => match simple(text) {
                Some(number) => Ok(Some(number)),
                None => run(text, self.scope, self.depth + 4, self.live),
            },
        }
    }

    fn change(
        &mut self,
        target: Target<'_>,
        step: &str,
    ) -> Result<(Option<i64>, Option<i64>), Wrong> {
        let old = self.read(target)?;
        let by = if step == "++" { 1 } else { -1 };
        let new = old.map(|old| old.wrapping_add(by));
        self.write(target, new)?;
        Ok((old, new))
    }

    fn write(&mut self, target: Target<'_>, value: Option<i64>) -> Result<(), Wrong> {
        let value = match self.live {
            Live::No => return Ok(()),
            Live::Maybe => None,
            Live::Yes => value,
        };
        let field = value.map(|value| Field::text(value.to_string(), Span::default()));
        let Some(subscript) = target.subscript else {
            self.scope.assign(target.name, field.map_or(Variable::Unknown, Variable::Scalar));
            return Ok(());
        };
        let key = run(subscript, self.scope, self.depth + 1, self.live)?;
        let variable = match (key, field, self.scope.variable(target.name)) {
            (Some(key @ 0..), Some(field), Variable::Array(mut items)) => {
                put(&mut items, key, field);
                Variable::Array(items)
            }
            (Some(key @ 0..), Some(field), Variable::Unset) => {
                Variable::Array(vec![(key.to_string(), field)])
            }
            _ => Variable::Unknown,
        };
        self.scope.assign(target.name, variable);
        Ok(())
    }
}

/// Puts an element at its place in an indexed array.
fn put(items: &mut Vec<(String, Field)>, key: i64, field: Field) {
    let number = |name: &str| name.parse::<i64>().unwrap_or(i64::MAX);
    let at = items.iter().position(|(name, _)| number(name) >= key).unwrap_or(items.len());
    match items.get_mut(at) {
        Some((name, old)) if number(name) == key => *old = field,
        _ => items.insert(at, (key.to_string(), field)),
    }
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn is_digit(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'#' | b'@')
}

/// `12`, `0x1f`, `017`, `16#ff`
fn literal(token: &str) -> Option<i64> {
    let (base, digits) = if let Some((base, digits)) = token.split_once('#') {
        (base.parse::<u32>().ok().filter(|base| (2..=64).contains(base))?, digits)
    } else if let Some(digits) = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")) {
        (16, digits)
    } else if token.len() > 1 && token.starts_with('0') {
        (8, token)
    } else {
        (10, token)
    };
    if digits.is_empty() {
        return None;
    }
    digits.bytes().try_fold(0_i64, |value, byte| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
            b'A'..=b'Z' => byte - b'A' + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return None,
        };
        (u32::from(digit) < base)
            .then(|| value.wrapping_mul(i64::from(base)).wrapping_add(i64::from(digit)))
    })
}

fn combine(operator: &str, left: Option<i64>, right: Option<i64>) -> Outcome {
    if matches!(operator, "/" | "%") && right == Some(0) {
        return Err(Wrong);
    }
    let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
    Ok(Some(match operator {
        "**" => power(left, right).ok_or(Wrong)?,
        "*" => left.wrapping_mul(right),
        "/" => left.wrapping_div(right),
        "%" => left.wrapping_rem(right),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "<<" | ">>" => match u32::try_from(right) {
            Ok(by @ 0..=63) if operator == "<<" => left.wrapping_shl(by),
            Ok(by @ 0..=63) => left.wrapping_shr(by),
            _ => return Ok(None),
        },
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "&" => left & right,
        "^" => left ^ right,
        "|" => left | right,
        "&&" => i64::from(left != 0 && right != 0),
        "||" => i64::from(left != 0 || right != 0),
        _ => return Err(Wrong),
    }))
}

fn power(mut base: i64, exponent: i64) -> Option<i64> {
    let mut left = u64::try_from(exponent).ok()?;
    let mut value = 1_i64;
    while left > 0 {
        if left & 1 == 1 {
            value = value.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        left >>= 1;
    }
    Some(value)
}
