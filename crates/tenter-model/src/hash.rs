//! SHA-256 as hexadecimal text.

use sha2::{Digest, Sha256};

/// The SHA-256 of these bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Two lowercase digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// A SHA-256 of several parts. Each is added with its length, so that adjacent parts cannot be confused.
#[derive(Debug, Default)]
pub struct PartsHash(Sha256);

impl PartsHash {
    pub fn part(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds bytes without their length.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The first `N` bytes of the hash.
    pub fn first<const N: usize>(self) -> [u8; N] {
        let mut first = [0; N];
        first.iter_mut().zip(self.0.finalize()).for_each(|(to, from)| *to = from);
        first
    }

    pub fn hex(self) -> String {
        hex(&self.first::<32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_other_tools() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
        assert_eq!(PartsHash::default().hex(), empty);
        assert_eq!(hex(&[0, 0x9f, 0xff]), "009fff");
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let of = |parts: [&str; 2]| {
            let mut hash = PartsHash::default();
            for part in parts {
                hash.part(part);
            }
            hash.hex()
        };
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
    }
}
