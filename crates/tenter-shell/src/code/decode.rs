//! Encodings that hide text: base64, hexadecimal, rot13.

/// Standard or URL alphabet, with or without padding.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0_u32;
    let mut count = 0_u32;
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            b'\n' | b'\r' | b' ' | b'\t' => continue,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap_or(0));
        }
    }
    Some(out)
}

pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    for letter in text.chars().filter(|letter| !letter.is_ascii_whitespace()) {
        let digit = u8::try_from(letter.to_digit(16)?).ok()?;
        match high.take() {
            Some(value) => out.push(value << 4 | digit),
            None => high = Some(digit),
        }
    }
    high.is_none().then_some(out)
}

pub(crate) fn rot13(text: &str) -> String {
    let turn = |letter: char, first: u8| {
        let offset = u8::try_from(letter).unwrap_or(first) - first;
        char::from(first + (offset + 13) % 26)
    };
    text.chars()
        .map(|letter| match letter {
            'a'..='z' => turn(letter, b'a'),
            'A'..='Z' => turn(letter, b'A'),
            other => other,
        })
        .collect()
}

/// UTF-16, low byte first, as PowerShell has it.
pub(crate) fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

pub(crate) fn text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_undone() {
        assert_eq!(text(base64("cm0gLXJmIC8=").unwrap()), "rm -rf /");
        assert_eq!(text(base64("cm0gLXJmIC8").unwrap()), "rm -rf /");
        assert_eq!(base64("no base64!"), None);
        assert_eq!(text(hex("726d").unwrap()), "rm");
        assert_eq!(hex("72f"), None);
        assert_eq!(rot13("ez -es /"), "rm -rf /");
        assert_eq!(utf16(&base64("cgBtACAALQByAGYA").unwrap()), "rm -rf");
    }
}
