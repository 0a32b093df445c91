//! Passwords on command lines: `curl -u user:password`, `mysql -ppassword`.

use super::assign::{self, Link};
use super::generic;
use super::rules::{BASIC, PASSWORD};
use super::value::Traits;
use super::{Confidence, Found};

/// How far back the program is looked for.
const BACK: usize = 240;

/// The password behind the flag at `at`, which begins with its blank or its dashes.
pub(super) fn password(bytes: &[u8], at: usize, flag: &[u8]) -> Option<Found> {
    let after = at.checked_add(flag.len())?;
    match flag {
        b" -u" | b"--user" => login(bytes, at, after),
        b" -a " => {
            let value = assign::value(bytes, after, Link::Blank)?;
            let text = bytes.get(value.start..value.end)?;
            let redis = program(bytes, at, &[b"redis-cli"]) && weighty(text);
            redis.then(|| found(value.start, value.end))
        }
        _ => short(bytes, at, after),
    }
}

fn found(start: usize, end: usize) -> Found {
    Found::new((PASSWORD.id, PASSWORD.title), start, end, Confidence::Medium)
}

/// `-u user:password` of programs that fetch.
fn login(bytes: &[u8], at: usize, after: usize) -> Option<Found> {
    let start = assign::skip(bytes, after, 2, |byte| assign::blank(byte) || byte == b'=');
    if start == after && bytes.get(at) == Some(&b'-') {
        return None;
    }
    let label = (BASIC.id, BASIC.title);
    let rest = bytes.get(start..)?;
    let rest = rest.get(..rest.len().min(BACK))?;
    // Either half may be in quotes of its own.
    let colon = rest.iter().position(|byte| *byte == b':' || byte.is_ascii_whitespace())?;
    let user = trimmed(rest.get(..colon)?);
    let secret = rest.get(colon.saturating_add(1)..)?;
    let len = secret.iter().position(u8::is_ascii_whitespace).unwrap_or(secret.len());
    let quotes = secret.iter().take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    let password = trimmed(secret.get(..len)?);
    if password.is_empty() && rest.get(colon) == Some(&b':') {
        // A key as the user, without a password.
        let from = start.saturating_add(colon).saturating_sub(user.len());
        let key = Traits::of(user).random(12) && program(bytes, at, &[b"curl"]);
        return key
            .then(|| Found::new(label, from, from.saturating_add(user.len()), Confidence::Medium));
    }
    let fits = rest.get(colon) == Some(&b':')
        && user != password
        && weighty(password)
        && !password.iter().any(|byte| b"$[]<>/".contains(byte) && user.contains(byte))
        && !matches!(password, [b'[', ..] | [b'/', b'/', ..]);
    let fetches = [b"curl".as_slice(), b"http", b"wget", b"xh ", b"Invoke-"];
    (fits && program(bytes, at, &fetches)).then(|| {
        let start = start.saturating_add(colon).saturating_add(1).saturating_add(quotes);
        let end = start.saturating_add(password.len());
        Found::new(label, start, end, Confidence::Medium)
    })
}

fn trimmed(text: &[u8]) -> &[u8] {
    let quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let start = text.iter().take_while(|byte| quote(byte)).count();
    let end = text.iter().rev().take_while(|byte| quote(byte)).count();
    text.get(start..text.len().saturating_sub(end)).unwrap_or_default()
}

/// `-ppassword` or `-p password`, as the program wants it.
fn short(bytes: &[u8], at: usize, after: usize) -> Option<Found> {
    let glued = bytes.get(after).is_some_and(|byte| !byte.is_ascii_whitespace());
    let programs: &[&[u8]] = if glued {
        &[b"mysql", b"mariadb", b"sshpass", b"7z"]
    } else {
        &[b"sshpass", b" login", b"mongo", b"htpasswd", b"ldapsearch", b"sqlcmd", b"zip", b"rar"]
    };
    let start = assign::skip(bytes, after, 2, assign::blank);
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let fits = weighty(text) && !text.starts_with(b"-") && !text.starts_with(b"/");
    (fits && program(bytes, at, programs)).then(|| found(value.start, value.end))
}

/// The string that PowerShell is told to keep secret, typed in plain text.
pub(super) fn secure(bytes: &[u8], end: usize) -> Option<Found> {
    let start =
        assign::skip(bytes, end, 8, |byte| byte.is_ascii_alphabetic() || b"- ".contains(&byte));
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    (value.quoted && weighty(text)).then(|| found(value.start, value.end))
}

/// Words alone are rather a command or a name.
fn weighty(text: &[u8]) -> bool {
    generic::weighty(text) && (text.len() >= 12 || Traits::of(text).kinds() >= 2)
}

/// Whether one of these words is earlier in the command, which may go over several lines.
fn program(bytes: &[u8], at: usize, names: &[&[u8]]) -> bool {
    let before = bytes.get(at.saturating_sub(BACK)..at).unwrap_or_default();
    let lines = before.windows(2).rposition(|two| matches!(two, [last, b'\n'] if *last != b'\\'));
    let command = before.get(lines.unwrap_or(0)..).unwrap_or_default();
    names.iter().any(|name| command.windows(name.len()).any(|part| part == *name))
}
