//! Seed phrases of wallets: twelve to twenty-four words after `mnemonic` or `phrase`.

use super::rules::SEED;
use super::{Confidence, SecretMatch};

/// Maximum number of bytes after the word.
const BYTES: usize = 320;

/// The seed phrase after the word that ends at `end`.
pub(super) fn phrase(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    let rest = bytes.get(end..)?;
    let rest = rest.get(..rest.len().min(BYTES))?;
    let sign = rest.iter().take(12).position(|byte| matches!(byte, b'=' | b':'))?;
    let lead = rest.iter().skip(sign).take_while(|byte| !byte.is_ascii_lowercase()).count();
    let start = sign.saturating_add(lead);
    if lead > 8 {
        return None;
    }
    let mut len = 0_usize;
    let mut count = 0_usize;
    for word in rest.get(start..)?.split(|byte| *byte == b' ') {
        let letters = word.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        if !(3..=8).contains(&letters) {
            break;
        }
        count = count.saturating_add(1);
        len = len.saturating_add(letters).saturating_add(1);
        if letters < word.len() {
            break;
        }
    }
    let start = end.saturating_add(start);
    let label = (SEED.id, SEED.title);
    let stop = start.saturating_add(len.saturating_sub(1));
    matches!(count, 12 | 15 | 18 | 21 | 24)
        .then(|| SecretMatch::new(label, start, stop, Confidence::Medium))
}
