//! Base64, as far as it hides a user and a password.

/// The longest decoded text that is looked at.
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

/// The printable text behind this base64, if it is all printable.
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

fn digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte.wrapping_sub(b'A'),
        b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
        b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}
