//! Passwords in URLs: `scheme://user:password@host`.

use super::generic::weighty;
use super::placeholder;
use super::rules::URL;
use super::value::Traits;
use super::{Confidence, SecretMatch};

/// Maximum distance of the `@` from the `://`.
const LONGEST: usize = 320;

/// The password in the URL whose `://` is at `colon`; with `strict` any value except a reference.
pub(super) fn password(bytes: &[u8], colon: usize, strict: bool) -> Option<SecretMatch> {
    let before = bytes.get(colon.checked_sub(1)?)?;
    let start = colon.checked_add(3)?;
    let rest = bytes.get(start..)?;
    let reach = rest.iter().take(LONGEST).take_while(|byte| !ends(**byte)).count();
    let authority = rest.get(..reach)?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let login = authority.get(..at)?;
    let host = authority.get(at.saturating_add(1)..)?;
    if !before.is_ascii_alphanumeric() || !host.first().is_some_and(|byte| host_byte(*byte)) {
        return None;
    }
    let colon = login.iter().position(|byte| *byte == b':');
    let (user, secret) = match colon {
        Some(colon) => (login.get(..colon)?, login.get(colon.saturating_add(1)..)?),
        None => (b"".as_slice(), login),
    };
    let traits = Traits::of(secret);
    // `%40` is one character of the password.
    let encoded = secret.split(|byte| *byte == b'%').skip(1).count().saturating_mul(2);
    let len = secret.len().saturating_sub(encoded);
    let strong = len >= 8 && (traits.password() || traits.random(12));
    let secret_enough = match colon {
        Some(_) if harmless_host(host) => strong,
        Some(_) => strong || len >= 6,
        None => traits.random(24) && !contains(host, b"sentry"),
    };
    let is_one = secret_enough
        && secret != user
        && weighty(secret)
        && !placeholder::reference(user_of(user));
    if !(is_one || strict && is_given(secret, colon.is_some())) {
        return None;
    }
    let from = start.saturating_add(at).saturating_sub(secret.len());
    let confidence = if strong { Confidence::High } else { Confidence::Medium };
    Some(SecretMatch::new((URL.id, URL.title), from, start.saturating_add(at), confidence))
}

/// The password of `user:password@tcp(host)`, whose `@` is at `at`.
pub(super) fn dsn(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    let before = bytes.get(at.saturating_sub(LONGEST)..at)?;
    let len = before.iter().rev().take_while(|byte| !ends(**byte)).count();
    let login = before.get(before.len().saturating_sub(len)..)?;
    let colon = login.iter().position(|byte| *byte == b':')?;
    let (user, secret) = (login.get(..colon)?, login.get(colon.saturating_add(1)..)?);
    let traits = Traits::of(secret);
    let strong = traits.password() || traits.random(12);
    (strong && secret != user && weighty(secret)).then(|| {
        let start = at.saturating_sub(secret.len());
        SecretMatch::new((URL.id, URL.title), start, at, Confidence::Medium)
    })
}

/// Whether a value is passed as password, or a token as user.
fn is_given(secret: &[u8], is_password: bool) -> bool {
    let traits = Traits::of(secret);
    let is_some = secret.iter().any(u8::is_ascii_alphanumeric);
    let is_token = secret.len() >= 16 && (traits.random(16) || traits.digit > 3);
    is_some && (is_password || is_token) && !placeholder::reference(secret)
}

/// An empty user cannot be a placeholder.
fn user_of(user: &[u8]) -> &[u8] {
    if user.is_empty() { b"u" } else { user }
}

fn ends(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'/' | b'\\')
}

fn host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'-' | b'_' | b'.')
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The machine itself, a neighbour container, or a documentation host.
fn harmless_host(host: &[u8]) -> bool {
    let name = host.split(|byte| *byte == b':').next().unwrap_or_default();
    !name.contains(&b'.')
        || name.starts_with(b"127.")
        || name.starts_with(b"0.0.0.0")
        || name.ends_with(b".local")
        || name.ends_with(b".internal")
        || name.ends_with(b".test")
        || contains(name, b"example")
}
