//! Text encoded as base64 or hexadecimal digits.

use super::base64;

/// Minimum number of digits.
const LEAST: usize = 16;
/// Number of consecutive printable bytes that are no accident.
const TEXT: usize = 8;
/// Length above which only the start of a run is tried as alignment.
const ALIGNED: usize = 1024;
/// Minimum length of a line that continues on the next.
const WRAPPED: usize = 60;
/// A shorter line of complete groups continues too, if the next is no longer.
const SHORT: usize = 16;

/// Every decoded text, with the range of its digits.
pub(super) fn each(text: &str, mut found: impl FnMut(&str, usize, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0_usize;
    while let Some(window) = bytes.get(at..at.saturating_add(LEAST)) {
        // From the back: the last non-digit rules out all starts before it.
        if let Some(other) = window.iter().rposition(|byte| !is_digit(*byte)) {
            at = at.saturating_add(other).saturating_add(1);
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let len = rest.iter().take_while(|byte| is_digit(**byte)).count();
        let end = run_end(bytes, at.saturating_add(len), len);
        let run = bytes.get(at..end).unwrap_or_default();
        look(run, |text| found(text, at, end));
        at = end.saturating_add(1);
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// End of the digits with padding, across full lines.
fn run_end(bytes: &[u8], end: usize, len: usize) -> usize {
    let (mut end, mut line) = (end, len);
    while line >= WRAPPED || line >= SHORT && line.is_multiple_of(4) {
        let Some(rest) = bytes.get(end..) else { break };
        let feed = match rest {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] | [b'\\', b'n' | b'\n', ..] => 2,
            _ => break,
        };
        let more = rest.iter().skip(feed).take_while(|byte| is_digit(**byte)).count();
        if more == 0 || line < WRAPPED && more > line {
            break;
        }
        end = end.saturating_add(feed).saturating_add(more);
        line = more;
    }
    let padding = bytes.get(end..).unwrap_or_default().iter().take(2);
    end.saturating_add(padding.take_while(|byte| **byte == b'=').count())
}

fn look(run: &[u8], mut found: impl FnMut(&str)) {
    let most = if run.len() > ALIGNED { 1 } else { 4 };
    for skip in 0..most {
        let digits = run.iter().skip(skip).copied().filter_map(base64::digit);
        decode(digits, 6, &mut found);
    }
    if run.iter().all(u8::is_ascii_hexdigit) {
        let digits = run.iter().filter_map(|byte| char::from(*byte).to_digit(16));
        decode(digits, 4, &mut found);
    }
}

/// Reports every stretch of text among the decoded bytes.
fn decode(digits: impl Iterator<Item = u32>, width: u32, found: &mut impl FnMut(&str)) {
    let mut text = String::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    let mut end = |text: &mut String| {
        if text.len() >= TEXT {
            found(text);
        }
        text.clear();
    };
    for digit in digits {
        bits = bits << width | digit;
        count = count.wrapping_add(width);
        if count < 8 {
            continue;
        }
        count = count.wrapping_sub(8);
        match u8::try_from(bits >> count & 255).unwrap_or_default() {
            byte @ (b' '..=b'~' | b'\n' | b'\r' | b'\t') => text.push(char::from(byte)),
            // Windows uses two bytes per letter.
            0 => {}
            _ => end(&mut text),
        }
        bits &= 255;
    }
    end(&mut text);
}
