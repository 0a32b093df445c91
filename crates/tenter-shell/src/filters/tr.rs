//! `tr`: it works on bytes.

use super::Options;
use super::escapes::{Decoded, Dialect, escape};

pub(super) fn tr(args: &[&str], stdin: &str) -> Option<String> {
    let long = [("delete", 'd'), ("squeeze-repeats", 's'), ("complement", 'c')];
    let options = Options::read(args, "dscC", &long)?;
    let complement = options.has('c') || options.has('C');
    let (delete, squeeze) = (options.has('d'), options.has('s'));
    let (first, second) = match options.operands.as_slice() {
        [first] if delete != squeeze => (set(first)?, None),
        [first, second] if delete == squeeze || squeeze => {
            // A class may be the result only of the other case's class.
            if !delete && second.contains("[:") && !(is_case(first) && is_case(second)) {
                return None;
            }
            (set(first)?, Some(set(second)?))
        }
        _ => return None,
    };
    let taken = |byte: u8| first.contains(&byte) != complement;
    let mut bytes: Vec<u8> = stdin.bytes().collect();
    if delete {
        bytes.retain(|byte| !taken(*byte));
    } else if let Some(second) = &second {
        let last = *second.last()?;
        for byte in &mut bytes {
            if complement {
                // All the others go in their order; only the simple case is worth following.
                if taken(*byte) {
                    *byte = (second.len() == 1).then_some(last)?;
                }
            } else if let Some(at) = first.iter().rposition(|known| known == byte) {
                *byte = *second.get(at).unwrap_or(&last);
            }
        }
    }
    if squeeze {
        let squeezed = |byte: u8| match &second {
            Some(second) => second.contains(&byte),
            None => taken(byte),
        };
        bytes.dedup_by(|next, before| next == before && squeezed(*before));
    }
    String::from_utf8(bytes).ok()
}

fn is_case(set: &str) -> bool {
    matches!(set, "[:upper:]" | "[:lower:]")
}

/// The bytes of a set, in order.
fn set(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // Whether a byte came out of an escape, and so means only itself.
    let mut escaped = Vec::new();
    let mut rest = text;
    while let Some(ch) = rest.chars().next() {
        if let Some(class) = rest.strip_prefix("[:") {
            let (name, after) = class.split_once(":]")?;
            let holds = crate::expand::class_of(name)?;
            let all = (0..128_u8).filter(|byte| holds(&char::from(*byte)));
            let start = bytes.len();
            bytes.extend(all);
            escaped.resize(escaped.len() + bytes.len() - start, true);
            rest = after;
            continue;
        }
        if rest.starts_with("[=") || rest.starts_with('[') && rest.get(2..3) == Some("*") {
            return None;
        }
        if !ch.is_ascii() {
            return None;
        }
        if let Some(after) = rest.strip_prefix('\\') {
            if after.starts_with(['x', 'u', 'U', 'e', 'E', 'c']) || after.is_empty() {
                return None;
            }
            let mut decoded = Decoded::default();
            rest = escape(after, Dialect::Format, &mut decoded);
            match decoded.bytes.as_slice() {
                [byte] | [b'\\', byte] => bytes.push(*byte),
                _ => return None,
            }
            escaped.push(true);
            continue;
        }
        bytes.push(u8::try_from(ch).ok()?);
        escaped.push(false);
        rest = rest.get(1..)?;
    }
    ranges(&bytes, &escaped)
}

fn ranges(bytes: &[u8], escaped: &[bool]) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(low) = bytes.get(at) {
        let dash = bytes.get(at + 1) == Some(&b'-') && escaped.get(at + 1) == Some(&false);
        match bytes.get(at + 2) {
            Some(high) if dash => {
                if low > high {
                    return None;
                }
                all.extend(*low..=*high);
                at += 3;
            }
            _ => {
                all.push(*low);
                at += 1;
            }
        }
    }
    Some(all)
}
