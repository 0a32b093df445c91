//! Private keys in JSON (JWK).

use super::SecretMatch;
use super::generic::Seen;
use super::placeholder;
use super::rules::JWK;
use super::value::Traits;

/// Maximum distance of a key's parts from its type.
const REACH: usize = 4 * 1024;
/// Minimum length of the private part.
const LEAST: usize = 22;

/// The private part of the key whose `"kty"` is at `word`.
pub(super) fn private(bytes: &[u8], word: usize, seen: &mut Seen) -> Option<SecretMatch> {
    if word < seen.jwk {
        return None;
    }
    let before = bytes.get(word.saturating_sub(REACH)..word)?;
    let open = before.iter().rposition(|byte| *byte == b'{')?;
    let start = word.saturating_sub(before.len()).saturating_add(open);
    let rest = bytes.get(start..)?;
    let key = rest.get(..rest.len().min(REACH))?;
    let key = key.get(..key.iter().position(|byte| *byte == b'}').unwrap_or(key.len()))?;
    seen.jwk = start.saturating_add(key.len());
    let names: &[&[u8]] = if holds(key, b"\"oct\"") { &[b"\"k\""] } else { &[b"\"d\""] };
    names.iter().find_map(|name| part(key, name)).map(|(from, to)| {
        let (from, to) = (start.saturating_add(from), start.saturating_add(to));
        SecretMatch::sure((JWK.id, JWK.title), from, to)
    })
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The range of this name's value, if it is long and random.
fn part(key: &[u8], name: &[u8]) -> Option<(usize, usize)> {
    let after = key.windows(name.len()).position(|window| window == name)?;
    let after = after.saturating_add(name.len());
    let rest = key.get(after..)?;
    let lead = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b':').count();
    let value = rest.get(lead..)?.strip_prefix(b"\"")?;
    let len = value.iter().position(|byte| *byte == b'"')?;
    let value = value.get(..len)?;
    let from = after.saturating_add(lead).saturating_add(1);
    let secret = len >= LEAST && Traits::of(value).random(LEAST) && !placeholder::is(value);
    secret.then(|| (from, from.saturating_add(len)))
}
