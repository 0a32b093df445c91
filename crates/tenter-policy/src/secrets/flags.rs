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
            if redis { Some(found(value.start, value.end)) } else { login(bytes, at, after) }
        }
        b" -w " => {
            let value = assign::value(bytes, after, Link::Blank)?;
            let text = bytes.get(value.start..value.end)?;
            let binds = program(bytes, at, &[b"ldap"]) && weighty(text) && !text.starts_with(b"-");
            binds.then(|| found(value.start, value.end))
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
    if let Some(found) = of_windows(bytes, at, start, rest) {
        return Some(found);
    }
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

/// `-U 'DOMAIN\user%password'`
fn of_windows(bytes: &[u8], at: usize, start: usize, rest: &[u8]) -> Option<Found> {
    let percent = rest.iter().position(|byte| *byte == b'%' || byte.is_ascii_whitespace())?;
    let secret = rest.get(percent..)?.strip_prefix(b"%")?;
    let len = secret.iter().position(u8::is_ascii_whitespace).unwrap_or(secret.len());
    let password = trimmed(secret.get(..len)?);
    let shares = [b"smb".as_slice(), b"rpcclient", b"cifs", b"winexe", b"wmic", b"net "];
    let from = start.saturating_add(percent).saturating_add(1);
    (weighty(password) && program(bytes, at, &shares))
        .then(|| found(from, from.saturating_add(password.len())))
}

/// `htpasswd -b FILE USER PASSWORD` and `htpasswd -nb USER PASSWORD`, from behind the program on.
pub(super) fn htpasswd(bytes: &[u8], at: usize) -> Option<Found> {
    let rest = bytes.get(at..)?;
    let line = rest.get(..rest.len().min(BACK))?;
    let line = line.split(|byte| matches!(byte, b'\n' | b'|' | b';' | b'&' | b'>')).next()?;
    let (mut named, mut wanted, mut from) = (false, 2_usize, at);
    for word in line.split(|byte| *byte == b' ') {
        let start = from;
        from = from.saturating_add(word.len()).saturating_add(1);
        match word {
            [] => {}
            [b'-', flags @ ..] => {
                named |= flags.contains(&b'b');
                wanted = wanted.saturating_sub(usize::from(flags.contains(&b'n')));
            }
            _ if wanted > 0 => wanted = wanted.saturating_sub(1),
            _ => {
                let password = trimmed(word);
                let quote = usize::from(password.len() < word.len());
                let start = start.saturating_add(quote);
                let secret = named && weighty(password);
                return secret.then(|| found(start, start.saturating_add(password.len())));
            }
        }
    }
    None
}

/// What is piped into a program that waits for a secret whose name is at `start`:
/// `echo ... | fly secret set`, `| gh auth login --with-token`.
pub(super) fn piped(bytes: &[u8], start: usize, at: usize) -> Option<Found> {
    let rest = bytes.get(at..)?;
    let takes =
        [b"put".as_slice(), b"set ", b"create ", b"add "].iter().any(|word| rest.starts_with(word));
    takes.then(|| echoed(bytes, start))?
}

/// The word that is printed into the command which goes on at `at`.
pub(super) fn echoed(bytes: &[u8], at: usize) -> Option<Found> {
    let from = at.saturating_sub(BACK);
    let before = bytes.get(from..at)?;
    let line =
        before.iter().rposition(|byte| *byte == b'\n').map_or(0, |line| line.saturating_add(1));
    let command = before.get(line..)?;
    let pipe = command.iter().rposition(|byte| *byte == b'|')?;
    let printer = command.get(..pipe)?;
    let echo = printer.windows(5).rposition(|part| part == b"echo ")?;
    let start = from.saturating_add(line).saturating_add(echo).saturating_add(5);
    let flag = usize::from(bytes.get(start..)?.starts_with(b"-n ")).saturating_mul(3);
    let value = assign::value(bytes, start.saturating_add(flag), Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let secret = weighty(text) && Traits::of(text).password();
    secret.then(|| found(value.start, value.end))
}

/// `user/password@` behind the name of Oracle's client or driver.
pub(super) fn oracle(bytes: &[u8], end: usize) -> Option<Found> {
    let rest = bytes.get(end..)?;
    let rest = rest.get(..rest.len().min(BACK))?;
    let login = rest.get(..rest.iter().position(|byte| *byte == b'@')?)?;
    let slash = login.iter().position(|byte| *byte == b'/')?;
    let (user, password) = (login.get(..slash)?, login.get(slash.saturating_add(1)..)?);
    let plain = !login.iter().any(u8::is_ascii_whitespace) && user != password;
    let start = end.saturating_add(slash).saturating_add(1);
    (plain && weighty(password)).then(|| found(start, start.saturating_add(password.len())))
}

/// `IDENTIFIED BY 'password'`, as databases are told a user's password.
pub(super) fn identified(bytes: &[u8], end: usize) -> Option<Found> {
    let by = end.checked_add(3)?;
    if !bytes.get(end..by)?.eq_ignore_ascii_case(b"by ") {
        return None;
    }
    let value = assign::value(bytes, by, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    (value.quoted && weighty(text)).then(|| found(value.start, value.end))
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
        &[
            b"sshpass",
            b" login",
            b"mosquitto",
            b"mongo",
            b"htpasswd",
            b"ldapsearch",
            b"sqlcmd",
            b"zip",
            b"rar",
        ]
    };
    let start = assign::skip(bytes, after, 2, assign::blank);
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let fits = weighty(text) && !text.starts_with(b"-") && !text.starts_with(b"/");
    // A user stands before it, whatever the program.
    let beside = || {
        !glued && program(bytes, at, &[b" -u ", b" -U ", b" --username "]) && {
            let traits = Traits::of(text);
            traits.kinds() >= 3 && traits.password() && !traits.reads() && !text.contains(&b'/')
        }
    };
    (fits && (program(bytes, at, programs) || beside())).then(|| found(value.start, value.end))
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
