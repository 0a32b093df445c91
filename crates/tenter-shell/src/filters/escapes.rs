//! Backslash escapes, in the four dialects the shell has of them.

/// The dialect's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `echo -e`
    Echo,
    /// The format of `printf`
    Format,
    /// `printf %b`
    Argument,
    /// `$'...'` and `${x@E}`
    Ansi,
}

/// Text as bytes, since escapes can make anything.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// `\c`: nothing comes after it.
    pub(super) stopped: bool,
}

/// The value of `$'text'`; `None` if it is not text.
pub(crate) fn ansi_c(text: &str) -> Option<String> {
    let mut decoded = Decoded::default();
    decode(text, Dialect::Ansi, &mut decoded);
    // The shell ends its strings at a NUL.
    let end = decoded.bytes.iter().position(|byte| *byte == 0);
    decoded.bytes.truncate(end.unwrap_or(decoded.bytes.len()));
    String::from_utf8(decoded.bytes).ok()
}

pub(super) fn decode(text: &str, dialect: Dialect, into: &mut Decoded) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        into.bytes.extend_from_slice(plain.as_bytes());
        rest = escape(tail.get(1..).unwrap_or_default(), dialect, into);
        if into.stopped {
            return;
        }
    }
    into.bytes.extend_from_slice(rest.as_bytes());
}

/// One escape after its backslash; returns what follows it.
pub(super) fn escape<'a>(text: &'a str, dialect: Dialect, into: &mut Decoded) -> &'a str {
    let mut chars = text.chars();
    let Some(letter) = chars.next() else {
        into.bytes.push(b'\\');
        return "";
    };
    let after = chars.as_str();
    let simple = match letter {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '\'' | '"' | '?' if matches!(dialect, Dialect::Format | Dialect::Ansi) => {
            u8::try_from(letter).unwrap_or(b'?')
        }
        'c' => return control(after, dialect, into),
        'x' | 'u' | 'U' => return hexadecimal(letter, after, dialect, into),
        '0'..='7' => return octal(text, dialect, into),
        other => {
            into.bytes.push(b'\\');
            into.bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            return after;
        }
    };
    into.bytes.push(simple);
    after
}

fn control<'a>(after: &'a str, dialect: Dialect, into: &mut Decoded) -> &'a str {
    match dialect {
        Dialect::Echo | Dialect::Argument => into.stopped = true,
        Dialect::Format => into.bytes.extend_from_slice(b"\\c"),
        Dialect::Ansi => {
            let mut chars = after.chars();
            if let Some(ch) = chars.next() {
                into.bytes
                    .push(u8::try_from(ch.to_ascii_uppercase()).map_or(b'?', |byte| byte & 31));
            }
            return chars.as_str();
        }
    }
    after
}

fn hexadecimal<'a>(letter: char, after: &'a str, dialect: Dialect, into: &mut Decoded) -> &'a str {
    let (digits, braced) = match after.strip_prefix('{') {
        Some(inside) if dialect == Dialect::Ansi && letter == 'x' => (inside, true),
        _ => (after, false),
    };
    let most = match letter {
        _ if braced => 8,
        'x' => 2,
        'u' => 4,
        _ => 8,
    };
    let length = digits.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
    let (digits, mut rest) = digits.split_at_checked(length).unwrap_or((digits, ""));
    let Ok(value) = u32::from_str_radix(digits, 16) else {
        into.bytes.push(b'\\');
        into.bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        return after;
    };
    if braced {
        rest = rest.strip_prefix('}').unwrap_or(rest);
    }
    if letter == 'x' {
        into.bytes.push((value & 0xff) as u8);
    } else {
        // An invalid character makes the whole value unknown.
        match char::from_u32(value) {
            Some(ch) => into.bytes.extend_from_slice(ch.encode_utf8(&mut [0; 4]).as_bytes()),
            None => into.bytes.push(0xff),
        }
    }
    rest
}

fn octal<'a>(text: &'a str, dialect: Dialect, into: &mut Decoded) -> &'a str {
    let zero = text.starts_with('0');
    if dialect == Dialect::Echo && !zero {
        into.bytes.push(b'\\');
        let (digit, rest) = text.split_at_checked(1).unwrap_or((text, ""));
        into.bytes.extend_from_slice(digit.as_bytes());
        return rest;
    }
    let most = if zero && matches!(dialect, Dialect::Echo | Dialect::Argument) { 4 } else { 3 };
    let length = text.bytes().take(most).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let (digits, rest) = text.split_at_checked(length).unwrap_or((text, ""));
    let value = u32::from_str_radix(digits, 8).unwrap_or(0);
    into.bytes.push((value & 0xff) as u8);
    rest
}
