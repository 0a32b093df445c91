//! The shape of PowerShell expressions, by which they differ from commands of a Unix shell.

/// Maximum length of an expression.
const MAX: usize = 4096;

/// Variables that PowerShell sets itself, in lower case.
const AUTOMATIC: &[&str] = &[
    "lastexitcode",
    "psversiontable",
    "psscriptroot",
    "pscommandpath",
    "null",
    "true",
    "false",
    "matches",
];

/// Operators of letters, in lower case and without the `c` or `i` before those that compare.
const OPERATORS: &[&str] = &[
    "join",
    "f",
    "replace",
    "split",
    "eq",
    "ne",
    "like",
    "match",
    "and",
    "or",
    "gt",
    "lt",
    "ge",
    "le",
    "notmatch",
    "notlike",
    "contains",
    "notcontains",
    "in",
    "notin",
    "is",
    "isnot",
    "as",
    "band",
    "bor",
    "bxor",
    "xor",
    "shl",
    "shr",
];

/// Length of an operator of letters at the start of the text, dash included, and its plain name.
pub(super) fn operator(text: &str) -> Option<(usize, &'static str)> {
    let rest = text.strip_prefix('-')?;
    let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = rest.get(..length)?.to_ascii_lowercase();
    let find = |name: &str| OPERATORS.iter().find(|known| **known == name).copied();
    let found = find(&word).or_else(|| find(word.strip_prefix(['c', 'i'])?))?;
    Some((length + 1, found))
}

/// What an expression looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A Unix shell could take it for a command.
    Plain,
    /// Only PowerShell writes it so.
    Typical,
}

/// The shape of the expression at the start of the text; `None` if there is none that ends as it must.
pub(super) fn of(text: &str) -> Option<Shape> {
    let end = text.floor_char_boundary(MAX);
    let mut scan = Scan { text: text.get(..end)?, at: 0, typical: false, joined: false };
    scan.expression()?;
    Some(if scan.typical { Shape::Typical } else { Shape::Plain })
}

/// Whether an expression of more than one value stands at the start of the text: `$a + "b"`, `$x.name`.
pub(super) fn is_joined(text: &str) -> bool {
    let end = text.floor_char_boundary(MAX);
    let mut scan =
        Scan { text: text.get(..end).unwrap_or_default(), at: 0, typical: false, joined: false };
    scan.expression().is_some() && (scan.joined || scan.typical)
}

/// Whether a block in braces follows the group in parentheses at the start of the text: `(...) {`.
pub(super) fn group_and_block(text: &str) -> bool {
    let end = text.floor_char_boundary(MAX);
    let mut scan =
        Scan { text: text.get(..end).unwrap_or_default(), at: 0, typical: false, joined: false };
    scan.byte(0) == b'(' && scan.balanced().is_some() && scan.rest().trim_start().starts_with('{')
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    typical: bool,
    /// Whether an operator or a member follows a value.
    joined: bool,
}

impl Scan<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
    }

    fn letters(&mut self, more: &[u8]) -> &str {
        let start = self.at;
        while self.byte(0).is_ascii_alphanumeric() || more.contains(&self.byte(0)) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn expression(&mut self) -> Option<()> {
        loop {
            self.operand()?;
            self.blanks();
            match (self.byte(0), self.byte(1)) {
                (0 | b';' | b'|' | b'\n' | b'\r' | b')' | b'}' | b']' | b'>' | b'#', _)
                | (b'&', b'&')
                | (b'1'..=b'6' | b'*', b'>') => return Some(()),
                // What is assigned may be anything.
                (b'=', _) | (b'+' | b'-' | b'*' | b'/' | b'%', b'=') => {
                    self.typical = true;
                    return Some(());
                }
                (b'.', b'.') => {
                    self.typical = true;
                    self.at += 2;
                }
                (b'-', letter) if letter.is_ascii_alphabetic() => {
                    let (length, name) = operator(self.rest())?;
                    self.typical = true;
                    self.at += length;
                    self.blanks();
                    // `$x -is [int]`
                    if matches!(name, "is" | "isnot" | "as") && self.byte(0) == b'[' {
                        self.balanced()?;
                        return Some(());
                    }
                }
                (b',' | b'+' | b'-' | b'*' | b'/' | b'%', _) => {
                    // Nothing follows a subshell so.
                    self.typical |= self.text.starts_with('(');
                    self.joined = true;
                    self.at += 1;
                }
                (b'i', b'n') if self.byte(2) == b' ' => return Some(()),
                _ => return None,
            }
        }
    }

    fn operand(&mut self) -> Option<()> {
        self.blanks();
        while self.byte(0) == b'!' || self.rest().starts_with("-not ") {
            self.typical |= self.byte(0) == b'-';
            self.at += if self.byte(0) == b'-' { 5 } else { 1 };
            self.blanks();
        }
        match (self.byte(0), self.byte(1)) {
            (b'-', letter) if letter.is_ascii_alphabetic() => {
                let (length, _) = operator(self.rest())?;
                self.typical = true;
                self.at += length;
                return self.operand_after();
            }
            (b'-', b'0'..=b'9' | b'$' | b'(') => {
                self.at += 1;
                return self.operand_after();
            }
            (b'$', b'(' | b'{') => {
                self.at += 1;
                self.balanced()?;
            }
            (b'$', b'?') => self.at += 2,
            (b'$', _) => self.variable()?,
            (b'"' | b'\'', _) => self.quoted()?,
            (b'@', b'(' | b'{') => {
                self.typical = true;
                self.at += 1;
                self.balanced()?;
            }
            (b'@', quote @ (b'"' | b'\'')) if matches!(self.byte(2), b'\n' | b'\r') => {
                self.typical = true;
                let close = if quote == b'"' { "\n\"@" } else { "\n'@" };
                self.at += self.rest().find(close)? + close.len();
            }
            (b'[', letter) if letter.is_ascii_alphabetic() => return self.type_name(),
            (b'(', _) => self.balanced()?,
            // `$x -split { $_ -eq 'a' }`
            (b'{', _) if self.typical => self.balanced()?,
            (b'0'..=b'9', _) => {
                self.letters(b"");
                if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
                    self.at += 1;
                    self.letters(b"");
                }
                return Some(());
            }
            _ => return None,
        }
        self.postfix()
    }

    /// An operand after a sign or an operator of one side; not recursive for a row of them.
    fn operand_after(&mut self) -> Option<()> {
        self.blanks();
        match self.byte(0) {
            b'$' => self.variable()?,
            b'(' => self.balanced()?,
            b'"' | b'\'' => self.quoted()?,
            byte if byte.is_ascii_digit() => drop(self.letters(b".").len()),
            _ => return None,
        }
        self.postfix()
    }

    fn variable(&mut self) -> Option<()> {
        self.at += 1;
        let name = self.letters(b"_:").to_ascii_lowercase();
        if name.is_empty() {
            return None;
        }
        let scoped =
            ["env:", "script:", "global:", "using:"].iter().any(|scope| name.starts_with(scope));
        self.typical |= scoped || AUTOMATIC.contains(&name.as_str());
        Some(())
    }

    /// `[int]$x`, `[math]::Round(1)`
    fn type_name(&mut self) -> Option<()> {
        let start = self.at;
        self.balanced()?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.[],`() =$".contains(&byte);
        if !self.text.get(start..self.at)?.bytes().all(plain) {
            return None;
        }
        if self.rest().starts_with("::") {
            self.typical = true;
            return self.postfix();
        }
        if matches!(self.byte(0), b'$' | b'"' | b'\'' | b'(' | b'@' | b'[' | b'0'..=b'9') {
            self.typical = true;
            // A row of types ends with the text.
            return if self.byte(0) == b'[' { Some(()) } else { self.operand() };
        }
        None
    }

    /// Members, indexes and calls after a value.
    fn postfix(&mut self) -> Option<()> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'.', letter) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    let name = self.letters(b"_");
                    // `$NAME.sh` is a file.
                    if matches!(
                        name,
                        "sh" | "py" | "exe" | "bat" | "cmd" | "pl" | "rb" | "js" | "bin" | "out"
                    ) {
                        return None;
                    }
                    let capital = name.starts_with(|letter: char| letter.is_ascii_uppercase());
                    self.typical |= capital || self.byte(0) == b'(';
                    self.joined = true;
                    if self.byte(0) == b'(' {
                        self.balanced()?;
                    }
                }
                (b':', b':') => {
                    self.joined = true;
                    self.at += 2;
                    self.letters(b"_");
                    if self.byte(0) == b'(' {
                        self.balanced()?;
                    }
                }
                (b'[', _) => {
                    self.typical = true;
                    self.balanced()?;
                }
                (b'+', b'+') | (b'-', b'-') => {
                    self.typical = true;
                    self.at += 2;
                }
                _ => return Some(()),
            }
        }
    }

    /// Steps over brackets and everything in them.
    fn balanced(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.byte(0) {
                0 => return None,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        self.at += 1;
                        return Some(());
                    }
                }
                b'"' | b'\'' => {
                    self.quoted()?;
                    continue;
                }
                b'`' => self.at += 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Steps over a string.
    fn quoted(&mut self) -> Option<()> {
        let quote = self.byte(0);
        loop {
            self.at += 1;
            match self.byte(0) {
                0 => return None,
                b'`' if quote == b'"' => self.at += 1,
                byte if byte == quote => {
                    self.at += 1;
                    return Some(());
                }
                _ => {}
            }
        }
    }
}
