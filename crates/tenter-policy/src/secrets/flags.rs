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
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let colon = text.iter().position(|byte| *byte == b':')?;
    let password = text.get(colon.saturating_add(1)..)?;
    let user = text.get(..colon)?;
    let fits = weighty(password) && user != password && !password.starts_with(b"//");
    let fetches = [b"curl".as_slice(), b"http", b"wget", b"xh ", b"Invoke-"];
    (fits && program(bytes, at, &fetches)).then(|| {
        let start = value.end.saturating_sub(password.len());
        Found::new((BASIC.id, BASIC.title), start, value.end, Confidence::Medium)
    })
}

/// `-ppassword` or `-p password`, as the program wants it.
fn short(bytes: &[u8], at: usize, after: usize) -> Option<Found> {
    let glued = bytes.get(after).is_some_and(|byte| !byte.is_ascii_whitespace());
    let programs: &[&[u8]] = if glued {
        &[b"mysql", b"mariadb", b"sshpass", b"7z"]
    } else {
        &[b"sshpass", b" login", b"mongo", b"htpasswd", b"ldapsearch"]
    };
    let start = assign::skip(bytes, after, 2, assign::blank);
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let fits = weighty(text) && !text.starts_with(b"-") && !text.starts_with(b"/");
    (fits && program(bytes, at, programs)).then(|| found(value.start, value.end))
}

/// Words alone are rather a command or a name.
fn weighty(text: &[u8]) -> bool {
    generic::weighty(text) && (text.len() >= 12 || Traits::of(text).kinds() >= 2)
}

/// Whether one of these words is earlier on the line.
fn program(bytes: &[u8], at: usize, names: &[&[u8]]) -> bool {
    let before = bytes.get(at.saturating_sub(BACK)..at).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    names.iter().any(|name| line.windows(name.len()).any(|part| part == *name))
}
