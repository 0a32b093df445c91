//! Passwords on command lines: `curl -u user:password`, `mysql -ppassword`.

use super::assign::{self, Link};
use super::generic;
use super::handed;
use super::rules::{BASIC, PASSWORD};
use super::value::Traits;
use super::{Confidence, SecretMatch};

/// Maximum distance to the program's name.
const BACK: usize = 240;

/// The password after the flag at `at`, which begins with its blank or dashes.
pub(super) fn password(bytes: &[u8], at: usize, flag: &[u8], strict: bool) -> Option<SecretMatch> {
    let after = at.checked_add(flag.len())?;
    match flag {
        b" -u" | b"--user" | b"y-user" => login(bytes, at, after, strict),
        // The body of a stored secret.
        b" -b " | b"--body" if strict && program(bytes, at, &[b"secret set", b"variable set"]) => {
            handed::word(bytes, assign::skip(bytes, after, 2, |it| b" =".contains(&it)))
        }
        b" -b " if strict && program(bytes, at, &[b"curl", b"http", b"xh "]) => {
            handed::pairs(bytes, assign::skip(bytes, after, 2, |it| b"\"'".contains(&it)))
        }
        b" -b " | b"--body" => None,
        b" -a " => {
            let value = assign::value(bytes, after, Link::Blank)?;
            let text = bytes.get(value.start..value.end)?;
            let redis = program(bytes, at, &[b"redis-cli"]) && counts(text, strict);
            if redis {
                Some(found(value.start, value.end))
            } else {
                login(bytes, at, after, strict)
            }
        }
        b" -w " => {
            let value = assign::value(bytes, after, Link::Blank)?;
            let text = bytes.get(value.start..value.end)?;
            let binds = program(bytes, at, &[b"ldap"]) && weighty(text) && !text.starts_with(b"-");
            binds.then(|| found(value.start, value.end))
        }
        b" -k " => {
            let value = assign::value(bytes, after, Link::Blank)?;
            let text = bytes.get(value.start..value.end)?;
            let opens = program(bytes, at, &[b"openssl"]) && weighty(text);
            (opens && !text.starts_with(b"-")).then(|| found(value.start, value.end))
        }
        _ => short(bytes, at, after, strict),
    }
}

fn found(start: usize, end: usize) -> SecretMatch {
    SecretMatch::new((PASSWORD.id, PASSWORD.title), start, end, Confidence::Medium)
}

/// `-u user:password` of HTTP clients.
fn login(bytes: &[u8], at: usize, after: usize, strict: bool) -> Option<SecretMatch> {
    let start = assign::skip(bytes, after, 2, |byte| assign::blank(byte) || byte == b'=');
    if start == after && bytes.get(at) == Some(&b'-') {
        return None;
    }
    let label = (BASIC.id, BASIC.title);
    let rest = bytes.get(start..)?;
    let rest = rest.get(..rest.len().min(BACK))?;
    if strict
        && program(bytes, at, &[b"lftp"])
        && let Some(found) = handed::after_comma(bytes, start)
    {
        return Some(found);
    }
    if let Some(found) = of_windows(bytes, at, start, rest) {
        return Some(found);
    }
    // Either half may be quoted.
    let colon = rest.iter().position(|byte| *byte == b':' || byte.is_ascii_whitespace())?;
    let user = trimmed(rest.get(..colon)?);
    let secret = rest.get(colon.saturating_add(1)..)?;
    let len = secret.iter().position(u8::is_ascii_whitespace).unwrap_or(secret.len());
    let quotes = secret.iter().take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    let password = trimmed(secret.get(..len)?);
    if password.is_empty() && rest.get(colon) == Some(&b':') {
        // An API key as user, without password.
        let from = start.saturating_add(colon).saturating_sub(user.len());
        let key = Traits::of(user).random(12) && program(bytes, at, &[b"curl"]);
        return key.then(|| {
            SecretMatch::new(label, from, from.saturating_add(user.len()), Confidence::Medium)
        });
    }
    let fits = rest.get(colon) == Some(&b':')
        && (strict || user != password)
        && counts(password, strict)
        && !password.iter().any(|byte| b"$[]<>/".contains(byte) && user.contains(byte))
        && !matches!(password, [b'[', ..] | [b'/', b'/', ..]);
    let fetches = [b"curl".as_slice(), b"http", b"wget", b"xh ", b"Invoke-"];
    (fits && program(bytes, at, &fetches)).then(|| {
        let start = start.saturating_add(colon).saturating_add(1).saturating_add(quotes);
        let end = start.saturating_add(password.len());
        SecretMatch::new(label, start, end, Confidence::Medium)
    })
}

/// `-U 'DOMAIN\user%password'`
fn of_windows(bytes: &[u8], at: usize, start: usize, rest: &[u8]) -> Option<SecretMatch> {
    let percent = rest.iter().position(|byte| *byte == b'%' || byte.is_ascii_whitespace())?;
    let secret = rest.get(percent..)?.strip_prefix(b"%")?;
    let len = secret.iter().position(u8::is_ascii_whitespace).unwrap_or(secret.len());
    let password = trimmed(secret.get(..len)?);
    let shares = [b"smb".as_slice(), b"rpcclient", b"cifs", b"winexe", b"wmic", b"net "];
    let from = start.saturating_add(percent).saturating_add(1);
    (weighty(password) && program(bytes, at, &shares))
        .then(|| found(from, from.saturating_add(password.len())))
}

/// `htpasswd -b FILE USER PASSWORD` and `htpasswd -nb USER PASSWORD`, after the program.
pub(super) fn htpasswd(bytes: &[u8], at: usize) -> Option<SecretMatch> {
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

/// Input piped to a program that expects a secret whose name is at `start`: `echo ... | fly secret set`, `|
/// gh auth login --with-token`.
pub(super) fn piped(bytes: &[u8], start: usize, at: usize) -> Option<SecretMatch> {
    let rest = bytes.get(at..)?;
    let takes =
        [b"put".as_slice(), b"set ", b"create ", b"add "].iter().any(|word| rest.starts_with(word));
    takes.then(|| echoed(bytes, start))?
}

/// Input that a program reads as its password, given that flag's position: `echo ... | docker login
/// --password-stdin`, `passwd --stdin root <<< ...`, `echo ... | chpasswd`.
pub(super) fn stdin(bytes: &[u8], word: usize) -> Option<SecretMatch> {
    let rest = bytes.get(word..)?;
    let before = bytes.get(word.saturating_sub(5)..word)?;
    let starts = |text: &&[u8]| rest.starts_with(text);
    let users = before.ends_with(b"ch") && rest.starts_with(b"passwd");
    let reads = [b"password-stdin".as_slice(), b"passwd --stdin", b"passphrase-fd 0"];
    let handed = before == b"with-" && rest.starts_with(b"token");
    if !(users || handed || reads.iter().any(starts)) {
        return None;
    }
    let found = asked(bytes, word)?;
    let text = bytes.get(found.start..found.end)?;
    let colon = text.iter().position(|byte| *byte == b':').filter(|_| users);
    let Some(colon) = colon else { return (!users).then_some(found) };
    let (user, password) = (text.get(..colon)?, text.get(colon.saturating_add(1)..)?);
    (user != password && weighty(password)).then_some(found)
}

/// Input of the command at `at`.
pub(super) fn asked(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    echoed(bytes, at).or_else(|| here(bytes, at))
}

/// The word after `<<<` in the command at `at`.
fn here(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    let rest = bytes.get(at..)?;
    let line = rest.get(..rest.len().min(BACK))?.split(|byte| *byte == b'\n').next()?;
    let sign = line.windows(3).position(|three| three == b"<<<")?;
    let start = at.saturating_add(sign).saturating_add(3);
    typed(bytes, assign::skip(bytes, start, 2, assign::blank))
}

/// The word printed into the command at `at`, if it looks like a secret.
pub(super) fn echoed(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    piped_word(bytes, at, typed)
}

/// The same for any word.
pub(super) fn printed(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    piped_word(bytes, at, handed::word)
}

fn piped_word(
    bytes: &[u8],
    at: usize,
    typed: impl Fn(&[u8], usize) -> Option<SecretMatch>,
) -> Option<SecretMatch> {
    let from = at.saturating_sub(BACK);
    let before = bytes.get(from..at)?;
    let line =
        before.iter().rposition(|byte| *byte == b'\n').map_or(0, |line| line.saturating_add(1));
    let command = before.get(line..)?;
    let pipe = command.iter().rposition(|byte| *byte == b'|')?;
    let printer = command.get(..pipe)?;
    let behind = |word: &[u8]| {
        let at = printer.windows(word.len()).rposition(|part| part == word)?;
        Some(from.saturating_add(line).saturating_add(at).saturating_add(word.len()))
    };
    if let Some(start) = behind(b"echo ") {
        let flag = usize::from(bytes.get(start..)?.starts_with(b"-n ")).saturating_mul(3);
        return typed(bytes, start.saturating_add(flag));
    }
    let start = behind(b"printf ")?;
    let format = assign::value(bytes, start, Link::Blank)?;
    if !bytes.get(format.start..format.end)?.contains(&b'%') {
        return typed(bytes, start);
    }
    // Up to the blank after the format and its quote.
    let rest = bytes.get(format.end..)?;
    let next = rest.iter().take(6).position(|byte| *byte == b' ')?.saturating_add(1);
    typed(bytes, format.end.saturating_add(next))
}

/// The word at `start`, if it looks like a secret.
fn typed(bytes: &[u8], start: usize) -> Option<SecretMatch> {
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let secret = weighty(text) && Traits::of(text).password();
    secret.then(|| found(value.start, value.end))
}

/// `rootpw --plaintext ...` of installers.
pub(super) fn installed(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    let rest = bytes.get(at..)?;
    let plain = b"--plaintext ".as_slice();
    let start = if rest.starts_with(plain) { at.saturating_add(plain.len()) } else { at };
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let secret = weighty(text) && !text.starts_with(b"-") && !text.starts_with(b"$");
    secret.then(|| found(value.start, value.end))
}

/// The password among the quoted arguments after a function name: `new mysqli("db", "shop", "...", "shop")`,
/// `smtp.login("ana", "...")`.
pub(super) fn call(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    let name = assign::skip(bytes, end, 16, |byte| byte.is_ascii_alphabetic() || byte == b'_');
    let mut at = match bytes.get(name) {
        Some(b'(') => name.saturating_add(1),
        _ if bytes.get(end.checked_sub(1)?) == Some(&b'(') => end,
        _ => return None,
    };
    let mut count = 0_usize;
    while count < 4 {
        at = assign::skip(bytes, at, 24, |byte| byte.is_ascii_whitespace());
        let value = assign::value(bytes, at, Link::Argument)?;
        let text = bytes.get(value.start..value.end)?;
        let traits = Traits::of(text);
        let strong = traits.symbol > 0 || !traits.reads() || traits.shuffled();
        let strong = strong && traits.password() || traits.random(16) && traits.digit > 0;
        let plain = !text.iter().any(|byte| b"@/:.".contains(byte)) || traits.random(20);
        let plain = plain && !text.iter().any(|byte| b" (".contains(byte));
        if count > 0 && value.quoted && plain && strong && weighty(text) {
            return Some(found(value.start, value.end));
        }
        let comma = value.end.saturating_add(usize::from(value.quoted));
        if bytes.get(comma) != Some(&b',') {
            return None;
        }
        at = comma.saturating_add(1);
        count = count.saturating_add(1);
    }
    None
}

/// `user/password@` after the name of Oracle's client or driver.
pub(super) fn oracle(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    let rest = bytes.get(end..)?;
    let rest = rest.get(..rest.len().min(BACK))?;
    let login = rest.get(..rest.iter().position(|byte| *byte == b'@')?)?;
    let slash = login.iter().position(|byte| *byte == b'/')?;
    let (user, password) = (login.get(..slash)?, login.get(slash.saturating_add(1)..)?);
    let plain = !login.iter().any(u8::is_ascii_whitespace) && user != password;
    let start = end.saturating_add(slash).saturating_add(1);
    (plain && weighty(password)).then(|| found(start, start.saturating_add(password.len())))
}

/// `IDENTIFIED BY 'password'` in SQL.
pub(super) fn identified(bytes: &[u8], end: usize) -> Option<SecretMatch> {
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

/// `-ppassword` or `-p password`, depending on the program.
fn short(bytes: &[u8], at: usize, after: usize, strict: bool) -> Option<SecretMatch> {
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
    let fits = counts(text, strict) && !text.starts_with(b"-") && !text.starts_with(b"/");
    // A user name precedes it, for any program.
    let beside = || {
        !glued && program(bytes, at, &[b" -u ", b" -U ", b" --username "]) && {
            let traits = Traits::of(text);
            traits.kinds() >= 3 && traits.password() && !traits.reads() && !text.contains(&b'/')
        }
    };
    (fits && (program(bytes, at, programs) || beside())).then(|| found(value.start, value.end))
}

/// The plain text passed to `ConvertTo-SecureString`.
pub(super) fn secure(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    let start =
        assign::skip(bytes, end, 8, |byte| byte.is_ascii_alphabetic() || b"- ".contains(&byte));
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    (value.quoted && weighty(text)).then(|| found(value.start, value.end))
}

/// Whether this is a password: with `strict` any value counts.
fn counts(text: &[u8], strict: bool) -> bool {
    let is_given = strict
        && text.len() >= 3
        && !text.contains(&b'.')
        && text.iter().any(u8::is_ascii_alphanumeric);
    weighty(text) || is_given && !super::placeholder::reference(text)
}

/// Whether the text is more than words, which are rather commands or names.
fn weighty(text: &[u8]) -> bool {
    generic::weighty(text) && (text.len() >= 12 || Traits::of(text).kinds() >= 2)
}

/// Whether one of these words occurs earlier in the command, which may span lines.
fn program(bytes: &[u8], at: usize, names: &[&[u8]]) -> bool {
    let before = bytes.get(at.saturating_sub(BACK)..at).unwrap_or_default();
    let lines = before.windows(2).rposition(|two| matches!(two, [last, b'\n'] if *last != b'\\'));
    let command = before.get(lines.unwrap_or(0)..).unwrap_or_default();
    names.iter().any(|name| command.windows(name.len()).any(|part| part == *name))
}
