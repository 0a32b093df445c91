//! `base64`, `base32`, `xxd`, `openssl base64`: decoders whose output is computed.

use super::Options;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub(super) fn base64(args: &[&str], stdin: &str) -> Option<String> {
    // macOS takes `-D` and `-i file`; with a file nothing is known, so `-i` alone means the same.
    coded(args, stdin, BASE64, 6)
}

pub(super) fn base32(args: &[&str], stdin: &str) -> Option<String> {
    coded(args, stdin, BASE32, 5)
}

fn coded(args: &[&str], stdin: &str, alphabet: &[u8], bits: u32) -> Option<String> {
    let long = [("decode", 'd'), ("ignore-garbage", 'i'), ("wrap", 'w')];
    let options = Options::read(args, "dDiw:", &long)?;
    if !options.reads_stdin() {
        return None;
    }
    if options.has('d') || options.has('D') {
        return decode(stdin, alphabet, bits, options.has('i'));
    }
    let width = options.value('w').map_or(Some(76), |width| width.parse().ok())?;
    Some(wrapped(&encode(stdin.as_bytes(), alphabet, bits), width, width > 0))
}

/// Groups of `bits` bits of each character, put together to bytes.
fn decode(text: &str, alphabet: &[u8], bits: u32, ignore: bool) -> Option<String> {
    let mut bytes = Vec::new();
    let mut value = 0_u32;
    let mut held = 0;
    let mut padded = false;
    for byte in text.bytes() {
        match alphabet.iter().position(|known| *known == byte) {
            Some(digit) => {
                // After padding a new code begins.
                if std::mem::take(&mut padded) {
                    held = 0;
                }
                value = (value << bits | u32::try_from(digit).unwrap_or(0)) & 0xffff;
                held += bits;
                if held >= 8 {
                    held -= 8;
                    bytes.push(((value >> held) & 0xff) as u8);
                }
            }
            None if byte == b'=' => padded = true,
            None if byte == b'\n' || ignore => {}
            None => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

fn encode(bytes: &[u8], alphabet: &[u8], bits: u32) -> String {
    let mut text = String::new();
    let group = if bits == 6 { 4 } else { 8 };
    let mut value = 0_u32;
    let mut held = 0;
    let mut add = |value: u32| {
        let index = (value & ((1 << bits) - 1)) as usize;
        text.push(alphabet.get(index).map_or('=', |byte| char::from(*byte)));
    };
    for byte in bytes {
        value = (value << 8 | u32::from(*byte)) & 0xffff;
        held += 8;
        while held >= bits {
            held -= bits;
            add(value >> held);
        }
    }
    if held > 0 {
        add(value << (bits - held));
    }
    while !text.len().is_multiple_of(group) {
        text.push('=');
    }
    text
}

/// Lines of `width` characters; all on one line if that is 0.
fn wrapped(text: &str, width: usize, ended: bool) -> String {
    let mut lines = String::new();
    for (index, ch) in text.chars().enumerate() {
        if width > 0 && index > 0 && index % width == 0 {
            lines.push('\n');
        }
        lines.push(ch);
    }
    if ended && !text.is_empty() {
        lines.push('\n');
    }
    lines
}

pub(super) fn xxd(args: &[&str], stdin: &str) -> Option<String> {
    let mut reverse = false;
    let mut plain = false;
    for arg in args {
        match *arg {
            "-r" | "-revert" => reverse = true,
            "-p" | "-ps" | "-plain" | "-postscript" => plain = true,
            "-" => {}
            _ => return None,
        }
    }
    if !plain {
        return None;
    }
    if !reverse {
        let digit = |digit: u8| char::from_digit(u32::from(digit), 16).unwrap_or('0');
        let hex: String =
            stdin.bytes().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        return Some(wrapped(&hex, 60, true));
    }
    let digits: Option<Vec<u8>> = stdin
        .chars()
        .filter(|ch| !ch.is_ascii_whitespace())
        .map(|ch| ch.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let bytes = digits?
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            [high, low] => Some(high << 4 | low),
            _ => None,
        })
        .collect();
    String::from_utf8(bytes).ok()
}

pub(super) fn openssl(args: &[&str], stdin: &str) -> Option<String> {
    let options = match args {
        ["base64", rest @ ..] | ["enc", "-base64" | "-a", rest @ ..] => rest,
        ["enc", "-d", "-base64" | "-a", rest @ ..] => {
            return openssl(&[&["base64", "-d"], rest].concat(), stdin);
        }
        _ => return None,
    };
    let decodes = options.contains(&"-d");
    let one_line = options.contains(&"-A");
    if options.iter().any(|option| !matches!(*option, "-d" | "-e" | "-A")) {
        return None;
    }
    if !decodes {
        let text = encode(stdin.as_bytes(), BASE64, 6);
        return Some(wrapped(&text, if one_line { 0 } else { 64 }, !one_line));
    }
    // Without `-A` it wants short lines, each with its end, and prints nothing for others.
    let as_wanted = stdin.ends_with('\n') && stdin.lines().all(|line| line.len() <= 76);
    let groups = stdin.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() % 4 == 0;
    (groups && (one_line && stdin.lines().count() <= 1 || as_wanted && !one_line))
        .then(|| decode(stdin, BASE64, 6, false))?
}
