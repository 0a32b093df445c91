//! Private key blocks.

use super::SecretMatch;
use super::rules::{PEM, PUTTY};

/// Maximum length of a block.
const LONGEST: usize = 16 * 1024;
/// Maximum distance of the private lines in a `PuTTY` key file.
const PUTTY_HEAD: usize = 4 * 1024;
/// Minimum number of key characters; fewer are only a mention.
const LEAST: usize = 40;

/// The block whose first line contains the `PRIVATE` at `word`.
pub(super) fn block(bytes: &[u8], word: usize) -> Option<SecretMatch> {
    let head = bytes.get(word..)?;
    let label = [b"PRIVATE KEY BLOCK-----".as_slice(), b"PRIVATE KEY-----"]
        .into_iter()
        .find(|label| head.starts_with(label))?;
    let before = bytes.get(word.saturating_sub(40)..word)?;
    let back = before.windows(10).rposition(|part| part == b"-----BEGIN")?;
    let start = word.saturating_sub(before.len().saturating_sub(back));
    let body = word.saturating_add(label.len());
    let rest = bytes.get(body..)?;
    let rest = rest.get(..rest.len().min(LONGEST))?;
    let close = rest.windows(5).position(|part| part == b"-----");
    let inside = rest.get(..close.unwrap_or(rest.len()))?;
    let end = key(inside)?;
    let end = match close {
        Some(close) => body.saturating_add(close).saturating_add(tail(rest.get(close..)?)),
        None => body.saturating_add(end),
    };
    Some(SecretMatch::sure((PEM.id, PEM.title), start, end))
}

/// Length of the last line of a block.
fn tail(rest: &[u8]) -> usize {
    if !rest.starts_with(b"-----END") {
        return 0;
    }
    let label = rest.iter().skip(8).take(48).take_while(|byte| label_byte(**byte)).count();
    let dashes = rest.iter().skip(label.saturating_add(8)).take_while(|byte| **byte == b'-');
    dashes.count().saturating_add(label).saturating_add(8)
}

fn label_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte == b' '
}

/// End of the key, if it is long enough.
fn key(inside: &[u8]) -> Option<usize> {
    let mut letters = 0_usize;
    let mut mixed = 0_u8;
    let mut end = 0;
    let mut at = 0;
    for line in inside.split(|byte| *byte == b'\n') {
        let header = line.windows(2).any(|part| part == b": ");
        if !header {
            let (count, kinds, cut) = base64(line)?;
            letters = letters.saturating_add(count);
            mixed |= kinds;
            if count > 0 {
                end = usize::saturating_add(at, line.len());
            }
            if cut {
                break;
            }
        }
        at = at.saturating_add(line.len()).saturating_add(1);
    }
    (letters >= LEAST && mixed == 7).then_some(end.min(inside.len()))
}

/// Number and kinds of base64 characters in a line, as it may appear in code, and whether the rest was
/// elided; `None` for any other line.
fn base64(line: &[u8]) -> Option<(usize, u8, bool)> {
    let mut count = 0_usize;
    let mut kinds = 0;
    let mut run = 0_usize;
    let mut longest = 0_usize;
    let mut escaped = false;
    let cut = line.windows(3).position(|part| part == b"...");
    for byte in line.get(..cut.unwrap_or(line.len()))? {
        let escape = std::mem::replace(&mut escaped, *byte == b'\\');
        if escape && matches!(byte, b'n' | b'r' | b't') {
            continue;
        }
        kinds |= match byte {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 4,
            b'+' | b'/' | b'=' => 0,
            b'.' | b'<' | b'{' | b'$' | b'[' | b'(' | b'_' | b'*' => return None,
            _ => {
                run = 0;
                continue;
            }
        };
        count = count.saturating_add(1);
        run = run.saturating_add(1);
        longest = longest.max(run);
    }
    // Prose has no such long runs.
    Some(if longest >= 16 { (count, kinds, cut.is_some()) } else { (0, 0, cut.is_some()) })
}

/// The `PuTTY` key file that begins at `start`.
pub(super) fn putty(bytes: &[u8], start: usize) -> Option<SecretMatch> {
    let rest = bytes.get(start..)?;
    if !rest.starts_with(b"PuTTY-User-Key-File-") {
        return None;
    }
    let rest = rest.get(..rest.len().min(PUTTY_HEAD))?;
    let lines = b"Private-Lines:";
    let at = rest.windows(lines.len()).position(|part| part == lines)?;
    let body = at.saturating_add(lines.len());
    let end = key(rest.get(body..)?)?;
    let end = start.saturating_add(body).saturating_add(end);
    Some(SecretMatch::sure((PUTTY.id, PUTTY.title), start, end))
}
