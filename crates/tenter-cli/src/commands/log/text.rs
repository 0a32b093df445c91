//! Text helpers: width, wrapping, cutting, escaping.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::IsTerminal;
use std::ops::Range;

use tenter_engine::diagnostic::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of a terminal that does not report its own.
const USUAL: usize = 120;

/// Width of the terminal; `None` if stdout is none.
pub(in crate::commands) fn columns() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    #[cfg(unix)]
    let said = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col);
    #[cfg(not(unix))]
    let said: Option<u16> = None;
    let given = || std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    Some(said.map(usize::from).filter(|it| *it > 0).or_else(given).unwrap_or(USUAL))
}

pub(in crate::commands) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text on one line, with control characters escaped.
pub(in crate::commands) fn one_line(text: &str) -> String {
    let text = text.trim_end();
    let line = if text.contains(['\n', '\t', '\r']) {
        Cow::Owned(text.replace('\r', "").replace('\t', " ").replace('\n', "\\n"))
    } else {
        Cow::Borrowed(text)
    };
    printable(&line).into_owned()
}

/// The same JSON with control characters escaped. They occur only in strings, where an escape is equivalent.
pub(in crate::commands) fn harmless_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut buffer = [0; 4];
    for letter in json.chars() {
        let shown = letter.encode_utf8(&mut buffer);
        if letter == '\n' || printable(shown) == *shown {
            text.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    text
}

/// Cuts a text to this width, with an ellipsis.
pub(in crate::commands) fn cut(text: &str, room: usize) -> Cow<'_, str> {
    if width(text) <= room {
        return Cow::Borrowed(text);
    }
    let mut used = 1_usize;
    let fits = |letter: &char| {
        used = used.saturating_add(letter.width().unwrap_or_default());
        used <= room
    };
    let mut part: String = text.chars().take_while(fits).collect();
    if room > 0 {
        part.push('\u{2026}');
    }
    Cow::Owned(part)
}

/// A text with single blanks for all whitespace, cut to this width.
pub(in crate::commands) fn squeezed(text: &str, room: usize) -> String {
    let mut words = text.split_whitespace();
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        // Stop when it is clearly too long.
        if line.len() > room.saturating_mul(4) {
            break;
        }
        line.push(' ');
        line.push_str(word);
    }
    cut(&printable(&line), room).into_owned()
}

/// A number with thousands separators.
pub(in crate::commands) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (left, digit) in (0..digits.len()).rev().zip(digits.chars()) {
        text.push(digit);
        if left > 0 && left % 3 == 0 {
            text.push(',');
        }
    }
    text
}

/// Cuts at the start, since the end of a path is more informative.
pub(in crate::commands) fn cut_start(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let turned: String = text.chars().rev().collect();
    cut(&turned, room).chars().rev().collect()
}

/// Wraps a line at blanks. A long word is not split.
pub(in crate::commands) fn wrapped(line: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| *room >= 20 && width(line) > *room) else {
        return vec![line.to_owned()];
    };
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    for word in line.split(' ') {
        let wanted = width(&part).saturating_add(1).saturating_add(width(word));
        if !part.is_empty() && wanted > room {
            parts.push(std::mem::take(&mut part));
        }
        if !part.is_empty() {
            part.push(' ');
        }
        part.push_str(word);
    }
    parts.push(part);
    parts
}

/// Width to which a long command line is cut around the marked words.
const MARKED: usize = 120;

/// The command's line that contains these words, and a line with markers.
pub(in crate::commands) fn marked(command: &str, words: Range<usize>) -> Option<(String, String)> {
    let before = command.get(..words.start)?;
    let after = command.get(words.end..)?;
    let words = command.get(words)?;
    let lead = before.rsplit('\n').next()?;
    let (words, goes_on) = match words.split_once('\n') {
        Some((first, _)) => (first, true),
        None => (words, false),
    };
    let rest = if goes_on { "" } else { after.split('\n').next()? };
    let skip = lead.chars().count().saturating_sub(MARKED / 2);
    let dots = if skip > 0 { "\u{2026}" } else { "" };
    let shown = |letters: String| printable(&letters.replace('\t', " ")).into_owned();
    let lead = format!("{dots}{}", shown(lead.chars().skip(skip).collect()));
    let words = shown(words.chars().take(MARKED).collect());
    let room = MARKED.saturating_sub(width(&lead).saturating_add(width(&words)));
    let tail = shown(rest.chars().take(room).collect());
    let marks = " ".repeat(width(&lead)) + &"^".repeat(width(&words).max(1));
    Some((format!("{lead}{words}{tail}"), marks))
}

/// Pads at the end.
pub(in crate::commands) fn pad(text: &str, to: usize) -> String {
    let mut padded = text.to_owned();
    padded.extend(std::iter::repeat_n(' ', to.saturating_sub(width(text))));
    padded
}

/// Pads at the start.
pub(in crate::commands) fn pad_left(text: &str, to: usize) -> String {
    let mut padded = " ".repeat(to.saturating_sub(width(text)));
    padded.push_str(text);
    padded
}

/// A prefix of a session id: long enough to distinguish those of a day.
pub(in crate::commands) fn short_session(id: &str) -> &str {
    // Time-based ids share their first characters for a minute.
    let begins_with_time = id.len() == 36 && id.as_bytes().get(14) == Some(&b'7');
    let letters = if begins_with_time { 13 } else { 8 };
    id.char_indices().nth(letters).and_then(|(end, _)| id.get(..end)).unwrap_or(id)
}

/// A path with the home folder as `~`.
pub(in crate::commands) fn tilde(path: &str, home: Option<&str>) -> String {
    let home = home.filter(|home| home.len() > 1).map(|home| home.trim_end_matches('/'));
    match home.and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// A path for display: relative to the session's folder, or with `~`.
pub(in crate::commands) fn near(path: &str, folder: Option<&str>, home: Option<&str>) -> String {
    let folder = folder.filter(|it| it.len() > 1).map(|it| it.trim_end_matches('/'));
    let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    match inside {
        Some(inside) if !inside.is_empty() => inside.to_owned(),
        _ => tilde(path, home),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_the_columns_that_it_takes() {
        for (text, room, wanted) in [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("plain", 1, "…"),
            ("plain", 0, ""),
            ("表計算", 6, "表計算"),
            ("表計算", 5, "表計…"),
            ("表計算", 4, "表…"),
        ] {
            assert_eq!(cut(text, room), wanted);
            assert!(width(&cut(text, room)) <= room);
        }
        assert_eq!(cut_start("~/src/app", 9), "~/src/app");
        assert_eq!(cut_start("~/src/app", 8), "…src/app");
        assert_eq!(pad("表", 4), "表  ");
        assert_eq!(pad_left("7", 3), "  7");
    }

    #[test]
    fn a_line_is_broken_at_its_blanks() {
        let text = "one two three four five sixsixsixsixsixsixsixsix seven";
        assert_eq!(
            wrapped(text, Some(20)),
            ["one two three four", "five", "sixsixsixsixsixsixsixsix", "seven"]
        );
        assert_eq!(wrapped(text, Some(60)), [text]);
        assert_eq!(wrapped(text, Some(3)), [text], "too narrow for anything");
        assert_eq!(wrapped(text, None), [text]);
        assert_eq!(wrapped("", Some(30)), [""]);
    }

    #[test]
    fn a_line_has_no_breaks_and_moves_no_cursor() {
        assert_eq!(one_line("a\r\nb\tc\n"), "a\\nb c");
        assert_eq!(one_line("\u{1b}[2J\u{202e}x"), "\\u{1b}[2J\\u{202e}x");
    }

    #[test]
    fn the_words_are_marked_in_their_line() {
        let at = |command: &str, words: &str| {
            let start = command.find(words).unwrap();
            let (line, marks) = marked(command, start..start + words.len()).unwrap();
            format!("{line}\n{marks}")
        };
        assert_eq!(at("cd x; rm -rf y; ls", "rm -rf y"), "cd x; rm -rf y; ls\n      ^^^^^^^^");
        assert_eq!(at("one\n\ttwo three\nfour", "two"), " two three\n ^^^");
        assert_eq!(at("a <<E\nx\nE", "<<E\nx"), "a <<E\n  ^^^");
        assert_eq!(at("echo 表; rm y", "rm y"), "echo 表; rm y\n         ^^^^");
        let long = format!("echo {}; rm y", "x".repeat(200));
        assert!(at(&long, "rm y").starts_with("\u{2026}xxx"));
        assert_eq!(marked("ls", 1..9), None);
        assert_eq!(marked("ä", 1..2), None);
    }

    #[test]
    fn harmless_json_says_the_same() {
        let json = "{\"a\":\"x\u{202e}y\u{9b}2J\u{e0041}ü\",\"b\":1}";
        let escaped = harmless_json(json);
        assert_eq!(escaped, "{\"a\":\"x\\u202ey\\u009b2J\\udb40\\udc41ü\",\"b\":1}");
        let [one, other] =
            [json, &escaped].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(one, other);
    }

    #[test]
    fn the_home_folder_is_shortened_as_a_folder() {
        for (path, wanted) in
            [("/home/me", "~"), ("/home/me/x", "~/x"), ("/home/meta", "/home/meta"), ("/x", "/x")]
        {
            assert_eq!(tilde(path, Some("/home/me")), wanted);
            assert_eq!(tilde(path, Some("/home/me/")), wanted);
            assert_eq!(tilde(path, None), path);
        }
        assert_eq!(tilde("/x", Some("/")), "/x");
    }

    #[test]
    fn a_path_is_said_from_where_the_session_is() {
        for (path, folder, wanted) in [
            ("/home/me/shop/src/a.rs", Some("/home/me/shop"), "src/a.rs"),
            ("/home/me/shop/src/a.rs", Some("/home/me/shop/"), "src/a.rs"),
            ("/home/me/shopping/a.rs", Some("/home/me/shop"), "~/shopping/a.rs"),
            ("/home/me/shop", Some("/home/me/shop"), "~/shop"),
            ("/etc/hosts", Some("/"), "/etc/hosts"),
            ("/etc/hosts", None, "/etc/hosts"),
            ("src/a.rs", Some("/home/me/shop"), "src/a.rs"),
        ] {
            assert_eq!(near(path, folder, Some("/home/me")), wanted);
        }
    }

    #[test]
    fn the_short_form_of_an_id_that_begins_with_the_time_is_longer() {
        assert_eq!(short_session("9f0c1d2e-1111-4222-8333-444455556666"), "9f0c1d2e");
        assert_eq!(short_session("019a8f3e-1b2c-7abc-8333-444455556666"), "019a8f3e-1b2c");
        assert_eq!(short_session("ses"), "ses");
        assert_eq!(short_session("äöüäöüäöü"), "äöüäöüäö");
    }
}
