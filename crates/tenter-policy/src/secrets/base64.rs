//! Base64 decoding, for credentials in it.

/// Maximum length of decoded text.
const LONGEST: usize = 192;

/// A short decoded text.
pub(super) struct Decoded {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Decoded {
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// The decoded text, if it is all printable.
pub(super) fn printable(value: &[u8]) -> Option<Decoded> {
    let padding = value.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = value.get(..value.len().checked_sub(padding)?)?;
    if digits.len() < 6 || digits.len() > LONGEST || padding > 2 || digits.len() % 4 == 1 {
        return None;
    }
    if padding > 0 && !value.len().is_multiple_of(4) {
        return None;
    }
    let mut decoded = Decoded { bytes: [0; LONGEST], len: 0 };
    let mut bits = 0_u32;
    let mut count = 0_u32;
    for byte in digits {
        bits = bits << 6 | digit(*byte)?;
        count = count.wrapping_add(6);
        if count >= 8 {
            count = count.wrapping_sub(8);
            let byte = u8::try_from(bits >> count & 255).ok()?;
            if !matches!(byte, b' '..=b'~' | b'\n') {
                return None;
            }
            *decoded.bytes.get_mut(decoded.len)? = byte;
            decoded.len = decoded.len.saturating_add(1);
        }
        bits &= 255;
    }
    Some(decoded)
}

/// Complete groups of three bytes in base64; the rest is dropped.
pub(super) fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(4) / 3);
    for group in bytes.chunks_exact(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in [18, 12, 6, 0] {
            text.push(letter(bits >> place & 63));
        }
    }
    text
}

fn letter(digit: u32) -> char {
    let at = |first: u8, offset: u32| {
        char::from(first.wrapping_add(u8::try_from(digit.wrapping_sub(offset)).unwrap_or_default()))
    };
    match digit {
        0..26 => at(b'A', 0),
        26..52 => at(b'a', 26),
        52..62 => at(b'0', 52),
        62 => '+',
        _ => '/',
    }
}

pub(super) fn digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte.wrapping_sub(b'A'),
        b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
        b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_groups_are_written_as_others_read_them() {
        assert_eq!(encoded(b"user:pass~1?"), "dXNlcjpwYXNzfjE/");
        let back = printable(encoded(b"zK4vQ9pLmX7t").as_bytes()).expect("printable");
        assert_eq!(back.as_bytes(), b"zK4vQ9pLmX7t");
    }
}
